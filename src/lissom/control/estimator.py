"""The sampled estimator of a linear plant with feedback of its estimate, for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import null_space

from lissom.control.readings import Readings
from lissom.control.sensors.base import AbstractSensor
from lissom.control.state_space import StateSpace
from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.simulation.controllers.sampled import Sampler
from lissom.spatial.rotations import Array

RATE = ".rate"
APPLIED = "applied["  # a torque behind the lag of an actuator


class OperatingPoint(NamedTuple):
    """States (n,), torques (m,) and readings (p,) of a plant where its deviations are zero."""

    x: Array
    tau: Array
    y: Array

    @classmethod
    def of(cls, plant: StateSpace, arm: Arm, sensors: Sequence[AbstractSensor]) -> OperatingPoint:
        """Return the operating point of a plant, of the arm itself or of a model of it with other coordinates."""
        own = [name for name in plant.states if name + RATE in plant.states]
        open_arm = len(own) == len(plant.q)
        if not open_arm and len(plant.q) != arm.dof:
            raise InputError(
                f"OutputFeedback: the plant is of an arm with closed loops and {len(plant.q)} coordinates, the arm has "
                f"{arm.dof}; expected a plant of this arm."
            )
        coordinates = own if open_arm else list(arm.coordinates)
        known = dict(zip(coordinates, plant.q.tolist(), strict=True))
        known |= dict(zip((name + RATE for name in coordinates), plant.qd.tolist(), strict=True))
        known |= dict(zip((f"{APPLIED}{name}]" for name in coordinates), plant.tau.tolist(), strict=True))
        C = plant.C[:, : len(own)] if open_arm else np.vstack([sensor.slope(arm, plant.q) for sensor in sensors])
        tau = plant.tau[[coordinates.index(name) for name in _motors(plant)]]
        return cls(np.array([known[name] for name in plant.states]), tau, C @ plant.q)


def first_estimate(plant: StateSpace) -> Array:
    """(n, p) states by the first readings: at rest, with the slowest vibrations that can explain them.

    Of all x = [q, 0] with C x = y, the one with the least sum of (w_i q_i)^2. w_i is the acceleration of coordinate i
    by its own displacement while the motors are locked, so that fast modes count more than slow ones. Torques that
    lock the motors are inputs, or act behind the lag of an actuator.
    """
    names = plant.states
    at = [k for k, name in enumerate(names) if name + RATE in names]
    motors = [names.index(joint + RATE) for joint in _motors(plant) if joint + RATE in names]
    behind = [k for k, name in enumerate(names) if name.startswith(APPLIED)]
    swing = (plant.A - np.eye(len(names)))[:, at]
    hold = np.hstack([plant.B, plant.A[:, behind]])
    locked = swing - hold @ np.linalg.lstsq(hold[motors], swing[motors], rcond=None)[0]
    weights = np.diag(locked[[names.index(names[k] + RATE) for k in at]])[:, None]
    C = plant.C[:, at]
    some, unseen = np.linalg.pinv(C), null_space(C)
    out = np.zeros((len(names), len(C)))
    out[at] = some - unseen @ np.linalg.lstsq(weights * unseen, weights * some, rcond=None)[0]
    return out


def _motors(plant: StateSpace) -> list[str]:
    """Coordinates that the inputs of a plant act on."""
    return [name.removesuffix(".tau") for name in plant.inputs]


@dataclass(frozen=True, eq=False)
class Estimator(Sampler):
    """What output feedback does at a sampling time.

    Parameters
    ----------
    plant : StateSpace           sampled
    K, L : (m, n), (n, p)        gains of the estimate and of the estimator
    here : OperatingPoint
    first : (n, p)               deviations by the first readings
    readings : Readings
    limit : (m,)                 largest torques
    """

    plant: StateSpace
    K: Array
    L: Array
    here: OperatingPoint
    first: Array
    readings: Readings
    limit: Array

    def __call__(self, k: int, q: Array, qd: Array, z: Array | None, rows: range) -> Array:
        """Return estimates and torques (runs, n + m) after sampling time k."""
        y, disturbance = self.readings(k, q, rows)
        y = y - self.here.y
        if z is None:
            x = y @ self.first.T
        else:
            before = z[:, : len(self.here.x)] - self.here.x
            A, B, C = self.plant.A, self.plant.B, self.plant.C
            x = before @ A.T + (self._torques(before) - self.here.tau) @ B.T + self.plant.drift
            x = x + (y - x @ C.T) @ self.L.T
        return np.concatenate([self.here.x + x, self._torques(x) + disturbance], axis=1)

    def _torques(self, x: Array) -> Array:
        """Return the torques (runs, m) commanded for deviations (runs, n)."""
        return np.clip(self.here.tau - x @ self.K.T, -self.limit, self.limit)

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything that its results depend on."""
        plant = self.plant
        numbers = (plant.A, plant.B, plant.C, plant.drift, plant.dt, self.K, self.L, self.first, self.limit)
        return (*numbers, *self.here, *self.readings.content)
