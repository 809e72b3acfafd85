"""Inertia that should be positive definite, and is not: truncated equations can lose that."""

from __future__ import annotations

import warnings

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def first_indefinite(M: Array) -> tuple[int, ...] | None:
    """Where the first matrix (..., n, n) stands that has an eigenvalue below zero; None if none has."""
    try:
        np.linalg.cholesky(M)
        return None
    except np.linalg.LinAlgError:
        values = np.linalg.eigvalsh(M)
    below = np.argwhere(values[..., 0] < -1e-12 * values[..., -1])
    return tuple(int(k) for k in below[0]) if len(below) else None


def warn_of_indefinite(arm: Arm, M: Array, verb: str) -> None:
    """Say where the truncated inertia M (..., n, n) of an arm is not definite."""
    at = first_indefinite(M)
    if at is not None:
        where = f" of state {list(at)}" if at else ""
        warnings.warn(
            f"{verb}: the inertia matrix{where} of arm {arm.name!r} is not positive definite: flexibility="
            f"{arm.flexibility!r} drops products of deflections that hold it so, (37), (72) or (73) of Book 1983. "
            "Motions from here mean nothing; use flexibility='linear' or 'second_order'.",
            IndefiniteInertia,
            stacklevel=4,
        )
