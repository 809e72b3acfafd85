"""Names of loops and closure rows, and messages about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.loops.closure import KINDS
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def loop_names(arm: Arm) -> tuple[str, ...]:
    """Names of the loops, such as ``loop 2 (coupler - base, revolute)``."""
    return tuple(
        f"loop {i + 1} ({loop.a[0] or 'base'} - {loop.b[0] or 'base'}, {loop.joint})"
        for i, loop in enumerate(arm.loops)
    )


def row_names(arm: Arm) -> tuple[str, ...]:
    """Names of the closure rows, such as ``loop 2 (coupler - base, revolute): turn about x``."""
    names = loop_names(arm)
    return tuple(f"{names[i]}: {word}" for i, loop in enumerate(arm.loops) for word in KINDS[loop.joint].words)


def row_units(arm: Arm) -> tuple[str, ...]:
    """Units of the closure rows, ``m`` or ``rad``."""
    return tuple("m" if word.startswith("shift") else "rad" for loop in arm.loops for word in KINDS[loop.joint].words)


def loop_of_row(arm: Arm) -> NDArray[np.intp]:
    """(m,) the loop that a row belongs to."""
    return np.repeat(np.arange(len(arm.loops)), [KINDS[loop.joint].rows.count for loop in arm.loops])


def largest(arm: Arm, rows: Array, per: str = "") -> str:
    """The largest of rows (m,) as text: ``loop 1 (...): shift along x by 0.01 m``; per: ``/s`` for rates."""
    k = int(np.argmax(np.abs(rows)))
    return f"{row_names(arm)[k]} by {abs(float(rows[k])):.3g} {row_units(arm)[k]}{per}"


def weakest_loop(arm: Arm, G: Array, rank: int) -> str:
    """The loop that the weakest of `rank` combinations of the rows of G (m, k) belongs to."""
    U = np.linalg.svd(G, full_matrices=False)[0]
    return loop_names(arm)[int(np.argmax(np.bincount(loop_of_row(arm), U[:, rank - 1] ** 2)))]


def held_less(which: str) -> str:
    """The message about a loop whose closures lose rank."""
    return f"{which} no longer constrains all its directions"
