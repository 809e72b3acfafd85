"""Friction of joints along a simulation whose derivatives exist: smooth about standstill.

The compiled functions are those of the arm without friction; this is added to the torques outside of them.
"""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

SLOW = 0.01  # rate below which the direction of a motion is smoothed [rad/s or m/s]
STRIDE = 1e-4  # of differences by the rate


def without_friction(arm: Arm) -> Arm:
    """The arm without friction in its joints; what `damping` says stays."""
    smooth = {link.name: link.joint.replace(friction=0.0) for link in arm.links if link.joint.friction}
    if not smooth:
        return arm
    return arm.replace(links=[link.replace(joint=smooth.get(link.name, link.joint)) for link in arm.links])


class Resistance:
    """Friction of all coordinates of an arm; laws that depend on the load are left out."""

    def __init__(self, arm: Arm):
        at = arm.joint_index
        self.coulomb, self.viscous = np.zeros(arm.dof), np.zeros(arm.dof)
        self.coulomb[at] = arm.friction
        self.viscous[at] = arm.damping - without_friction(arm).damping
        laws = [joint.friction_laws.further for joint in arm.joints]
        self.further = [(int(k), law) for k, law in zip(at, laws, strict=True) if law.laws]

    @property
    def there(self) -> bool:
        """Whether there is any."""
        return bool(self.coulomb.any() or self.viscous.any() or self.further)

    def same(self, other: Resistance) -> bool:
        """Whether another one has the same numbers."""
        pairs = ((self.coulomb, other.coulomb), (self.viscous, other.viscous))
        return all(np.array_equal(a, b) for a, b in pairs) and self.further == other.further

    def torque(self, qd: Array) -> Array:
        """Torques (lanes, dof) that friction takes."""
        return self._torque(qd, np.tanh(qd / SLOW))

    def slope(self, qd: Array) -> Array:
        """Derivatives (lanes, dof) by the rates: of the law, and of the direction, in which it is linear."""
        way, h = np.tanh(qd / SLOW), STRIDE
        near, far = (self._torque(qd + m * h, way) - self._torque(qd - m * h, way) for m in (1, 2))
        by_way = (self._torque(qd, way + h) - self._torque(qd, way - h)) / (2 * h)
        return (8 * near - far) / (12 * h) + by_way * (1 - way**2) / SLOW

    def _torque(self, qd: Array, way: Array) -> Array:
        out = self.coulomb * way + self.viscous * qd
        for k, law in self.further:
            out[:, k] += law.torque(qd[:, k], 0.0, way[:, k])
        return out
