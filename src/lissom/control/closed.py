"""Linear models of arms with closed loops, in coordinates that the closures leave independent.

Around a state that keeps the loops closed, G dq = 0: all coordinates follow from as many independent ones y as the
arm has mobility, dq = T dy, T = N N_y^-1 with N a basis of the motions that keep G. Rates follow as qd = T(q) yd, so

    dqd = T dyd + W dy,        G W_k = -phi''(T_k, qd), no part of W along y

and accelerations by the derivatives F of forward dynamics along such changes:

    dydd = (F_q T + F_qd W)_y dy + (F_qd T)_y dyd + (F_tau)_y dtau
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.loops.algebra import independent_coordinates, least_torques, null_basis, split
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.closures import Closure, closure_of
from lissom.verbs.looped import Acting, accelerated, forward_gradient, tree_torques

# of independent coordinates those of motors are preferred, then modes and springs
MOTOR, ELASTIC, PASSIVE = 4.0, 2.0, 1.0


class Reduced(NamedTuple):
    """dydd = A_y dy + A_yd dyd + B dtau; dq = T dy; which coordinates y are, and their accelerations."""

    A_y: Array
    A_yd: Array
    B: Array
    T: Array
    independent: NDArray[np.intp]
    ydd: Array


def holding(arm: Arm, q: Array, qd: Array, acting: Acting) -> Array:
    """(dof,) torques of the motors for the smallest accelerations that keep the loops closed."""
    gaps = closure_of(arm)(q, qd)
    parts = split(gaps.G)
    qdd = parts.least_motion(-gaps.drift)
    tau = tree_torques(arm, (q, qd, qdd), acting)[-1]
    return least_torques(tau, parts, arm.actuated).u


def reduced(arm: Arm, q: Array, qd: Array, tau: Array, loads: Any, base: Any) -> Reduced:
    """The linear model of an arm with closed loops."""
    acting, close = Acting(loads, base), closure_of(arm)
    F_q, F_qd, F_tau = forward_gradient(arm, (q, qd, tau), acting)
    qdd, _ = accelerated(arm, (q, qd, tau), acting, "linearise")
    T, y = tangent(arm, close(q).G)
    W = _turning(close, q, qd, T, y)
    return Reduced((F_q @ T + F_qd @ W)[y], (F_qd @ T)[y], F_tau[y], T, y, qdd[y])


def tangent(arm: Arm, G: Array) -> tuple[Array, NDArray[np.intp]]:
    """T (dof, mobility), and the coordinates that it is the identity of."""
    N = null_basis(G)
    weights = np.where(arm.actuated, MOTOR, PASSIVE)
    weights[arm.mode_index] = ELASTIC
    y = independent_coordinates(N, weights)
    return np.asarray(np.linalg.solve(N[y].T, N.T).T, float), y


def _turning(close: Closure, q: Array, qd: Array, T: Array, y: NDArray[np.intp]) -> Array:
    """W (dof, mobility): how qd changes with y while yd stays."""
    W = np.zeros_like(T)
    if not qd.any() or not T.shape[1]:
        return W
    others = np.setdiff1d(np.arange(len(q)), y)
    inside = split(close(q).G[:, others])
    W[others] = np.stack([inside.least_motion(-row) for row in close.bent(q, T.T.copy(), qd)], axis=1)
    return W
