"""Compiled kernels called on batches: descriptors, tails, workspaces, threads.

Rows are processed by the four-lane code; batches of fewer than four rows by the one-lane code,
which computes the same bits. Code of a width is compiled when it is first needed.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lissom.cores import cores
from lissom.engine import compile as compiler, movers, native, pieces, straight, tape
from lissom.engine.cache import compiled
from lissom.engine.compile import Loaded
from lissom.engine.graph import Graph, depth_first
from lissom.engine.ir import Lanes
from lissom.engine.machine import Machine, machine
from lissom.engine.program import Inline
from lissom.engine.record import Recorder
from lissom.engine.recorded import Tape
from lissom.engine.step import Step
from lissom.engine.symbolics import alone

Array = NDArray[np.float64]
Result = TypeVar("Result")
PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 4, ctypes.c_int64)
# Operations of a row, about, for the choice of threads.
STRAIGHT_WORK = 2500
# Rows times operations below which a second thread costs more than it brings.
THREAD_WORK = 2_000_000
# Nodes of a graph from which the order of its operations matters: shorter ones are quicker as they were written.
SPILLING = 500


class Code:
    """Machine code of one lane width, with the data it runs on."""

    def __init__(
        self,
        width: int,
        sizes: tuple[tuple[int, ...], tuple[int, ...]],
        loaded: Loaded,
        tape: NDArray[np.int64] | None = None,
        constants: Array | None = None,
        workspace: Array | None = None,
        inputs: Sequence[int] = (),
        tables: Sequence[NDArray[np.int64]] = (),
        work: int = STRAIGHT_WORK,
        parts: Sequence[Code] = (),
        dtype: Any = float,
    ):
        """`inputs` are byte offsets in a tape's workspace, `tables` say where outputs are (see `movers`).

        work : operations of a row, about
        parts : code that this one calls, which must live as long
        dtype : of the numbers that it computes with
        """
        self.width, self.sizes, self.loaded, self.address = width, sizes, loaded, loaded.address("kernel")
        self.call = PROTOTYPE(self.address)
        self.tape = np.zeros(1, np.int64) if tape is None else tape
        self.dtype = np.dtype(dtype)
        self.constants = np.zeros(1) if constants is None else constants
        self.template = np.zeros((1, width), dtype) if workspace is None else workspace
        self.inputs, self.tables, self.work, self.parts = tuple(inputs), tuple(tables), work, tuple(parts)
        self._table_addresses = [_address(table) for table in self.tables]
        self._free: list[Callable[..., Any]] = []  # callers, one for every thread that was ever inside

    def workspace(self) -> Array:
        """Allocate a workspace."""
        return native.aligned_copy(self.template)

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
        """Compute all rows; return whether everything was finite."""
        finite = self.try_rows((*inputs, *outputs))
        return self._by_ctypes(inputs, outputs) if finite is None else finite

    def try_rows(self, arrays: Sequence[Any]) -> bool | None:
        """Run on plain arrays (rows, n); return whether all was finite, or None if an array is not plain."""
        try:
            caller = self._free.pop()
        except IndexError:
            caller = native.rows(self, self.sizes[0], self.sizes[1], _not_plain)
        finite: bool | None = caller(*arrays)
        self._free.append(caller)
        return finite

    def _by_ctypes(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
        """Run by ctypes, where no builtin is available."""
        words, room = self.words(inputs, outputs), self.workspace()
        tables = (_address(self.tape), _address(room), _address(self.constants))
        return self.call((ctypes.c_int64 * len(words))(*words), *tables, len(outputs[0])) == 0

    def words(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[int]:
        """The table of arrays that the code reads."""
        words: list[int] = []
        if not self.tables:
            for x in (*inputs, *outputs):
                words += (_address(x), x.strides[0])
            return words
        words += (len(inputs), len(outputs))
        for x, offset in zip(inputs, self.inputs, strict=True):
            words += (_address(x), x.strides[0], x.shape[1], offset)
        for y, table in zip(outputs, self._table_addresses, strict=True):
            words += (_address(y), y.strides[0], y.shape[1], table)
        return words


SINGLE_LANES = 8


class Kernel:
    """A function of vectors: inputs of given lengths to outputs of given lengths, for any number of rows.

    make : code of a number of lanes
    single : in single precision; then for `SINGLE_LANES` rows or more
    """

    def __init__(
        self, inputs: Sequence[int], outputs: Sequence[int], make: Callable[[int], Code], single: bool = False
    ):
        self.inputs, self.outputs, self.single = tuple(inputs), tuple(outputs), single
        self._make = make
        self._codes: dict[int, Code] = {}

    def code(self, width: int) -> Code:
        """The code for a number of lanes, compiled on first use."""
        found = self._codes.get(width)
        if found is None:
            found = self._codes.setdefault(width, self._make(width))  # another thread may have made it
        return found

    def _code_for(self, rows: int) -> Code:
        if self.single:
            return self.code(SINGLE_LANES)
        return self.code(4 if rows >= 4 else 1)

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array], threads: int | None = None) -> bool:
        """Fill `outputs` from `inputs`, all (rows, n) with contiguous rows; True when all was finite.

        A row stride of zero repeats a row. Outputs must not overlap inputs.
        """
        rows = len(outputs[0])
        if rows == 0:
            return True
        code = self._code_for(rows)
        k = len(inputs)
        arrays = (*inputs, *outputs)
        count = thread_count(rows, code.work, threads)
        return all(shared_out(lambda *some: code.run(some[:k], some[k:]), arrays, count))

    def try_rows(self, rows: int, arrays: Sequence[Any]) -> bool:
        """Run on plain arrays (rows, n) on this thread; False if arrays are not plain or results not finite."""
        return rows > 0 and bool(self._code_for(rows).try_rows(arrays))

    def threaded(self, rows: int) -> bool:
        """Whether a number of rows is worth more than one thread."""
        return worth_threads(rows, self._code_for(rows).work)


def worth_threads(rows: int, work: int) -> bool:
    """Whether a number of rows and operations is worth more than one thread."""
    return rows * work >= THREAD_WORK and cores() > 1


def thread_count(rows: int, work: int, threads: int | None) -> int:
    """Number of threads for a number of rows; None: the default."""
    if threads == 1 or (threads is None and not worth_threads(rows, work)):
        return 1
    return max(1, min(cores() if threads is None else threads, rows // 64))


def shared_out(function: Callable[..., Result], arrays: Sequence[NDArray[Any]], count: int) -> list[Result]:
    """Apply a function to pieces of the rows of arrays, each on a thread; return when all are finished."""
    if count == 1:
        return [function(*arrays)]
    rows = len(arrays[-1])
    cuts = [rows * k // count // 4 * 4 for k in range(count)] + [rows]
    pieces = [slice(a, b) for a, b in pairwise(cuts)]
    return list(pool().map(lambda some: function(*(x[some] for x in arrays)), pieces))


def _not_plain(*_arrays: Any) -> None:
    """Fallback of a builtin whose arguments are not plain arrays."""


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])  # quicker than array.ctypes.data


@functools.cache
def pool() -> ThreadPoolExecutor:
    """The thread pool for rows of large batches."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="lissom")


