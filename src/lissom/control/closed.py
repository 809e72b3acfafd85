"""Linear models of arms with closed loops, in independent coordinates, and their equilibria.

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

from lissom.kernels.cache import closure_of
from lissom.kernels.closed_loops import (
    accelerated,
    force_slope,
    forward_dynamics_gradient,
    tree_torques,
)
from lissom.kernels.closures import Closure
from lissom.kernels.loads import Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS_GRADIENT
from lissom.loops.algebra import independent_coordinates, least_torques, null_basis, split
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.spatial.rotations import Array

# of independent coordinates those of motors are preferred, then modes and springs
MOTOR, ELASTIC, PASSIVE = 4.0, 2.0, 1.0


class Reduced(NamedTuple):
    """dydd = A_y dy + A_yd dyd + B dtau; dq = T dy, dqd = T dyd + W dy; which coordinates y are, and ydd."""

    A_y: Array
    A_yd: Array
    B: Array
    T: Array
    W: Array
    independent: NDArray[np.intp]
    ydd: Array


def holding(arm: Arm, q: Array, qd: Array, applied: Applied) -> Array:
    """(dof,) torques of the motors for the smallest accelerations that keep the loops closed."""
    gaps = closure_of(arm)(q, qd)
    parts = split(gaps.G)
    qdd = parts.least_motion(-gaps.drift)
    tau = tree_torques(arm, (q, qd, qdd), applied)[-1]
    return least_torques(tau, parts, arm.actuated).u


def reduced(arm: Arm, q: Array, qd: Array, tau: Array, loads: Any, base: Any) -> Reduced:
    """The linear model of an arm with closed loops."""
    applied, close = Applied(loads, base), closure_of(arm)
    F_q, F_qd, F_tau = forward_dynamics_gradient(arm, (q, qd, tau), applied)
    qdd, _ = accelerated(arm, (q, qd, tau), applied, "linearise")
    T, y = tangent(arm, close(q).G)
    W = _turning(close, q, qd, T, y)
    return Reduced((F_q @ T + F_qd @ W)[y], (F_qd @ T)[y], F_tau[y], T, W, y, qdd[y])


def tangent(arm: Arm, G: Array) -> tuple[Array, NDArray[np.intp]]:
    """T (dof, mobility), and the coordinates that it is the identity of."""
    N = null_basis(G)
    weights = np.where(arm.actuated, MOTOR, PASSIVE)
    weights[arm.mode_index] = ELASTIC
    y = independent_coordinates(N, weights)
    return np.asarray(np.linalg.solve(N[y].T, N.T).T, float), y


def _turning(close: Closure, q: Array, qd: Array, T: Array, y: NDArray[np.intp]) -> Array:
    """W (dof, mobility): derivative of qd with respect to y at constant yd."""
    W = np.zeros_like(T)
    if not qd.any() or not T.shape[1]:
        return W
    others = np.setdiff1d(np.arange(len(q)), y)
    inside = split(close(q).G[:, others])
    W[others] = np.stack([inside.least_motion(-row) for row in close.second_derivative(q, T.T.copy(), qd)], axis=1)
    return W


# ---- rest ----------------------------------------------------------------------------------------


class Rest(NamedTuple):
    """An equilibrium: positions, motor torques, residual torques, and stability."""

    q: Array
    tau: Array
    left: Array
    stable: bool


def rest(arm: Arm, start: Array, loads: list[Load], iterations: int) -> Rest:
    """Equilibrium of the unactuated coordinates with closed loops; actuated joints keep their positions.

    With p the coordinates that no motor holds, Newton's method (least squares) on
    tau_p(q) - (G^T lambda)_p = 0, phi(q) = 0, over q_p and lambda.
    """
    from scipy.optimize import least_squares

    close, p, still = closure_of(arm), ~arm.actuated, np.zeros(arm.dof)
    size, applied = int(p.sum()), Applied(loads)

    def full(x: Array) -> Array:
        q = start.copy()
        q[p] = x[:size]
        return q

    def residual(x: Array) -> Array:
        gaps, tau = close(full(x)), tree_torques(arm, (full(x), still, still), applied)[-1]
        return np.concatenate([(tau - gaps.G.T @ x[size:])[p], gaps.phi])

    def slope(x: Array) -> Array:
        G = close(full(x)).G[:, p]
        K = _stiffness(close, full(x), x[size:], applied)[np.ix_(p, p)]
        return np.block([[K, -G.T], [G, np.zeros((len(G), len(G)))]])

    first = split(close(start).G).least_force(tree_torques(arm, (start, still, still), applied)[-1])
    done = least_squares(residual, np.concatenate([start[p], first]), slope, xtol=1e-15, ftol=1e-15, gtol=1e-15,
                         max_nfev=iterations)  # fmt: skip
    q, force = full(done.x), done.x[size:]
    gaps = close(q[None])
    close.refuse_open(q[None], gaps, "equilibrium", "the equilibrium pose")
    tau = tree_torques(arm, (q, still, still), applied)[-1]
    found = least_torques(tau, split(gaps.G[0]), arm.actuated)
    N = null_basis(gaps.G[0][:, p])
    K = N.T @ _stiffness(close, q, force, applied)[np.ix_(p, p)] @ N
    return Rest(q, found.u, found.left, not K.size or bool(np.linalg.eigvalsh((K + K.T) / 2).min() > 0))


def _stiffness(close: Closure, q: Array, force: Array, applied: Applied) -> Array:
    """(dof, dof) stiffness: derivative of the torques at rest, less that of the closure forces."""
    still = np.zeros(len(q))
    by_q = tree_call(close.arm, INVERSE_DYNAMICS_GRADIENT.name, (q, still, still), Applied(applied.loads))[0]
    return np.asarray(by_q - force_slope(close, q, force))
