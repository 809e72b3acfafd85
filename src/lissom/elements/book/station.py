"""A place along a flexible link of Book 1983, where loads act."""

from __future__ import annotations

from typing import final

from lissom.elements.beam_end import Integrals
from lissom.elements.book.base import MovingFrames, velocity_of
from lissom.elements.book.end import AbstractAffineEnd, end_velocity, plus
from lissom.elements.book.field import (
    rows,
)
from lissom.elements.book.maps import (
    AffineForce,
    AffineMap,
    AffineMotion,
    BeamPosition,
    ModalForce,
)
from lissom.elements.results import FieldForce, Totals
from lissom.records import record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion
from lissom.spatial.scalar import Coordinates


@final
@record
class AffineStation(AbstractAffineEnd):
    """A place along a link where loads act; the link's mass is counted at its tip, whose coordinates these are."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(
        self, parent: Motion | AffineMotion, x: BeamPosition, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[AffineForce, Coordinates | ModalForce]:
        return FieldForce(None, None)

    def inward(
        self, on_parent: AffineForce | None, force: AffineForce, modal: Coordinates | ModalForce | None,
        x: BeamPosition,
    ) -> tuple[AffineForce | None, Coordinates | ModalForce]:  # fmt: skip
        own, on = self.project(force, x), None if on_parent is None else on_parent + self.carried(force, x)
        if isinstance(modal, ModalForce):
            return on, ModalForce(plus(modal.f, own), modal.etadd)
        return on, plus(modal or (), own)

    def moving(
        self, parent: MovingFrames, x: BeamPosition, qd: Coordinates
    ) -> tuple[AffineMap, Totals | None, Totals | None]:
        end, Wd = self._end(x.eta), rows(velocity_of(parent))
        return end_velocity(end, Wd @ end.root, x, qd), None, None
