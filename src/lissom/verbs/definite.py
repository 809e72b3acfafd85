"""Inertia that should be positive definite, and is not: truncated equations can lose that."""

from __future__ import annotations

import sys
import warnings

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

ROUNDING = 1e-12  # of the eigenvalues, relative to the largest


def first_indefinite(M: Array) -> tuple[int, ...] | None:
    """Where the first matrix (..., n, n) stands that has an eigenvalue below zero; None if none has."""
    try:
        np.linalg.cholesky(M)
        return None
    except np.linalg.LinAlgError:
        values = np.linalg.eigvalsh(M)
    below = np.argwhere(values[..., 0] < -ROUNDING * values[..., -1])
    return tuple(int(k) for k in below[0]) if len(below) else None


def warn_of_indefinite(arm: Arm, M: Array, verb: str, method: str | None = None) -> None:
    """Say where the truncated inertia M (..., n, n) of an arm, or of a formulation of it, is not definite."""
    at = first_indefinite(M)
    if at is None:
        return
    if method is not None:
        where = f" at state {list(at)}" if at else ""
        warn(f"{verb}: {cut_off(arm, np.linalg.eigvalsh(M[at])[0], where)}")
        return
    where = f" of state {list(at)}" if at else ""
    warn(
        f"{verb}: the inertia matrix{where} of arm {arm.name!r} is not positive definite: flexibility="
        f"{arm.flexibility!r} drops products of deflections that hold it so, (37), (72) or (73) of Book 1983. "
        "Motions from here mean nothing; use flexibility='linear' or 'second_order'."
    )


def cut_off(arm: Arm, least: float, where: str = "") -> str:
    """What is wrong with a mass matrix that is cut off in the deflections, from its smallest eigenvalue."""
    return (
        f"the inertia of arm {arm.name!r}{where} has the eigenvalue {least:.3g}: B of De Luca and Siciliano is kept to "
        "first order in the deflections and is no longer positive definite at this deflection; use "
        "flexibility='second_order' without method, or keep deflections smaller."
    )


def warn(sentence: str) -> None:
    """Warn at the line that called lissom, however deep in it this is."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "lissom":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, IndefiniteInertia, stacklevel=level)
