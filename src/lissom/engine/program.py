"""Steps and programs: arithmetic written once, run in three ways.

A program is a function ``program(run, ...)`` that asks `run` for inputs and calls steps:

    x = run.input(3)                        a vector of three scalars
    y, z = run.call(STEP, x, other, constants=row)
    run.output(y[0:2], z)                   entries of one output vector

Vectors can be indexed, sliced and joined (``a + b``). `run` is one of

- `Plain`: NumPy arrays, one per scalar; the reference, and the way without llvmlite;
- `Inline`: casadi symbols; everything becomes one graph, constants are folded;
- `Recorder`: nothing is computed; the calls become a tape for compiled steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    def graph(self, fuse: bool) -> Graph:
        """The step as a graph; constants are the last input."""
        import casadi as ca

        sizes = [*self.inputs, *([self.constants] if self.constants else [])]
        symbols = [ca.SX.sym(f"x{k}", n) for k, n in enumerate(sizes)]
        results = self.function(*[_scalars(x) for x in symbols])
        columns = ca.cse([ca.densify(ca.vertcat(*result)) for result in results])
        graph = from_casadi(ca.Function("step", symbols, columns))
        return fused(graph) if fuse else graph


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

    def output(self, *entries: Any) -> None:
        self.outputs.append([value for entry in entries for value in entry])


class Inline(Plain):
    """Run a program on casadi symbols; `graph()` is all of it at once."""

    def __init__(self) -> None:
        super().__init__([])
        self._symbols: list[Any] = []

    def input(self, n: int) -> list[Any]:
        import casadi as ca

        self._symbols.append(ca.SX.sym(f"in{len(self._symbols)}", n))
        return _scalars(self._symbols[-1])

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


class Recorder:
    """Record a program as a tape."""

    def __init__(self) -> None:
        self._top = 0
        self._calls: list[tuple[str, tuple[int, ...], int]] = []
        self._inputs: list[tuple[int, int]] = []
        self._fixed: list[tuple[int, float]] = []
        self._constants: list[float] = []
        self._rows: dict[tuple[float, ...], int] = {}
        self._outputs: list[tuple[int, ...]] = []

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

    def tape(self) -> Tape:
        return Tape(
            tuple(self._calls), self._top, tuple(self._inputs), tuple(self._outputs), tuple(self._fixed),
            tuple(self._constants),
        )  # fmt: skip


def _first(block: Block, n: int, step: Step) -> int:
    """First slot of an operand, which must lie in one piece."""
    slots = list(block.slots)
    if len(slots) != n or slots != list(range(slots[0], slots[0] + n)):
        raise ValueError(f"step {step.name}: operand with slots {slots}, expected {n} in a row")
    return slots[0]
