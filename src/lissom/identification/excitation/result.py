"""The motion that was found, within its limits on a fine grid, with its report and what it says."""

from __future__ import annotations

import numpy as np

from lissom.identification.excitation.experiment import Experiment
from lissom.identification.excitation.profile import DEGREE
from lissom.identification.excitation.search import LEAST_STEP, REPEATED, ROOM, ROUNDING, SHRINKING, Candidate, Search
from lissom.motion.result.information import Information
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import MotionReport, StartRow
from lissom.motion.result.verification.verify import limit_peaks
from lissom.motion.splines.basis import grid
from lissom.motion.transcription.peak import Peak
from lissom.spatial.rotations import Array

SOLVER = "L-BFGS with penalties"
FINE = 60  # points per segment at which limits are looked at, and distances closer where they are small
SAMPLES = 36  # per segment at which they are exceeded no more
NEARBY = 0.02  # s
BESIDE = 1e-4  # of the duration: next to a turn that is found by interpolation
STEP = 0.1  # of the motion that it is shrunk by at most at a time
MOST_SAMPLES = 4000  # of which information is computed; more are counted as if they were these


def finished(
    experiment: Experiment, search: Search, best: Candidate, randoms: list[Array], rows: list[StartRow],
    interrupted: bool, seconds: dict[str, float],
) -> Motion:  # fmt: skip
    """Return the motion of the best candidate."""
    points, peaks, worst = _within(experiment, search, best.points)
    information = _information(experiment, search, points, randoms)
    outcome = MotionOutcome.SOLVED if worst <= 1 + ROUNDING else MotionOutcome.LIMIT_EXCEEDED
    status = outcome.sentence if outcome.solved else max(peaks, key=lambda peak: peak.utilisation).beyond()
    if interrupted:
        outcome, status = MotionOutcome.INTERRUPTED, MotionOutcome.INTERRUPTED.sentence
    report = MotionReport(
        tuple(search.log), max(worst - 1, 0.0), peaks, len(search.profile.samples.s), 1, seconds, tuple(rows),
        solver=SOLVER,
    )  # fmt: skip
    return _motion(experiment, points, -information.log_det, outcome, status, report, information)


def _motion(
    experiment: Experiment, points: Array, cost: float, outcome: MotionOutcome, status: str, report: MotionReport,
    information: Information | None,
) -> Motion:  # fmt: skip
    profile = experiment.profile
    return Motion(
        experiment.arm, experiment.task, profile.duration, cost, outcome, status, outcome.solved, profile.basis.breaks,
        DEGREE, profile.control_points(points), report, information=information,
    )  # fmt: skip


def _within(experiment: Experiment, search: Search, points: Array) -> tuple[Array, tuple[Peak, ...], float]:
    """A motion nearby that holds all limits on a fine grid, the largest utilisation of each, and of all."""
    profile, nothing = experiment.profile, MotionReport((), 0.0, (), 0, 0, {})
    s = grid(profile.basis.breaks, SAMPLES)
    for k in range(REPEATED + SHRINKING):
        motion = _motion(experiment, points, 0.0, MotionOutcome.SOLVED, "", nothing, None)
        peaks = (*limit_peaks(motion, FINE), *_own_distances(experiment, motion))
        turns = _turns(motion)
        worst = max([1 + search.penalty.largest(profile.at(turns), points), *(peak.utilisation for peak in peaks)])
        if worst <= 1 + ROUNDING:
            break
        if k < REPEATED:
            s = np.union1d(s, [*_around([peak for peak in peaks if peak.utilisation > 1], profile.duration), *turns])
            points = search.pushed(points, profile.at(s), ROOM * 2**k)
        else:
            points = search.smaller(points, min(max(worst - 1, LEAST_STEP * 2 ** (k - REPEATED)), STEP))
    return points, peaks, worst


def _turns(motion: Motion) -> Array:
    """Fractions on both sides of where joints turn around, and inside both ends: friction changes its direction."""
    s = grid(motion.breaks, FINE)
    qd = motion.at(s * motion.duration)[1]
    row, joint = np.nonzero(qd[:-1] * qd[1:] < 0)
    before, after = qd[row, joint], qd[row + 1, joint]
    at = s[row] + (s[row + 1] - s[row]) * before / (before - after)
    return np.concatenate([[BESIDE, 1 - BESIDE], *(np.clip(at + side * BESIDE, 0.0, 1.0) for side in (-1, 1))])


def _around(peaks: list[Peak], T: float) -> Array:
    """Fractions where limits are exceeded, and close to them."""
    places = np.array([peak.time for peak in peaks])[:, None] + NEARBY * np.linspace(-1.0, 1.0, 5)
    return np.asarray(np.clip(places.ravel() / T, 0.0, 1.0))


def _own_distances(experiment: Experiment, motion: Motion) -> list[Peak]:
    """Where links come nearest to each other."""
    t = grid(motion.breaks, FINE) * motion.duration
    return experiment.penalty.distances.peaks(t, motion.at(t)[0])


def _information(experiment: Experiment, search: Search, points: Array, randoms: list[Array]) -> Information:
    found, profile = experiment.parameters, experiment.profile
    samples = experiment.rate_hz * profile.duration
    count = int(np.clip(round(samples), 2, MOST_SAMPLES))
    fine = profile.at((np.arange(count) + 0.5) / count)
    best = search.design.known(fine.states(points), samples / count)
    others = [search.known(some) for some in randoms]
    return Information(
        found.named(True), _numbers(found.values[found.counts]), _numbers(best.std[found.counts]),
        _numbers(np.median([one.std for one in others], axis=0)[found.counts]), best.log_det, best.condition,
        float(np.median([one.condition for one in others])),
        tuple(float(x) if np.isfinite(x) else None for x in experiment.noise), experiment.rate_hz, len(randoms),
        found.named(False), experiment.assumptions,
    )  # fmt: skip


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(values.tolist())
