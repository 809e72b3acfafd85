"""Limits and states of an arm: bounds of its coordinates, named poses, positions of all joints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import ModelError
from lissom.later import cached_property
from lissom.model import following
from lissom.model.fields import array, choice, frozen, rank
from lissom.model.limits import QUANTITIES
from lissom.model.poses import READY
from lissom.model.structure import AbstractTree
from lissom.spatial.rotations import Array

AnyArm = TypeVar("AnyArm", bound="AbstractArm")


class AbstractArm(AbstractTree):
    """An arm without the methods that edit, describe and convert it: what these are given."""

    def bounds(self, quantity: str) -> tuple[Array, Array]:
        """Lower and upper limits (n_joints,) of one quantity of `joints`, infinite where unlimited.

        Limits of mimic joints also bound the joint that they follow, except torque limits. Position limits of a
        mimic joint that would allow no motion are ignored (`check` lists them).
        """
        return following.bounds(self, choice(quantity, "quantity", QUANTITIES))

    @cached_property
    def friction(self) -> Array:
        """(n_joints,) Coulomb friction at each of `joints`, its mimic joints included [N m or N]."""
        return frozen(following.totals(self, "coulomb", 1))

    @cached_property
    def breakaway(self) -> Array:
        """(n_joints,) friction that holds each of `joints` at rest without load, Coulomb and Stribeck [N m or N]."""
        return frozen(self.friction + [joint.friction_laws.stribeck for joint in self.joints])

    @cached_property
    def asymmetry(self) -> Array:
        """(n_joints,) size of the difference of friction at each of `joints` from its mean direction [N m or N]."""
        return frozen([abs(joint.friction_laws.asymmetry) for joint in self.joints])

    @cached_property
    def sticks(self) -> NDArray[np.bool_]:
        """(n_joints,) whether friction can hold each of `joints` at rest."""
        return (self.breakaway > 0.0) | np.array([joint.friction_laws.load > 0.0 for joint in self.joints], bool)

    @cached_property
    def damping(self) -> Array:
        """(n_joints,) viscous friction at each of `joints`, its mimic joints included [N m s or N s/m]."""
        return frozen(following.totals(self, "viscous", 2))

    @cached_property
    def actuator_lag(self) -> Array:
        """(n_joints,) time constant between commanded and acting torque at each of `joints`; zero without lag [s]."""
        return frozen([0.0 if joint.actuator is None else joint.actuator.lag for joint in self.joints])

    @property
    def home(self) -> Array:
        """(dof,) all zero, moved to the nearest limit where zero is not allowed."""
        q = np.zeros(self.dof)
        q[self.joint_index] = np.clip(0.0, *self.bounds("position")) + 0.0
        return q

    @cached_property
    def poses(self) -> Mapping[str, Array]:
        """Named poses as states (dof,): joints that a pose does not name are at `home`.

        Positions of joints that the arm does not have, or that do not move independently, are ignored, so that arms
        with joints locked or left out keep their poses.

        Examples
        --------
        >>> import lissom as ls
        >>> rod = ls.Link("rod", joint=ls.Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.3, 0, 0))
        >>> ls.Arm("pendulum", [rod], named_poses={"ready": {"rod": 0.5}}).poses["ready"].tolist()
        [0.5]
        """
        places = {joint.name: int(k) for joint, k in zip(self.joints, self.joint_index, strict=True)}
        out = {}
        for pose_named in self.named_poses:
            q = self.home
            for joint, position in pose_named.positions:
                if joint in places:
                    q[places[joint]] = position
            out[pose_named.name] = frozen(q)
        return MappingProxyType(out)

    @property
    def ready(self) -> Array:
        """(dof,) the pose that figures and the viewer show by default: the named pose "ready", otherwise `home`."""
        return np.array(self.poses.get(READY, self.home))

    def joint_positions(self, q: ArrayLike) -> Array:
        """Positions (..., len(moving_joints)) of all moving joints, mimic joints included.

        Parameters
        ----------
        q : (dof,) or (..., dof)      coordinates; one entry per joint is accepted

        Examples
        --------
        >>> import lissom as ls
        >>> finger = ls.Link("finger", joint=ls.Joint("prismatic"), mass=0.1)
        >>> other = ls.Link("other", joint=ls.Joint("prismatic", mimic=ls.Mimic("finger", -1.0)), mass=0.1)
        >>> ls.Arm("gripper", [finger, other]).joint_positions([0.02]).tolist()
        [0.02, -0.02]
        """
        q = self.expanded(array(q, "q", (*[None] * (max(rank(q), 1) - 1), None)))
        return following.positions(self, q)

    def expanded(self, q: Array) -> Array:
        """A copy of a state with one entry per coordinate; given one entry per joint, elastic coordinates are zero."""
        if q.shape[-1] == self.dof:
            return np.array(q)
        if q.shape[-1] != len(self.joints):
            raise ModelError(
                f"a state has {q.shape[-1]} entries; expected {self.dof} coordinates or {len(self.joints)} joints.",
                f"arm {self.name!r}",
            )
        full = np.zeros((*q.shape[:-1], self.dof))
        full[..., self.joint_index] = q
        return full
