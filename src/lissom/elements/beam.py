"""A beam behind the body of a joint: its root is fixed there, its tip carries a frame, its modes are coordinates.

The equations of the field are sums over modes and stay arrays (`field`, `tip`); records pass between elements.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations_with_replacement
from typing import Any, final

import numpy as np

from lissom.elements.arrays import Objects, objects, skew
from lissom.elements.base import (
    AbstractElement,
    Body,
    Columns,
    FieldForce,
    Inward,
    ModalInertia,
    MovingBody,
    MovingFrame,
    Outward,
    Path,
    Placed,
    Totals,
    Velocity,
    totals_of,
)
from lissom.elements.elimination import Eliminated, eliminated
from lissom.elements.field import field_force, field_inertia
from lissom.elements.pivots import AbstractPivot
from lissom.elements.tables import Layout, Tables
from lissom.elements.tip import Tip, tip_of
from lissom.records import Packed, record
from lissom.spatial.inertias import ArticulatedBody, Energies, RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, PointVelocity, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import ZERO, Matrix3, Symmetric3, Vector3, skew as skew3


class Integrals(Packed):
    """The tables of a beam (`tables`): which entries are not zero is structure, their values are entries."""

    pattern: Layout

    @property
    def tables(self) -> Tables:
        """The tables, zeros included."""
        return self.pattern.unpacked(self.values)

    def tip(self, eta: Objects, etad: Objects | None = None) -> Tip:
        """The end of the beam for given amplitudes."""
        return tip_of(self.tables, self.pattern.cubic, eta, etad)


@record
class Reach:
    """The end of a beam in the world: origins p of the root and r of the end from the parent's origin, orientations."""

    p: Vector3
    r: Vector3
    root: Rotation
    tip: Rotation
    S: tuple[Twist, ...]


