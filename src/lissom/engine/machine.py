"""The code that tapes run on: an object for each step, and one for the loop over rows.

An object is known by all that its code depends on, and compiled once for all tapes, arms and processes: the second arm
of a kind compiles nothing. A step of lissom is known by its name, its sizes and `key`, which stands for lissom's
sources; nothing is traced to find it. A step from elsewhere, a user's law for example, is known by its graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.engine import cache, compile as compiler, tape
from lissom.engine.compile import Loaded
from lissom.engine.graph import Graph
from lissom.engine.ir import Lanes
from lissom.engine.step import Step
from lissom.engine.tape import Piece

HOUSE = __name__.split(".")[0]


class Part(NamedTuple):
    """An object: the key that stands for all that its code depends on, and its LLVM code."""

    key: str
    ir: Callable[[], str]


class Machine(NamedTuple):
    """Code of one width for the tapes that call some steps.

    steps : address of every function, and whether its entries end with an offset of constants
    loaded : has the loop over rows, "kernel"
    """

    width: int
    steps: dict[str, tuple[int, bool]]
    loaded: Loaded
    dtype: Any = float


def machine(
    key: str,
    steps: Sequence[Step],
    width: int,
    kernel: Callable[[Lanes], str] | None = None,
    single: bool = False,
) -> Machine:
    """The code for tapes of some steps; `key` stands for the sources of steps and of `kernel`, the loop over rows."""
    lanes = compiler.lanes(width, single)
    pieces = tape.objects(steps, width)
    shell, parts = shell_part(key, lanes, kernel), [step_part(key, some, lanes) for some in pieces]
    loop, *loaded = load([shell, *parts])
    addresses = {"halt": (loop.address("step_halt"), False)}
    for code, some in zip(loaded, pieces, strict=True):
        addresses |= {piece.name: (code.address(f"step_{piece.name}"), piece.tail) for piece in some}
    return Machine(width, addresses, loop, np.float32 if single else float)


def shell_part(key: str, lanes: Lanes, kernel: Callable[[Lanes], str] | None = None) -> Part:
    """The loop over rows."""
    loop = kernel or tape.rows_ir
    return Part(f"{_kind(lanes)}|{loop.__module__}|{key}", lambda: tape.shell(lanes, loop))


def step_part(key: str, pieces: Sequence[Piece], lanes: Lanes) -> Part:
    """The functions of a step, or of all sizes of one."""
    known = "|".join([_kind(lanes), *(_identity(piece, lanes) for piece in pieces), key])
    return Part(known, lambda: tape.object_ir(pieces, lanes))


def _kind(lanes: Lanes) -> str:
    return f"tape {lanes.width} x {lanes.bits}{' fma' * lanes.fma}"


def _identity(piece: Piece, lanes: Lanes) -> str:
    """What stands for the code of a function beside the sources of lissom."""
    step = piece.step
    if step.home.split(".")[0] == HOUSE:
        return f"{piece.name} {step[2:7]}"
    return f"{piece.name} {step[2:7]} {_digest(step.graph(lanes.fma))}"


def _digest(graph: Graph) -> str:
    return hashlib.sha256(repr(graph).encode()).hexdigest()


_loaded: dict[str, Loaded] = {}  # every object of this process by its key; never freed, as any tape may need it


def load(parts: Sequence[Part]) -> list[Loaded]:
    """The objects, loaded when first needed; where threads load one at the same time, the first one counts."""
    missing = [part for part in parts if part.key not in _loaded]
    made: dict[bytes, Loaded] = {}
    for part, code in zip(missing, cache.codes(missing), strict=True):
        if code not in made:
            made[code] = Loaded(code)
        _loaded.setdefault(part.key, made[code])
    return [_loaded[part.key] for part in parts]
