"""The contract of sensors: what they measure, linearised about a pose, and how well they measure it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from lissom.errors import InputError, shown
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class AbstractSensor(KnownKeywords, ABC):
    """A measurement that depends on the positions of an arm: p numbers with names.

    readable : the numbers are exactly `slope` times the positions, at every pose, so that readings can be simulated
    noise : standard deviation of the noise of a reading, in the unit of the numbers
    resolution : distance between two numbers that a reading can have; 0: any number
    """

    readable: ClassVar[bool] = False
    noise: float = 0.0
    resolution: float = 0.0

    @abstractmethod
    def names(self, arm: Arm) -> tuple[str, ...]:
        """Names of the p numbers; raises InputError where the arm does not have what is measured."""

    @abstractmethod
    def slope(self, arm: Arm, q: Array) -> Array:
        """(p, dof) derivatives of the numbers by the positions, at one pose."""

    def variances(self, arm: Arm) -> Array:
        """(p,) variances of readings about what is measured: noise, and rounding to the resolution."""
        return np.full(len(self.names(arm)), self.noise**2 + self.resolution**2 / 12)

    def _refuse_negative(self, *words: str) -> None:
        """Raise an error where one of these numbers is not a finite number of at least 0."""
        for word in words:
            value = getattr(self, word)
            good = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
            if not good or not 0 <= value < np.inf:
                raise InputError(f"{type(self).__name__}: {word} is {shown(value)}; expected a number of at least 0.")
