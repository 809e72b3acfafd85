"""Positive definiteness check of inertia matrices, which truncated equations can lose at large deflections."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lissom.engine.blocks import boxes, rows_in_room
from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.spatial.rotations import Array

ROUNDING = 1e-12  # of the eigenvalues of a mass matrix, relative
HOUSE = str(Path(__file__).parents[1])


class Lost(NamedTuple):
    """Number of the first matrix that is not positive definite, and its smallest eigenvalue."""

    number: int
    least: float


def first_indefinite(M: Array) -> Lost | None:
    """The first matrix of (..., n, n) with an eigenvalue below zero; None if none has one."""
    batch, row_bytes = M.shape[:-2], 2 * M.shape[-1] ** 2 * M.itemsize
    for box in boxes(batch, rows_in_room(row_bytes)):
        some = M[box.index].reshape(box.rows, *M.shape[-2:])
        try:
            np.linalg.cholesky(some)
            continue
        except np.linalg.LinAlgError:
            values = np.linalg.eigvalsh(some)
        below = np.flatnonzero(values[:, 0] < -ROUNDING * values[:, -1])
        if len(below):
            return Lost(int(below[0]) + box.first, float(values[below[0], 0]))
    return None


def message(arm: Arm, least: float, where: str = "", method: str | None = None) -> str:
    """The text of a warning or error for a mass matrix with a negative smallest eigenvalue.

    method : the formulation that it is of, which is also the name of a flexibility model
    """
    why = MODELS[method or arm.flexibility].truncated
    use = "flexibility='linear' or 'second_order'" if method is None else "flexibility='second_order' without method"
    return (
        f"the inertia of arm {arm.name!r}{where} has the eigenvalue {least:.3g}: {why}, and is no longer positive "
        f"definite at this deflection; use {use}, or keep deflections smaller."
    )


def warn_of_indefinite(
    arm: Arm, M: Array, verb: str, method: str | None = None, spot: tuple[tuple[int, ...], int] | None = None
) -> bool:
    """Warn where the inertia M (..., n, n) of an arm is not positive definite; True if it warned.

    spot : the batch that these are some of, and the number of the first
    """
    lost = first_indefinite(M)
    if lost is None:
        return False
    batch, first = spot or (M.shape[:-2], 0)
    where = f" at state {[int(k) for k in np.unravel_index(first + lost.number, batch)]}" if batch else ""
    warn_user(f"{verb}: {message(arm, lost.least, where, method)}")
    return True


def warn_user(sentence: str) -> None:
    """Issue a warning that points to the line that called into the library."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HOUSE):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, IndefiniteInertia, stacklevel=level)
