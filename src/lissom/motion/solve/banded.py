"""The library's own solver: interior points on banded systems, with IPOPT behind it.

It supports arms whose joints all have motors, without loops: programs with few equality rows, such as via points, or
none. IPOPT solves all others, and those at which the method gets stuck, as it has no restoration phase. Where jumps are
rounded off in a program (Coulomb friction, |power|), and for arms of very many joints, there are many optima, and which
one is found depends on the path: there the method goes on only as long as the Lagrangian is convex, and otherwise IPOPT
solves the program from the same start. `Solution.reason` says why IPOPT had a program.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.solve.blas import one_thread
from lissom.motion.solve.interior.barrier import PUSH, Point, SlackForm
from lissom.motion.solve.interior.condensed import Condensed
from lissom.motion.solve.interior.method import MU, Ended, InteriorPoint
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.solve.solver import AbstractSolver, Progress, Solution, numbered_on
from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array

NAME = "banded interior point"
MOST = 200  # iterations after which IPOPT has the program
MOST_EQUAL = 200  # equality rows: each takes one more solution with the factors in every step
MANY = 36  # joints: with more, only convex paths. A tree of 34 takes a third of IPOPT's time, one of 44 the double
NEAR_MU, WARM_MU, WARM_PUSH = 1e-3, 1e-5, 1e-7  # barriers near a solution and at one; how far starts keep from bounds
# Per barrier, how far warm starts with a free duration keep from bounds, with multipliers that fit the gaps: otherwise
# bounds that were not active block their steps. Rounds of the exchange then take 5 to 15 iterations instead of 17 to 54
# (PUMA 560, Panda). With given durations it does not help: a tree of 34 takes twice the iterations.
AWAY = 10.0
NEARLY = 1e-3  # error of a point from which IPOPT goes on; otherwise it has the same start
OUTCOMES = {
    Ended.SOLVED: MotionOutcome.SOLVED,
    Ended.OUT_OF_ITERATIONS: MotionOutcome.OUT_OF_ITERATIONS,
    Ended.STOPPED: MotionOutcome.OUT_OF_TIME,
}


class Banded(AbstractSolver):
    """Interior points on condensed, banded systems where they support the program, else IPOPT."""

    def __init__(self, program: Program, tolerance: float, iterations: int, until: float = np.inf) -> None:
        super().__init__(program, tolerance, iterations, until)
        self._form = self._system = None
        self._reason = unsupported(program)
        if not self._reason:
            self._form = SlackForm(program)
            self._system = Condensed(program, self._form.moving)
        self._ipopt: Ipopt | None = None

    def __call__(
        self, x0: Array, progress: Progress | None = None, warm: Solution | None = None, near: bool = False,
        barrier: float | None = None,
    ) -> Solution:  # fmt: skip
        """Solve from a start; see `AbstractSolver`."""
        if self._form is None or self._system is None:
            return self._by_ipopt(x0, progress, warm, near, barrier)._replace(reason=self._reason)
        run = _Run(self._form, self._system, self._tolerance, self._until, progress)
        found = run(x0, warm, near, barrier, min(self._iterations, MOST))
        if found.outcome.solved or found.outcome.stopped or len(found.iterations) > self._iterations:
            return found
        if allows_nonconvex(self.program) and run.error < NEARLY:
            x0, warm, near, barrier = found.x, found, True, None
        after = self._by_ipopt(x0, progress, warm, near, barrier, len(found.iterations) - 1)
        return after._replace(
            iterations=numbered_on(found.iterations, after.iterations), seconds=found.seconds + after.seconds,
            evaluation_seconds=found.evaluation_seconds + after.evaluation_seconds,
            solver=f"{found.solver}, then {after.solver}", reason=self._stopped(run.ended),
        )  # fmt: skip

    def _stopped(self, ended: Ended) -> str:
        """Why a run ended without a solution."""
        if ended is Ended.OUT_OF_ITERATIONS:
            return f"the {NAME} method did not end in {MOST} iterations"
        if ended is Ended.STUCK:
            return f"the {NAME} method found no step that lowers cost or violation"
        n = self.program.curves.n
        why = f"{n} joints" if n > MANY else "Coulomb friction or |power|"
        return f"with {why} the {NAME} method goes on only while the Lagrangian is convex, and it is not"

    def _by_ipopt(
        self, x0: Array, progress: Progress | None, warm: Solution | None, near: bool, barrier: float | None,
        spent: int = 0,
    ) -> Solution:  # fmt: skip
        """What IPOPT finds in the iterations that are left."""
        if self._ipopt is None or spent:
            self._ipopt = Ipopt(self.program, self._tolerance, max(self._iterations - spent, 1), self._until)
        return self._ipopt(x0, progress, warm, near, barrier)


def supports(program: Program) -> bool:
    """Whether the method supports a program."""
    return not unsupported(program)


def unsupported(program: Program) -> str:
    """Why the method does not support a program; empty where it does."""
    count, curves = int((program.lower == program.upper).sum()), program.curves
    if not (program.low < program.high).any():
        return "no variable can move"
    if count and curves.each:
        return f"the forces in closed loops are variables at every sample, and the closures {count} equality rows"
    if count and not curves.shared:
        return f"the equations of motion of unactuated coordinates are {count} equality rows on a finer mesh"
    if count > MOST_EQUAL:
        return f"the program has {count} equality rows, and the {NAME} method supports {MOST_EQUAL}"
    return ""


def allows_nonconvex(program: Program) -> bool:
    """Whether the method may go on where the Lagrangian is not convex."""
    return program.smooth and program.curves.n <= MANY


class _Run:
    """One start: its log, its clock, what the user makes of it."""

    def __init__(
        self, form: SlackForm, system: Condensed, tolerance: float, until: float, progress: Progress | None
    ) -> None:
        self._form, self._tolerance, self._until, self._progress = form, tolerance, until, progress
        self._method = InteriorPoint(form, system, tolerance, self._after, allows_nonconvex(form.program))
        self._log: list[Iteration] = []
        self.error, self.ended = np.inf, Ended.STUCK

    def __call__(
        self, x0: Array, warm: Solution | None, near: bool, barrier: float | None, iterations: int
    ) -> Solution:
        clock = time.perf_counter()
        self._form.spent = 0.0
        point, mu, multipliers = self._begin(x0, warm, near, barrier)
        try:
            with one_thread:
                self.ended = self._method.run(point, mu, iterations, *multipliers)
            outcome = OUTCOMES.get(self.ended, MotionOutcome.STALLED)
        except KeyboardInterrupt:
            outcome = MotionOutcome.INTERRUPTED
        return self._solution(outcome, time.perf_counter() - clock)

    def _begin(self, x0: Array, warm: Solution | None, near: bool, barrier: float | None) -> tuple[Point, float, Any]:
        """Point, barrier and multipliers to begin with."""
        form = self._form
        if warm is None:
            return form.begin(x0, PUSH), NEAR_MU if near else MU, ()
        mu = WARM_MU if barrier is None else min(max(barrier, self._tolerance), WARM_MU)
        y = warm.multipliers * form.cost / form.row
        centred = barrier is not None and form.program.curves.duration is None
        point = form.begin(x0, max(WARM_PUSH, AWAY * mu) if centred else WARM_PUSH)
        z = form.bounds.multipliers(np.append(warm.bound_multipliers * form.cost, y))
        return point, mu, (y, np.maximum(z, mu / point.gaps if centred else WARM_PUSH))

    def _after(self, point: Point, error: float) -> bool:
        program, rows = self._form.program, point.g / self._form.row
        over = np.maximum(np.maximum(program.lower - rows, rows - program.upper), 0.0).max(initial=0.0)
        self.error = error
        step = Iteration(len(self._log), point.f / self._form.cost, float(over), error, program.curves.T(point.x))
        self._log.append(step)
        if self._progress is not None:
            self._progress(step)
        return time.perf_counter() > self._until

    def _solution(self, outcome: MotionOutcome, seconds: float) -> Solution:
        method, form = self._method, self._form
        point = method.point
        bound = form.bounds.forces(method.z)[: form.size]
        return Solution(
            point.x, point.f / form.cost, point.g / form.row, method.y * form.row / form.cost, bound / form.cost,
            outcome, outcome.sentence, tuple(self._log), seconds, form.spent, NAME,
        )  # fmt: skip
