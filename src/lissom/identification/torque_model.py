"""Torques as a linear function of unknown parameters: inertia of links, armature and friction of joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.sensitivity import regressor, regressor_product

OF_LINKS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
OF_JOINTS = ("armature", "viscous", "coulomb", "offset")
FRICTION = OF_JOINTS[1:]


class States(NamedTuple):
    """Positions, rates and accelerations (N, dof)."""

    q: Array
    qd: Array
    qdd: Array


class TorqueModel:
    """The columns that belong to the parameters of an arm.

    Parameters
    ----------
    arm : Arm
    slow : (dof,)     rates over which Coulomb friction changes its sign smoothly
    """

    def __init__(self, arm: Arm, slow: Array) -> None:
        self.arm, self.slow = arm, slow
        self.inertial = len(OF_LINKS) * len(arm.links)
        links = [f"{link.name}.{part}" for link in arm.links for part in OF_LINKS]
        self.names = (*links, *(f"{name}.{part}" for part in OF_JOINTS for name in arm.coordinates))

    def drive(self, part: str) -> NDArray[np.intp]:
        """(dof,) columns of one parameter of all joints."""
        first = self.inertial + OF_JOINTS.index(part) * self.arm.dof
        return np.arange(first, first + self.arm.dof)

    def columns(self, at: States) -> Array:
        """(N, dof, parameters): the torque of each parameter."""
        n = self.arm.dof
        out = np.zeros((len(at.q), n, len(self.names)))
        out[..., : self.inertial] = regressor(self.arm, *at)
        sign = np.tanh(at.qd / self.slow)
        for part, values in zip(OF_JOINTS, (at.qdd, at.qd, sign, np.ones_like(at.qd)), strict=True):
            out[:, range(n), self.drive(part)] = values
        return out

    def gradient(self, at: States, weights: Array) -> States:
        """Derivatives (N, dof) of the sum of all entries of `columns` times weights (N, dof, parameters)."""
        n = self.arm.dof
        armature, viscous, coulomb = (weights[:, range(n), self.drive(part)] for part in OF_JOINTS[:3])
        found = regressor_product(self.arm, *at, weights[..., : self.inertial])
        turn = coulomb / (self.slow * np.cosh(np.clip(at.qd / self.slow, -300, 300)) ** 2)
        return States(found.q, found.qd + viscous + turn, found.qdd + armature)
