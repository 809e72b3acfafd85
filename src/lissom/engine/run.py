"""The contract of runs: what a program may ask of what it runs on.

A program is a function ``program(run, ...)``. It asks the run for inputs, calls pure functions of records and steps
through it, and hands it outputs. Between calls it never computes with scalars, so a run need not have any. Runs are

- `program.Plain`      NumPy arrays, one per scalar; the reference, and the way without llvmlite
- `program.Inline`     casadi symbols; everything becomes one graph, constants are folded
- `trace.AsWritten`    nodes of a graph that nothing is folded in
- `record.Recorder`    nothing is computed; the calls become a tape for compiled steps

Vectors can be indexed, sliced and joined (``a + b``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from lissom.engine.recorded import Tape
    from lissom.engine.step import Step

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
Vector = Any  # a list of scalars, or a block of slots
Pairs = dict[tuple[int, int], R]


class AbstractRun(ABC):
    """What a program runs on."""

    @abstractmethod
    def input(self, n: int) -> Vector:
        """The next input, a vector of n entries."""

    @abstractmethod
    def constant(self, value: R) -> R:
        """A record or a vector of numbers as values of the run."""

    @abstractmethod
    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What a pure function of records returns (`specialise`)."""

    @abstractmethod
    def call_pairs(
        self, function: Callable[[A, B], R], parents: Sequence[int], items: Sequence[A], shared: Sequence[B]
    ) -> Pairs[R]:
        """``function(items[i], shared[j])`` by (i, j), for every j and all its ancestors i (parent -1 is the root)."""

    @abstractmethod
    def apply(self, step: Step, *operands: Vector, constants: Sequence[float] | Vector = ()) -> Any:
        """The output vector of a step, or a list of them."""

    @abstractmethod
    def pairs(
        self, step: Step, parents: Sequence[int], items: Sequence[Vector], shared: Sequence[Vector]
    ) -> Pairs[Vector]:
        """``step(items[i], shared[j])`` by (i, j), for every j and all its ancestors i (parent -1 is the root)."""

    @abstractmethod
    def each(self, steps: Sequence[Step], *operands: Vector) -> Vector:
        """An operation on the entries of vectors (`step.sized`); an operand with one entry serves all."""

    @abstractmethod
    def gathered(self, entries: Sequence[Vector]) -> Vector:
        """One vector from vectors of one entry."""

    @abstractmethod
    def partly(self, vector: Vector, known: Mapping[int, float]) -> Vector:
        """The vector, of which some entries are known, to be folded."""

    @abstractmethod
    def carry(self, new: Vector, old: Vector) -> Vector:
        """The input `old` of the next time round, where programs are repeated."""

    @abstractmethod
    def output(self, *entries: Vector) -> None:
        """The next output: the entries of some vectors and records."""

    @abstractmethod
    def play(self, tape: Tape, steps: Mapping[str, Step]) -> None:
        """Run a recorded program, instead of all this."""


def path(parents: Sequence[int], j: int) -> list[int]:
    """Node j and its ancestors, outermost last."""
    out = []
    while j >= 0:
        out.append(int(j))
        j = parents[j]
    return out
