"""Steps of flexible links that are made for a pattern of constants (`elements.tables`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.elements.tables import Layout
from lissom.engine.step import Step

Lengths = Callable[[int], tuple[int, ...]]


class Kind(NamedTuple):
    """A kind of step: `make(layout)` returns its function; lengths depend on the amplitudes."""

    name: str
    make: Callable[[Layout], Any]
    inputs: Lengths
    outputs: Lengths
    constants: bool


def kind(inputs: Lengths, outputs: Lengths, constants: bool = True) -> Callable[[Callable[[Layout], Any]], Kind]:
    """A maker of functions as a kind of step; without constants only the number of amplitudes counts."""
    return lambda make: Kind(make.__name__, make, inputs, outputs, constants)


def step_of(kind: Kind, layout: Layout) -> Step:
    """One step of a pattern; made once, so that all links of the pattern share it."""
    return _made(kind, layout if kind.constants else Layout(layout.m, False, (), (), layout.flexibility))


@functools.cache
def _made(kind: Kind, layout: Layout) -> Step:
    name = f"beam_{kind.name}_{layout.key if kind.constants else layout.m}"
    return Step(name, kind.make(layout), kind.inputs(layout.m), kind.outputs(layout.m), layout.length)