if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=pool.cache_clear)


# ---- making kernels ------------------------------------------------------------------------------


def straight_kernel(
    key: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    graph: Callable[[], Graph],
    single: bool = False,
) -> Kernel:
    """A straight-line kernel; `graph()` is called only if the cache does not have it."""
    sizes = tuple(inputs), tuple(outputs)
    kind, dtype = ("single", np.float32) if single else ("straight", float)

    def code(width: int) -> Code:
        lanes = compiler.lanes(width, single)
        loaded = compiled(f"{kind}|{width}|{sizes}|{key}", lambda: _straight_ir(graph(), lanes))
        if loaded.has("slots"):
            return _code_in_pieces(width, sizes, loaded, dtype)
        return Code(width, sizes, loaded, dtype=dtype)

    return Kernel(inputs, outputs, code, single)


def _straight_ir(graph: Graph, lanes: Lanes) -> str:
    """LLVM code of a graph: one loop body if it is short, else pieces."""
    graph = depth_first(graph) if len(graph.nodes) > SPILLING else graph
    return (pieces.module_ir if pieces.is_long(graph) else straight.kernel_ir)(graph, lanes)


def _code_in_pieces(
    width: int, sizes: tuple[tuple[int, ...], tuple[int, ...]], loaded: Loaded, dtype: Any = float
) -> Code:
    unit = np.dtype(dtype).itemsize * width
    starts, ends = pieces.layout(*sizes)
    workspace = np.zeros((_number(loaded, "slots"), width), dtype)
    fixed = _number(loaded, "fixed_count")
    if fixed:
        slots = np.array(loaded.data("fixed_slots", ctypes.c_int64, fixed))
        workspace[slots] = np.array(loaded.data("fixed_values", ctypes.c_double, fixed))[:, None]
    return Code(
        width, sizes, loaded, tape=np.array([loaded.address("piece_0")], np.int64), workspace=workspace,
        inputs=[start * unit for start in starts],
        tables=[movers.table(range(end, end + n), set(), unit) for end, n in zip(ends, sizes[1], strict=True)],
        dtype=dtype,
    )  # fmt: skip


