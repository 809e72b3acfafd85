"""Poses at which a linear model is made: whether the arm can stand there."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from lissom.control.equilibrium import at_rest
from lissom.errors import InputError
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

NEAR = 1e-4  # rad, m or amplitudes: a pose given with few digits counts as the equilibrium next to it
STILL = 1e-6  # accelerations, SI


def standing(arm: Arm, q: ArrayLike, verb: str) -> Array:
    """(dof,) the pose that the arm holds: the equilibrium with these joints; other whole states are refused."""
    given = as_state(arm, q, "q", verb)
    if given.ndim != 1:
        raise InputError(f"{verb}: q has shape {given.shape}; expected one state ({arm.dof},).")
    if arm.loops or arm.actuated.all():
        return given
    rest = at_rest(arm, given).q
    off = np.abs(rest - given)
    if _joints_only(arm, q) or off.max() <= NEAR:
        return rest
    k = int(np.argmax(off))
    raise InputError(
        f"{verb}: q is no equilibrium, so the arm cannot be held there: {arm.coordinates[k]!r} is {given[k]:.4g} "
        f"and would settle to {rest[k]:.4g}. Give the joints only, or ls.equilibrium(arm, q).q."
    )


def warn_if_unsettled(arm: Arm, q: ArrayLike, drift: Array) -> None:
    """Warn where joints only were given, and links or springs do not rest as they are taken, at zero."""
    if arm.loops or not _joints_only(arm, q) or np.abs(drift).max(initial=0.0) <= STILL:
        return
    warnings.warn(
        "linearise: q has joints only, so links and springs are taken as not deflected, which is no equilibrium "
        f"(.drift is up to {np.abs(drift).max():.3g}). Use ls.equilibrium(arm, q).q.",
        UserWarning, stacklevel=4,
    )  # fmt: skip


def _joints_only(arm: Arm, q: ArrayLike) -> bool:
    """Whether positions have one entry per joint, of an arm with more coordinates."""
    return np.shape(q)[-1] != arm.dof
