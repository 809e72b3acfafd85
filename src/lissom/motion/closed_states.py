"""States of a motion with its loops closed exactly.

Splines of all coordinates close loops at the knots alone. So only as many coordinates as the loops leave free are taken
from them; the others follow from the closures, with rates and accelerations that are true derivatives:

    phi(q) = 0        G qd = 0        G qdd + drift = 0        solved for the coordinates that follow

Which ones follow is decided once for the whole motion: of choices that suit single states the one that is farthest
from singular everywhere. Where none is far enough, all coordinates move, by the smallest change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.loops.algebra import independent_coordinates, mul, null_basis, split
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.closures import closure_of

STATES = 41  # along a motion at which the choice is made
ROUNDS = 4  # of Newton's method, which doubles the correct digits in each
EXACT = 1e-14  # m or rad
POOR = 1e-2  # of a motion that a coordinate must have, for the others to follow it


class ClosedStates:
    """States with the loops closed, from states nearby.

    q : (k, dof)                 positions along the motion
    independent, following       coordinates that are taken as they are, and those that follow
    """

    def __init__(self, arm: Arm, q: Array) -> None:
        self.close = closure_of(arm)
        self.independent, good = _independent(self.close(self.close.nearly_closed(q)).G)
        self.following = np.setdiff1d(np.arange(arm.dof), self.independent)
        self._moved = self.following if good else np.arange(arm.dof)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """(N, dof) each."""
        some = self._moved
        q, qd, qdd = q.copy(), qd.copy(), qdd.copy()
        for _ in range(ROUNDS):
            gaps = self.close(q)
            if np.abs(gaps.phi).max(initial=0.0) <= EXACT:
                break
            q[:, some] -= split(gaps.G[:, :, some]).least_motion(gaps.phi)
        G = self.close(q).G
        moves = split(G[:, :, some])
        qd[:, some] -= moves.least_motion(mul(G, qd))
        qdd[:, some] -= moves.least_motion(mul(G, qdd) + self.close(q, qd).drift)
        return q, qd, qdd

    def tangents(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """How closed states (N, dof) change with the independent coordinates y, (N, dof, len(y)) each.

        dq = T dy, and with rates of y that stay, dqd = W dy.
        """
        some, y, G = self.following, self.independent, self.close(q).G
        moves = split(G[:, :, some])
        T, W = np.zeros((2, *q.shape, len(y)))
        T[:, y] = np.eye(len(y))
        for j in range(len(y)):
            T[:, some, j] = -moves.least_motion(G[:, :, y[j]])
            W[:, some, j] = -moves.least_motion(self.close.bent(q, np.ascontiguousarray(T[:, :, j]), qd))
        return T, W


def _independent(G: Array) -> tuple[NDArray[np.intp], bool]:
    """Coordinates that fix all others at states with closures G (k, m, n), and whether they do so at all of them."""
    bases = [null_basis(one) for one in G]
    least = min(N.shape[1] for N in bases)
    bases = [N for N in bases if N.shape[1] == least]
    choices = {tuple(independent_coordinates(N, np.ones(len(N))).tolist()) for N in bases}

    def worst(choice: tuple[int, ...]) -> float:
        return min(float(np.linalg.svd(N[list(choice)], compute_uv=False).min(initial=1.0)) for N in bases)

    best = max(sorted(choices), key=worst)
    return np.array(best, np.intp), worst(best) > POOR