def _number(loaded: Loaded, name: str) -> int:
    """Call a loaded function without arguments and return its number."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address(name))())


def four_lanes(graph: Graph) -> Callable[[Sequence[Array], Sequence[Array]], bool]:
    """A graph compiled for four lanes, in pieces, without the cache; used for timing."""
    sizes = tuple(graph.inputs), tuple(len(out) for out in graph.outputs)
    loaded = Loaded(compiler.object_code(pieces.module_ir(graph, compiler.lanes(4))))
    return _code_in_pieces(4, sizes, loaded).run


@alone
def slopes_of(program: Callable[..., None], count: int) -> Graph:
    """Derivatives of a program's first output with respect to each of its first `count` inputs, row by row."""
    run = Inline()
    program(run)
    return run.slopes(count, compiler.has_fma())


@alone
def graph_of(program: Callable[..., None]) -> Graph:
    """A program as one graph for this machine."""
    run = Inline()
    program(run)
    return run.graph(compiler.has_fma())


def tape_kernel(
    key: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    steps: Sequence[Step],
    program: Callable[..., None],
    single: bool = False,
) -> Kernel:
    """A tape kernel; `key` stands for the sources of its steps. The code of each is compiled once and shared.

    steps : steps that tapes may name besides those that are found by recording
    """
    every_width: list[tuple[Tape, tuple[Step, ...]]] = []  # a tape that serves every width

    def recorded(width: int) -> tuple[Tape, tuple[Step, ...]]:
        if every_width:
            return every_width[0]
        run = Recorder(width)
        program(run)
        made = run.tape()
        names = {name for name, _, _ in made.calls}
        found = made, tape.used_steps(({step.name: step for step in steps} | run.steps).values(), names)
        if not run.one_width:
            every_width.append(found)
        return found

    def code(width: int) -> Code:
        made, used = recorded(width)
        return tape_code(machine(key, used, width, single=single), made)

    return Kernel(inputs, outputs, code, single)


def tape_code(machine: Machine, recorded: Tape) -> Code:
    """The code of a recorded program."""
    width, dtype = machine.width, machine.dtype
    size = np.dtype(dtype).itemsize
    unit = size * width
    words: list[int] = []
    for name, slots, position in recorded.calls:
        address, tail = machine.steps[name]
        words += (address, *[slot * unit for slot in slots])
        if tail:
            words.append(size * position)
    words.append(machine.steps["halt"][0])
    workspace = np.zeros((max(recorded.slots, 1), width), dtype)
    for slot, value in recorded.fixed:
        workspace[slot] = value
    # one row stays in the nearest cache, so its zeros may be filled in first; four rows are written in order
    zero = {slot for slot, value in recorded.fixed if value == 0.0 and width == 1}
    sizes = tuple(n for _, n in recorded.inputs), tuple(len(out) for out in recorded.outputs)
    return Code(
        width,
        sizes,
        machine.loaded,
        np.array(words, np.int64),
        np.array(recorded.constants or (0.0,), dtype),
        workspace,
        [first * unit for first, _ in recorded.inputs],
        [movers.table(out, zero, unit) for out in recorded.outputs],
        100 * len(recorded.calls),
        dtype=dtype,
    )
