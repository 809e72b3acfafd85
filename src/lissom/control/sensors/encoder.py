"""Encoders: positions of motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lissom.control.sensors.base import AbstractSensor
from lissom.errors import InputError, shown, suggest
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


@dataclass(frozen=True)
class Encoder(AbstractSensor):
    """Encoders of joints: their positions on the side of the motor [rad or m].

    Parameters
    ----------
    joints : sequence of str, or None    names of joint coordinates, in the order wanted; None: all actuated ones
    noise : float            standard deviation of the noise of a reading [rad or m]
    resolution : float       distance between two neighbouring readings [rad or m]: ``2 pi / counts``; 0: continuous

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> ls.linearise(arm, [0.0, 0.5], output=ls.Encoder()).outputs
    ('joint1', 'joint2')
    """

    readable: ClassVar[bool] = True
    joints: Sequence[str] | None = None
    noise: float = 0.0
    resolution: float = 0.0

    def __post_init__(self) -> None:
        self._refuse_negative("noise", "resolution")

    def names(self, arm: Arm) -> tuple[str, ...]:
        """Names of the joint coordinates."""
        if self.joints is None:
            return tuple(name for name, drive in zip(arm.coordinates, arm.actuated, strict=True) if drive)
        known = tuple(arm.coordinates[k] for k in arm.joint_index)
        wanted = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        for name in wanted:
            if name not in known:
                raise InputError(f"Encoder: {shown(name)} is not a joint coordinate; {suggest(str(name), known)}")
        return wanted

    def slope(self, arm: Arm, q: Array) -> Array:
        """(p, dof) rows of the identity."""
        return np.eye(arm.dof)[[arm.coordinates.index(name) for name in self.names(arm)]]
