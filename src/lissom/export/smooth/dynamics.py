"""Torques and accelerations with all first and second derivatives.

The torques have all this compiled. The accelerations z(q, qd, tau) are defined by f(q, qd, z) = tau with f the torques.
With l = M^-1 w and H the second derivatives of l . f at z, differentiating this equation once and twice gives

    d (w . z) = l . (d tau - f_q dq - f_qd dqd)
    d2 (w . z) / dx dy = -(H_xy + H_xz dz/dy + (dz/dx)^T H_zy),

where H_zz = 0 because torques are linear in accelerations, and only q has an H_xz.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from lissom.export.smooth.base import AbstractSmooth, Blocks, symmetric
from lissom.kernels.cache import functions_of
from lissom.kernels.verb import Verb
from lissom.kernels.verbs import FORWARD_DYNAMICS, INVERSE_DYNAMICS, INVERSE_DYNAMICS_HESSIAN
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.compiled import CompiledFunction, compiled
from lissom.verbs.sensitivity import inverse_dynamics_hessian, inverse_dynamics_product

Q, QD, U = range(3)
PAIRS = ((Q, Q), (Q, QD), (Q, U), (QD, Q), (QD, QD), (U, Q))


class AbstractDynamics(AbstractSmooth):
    """A vector function of three states."""

    verb: ClassVar[Verb]

    def __init__(self, arm: Arm):
        functions_of(arm).plan(INVERSE_DYNAMICS_HESSIAN)  # refused here, not while a solver runs
        self.arm, self.name, self.arguments, self.shape = arm, self.verb.name, self.verb.arguments, (arm.dof,)
        self._value: CompiledFunction = compiled(arm, self.name)
        self._gradient: CompiledFunction = compiled(arm, f"{self.name}_gradient")

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return PAIRS

    def value(self, *x: Array) -> Array:
        return self._value(*x)

    def gradient(self, *x: Array) -> Any:
        return self._gradient(*x)


class Torques(AbstractDynamics):
    """Joint torques by positions, rates and accelerations."""

    verb = INVERSE_DYNAMICS

    def product(self, *x: Array) -> Sequence[Array]:
        q, qd, qdd, w = x
        return inverse_dynamics_product(self.arm, q, qd, qdd, w)

    def hessian(self, *x: Array) -> Blocks:
        q, qd, qdd, w = x
        H = inverse_dynamics_hessian(self.arm, q, qd, qdd, w)
        return symmetric({(Q, Q): H.q_q, (Q, QD): H.q_qd, (Q, U): H.q_qdd, (QD, QD): H.qd_qd})


class Accelerations(AbstractDynamics):
    """Joint accelerations by positions, rates and torques."""

    verb = FORWARD_DYNAMICS

    def product(self, *x: Array) -> Sequence[Array]:
        *state, w = x
        return [_along(w, matrix) for matrix in self.gradient(*state)]

    def hessian(self, *x: Array) -> Blocks:
        q, qd, u, w = x
        z = self.gradient(q, qd, u)
        H = inverse_dynamics_hessian(self.arm, q, qd, self.value(q, qd, u), _along(w, z.tau))
        mixed = H.q_qdd @ z.q
        blocks = {
            (Q, Q): -(H.q_q + mixed + np.swapaxes(mixed, -1, -2)),
            (Q, QD): -(H.q_qd + H.q_qdd @ z.qd),
            (Q, U): -H.q_qdd @ z.tau,
            (QD, QD): -H.qd_qd,
        }
        return symmetric(blocks)


def _along(w: Array, matrix: Array) -> Array:
    """Weights times a matrix, for every state."""
    return (w[..., None, :] @ matrix)[..., 0, :]
