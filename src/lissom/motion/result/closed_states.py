"""States of a motion with its loops closed exactly.

Splines of all coordinates close loops at the knots alone. So only as many coordinates as the loops leave free are taken
from them; the others follow from the closures, with rates and accelerations that are true derivatives:

    phi(q) = 0        G qd = 0        G qdd + drift = 0        solved for the coordinates that follow

Which ones follow is decided once for the whole motion: of choices that are nowhere near singular, the one that changes
the torques least, since limits were kept on the splines. Where there is none, all coordinates move, by the smallest
change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from lissom.kernels.cache import closure_of
from lissom.loops.algebra import independent_coordinates, mul, null_basis, split
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

STATES = 41  # along a motion at which the choice is made
ROUNDS = 4  # of Newton's method, which doubles the correct digits in each
EXACT = 1e-14  # m or rad
FEW = 20  # choices that are all tried
POOR = 1e-2  # of a motion that a coordinate must have, for the others to follow it


class ClosedStates:
    """States with the loops closed, from states nearby.

    independent, following : coordinates that are taken as they are, and those that follow
    good : bool                  the others follow from these everywhere; else all coordinates move
    """

    def __init__(self, arm: Arm, independent: NDArray[np.intp], good: bool) -> None:
        self.close, self.independent = closure_of(arm), independent
        self.following = np.setdiff1d(np.arange(arm.dof), self.independent)
        self._moved = self.following if good else np.arange(arm.dof)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return closed states near given ones, (N, dof) each."""
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
        """Return how closed states (N, dof) change with the independent coordinates y, (N, dof, len(y)) each.

        dq = T dy, and with rates of y that stay, dqd = W dy.
        """
        some, y, G = self.following, self.independent, self.close(q).G
        moves = split(G[:, :, some])
        T, W = np.zeros((2, *q.shape, len(y)))
        T[:, y] = np.eye(len(y))
        for j in range(len(y)):
            T[:, some, j] = -moves.least_motion(G[:, :, y[j]])
            W[:, some, j] = -moves.least_motion(self.close.second_derivative(q, np.ascontiguousarray(T[:, :, j]), qd))
        return T, W


def closed_states(arm: Arm, states: Sequence[Array], torques: Callable[..., Array]) -> ClosedStates:
    """Return the correction for a motion: its states q, qd, qdd (N, dof), and a function of states for its torques."""
    close = closure_of(arm)
    some = np.linspace(0, len(states[0]) - 1, STATES).astype(int)
    choices = _choices(close(close.nearly_closed(states[0][some])).G)
    best = max(choices, key=lambda choice: choices[choice])
    good = [choice for choice, worst in choices.items() if worst > POOR]
    if len(good) < 2:
        return ClosedStates(arm, np.array(best, np.intp), bool(good))
    planned = torques(*states)

    def change(made: ClosedStates) -> float:
        return float(np.abs(torques(*made(*states)) - planned).max())

    return min((ClosedStates(arm, np.array(choice, np.intp), True) for choice in good), key=change)


def _choices(G: Array) -> dict[tuple[int, ...], float]:
    """Independent coordinates that suit one of the states with closures G (k, m, n), and how well they suit the worst.

    Of a motion with one in which no other coordinate moves, one; where others move without it, zero.
    """
    bases = [null_basis(one) for one in G]
    least = min(N.shape[1] for N in bases)
    bases = [N for N in bases if N.shape[1] == least]
    n = G.shape[-1]
    if comb(n, least) <= FEW:
        found = set(combinations(range(n), least))
    else:
        found = {tuple(independent_coordinates(N, np.ones(n)).tolist()) for N in bases}

    def worst(choice: tuple[int, ...]) -> float:
        return min(float(np.linalg.svd(N[list(choice)], compute_uv=False).min(initial=1.0)) for N in bases)

    return {choice: worst(choice) for choice in sorted(found)}
