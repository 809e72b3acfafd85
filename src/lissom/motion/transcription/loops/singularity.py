"""Singular configurations on the way of a motion of closed loops.

Two matrices lose their rank at such places: G, where closures hold less than elsewhere and the arm may go on in more
than one way, and its columns of passive joints, where motors no longer lead what the loops leave free and their torques
grow beyond all bounds next to it. A motion that solves its program may jump over one between two samples, so the
smallest singular values are followed along it (see `lissom.loops`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError
from lissom.loops.dips import SINGULAR, lows
from lissom.loops.words import held_less, weakest_loop
from lissom.motion.transcription.loops.closing import Closing
from lissom.spatial.rotations import Array

BESIDE = 1e-5  # of the duration: torques are looked at so near to where they may be large
# G of loops that are open by 1e-5 m, which motions are between knots, stays so far from losing its rank
OPEN_WAY = 1e-3
HINT = "Choose a goal or via points on the same side of it, try more starts (starts=), or make more joints actuated"

Positions = Callable[[Array], Array]  # fractions of the duration (k,) -> (k, n)


class Condition(NamedTuple):
    """Columns of G whose rank must stay `rank`, how small their singular values may be, and what is lost else."""

    columns: NDArray[np.intp]
    rank: int
    small: float
    words: Callable[[str], str]


def _undriven(which: str) -> str:
    return f"the actuators no longer control every degree of freedom of {which}, and torques nearby are unbounded"


def _conditions(closing: Closing) -> list[Condition]:
    every, passive = np.arange(closing.arm.dof), closing.passive
    found = [Condition(every, closing.count, OPEN_WAY, held_less)] if closing.count else []
    return found + ([Condition(passive, len(passive), SINGULAR, _undriven)] if len(passive) else [])


def _sizes(closing: Closing, at: Condition, q: Array) -> Array:
    """(k,) smallest singular value that counts beside the largest, at positions (k, n)."""
    s = np.linalg.svd(closing.close(q).G[..., at.columns], compute_uv=False)
    return np.asarray(s[..., at.rank - 1] / s[..., 0])


def narrows(closing: Closing, way: Positions, s: Array) -> Array:
    """Fractions at and beside which a motion comes nearest to singular configurations; s: those of a fine grid."""
    found = [low.t for at in _conditions(closing) for low in lows(partial(_along, closing, at, way), s)]
    return np.clip(np.add.outer(np.array(found), [-BESIDE, 0.0, BESIDE]).ravel(), 0.0, 1.0)


def _along(closing: Closing, at: Condition, way: Positions, s: Array) -> Array:
    return _sizes(closing, at, closing.close.nearly_closed(way(s)))


def crossed(closing: Closing, way: Positions, s: Array, T: float) -> str:
    """The first singular configuration on the way in words, empty where there is none."""
    for at in _conditions(closing):
        for low in lows(partial(_along, closing, at, way), s):
            if low.value <= at.small:
                where = _words(closing, at, way(np.array([low.t]))[0])
                return f"at {low.t * T:.4g} s, where {where}. {HINT}"
    return ""


def _words(closing: Closing, at: Condition, q: Array) -> str:
    return at.words(weakest_loop(closing.arm, closing.close(q).G[:, at.columns], at.rank))


def refuse_singular(closing: Closing, q: Array, verb: str, word: str) -> None:
    """Positions (n,) of an end must not be singular."""
    for at in _conditions(closing):
        if _sizes(closing, at, q[None])[0] <= SINGULAR:
            raise InputError(
                f"{verb}: the {word} is a singular configuration, where {_words(closing, at, q)}. Move it."
            )
