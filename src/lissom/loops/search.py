"""Positions that close all loops, found from a guess.

Damped Gauss-Newton (Levenberg 1944, Marquardt 1963) on phi(q): with G = U S V^T the step is
-V S / (S^2 + mu) U^T phi, and mu follows how well the linear model foretold the gain. Near a solution mu is that of
the residual, and steps are the smallest that close the linear loops.

From a position that is closed to one far away, given coordinates are moved there in steps, and the others follow
along their tangents (Allgower and Georg 1990, predictor and corrector). So they come by the branch and the winding on
which a mechanism that moves there arrives, where a search that jumps may find another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.loops.algebra import NOTHING, RANK
from lissom.spatial.rotations import Array

LONGEST = 0.5  # rad or m of one step
EXACT = 1e-13  # m or rad; rounding of a mechanism some metres large
STRIDE = 0.2  # rad or m that a given coordinate is led at most in one step
SHORTEST = 1e-4  # of the whole way: steps that get shorter do not lead on
CORRECTED = 0.25  # of a step that its correction may take; more, and it may have come to another branch
FEW = 12  # steps of a correction
Residual = Callable[[Array], tuple[Array, Array]]  # q -> phi, G


class Found(NamedTuple):
    """Result of a search: q (n,), residual phi, and the number of steps."""

    q: Array
    phi: Array
    steps: int

    @property
    def gap(self) -> float:
        """Largest entry of phi [m or rad]."""
        return float(np.abs(self.phi).max(initial=0.0))


def closed(residual: Residual, q: Array, free: NDArray[np.bool_], steps: int) -> Found:
    """Close the loops from q, moving only the coordinates in `free`."""
    q = q.copy()
    phi, G = residual(q)
    mu = 1e-3
    for k in range(steps):
        size = float(phi @ phi)
        if np.abs(phi).max(initial=0.0) <= EXACT:
            return Found(q, phi, k)
        U, s, Vt = np.linalg.svd(G[:, free], full_matrices=False)
        kept = s > max(RANK * float(s.max(initial=0.0)), NOTHING)
        part = U.T @ phi
        step = -Vt.T @ np.where(kept, s * part / (s * s + mu * min(1.0, size)), 0.0)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        new = q.copy()
        new[free] += step
        new_phi, new_G = residual(new)
        gained, predicted = size - float(new_phi @ new_phi), size - float(np.sum((phi + G[:, free] @ step) ** 2))
        if gained <= 0.0 or predicted <= 0.0:
            if np.abs(phi).max() <= 1e3 * EXACT or mu > 1e9 or predicted <= 1e-15 * size:
                return Found(q, phi, k)
            mu = max(10.0 * mu, 1e-6)
            continue
        mu *= 0.1 if gained > 0.75 * predicted else 1.0 if gained > 0.25 * predicted else 4.0
        q, phi, G = new, new_phi, new_G
    return Found(q, phi, steps)


def nearest(
    residual: Residual,
    guess: Array,
    free: NDArray[np.bool_],
    steps: int,
    tries: int,
    good: Callable[[Array], bool],
    tolerance: float,
) -> tuple[Found, bool]:
    """The solution found from the guess or, if there is none, the nearest one found from guesses around it.

    good : whether a solution is meant, and not one with an axis turned round
    Returns the search that came closest to closing, and whether it did.
    """
    best = closed(residual, guess, free, steps)
    if best.gap <= tolerance and good(best.q):
        return best, True
    rng = np.random.default_rng(0)
    solved: list[Found] = []
    for k in range(tries):
        start = guess.copy()
        start[free] += (0.2 + 1.3 * k / tries) * rng.standard_normal(int(free.sum()))
        found = closed(residual, start, free, steps)
        if found.gap <= tolerance and good(found.q):
            solved.append(found)
        elif found.gap < best.gap or best.gap <= tolerance:
            best = found
    if solved:
        return min(solved, key=lambda found: float(np.abs(found.q - guess).max())), True
    return best, False


def followed(residual: Residual, q: Array, goal: Array, free: NDArray[np.bool_], tolerance: float) -> Array | None:
    """Follow the closed positions from q (n,) to the one whose fixed coordinates are those of `goal`.

    None where the way there, straight for the given coordinates, does not lead through.
    """
    way = np.where(free, 0.0, goal - q)
    far = float(np.abs(way).max(initial=0.0))
    longest = min(1.0, STRIDE / max(far, 1e-300))
    x, h, at = 0.0, longest, q
    phi, G = residual(at)
    while x < 1.0:
        h = min(h, 1.0 - x)
        guess = at + h * way
        guess[free] -= _least(G[:, free], phi + h * (G @ way))
        found = closed(residual, guess, free, FEW)
        if found.gap > tolerance or np.abs(found.q - guess).max() > CORRECTED * np.abs(guess - at).max() + tolerance:
            h /= 2
            if h < SHORTEST:
                return None
            continue
        x, h, at = (1.0 if h >= 1.0 - x else x + h), min(2 * h, longest), found.q
        phi, G = residual(at)
    return at


def _least(G: Array, rows: Array) -> Array:
    """The smallest x with G x = rows, in the least-squares sense."""
    return np.asarray(np.linalg.lstsq(G, rows, rcond=RANK)[0])
