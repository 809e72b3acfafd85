"""What a log has for windows of simulation: measured positions, torques in between, and first guesses of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError
from lissom.identification.logs.log import Log
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

FEWEST = 8  # samples of a window
SMOOTHING = 0.05  # s, over which first guesses of rates are taken


class Torques:
    """Torques of logs at any time: cubic splines through the samples, or each sample held until the next.

    values : of each log, (nt, dof); zero at elastic coordinates
    rate : float      samples per second
    held : bool
    """

    def __init__(self, values: Sequence[Array], rate: float, held: bool):
        from scipy.interpolate import CubicSpline

        self.values, self.rate, self.held = values, rate, held
        self._curves = [CubicSpline(np.arange(len(x)), x) for x in values]
        self._slopes = [curve.derivative() for curve in self._curves]

    def at(self, lanes: Lanes, k: int, within: float, late: float) -> tuple[Array, Array]:
        """Torques (lanes, dof) and their rates, at sample k of each window plus a part of the sampling period.

        late : time by which they are logged late [s]
        """
        out = np.zeros((2, len(lanes.start), self.values[0].shape[1]))
        for i, x in enumerate(self.values):
            own = lanes.log == i
            if self.held:
                out[0, own] = x[lanes.start[own] + k]
                continue
            place = lanes.start[own] + k + within + late * self.rate
            inside = np.clip(place, 0.0, len(x) - 1)  # beyond its ends a log goes on as it is there
            out[0, own] = self._curves[i](inside)
            out[1, own] = np.where((place == inside)[:, None], self.rate * self._slopes[i](inside), 0.0)
        return out[0], out[1]


class Lanes(NamedTuple):
    """Windows: the log of each, and its first sample there."""

    log: NDArray[np.intp]
    start: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Measured:
    """Measured positions as a linear function of the coordinates, with the torques, cut into windows.

    arm : Arm
    channels : names of the measured positions, such as ``q[elbow]`` and ``second[elbow]``
    units : of these
    y : of each log, (nt, channels)
    C : (channels, dof)       y = C q
    torques : Torques
    lanes : Lanes             of the windows
    count : int               samples after the first, in every window
    """

    arm: Arm
    channels: tuple[str, ...]
    units: tuple[str, ...]
    y: tuple[Array, ...]
    C: Array
    torques: Torques
    lanes: Lanes
    count: int

    @classmethod
    def of(cls, arm: Arm, logs: Sequence[Log], window: float, held: bool) -> Measured:
        """Return what logs of the arm have, all of the same sampling rate."""
        places = _channels(arm, logs)
        C = np.zeros((len(places), arm.dof))
        for row, (word, k) in zip(C, places, strict=True):
            row[arm.joint_index[k]] = 1.0
            if word == "second":
                row[arm.joint_index[k] + 1] = 1.0
        y = tuple(np.column_stack([getattr(log, word)[:, k] for word, k in places]) for log in logs)
        rate = logs[0].rate
        count = max(round(window * rate), FEWEST)
        starts = [np.arange(0, len(log.t) - count, count) for log in logs]
        lanes = Lanes(np.repeat(np.arange(len(logs)), [len(s) for s in starts]), np.concatenate(starts))
        if not len(lanes.log):
            raise InputError(
                f"identify: windows of {window:.4g} s do not fit into a log of {logs[0].duration:.4g} s; give a "
                "shorter window."
            )
        names = tuple(f"{word}[{arm.joints[k].name}]" for word, k in places)
        units = tuple(arm.joints[k].unit for _, k in places)
        return cls(arm, names, units, y, C, Torques([_torques(arm, log) for log in logs], rate, held), lanes, count)

    @cached_property
    def second(self) -> NDArray[np.bool_]:
        """(channels,) which are of second encoders."""
        return np.array([name.startswith("second") for name in self.channels])

    @cached_property
    def _curves(self) -> list[Any]:
        """Splines of the second encoders in each log, and their derivatives."""
        from scipy.interpolate import CubicSpline

        curves = [CubicSpline(np.arange(len(y)), y[:, self.second]) for y in self.y]
        return [(curve, curve.derivative()) for curve in curves]

    def at(self, k: int, late: float) -> tuple[Array, Array]:
        """Measured positions (windows, channels) at sample k of each window, and their derivatives by the delay.

        late : time by which second encoders are late [s]: they are read later
        """
        out = np.zeros((2, len(self.lanes.log), len(self.C)))
        for i, y in enumerate(self.y):
            own = self.lanes.log == i
            rows = self.lanes.start[own] + k
            out[0, own] = y[rows]
            if self.second.any():
                curve, slope = self._curves[i]
                place = np.clip(rows + late * self.torques.rate, 0.0, len(y) - 1)
                out[0][np.ix_(own, self.second)] = curve(place)
                out[1][np.ix_(own, self.second)] = self.torques.rate * slope(place)
        return out[0], out[1]

    def first_states(self) -> Array:
        """Guesses (windows, 2 dof) of positions and rates at the starts; what is not measured is zero."""
        from scipy.signal import savgol_filter

        rate, back = self.torques.rate, np.linalg.pinv(self.C).T
        found = []
        for i, y in enumerate(self.y):
            q, at = y @ back, self.lanes.start[self.lanes.log == i]
            length = min(max(2 * round(SMOOTHING * rate / 2) + 1, 7), (len(q) - 1) // 2 * 2 + 1)
            parts = [savgol_filter(q, length, 3, deriv=d, delta=1 / rate, axis=0)[at] for d in (0, 1)]
            found.append(np.concatenate(parts, axis=1))
        return np.concatenate(found)


def _torques(arm: Arm, log: Log) -> Array:
    tau = np.zeros((len(log.t), arm.dof))
    tau[:, arm.joint_index] = log.tau
    return tau


def _channels(arm: Arm, logs: Sequence[Log]) -> list[tuple[str, int]]:
    """Measured positions (channel, joint): those of the motors, and those of links behind elastic joints."""
    found = [("q", k) for k in range(len(arm.joints))]
    if all(log.second is not None for log in logs):
        elastic = [k for k, joint in enumerate(arm.joints) if joint.elastic is not None]
        found += [("second", k) for k in elastic if all(np.isfinite(log.second[:, k]).all() for log in logs)]
    return found
