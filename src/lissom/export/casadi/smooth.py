"""Functions of three states, with all first and second derivatives from compiled functions of an arm.

Arrays are (..., n); u stands for the third state, qdd or tau. With w one weight per result,

    gradient(x)         three matrices (..., n, n), rows are results
    product(x, w)       d (w . y) / dx, three vectors
    hessian(x, w)       d2 (w . y) / dx dx, matrices by pairs of states; what is missing is zero

The torques have all this compiled. The accelerations z(q, qd, tau) are defined by f(q, qd, z) = tau with f the torques.
With l = M^-1 w and H the second derivatives of l . f at z, differentiating this equation once and twice gives

    d (w . z) = l . (d tau - f_q dq - f_qd dqd)
    d2 (w . z) / dx dy = -(H_xy + H_xz dz/dy + (dz/dx)^T H_zy),

where H_zz = 0 because torques are linear in accelerations, and only q has an H_xz.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import FORWARD_DYNAMICS, INVERSE_DYNAMICS, INVERSE_DYNAMICS_HESSIAN
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.compiled import CompiledFunction, compiled
from lissom.verbs.sensitivity import inverse_dynamics_hessian, inverse_dynamics_product

Blocks = dict[tuple[int, int], Array]
Q, QD, U = range(3)


class AbstractSmooth(ABC):
    """A function of an arm and three states."""

    verb: ClassVar[str]
    pairs: ClassVar[tuple[tuple[int, int], ...]] = ((Q, Q), (Q, QD), (Q, U), (QD, Q), (QD, QD), (U, Q))

    def __init__(self, arm: Arm):
        self.arm = arm
        functions_of(arm).plan(INVERSE_DYNAMICS_HESSIAN)  # refused here, not while a solver runs
        self.value: CompiledFunction = compiled(arm, self.verb)
        self.gradient: CompiledFunction = compiled(arm, f"{self.verb}_gradient")

    @abstractmethod
    def product(self, q: Array, qd: Array, u: Array, w: Array) -> tuple[Array, ...]:
        """Derivatives of the weighted sum of the results."""

    @abstractmethod
    def hessian(self, q: Array, qd: Array, u: Array, w: Array) -> Blocks:
        """Second derivatives of the weighted sum of the results, by `pairs`."""


class Torques(AbstractSmooth):
    """Joint torques by positions, rates and accelerations."""

    verb = INVERSE_DYNAMICS.name

    def product(self, q: Array, qd: Array, u: Array, w: Array) -> tuple[Array, ...]:
        return inverse_dynamics_product(self.arm, q, qd, u, w)

    def hessian(self, q: Array, qd: Array, u: Array, w: Array) -> Blocks:
        H = inverse_dynamics_hessian(self.arm, q, qd, u, w)
        return _symmetric({(Q, Q): H.q_q, (Q, QD): H.q_qd, (Q, U): H.q_qdd, (QD, QD): H.qd_qd})


class Accelerations(AbstractSmooth):
    """Joint accelerations by positions, rates and torques."""

    verb = FORWARD_DYNAMICS.name

    def product(self, q: Array, qd: Array, u: Array, w: Array) -> tuple[Array, ...]:
        z = self.gradient(q, qd, u)
        return tuple(_along(w, matrix) for matrix in z)

    def hessian(self, q: Array, qd: Array, u: Array, w: Array) -> Blocks:
        z = self.gradient(q, qd, u)
        H = inverse_dynamics_hessian(self.arm, q, qd, self.value(q, qd, u), _along(w, z.tau))
        mixed = H.q_qdd @ z.q
        blocks = {
            (Q, Q): -(H.q_q + mixed + np.swapaxes(mixed, -1, -2)),
            (Q, QD): -(H.q_qd + H.q_qdd @ z.qd),
            (Q, U): -H.q_qdd @ z.tau,
            (QD, QD): -H.qd_qd,
        }
        return _symmetric(blocks)


def _along(w: Array, matrix: Array) -> Array:
    """Weights times a matrix, for every state."""
    return (w[..., None, :] @ matrix)[..., 0, :]


def _symmetric(blocks: Blocks) -> Blocks:
    """All blocks, from those of the upper half."""
    return blocks | {(b, a): np.swapaxes(block, -1, -2) for (a, b), block in blocks.items() if a != b}


SMOOTH = {kind.verb: kind for kind in (Torques, Accelerations)}
