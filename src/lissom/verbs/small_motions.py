"""Small motions of an arm about a pose, from its inertia and stiffness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.engine.symbolics import alone
from lissom.errors import InputError, SolveError
from lissom.kernels.cache import functions_of
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class Motions(NamedTuple):
    """Small motions of the free coordinates about a pose: vibrations, rigid motions and unstable ones.

    values : (k,)        how strongly each is pulled back, rising: squared rates [rad^2/s^2], negative: it runs away
    shapes : (dof, k)    coordinates of each, modal mass 1
    decay : (k,)         rates at which they die down, small damping assumed [1/s]
    stiffness : (dof, dof)
    """

    values: Array
    shapes: Array
    decay: Array
    stiffness: Array


def motions(arm: Arm, q: Array, free: NDArray[np.intp]) -> Motions:
    """Small motions of the free coordinates about a pose (dof,), the others locked."""
    from scipy.linalg import eigh

    N = np.eye(arm.dof)[:, free]  # motions that are possible
    M, K, D = _matrices(arm, q)
    if arm.loops:
        N, K = _closed(arm, q, N, K)
    try:
        values, U = eigh(N.T @ K @ N, N.T @ M @ N)
    except np.linalg.LinAlgError:
        raise SolveError(f"modes: the inertia of arm {arm.name!r} is singular at this pose.") from None
    shapes = N @ U
    return Motions(values, shapes, np.einsum("ik,ij,jk->k", shapes, D, shapes) / 2, K)


def _closed(arm: Arm, q: Array, N: Array, K: Array) -> tuple[Array, Array]:
    """A basis of motions that keep the loops closed, and the stiffness including that of the closure forces."""
    from lissom.kernels.cache import closure_of
    from lissom.kernels.closed_loops import force_slope, tree_torques
    from lissom.kernels.loads import Applied
    from lissom.loops.algebra import least_torques, null_basis, split

    close, still = closure_of(arm), np.zeros(arm.dof)
    gaps = close(q[None])
    close.refuse_open(q[None], gaps, "modes")
    inside = null_basis(gaps.G[0] @ N)
    if not inside.shape[1] and N.shape[1] == arm.dof:
        raise InputError(f"modes: arm {arm.name!r} cannot move: its loops remove every degree of freedom.")
    if not inside.shape[1]:
        raise InputError(
            f"modes: arm {arm.name!r} cannot move with its joints locked and its loops closed; use "
            "joints='free', or give links beams or joints a JointElasticity(...)."
        )
    tau = tree_torques(arm, (q, still, still), Applied())[-1]
    force = least_torques(tau, split(gaps.G[0]), arm.actuated).force
    return N @ inside, K - force_slope(close, q, force)


@alone
def _matrices(arm: Arm, q: Array) -> tuple[Array, Array, Array]:
    """Inertia, stiffness (springs, elasticity, gravity) and damping matrices around rest.

    Exact derivatives of inverse dynamics, found on its recorded recursion: a compiled gradient would have to be made
    anew for each of the arms that a convergence report tries.
    """
    from lissom.dynamics import inverse
    from lissom.dynamics.acting import Acting, standing_frames
    from lissom.dynamics.refusals import refuse_unready
    from lissom.engine.interrupts import uninterrupted
    from lissom.engine.program import Inline

    refuse_unready(arm)
    bodies = functions_of(arm).bodies.with_stations(standing_frames(arm))
    still = np.zeros(arm.dof)
    with uninterrupted():  # casadi swallows exceptions
        run = Inline()
        inverse.program(run, bodies.smooth, Acting())
        K, D, M = ((A + A.T) / 2 for A in run.slopes_at(q, still, still))
    return M, K, D
