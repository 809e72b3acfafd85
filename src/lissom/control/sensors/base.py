"""The contract of sensors: what they measure, linearised about a pose."""

from __future__ import annotations

from abc import ABC, abstractmethod

from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class AbstractSensor(KnownKeywords, ABC):
    """A measurement that depends on the positions of an arm: p numbers with names."""

    @abstractmethod
    def names(self, arm: Arm) -> tuple[str, ...]:
        """Names of the p numbers; raises InputError where the arm does not have what is measured."""

    @abstractmethod
    def slope(self, arm: Arm, q: Array) -> Array:
        """(p, dof) derivatives of the numbers by the positions, at one pose."""
