"""Readings of sensors with noise, reproducible for every run and sampling time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.control.sensors.base import AbstractSensor
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class Readings:
    """Readings of sensors on an arm, or on the arm of every run of an ensemble, and noise of its motors.

    Run r at sampling time k always has the same noise, however many runs are simulated together.
    """

    def __init__(
        self, sensors: Sequence[AbstractSensor], arm: Arm, arms: Sequence[Arm] | None, seed: int, torque_noise: Array
    ) -> None:
        self.C = _rows(sensors, arm) if arms is None else np.stack([_rows(sensors, one) for one in arms])
        sizes = [len(sensor.names(arm)) for sensor in sensors]
        self.noise = np.repeat([float(sensor.noise) for sensor in sensors], sizes)
        self.resolution = np.repeat([float(sensor.resolution) for sensor in sensors], sizes)
        self.torque_noise, self.seed = torque_noise, int(seed)

    def __call__(self, k: int, q: Array, rows: range) -> tuple[Array, Array]:
        """Return the readings (runs, p) at sampling time k, and the noise (runs, m) of the torques until the next."""
        C = self.C if self.C.ndim == 2 else self.C[rows.start : rows.stop]
        exact = (C @ q[..., None])[..., 0]
        p, m = exact.shape[-1], len(self.torque_noise)
        draws = np.zeros((len(rows), p + m))
        if self.noise.any() or self.torque_noise.any():
            generator = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, k]))
            draws = generator.standard_normal((rows.stop, p + m))[rows.start :]
        y, steps = exact + self.noise * draws[:, :p], np.where(self.resolution > 0, self.resolution, 1.0)
        return np.where(self.resolution > 0, steps * np.round(y / steps), y), self.torque_noise * draws[:, p:]

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything that readings depend on."""
        return self.C, self.noise, self.resolution, self.torque_noise, self.seed


def _rows(sensors: Sequence[AbstractSensor], arm: Arm) -> Array:
    """(p, dof) readings per position; sensors measure the same at every pose."""
    return np.vstack([sensor.slope(arm, arm.home) for sensor in sensors])
