"""A beam behind the body of a joint: its root is fixed there, its tip carries a frame, its modes are coordinates."""

from __future__ import annotations

from typing import final

from lissom.elements.arrays import Objects, objects
from lissom.elements.beam_end import (
    AbstractBeamEnd,
    Integrals,
    Reach,
    acceleration_of,
    array,
    attached,
    carrying,
    pairs,
    rotation,
    symmetric,
    vector,
)
from lissom.elements.elimination import Eliminated, eliminated
from lissom.elements.field import field_force, field_inertia, loss, strain_energy
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
    totals_of,
)
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody, Energies, RigidInertia
from lissom.spatial.motions import Motion, Twist, Wrench
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import ZERO, Vector3, skew as skew3


@final
@record
class SecondOrderBeam(AbstractBeamEnd):
    """A beam whose displacement field is exact to second order in its amplitudes, and what is rigid on its tip."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(
        self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[Wrench, Coordinates]:
        t = self.integrals.tables
        F, N, f = field_force(t, *self._root_motion(parent), *(objects(v) for v in (x, qd, qdd)))
        return FieldForce(Wrench(vector(F), vector(N)).turned(rotation(t.root)).moved(vector(t.p)), tuple(f))

    # ---- world axes ------------------------------------------------------------------------------

    def _inertia(self, at: Reach, eta: Objects) -> ModalInertia:
        """Inertia in world axes, about the parent's origin."""
        t = self.integrals.tables
        h, I, X, Me = field_inertia(t, eta)
        composite = RigidInertia(t.C[0, 0], vector(h), symmetric(I)).turned(at.root).moved(at.p)
        forces = tuple(Wrench(vector(F), vector(N)).turned(at.root).moved(at.p) for N, F in X)
        return ModalInertia(composite, forces, tuple(Me))

    def _field_totals(self, at: Reach, parent: MovingBody, x: Coordinates, qd: Coordinates) -> Totals | None:
        """Totals of the composite with locked modes, with X etad and 1/2 etad Me etad of the modes."""
        own, w, v = self._inertia(at, objects(x)), parent.w, parent.v
        assert own.composite is not None
        locked = totals_of(MovingBody(parent.R, parent.o, w, v), own.composite)
        flow = Wrench(ZERO, ZERO)
        for X, rate in zip(own.X, qd, strict=True):
            flow = flow + X * rate
        T = add(locked.T, add(w.dot(flow.n), v.dot(flow.f)))
        for entry, (k, l) in zip(own.Me, pairs(len(own.X)), strict=True):
            T = add(T, mul(0.5 if k == l else 1, mul(mul(qd[k], qd[l]), entry)))
        return Totals(T, locked.moment, locked.P + flow.f, locked.L + flow.n + parent.o.cross(flow.f))

    def with_strain(self, energies: Energies, x: Coordinates) -> Energies:
        return Energies(energies.T, energies.V + strain_energy(self.integrals.tables, objects(x)))

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        return power + loss(self.integrals.tables, objects(qd))

    def velocity(self, parent: MovingFrame, x: Coordinates, qd: Coordinates) -> Velocity:
        eta, etad = objects(x), objects(qd)
        tip = self.integrals.tip(eta, etad)
        at, w = self._reach(parent.R, tip), parent.w
        u, a = (array(at.root.T @ v) for v in (w, skew3(w).times(skew3(w)).apply(at.p)))
        F, N, f = field_force(self.integrals.tables, u, 0 * u, a, eta, etad, 0 * eta)
        p = Wrench(vector(F), vector(N)).turned(at.root).moved(at.p)
        own = self._inertia(at, eta)
        return Velocity(*self._path(at, w, tip), ModalInertia(own.composite, own.X, own.Me, p, tuple(f)))

    @staticmethod
    def eliminate(
        path: Path, body: Body, modal: ModalInertia | None, beyond: ArticulatedBody | None, force: Coordinates,
        pivot: AbstractPivot, free: Scalar | None, armature: Scalar, mass: Scalar,
    ) -> Inward:  # fmt: skip
        """Modes with inertia H = Me + S^T IA S, forces U = X + T^T IA S and u = tau - f - S^T (pA + IA c)."""
        assert modal is not None
        modal, on_parent = attached(path, body, modal, beyond, mass)
        assert modal.composite is not None
        assert modal.p is not None
        m = len(path.S)
        root = ArticulatedBody.rigid(modal.composite, modal.p) + on_parent
        locked = [modal.Me[k * m - k * (k - 1) // 2] for k in range(m)]
        u = [sub(tau, f) for tau, f in zip(force, modal.f, strict=True)]
        kept, left = eliminated(modal.Me, modal.X, u, locked, pivot, free, root)
        return Inward(kept, None, left)

    @staticmethod
    def accelerate(
        parent: Twist, path: Path, kept: Eliminated | None, qdd: Coordinates | None
    ) -> tuple[Coordinates, Twist]:
        assert kept is not None
        found = kept.accelerations(parent)
        return found, acceleration_of(parent, path, found)

    def _placed_inertia(self, at: Reach, o: Vector3, eta: Objects) -> tuple[RigidInertia | None, ModalInertia | None]:
        own = self._inertia(at, eta)
        return own.composite, ModalInertia(None, tuple(X.moved(o) for X in own.X), own.Me)

    @staticmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        with_end = carrying(directions, modal, composite, o)
        return Columns(with_end.X, with_end.Me, None)
