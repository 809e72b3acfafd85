"""Steps of an interior-point method with equality rows.

With A the slopes of the equality rows and v their violation, a step solves

    K dx + A^T y = r,      A dx = -v

It has a minimum where K is positive definite along the rows, that is on the null space of A, and may be indefinite
elsewhere. So the condensed matrix is K + rho A^T A, which for a large rho is positive definite just there (Finsler's
lemma); with rho A^T v taken from r the step is the same. Its factors give y from the small matrix
A (K + rho A^T A)^-1 A^T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from lissom.motion.solve.interior.condensed import Condensed, Factors
from lissom.motion.transcription.sparsity import Pattern
from lissom.spatial.rotations import Array


class Tied(NamedTuple):
    """Slopes A of the equality rows, (K + rho A^T A)^-1 A^T, and the Cholesky factor of A times that."""

    A: Array
    X: Array
    root: Array

    def step(self, free: Array, violation: Array) -> tuple[Array, Array]:
        """The step and the multipliers of the equality rows, from the step `free` without these multipliers."""
        y = lapack.dpotrs(self.root, self.A @ free + violation, lower=1)[0]
        return free - self.X @ y, y


class Equalities:
    """The equality rows of a program.

    Parameters
    ----------
    pattern : Pattern     of the Jacobian
    equal : (count,) bool     which rows they are
    """

    def __init__(self, pattern: Pattern, equal: NDArray[np.bool_]) -> None:
        self._at = np.flatnonzero(equal[pattern.rows])
        number = np.cumsum(equal) - 1
        self._places = number[pattern.rows[self._at]], pattern.columns[self._at]
        self._shape = int(equal.sum()), pattern.shape[1]

    def tied(self, system: Condensed, factors: Factors, J: Array) -> Tied | None:
        """What steps along the rows need, from the nonzeros of J; None where rows depend on each other."""
        A = np.zeros(self._shape)
        A[self._places] = J[self._at]
        X = system.solved(factors, A.T)
        root, failed = lapack.dpotrf(A @ X, lower=1)
        return None if failed else Tied(A, X, root)
