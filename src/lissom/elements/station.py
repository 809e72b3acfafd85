"""A place along a beam, where bodies hang or loads act."""

from __future__ import annotations

from typing import final

from lissom.elements.arrays import Objects, objects
from lissom.elements.beam_end import AbstractBeamEnd, Integrals, Reach, acceleration_of, attached, carrying
from lissom.elements.elimination import Eliminated
from lissom.elements.pivots import AbstractPivot
from lissom.elements.results import (
    Body,
    Columns,
    FieldForce,
    Inward,
    ModalInertia,
    MovingBody,
    MovingFrame,
    Path,
    Totals,
    Velocity,
)
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody, RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Twist, Wrench
from lissom.spatial.scalar import Coordinates, Scalar, sub
from lissom.spatial.vectors import Vector3


@final
@record
class Station(AbstractBeamEnd):
    """A place along a beam; the mass of the beam is counted at its tip, whose coordinates these are."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(
        self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[Wrench, Coordinates]:
        return FieldForce(None, None)

    # ---- world axes ------------------------------------------------------------------------------

    def _field_totals(self, at: Reach, parent: MovingBody, x: Coordinates, qd: Coordinates) -> Totals | None:
        return None

    def velocity(self, parent: MovingFrame, x: Coordinates, qd: Coordinates) -> Velocity:
        tip = self.integrals.tip(objects(x), objects(qd))
        return Velocity(*self._path(self._reach(parent.R, tip), parent.w, tip), None)

    def take_load(self, modal: ModalInertia, parent: MovingFrame, x: Coordinates, load: LoadValues) -> ModalInertia:
        """The forces on root and modes of the beam less a load at this place."""
        at = self._reach(parent.R, self.integrals.tip(objects(x)))
        here = Wrench(load.f, load.n).moved(at.tip @ load.point)
        assert modal.p is not None
        f = tuple(sub(own, s.dot(here)) for own, s in zip(modal.f, at.S, strict=True))
        return ModalInertia(modal.composite, modal.X, modal.Me, modal.p - here.moved(at.r), f)

    @staticmethod
    def eliminate(
        path: Path, body: Body, modal: ModalInertia | None, beyond: ArticulatedBody | None, force: Coordinates,
        pivot: AbstractPivot, free: Scalar | None, armature: Scalar, mass: Scalar,
    ) -> Inward:  # fmt: skip
        """What the place carries, added to the beam; its modes are eliminated with the tip."""
        assert modal is not None
        return Inward(None, *attached(path, body, modal, beyond, mass))

    @staticmethod
    def accelerate(
        parent: Twist, path: Path, kept: Eliminated | None, qdd: Coordinates | None
    ) -> tuple[Coordinates, Twist]:
        assert qdd is not None
        return qdd, acceleration_of(parent, path, qdd)

    def _placed_inertia(self, at: Reach, o: Vector3, eta: Objects) -> tuple[RigidInertia | None, ModalInertia | None]:
        return None, None

    @staticmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        return Columns((), (), carrying(directions, modal, composite, o))
