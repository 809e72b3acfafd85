"""Continuation in duration for arms that vibrate: with a given duration, the motion of least effort is easy to find.

In one program with the duration, a fast mode is the difficulty: a hundred of its periods pass during a motion, so a
step of one percent in the duration turns its phase all the way round, and the solver may only creep. With the duration
held, phases stay, and some twenty iterations do. So the duration is made shorter step by step, each motion starting
from the last, until there is none, or until the cost rises; then by smaller steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.solve.solver import AbstractSolver, Solution, SolverLimits
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.kernels.smoothing import SOFT
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array

STRIDE, SHORTEST = 0.04, 1e-3  # steps of the duration, relative: the first, and the last
LONGER, TRIES = 1.12, 12  # how much longer where the first guess is too short, and how often
ITERATIONS, FEWEST = 100, 40  # of one motion; of the next one twice as many as of the last, and at least so many

Progress = Callable[[Iteration], object]


class Walked(NamedTuple):
    """Result of a continuation: the last program, its solution, and the iterations of all its motions."""

    program: Program
    solution: Solution
    iterations: tuple[Iteration, ...]


class Walk:
    """Motions of least effort of one problem on one mesh, over the duration.

    problem : its duration is free within a range, which is kept, and effort alone is minimised
    until : when it has to end, in seconds of `time.perf_counter`
    cost : of the whole task, of a program and a solution
    """

    def __init__(
        self, problem: Problem, mesh: Mesh, solver: type[AbstractSolver], limits: SolverLimits, until: float,
        cost: Callable[[Program, Array], float], progress: Progress | None,
    ) -> None:  # fmt: skip
        self._problem, self._mesh, self._solver, self._limits, self._until = problem, mesh, solver, limits, until
        self._cost, self._progress = cost, progress
        self._shortest, self._longest = problem.task.duration
        self._log: list[Iteration] = []
        self.seconds = self.evaluation_seconds = 0.0
        self.stopped = False

    def __call__(self, begin: Callable[..., Array], T: float, near: bool = False) -> Walked:
        """Shorten the duration from T on; `near` the shortest one, no shorter ones are tried."""
        program = self._program(np.zeros(0))
        here = self._entered(program, begin(program.curves), T, 1 + SHORTEST if near else LONGER)
        stride = SHORTEST if near else STRIDE
        while here.solved and stride > SHORTEST and not self.stopped and program.curves.T(here.x) > self._shortest:
            shorter = max(program.curves.T(here.x) * (1 - stride), self._shortest)
            there = self._at(program, here.x, shorter, max(FEWEST, 2 * len(here.iterations)))
            if there.solved and self._cost(program, there.x) < self._cost(program, here.x):
                here = self._kept(there)
            else:
                stride /= 3
        return Walked(program, here, tuple(self._log))

    def again(self, before: Walked, more: Array) -> Walked:
        """Solve with more samples for the same duration, or one that is a little longer."""
        program = self._program(more)
        x = before.solution.x
        found = self._entered(program, x, program.curves.T(x), 1 + SHORTEST / 2)
        return Walked(program, found, tuple(self._log))

    def _program(self, more: Array) -> Program:
        """The problem with some more samples, friction rounded off widely: effort only shows the way."""
        return self._problem.program(self._mesh, more, SOFT[0] if self._problem.graduated else 1.0)

    def _entered(self, program: Program, x: Array, T: float, longer: float = LONGER) -> Solution:
        """The first motion that is found at a duration, or at longer ones up to the longest."""
        for k in range(TRIES):
            found = self._at(program, x, float(np.clip(T * longer**k, self._shortest, self._longest)))
            if found.solved or self.stopped or T * longer**k >= self._longest:
                break
        return self._kept(found)

    def _kept(self, found: Solution) -> Solution:
        """Append the iterations of a solution to the log and return it."""
        count = len(self._log)
        self._log += [step._replace(number=count + k) for k, step in enumerate(found.iterations)]
        return found

    def _at(self, program: Program, x: Array, T: float, most: int = ITERATIONS) -> Solution:
        program.low[-1] = program.high[-1] = T
        iterations = min(self._limits.iterations, most, ITERATIONS)
        solver = self._solver(program, self._limits.tolerance, iterations, self._until)
        found = solver(np.append(x[:-1], T), self._progress, None)
        self.seconds += found.seconds
        self.evaluation_seconds += found.evaluation_seconds
        self.stopped = found.outcome is MotionOutcome.INTERRUPTED or time.perf_counter() > self._until
        return found
