"""What must hold for a run of an arm with closed loops to start, or a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import InputError, UnsupportedError
from lissom.loops.algebra import Split, split
from lissom.simulation.controllers import PD, ComputedTorque, GravityCompensation, Impedance
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.simulation.linkage import Linkage

ASIDE = 1e-3  # rad or m that a start is moved to see whether it is singular
FAINT = 1e-2  # of that distance beside the largest singular value: less comes of what is left open there


def refuse_controller(loop: Linkage) -> None:
    """Controllers with a model of the arm believe in the tree."""
    control = loop.controller
    if isinstance(control, ComputedTorque | GravityCompensation | Impedance) or (
        isinstance(control, PD) and control.gravity
    ):
        word = "PD with gravity=True" if isinstance(control, PD) else type(control).__name__
        raise UnsupportedError(
            f"simulate: {word} knows the arm as a tree, and arm {loop.arm.name!r} has closed loops. Give tau as a "
            "function tau(t, q, qd) that calls inverse_dynamics of the closed arm, or use PD or StateFeedback."
        )


def refuse_prescribed(loop: Linkage, G: Array) -> None:
    """Prescribed joints must leave the others a way to follow."""
    if loop.prescribed and (split(G[..., loop.free]).rank < split(G).rank).any():
        names = ", ".join(repr(loop.arm.coordinates[k]) for k in loop.prescribed)
        raise InputError(
            f"simulate: prescribed leads {names}, more than the closed loops leave free (mobility "
            f"{loop.arm.dof - loop.rank}), or not independent of each other. Prescribe fewer joints."
        )


def refuse_friction(loop: Linkage, G: Array) -> None:
    """Whichever joints stick, the others must have a way to follow: else who bears what is not unique."""
    others = loop.free.copy()
    others[loop.sliding] = False
    if loop.sliding and (split(G[..., others]).rank < loop.rank).any():
        names = ", ".join(repr(loop.arm.coordinates[k]) for k in loop.sliding)
        raise UnsupportedError(
            f"simulate: joints {names} have dry friction, more of them than the closed loops leave independent "
            f"(mobility {loop.arm.dof - loop.rank}): which of them sticks is not unique. Leave friction to as many "
            "joints as move independently, say those with motors, and give the others damping."
        )


def refuse_singular(loop: Linkage, q: Array, parts: Split) -> None:
    """A start at which closures lose rank has more than one way to go on: beside it they hold more."""
    aside = ASIDE * parts.tangent(np.random.default_rng(0).standard_normal(q.shape))
    for k, rank in enumerate(parts.rank):
        s = np.linalg.svd(loop.close(loop.close.nearly_closed(q[k] + aside[k])).G, compute_uv=False)
        if rank < loop.rank or (s[rank:] > FAINT * ASIDE * s[0]).any():
            which = f" of run {k}" if len(q) > 1 else ""
            raise InputError(
                f"simulate: q0{which} is a singular configuration of the closed loops (rank {int(rank)}, more "
                "beside it): the motion has more than one way to go on. Start beside it."
            )
