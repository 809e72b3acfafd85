"""Inertia of the drives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.columns.terms import State, Terms, diagonal
from lissom.identification.fit.masks import Mask
from lissom.model.arm import Arm
from lissom.model.following import totals
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Armatures:
    """Inertia of the drive of every actuated joint, at the joint, mimic joints included."""

    terms: Terms
    driven: Mask
    kind: str = "armature"

    @classmethod
    def of(cls, arm: Arm, sought: bool = True) -> Armatures:
        """The drives of an arm; none if they are not sought."""
        driven = np.array([sought and joint.actuated for joint in arm.joints], bool)
        joints = [joint for joint in arm.joints if sought and joint.actuated]
        prior = totals(arm, "reflected_inertia", 2)[driven]
        units = tuple("kg m^2" if joint.angular else "kg" for joint in joints)
        names = tuple(f"{joint.name}.armature" for joint in joints)
        return cls(Terms(names, units, prior, prior, np.ones(len(joints), bool)), driven)

    def columns(self, state: State) -> Array:
        """See `Block`."""
        return diagonal(state.samples.qdd)[..., self.driven]
