"""Steps and programs: arithmetic written once, run in three ways.

A program is a function ``program(run, ...)`` that asks `run` for inputs and calls steps:

    x = run.input(3)                        a vector of three scalars
    y, z = run.call(STEP, x, other, constants=row)
    run.output(y[0:2], z)                   entries of one output vector
    run.play(tape, steps)                   a recorded program, instead of all this
    pairs = run.pairs(STEP, parents, xs, ys)    STEP(xs[i], ys[j]) for every i on the way from j to the root

Vectors can be indexed, sliced and joined (``a + b``). `run` is one of

- `Plain`: NumPy arrays, one per scalar; the reference, and the way without llvmlite;
- `Inline`: casadi symbols; everything becomes one graph, constants are folded;
- `Recorder`: nothing is computed; the calls become a tape for compiled steps. Pairs become calls on
  several items at once: four at a time in four lanes' code; in one lane's code four items side by side
  in one vector, which is why tapes differ between widths.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.engine.graph import Graph, from_casadi, fused


def sin(x: Any) -> Any:
    """Sine of a float, an array or a symbol."""
    return x.sin() if hasattr(x, "sin") else np.sin(x)


def cos(x: Any) -> Any:
    """Cosine of a float, an array or a symbol."""
    return x.cos() if hasattr(x, "cos") else np.cos(x)


def sign(x: Any) -> Any:
    """Sign of a float, an array or a symbol; zero at zero."""
    return x.sign() if hasattr(x, "sign") else np.sign(x)


class Step(NamedTuple):
    """A small function on lists of scalars.

    function : takes one list per operand (and one of constants, when there are any), gives one list
        per output; only ``+ - * /``, `sin`, `cos`, `sign`
    inputs, outputs : lengths of operands and outputs
    constants : number of constants
    """

    name: str
    function: Callable[..., Sequence[Sequence[Any]]]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    constants: int = 0
    paired: bool = False  # called through `pairs`
    adds: bool = False  # results are added to what is there; only on tapes

    def on_several(self, count: int) -> Step:
        """The step (item, shared) applied to several items with one shared operand."""
        item, shared = self.inputs

        def function(*operands: Any) -> list[Sequence[Any]]:
            return [out for k in range(count) for out in self.function(operands[k], operands[count])]

        inputs = (*[item] * count, shared)
        return Step(f"{self.name}_x{count}", function, inputs, self.outputs * count)

    def graph(self, fuse: bool) -> Graph:
        """The step as a graph; constants are the last input."""
        graph = from_casadi(traced(self))
        return fused(graph) if fuse else graph


@functools.cache
def traced(step: Step) -> Any:
    """The step as a casadi function of column vectors; constants are the last."""
    import casadi as ca

    sizes = [*step.inputs, *([step.constants] if step.constants else [])]
    symbols = [ca.SX.sym(f"x{k}", n) for k, n in enumerate(sizes)]
    results = step.function(*[_scalars(x) for x in symbols])
    columns = ca.cse([ca.densify(ca.vertcat(*result)) for result in results])
    return ca.Function("step", symbols, columns)


def _scalars(x: Any) -> list[Any]:
    import casadi as ca

    return ca.vertsplit(x)


class Plain:
    """Run a program on NumPy arrays: inputs are columns of a batch."""

    def __init__(self, inputs: Sequence[np.ndarray]):
        self._inputs = list(inputs)
        self.outputs: list[list[Any]] = []

    def input(self, n: int) -> list[Any]:
        rows = self._inputs.pop(0)
        return [rows[..., k] for k in range(n)]

    def constant(self, values: Sequence[float]) -> list[Any]:
        return [float(value) for value in values]

    def call(self, step: Step, *operands: Any, constants: Sequence[float] = ()) -> Any:
        arguments = [*operands, *([[float(c) for c in constants]] if step.constants else [])]
        results = [list(result) for result in step.function(*arguments)]
        return results if len(results) > 1 else results[0]

    def pairs(
        self, step: Step, parents: Sequence[int], items: Sequence[Any], shared: Sequence[Any]
    ) -> dict[tuple[int, int], Any]:
        """``step(items[i], shared[j])`` by (i, j), for j and all its ancestors i (parent -1 is the root)."""
        return {(i, j): self.call(step, items[i], shared[j]) for j in range(len(parents)) for i in path(parents, j)}

    def output(self, *entries: Any) -> None:
        self.outputs.append([value for entry in entries for value in entry])

    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        """Run a recorded program."""
        values: list[Any] = [0.0] * tape.slots
        for first, n in tape.inputs:
            values[first : first + n] = self.input(n)
        for slot, value in tape.fixed:
            values[slot] = value
        for name, slots, position in tape.calls:
            step, n_out = steps[name], len(steps[name].outputs)
            operands = [values[at : at + n] for at, n in zip(slots[n_out:], step.inputs, strict=True)]
            results = self.call(step, *operands, constants=tape.constants[position : position + step.constants])
            for at, new in zip(slots, [results] if n_out == 1 else results, strict=False):
                before = values[at : at + len(new)]
                values[at : at + len(new)] = [x + y for x, y in zip(before, new, strict=True)] if step.adds else new
        for out in tape.outputs:
            self.output([values[slot] for slot in out])


def path(parents: Sequence[int], j: int) -> list[int]:
    """j and its ancestors, outermost last."""
    out = []
    while j >= 0:
        out.append(int(j))
        j = parents[j]
    return out


class Inline(Plain):
    """Run a program on casadi symbols; `graph()` is all of it at once."""

    def __init__(self) -> None:
        super().__init__([])
        self._symbols: list[Any] = []

    def input(self, n: int) -> list[Any]:
        import casadi as ca

        self._symbols.append(ca.SX.sym(f"in{len(self._symbols)}", n))
        return _scalars(self._symbols[-1])

    def call(self, step: Step, *operands: Any, constants: Sequence[float] = ()) -> Any:
        import casadi as ca

        vectors = [ca.vertcat(*operand) for operand in operands]
        results = traced(step).call([*vectors, *([ca.SX(list(constants))] if step.constants else [])])
        columns = [_scalars(result) for result in results]
        return columns if len(columns) > 1 else columns[0]

    def graph(self, fuse: bool) -> Graph:
        import casadi as ca

        columns = [ca.densify(ca.vertcat(*[ca.SX(value) for value in vector])) for vector in self.outputs]
        graph = from_casadi(ca.Function("program", self._symbols, ca.cse(columns)))
        return fused(graph) if fuse else graph


class Block:
    """A vector in the workspace of a tape: the slots of its scalars."""

    def __init__(self, slots: range | tuple[int, ...]):
        self.slots = slots

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, key: int | slice) -> Block:
        return Block(self.slots[key] if isinstance(key, slice) else self.slots[key : key + 1 or None])

    def __iter__(self) -> Any:
        return (Block((slot,)) for slot in self.slots)

    def __add__(self, other: Block) -> Block:
        return Block((*self.slots, *other.slots))


class Tape(NamedTuple):
    """A recorded program: calls as (step name, slots of outputs and inputs, position of constants)."""

    calls: tuple[tuple[str, tuple[int, ...], int], ...]
    slots: int
    inputs: tuple[tuple[int, int], ...]  # first slot, length
    outputs: tuple[tuple[int, ...], ...]  # slot of every entry
    fixed: tuple[tuple[int, float], ...]  # slots that hold constants
    constants: tuple[float, ...]


GROUPS = (4, 2, 1)  # items a step takes at once in code of several lanes
ROW = 4  # items side by side in code of one lane


class Recorder:
    """Record a program as a tape for code of a given width."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._top = 0
        self._calls: list[tuple[str, tuple[int, ...], int]] = []
        self._inputs: list[tuple[int, int]] = []
        self._fixed: list[tuple[int, float]] = []
        self._constants: list[float] = []
        self._rows: dict[tuple[float, ...], int] = {}
        self._outputs: list[tuple[int, ...]] = []
        self._whole: Tape | None = None

    def _allocate(self, n: int) -> Block:
        self._top += n
        return Block(range(self._top - n, self._top))

    def input(self, n: int) -> Block:
        block = self._allocate(n)
        self._inputs.append((block.slots[0] if n else 0, n))
        return block

    def constant(self, values: Sequence[float]) -> Block:
        block = self._allocate(len(values))
        self._fixed += [(slot, float(value)) for slot, value in zip(block.slots, values, strict=True)]
        return block

    def call(self, step: Step, *operands: Block, constants: Sequence[float] = ()) -> Any:
        slots: list[int] = []
        outputs = [self._allocate(n) for n in step.outputs]
        for block, n in zip((*outputs, *operands), (*step.outputs, *step.inputs), strict=True):
            slots.append(_first(block, n, step))
        self._calls.append((step.name, tuple(slots), self._row(constants, step)))
        return outputs if len(outputs) > 1 else outputs[0]

    def pairs(
        self, step: Step, parents: Sequence[int], items: Sequence[Block], shared: Sequence[Block]
    ) -> dict[tuple[int, int], Block]:
        """See `Plain.pairs`; steps of pairs have one output."""
        if self._width == 1:
            return self._pairs_in_rows(step, parents, items, shared)
        out: dict[tuple[int, int], Block] = {}
        for j in range(len(parents)):
            left = path(parents, j)
            for count in GROUPS:
                while len(left) >= count:
                    now, left = left[:count], left[count:]
                    results = self.call(step.on_several(count), *(items[i] for i in now), shared[j])
                    out |= {(i, j): r for i, r in zip(now, [results] if count == 1 else results, strict=True)}
        return out

    def _pairs_in_rows(
        self, step: Step, parents: Sequence[int], items: Sequence[Block], shared: Sequence[Block]
    ) -> dict[tuple[int, int], Block]:
        """Items of the current path, by depth, four side by side; one call does a whole path."""
        size, n_out = step.inputs[0], step.outputs[0]
        order = _depth_first(parents)
        deepest = max((depth for _, depth in order), default=0)
        table = self._allocate((deepest // ROW + 1) * size * ROW)
        self._fixed += [(slot, 0.0) for slot in table.slots]
        here: dict[int, int] = {}
        out: dict[tuple[int, int], Block] = {}
        for j, depth in order:
            here[depth] = j
            start = table.slots[0] + depth // ROW * size * ROW + depth % ROW
            self._calls.append((f"put_{size}", (start, _first(items[j], size, step)), 0))
            groups = depth // ROW + 1
            result = self._allocate(groups * n_out * ROW).slots[0]
            operands = (result, table.slots[0], _first(shared[j], step.inputs[1], step), groups)
            self._calls.append((f"{step.name}_row", operands, 0))
            for d in range(depth + 1):
                at = result + d // ROW * n_out * ROW + d % ROW
                out[here[d], j] = Block(tuple(at + m * ROW for m in range(n_out)))
        return out

    def _row(self, constants: Sequence[float], step: Step) -> int:
        row = tuple(float(c) for c in constants)
        if len(row) != step.constants:
            raise ValueError(f"step {step.name}: {len(row)} constants, expected {step.constants}")
        if row and row not in self._rows:
            self._rows[row] = len(self._constants)
            self._constants += row
        return self._rows.get(row, 0)

    def output(self, *entries: Block) -> None:
        self._outputs.append(tuple(slot for block in entries for slot in block.slots))

    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        """Take over a tape that was made elsewhere."""
        self._whole = tape

    def tape(self) -> Tape:
        if self._whole is not None:
            return self._whole
        return Tape(
            tuple(self._calls), self._top, tuple(self._inputs), tuple(self._outputs), tuple(self._fixed),
            tuple(self._constants),
        )  # fmt: skip


def _depth_first(parents: Sequence[int]) -> list[tuple[int, int]]:
    """(node, depth), every subtree in one piece."""
    children: dict[int, list[int]] = {}
    for j, parent in enumerate(parents):
        children.setdefault(int(parent), []).append(j)
    order: list[tuple[int, int]] = []
    stack = [(j, 0) for j in reversed(children.get(-1, []))]
    while stack:
        j, depth = stack.pop()
        order.append((j, depth))
        stack += [(child, depth + 1) for child in reversed(children.get(j, []))]
    return order


def _first(block: Block, n: int, step: Step) -> int:
    """First slot of an operand, which must lie in one piece."""
    slots = list(block.slots)
    if len(slots) != n or slots != list(range(slots[0], slots[0] + n)):
        raise ValueError(f"step {step.name}: operand with slots {slots}, expected {n} in a row")
    return slots[0]
