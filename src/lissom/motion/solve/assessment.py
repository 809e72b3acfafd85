"""From the solution of a program to a motion: whether it is one, and why it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.model.units import unit_of
from lissom.motion.checks.friction import weak_against_friction
from lissom.motion.checks.impossible import weak_for_holding
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration, MotionReport, UnactuatedSplines
from lissom.motion.solve.solver import Solution, SolverLimits
from lissom.motion.splines.curves import Curves
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.constraints.constraint import Positions
from lissom.motion.transcription.loops.singularity import crossed
from lissom.motion.transcription.peak import DISTANCE, EXCESS, Peak
from lissom.motion.transcription.problem import SHORTEST, Problem
from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range
from lissom.verbs.dynamics import inverse_dynamics

LOOKS, MOSTLY = 5, 0.95  # points of a segment at which torques are compared; of their change, in the segments halved
FEASIBLE, FALLING, GAINED = 1e-4, 0.9, 1e-4  # violation that is small; factors by which progress lowers it, or the cost
FEW = 5  # iterations that show no trend
MET = 1e-6  # of the size of a row: smaller violations are none


class Verdict(NamedTuple):
    """The outcome of a search, and the sentence that describes it."""

    outcome: MotionOutcome
    status: str


def exceeded(limits: str) -> Verdict:
    """Return the verdict on a motion that exceeds limits between samples."""
    outcome = MotionOutcome.LIMIT_EXCEEDED
    return Verdict(outcome, f"{outcome.sentence}: {limits}; try more segments or starts")


class Assessment:
    """Motions from solutions of one problem.

    limits : tolerance, iterations and seconds of the search, which messages name
    """

    def __init__(self, problem: Problem, limits: SolverLimits) -> None:
        self._problem, self._limits = problem, limits

    def __call__(
        self, mesh: Mesh, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int,
        log: tuple[Iteration, ...], spent: dict[str, float],
    ) -> Motion:  # fmt: skip
        """The motion, with a status that says what it is worth."""
        problem, x = self._problem, solution.x
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0)
        samples = len(program.blocks[0].block.s)
        report = MotionReport(log, float(max(over, 0.0)), peaks, samples, rounds, dict(spent), solver=solution.solver,
                              solver_reason=solution.reason)  # fmt: skip
        T = program.curves.T(x)
        cost = problem.cost(program.curves, x) if problem.rounded else self.pure(solution.cost, T)
        verdict = self._judged(mesh, program, solution, peaks, cost)
        return self._motion(mesh, program.curves, x, cost, verdict, report)

    def _motion(
        self, mesh: Mesh, curves: Curves, x: Array, cost: float, verdict: Verdict, report: MotionReport
    ) -> Motion:
        P, *others = curves.control_points(x)
        basis, unactuated = mesh.actuated, None
        if mesh.unactuated is not None:
            unactuated = UnactuatedSplines(
                mesh.unactuated.breaks, mesh.unactuated.degree, mesh.unactuated.continuity, others[0]
            )
        return Motion(
            self._problem.arm, self._problem.task, curves.T(x), cost, verdict.outcome, verdict.status,
            verdict.outcome.solved, basis.breaks, basis.degree, P, report, basis.continuity, unactuated,
            self._problem.closures(curves, x),
        )  # fmt: skip

    def unsolved(self, mesh: Mesh, curves: Curves, x: Array, spent: dict[str, float]) -> Motion:
        """The motion of variables that no solver has seen, as its functions could not be compiled in time."""
        late = MotionOutcome.OUT_OF_TIME
        status = f"{late.sentence} during compilation; {self._more_seconds}, or call again: compiled code is stored"
        report = MotionReport((), np.nan, (), 0, 0, dict(spent))
        return self._motion(mesh, curves, x, np.nan, Verdict(late, status), report)

    def unchecked(self, motion: Motion) -> Motion:
        """A motion for which time ran out before the residual check."""
        late = MotionOutcome.OUT_OF_TIME
        status = (
            f"{late.sentence} before the residual check: the motion satisfies the task as planned, but how much the "
            f"arm vibrates after it in simulation is not known; {self._more_seconds}, or accept it with "
            "on_failure='return'"
        )
        return motion.with_verdict(outcome=late, ok=False, status=status)

    def uncompared(self, motion: Motion) -> Motion:
        """A motion that is complete, where no time was left for other plans beside it."""
        late = MotionOutcome.OUT_OF_TIME
        return reported(
            motion, f"{motion.status}, not compared with other plans: {late.sentence}; {self._more_seconds}"
        )

    @property
    def _more_seconds(self) -> str:
        seconds = self._limits.seconds
        return "raise `seconds`" if seconds is None else f"raise `seconds` ({seconds:.4g})"

    def _judged(
        self, mesh: Mesh, program: Program, solution: Solution, peaks: tuple[Peak, ...], cost: float
    ) -> Verdict:
        """What the motion is worth."""
        singular = self.crossed(mesh, program, solution)
        if solution.outcome is MotionOutcome.INTERRUPTED:
            return Verdict(solution.outcome, solution.status)
        beyond = [peak.beyond() for peak in peaks if peak.utilisation > 1 + EXCESS]
        if not solution.solved:
            outcome, why = self._why(program, solution, cost, beyond)
            return Verdict(outcome, f"{why}; {singular}" if singular else why)
        if singular:
            return Verdict(MotionOutcome.SINGULAR, singular)
        if beyond:
            return exceeded(", and ".join(beyond))
        curves, x, s = program.curves, solution.x, mesh.looks()
        if self._problem.task.duration is None and curves.T(x) < 1.01 * SHORTEST:
            return Verdict(MotionOutcome.NO_SHORTEST_TIME, MotionOutcome.NO_SHORTEST_TIME.sentence)
        missed = self._problem.targets.missed(lambda s: curves.at(x, s, 1)[0])
        if missed:
            return Verdict(MotionOutcome.TARGET_MISSED, f"{MotionOutcome.TARGET_MISSED.sentence}: {missed}")
        note, small = bending_range.deflection_report(self._problem.arm, s * curves.T(x), curves.at(x, s, 1)[0])
        if not small:
            return Verdict(MotionOutcome.LARGE_DEFLECTION, note)
        return Verdict(solution.outcome, f"{solution.status}; {note}" if note else solution.status)

    def crossed(self, mesh: Mesh, program: Program, solution: Solution) -> str:
        """A singular configuration that closed loops pass, as a sentence; empty where there is none."""
        return self.singular(mesh, lambda s: program.curves.at(solution.x, s, 1)[0], program.curves.T(solution.x))

    def singular(self, mesh: Mesh, at: Positions, T: float) -> str:
        """Return such a sentence about any profiles."""
        closing = self._problem.spec.closing
        where = "" if closing is None else crossed(closing, at, mesh.looks(), T)
        return f"{MotionOutcome.SINGULAR.sentence} {where}" if where else ""

    def pure(self, cost: float, T: float) -> float:
        """The cost without the small torque cost that makes a shortest time well determined."""
        return self._problem.task.minimise["time"] * T if self._problem.small.any() else cost

    # ---- what went wrong ------------------------------------------------------------------------------

    def _why(self, program: Program, solution: Solution, cost: float, beyond: Sequence[str]) -> Verdict:
        """Why a search ended without a solution, what is violated, what to do.

        beyond : limits that are exceeded on a fine grid; where all constraints hold at the samples, these remain
        """
        outcome, status, found = solution.outcome, solution.status, self.violated(program, solution)
        between = "" if found else " and ".join(beyond)
        if between:
            found = f"the constraints hold at all samples, but between samples the {between}"
        if outcome.ran_out:
            doubt = "; the task may have no solution" if between else ""
            return Verdict(outcome, f"{status}: {self._unfinished(solution, found, cost)}{doubt}")
        infeasible = outcome is MotionOutcome.INFEASIBLE
        if not found:
            if infeasible:  # it gave up elsewhere, and was put back to where it had been
                outcome, status = MotionOutcome.STALLED, MotionOutcome.STALLED.sentence
            feasible = f"a feasible motion, not optimal (cost {cost:.4g}); more starts may find a better one"
            return Verdict(outcome, f"{status}: {feasible}")
        weak = weak_for_holding(self._problem.spec) if infeasible else ""
        weak = weak or weak_against_friction(self._problem.spec)
        these = "all constraints" if between else "these constraints together"
        together = f"{status}; the search found no motion that satisfies {these}: {found}"
        return Verdict(outcome, f"{together}; {weak}" if weak else together)

    def _unfinished(self, solution: Solution, found: str, cost: float) -> str:
        late = solution.outcome is MotionOutcome.OUT_OF_TIME
        more = self._more_seconds if late else self._more_iterations(solution)
        if found:
            weak = weak_against_friction(self._problem.spec)
            return f"in the last iterate, {found}; {weak or more}"
        return f"a feasible motion, not yet optimal (cost {cost:.4g}); {more}, or accept it with on_failure='return'"

    def _more_iterations(self, solution: Solution) -> str:
        """What may help where iterations ran out: more of them only where the last ones still gained something."""
        count, asked = len(solution.iterations) - 1, self._limits.iterations
        given = self._problem.task.duration is not None
        other = f"try {'a longer duration' if given else 'a given duration'}, other limits or more starts"
        if count < asked:
            return f"this stage of the search has at most {count} iterations, however large `iterations` is; {other}"
        if not progressed(solution.iterations):
            idle = f"the last {count // 3} iterations gained nothing"
            return f"{idle}, so raising `iterations` ({asked}) may not help; {other}"
        return f"raise `iterations` ({asked})"

    def violated(self, program: Program, solution: Solution) -> str:
        """The rows that are violated most, by how much, and how much is allowed."""
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper)
        worst: dict[str, str] = {}
        for k in np.argsort(-over, kind="stable"):
            if over[k] > MET * program.sizes[k] and len(worst) < 3:
                what, who, _ = program.names[k]
                unit = "m" if what.startswith(DISTANCE) else unit_of(self._problem.arm, what, who)
                allowed = f"{MET * program.sizes[k]:.2g} {unit}".rstrip()
                by = f"{over[k]:.3g} {unit}".rstrip()
                worst.setdefault(f"{what} of {who!r}", f"{by} (allowed: {allowed})")
        return ", ".join(f"{word} is violated by {x}" for word, x in worst.items())


def progressed(steps: Sequence[Iteration]) -> bool:
    """Whether the last third of iterations lowered the violation or, where that is small, the cost."""
    third = len(steps) // 3
    if third < FEW:
        return True
    before, last = steps[-2 * third : -third], steps[-third:]
    violation, less = (min(step.violation for step in part) for part in (before, last))
    if violation > FEASIBLE:
        return less < FALLING * violation
    cost, lower = (min((x.cost for x in part if x.violation <= FEASIBLE), default=np.inf) for part in (before, last))
    return lower < cost - GAINED * abs(cost)


def mesh_of(motion: Motion) -> Mesh:
    """Return the mesh on which the splines of a motion are joined."""
    return Mesh(*(basis for basis, _, _ in motion.splines))


def changing(motion: Motion) -> NDArray[np.bool_]:
    """(segments,) those in which the torques change most: together they have nearly all of the change, each squared and
    by its length. There a finer mesh lowers the cost."""
    breaks, T = motion.basis.breaks, motion.duration
    x = np.linspace(1e-6, 1 - 1e-6, LOOKS)
    s = breaks[:-1, None] + np.diff(breaks)[:, None] * x
    z = motion.at(np.clip(s.ravel() * T, 0.0, T))
    tau = np.asarray(inverse_dynamics(motion.arm, *z)).reshape(*s.shape, -1)
    share = np.diff(breaks) * (np.ptp(tau, axis=1) ** 2).sum(axis=1)
    order = np.argsort(-share, kind="stable")
    enough = int(np.searchsorted(np.cumsum(share[order]), MOSTLY * share.sum())) + 1
    out = np.zeros(len(share), bool)
    out[order[:enough]] = True
    return out


def points_of(motion: Motion) -> list[Array]:
    """Control points of all its splines."""
    return [P for _, _, P in motion.splines]


def stopped_by_user(motion: Motion) -> Motion:
    """The best motion so far, where the user ended the search before it was finished or compared with others."""
    return motion.with_verdict(outcome=MotionOutcome.INTERRUPTED, ok=False, status=MotionOutcome.INTERRUPTED.sentence)


def reported(motion: Motion, status: str | None = None, **changes: Any) -> Motion:
    """Return a motion with another status, and other parts of its report."""
    report = replace(motion.report, **changes)
    return motion.with_verdict(status=motion.status if status is None else status, report=report)
