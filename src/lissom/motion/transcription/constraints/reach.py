"""Places in space that a motion has to reach: see `reaching` for the rows of one."""

from __future__ import annotations

import numpy as np

from lissom.motion.splines.curves import Curves
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Positions
from lissom.motion.transcription.places import Place
from lissom.motion.transcription.rows import Block, Scaled
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array


class ReachTargets(AbstractConstraint):
    """Start, via points and goal that are given as a `Reach`.

    Where the arm is singular, its joints are held at the solution: a solver cannot work with rows that depend on each
    other.
    """

    def __init__(self, spec: Specification) -> None:
        self._names = spec.names
        places = [place for place in spec.places if place.reaching is not None]
        singular = [place.reaching.singular(place.q[0]) for place in places]  # type: ignore[union-attr]
        self._places = places
        self._free = [place for place, held in zip(places, singular, strict=True) if not held]
        self._held = [place for place, held in zip(places, singular, strict=True) if held]

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """Rows of the frames."""
        return [place.reaching.block(place.q[0]) for place in self._free if place.reaching is not None]

    def linear(self, curves: Curves) -> list[Scaled]:
        """Joints at the solution of a place where the arm is singular."""
        return [self._held_row(curves, place) for place in self._held]

    def _held_row(self, curves: Curves, place: Place) -> Scaled:
        assert place.reaching is not None
        some = place.reaching.moving(place.q[0])
        local, zero = curves.local(np.array([place.s]), 1), np.zeros(len(some))
        names = [(f"position at the {place.word}", self._names[k], place.s) for k in some]
        return Scaled(local.A[some], local.c[some] - place.q[0, some], zero, 0, zero, zero, names)

    def missed(self, at: Positions) -> str:
        """A sentence about a place that a motion does not reach; empty where it reaches all."""
        found = [place.reaching.missed(at(np.array([place.s]))[0]) for place in self._places if place.reaching]
        return next((sentence for sentence in found if sentence), "")
