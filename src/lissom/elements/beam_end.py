"""The end of a beam, or a place along it: what tips and stations share.

The equations of the field are sums over modes and stay arrays (`field`, `tip`); records pass between elements.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations_with_replacement

import numpy as np

from lissom.elements.arrays import Objects, objects, skew
from lissom.elements.base import AbstractArticulated
from lissom.elements.results import (
    Body,
    ModalInertia,
    MovingBody,
    MovingFrame,
    Outward,
    Path,
    Placed,
    Totals,
    totals_of,
)
from lissom.elements.tables import Layout, Tables
from lissom.elements.tip import Tip, tip_of
from lissom.records import Packed, record
from lissom.spatial.inertias import ArticulatedBody, RigidInertia
from lissom.spatial.motions import Motion, Placement, PointVelocity, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add
from lissom.spatial.vectors import Matrix3, Symmetric3, Vector3, skew as skew3


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


class AbstractBeamEnd(AbstractArticulated[Coordinates]):
    """The end of a beam, or a place along it, and the rigid body that is fixed there."""

    integrals: Integrals
    inertia: RigidInertia

    def outward(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> Outward[Motion, Wrench]:
        """Motion of the end, whose position r and orientation E depend on the amplitudes (`tip`)."""
        eta, etad, etadd = (objects(v) for v in (x, qd, qdd))
        w, dw, a = self._root_motion(parent)
        tip = self.integrals.tip(eta, etad)
        W = skew(dw) + skew(w) @ skew(w)
        a = a + W @ tip.r + 2 * (skew(w) @ tip.rd) + tip.Jp @ etadd + tip.gp
        w, dw = tip.E.T @ w, tip.E.T @ dw
        dw = dw + skew(w) @ tip.w + tip.Jw @ etadd + tip.gw
        motion = Motion(vector(w + tip.w), vector(dw), vector(tip.E.T @ a))
        return Outward(motion, self.inertia.force(motion))

    def _root_motion(self, parent: Motion) -> tuple[Objects, Objects, Objects]:
        """(w, dw, a) of the root in beam axes."""
        t = self.integrals.tables
        w, dw, a = (t.root.T @ array(v) for v in (parent.w, parent.dw, parent.acceleration_at(vector(t.p))))
        return w, dw, a

    def inward(
        self, on_parent: Wrench | None, force: Wrench, modal: Coordinates | None, x: Coordinates
    ) -> tuple[Wrench | None, Coordinates]:
        """F += E Ft,  N += E Nt + r x E Ft,  f += Jp^T E Ft + Jw^T Nt."""
        tip = self.integrals.tip(objects(x))
        at_root = _at_root(force, tip)
        carried = self._from_root(at_root)
        own = tip.Jp.T @ array(at_root.f) + tip.Jw.T @ array(force.n)
        modes = tuple(add(a, b) for a, b in zip(modal or (), own, strict=True))
        return None if on_parent is None else on_parent + carried, modes

    def carried(self, force: Wrench, x: Coordinates) -> Wrench:
        return self._from_root(_at_root(force, self.integrals.tip(objects(x))))

    def _from_root(self, force: Wrench) -> Wrench:
        """A force on the root in beam axes as it acts on the parent, in the parent's axes."""
        t = self.integrals.tables
        return force.turned(rotation(t.root)).moved(vector(t.p))

    def orientation(self, parent: Rotation, x: Coordinates) -> Rotation:
        return self._reach(parent, self.integrals.tip(objects(x))).tip

    # ---- world axes ------------------------------------------------------------------------------

    def _reach(self, parent: Rotation, tip: Tip) -> Reach:
        t = self.integrals.tables
        root, p = parent.then(rotation(t.root)), parent @ vector(t.p)
        end = root.then(rotation(tip.E))
        S = tuple(Twist(end @ vector(tip.Jw[:, k]), root @ vector(tip.Jp[:, k])) for k in range(tip.Jp.shape[1]))
        return Reach(p, p + root @ vector(tip.r), root, end, S)

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
        wt, rate, spin = at.tip @ vector(tip.w), at.root @ vector(tip.rd), skew3(w).times(skew3(w))
        linear = spin.apply(at.r) + w.cross(rate) * 2 + at.root @ vector(tip.gp)
        c = Twist(w.cross(wt) + at.tip @ vector(tip.gw), linear)
        inertia = self.inertia.turned(at.tip)
        return MovingFrame(at.tip, w + wt), Path(None, at.r, at.S, c), Body(inertia, inertia.velocity_force(w + wt))

    def moving(self, parent: MovingBody, x: Coordinates, qd: Coordinates) -> tuple[MovingBody, Totals, Totals | None]:
        tip = self.integrals.tip(objects(x), objects(qd))
        at, w = self._reach(parent.R, tip), parent.w
        v = parent.v + w.cross(at.r) + at.root @ vector(tip.rd)
        state = MovingBody(at.tip, parent.o + at.r, w + at.tip @ vector(tip.w), v)
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


def _at_root(force: Wrench, tip: Tip) -> Wrench:
    """A force on the end of a beam about its root, in beam axes."""
    return force.turned(rotation(tip.E)).moved(vector(tip.r))


def attached(
    path: Path, body: Body, modal: ModalInertia, beyond: ArticulatedBody | None, mass: Scalar
) -> tuple[ModalInertia, ArticulatedBody]:
    """The modal inertia of a beam with the body at a place along it, and what acts on the parent besides."""
    S, own = path.S, ArticulatedBody.rigid(body.inertia, body.p)
    own = own if beyond is None else own + beyond
    forces = [own.inertia.times(s) for s in S]
    own = own.accelerated(path.c)
    Me = tuple(add(x, S[k].dot(forces[l])) for x, (k, l) in zip(modal.Me, pairs(len(S)), strict=True))
    X = tuple(X + force.moved(path.r) for X, force in zip(modal.X, forces, strict=True))
    f = tuple(add(f, s.dot(own.p)) for f, s in zip(modal.f, S, strict=True))
    return ModalInertia(modal.composite, X, Me, modal.p, f), own.moved(path.r, mass)


def carrying(
    screws: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
) -> ModalInertia:
    """The modal inertia of a beam about the world's origin, with a composite at the place o along it."""
    assert modal is not None
    forces = [composite.times(s.at(o)).moved(o) for s in screws]
    among = [screws[k].dot(forces[l]) for k, l in pairs(len(forces))]
    X = tuple(X + force for X, force in zip(modal.X, forces, strict=True))
    return ModalInertia(None, X, tuple(add(a, b) for a, b in zip(modal.Me, among, strict=True)))


def acceleration_of(parent: Twist, path: Path, qdd: Coordinates) -> Twist:
    """Acceleration of the end of a path."""
    a = parent.at(path.r) + path.c
    for s, rate in zip(path.S, qdd, strict=True):
        a = a + s * rate
    return a


def pairs(m: int) -> list[tuple[int, int]]:
    """Entries on and above the diagonal of a matrix."""
    return list(combinations_with_replacement(range(m), 2))


def array(v: Vector3) -> Objects:
    """A vector as an array."""
    return objects([v.x, v.y, v.z])


def vector(a: Objects) -> Vector3:
    """An array of three as a vector."""
    return Vector3(*a)


def symmetric(I: Objects) -> Symmetric3:
    """A symmetric array."""
    return Symmetric3(I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2])


def matrix(A: Objects) -> Matrix3:
    """An array (3, 3) as a matrix."""
    return Matrix3(*(Vector3(*row) for row in np.asarray(A)))


def rotation(R: Objects) -> Rotation:
    """An array of an orientation."""
    return Rotation(matrix(R))
