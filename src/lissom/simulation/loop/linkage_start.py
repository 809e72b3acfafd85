"""Checks before a run of an arm with closed loops starts."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError, UnsupportedError
from lissom.kernels.closures import Closure
from lissom.loops.algebra import Split, split
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.spatial.rotations import Array

ASIDE = 1e-3  # rad or m that a start is moved to see whether it is singular
FAINT = 1e-2  # of that distance beside the largest singular value: less comes of what is left open there


def refuse_controller(loop: ClosedLoop) -> None:
    """Raise an error for controllers with a model of the arm, which would ignore the loops."""
    control = loop.controller
    if control is not None and control.needs_model:
        raise UnsupportedError(
            f"simulate: {control.label} does not support the closed loops of arm {loop.arm.name!r}. Give tau as a "
            "function tau(t, q, qd) that calls inverse_dynamics of the closed arm, or use PD, PID or StateFeedback."
        )


def refuse_prescribed(loop: ClosedLoop, G: Array, free: Array, rank: int) -> None:
    """Raise an error where prescribed joints over-constrain the loops."""
    if loop.prescribed and (split(G[..., free]).rank < split(G).rank).any():
        names = ", ".join(repr(loop.arm.coordinates[k]) for k in loop.prescribed)
        raise InputError(
            f"simulate: prescribed joints {names} over-constrain the closed loops (mobility "
            f"{loop.arm.dof - rank}). Prescribe fewer, independent joints."
        )


def refuse_friction(loop: ClosedLoop, G: Array, free: Array, rank: int) -> None:
    """Raise an error where sticking joints could over-constrain the loops: friction torques would not be unique."""
    others = free.copy()
    others[loop.sliding] = False
    if loop.sliding and (split(G[..., others]).rank < rank).any():
        names = ", ".join(repr(loop.arm.coordinates[k]) for k in loop.sliding)
        raise UnsupportedError(
            f"simulate: joints {names} have Coulomb friction, but the closed loops leave only "
            f"{loop.arm.dof - rank} of them independent, so which of them sticks is not unique. Give friction to "
            "independent joints only, for example the actuated ones, and damping to the others."
        )


def refuse_singular(close: Closure, q: Array, parts: Split) -> None:
    """Raise an error for a start at a singular configuration, from which the motion is not unique."""
    aside = ASIDE * parts.tangent(np.random.default_rng(0).standard_normal(q.shape))
    most = parts.rank.max()
    for k, rank in enumerate(parts.rank):
        s = np.linalg.svd(close(close.nearly_closed(q[k] + aside[k])).G, compute_uv=False)
        if rank < most or (s[rank:] > FAINT * ASIDE * s[0]).any():
            which = f" of run {k}" if len(q) > 1 else ""
            raise InputError(
                f"simulate: q0{which} is a singular configuration of the closed loops (rank {int(rank)}, higher "
                "nearby), from which the motion is not unique. Start from a configuration nearby."
            )
