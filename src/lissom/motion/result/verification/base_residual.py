"""Forces that coordinates without a motor need, and how far they lead a motion with contacts from its plan."""

from __future__ import annotations

import numpy as np
from scipy.integrate import cumulative_trapezoid

from lissom.motion.result.contact_path import balanced, contact_loads, contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.verification.force_excess import inside
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import forward_dynamics, inverse_dynamics

RESIDUAL = 1e-3  # N or N m, of what moves the base at the samples
LOOKS = 12  # in a segment


def base_residual(motion: AbstractMotion, s: Array, forces: Array) -> float:
    """Return the largest generalised force on coordinates without a motor at fractions s (N,).

    forces : (N, contacts, 3) there
    """
    free = ~motion.arm.actuated
    if not free.any():
        return 0.0
    path, t = motion.contact_path, s * motion.duration
    assert path is not None
    loads = [*motion.loads_at(t), *contact_loads(contacts_named(motion.arm, path.contacts), forces)]
    q, qd, qdd = motion.profiles(t)
    tau = inverse_dynamics(motion.arm, q, qd, qdd, loads=loads)
    return float(np.abs(np.asarray(tau)[:, free]).max())


def sample_residual(motion: AbstractMotion) -> float:
    """Return the largest generalised force on coordinates without a motor at the samples."""
    assert motion.contact_path is not None
    return base_residual(motion, motion.contact_path.s, motion.contact_path.forces)


def expected_defects(motion: AbstractMotion) -> Array:
    """(segments,) how far segments end from the plan to first order, by accelerations that nothing can balance.

    These are integrated twice from the beginning of each segment, without the growth of errors: cheaper than a replay.
    """
    path, breaks, n = motion.contact_path, motion.breaks, motion.arm.dof
    assert path is not None
    if motion.arm.actuated.all():
        return np.zeros(len(breaks) - 1)
    s = inside(breaks, LOOKS)
    t = s.ravel() * motion.duration
    (q, qd, qdd), loads = motion.profiles(t), list(motion.loads_at(t))
    forces = balanced(motion.arm, path, s.ravel(), (q, qd, qdd), loads)
    every = [*loads, *contact_loads(contacts_named(motion.arm, path.contacts), forces)]
    tau = np.where(motion.arm.actuated, inverse_dynamics(motion.arm, q, qd, qdd, loads=every), 0.0)
    apart = (forward_dynamics(motion.arm, q, qd, tau, loads=every) - qdd).reshape(*s.shape, n)
    for _ in range(2):
        apart = cumulative_trapezoid(apart, dx=1 / LOOKS, axis=1, initial=0.0)
    h = np.diff(breaks)[:, None] * motion.duration
    return np.asarray(np.abs(apart[:, -1] * h**2).max(axis=1))
