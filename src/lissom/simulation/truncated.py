"""Runs of arms whose equations are truncated in the deflections (Book 1983): what to say of them."""

from __future__ import annotations

import warnings

import numpy as np

from lissom.errors import IndefiniteInertia
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.definite import first_indefinite, warn_user
from lissom.verbs.dynamics import mass_matrix

FIX = "use flexibility='linear' or 'second_order', or keep deflections smaller"


def is_truncated(arm: Arm) -> bool:
    """Its equations are Book's, with something left out."""
    return arm.flexible and arm.flexibility.startswith("book")


def lost_inertia(arm: Arm, t: Array, q: Array) -> str:
    """Where the inertia of states (..., nt, dof) is not definite, in words and as a warning; empty if it is."""
    known = np.isfinite(q[..., 0])
    if not known.any():
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteInertia)
        lost = first_indefinite(mass_matrix(arm, np.ascontiguousarray(q[known])))
    if lost is None:
        return ""
    *_, sample = (int(axis[lost.at[0]]) for axis in np.nonzero(known))
    words = f"the truncated inertia is not positive definite at t = {t[sample]:.4g} s (eigenvalue {lost.least:.2g})"
    warn_user(f"simulate: {words}; {FIX}.")
    return words
