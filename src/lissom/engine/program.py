"""Runs on scalars: NumPy arrays, casadi symbols (see `run` for what runs are)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, final

import numpy as np

from lissom.engine.graph import Graph, from_casadi, fused
from lissom.engine.run import AbstractRun, Pairs, path
from lissom.engine.specialise import specialised, unbound, whole_values
from lissom.engine.step import Step, scalars, traced
from lissom.engine.symbolics import alone
from lissom.records import FIELDS, Entries as EntryList, filled, flat, of_values

if TYPE_CHECKING:
    from lissom.engine.recorded import Tape

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")


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


class OnScalars(AbstractRun):
    """A run that computes with scalars as they are; vectors are lists of them."""

    def __init__(self) -> None:
        self.outputs: list[list[Any]] = []

    @abstractmethod
    def input(self, n: int) -> list[Any]:
        """The next input."""

    def constant(self, value: R) -> R:
        if type(value) in FIELDS:
            return value
        return cast(R, [float(x) for x in cast(Sequence[float], value)])

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    def call_pairs(
        self, function: Callable[[A, B], R], parents: Sequence[int], items: Sequence[A], shared: Sequence[B]
    ) -> Pairs[R]:
        count = range(len(parents))
        return {(i, j): self.call(function, items[i], shared[j]) for j in count for i in path(parents, j)}

    def apply(self, step: Step, *operands: Any, constants: Sequence[Any] = ()) -> Any:
        arguments = [*operands, *([list(constants)] if step.constants else [])]
        results = [list(result) for result in step.function(*arguments)]
        return results if len(results) > 1 else results[0]

    def pairs(self, step: Step, parents: Sequence[int], items: Sequence[Any], shared: Sequence[Any]) -> Pairs[Any]:
        return {(i, j): self.apply(step, items[i], shared[j]) for j in range(len(parents)) for i in path(parents, j)}

    def each(self, steps: Sequence[Step], *operands: Any) -> list[Any]:
        n = max(len(vector) for vector in operands)
        columns = [vector if len(vector) == n else list(vector) * n for vector in operands]
        return [steps[-1].function(*([x] for x in row))[0][0] for row in zip(*columns, strict=True)]

    def gathered(self, entries: Sequence[Any]) -> Any:
        return [entry[0] for entry in entries]

    def partly(self, vector: Any, known: Mapping[int, float]) -> Any:
        return [known.get(k, entry) for k, entry in enumerate(vector)]

    def carry(self, new: Any, old: Any) -> Any:
        return new

    def output(self, *entries: Any) -> None:
        self.outputs.append([x for entry in entries for x in (flat(entry).entries if type(entry) in FIELDS else entry)])

    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        values: list[Any] = [0.0] * tape.slots
        for first, n in tape.inputs:
            values[first : first + n] = self.input(n)
        for slot, value in tape.fixed:
            values[slot] = value
        for name, slots, position in tape.calls:
            step, n_out = steps[name], len(steps[name].outputs)
            operands = [values[at : at + n] for at, n in zip(slots[n_out:], step.inputs, strict=True)]
            results = self.apply(step, *operands, constants=tape.constants[position : position + step.constants])
            for at, new in zip(slots, [results] if n_out == 1 else results, strict=False):
                before = values[at : at + len(new)]
                values[at : at + len(new)] = [x + y for x, y in zip(before, new, strict=True)] if step.adds else new
        for out in tape.outputs:
            self.output([values[slot] for slot in out])


@final
class Plain(OnScalars):
    """Run a program on NumPy arrays: inputs are columns of a batch."""

    def __init__(self, inputs: Sequence[np.ndarray]):
        super().__init__()
        self._inputs = list(inputs)

    def input(self, n: int) -> list[Any]:
        rows = self._inputs.pop(0)
        return [rows[..., k] for k in range(n)]


class Partly(AbstractRun):
    """A run some of whose inputs are constants: {number of the input: values}."""

    def __init__(self, run: AbstractRun, fixed: Mapping[int, Sequence[float]]):
        self._run, self._fixed, self._seen = run, fixed, -1

    def input(self, n: int) -> Any:
        self._seen += 1
        return self._run.constant(self._fixed[self._seen]) if self._seen in self._fixed else self._run.input(n)

    def constant(self, value: R) -> R:
        return self._run.constant(value)

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return self._run.call(function, *args, **kwargs)

    def call_pairs(
        self, function: Callable[[A, B], R], parents: Sequence[int], items: Sequence[A], shared: Sequence[B]
    ) -> Pairs[R]:
        return self._run.call_pairs(function, parents, items, shared)

    def apply(self, step: Step, *operands: Any, constants: Sequence[Any] = ()) -> Any:
        return self._run.apply(step, *operands, constants=constants)

    def pairs(self, step: Step, parents: Sequence[int], items: Sequence[Any], shared: Sequence[Any]) -> Pairs[Any]:
        return self._run.pairs(step, parents, items, shared)

    def each(self, steps: Sequence[Step], *operands: Any) -> Any:
        return self._run.each(steps, *operands)

    def gathered(self, entries: Sequence[Any]) -> Any:
        return self._run.gathered(entries)

    def partly(self, vector: Any, known: Mapping[int, float]) -> Any:
        return self._run.partly(vector, known)

    def carry(self, new: Any, old: Any) -> Any:
        return self._run.carry(new, old)

    def output(self, *entries: Any) -> None:
        self._run.output(*entries)

    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        self._run.play(tape, steps)


class Inline(OnScalars):
    """Run a program on casadi symbols; `graph()` is all of it at once."""

    def __init__(self) -> None:
        super().__init__()
        self._symbols: list[Any] = []

    def input(self, n: int) -> list[Any]:
        import casadi as ca

        self._symbols.append(ca.SX.sym(f"in{len(self._symbols)}", n))
        return scalars(self._symbols[-1])

    def constant(self, value: R) -> R:
        import casadi as ca

        if type(value) not in FIELDS:
            return cast(R, [ca.SX(float(x)) for x in cast(Sequence[float], value)])
        form = flat(value)
        made: R = filled(form.structure, [ca.SX(x) for x in form.entries], of_values(form.structure))
        return made

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        plain, values = unbound(function, args)
        if getattr(plain, "once", False):
            return function(*args, **kwargs)
        forms = [flat(value) for value in values]
        arguments = tuple([whole_values(form) for form in forms])
        special = specialised(plain, arguments)
        operands, numbers = special.operands(forms, arguments)
        columns = [] if special.step is None else self._columns(special.step, operands, numbers)
        return cast(R, special.returned(operands, columns))

    def apply(self, step: Step, *operands: Any, constants: Sequence[Any] = ()) -> Any:
        columns = self._columns(step, operands, constants)
        return columns if len(columns) > 1 else columns[0]

    @staticmethod
    def _columns(step: Step, operands: Sequence[EntryList], constants: Sequence[Any]) -> list[list[Any]]:
        import casadi as ca

        vectors = [ca.vertcat(*operand) for operand in operands]
        results = traced(step).call([*vectors, *([ca.SX(ca.vertcat(*constants))] if step.constants else [])])
        return [scalars(result) for result in results]

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

    def function(
        self, name: str, inputs: Sequence[str], outputs: Sequence[str], shapes: Sequence[tuple[int, int]]
    ) -> Any:
        """All of it as a casadi function with names; outputs become matrices of these shapes."""
        import casadi as ca

        columns = [ca.densify(ca.vertcat(*[ca.SX(value) for value in vector])) for vector in self.outputs]
        matrices = [ca.reshape(column, *shape[::-1]).T for column, shape in zip(ca.cse(columns), shapes, strict=True)]
        return ca.Function(name, self._symbols, matrices, list(inputs), list(outputs))

    def graph(self, fuse: bool) -> Graph:
        import casadi as ca

        columns = [ca.densify(ca.vertcat(*[ca.SX(value) for value in vector])) for vector in self.outputs]
        graph = from_casadi(ca.Function("program", self._symbols, ca.cse(columns)))
        return fused(graph) if fuse else graph
