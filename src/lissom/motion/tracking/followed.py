"""What a search found as a motion, and what it is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lissom.model.units import units
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import TRACKING, Iteration, MotionReport, UnactuatedSplines
from lissom.motion.result.verification.verify import limit_peaks
from lissom.motion.task.task import Task
from lissom.motion.task.tracked_path import TrackedPath
from lissom.motion.tracking.corners import Corner, listed, sharpest
from lissom.motion.tracking.path import GivenPath
from lissom.motion.tracking.program import TrackingProgram
from lissom.motion.tracking.window import Window
from lissom.motion.transcription.peak import EXCESS, Peak
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range

SAMPLES = 1001  # of the path, that a motion keeps
LOOKS = 20  # points of a segment at which limits and the path are looked at
ACTING = 0.95  # utilisation from which a limit acts: of what is kept free at samples, something may be left
WORTH = 0.7  # of a distance from the path: finer splines that bring less are not worth their time
CHECKED = ("jerk", "power")  # limits that the search does not know
STILL = 1e-10  # rad or m: joints that move less rest
LOST = 0.05  # of the extent of the path: a motion that is farther off does not follow it


class Found(NamedTuple):
    """Where a search ended: variables, its log, whether it converged."""

    program: TrackingProgram
    x: Array
    log: tuple[Iteration, ...]
    converged: bool


class Verdict(NamedTuple):
    """What a motion is worth."""

    outcome: MotionOutcome
    status: str


def motion_of(
    found: Found, task: Task, path: GivenPath, window: Window, corners: tuple[Corner, ...], tolerance: float
) -> Motion:  # fmt: skip
    """Return the motion with its verdict."""
    motion = _tracked(_planned(found, task), found.program, path, window)
    report = replace(motion.report, peaks=limit_peaks(motion, LOOKS))
    motion = motion.with_verdict(report=report)
    verdict = _judged(motion, found, corners, tolerance)
    return motion.with_verdict(outcome=verdict.outcome, status=verdict.status, ok=verdict.outcome.solved)


def too_coarse(motion: Motion) -> bool:
    """Whether finer splines may bring the frame closer: it is off, and no limit or model is why."""
    unfinished = motion.outcome in (MotionOutcome.ACCEPTABLE, MotionOutcome.TARGET_MISSED)
    return (unfinished or motion.outcome is MotionOutcome.OUT_OF_ITERATIONS) and not acting(motion)


def closer(finer: Motion, motion: Motion) -> bool:
    """Whether finer splines brought the frame closer to the path, or a search to its end."""
    if finer.ok and not motion.ok:
        return True
    return (finer.ok or not motion.ok) and _worst(finer) < WORTH * _worst(motion)


def excess(motion: Motion) -> float:
    """Largest excess over limits that the search knows, relative to them; negative where all are kept."""
    return max((peak.utilisation for peak in motion.report.peaks if peak.quantity not in CHECKED), default=0.0) - 1


def acting(motion: Motion) -> list[Peak]:
    """Limits that act."""
    return [peak for peak in motion.report.peaks if peak.utilisation > ACTING]


def _worst(motion: Motion) -> float:
    """How far the frame is off, in m or rad."""
    assert motion.tracked is not None
    return max(motion.tracked.error, motion.tracked.angle)


def _planned(found: Found, task: Task) -> Motion:
    """The motion of the variables."""
    program, x = found.program, found.x
    P, *others = program.curves.control_points(x)
    P = np.where(
        np.ptp(P, axis=0) < STILL, P[0], P
    )  # or rounding would give joints at rest the friction of moving ones
    fine, unactuated = program.mesh.unactuated, None
    if fine is not None:
        unactuated = UnactuatedSplines(fine.breaks, fine.degree, fine.continuity, others[0])
    last = found.log[-1]
    report = MotionReport(found.log, last.violation, (), len(program.s), 1, {}, solver=TRACKING)
    basis = program.mesh.actuated
    return Motion(
        program.arm, task, program.duration, program.acceleration(x), MotionOutcome.SOLVED, "", True, basis.breaks,
        basis.degree, P, report, basis.continuity, unactuated,
    )  # fmt: skip


def _tracked(motion: Motion, program: TrackingProgram, path: GivenPath, window: Window) -> Motion:
    """The motion with its path, and how far it is off between the samples."""
    output, t = program.output, np.linspace(0.0, path.duration, SAMPLES)
    kept = TrackedPath(output.frame, output.point, path.axes, window.before, path.duration, t, path(t), path.reference)
    s = program.mesh.looks()
    error, angle = output.sizes(output.errors(motion.at(s * motion.duration)[0], path(window.times(s))))
    return motion.with_verdict(tracked=replace(kept, error=float(error.max()), angle=float(angle.max())))


def _judged(motion: Motion, found: Found, corners: tuple[Corner, ...], tolerance: float) -> Verdict:
    """What the motion is worth, the worst first."""
    note, small = bending_range.deflection_report(motion.arm, motion.t, motion.q)
    if not small:
        return Verdict(MotionOutcome.LARGE_DEFLECTION, f"{note}; or use a longer duration")
    if not found.converged:
        return _unfinished(motion, found, note, corners)
    beyond = [peak for peak in motion.report.peaks if peak.utilisation > 1 + EXCESS]
    if beyond:
        return Verdict(MotionOutcome.LIMIT_EXCEEDED, _exceeded(beyond, corners))
    return _followed(motion, note, corners, tolerance)


def _exceeded(beyond: list[Peak], corners: tuple[Corner, ...]) -> str:
    """Which limits the motion exceeds, and what would help."""
    over = ", and the ".join(peak.beyond() for peak in beyond)
    only = "; limits of jerk and power are checked, not planned for"
    checked = only if {peak.quantity for peak in beyond} & set(CHECKED) else ""
    rough = f"; it has {listed(corners)}" if corners else ""
    timeless = [peak.quantity for peak in beyond if peak.quantity == "position"]
    remedy = "Use a longer duration, or a shorter path"
    if timeless:  # no duration changes where joints are
        remedy = "Joints stay within their ranges from another start=..., or with the path elsewhere"
    return f"no motion near the path was found within the limits; on the path the {over}{checked}. {remedy}{rough}"


def _unfinished(motion: Motion, found: Found, note: str, corners: tuple[Corner, ...]) -> Verdict:
    """Why a search did not converge, as far as that is known."""
    last = found.log[-1].optimality
    outcome = MotionOutcome.OUT_OF_ITERATIONS if np.isfinite(last) else MotionOutcome.DIVERGED
    passive = [joint.name for joint in motion.arm.joints if not joint.actuated]
    why = "use a longer duration, or a smoother path"
    if corners:
        why = f"the path has {listed(corners)}, where its velocity jumps by up to {_sharpest(motion, corners)}; {why}"
    if passive:
        why = f"joint {passive[0]!r} has no motor, and may not come to rest where the path ends; {why}"
    steps = f"after {len(found.log)} steps the last one changes positions by {last:.1e}"
    return Verdict(outcome, f"{outcome.sentence}: {steps}{f'; {note}' if note else ''}; {why}")


def _followed(motion: Motion, note: str, corners: tuple[Corner, ...], tolerance: float) -> Verdict:
    """How well a motion within all limits follows its path."""
    path = motion.tracked
    assert path is not None
    worst, more = _worst(motion), f"; {note}" if note else ""
    if worst > LOST * max(float(np.ptp(path.values, axis=0).max()), tolerance):
        why = _why_not_closer(motion, corners)
        return Verdict(MotionOutcome.TARGET_MISSED, f"the path is followed to {path.off()} only{why}{more}")
    if worst > tolerance:
        why = _why_not_closer(motion, corners)
        return Verdict(MotionOutcome.ACCEPTABLE, f"the path is followed to {path.off()}{why}{more}")
    return Verdict(MotionOutcome.SOLVED, f"{MotionOutcome.SOLVED.sentence}{more}")


def _why_not_closer(motion: Motion, corners: tuple[Corner, ...]) -> str:
    """What keeps a motion from its path, or what would bring it closer."""
    names = ", ".join(f"{one.quantity.replace('_', ' ')} of {one.joint!r}" for one in acting(motion))
    if names:
        return f", since limits act: {names}"
    if corners:
        return f", since it has {listed(corners)}"
    return "; a longer duration, or more segments, would bring it closer"


def _sharpest(motion: Motion, corners: tuple[Corner, ...]) -> str:
    """Return the largest jump of the velocity in words."""
    assert motion.tracked is not None
    return sharpest(corners, motion.tracked.axes)


def about_corners(motion: Motion, corners: tuple[Corner, ...]) -> str:
    """What corners cost, as a sentence."""
    path = motion.tracked
    assert path is not None
    k, joint = np.unravel_index(int(np.argmax(np.abs(motion.tau))), motion.tau.shape)
    return (
        f"the path has {listed(corners)}, where its velocity jumps by up to {_sharpest(motion, corners)}. No arm "
        f"follows that exactly: {path.frame!r} leaves the path by up to {path.off()} there, and the torque of "
        f"{motion.arm.coordinates[joint]!r} reaches {abs(motion.tau[k, joint]):.4g} {units(motion.arm, 'tau')[joint]}."
    )
