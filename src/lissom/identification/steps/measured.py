"""What a log has for windows of simulation: measured positions, torques in between, and first guesses of states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, shown
from lissom.identification.logs.log import Log
from lissom.identification.logs.plausible import check_units
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

HOLDS = ("interpolated", "held")
FEWEST = 8  # samples of a window
SMOOTHING = 0.05  # s, over which first guesses of rates are taken


class Torques:
    """Torques of a log at any time: a cubic spline through the samples, delayed, or each held until the next.

    values : (nt, dof)     zero where no motor acts
    rate : float           samples per second
    """

    def __init__(self, values: Array, rate: float, hold: str):
        from scipy.interpolate import CubicSpline

        if hold not in HOLDS:
            raise InputError(f"identify: torque is {shown(hold)}; expected 'interpolated' or 'held'.")
        self.values, self.rate, self.held = values, rate, hold == "held"
        self._curve = CubicSpline(np.arange(len(values)), values)
        self._slope = self._curve.derivative()

    def at(self, index: NDArray[np.intp], within: float, delay: float) -> tuple[Array, Array]:
        """Torques (lanes, dof), and their rates, at samples `index` plus a part of the sampling period."""
        if self.held:
            now = self.values[index]
            return now, np.zeros_like(now)
        place = np.clip(index + within - delay * self.rate, 0.0, len(self.values) - 1)
        return self._curve(place), self.rate * self._slope(place)


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured positions as a linear function of the coordinates, with the torques, cut into windows.

    arm : Arm
    channels : names of the measured positions, such as ``q[elbow]`` and ``second[elbow]``
    y : (nt, channels)
    C : (channels, dof)           y = C q
    torques : Torques
    starts : (windows,)           first samples
    count : int                   samples after the first, in every window
    """

    arm: Arm
    channels: tuple[str, ...]
    y: Array
    C: Array
    torques: Torques
    starts: NDArray[np.intp]
    count: int

    @classmethod
    def of(cls, arm: Arm, log: Log, window: float, hold: str) -> Measured:
        """Return what a log of the arm has."""
        if log.tau is None:
            raise InputError(
                "identify: the log has no torques, which method='steps' simulates the arm with. Give tau, or currents "
                "and log.with_torque(gains)."
            )
        check_units(log, arm)
        names, columns, rows = [], [], []
        for word, k in _channels(arm, log):
            row = np.zeros(arm.dof)
            row[arm.joint_index[k]] = 1.0
            if word == "second":
                row[arm.joint_index[k] + 1] = 1.0
            names.append(f"{word}[{arm.joints[k].name}]")
            columns.append(getattr(log, word)[:, k])
            rows.append(row)
        tau = np.zeros((len(log.t), arm.dof))
        tau[:, arm.joint_index] = np.where(arm.actuated[arm.joint_index], log.tau, 0.0)
        count = max(round(window * log.rate), FEWEST)
        starts = np.arange(0, len(log.t) - count, count)
        if not len(starts):
            raise InputError(
                f"identify: the log takes {log.duration:.4g} s, its windows {window:.4g} s; give a shorter window."
            )
        torques = Torques(tau, log.rate, hold)
        return cls(arm, tuple(names), np.column_stack(columns), np.array(rows), torques, starts, count)

    def first_states(self) -> Array:
        """Guesses (windows, 2 dof) of positions and rates at the starts; what is not measured is zero."""
        from scipy.signal import savgol_filter

        n = self.arm.dof
        q = self.y @ np.linalg.pinv(self.C).T
        length = min(max(2 * round(SMOOTHING * self.torques.rate / 2) + 1, 7), len(q) - 1 | 1)
        smooth = savgol_filter(q, length, 3, axis=0)
        rates = savgol_filter(q, length, 3, deriv=1, delta=1 / self.torques.rate, axis=0)
        return np.concatenate([smooth[self.starts], rates[self.starts]], axis=1).reshape(-1, 2 * n)


def _channels(arm: Arm, log: Log) -> list[tuple[str, int]]:
    """Measured positions (channel, joint): those of the motors, and those of links behind elastic joints."""
    found = [("q", k) for k in range(len(arm.joints))]
    if log.second is not None:
        elastic = [k for k, joint in enumerate(arm.joints) if joint.elastic is not None]
        found += [("second", k) for k in elastic if np.isfinite(log.second[:, k]).all()]
    return found
