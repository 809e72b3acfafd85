"""Forward dynamics, derivatives of inverse dynamics and the linear algebra between them as one kernel.

For every group of rows the two kernels run one after the other, on arrays in the workspace; then the derivatives of the
accelerations are solved for, row by row (`sparse_solve`). Their tables, workspaces and results are in the
workspace of the joined kernel, so that threads share nothing.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.engine import compile as compiler, ir, nest, sparse_solve, sparse_tables, straight
from lissom.engine.cache import compiled
from lissom.engine.ir import Lanes
from lissom.engine.kernel import Code, Kernel
from lissom.engine.native import kernel_table
from lissom.engine.nest import Nest
from lissom.engine.sparse_solve import solve_ir
from lissom.engine.sparse_tables import tables
from lissom.engine.straight import SIGNATURE, close_loop, open_loop

LINE = 64  # bytes; parts of the workspace begin on a cache line
CALL = 5  # words of a kernel: address, offset of its table of arrays, tape, offset of its workspace, constants
MOVES, SCRATCH, QDD, SLOPES, MATRIX, RESULTS, SOLVER, FIRST = range(2 * CALL, 2 * CALL + 8)


def joined_kernel(forward: Kernel, slopes: Kernel, parents: Sequence[int]) -> Kernel:
    """(q, qd, tau, ...) to the derivatives of the accelerations.

    forward : (q, qd, tau, ...) to qdd
    slopes : (q, qd, qdd, ...) to the derivatives of tau with respect to q, qd and qdd
    parents : tree of the coordinates, see `sparse_tables`
    """
    n = len(parents)

    def code(width: int) -> Code:
        loaded = compiled(*part(width))
        parts, data = (forward.code(width), slopes.code(width)), tables(parents)
        room = _Room(parts, width, n, data.workspace)
        return Code(
            width, (forward.inputs, slopes.outputs), loaded, tape=room.words(), constants=data.words.view(float),
            workspace=room.template(), work=sum(part.work for part in parts) + 4 * n**3, parts=parts,
        )  # fmt: skip

    return Kernel(forward.inputs, slopes.outputs, code)


def part(width: int) -> tuple[str, Callable[[], str]]:
    """Key and LLVM code of the object that joins kernels."""
    return f"joined|{width}|{_sources()}", lambda: module_ir(compiler.lanes(width))


@functools.cache
def _sources() -> str:
    """Fingerprint of the files that make this code."""
    files = [module.__file__ for module in (ir, nest, sparse_solve, sparse_tables, straight)]
    return hashlib.sha256(b"".join(Path(str(name)).read_bytes() for name in (*files, __file__))).hexdigest()


class _Piece(NamedTuple):
    offset: int
    values: NDArray[Any]


class _Room:
    """The workspace: tables of arrays and workspaces of two kernels, qdd, three matrices per row, the solver's."""

    def __init__(self, parts: tuple[Code, Code], width: int, n: int, solver: NDArray[np.float64]):
        self.parts, self.width, self.n, self.top = parts, width, n, 0
        self.pieces: list[_Piece] = []
        made = [kernel_table(part) for part in parts]
        self.places = [places for _, places in made]
        self.arrays = [self._add(arrays.view(float)) for arrays, _ in made]
        self.rooms = [self._add(part.template) for part in parts]
        self.qdd, self.solver = self._add(np.zeros(width * n)), self._add(solver)
        self.slopes = self._add(np.zeros(3 * width * n * n + 8))  # fours are read beyond the end

    def _add(self, values: NDArray[np.float64]) -> int:
        start = self.top
        self.pieces.append(_Piece(start, values))
        self.top += -(-values.nbytes // LINE) * LINE
        return start

    def template(self) -> NDArray[np.float64]:
        out = np.zeros(self.top // 8)
        for offset, values in self.pieces:
            out[offset // 8 : offset // 8 + values.size] = values.ravel()
        return out

    def words(self) -> NDArray[np.int64]:
        """What the joined code reads."""
        inputs, matrix = len(self.parts[0].sizes[0]), 8 * self.n * self.n
        into = [
            [arrays + 8 * place for place in places] for arrays, places in zip(self.arrays, self.places, strict=True)
        ]
        moves = [(2 * k, at) for part in into for k, at in enumerate(part[:inputs]) if part is into[0] or k != 2]
        scratch = [(into[0][inputs], self.qdd), (into[1][2], self.qdd)]
        scratch += [(into[1][inputs + k], self.slopes + k * self.width * matrix) for k in range(3)]
        words: list[int] = []
        for part, arrays, room in zip(self.parts, self.arrays, self.rooms, strict=True):
            words += (part.address, arrays, part.tape.ctypes.data, room, part.constants.ctypes.data)
        words += (len(moves), len(scratch), self.qdd, self.slopes, matrix, 2 * inputs, self.solver)
        return np.array([*words, *(x for pair in (*moves, *scratch) for x in pair)], np.int64)


# ---- code ----------------------------------------------------------------------------------------


def module_ir(lanes: Lanes) -> str:
    """The module of the joined kernel; `tape` is the words of `_Room`, `constants` those of `sparse_tables`."""
    body = Nest(lanes)
    body.label("entry")
    open_loop(body)
    _wire(body)
    flags = [_run(body, CALL * k) for k in range(2)]
    seen = _solve_rows(body)
    bad = body.put(f"zext i1 {body.put(f'fcmp uno double {seen}, {seen}')} to i64")
    for flag in flags:
        bad = body.put(f"or i64 {bad}, {flag}")
    close_loop(body, bad)
    return "\n".join([*lanes.declarations, solve_ir(lanes), f"{SIGNATURE} nounwind {{", *body.lines, "}"])


def _word(body: Nest, k: int) -> str:
    return body.read("i64", "%tape", k)


def _in_room(body: Nest, k: int) -> str:
    """Address of a part of the workspace."""
    return body.address("%ws", _word(body, k), "i8")


def _wire(body: Nest) -> None:
    """Tell both kernels where the rows of this group are, and where their results go."""
    moves, scratch = _word(body, MOVES), _word(body, SCRATCH)
    first = body.address("%tape", FIRST, "i64")
    second = body.address(first, body.put(f"shl i64 {moves}, 1"), "i64")

    def pair(start: str, k: str) -> tuple[str, str]:
        at = body.put(f"shl i64 {k}, 1")
        here = body.address(start, at, "i64")
        return body.read("i64", here, 0), body.read("i64", here, 1)

    def move(k: str) -> None:
        source, target = pair(first, k)
        array, into = body.address("%arrays", source, "i64"), body.address("%ws", target, "i8")
        base, step = body.read("ptr", array, 0), body.read("i64", array, 1)
        row = body.address(base, body.put(f"mul i64 %row, {step}"), "i8")
        body.write("ptr", row, into)
        body.write("i64", step, into, 1)

    def place(k: str) -> None:
        target, where = pair(second, k)
        body.write("ptr", body.address("%ws", where, "i8"), body.address("%ws", target, "i8"))

    body.each(moves, move)
    body.each(scratch, place)


def _run(body: Nest, first: int) -> str:
    """Call one of the kernels on the rows of this group; returns its flag."""
    code, tape, constants = (body.read("ptr", "%tape", first + k) for k in (0, 2, 4))
    arrays, room = _in_room(body, first + 1), _in_room(body, first + 3)
    given = f"ptr {arrays}, ptr {tape}, ptr {room}, ptr {constants}, i64 {body.lanes.width}"
    return body.put(f"call i64 {code}({given})")


def _solve_rows(body: Nest) -> str:
    """Solve for the rows of this group; returns NaN if a result is not finite."""
    solver, qdd, slopes = (_in_room(body, k) for k in (SOLVER, QDD, SLOPES))
    size, results = _word(body, MATRIX), body.address("%arrays", _word(body, RESULTS), "i64")
    all_rows = body.put(f"mul i64 {size}, {body.lanes.width}")
    n = body.read("i64", "%constants", sparse_tables.N)

    def row(k: str, seen: list[str]) -> list[str]:
        at = body.put(f"mul i64 {k}, {size}")
        here = body.put(f"add i64 %row, {k}")
        D = [body.address(slopes, at, "i8")]
        D += [body.address(D[0], body.put(f"mul i64 {all_rows}, {z}"), "i8") for z in (1, 2)]
        X = []
        for z in range(3):
            base, step = body.read("ptr", results, 2 * z), body.read("i64", results, 2 * z + 1)
            X.append(body.address(base, body.put(f"mul i64 {here}, {step}"), "i8"))
        a = body.address(qdd, body.put(f"mul i64 {k}, {n}"), "double")
        given = ", ".join(f"ptr {x}" for x in ("%constants", solver, a, *D, *X))
        found = body.put(f"call double @solve({given})")
        return [body.put(f"fadd double {seen[0]}, {found}")]

    return body.loop(str(body.lanes.width), [("double", "0.0")], row)[0]
