"""Verification of a motion: replayed segment by segment by an independent simulation, with a close look at limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.kernels.positive_definiteness import first_indefinite, message
from lissom.markup import paragraphs
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.verification.defects import Defects, defects, deviation
from lissom.motion.result.verification.growth import Growth
from lissom.motion.result.verification.residual_check import last_loads, rings
from lissom.motion.result.verification.self_collision import self_collision
from lissom.motion.result.verification.trials import Trial, tried, variants
from lissom.motion.result.verification.whole import replayed
from lissom.motion.splines.basis import grid
from lissom.motion.task.bounds import bounds_of
from lissom.motion.transcription.constraints.constraint import Look
from lissom.motion.transcription.constraints.path import path_constraints
from lissom.motion.transcription.peak import EXCESS, SHOWN, Peak
from lissom.motion.transcription.peaks import both_sides, peaks_of, rates_of
from lissom.progress import line_if_long
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix

UNSTABLE = (
    "that the torques alone leave the plan does not make it wrong: without feedback this arm magnifies every error, "
    "also those of the simulation; with feedback it follows the plan"
)
LARGE = 100.0  # growth beyond which torques alone do not hold a motion in practice


@dataclass(frozen=True, eq=False)
class Verification:
    """Whether a motion obeys the equations of motion and its limits, and what its torques alone do.

    The verdict comes from the segments of its splines: each is replayed from its planned state under the planned
    torques, by a simulation that is independent of the solver. Defects are replayed minus planned states at the ends
    of segments. `deviation` is their sum: defects of positions, plus those of rates times the duration (for unactuated
    coordinates that vibrate: divided by their frequency). If it exceeds `tolerance`, a motion is still verified if the
    open-loop simulation of its torques stays within `tolerance`: defects of small vibrations may cancel from segment to
    segment.

    The open-loop simulation of the whole motion (`run`, `error`, `joint_error`, `end_error`, `residual`) and the
    amplification of errors (`growth`) are for information: an arm that is unstable without feedback does not make the
    plan wrong. With `feedback` the simulation is that of the arm with the controller; `tracked` says whether its joints
    stay within `tolerance`.

    Attributes
    ----------
    ok : bool                     `deviation`, or the error under the torques alone, is within `tolerance`, and no limit
                                  or distance is exceeded by more than 0.1 %
    status : str                  "verified", or what is wrong
    defects : (segments, dof)     positions at the ends of segments, replayed minus planned [rad or m]; of a segment
                                  in which errors grow fast, and which is replayed in several pieces, the largest
    rate_defects : (segments, dof)    the same of rates [rad/s or m/s]
    deviation : (dof,)            what all defects add up to [rad or m]
    growth : float                how many times small errors of the state grow along the motion, at worst (rates in
                                  units of 1/duration); about 2 for an arm that neither stabilises nor destabilises
    run : Run                     simulation of the whole motion from the start state
    t : (nt,)                     its times [s]
    error : (nt, dof)             simulated minus planned positions [rad or m]
    joint_error : (dof,)          largest |error| over time
    end_error : (dof,)            error at the end
    residual : float              vibration of the tip that is left at the end [m], see `residual_vibration`
    peaks : tuple of Peak         largest utilisation of every limit, and the smallest distance from obstacles, on a
                                  fine grid
    tolerance : float             the requested tolerance
    feedback : str                name of the controller; empty: open loop
    trials : tuple of Trial       simulations on different arms, if requested
    self_collision : str          whether links overlap along the motion, by their shapes; it does not decide `ok`
    path_error : float or None    of a motion whose frame follows a path: how far it is off in `run` at most [m, rad]

    Examples
    --------
    >>> import lissom as ls
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> found = motion.verify()
    >>> found.status, found.defects.shape, bool(found.deviation.max() < 1e-7), found.torque_utilisation < 1.001
    ('verified', (20, 2), True, True)
    """

    ok: bool
    status: str
    defects: Array
    rate_defects: Array
    deviation: Array
    growth: float
    run: Run
    t: Array
    error: Array
    joint_error: Array
    end_error: Array
    residual: float
    peaks: tuple[Peak, ...]
    tolerance: float
    feedback: str = ""
    trials: tuple[Trial, ...] = ()
    path_error: float | None = None
    self_collision: str = ""

    @property
    def torque_utilisation(self) -> float:
        """Largest |torque| over its limit; 0 where none is limited."""
        return max((peak.utilisation for peak in self.peaks if peak.quantity == "torque"), default=0.0)

    @property
    def tracked(self) -> bool:
        """Whether the simulation of the whole motion reached its end with all joints within `tolerance`."""
        # what amplitudes of links do is the residual's
        return _ended(self.run) and bool(self.joint_error[self.run.arm.joint_index].max() <= self.tolerance)

    def describe(self) -> str:
        """Return the verification as text."""
        arm, names = self.run.arm, self.run.arm.coordinates
        worst, last = int(np.argmax(self.joint_error)), int(np.argmax(np.abs(self.end_error)))
        k = int(np.argmax(np.nan_to_num(self.deviation, nan=np.inf)))
        unit = units(arm)
        lines = [
            f"{self.status}: the plan obeys the equations of motion and keeps its limits" if self.ok else self.status,
            f"each of {len(self.defects)} segments, simulated from its planned state, ends where planned within "
            f"{np.nanmax(np.abs(self.defects), initial=0.0):.2g} rad or m; these differences add up to "
            f"{self.deviation[k]:.2g} {unit[k]} ({names[k]}){self._decides(float(self.deviation[k]))}",
            f"the whole motion, simulated with {self.feedback or 'the planned torques alone'} "
            f"({self.run.report.method}): largest joint error {self.joint_error[worst]:.2g} {unit[worst]} "
            f"({names[worst]}), at "
            f"{'the end' if _ended(self.run) else f'{self.run.t[-1]:.4g} s, where it stopped,'} "
            f"{abs(self.end_error[last]):.2g} {unit[last]} ({names[last]})",
            *([_lost(self)] if self.feedback and not self.tracked else []),
            *([UNSTABLE] if self.ok and not self.feedback and not self.tracked else []),
        ]
        if not arm.actuated.all() and not arm.loops:
            lines.append(f"residual vibration of the tip {self.residual:.2g} m")
        if self.path_error is not None:
            lines.append(f"in that simulation the frame is off its path by at most {self.path_error:.2g} m or rad")
        lines += [self.self_collision] if self.self_collision else []
        lines += [self.stability, *(peak.describe() for peak in self.peaks)]
        return "\n".join([*lines, *(trial.describe() for trial in self.trials)])

    def _decides(self, total: float) -> str:
        """Which figure the verdict of a verified motion comes from."""
        if not self.ok:
            return ""
        if total <= self.tolerance:
            return f" if all have the same sign; the verdict: within {self.tolerance:g}"
        return (
            " if all have the same sign, but they cancel; the verdict: under the planned torques alone the whole "
            f"motion keeps within {self.tolerance:g}"
        )

    @property
    def stability(self) -> str:
        """How errors grow under the torques alone, as a sentence; it does not decide whether the plan is correct."""
        grows = f"on a real arm: under the planned torques alone, small errors grow up to {self.growth:.3g} times"
        if self.growth <= LARGE:
            return grows
        return f"{grows}, so track the motion with feedback, for example ls.Follow(motion, kp=..., kd=...)"

    def _repr_html_(self) -> str:
        """HTML for notebooks: a paragraph for each line of `describe`."""
        return paragraphs(self.describe().splitlines())

    def __repr__(self) -> str:
        k = int(np.argmax(np.nan_to_num(self.deviation, nan=np.inf)))
        names, unit = self.run.arm.coordinates, units(self.run.arm)
        return f"<Verification: {self.status}; defects add up to {self.deviation[k]:.2g} {unit[k]} ({names[k]})>"


def verify(
    motion: AbstractMotion,
    tolerance: float,
    rtol: float,
    per_segment: int,
    modes: int,
    payload: float,
    stiffness: float,
    feedback: Any,
) -> Verification:
    """See `Motion.verify`."""
    others = variants(motion.arm, modes, payload, stiffness)
    with line_if_long("verifying") as show:
        return _verified(motion, tolerance, rtol, per_segment, others, feedback, show)


def _verified(
    motion: AbstractMotion,
    tolerance: float,
    rtol: float,
    per_segment: int,
    others: list[tuple[str, Arm]],
    feedback: Any,
    show: Callable[[str], None],
) -> Verification:
    """Replay the motion; `show` is called with what is done next."""
    growth = Growth(motion)
    replaying = lambda t: show(f"whole motion, {100 * t:.0f} %")  # noqa: E731
    run = replayed(motion, growth, feedback, rtol, replaying)
    found = defects(motion, growth, rtol, lambda k: show(f"segment {k + 1} of {len(motion.breaks) - 1}"))
    total = deviation(found, growth)
    t, error = _errors(motion, run)
    largest = np.abs(error).max(axis=0)
    peaks = limit_peaks(motion, per_segment)
    status = _failed(found) or _beyond(motion, peaks)
    if not status and not total.max() <= tolerance:
        alone = run if feedback is None else replayed(motion, growth, None, rtol, replaying)
        if not _follows(motion, alone, tolerance):
            status = _defective(motion, found, total, tolerance, _resolution(motion, growth, found, rtol))
    if not status and not motion.ok:
        status = f"the motion is no solution of its task ({motion.outcome.sentence}), though its torques reproduce it"
    return Verification(
        not status, status or "verified", _largest([part.q for part in found]), _largest([part.qd for part in found]),
        total, growth.largest, run, t, error, largest, error[-1],
        0.0 if motion.arm.loops else rings(run, motion.duration, last_loads(motion)), peaks, tolerance,
        "" if feedback is None else _name(feedback), tuple(_trials(motion, others, show)),
        None if motion.tracked is None else float(np.abs(motion.path_error(run)).max()), self_collision(motion),
    )  # fmt: skip


def _trials(motion: AbstractMotion, others: list[tuple[str, Arm]], show: Callable[[str], None]) -> Iterator[Trial]:
    """Simulate the motion on other arms."""
    for what, arm in others:
        show(f"verifying: {what}")
        yield tried(motion, what, arm)


def _largest(parts: list[Array]) -> Array:
    """Return the largest entries (segments, dof), with their signs, among the pieces (k, dof) of every segment."""
    return np.stack([np.take_along_axis(x, np.abs(x).argmax(axis=0)[None], axis=0)[0] for x in parts])


def _name(feedback: Any) -> str:
    return getattr(feedback, "__name__", type(feedback).__name__)


def _errors(motion: AbstractMotion, run: Run) -> tuple[Array, Array]:
    """Times (nt,) to which a run got, and simulated minus planned positions (nt, dof) there."""
    known = np.isfinite(run.q).all(axis=1)
    t = run.t[known]
    return t, run.q[known] - motion.at(np.minimum(t, motion.duration))[0]


def _follows(motion: AbstractMotion, run: Run, tolerance: float) -> bool:
    """Return whether a run follows the motion to its end; amplitudes of links are left to the residual."""
    others = np.setdiff1d(np.arange(motion.arm.dof), motion.arm.mode_index)
    return _ended(run) and bool(np.abs(_errors(motion, run)[1][:, others]).max() <= tolerance)


def _ended(run: Run) -> bool:
    """Return whether a run reached its end."""
    return not run.failures and bool(np.isfinite(run.q[-1]).all())


def limit_peaks(motion: AbstractMotion, per_segment: int) -> tuple[Peak, ...]:
    """Return the utilisation of limits, and the smallest distance from obstacles, with so many looks in a segment.

    Where this confirms a peak of the motion's report, it is that one: two grids find its top at slightly other times.
    """
    arm, T, breaks = motion.arm, motion.duration, motion.finest_breaks
    finer = (len(breaks) - 1) // motion.basis.segments
    s = both_sides(grid(breaks, max(per_segment // finer, 4)), breaks)
    bounds = bounds_of(arm, motion.task, "verify")
    rate = rates_of(lambda s: motion.torques(s * T), s, breaks, T, bounds)
    look = Look(lambda s: motion.at(s * T)[0], s, s, T, motion.profiles(s * T, 4), motion.torques(s * T), rate)
    peaks = peaks_of(bounds, arm.coordinates, s, T, look.values)
    others = path_constraints(arm, motion.task, "verify")
    found = (*peaks, *(peak for constraint in others for peak in constraint.peaks(look)))
    known = {peak.quantity: peak for peak in motion.report.peaks}
    return tuple(known[peak.quantity] if _confirms(peak, known.get(peak.quantity)) else peak for peak in found)


def _confirms(peak: Peak, known: Peak | None) -> bool:
    """Return whether a peak is printed with the same utilisation as a known one of its quantity."""
    return known is not None and abs(peak.utilisation - known.utilisation) < SHOWN


# ---- the verdict; each says what is wrong, or nothing ----------------------------------------------


def _failed(found: list[Defects]) -> str:
    failures = [part.failure for part in found if part.failure]
    return f"a segment could not be replayed, {failures[0]}" if failures else ""


def _beyond(motion: AbstractMotion, peaks: tuple[Peak, ...]) -> str:
    over = [peak for peak in peaks if peak.utilisation > 1 + EXCESS]
    if over:
        return max(over, key=lambda peak: peak.utilisation).beyond()
    lost = first_indefinite(mass_matrix(motion.arm, motion.q)) if motion.arm.flexible else None
    return "" if lost is None else message(motion.arm, lost.least, f" at {motion.t[lost.number]:.4g} s")


def _resolution(motion: AbstractMotion, growth: Growth, found: list[Defects], rtol: float) -> float:
    """Return what errors of the integrator may add up to: `rtol` of the state in every piece."""
    size = np.abs(motion.q).max(axis=0) + growth.lasting * np.abs(motion.qd).max(axis=0)
    return rtol * float(size.max()) * sum(len(part.q) for part in found)


def _defective(motion: AbstractMotion, found: list[Defects], deviation: Array, tolerance: float, finest: float) -> str:
    if deviation.max() <= finest:
        return (
            f"the defects add up to {deviation.max():.2g} rad or m, more than {tolerance:g}, but within the error of "
            "the integrator; use a smaller rtol, or a larger tolerance"
        )
    k = int(np.argmax(deviation))
    sizes = [np.abs(part.qd[:, k]).max() for part in found]
    worst = found[int(np.argmax(sizes))]
    unit = units(motion.arm, "qd")[k]
    return (
        f"the plan does not obey the equations of motion: replayed from its planned states, "
        f"{motion.arm.coordinates[k]!r} is off by up to {max(sizes):.2g} {unit} at the end of a segment (the one that "
        f"begins at {worst.t[0]:.4g} s), in sum by {deviation[k]:.2g} {units(motion.arm)[k]}, more than {tolerance:g}. "
        f"Plan with more segments than {motion.basis.segments}; or the torques belong to another arm, payload or load"
    )


def _lost(found: Verification) -> str:
    """Return how a controller that does not hold the motion leaves it."""
    if not _ended(found.run):
        return f"with {found.feedback} the simulation ended early: {found.run.status}"
    joints = found.run.arm.joint_index
    k = int(joints[np.argmax(found.joint_error[joints])])
    unit = units(found.run.arm)[k]
    return (
        f"with {found.feedback} joint {found.run.arm.coordinates[k]!r} leaves the motion by "
        f"{found.joint_error[k]:.2g} {unit}, more than {found.tolerance:g} {unit}; check its gains and its torque limit"
    )
