"""A motion, tried: its torques played through a simulation, its limits looked at closely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.errors import InputError, shown
from lissom.motion.bending import bending_peaks, measures_of
from lissom.motion.bounds import bounds_of
from lissom.motion.clearance import clearance_of
from lissom.motion.closing import Closing
from lissom.motion.peaks import EXCESS, both_sides, closest, peaks_of, rates_of
from lissom.motion.played import loads_of, torques_of
from lissom.motion.record import Motion, grid
from lissom.motion.report import Peak
from lissom.motion.settle import last_loads, rings
from lissom.motion.trials import Trial, tried, variants
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble
from lissom.verbs.definite import first_indefinite, words
from lissom.verbs.dynamics import mass_matrix
from lissom.verbs.sensitivity import forward_dynamics_gradient

LARGE = 100.0  # growth beyond which torques alone do not hold a motion in practice
GROWTH_STEPS = 400
SAMPLES = 4  # of the simulation, in a segment; it takes at least as many steps


@dataclass(frozen=True, eq=False)
class Verification:
    """What came of playing a motion's torques.

    Attributes
    ----------
    ok : bool                   errors are within `tolerance`, and no limit or distance is exceeded by more than 0.1 %
    status : str                "verified", or what is wrong
    run : Run                   the simulation: adaptive, from the start state, under the torques and loads alone
    t : (nt,)                   its times [s]
    error : (nt, dof)           simulated minus planned positions [rad or m]
    joint_error : (dof,)        largest |error| over time
    end_error : (dof,)          error at the end
    peaks : tuple of Peak       largest use of every limit, and the least distance from obstacles, on a fine grid
    growth : float              how many times small errors of the state grow along the motion, at worst (rates in
                                units of 1/duration); about 2 for an arm that neither stabilises nor destabilises;
                                NaN where loops are closed
    tolerance : float           that was asked for
    residual : float            vibration of the tip that is left at the end [m], see `residual_vibration`
    trials : tuple of Trial     on arms that differ, where that was asked for

    Examples
    --------
    >>> import lissom as ls
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> found = motion.verify()
    >>> found.status, bool(found.joint_error.max() < 1e-7), found.torque_use < 1.001
    ('verified', True, True)
    """

    ok: bool
    status: str
    run: Run
    t: Array
    error: Array
    joint_error: Array
    end_error: Array
    peaks: tuple[Peak, ...]
    growth: float
    tolerance: float
    residual: float = 0.0
    trials: tuple[Trial, ...] = ()

    @property
    def torque_use(self) -> float:
        """Largest |torque| over its limit; 0 where none is limited."""
        return max((peak.use for peak in self.peaks if peak.quantity == "torque"), default=0.0)

    def describe(self) -> str:
        """For people."""
        worst, last = int(np.argmax(self.joint_error)), int(np.argmax(np.abs(self.end_error)))
        names = self.run.arm.coordinates
        lines = [
            self.status,
            f"played through {self.run.report.method}: joints differ by up to {self.joint_error[worst]:.2g} "
            f"({names[worst]}), at the end by {abs(self.end_error[last]):.2g} ({names[last]})",
            *([] if np.isnan(self.growth) else [f"small errors grow up to {self.growth:.3g} times along the motion"]),
            *(peak.describe() for peak in self.peaks),
        ]
        if not self.run.arm.actuated.all() and not self.run.arm.loops:
            lines.insert(2, f"at the end the tip rings by {self.residual:.2g} m")
        lines += [trial.describe() for trial in self.trials]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Verification: {self.status}; joints differ by up to {self.joint_error.max():.2g}>"


def verify(
    motion: Motion, tolerance: float, rtol: float, per_segment: int, modes: int, payload: float, stiffness: float
) -> Verification:
    """See `Motion.verify`."""
    for word, value in (("tolerance", tolerance), ("rtol", rtol)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0:
            raise InputError(f"verify: {word} is {shown(value)}; expected a number above 0.")
    if isinstance(per_segment, bool) or not isinstance(per_segment, int | np.integer) or per_segment < 1:
        raise InputError(f"verify: per_segment is {shown(per_segment)}; expected a whole number, at least 1.")
    others = variants(motion.arm, modes, payload, stiffness)
    run = simulate(
        motion.arm, *_start(motion), torques_of(motion), motion.duration, loads=loads_of(motion), rtol=rtol,
        atol=1e-2 * rtol, every=motion.duration / (SAMPLES * (len(motion.finest_breaks) - 1)), method="dop853",
        on_failure="return",
    )  # fmt: skip
    known = np.isfinite(run.q).all(axis=1)
    error = run.q[known] - motion.at(np.minimum(run.t[known], motion.duration))[0]
    largest = np.abs(error).max(axis=0)
    peaks = _peaks(motion, per_segment)
    growth = _growth(motion)
    status = _status(motion, run, largest, peaks, growth, tolerance)
    return Verification(
        status == "verified", status, run, run.t[known], error, largest, error[-1], peaks, growth, tolerance,
        0.0 if motion.arm.loops else rings(run, motion.duration, last_loads(motion)),
        tuple(tried(motion, what, arm) for what, arm in others),
    )  # fmt: skip


def _start(motion: Motion) -> tuple[Array, Array]:
    """Where it begins; with closed loops, exactly closed: splines are so to what the search allows."""
    if not motion.arm.loops:
        return motion.q[0], motion.qd[0]
    found = assemble(motion.arm, motion.q[0], qd=motion.qd[0])
    return found.q, found.qd


def _peaks(motion: Motion, per_segment: int) -> tuple[Peak, ...]:
    """Uses of limits, and the least distance from obstacles."""
    breaks = motion.finest_breaks
    finer = (len(breaks) - 1) // motion.basis.segments
    s = both_sides(grid(breaks, max(per_segment // finer, 4)), breaks)
    bounds, names = bounds_of(motion.arm, motion.task, "verify"), motion.arm.coordinates
    t = s * motion.duration
    z, tau = motion.profiles(t, 4), motion.torques(t)
    rate = rates_of(lambda s: motion.torques(s * motion.duration), s, breaks, motion.duration, bounds)
    peaks, _ = peaks_of(bounds, names, s, motion.duration, z, tau, rate)
    peaks = (*peaks, *bending_peaks(measures_of(motion.arm, motion.task.bending, "verify"), s, motion.duration, z[0]))
    clearance = clearance_of(motion.arm, motion.task, "verify")
    if clearance is not None:
        peaks = (*peaks, closest(clearance, lambda s: motion.at(s * motion.duration)[0], s, motion.duration)[0])
    if motion.closures is not None:
        peaks = (*peaks, Closing(motion.arm, "verify").widest(z[0], s, motion.duration))
    return peaks


def _growth(motion: Motion) -> float:
    """Norms of the transition matrices from the start, and to the end, of the linearised arm; torques as planned."""
    if motion.closures is not None:
        return np.nan
    T, n = motion.duration, motion.arm.dof
    h = T / GROWTH_STEPS
    t = h * (np.arange(GROWTH_STEPS, dtype=float) + 0.5)
    q, qd, _ = motion.at(t)
    slopes = forward_dynamics_gradient(motion.arm, q, qd, motion.torques(t), loads=motion.loads_at(t))
    A = np.zeros((GROWTH_STEPS, 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:, :n], A[:, n:, n:] = slopes.q, slopes.qd
    scale = np.repeat([1.0, T], n)
    X = h * A * scale[:, None] / scale
    one, square = np.eye(2 * n), X @ X / 12
    steps = np.linalg.solve(one - X / 2 + square, one + X / 2 + square)  # exp(X) by Pade's approximant, which is stable
    since, until = [one], [one]
    for forth, back in zip(steps, steps[::-1], strict=True):
        since.append(forth @ since[-1])
        until.append(until[-1] @ back)
    return float(np.linalg.norm(np.stack(since + until), 2, axis=(1, 2)).max())


def _status(motion: Motion, run: Run, error: Array, peaks: tuple[Peak, ...], growth: float, tolerance: float) -> str:
    """What is wrong, the worst first."""
    if run.t[-1] < motion.duration * (1 - 1e-9) or run.failures:
        return f"the simulation ended early: {run.status}"
    over = [peak for peak in peaks if peak.use > 1 + EXCESS]
    if over:
        worst = max(over, key=lambda peak: peak.use)
        return worst.beyond()
    lost = first_indefinite(mass_matrix(motion.arm, motion.q)) if motion.arm.flexible else None
    if lost is not None:
        where = f" at {motion.t[lost.number]:.4g} s"
        return words(motion.arm, lost.least, where)
    if not run.ok:
        return f"its simulation is not in order: {run.status}"
    joints = np.setdiff1d(np.arange(motion.arm.dof), motion.arm.mode_index)  # what amplitudes do is the residual's
    if error[joints].max() > tolerance:
        k = int(joints[np.argmax(error[joints])])
        why = (
            "the arm amplifies small errors so much that torques alone do not hold it; it needs feedback"
            if growth > LARGE
            else "friction that sticks, or a motion too rough for its splines, can be why"
        )
        return (
            f"under its torques {motion.arm.coordinates[k]!r} leaves the motion by {error[k]:.2g}, more than "
            f"{tolerance:g}; {'' if np.isnan(growth) else f'small errors grow {growth:.3g} times: '}{why}"
        )
    if not motion.ok:
        return f"its torques lead along it, but it is not the answer to its task: {motion.status}"
    return "verified"
