"""Squared derivatives of contact forces by time."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, Parts
from lissom.spatial.rotations import Array


class ContactForceRate(AbstractCriterion):
    """Sum of squared rates of the forces of all contacts, in units of the weight of the arm."""

    name, title = "contact_force_rate", "contact force rate"
    meaning, unit = "mean of the sum of squared rates of contact forces, in units of the arm's weight", "1/s^2"
    of_contacts = True

    def check(self, joints: Joints, verb: str) -> None:
        """Raise `InputError`: motions without contacts cannot have it."""
        raise InputError(f"{verb}: contact_force_rate is for motions with contacts; give phases=(Phase(...), ...).")

    def value(self, at: Course, joints: Joints) -> Array:
        """Return zeros (N,): a motion without contacts has none."""
        return np.zeros(len(at.q))

    def tape(self) -> None:
        """Return nothing: kernels have no contact forces."""
        return

    def parts(self, joints: Joints) -> Parts:
        """Return one."""
        return Parts.none(len(joints.names))._replace(force_rate=1.0)