class AbstractBeamEnd(AbstractElement[Coordinates]):
    """The end of a beam, or a place along it, and the rigid body that is fixed there."""

    integrals: Integrals
    inertia: RigidInertia

    def outward(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> Outward:
        """Motion of the end, whose position r and orientation E depend on the amplitudes (`tip`)."""
        eta, etad, etadd = (objects(v) for v in (x, qd, qdd))
        w, dw, a = self._root_motion(parent)
        tip = self.integrals.tip(eta, etad)
        W = skew(dw) + skew(w) @ skew(w)
        a = a + W @ tip.r + 2 * (skew(w) @ tip.rd) + tip.Jp @ etadd + tip.gp
        w, dw = tip.E.T @ w, tip.E.T @ dw
        dw = dw + skew(w) @ tip.w + tip.Jw @ etadd + tip.gw
        motion = Motion(_vector(w + tip.w), _vector(dw), _vector(tip.E.T @ a))
        return Outward(motion, self.inertia.force(motion))

    def _root_motion(self, parent: Motion) -> tuple[Objects, Objects, Objects]:
        """(w, dw, a) of the root in beam axes."""
        t = self.integrals.tables
        w, dw, a = (t.root.T @ _array(v) for v in (parent.w, parent.dw, parent.acceleration_at(_vector(t.p))))
        return w, dw, a

    @abstractmethod
    def field_force(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> FieldForce: ...

    def inward(
        self, on_parent: Wrench | None, force: Wrench, modal: Coordinates | None, x: Coordinates
    ) -> tuple[Wrench | None, Coordinates]:
        """F += E Ft,  N += E Nt + r x E Ft,  f += Jp^T E Ft + Jw^T Nt."""
        tip = self.integrals.tip(objects(x))
        at_root = _at_root(force, tip)
        carried = self._from_root(at_root)
        own = tip.Jp.T @ _array(at_root.f) + tip.Jw.T @ _array(force.n)
        modes = tuple(add(a, b) for a, b in zip(modal or (), own, strict=True))
        return None if on_parent is None else on_parent + carried, modes

    def carried(self, force: Wrench, x: Coordinates) -> Wrench:
        return self._from_root(_at_root(force, self.integrals.tip(objects(x))))

    def _from_root(self, force: Wrench) -> Wrench:
        """A force on the root in beam axes as it acts on the parent, in the parent's axes."""
        t = self.integrals.tables
        return force.turned(_rotation(t.root)).moved(_vector(t.p))

    def orientation(self, parent: Rotation, x: Coordinates) -> Rotation:
        return self._reach(parent, self.integrals.tip(objects(x))).tip

    # ---- world axes ------------------------------------------------------------------------------

    def _reach(self, parent: Rotation, tip: Tip) -> Reach:
        t = self.integrals.tables
        root, p = parent.then(_rotation(t.root)), parent @ _vector(t.p)
        end = root.then(_rotation(tip.E))
        S = tuple(Twist(end @ _vector(tip.Jw[:, k]), root @ _vector(tip.Jp[:, k])) for k in range(tip.Jp.shape[1]))
        return Reach(p, p + root @ _vector(tip.r), root, end, S)

    def frame(self, parent: Placement, x: Coordinates) -> Placement:
        at = self._reach(parent.R, self.integrals.tip(objects(x)))
        return Placement(at.tip, parent.p + at.r)

    def point_columns(
        self, parent: Placement, frame: Placement, x: Coordinates, P: Vector3
    ) -> tuple[PointVelocity, ...]:
        directions = self._reach(parent.R, self.integrals.tip(objects(x))).S
        return tuple(PointVelocity(s.v + s.w.cross(P - frame.p), s.w) for s in directions)

    def _path(self, at: Reach, w: Vector3, tip: Tip) -> tuple[MovingFrame, Path, Body]:
        """Frame, path and body of the end; w: angular velocity of the parent."""
        wt, rate, spin = at.tip @ _vector(tip.w), at.root @ _vector(tip.rd), skew3(w).times(skew3(w))
        linear = spin.apply(at.r) + w.cross(rate) * 2 + at.root @ _vector(tip.gp)
        c = Twist(w.cross(wt) + at.tip @ _vector(tip.gw), linear)
        inertia = self.inertia.turned(at.tip)
        return MovingFrame(at.tip, w + wt), Path(None, at.r, at.S, c), Body(inertia, inertia.velocity_force(w + wt))

    def moving(self, parent: MovingBody, x: Coordinates, qd: Coordinates) -> tuple[MovingBody, Totals, Totals | None]:
        tip = self.integrals.tip(objects(x), objects(qd))
        at, w = self._reach(parent.R, tip), parent.w
        v = parent.v + w.cross(at.r) + at.root @ _vector(tip.rd)
        state = MovingBody(at.tip, parent.o + at.r, w + at.tip @ _vector(tip.w), v)
        return state, totals_of(state, self.inertia.turned(at.tip)), self._field_totals(at, parent, x, qd)

    @abstractmethod
    def _field_totals(self, at: Reach, parent: MovingBody, x: Coordinates, qd: Coordinates) -> Totals | None:
        """Totals of the beam itself."""

    def place(self, parent: Placement, x: Coordinates) -> Placed:
        at = self._reach(parent.R, self.integrals.tip(objects(x)))
        end = parent.p + at.r
        screws = tuple(Twist(s.w, s.v + end.cross(s.w)) for s in at.S)
        own, modal = self._placed_inertia(at, parent.p, objects(x))
        return Placed(Placement(at.tip, end), screws, screws, at.r, self.inertia.turned(at.tip), own, modal)

    @abstractmethod
    def _placed_inertia(self, at: Reach, o: Vector3, eta: Objects) -> tuple[RigidInertia | None, ModalInertia | None]:
        """Composite of the beam on its parent, and modal inertia about the world's origin; o: the parent's origin."""


@final
@record
class SecondOrderBeam(AbstractBeamEnd):
    """A beam whose displacement field is exact to second order in its amplitudes, and what is rigid on its tip."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> FieldForce:
        t = self.integrals.tables
        F, N, f = field_force(t, *self._root_motion(parent), *(objects(v) for v in (x, qd, qdd)))
        return FieldForce(Wrench(_vector(F), _vector(N)).turned(_rotation(t.root)).moved(_vector(t.p)), tuple(f))

    # ---- world axes ------------------------------------------------------------------------------

    def _inertia(self, at: Reach, eta: Objects) -> ModalInertia:
        """In world axes, about the parent's origin."""
        t = self.integrals.tables
        h, I, X, Me = field_inertia(t, eta)
        composite = RigidInertia(t.C[0, 0], _vector(h), _symmetric(I)).turned(at.root).moved(at.p)
        forces = tuple(Wrench(_vector(F), _vector(N)).turned(at.root).moved(at.p) for N, F in X)
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
        for entry, (k, l) in zip(own.Me, _pairs(len(own.X)), strict=True):
            T = add(T, mul(0.5 if k == l else 1, mul(mul(qd[k], qd[l]), entry)))
        return Totals(T, locked.moment, locked.P + flow.f, locked.L + flow.n + parent.o.cross(flow.f))

    def with_strain(self, energies: Energies, x: Coordinates) -> Energies:
        t, eta = self.integrals.tables, objects(x)
        V = 0.5 * (eta @ t.K @ eta)
        for B in t.bend:
            part = 0.5 * (eta @ B @ eta)
            V = V + 0.5 * (part * part)
        return Energies(energies.T, energies.V + V)

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        etad = objects(qd)
        lost: Scalar = power + etad @ self.integrals.tables.damping @ etad
        return lost

    def velocity(self, parent: MovingFrame, x: Coordinates, qd: Coordinates) -> Velocity:
        eta, etad = objects(x), objects(qd)
        tip = self.integrals.tip(eta, etad)
        at, w = self._reach(parent.R, tip), parent.w
        u, a = (_array(at.root.T @ v) for v in (w, skew3(w).times(skew3(w)).apply(at.p)))
        F, N, f = field_force(self.integrals.tables, u, 0 * u, a, eta, etad, 0 * eta)
        p = Wrench(_vector(F), _vector(N)).turned(at.root).moved(at.p)
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
        return found, _acceleration(parent, path, found)

    def _placed_inertia(self, at: Reach, o: Vector3, eta: Objects) -> tuple[RigidInertia | None, ModalInertia | None]:
        own = self._inertia(at, eta)
        return own.composite, ModalInertia(None, tuple(X.moved(o) for X in own.X), own.Me)

    @staticmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        with_end = carrying(directions, modal, composite, o)
        return Columns(with_end.X, with_end.Me, None)


@final
@record
class Station(AbstractBeamEnd):
    """A place along a beam; the mass of the beam is counted at its tip, whose coordinates these are."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> FieldForce:
        return FieldForce(None, None)

    # ---- world axes ------------------------------------------------------------------------------

    def _field_totals(self, at: Reach, parent: MovingBody, x: Coordinates, qd: Coordinates) -> Totals | None:
        return None

    def velocity(self, parent: MovingFrame, x: Coordinates, qd: Coordinates) -> Velocity:
        tip = self.integrals.tip(objects(x), objects(qd))
        return Velocity(*self._path(self._reach(parent.R, tip), parent.w, tip), None)

    def minus_load(self, modal: ModalInertia, parent: MovingFrame, x: Coordinates, load: LoadValues) -> ModalInertia:
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
        return qdd, _acceleration(parent, path, qdd)

    def _placed_inertia(self, at: Reach, o: Vector3, eta: Objects) -> tuple[RigidInertia | None, ModalInertia | None]:
        return None, None

    @staticmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        return Columns((), (), carrying(directions, modal, composite, o))


def attached(
    path: Path, body: Body, modal: ModalInertia, beyond: ArticulatedBody | None, mass: Scalar
) -> tuple[ModalInertia, ArticulatedBody]:
    """The modal inertia of a beam with the body at a place along it, and what acts on the parent besides."""
    S, own = path.S, ArticulatedBody.rigid(body.inertia, body.p)
    own = own if beyond is None else own + beyond
    forces = [own.inertia.times(s) for s in S]
    own = own.accelerated(path.c)
    Me = tuple(add(x, S[k].dot(forces[l])) for x, (k, l) in zip(modal.Me, _pairs(len(S)), strict=True))
    X = tuple(X + force.moved(path.r) for X, force in zip(modal.X, forces, strict=True))
    f = tuple(add(f, s.dot(own.p)) for f, s in zip(modal.f, S, strict=True))
    return ModalInertia(modal.composite, X, Me, modal.p, f), own.moved(path.r, mass)


def carrying(
    screws: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
) -> ModalInertia:
    """The modal inertia of a beam about the world's origin, with a composite at the place o along it."""
    assert modal is not None
    forces = [composite.times(s.at(o)).moved(o) for s in screws]
    among = [screws[k].dot(forces[l]) for k, l in _pairs(len(forces))]
    X = tuple(X + force for X, force in zip(modal.X, forces, strict=True))
    return ModalInertia(None, X, tuple(add(a, b) for a, b in zip(modal.Me, among, strict=True)))


def _acceleration(parent: Twist, path: Path, qdd: Coordinates) -> Twist:
    a = parent.at(path.r) + path.c
    for s, rate in zip(path.S, qdd, strict=True):
        a = a + s * rate
    return a


def _pairs(m: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(m), 2))


def _at_root(force: Wrench, tip: Tip) -> Wrench:
    """A force on the end of a beam about its root, in beam axes."""
    return force.turned(_rotation(tip.E)).moved(_vector(tip.r))


def _array(v: Vector3) -> Objects:
    return objects([v.x, v.y, v.z])


def _vector(a: Objects) -> Vector3:
    return Vector3(*a)


def _symmetric(I: Objects) -> Symmetric3:
    return Symmetric3(I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2])


def _rotation(R: Any) -> Rotation:
    return Rotation(Matrix3(*(Vector3(*row) for row in np.asarray(R))))
