"""Derivatives of the functions in the registry, as functions that are compiled like those.

Each is the derivative of the recorded program of a verb, so a verb with one result needs nothing more to have them:

    products     weights dy/dx, one vector for each state argument; the weights are an argument more
    slopes       dy/dx, rows are entries of the result
    curvature    second derivatives of weights . y, for every pair of state arguments, by their upper half
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import combinations_with_replacement
from math import prod
from typing import Any

from lissom.dynamics import products
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine import derive
from lissom.engine.record import Recorder
from lissom.engine.recorded import Tape
from lissom.errors import UnsupportedError
from lissom.kernels.verb import Program, Refused, Shapes, Verb
from lissom.kernels.verbs import FORWARD_DYNAMICS, VERBS

WEIGHTS = "weights"
INTERNAL = Refused("it is not a public function")


def differentiable(verb: Verb) -> bool:
    """Whether all derivatives of a public function exist: it has one result, of a program of its own.

    Accelerations have theirs by the implicit function theorem, from those of the torques.
    """
    return not verb.internal and verb.composed is None and verb.record is None and verb is not FORWARD_DYNAMICS


def pairs(verb: Verb) -> tuple[tuple[int, int], ...]:
    """The pairs of state arguments of `curvature`."""
    return tuple(combinations_with_replacement(range(len(verb.arguments)), 2))


@functools.cache
def product_of(name: str) -> Verb:
    """The products of weights with first derivatives."""
    verb = VERBS[name]
    return _derived(verb, "product", 1, derive.gradient, lambda n, _: ((n,),) * len(verb.arguments), weighted=True)


@functools.cache
def slopes_of(name: str) -> Verb:
    """The first derivatives."""
    verb = VERBS[name]
    return _derived(verb, "slopes", 1, derive.jacobian, lambda n, rows: ((rows, n),) * len(verb.arguments))


@functools.cache
def curvature_of(name: str) -> Verb:
    """The second derivatives of a weighted sum."""
    verb = VERBS[name]

    def differentiated(tape: Tape, steps: products.Steps, count: int) -> Tape:
        return derive.hessian(tape, steps, count, pairs(verb))

    return _derived(verb, "curvature", 2, differentiated, lambda n, _: ((n, n),) * len(pairs(verb)), weighted=True)


def _derived(
    verb: Verb, kind: str, order: int, differentiated: Callable[..., Tape], shapes: Callable[[int, int], Shapes],
    weighted: bool = False,
) -> Verb:  # fmt: skip
    """An entry that is not in the registry: always a tape, as compiling must be cheap."""
    count = len(verb.arguments)
    steps = tuple((products.GRADIENT_STEPS if order == 1 else products.HESSIAN_STEPS).values())

    def made(flexible: bool) -> Program | Refused:
        plain = verb.program_for(flexible)
        if isinstance(plain, Refused):
            return plain

        def program(run: Any, bodies: Bodies, acting: Acting, _tape: bool) -> None:
            recorder = Recorder(4, singly=True)
            plain.function(recorder, bodies, acting, True)
            if any(step.adds for step in recorder.steps.values()):
                raise UnsupportedError(
                    f"{verb.name}: of arm {bodies.arm.name!r} it is a derivative already, and has none of its own here."
                )
            family = derive.family(recorder.steps.values(), order)
            run.play(differentiated(recorder.tape(reuse=False), family, count), family)

        return Program(program, steps, 0)

    rigid = made(flexible=False)
    assert isinstance(rigid, Program)
    return verb._replace(
        name=f"{verb.name}_{kind}", arguments=(*verb.arguments, WEIGHTS) if weighted else verb.arguments,
        shapes=lambda b: shapes(b.arm.dof, _rows(verb, b)), program=rigid, flexible=made(flexible=True),
        outputs=INTERNAL, internal=True, shown_as=verb.name, record=None, scalar=False, acted=False, single=False,
        batch_of_arms=False,
        lengths=lambda b: (b.arm.dof,) * count + (_rows(verb, b),) * weighted,
    )  # fmt: skip


def _rows(verb: Verb, bodies: Bodies) -> int:
    """Entries of the result."""
    return sum(prod(shape) for shape in verb.shapes(bodies))
