"""Samples of a log that are ready for the fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.identification.logs.log import Log
from lissom.identification.signals.filters import low_pass, shifted, slope
from lissom.identification.signals.ranges import position_limits
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

FINE = 40.0  # samples per period of the cut-off at which columns are computed: edges of friction need more than rows
MOST = 1e5  # samples of a log, beyond which there are fewer per period: columns of an arm take kilobytes each
OVERSAMPLED = 12.0  # rows per period of the cut-off
RESTING = 1e-3  # of a joint's range: a joint that travels less rests
ROUNDING = 1e-9  # of samples: times carry it
SPOILT = 2.0  # periods of the cut-off at each end


@dataclass(frozen=True, eq=False)
class Samples:
    """Motion and torques of a log, low-passed.

    Columns go through the same filter as the torques (`filtered`), so that what the filter does to the edges of Coulomb
    friction is the same on both sides of the equation. Rows are thinned out only then, to what the
    cut-off needs.

    Parameters
    ----------
    t : (nt,)              times [s]
    q, qd, qdd : (nt, n)   motion
    tau : (nt, n)          measured torques, filtered, without their delays
    rate : float           samples per second [Hz]
    cutoff_hz : float
    load : str             what the arm carries
    steps : int            samples per row of the fit
    every : int            samples of the log per sample here
    extras : sequence      columns of the user's own: functions, or arrays (nt, n)
    dead : sequence        times from and to [s] in which a sensor stops
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    rate: float
    cutoff_hz: float
    load: str = ""
    steps: int = 1
    every: int = 1
    extras: tuple[Any, ...] = ()
    dead: tuple[tuple[float, float], ...] = ()

    @property
    def ends(self) -> int:
        """Samples at each end that the filter spoils."""
        return min(int(np.ceil(SPOILT * self.rate / self.cutoff_hz - ROUNDING)), len(self.t) // 8)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The samples that are rows of the fit: those between the ends, thinned out, where all sensors work."""
        rows, spoilt = np.arange(self.ends, len(self.t) - self.ends, self.steps), SPOILT / self.cutoff_hz
        works = np.ones(len(rows), bool)
        for a, b in self.dead:
            works &= (self.t[rows] <= a - spoilt) | (self.t[rows] >= b + spoilt)
        return np.asarray(rows[works])

    def filtered(self, x: Array) -> Array:
        """Rows (nr, ...) of columns (nt, ...) that are filtered as the torques are."""
        return low_pass(x, self.cutoff_hz, self.rate)[self.rows]

    def torque(self, delays: Array) -> Array:
        """Rows (nr, n) of measured torques, read later by `delays` (n,) [s]."""
        return shifted(self.tau, self.rate, delays)[self.rows]


def samples_of(log: Log, cutoff_hz: float, arm: Arm) -> Samples:
    """Filter and differentiate a log with torques; what joints that rest seem to do is noise, and left out."""
    assert log.tau is not None
    fine = min(FINE, max(OVERSAMPLED, MOST / (log.duration * cutoff_hz)))
    rate, every = log.rate, max(1, int(log.rate / (fine * cutoff_hz) + ROUNDING))
    q = low_pass(log.q, cutoff_hz, rate)
    qd = slope(q, rate) if log.qd is None else np.array(low_pass(log.qd, cutoff_hz, rate))
    qdd = slope(qd, rate)
    lower, upper = position_limits(arm)
    resting = np.ptp(q, axis=0) < RESTING * (upper - lower)
    qd[:, resting] = qdd[:, resting] = 0.0
    tau = low_pass(log.tau, cutoff_hz, rate)
    t, q, qd, qdd, tau = (x[::every] for x in (log.t, q, qd, qdd, tau))
    steps = max(1, int(rate / every / (OVERSAMPLED * cutoff_hz) + ROUNDING))
    return Samples(t, q, qd, qdd, tau, rate / every, cutoff_hz, log.load, steps, every, dead=log.dead)


def at_states(q: Array, qd: Array, qdd: Array, load: str = "") -> Samples:
    """States that are no signal: nothing is filtered."""
    return Samples(np.arange(float(len(q))), q, qd, qdd, 0 * q, 1.0, np.inf, load)
