"""The contract of solvers: a nonlinear program made ready, solved from several starts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array

Progress = Callable[[Iteration], object]


class SolverLimits(NamedTuple):
    """How exact and how long a search may be: tolerance, iterations of one solve, seconds of the whole."""

    tolerance: float
    iterations: int
    seconds: float | None


class Solution(NamedTuple):
    """What a solver ended with.

    x : (size,)                           variables
    cost : float                          of the program
    rows : (count,)                       of the program
    multipliers, bound_multipliers        of the rows and of the bounds of variables
    outcome : MotionOutcome
    status : str                          the sentence that describes it
    iterations : tuple of Iteration
    seconds, evaluation_seconds : float   of the whole, and within it of the program's functions
    solver : str                          the method that found it
    reason : str                          why that was not the default method alone; empty where it was
    """

    x: Array
    cost: float
    rows: Array
    multipliers: Array
    bound_multipliers: Array
    outcome: MotionOutcome
    status: str
    iterations: tuple[Iteration, ...]
    seconds: float
    evaluation_seconds: float
    solver: str = ""
    reason: str = ""

    @property
    def solved(self) -> bool:
        """Whether the solver converged."""
        return self.outcome.solved


class AbstractSolver(ABC):
    """A solver on one program.

    A subclass gets the program with its derivatives (`Program.f`, `g`, `gradient`, `jacobian`, `hessian` and their
    patterns), tolerances for costs and rows of size one (`Program.typical`, `Program.sizes`), and the time at which it
    has to end. It never raises because a program has no solution: `Solution.outcome` says so. What `progress` raises
    ends it; a KeyboardInterrupt gives the outcome INTERRUPTED, others are raised again.

    Parameters
    ----------
    program : Program
    tolerance : float       largest error of optimality, for costs and rows of size one
    iterations : int        at most
    until : float           when it has to end, in seconds of `time.perf_counter`
    """

    def __init__(self, program: Program, tolerance: float, iterations: int, until: float = np.inf) -> None:
        self.program, self._tolerance, self._iterations, self._until = program, float(tolerance), iterations, until

    @abstractmethod
    def __call__(
        self, x0: Array, progress: Progress | None = None, warm: Solution | None = None, near: bool = False,
        barrier: float | None = None,
    ) -> Solution:  # fmt: skip
        """Solve from a start.

        progress : called after every iteration
        warm : a solution there, with multipliers
        near : the start is near a solution, without multipliers
        barrier : how far from active bounds to begin where `warm` is given; a solver without a barrier ignores it
        """


def carried(program: Program, solution: Solution, larger: Program) -> Solution:
    """A solution for a program with more rows: multipliers of the rows that were there, by name; zero for others."""
    known = dict(zip(_distinct(program.names), solution.multipliers, strict=True))
    multipliers = np.array([known.get(name, 0.0) for name in _distinct(larger.names)])
    curves = larger.curves
    bounds = curves.with_forces(solution.bound_multipliers, np.zeros(len(curves.nodes) * curves.each))
    return solution._replace(multipliers=multipliers, bound_multipliers=bounds)


def numbered_on(log: Sequence[Iteration], steps: Sequence[Iteration]) -> tuple[Iteration, ...]:
    """A log with those of the next run, which begins where the one before ended, or where that began."""
    before = log[:-1] if steps else log
    return (*before, *(step._replace(number=k) for k, step in enumerate(steps, len(before))))


def _distinct(names: Sequence[Any]) -> list[Any]:
    """Names with how often each was there before."""
    seen: dict[Any, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        out.append((name, seen[name]))
    return out
