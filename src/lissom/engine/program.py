"""Steps and programs: arithmetic written once, run on NumPy, as a graph, or as a tape.

A program is a function ``program(run, ...)`` that asks `run` for inputs and calls steps:

    x = run.input(3)                        a vector of three scalars
    y, z = run.call(STEP, x, other, constants=row)
    run.output(y[0:2], z)                   entries of one output vector
    run.play(tape, steps)                   a recorded program, instead of all this
    pairs = run.pairs(STEP, parents, xs, ys)    STEP(xs[i], ys[j]) for every i on the way from j to the root
    y = run.each(STEPS, x, other)           an operation on entries (`sized`)
    y = run.gathered(entries)               one vector from vectors of one entry
    y = run.partly(x, {2: 0.5})             the vector x, of which some entries are known, to be folded
    x = run.carry(new, x)                   the input x of the next time round, where programs are repeated

Vectors can be indexed, sliced and joined (``a + b``). `run` is one of

- `Plain`: NumPy arrays, one per scalar; the reference, and the way without llvmlite;
- `Inline`: casadi symbols; everything becomes one graph, constants are folded;
- `Recorder` (in `record`): nothing is computed; the calls become a tape for compiled steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.engine.graph import Graph, from_casadi, fused
from lissom.engine.symbolics import alone

if TYPE_CHECKING:
    from lissom.engine.record import Tape


class Step(NamedTuple):
    """A small function on lists of scalars.

    function : takes one list per operand (and one of constants, when there are any), gives one list
        per output; only ``+ - * /``, `sin`, `cos`, `sign`, `absolute`
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
    once: bool = False  # it is not worth remembering how it was traced
    passive: int = 0  # last operands that nothing is differentiated by

    def on_several(self, count: int) -> Step:
        """The step (item, shared) applied to several items with one shared operand."""
        item, shared = self.inputs

        def function(*operands: Any) -> list[Sequence[Any]]:
            return [out for k in range(count) for out in self.function(operands[k], operands[count])]

        inputs = (*[item] * count, shared)
        return Step(f"{self.name}_x{count}", function, inputs, self.outputs * count)

    @property
    def given(self) -> Step:
        """The step with its constants as one more operand."""
        return self._replace(name=f"{self.name}_given", inputs=(*self.inputs, self.constants), constants=0, passive=1)

    @alone
    def graph(self, fuse: bool) -> Graph:
        """The step as a graph; constants are the last input."""
        graph = from_casadi(traced.__wrapped__(self) if self.once else traced(self))
        return fused(graph) if fuse else graph


@functools.cache
@alone
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


def sized(name: str, function: Callable[..., Any], sizes: str) -> tuple[Step, ...]:
    """An operation on entries, as steps on eight, four, two and one of them, for `each`.

    sizes : for every operand "n" (as long as the result) or "1" (one entry for all)
    """

    def step(n: int) -> Step:
        def entries(*operands: Any) -> list[list[Any]]:
            rows = [[x[k if word == "n" else 0] for x, word in zip(operands, sizes, strict=True)] for k in range(n)]
            return [[function(*row) for row in rows]]

        return Step(f"{name}_{n}", entries, tuple(n if word == "n" else 1 for word in sizes), (n,))

    return tuple(step(n) for n in (8, 4, 2, 1))


class Entries:
    """Vectors of one entry in the place of one vector, for programs that read it entry by entry."""

    def __init__(self, entries: Sequence[Any]):
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: int | slice) -> Any:
        if not isinstance(key, slice):
            return self._entries[key][0]
        some = self._entries[key]
        return some[0] if len(some) == 1 else [entry[0] for entry in some]


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
        arguments = [*operands, *([list(constants)] if step.constants else [])]
        results = [list(result) for result in step.function(*arguments)]
        return results if len(results) > 1 else results[0]

    def pairs(
        self, step: Step, parents: Sequence[int], items: Sequence[Any], shared: Sequence[Any]
    ) -> dict[tuple[int, int], Any]:
        """``step(items[i], shared[j])`` by (i, j), for j and all its ancestors i (parent -1 is the root)."""
        return {(i, j): self.call(step, items[i], shared[j]) for j in range(len(parents)) for i in path(parents, j)}

    def each(self, steps: Sequence[Step], *operands: Any) -> list[Any]:
        """An operation (see `sized`) on the entries of vectors; an operand with one entry serves all."""
        n = max(len(vector) for vector in operands)
        columns = [vector if len(vector) == n else list(vector) * n for vector in operands]
        return [steps[-1].function(*([x] for x in row))[0][0] for row in zip(*columns, strict=True)]

    def gathered(self, entries: Sequence[Any]) -> Any:
        """Concatenate vectors of one entry into one vector."""
        return [entry[0] for entry in entries]

    def partly(self, vector: Any, known: Mapping[int, float]) -> Any:
        """The vector with known entries replaced by their values."""
        return [known.get(k, entry) for k, entry in enumerate(vector)]

    def carry(self, new: Any, old: Any) -> Any:
        """Declare the next value of the input `old`; on NumPy the caller passes it on."""
        return new

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


class Partly:
    """A run some of whose inputs are constants: {number of the input: values}."""

    def __init__(self, run: Any, fixed: Mapping[int, Sequence[float]]):
        self._run, self._fixed, self._seen = run, fixed, -1

    def input(self, n: int) -> Any:
        self._seen += 1
        return self._run.constant(self._fixed[self._seen]) if self._seen in self._fixed else self._run.input(n)

    def __getattr__(self, word: str) -> Any:
        return getattr(self._run, word)


def path(parents: Sequence[int], j: int) -> list[int]:
    """Node j and its ancestors, outermost last."""
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
        results = traced(step).call([*vectors, *([ca.SX(ca.vertcat(*constants))] if step.constants else [])])
        columns = [_scalars(result) for result in results]
        return columns if len(columns) > 1 else columns[0]

    def slopes(self, count: int, fuse: bool) -> Graph:
        """Derivatives of the first output with respect to each of the first inputs, row by row."""
        import casadi as ca

        result = ca.vertcat(*[ca.SX(value) for value in self.outputs[0]])
        matrices = [ca.jacobian(result, symbol) for symbol in self._symbols[:count]]
        columns = ca.cse([ca.densify(ca.vec(matrix.T)) for matrix in matrices])
        graph = from_casadi(ca.Function("slopes", self._symbols, columns))
        return fused(graph) if fuse else graph

    @alone
    def slopes_at(self, *values: np.ndarray) -> list[np.ndarray]:
        """Derivatives of the first output with respect to every input, at values of them; nothing is compiled."""
        import casadi as ca

        result = ca.vertcat(*[ca.SX(value) for value in self.outputs[0]])
        matrices = [ca.jacobian(result, symbol) for symbol in self._symbols]
        return [np.array(matrix) for matrix in ca.Function("slopes", self._symbols, matrices).call(list(values))]

    def graph(self, fuse: bool) -> Graph:
        import casadi as ca

        columns = [ca.densify(ca.vertcat(*[ca.SX(value) for value in vector])) for vector in self.outputs]
        graph = from_casadi(ca.Function("program", self._symbols, ca.cse(columns)))
        return fused(graph) if fuse else graph
