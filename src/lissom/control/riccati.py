"""The Riccati equation of sampled estimators, by doubling.

    P = A P A^T - A P C^T (C P C^T + V)^-1 C P A^T + W

Doubling takes 1, 2, 4 ... samples at once (Anderson 1978; E. K.-W. Chu and others, Int. J. Control 77 (2004) 767): with
F = A^T, G = C^T V^-1 C and H = W,

    F <- F (1 + G H)^-1 F,    G <- G + F (1 + G H)^-1 G F^T,    H <- H + F^T H (1 + G H)^-1 F

H becomes P, and F vanishes as the errors of the estimator do. Poles near the unit circle, as of undamped arms with
little noise, cost a few more doublings; ordered Schur forms fail there.
"""

from __future__ import annotations

import numpy as np

from lissom.spatial.rotations import Array

MOST = 60  # doublings
CONVERGED = 1e-14  # relative change of the covariances; the next would be its square


def estimator_covariance(A: Array, C: Array, W: Array, V: Array) -> Array:
    """(n, n) covariance of the errors of a stationary estimator before the measurement.

    Raises LinAlgError where there is none, or one under which the errors do not decay.
    """
    one = np.eye(len(A))
    F, G, H = A.T, C.T @ np.linalg.solve(V, C), W
    for _ in range(MOST):
        inverse = np.linalg.inv(one + G @ H)
        step = F.T @ H @ inverse @ F
        G, F, H = G + F @ inverse @ G @ F.T, F @ inverse @ F, H + (step + step.T) / 2
        if not np.isfinite(H).all():
            break
        if np.abs(step).max() <= CONVERGED * np.abs(H).max():
            gain = np.linalg.solve(C @ H @ C.T + V, C @ H).T
            if np.abs(np.linalg.eigvals(A - A @ gain @ C)).max(initial=0.0) < 1.0:
                return H
            break
    raise np.linalg.LinAlgError("errors of the estimate do not decay")
