"""The search for a motion with contacts: solve, begin again where it stalls, look between samples, refine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.phased.costs.criteria import criteria_of
from lissom.motion.phased.margins import Margins
from lissom.motion.phased.problem import PhasedProblem
from lissom.motion.phased.spline import joined_spline, prolonged
from lissom.motion.phased.timing import Timing, depends_on_time
from lissom.motion.result.contact_path import ContactPath
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration, MotionReport, StartRow
from lissom.motion.result.verification.phased.base_residual import RESIDUAL, expected_defects, sample_residual
from lissom.motion.result.verification.phased.force_excess import force_excess
from lissom.motion.result.verification.verify import limit_peaks
from lissom.motion.result.verification.wander import Wander, wander_of
from lissom.motion.solve.guess import Guess
from lissom.motion.solve.ipopt import NAME, Ipopt
from lissom.motion.solve.solver import Solution, SolverLimits, numbered_on
from lissom.motion.task.task import Task
from lissom.motion.transcription.peak import EXCESS, Peak
from lissom.motion.transcription.program import Program
from lissom.progress import stage
from lissom.spatial.rotations import Array

TOLERANCE = 1e-6  # at best: rows are of size one, weights and forces too
RUN, LONG, AGAIN = 150, 300, 3  # iterations of a run, of larger arms, and how often it begins again from its end
LARGE = 20  # coordinates
DEARER = 1.05  # times the cost that margins may lead to
BARRIER = 1e-5  # to begin with from a solution of the same mesh
NOISE = 0.15  # rad, of random starts
EXTRA = 2  # random starts where the first one fails
FINER, ROUNDS = 1.5, 4  # times the segments of a phase in which contacts wander too far; how often at most
CONE, WIDER = 1e-3, 1.3  # of the weight, that forces may leave their cones between samples; margins per excess
WIDEST, HOPELESS = 0.5, 2.0  # parts of a torque limit that a margin may take; excess that none removes
ALLOWED = 1e-3  # m, that contacts may wander between knots
APART = 1e-4  # rad or m, that segments may end from the plan; meshes are refined from half of it
PER_SEGMENT = 10
TIMINGS, NEAR = 4, 1e-2  # runs with durations of the run before; change of them, from which they are given in the last


class PhasedIpopt(Ipopt):
    """IPOPT with an adaptive barrier, and nested dissection (METIS) in its linear solver.

    The variables of a motion with contacts are a long chain. Ten iterations of a walk of 55 coordinates take 2.8 s with
    this ordering, 9.0 s with the default of MUMPS; it falls back to that where it was built without METIS. Second-order
    corrections are off: from six starts a planar walk takes 51 to 85 iterations, 51 to 196 with them.
    """

    def __init__(self, program: Program, tolerance: float, iterations: int, until: float = np.inf) -> None:
        super().__init__(program, tolerance, iterations, until, adaptive=True)
        self._options = self._options | {"mumps_pivot_order": 5, "max_soc": 0}


class Found(NamedTuple):
    """A solution of a problem; `log` has the iterations of all its runs."""

    problem: PhasedProblem
    solution: Solution
    log: tuple[Iteration, ...]

    @property
    def each(self) -> list[int]:
        """Segments of every phase."""
        return [mesh.basis.segments for mesh in self.problem.layout.phases]

    @property
    def segments(self) -> int:
        """Segments of all phases."""
        return sum(self.each)


class PhasedSearch:
    """Solutions of one task with phases."""

    def __init__(
        self, arm: Arm, task: Task, limits: SolverLimits, seed: int,
        progress: Callable[[Iteration], object] | None = None, guess: Guess | None = None, began: float | None = None,
    ) -> None:  # fmt: skip
        clock = time.perf_counter()
        self.arm, self.task, self.limits, self.seed, self.progress, self.guess = (
            arm,
            task,
            limits,
            seed,
            progress,
            guess,
        )
        self.until = np.inf if limits.seconds is None else (clock if began is None else began) + limits.seconds
        self.spent = {"compile": 0.0, "build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self.problem = self._problem([phase.segments for phase in task.phases])

    def _problem(
        self, segments: Sequence[int], margins: Margins | None = None, timing: Timing | None = None
    ) -> PhasedProblem:
        clock = time.perf_counter()
        made = PhasedProblem(self.arm, self.task, segments, self.guess, margins, timing)
        self.spent["build"] += time.perf_counter() - clock
        return made

    def __call__(self, starts: int | None) -> Motion:
        """Return the best motion of some starts."""
        best, rows = None, list[StartRow]()
        for k in range(max(starts or 1, 1 + EXTRA)):
            stage(f"start {k + 1}" if k else "solving")
            found = self._timed(self.solved(self.problem, self._begin(k)))
            motion = self._refined(found)
            rows.append(_row(k, motion))
            if best is None or (motion.ok, -motion.cost) > (best.ok, -best.cost):
                best = motion
            if motion.outcome.stopped or (k + 1 >= (starts or 1) and best.ok):
                break
        assert best is not None
        if len(rows) == 1:
            return best
        for row in rows:
            row["same"] = bool(abs(row["cost"] - best.cost) <= 1e-3 * abs(best.cost))
        return best.with_verdict(report=replace(best.report, starts=tuple(rows)))

    def _begin(self, k: int) -> Array:
        """Variables of start k: the guess, then random ones around it."""
        return self.problem.guess.variables(self.problem.holding, NOISE * bool(k), self.seed + k)

    # ---- one start ----------------------------------------------------------------------------------

    def solved(self, problem: PhasedProblem, x: Array, near: bool = False, warm: Solution | None = None) -> Found:
        """Solve from variables; where a run stalls or is long, begin again where it ended, with a new barrier.

        near : the variables are near a solution; warm : they are this one, of a program with the same rows
        """
        log: tuple[Iteration, ...] = ()
        tolerance = max(self.limits.tolerance, TOLERANCE)
        left = self.limits.iterations
        for k in range(1 + AGAIN):
            run = left if k == AGAIN else min(RUN if self.arm.dof <= LARGE else LONG, left)
            solver = PhasedIpopt(problem.program, tolerance, max(run, 1), self.until)
            solution = solver(x, self.progress, warm if k == 0 else None, near or k > 0, BARRIER)
            log = numbered_on(log, solution.iterations)
            self.spent["solve"] += solution.seconds
            self.spent["evaluate"] += solution.evaluation_seconds
            left -= len(solution.iterations) - 1
            if solution.solved or solution.outcome.stopped or left <= 0:
                break
            x = solution.x
        return Found(problem, solution, log)

    def _timed(self, found: Found) -> Found:
        """Solve again with what changes in time at the durations that were found, until these are the same.

        Loads that change, transfers and swings are written with durations that are expected. Where those of phases are
        free the last run has them given, so that its rows are those of the motion that is returned.
        """
        for k in range(TIMINGS):
            durations, before = found.problem.durations(found.solution.x), found.problem.timing
            if not found.solution.solved or not depends_on_time(self.task) or before.agrees(durations):
                break
            stage("adjusting durations")
            fixed = k == TIMINGS - 1 or before.change(durations) < NEAR
            found = self._again(found, found.each, found.problem.margins, Timing(durations, fixed))
        return found

    def _refined(self, found: Found) -> Motion:
        """The motion of a solution: on finer meshes while contacts wander between knots by more than is allowed, with
        margins while forces leave their cones between samples."""
        motion, wander = self.motion(found)
        history = [(found.segments, motion.cost)]
        for _ in range(ROUNDS):
            if not found.solution.solved:
                break
            finer, margins = self._next_mesh(found, motion, wander)
            if finer is None:
                break
            stage("refining the mesh" if finer != found.each else "keeping limits between samples")
            better = self._again(found, finer, margins, found.problem.timing)
            same = finer == found.each
            if not better.solution.solved or (same and better.solution.cost > DEARER * found.solution.cost):
                break  # margins that cost much lead to another optimum: what is exceeded stays, and `verify` says it
            found = better
            motion, wander = self.motion(found)
            history.append((found.segments, motion.cost))
        refinements = tuple(history) if len(history) > 1 else ()
        return motion.with_verdict(report=replace(motion.report, refinements=refinements))

    def _next_mesh(self, found: Found, motion: Motion, wander: Wander) -> tuple[list[int] | None, Margins]:
        """Segments and margins for a better motion; None where it is good enough."""
        margins = found.problem.margins
        some = (wander.phases > ALLOWED) | (self._defects(motion) > APART / 2)
        if some.any():
            return [int(np.ceil(FINER * K)) if more else K for K, more in zip(found.each, some, strict=True)], margins
        excess, torque = force_excess(motion).largest, self._torque_excess(motion)
        if excess.max(initial=0.0) <= CONE and not torque.any():
            return None, margins
        # small excess at ends of phases is left: where loads pass to others there is no room for a margin
        force = margins.force + np.where(excess > [CONE, CONE / 2, CONE], WIDER * excess, 0.0)
        return found.each, Margins(force, np.minimum(margins.torque + WIDER * torque, WIDEST))

    @staticmethod
    def _defects(motion: Motion) -> Array:
        """(phases,) how far segments of every phase are expected to end from the plan [rad or m]."""
        path, middle = motion.contact_path, (motion.breaks[1:] + motion.breaks[:-1]) / 2
        assert path is not None
        phase, apart = path.phase_at(middle), expected_defects(motion)
        return np.array([apart[phase == p].max(initial=0.0) for p in range(len(path.phases))])

    def _torque_excess(self, motion: Motion) -> Array:
        """(n,) by what part of its limit a torque exceeds it between samples; only of the one that does most."""
        out = np.zeros(self.arm.dof)
        for peak in motion.report.peaks:
            if peak.quantity == "torque" and peak.utilisation > 1 + EXCESS:
                out[self.arm.coordinates.index(peak.joint)] = peak.utilisation - 1
        return out

    def _again(self, found: Found, segments: list[int], margins: Margins, timing: Timing) -> Found:
        """Solve on another mesh, with other margins or another timing, from a solution."""
        problem = self._problem(segments, margins, timing)
        x = prolonged(found.problem.layout, found.solution.x, problem.layout)
        same = segments == found.each
        finer = self.solved(problem, x, near=True, warm=found.solution if same else None)
        return finer._replace(log=numbered_on(found.log, finer.log))

    # ---- motions ------------------------------------------------------------------------------------

    def motion(self, found: Found) -> tuple[Motion, Wander]:
        """Return the motion of a solution, and how far its contacts wander."""
        problem, solution = found.problem, found.solution
        layout, x = problem.layout, solution.x
        breaks, P = joined_spline(layout, x)
        violation, samples = problem.program.unscaled_violation(x), sum(len(mesh.s) for mesh in layout.phases)
        report = MotionReport(found.log, violation, (), samples, 1, dict(self.spent), solver=NAME,
                              criteria=criteria_of(problem, x))  # fmt: skip
        motion = Motion(
            self.arm, self.task, float(x[layout.durations].sum()), solution.cost, solution.outcome, solution.status,
            solution.solved, breaks, 3, P, report, 1, contact_path=path_of(problem, x),
        )  # fmt: skip
        wander = wander_of(motion)
        return self._judged(motion, found, wander), wander

    def _judged(self, motion: Motion, found: Found, wander: Wander) -> Motion:
        solution = found.solution
        peaks = limit_peaks(motion, PER_SEGMENT)
        motion = motion.with_verdict(report=replace(motion.report, peaks=peaks))
        if not solution.solved:
            worst = self._violated(found)
            word = "seconds" if solution.outcome is MotionOutcome.OUT_OF_TIME else "iterations"
            more = f"; raise `{word}`, or give another guess" if solution.outcome.ran_out else ""
            return motion.with_verdict(status=f"{solution.status}: {worst}{more}")
        beyond = [peak.beyond() for peak in peaks if peak.utilisation > 1 + EXCESS]
        if wander.largest > ALLOWED:
            beyond.append(wander.beyond())
        beyond += self._inaccurate(motion)
        if not beyond:
            return motion
        outcome = MotionOutcome.LIMIT_EXCEEDED
        status = f"{outcome.sentence}: {', and '.join(beyond)}; {_advice(peaks)}"
        return motion.with_verdict(outcome=outcome, ok=False, status=status)

    def _inaccurate(self, motion: Motion) -> list[str]:
        """Describe what `verify` would find wrong with forces and equations of motion."""
        assert motion.contact_path is not None
        out, excess = [], force_excess(motion, PER_SEGMENT)
        if excess.largest.max(initial=0.0) > CONE:
            out.append(excess.beyond(motion.contact_path.contacts))
        residual, apart = sample_residual(motion), float(self._defects(motion).max())
        if residual > RESIDUAL:
            out.append(f"coordinates without a motor need {residual:.2g} N or N m at the samples")
        if apart > APART:
            out.append(f"a segment ends {apart:.2g} rad or m from the plan, because nothing balances the base")
        return out

    @staticmethod
    def _violated(found: Found) -> str:
        """Describe the row that is violated most."""
        program, g = found.problem.program, found.solution.rows
        over = np.maximum(program.lower - g, g - program.upper)
        k = int(np.argmax(over))
        if over[k] <= TOLERANCE:
            return "a feasible motion, not optimal"
        what, who, at = program.names[k]
        phases = found.problem.task.phases
        where = "" if np.isnan(at) else f" in phase {phases[min(int(at), len(phases) - 1)].name!r}"
        who = f"of the {who}" if np.isnan(at) else repr(who)
        return f"in the last iterate, {what} {who}{where} is violated by {over[k]:.2g} of its size"


def _advice(peaks: Sequence[Peak]) -> str:
    """Return what may bring a motion within its limits."""
    worst = max(peaks, key=lambda peak: peak.utilisation, default=None)
    if worst is None or worst.quantity != "torque" or worst.utilisation < HOPELESS:
        return "try more segments of phases"
    return (
        f"try more segments of phases; if {worst.joint!r} has no motor, as joints of a floating base, use "
        f"arm.with_joint({worst.joint!r}, actuated=False)"
    )


def path_of(problem: PhasedProblem, x: Array) -> ContactPath:
    """Return the contact forces of a solution."""
    layout = problem.layout
    T = x[layout.durations]
    begin = np.cumsum([0.0, *T])
    s = np.concatenate([(begin[p] + mesh.s * T[p]) / begin[-1] for p, mesh in enumerate(layout.phases)])
    active = np.zeros((len(layout.phases), len(layout.names)))
    for p, mesh in enumerate(layout.phases):
        active[p, list(mesh.contacts)] = 1.0
    ends = begin / begin[-1]
    names = tuple(mesh.name for mesh in layout.phases)
    return ContactPath(tuple(layout.names), names, ends, active, s, np.concatenate(problem.forces(x)))


def _row(k: int, motion: Motion) -> StartRow:
    """What a start found."""
    return {
        "start": k, "outcome": motion.outcome.value, "status": motion.status, "cost": motion.cost,
        "duration": motion.duration, "iterations": len(motion.report.iterations), "same": False,
    }  # fmt: skip
