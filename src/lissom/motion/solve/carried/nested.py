"""Multipliers of a solution on a coarse mesh for the same problem on a finer one.

A multiplier of a row at a fraction s of the duration is a density times the part of the duration that the row stands
for. Rows of the same quantity, coordinate and side have one density, which is piecewise linear between the rows of the
coarse mesh. Bounds of control points are treated likewise, at their Greville abscissae.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from lissom.motion.solve.solver import Solution
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.sparsity import Indices
from lissom.spatial.rotations import Array

Places = dict[Hashable, tuple[Indices, Array]]  # numbers of the rows of a kind, and their fractions


def prolonged(program: Program, solution: Solution, finer: Program, x: Array) -> Solution | None:
    """A solution as a start on a finer mesh, where its splines have the variables x.

    None where that has not proved useful: where a program is not smooth, or has unactuated coordinates or closed loops.
    """
    if not (finer.smooth and finer.curves.shared) or finer.curves.each:
        return None
    rows = _spread(_kinds(program), solution.multipliers, _kinds(finer), finer.count)
    bounds = _spread(_points(program), solution.bound_multipliers, _points(finer), finer.size)
    return solution._replace(x=x, multipliers=rows, bound_multipliers=bounds)


def _kinds(program: Program) -> Places:
    """Rows of the same quantity and coordinate that are limited on the same sides."""
    found: dict[Hashable, tuple[list[int], list[float]]] = {}
    sides = zip(np.isfinite(program.lower).tolist(), np.isfinite(program.upper).tolist(), strict=True)
    for k, ((what, who, s), side) in enumerate(zip(program.names, sides, strict=True)):
        rows, fractions = found.setdefault((what, who, side), ([], []))
        rows.append(k)
        fractions.append(s)
    return {kind: (np.array(rows), np.array(fractions)) for kind, (rows, fractions) in found.items()}


def _points(program: Program) -> Places:
    """Free control points of each coordinate."""
    places, owners = program.curves.variable_places.T
    s = program.curves.spaces[0].basis.greville[places // program.curves.n]
    return {int(c): (np.flatnonzero(owners == c), s[owners == c]) for c in np.unique(owners)}


def _spread(coarse: Places, multipliers: Array, fine: Places, count: int) -> Array:
    """(count,) multipliers on the finer mesh."""
    out = np.zeros(count)
    for kind in fine.keys() & coarse.keys():
        (rows, s), (to, at) = coarse[kind], fine[kind]
        known, which = np.unique(s, return_inverse=True)
        density = np.bincount(which, multipliers[rows]) / _parts(known)
        new, where, often = np.unique(at, return_inverse=True, return_counts=True)
        out[to] = (np.interp(new, known, density) * _parts(new) / often)[where]
    return out


def _parts(s: Array) -> Array:
    """The part of the duration that each of the increasing fractions s stands for."""
    return np.ones(1) if len(s) == 1 else np.gradient(s) * np.where(np.arange(len(s)) % (len(s) - 1), 1.0, 0.5)
