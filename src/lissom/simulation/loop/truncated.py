"""Messages for arms whose equations are truncated in the deflections."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.kernels.positive_definiteness import first_indefinite, warn_user
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.spatial.rotations import Array

FIX = "use flexibility='linear' or 'second_order', or keep deflections smaller"


def is_truncated(arm: Arm) -> bool:
    """Whether the equations of the arm are truncated, so that its mass matrix may not be positive definite."""
    return arm.flexible and bool(MODELS[arm.flexibility].truncated)


def conserves_energy(arm: Arm) -> bool:
    """Whether the equations of the arm conserve energy."""
    return not arm.flexible or MODELS[arm.flexibility].conserves_energy


def lost_inertia(loop: ClosedLoop, t: Array, q: Array, runs: Sequence[int], total: int) -> str:
    """Warn where the mass matrix of states (runs, nt, dof) first is not positive definite; return the message or "".

    runs : their numbers among the `total` of an ensemble
    """
    row, sample = np.nonzero(np.isfinite(q[..., 0]))
    order = np.lexsort((row, sample))  # by time
    row, sample = row[order], sample[order]
    numbers = np.asarray(runs)[row]
    lost = first_indefinite(_inertia(loop, q[row, sample], numbers, total)) if len(row) else None
    if lost is None:
        return ""
    at = lost.number
    who = f" of run {numbers[at]}" if total > 1 else ""
    words = f"the truncated mass matrix{who} is not positive definite at t = {t[sample[at]]:.4g} s"
    warn_user(f"simulate: {words} (eigenvalue {lost.least:.2g}); {FIX}.")
    return words


def _inertia(loop: ClosedLoop, q: Array, numbers: Any, total: int) -> Array:
    """(rows, dof, dof) with the payloads or the arms of their runs."""
    own = [x[numbers] for x in loop.own(loop.inputs.steady(total))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteInertia)
        return loop.inertia(np.ascontiguousarray(q), own)
