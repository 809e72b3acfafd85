"""Derivatives of recorded programs: a tape is data, so its derivative is another tape.

For a program y(x) and weights w, `gradient` gives g = dy/dx^T w: the tape is played, then played
backwards with steps that casadi differentiated. Every slot s has a mirror slot for its adjoint, the
derivative of w . y with respect to it, to which each backward step adds its share.

`jacobian` does so for one output after the other.

`hessian` differentiates a gradient once more, forwards: for one direction at a time, tangents of all slots
(the tape again), then tangents of their adjoints (the tape backwards). A call is left out where its
tangents and adjoints are known to be zero, or where nothing that was asked for needs its results.

    step               y  = f(x)
    f_back             x' += (df/dx)^T y'
    f_along            dx -> dy = (df/dx) dx
    f_back_along       dx' += d/de [(df/dx)^T y'] at (x + e dx, y' + e dy')
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from lissom.engine.graph import Graph, evaluated, from_casadi
from lissom.engine.recorded import Call, Tape
from lissom.engine.step import Step
from lissom.engine.symbolics import alone
from lissom.errors import UnsupportedError
from lissom.spatial.scalar import cos, sign, sin

CLEAR = tuple(Step(f"clear_{n}", lambda n=n: [[0.0] * n], (), (n,), sizes="clear") for n in (16, 4, 1))
ONE = Step("one", lambda: [[1.0]], (), (1,))
SEED = Step("seed", lambda w: [w], (1,), (1,), adds=True)
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sin": sin, "cos": cos, "sign": sign, "abs": abs, "sqrt": lambda x: x**0.5,
}  # fmt: skip


# ---- steps ---------------------------------------------------------------------------------------


@functools.cache
def back(step: Step) -> Step:
    """The backward step (x, y') -> x'; passive operands have no adjoints."""
    return _derived(step, "back", (*step.inputs, *step.outputs), active(step, step.inputs), adds=True)


def active(step: Step, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The operands of a step that are not passive."""
    return tuple(operands[: len(operands) - step.passive])


@functools.cache
def along(step: Step) -> Step:
    """The forward step (x, dx) -> dy."""
    return _derived(step, "along", step.inputs * 2, step.outputs, adds=False)


@functools.cache
def back_along(step: Step) -> Step:
    """The tangent of the backward step, (x, y', dx, dy') -> dx'."""
    return _derived(step, "back_along", (*step.inputs, *step.outputs) * 2, step.inputs, adds=True)


def family(steps: Iterable[Step], order: int) -> dict[str, Step]:
    """Steps that derivatives up to an order may call, by name."""
    plain = list(steps)
    makers = (back,) if order == 1 else (back, along, back_along)
    derived = [make(step) for make in makers for step in plain]
    return {step.name: step for step in (*plain, *derived, *CLEAR, ONE, SEED)}


def _derived(step: Step, kind: str, inputs: tuple[int, ...], outputs: tuple[int, ...], adds: bool) -> Step:
    graph = functools.cache(lambda: _differentiated(step, kind))  # when it is first needed

    def function(*vectors: Any) -> Any:
        return evaluated(graph(), vectors, OPERATIONS)

    function.__module__ = step.home
    sizes = f"{step.sizes}_{kind}" if step.sizes else ""
    return Step(f"{step.name}_{kind}", function, inputs, outputs, step.constants, adds=adds, sizes=sizes)


@alone
def _differentiated(step: Step, kind: str) -> Graph:
    try:
        import casadi as ca
    except ImportError:
        raise UnsupportedError(
            "derivatives of tapes need casadi, which is not installed: pip install casadi."
        ) from None

    def symbols(word: str, sizes: Sequence[int]) -> Any:
        return [ca.SX.sym(f"{word}{k}", n) for k, n in enumerate(sizes)]

    def joined(vectors: Any) -> Any:
        return ca.vertcat(*vectors)

    def parted(vector: Any, sizes: Sequence[int]) -> Any:
        return ca.vertsplit(vector, [0, *accumulate(sizes)])

    xs, K = symbols("x", step.inputs), symbols("k", [step.constants] if step.constants else [])
    y = joined([joined(result) for result in step.function(*[ca.vertsplit(x) for x in (*xs, *K)])])
    x = joined(active(step, xs))
    if kind == "along":
        dxs = symbols("dx", step.inputs)
        given, results = [*xs, *dxs], parted(ca.jtimes(y, x, joined(dxs)), step.outputs)
    else:
        bars = symbols("bar", step.outputs)
        adjoint = ca.jtimes(y, x, joined(bars), True)
        given, results = [*xs, *bars], parted(adjoint, active(step, step.inputs))
        if kind == "back_along":
            dxs, dbars = symbols("dx", step.inputs), symbols("dbar", step.outputs)
            tangent = ca.jtimes(adjoint, joined([x, *bars]), joined([*dxs, *dbars]))
            given, results = [*xs, *bars, *dxs, *dbars], parted(tangent, step.inputs)
    return from_casadi(ca.Function("derivative", [*given, *K], ca.cse([ca.densify(r) for r in results])))


# ---- tapes ---------------------------------------------------------------------------------------


class _Marks:
    """A set of marked slots."""

    def __init__(self, slots: int):
        self._bits = bytearray(slots)

    def put(self, firsts: Iterable[int], sizes: Iterable[int]) -> None:
        for first, n in zip(firsts, sizes, strict=True):
            self._bits[first : first + n] = b"\1" * n

    def any(self, firsts: Iterable[int], sizes: Iterable[int]) -> bool:
        return any(1 in self._bits[first : first + n] for first, n in zip(firsts, sizes, strict=True))

    def runs(self) -> list[tuple[int, int]]:
        """(first slot, length) of unbroken runs of marked slots."""
        return [(run.start(), run.end() - run.start()) for run in re.finditer(b"\1+", self._bits)]

    def __getitem__(self, slot: int) -> int:
        return self._bits[slot]


class _Writer:
    """A tape that grows: more calls, slots and, for products, one more input, the weights."""

    def __init__(self, tape: Tape, steps: Mapping[str, Step]):
        self.tape, self.steps = tape, steps
        self.calls, self.top = list(tape.calls), tape.slots
        self.zero = self.room(1)
        self.ends = [slot for out in tape.outputs for slot in out]

    def room(self, n: int) -> int:
        """Allocate n slots, zero before the first call; return the first."""
        self.top += n
        return self.top - n

    def clear(self, first: int, length: int) -> None:
        """Append calls that set slots to zero."""
        while length:
            step = next(s for s in CLEAR if s.outputs[0] <= length)
            self.calls.append((step.name, (first,), 0))
            first, length = first + step.outputs[0], length - step.outputs[0]

    def split(self, call: Call) -> tuple[Step, tuple[int, ...], tuple[int, ...]]:
        """Step, first slots of its outputs and of its inputs."""
        step = self.steps[call[0]]
        return step, call[1][: len(step.outputs)], call[1][len(step.outputs) :]

    def backwards(self, ends: Sequence[int], mirror: int) -> tuple[list[Call], _Marks]:
        """Calls that bring adjoints from `ends` back, and marks of the slots that have adjoints."""
        live = _Marks(self.tape.slots)
        live.put(ends, [1] * len(ends))
        calls: list[Call] = []
        for call in reversed(self.tape.calls):
            step, outs, ins = self.split(call)
            if live.any(outs, step.outputs):
                moving = active(step, ins)
                calls.append((back(step).name, (*_shifted(moving, mirror), *ins, *_shifted(outs, mirror)), call[2]))
                live.put(moving, active(step, step.inputs))
                live.put(outs, step.outputs)  # all of an output is read, also where an earlier sweep left something
        return calls, live

    def finished(self, inputs: Sequence[tuple[int, int]], outputs: Sequence[Sequence[int]]) -> Tape:
        """The tape with other inputs and outputs."""
        return self.tape._replace(
            calls=tuple(self.calls), slots=self.top, inputs=tuple(inputs), fixed=(*self.tape.fixed, (self.zero, 0.0)),
            outputs=tuple(tuple(out) for out in outputs),
        )  # fmt: skip

    def weighted(self, after: int, weights: int, outputs: Sequence[Sequence[int]]) -> Tape:
        """The tape with the weights behind the first `after` inputs."""
        inputs = list(self.tape.inputs)
        inputs.insert(after, (weights, len(self.ends)))
        return self.finished(inputs, outputs)


def _shifted(slots: Sequence[int], by: int) -> tuple[int, ...]:
    return tuple(slot + by for slot in slots)


class _Adjoints(NamedTuple):
    """The weights' slots, the start of the mirror, and marks of slots that have adjoints."""

    weights: int
    mirror: int
    live: _Marks


def _with_adjoints(writer: _Writer) -> _Adjoints:
    """Append the backward sweep."""
    weights, mirror = writer.room(len(writer.ends)), writer.room(writer.tape.slots)
    calls, live = writer.backwards(writer.ends, mirror)
    for first, length in live.runs():
        writer.clear(mirror + first, length)
    writer.calls += [(SEED.name, (mirror + slot, weights + k), 0) for k, slot in enumerate(writer.ends)]
    writer.calls += calls
    return _Adjoints(weights, mirror, live)


def gradient(tape: Tape, steps: Mapping[str, Step], count: int) -> Tape:
    """Inputs: those of the tape, `weights` behind the first `count`. Outputs: for each of these `count`
    the gradient of weights . outputs."""
    writer = _Writer(tape, steps)
    weights, mirror, live = _with_adjoints(writer)
    outputs = [
        [mirror + slot if live[slot] else writer.zero for slot in range(first, first + n)]
        for first, n in tape.inputs[:count]
    ]
    return writer.weighted(count, weights, outputs)


def jacobian(tape: Tape, steps: Mapping[str, Step], count: int, first: int = 0) -> Tape:
    """Inputs: those of the tape. Outputs: for each of the inputs from `first` to before `count` the derivatives of all
    outputs by it, row by row: the tape backwards, once for every output."""
    by = tape.inputs[first:count]
    writer = _Writer(tape, steps)
    mirror = writer.room(tape.slots)
    wanted = [slot for start, n in by for slot in range(start, start + n)]
    rows: list[dict[int, int]] = []
    for end in writer.ends:
        calls, live = writer.backwards([end], mirror)
        for start, length in live.runs():
            writer.clear(mirror + start, length)
        room = writer.room(len(wanted))  # of this row alone; all other adjoints make room for those of the next
        writer.clear(room, len(wanted))
        own = {mirror + slot: room + k for k, slot in enumerate(wanted)}
        writer.calls.append((ONE.name, (own.get(mirror + end, mirror + end),), 0))
        writer.calls += [(name, tuple(own.get(s, s) for s in slots), at) for name, slots, at in calls]
        rows.append({slot: own[mirror + slot] for slot in wanted if live[slot]})
    outputs = [[row.get(slot, writer.zero) for row in rows for slot in range(start, start + n)] for start, n in by]
    return writer.finished(tape.inputs, outputs)


def hessian(tape: Tape, steps: Mapping[str, Step], count: int, blocks: Sequence[tuple[int, int]]) -> Tape:
    """Inputs: those of the tape, `weights` behind the first `count`. Outputs: per block (a, b) the second
    derivatives of weights . outputs by inputs a (rows) and b (columns), row by row."""
    writer = _Writer(tape, steps)
    weights, mirror, live = _with_adjoints(writer)
    sweep = _Sweep(writer, mirror, live)
    found: dict[tuple[int, int], int] = {}
    for a in sorted({a for a, _ in blocks}):
        first, n = tape.inputs[a]
        columns = [b for row, b in blocks if row == a]
        for k in range(n):
            # a symmetric block is known when its upper half is
            wanted = [(tape.inputs[b][0] + (k if a == b else 0), sum(tape.inputs[b])) for b in columns]
            found |= {(first + k, slot): at for slot, at in sweep.along(first + k, columns, wanted).items()}
    outputs = []
    for a, b in blocks:
        rows, columns_of = (range(tape.inputs[x][0], sum(tape.inputs[x])) for x in (a, b))
        keys = [(min(i, j), max(i, j)) if a == b else (i, j) for i in rows for j in columns_of]
        outputs.append([found.get(key, writer.zero) for key in keys])
    return writer.weighted(count, weights, outputs)


class _Sweep:
    """Second derivatives along one input entry after the other.

    `tangent` and `change` are mirrors for tangents and for tangents of adjoints; between sweeps they hold zeros.
    """

    def __init__(self, writer: _Writer, mirror: int, live: _Marks):
        self.writer, self.mirror, self.live = writer, mirror, live
        self.tangent, self.change = writer.room(writer.tape.slots), writer.room(writer.tape.slots)

    def along(self, seed: int, vectors: Sequence[int], wanted: Sequence[tuple[int, int]]) -> dict[int, int]:
        """Slots of the results for input slots in the ranges `wanted` of input vectors; missing ones are zero."""
        writer = self.writer
        forwards, moving = self._forwards(seed)
        backwards, changing = self._backwards(moving)
        kept = {s for start, stop in wanted for s in range(start, stop) if changing[s]}
        calls = self._needed([*forwards, *backwards], kept)
        # results of wanted inputs get slots of their own, the others share theirs with the next sweep
        own: dict[int, int] = {}
        for b in vectors:
            first, n = writer.tape.inputs[b]
            room = writer.room(n)
            writer.clear(room, n)
            own |= {self.change + first + i: room + i for i in range(n)}
        writer.calls.append((ONE.name, (self.tangent + seed,), 0))
        calls = [(name, tuple(own.get(s, s) for s in slots), at) for name, slots, at in calls]
        writer.calls += calls
        self._tidy(seed, calls)
        return {slot: own[self.change + slot] for slot in kept}

    def _tidy(self, seed: int, calls: Sequence[Call]) -> None:
        """Append calls that reset the tangents and adjoints to zero."""
        end = self.change + self.writer.tape.slots
        touched = _Marks(end)
        touched.put([self.tangent + seed], [1])
        for call in calls:
            step, outs, _ = self.writer.split(call)
            inside = [(first, n) for first, n in zip(outs, step.outputs, strict=True) if first < end]
            touched.put([first for first, _ in inside], [n for _, n in inside])
        for first, length in touched.runs():
            self.writer.clear(first, length)

    def _forwards(self, seed: int) -> tuple[list[Call], _Marks]:
        """Calls of the forward sweep of tangents, and marks of the slots that depend on the seed."""
        moving = _Marks(self.writer.tape.slots)
        moving.put([seed], [1])
        calls: list[Call] = []
        for call in self.writer.tape.calls:
            step, outs, ins = self.writer.split(call)
            if moving.any(ins, step.inputs):
                slots = (*_shifted(outs, self.tangent), *ins, *_shifted(ins, self.tangent))
                calls.append((along(step).name, slots, call[2]))
                moving.put(outs, step.outputs)
        return calls, moving

    def _backwards(self, moving: _Marks) -> tuple[list[Call], _Marks]:
        """Calls of the backward sweep of the adjoints' tangents, and marks of the slots that have any."""
        changing = _Marks(self.writer.tape.slots)
        calls: list[Call] = []
        for call in reversed(self.writer.tape.calls):
            step, outs, ins = self.writer.split(call)
            curved = moving.any(ins, step.inputs) and self.live.any(outs, step.outputs)
            if curved or changing.any(outs, step.outputs):
                mirrors = (*_shifted(outs, self.mirror), *_shifted(ins, self.tangent), *_shifted(outs, self.change))
                calls.append((back_along(step).name, (*_shifted(ins, self.change), *ins, *mirrors), call[2]))
                changing.put(ins, step.inputs)
        return calls, changing

    def _needed(self, calls: Sequence[Call], results: Iterable[int]) -> list[Call]:
        """The calls on which changes of the adjoints of `results` depend."""
        needed = _Marks(self.writer.top)
        for slot in results:
            needed.put([self.change + slot], [1])
        kept: list[Call] = []
        for call in reversed(calls):
            step, outs, ins = self.writer.split(call)
            if needed.any(outs, step.outputs):
                kept.append(call)
                needed.put(ins, step.inputs)
        return kept[::-1]
