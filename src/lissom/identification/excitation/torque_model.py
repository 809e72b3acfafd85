"""Torques as a linear function of unknown parameters: inertia of links, armature and friction of joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.identification.columns.inertia import carriers
from lissom.identification.fit.base import BaseParameters
from lissom.identification.fit.masks import Indices, Mask
from lissom.identification.fit.pseudo_inertia import COUNT, WITHIN, WORDS
from lissom.model.arm import Arm
from lissom.model.following import totals
from lissom.spatial.rotations import Array
from lissom.verbs.sensitivity import inertial_parameters, regressor, regressor_product

OF_JOINTS = ("armature", "viscous", "coulomb", "offset")
FRICTION = OF_JOINTS[1:]
ROWS = 8  # of random states for each parameter


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

    Attributes
    ----------
    names : (p,) of str      such as "forearm.Ixy" and "elbow.viscous"
    prior : (p,)             of the arm; friction and offsets count as unknown, 0
    """

    def __init__(self, arm: Arm, slow: Array) -> None:
        self.arm, self.slow = arm, slow
        links = carriers(arm)
        self._own = np.array([COUNT * k + part for k in links for part in range(COUNT)], int)
        parts = [f"{arm.links[k].name}.{part}" for k in links for part in WORDS]
        self.names = (*parts, *(f"{name}.{part}" for part in OF_JOINTS for name in arm.coordinates))
        self.prior = np.zeros(len(self.names))
        self.prior[: len(self._own)] = inertial_parameters(arm)[self._own]
        self.prior[self.drive("armature")] = arm.expanded(totals(arm, "reflected_inertia", 2))

    def drive(self, part: str) -> Indices:
        """(dof,) columns of one parameter of all joints."""
        first = len(self._own) + OF_JOINTS.index(part) * self.arm.dof
        return np.arange(first, first + self.arm.dof)

    def columns(self, at: States) -> Array:
        """(N, dof, p): the torque of each parameter."""
        n = self.arm.dof
        out = np.zeros((len(at.q), n, len(self.names)))
        out[..., : len(self._own)] = regressor(self.arm, *at)[..., self._own]
        sign = np.tanh(at.qd / self.slow)
        for part, values in zip(OF_JOINTS, (at.qdd, at.qd, sign, np.ones_like(at.qd)), strict=True):
            out[:, range(n), self.drive(part)] = values
        return out

    def gradient(self, at: States, weights: Array) -> States:
        """Derivatives (N, dof) of the sum of all entries of `columns` times weights (N, dof, p)."""
        n = self.arm.dof
        armature, viscous, coulomb = (weights[:, range(n), self.drive(part)] for part in OF_JOINTS[:3])
        of_links = np.zeros((len(at.q), n, COUNT * len(self.arm.links)))
        of_links[..., self._own] = weights[..., : len(self._own)]
        found = regressor_product(self.arm, *at, of_links)
        turn = coulomb / (self.slow * np.cosh(np.clip(at.qd / self.slow, -300, 300)) ** 2)
        return States(found.q, found.qd + viscous + turn, found.qdd + armature)

    def base(self, measured: Mask, held: dict[int, float]) -> BaseParameters:
        """Base parameters, from random states.

        measured : (dof,)     whose torque is known
        held : positions of coordinates that do not move
        """
        n, rng = self.arm.dof, np.random.default_rng(0)
        count = max(ROWS * len(self.names) // n, 40)
        q, qd, qdd = (rng.uniform(-size, size, (count, n)) for size in (np.pi, 2.0, 5.0))
        for k, position in held.items():
            q[:, k], qd[:, k], qdd[:, k] = position, 0.0, 0.0
        W = self.columns(States(q, qd, qdd))[:, measured].reshape(-1, len(self.names))
        order = [first + k for first in range(0, len(self._own), COUNT) for k in WITHIN]
        drives = range(len(self._own), len(self.names))
        return BaseParameters.of(W, [*order, *drives], self.names, len(order))
