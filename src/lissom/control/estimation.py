"""Kalman filters of linear plants, and controllers that use their estimates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.control.plant import Plant
from lissom.control.reachability import modal_reach
from lissom.control.riccati import estimator_covariance
from lissom.errors import InputError, SolveError
from lissom.kernels.arguments import as_numbers
from lissom.spatial.rotations import Array


def kalman_gain(plant: Plant, W: ArrayLike, V: ArrayLike) -> Array:
    """Stationary gain; P is the covariance of the error of the estimate, before the measurement when sampled."""
    from scipy.linalg import solve_continuous_are

    (n, _), C = plant.B.shape, plant.C
    noise = [symmetric(W, n, "W", "kalman", "variances"), symmetric(V, len(C), "V", "kalman", "variances")]
    try:
        if plant.dt is None:
            P = solve_continuous_are(plant.A.T, C.T, *noise)
        else:
            P = estimator_covariance(plant.A, C, *noise)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise SolveError(
            f"kalman: no stable estimator ({error}). Check that V is positive definite, and that every motion that "
            f"does not decay shows in the outputs; the weakest is that of {modal_reach(plant, outputs=True).weakest}."
        ) from None
    innovation = noise[1] if plant.dt is None else C @ P @ C.T + noise[1]
    return np.asarray(np.linalg.solve(innovation, C @ P).T)


def lqg_matrices(plant: Plant, K: Array, L: Array) -> tuple[Array, Array, Array, Array]:
    """A, B, C, D of the controller u = -K x^ with estimates by the gain L; its states are x^, its inputs y."""
    A, B, C, D = plant.A, plant.B, plant.C, plant.D
    if plant.dt is None:
        return A - B @ K - L @ C + L @ D @ K, L, -K, np.zeros((len(K), len(C)))
    if D.any():
        raise InputError("lqg: the sampled plant has direct feedthrough (D is not zero); expected D = 0.")
    # the state is the prediction; u follows from the estimate after the measurement
    corrected = np.eye(len(A)) - L @ C
    return ((A - B @ K) @ corrected, (A - B @ K) @ L, -K @ corrected, -K @ L)


def symmetric(value: ArrayLike, n: int, word: str, verb: str, meaning: str) -> Array:
    """A symmetric (n, n) matrix, or the diagonal matrix of n numbers; `meaning` is what they are, for messages."""
    matrix = as_numbers(value, word, verb)
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    if matrix.shape != (n, n) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        got = f"has shape {np.shape(value)}" if matrix.shape != (n, n) else "is not symmetric"
        raise InputError(f"{verb}: {word} {got}; expected {n} {meaning} or a symmetric ({n}, {n}) matrix.")
    return matrix
