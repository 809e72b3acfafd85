"""Base parameters: the combinations of parameters that a motion can show at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lissom.identification.fit.masks import Indices
from lissom.spatial.rotations import Array

# Files round rotations (1.5708 for a right angle): axes are off by up to 1e-5, and so are torques. What they alone tell
# apart, far below the noise of any log, would be two huge parameters of opposite sign.
INDEPENDENT = 1e-4  # of a column's size must be left when those before it are taken out
NOTHING = 2e-5  # of the largest column of a body must be left too: less is gravity about axes not quite vertical
ZERO = 1e-9  # coefficients below are those of rounding
SHOWN = 4  # digits of coefficients


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """b = K x: each base parameter is one parameter plus multiples of others that act as it does.

    Parameters
    ----------
    kept : (nb,)     indices of the parameters that lead the combinations
    K : (nb, p)
    names : sequence of str (nb,)     such as "fore.Izz + 0.25 hand.m", without what adds nothing to the torques
    """

    kept: Indices
    K: Array
    names: tuple[str, ...]

    @classmethod
    def of(cls, W: Array, order: Sequence[int], names: Sequence[str], of_bodies: int) -> BaseParameters:
        """Find them from columns W (rows, p) at random states, visited in an order (Gram and Schmidt, twice).

        Parameters that come late regroup into those before them; columns that are zero belong to no combination. The
        first columns, `of_bodies` in number, are inertial parameters.
        """
        size = np.linalg.norm(W, axis=0)
        least = INDEPENDENT * size
        least[:of_bodies] = np.maximum(least[:of_bodies], NOTHING * size[:of_bodies].max(initial=0.0))
        size[size < least] = 0.0
        kept = np.array(sorted(_independent(W, size, least, order)), np.intp)
        rest = np.setdiff1d(np.flatnonzero(size > 0.0), kept)
        beta = np.linalg.lstsq(W[:, kept], W[:, rest], rcond=None)[0]
        beta[np.abs(beta) < ZERO] = 0.0
        K = np.zeros((len(kept), W.shape[1]))
        K[range(len(kept)), kept] = 1.0
        K[:, rest] = beta
        shown = np.where(np.abs(K) * size[kept, None] > INDEPENDENT * size, K, 0.0)
        return cls(kept, K, tuple(_name(row, int(k), names) for row, k in zip(shown, kept, strict=True)))

    def of_parameters(self, x: Array) -> Array:
        """Base parameters (nb,) of parameters (p,)."""
        return np.asarray(self.K @ x)


def _independent(W: Array, size: Array, least: Array, order: Sequence[int]) -> list[int]:
    """Indices of columns of which more than the least is independent of those visited before."""
    Q = np.zeros((W.shape[1], len(W)))
    found: list[int] = []
    for k in order:
        if size[k] == 0.0:
            continue
        left = W[:, k] / size[k]
        basis = Q[: len(found)]
        for _ in range(2):  # twice is enough against rounding
            left = left - basis.T @ (basis @ left)
        length = np.linalg.norm(left)
        if length * size[k] > least[k]:
            Q[len(found)] = left / length
            found.append(k)
    return found


def _name(row: Array, leader: int, names: Sequence[str]) -> str:
    """A combination as text."""
    parts = [names[leader]]
    for k in np.flatnonzero(row):
        if k != leader:
            size = f"{abs(row[k]):.{SHOWN}g} "
            factor = "" if size == "1 " else size
            parts.append(f"{'+' if row[k] > 0 else '-'} {factor}{names[int(k)]}")
    return " ".join(parts)
