"""A beam behind the body of a joint: its root is fixed there, its tip carries a frame, its modes are coordinates.

The equations of the field are sums over modes and stay arrays (`field`, `tip`); records pass between elements.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, final

import numpy as np

from lissom.elements.arrays import Objects, objects, skew
from lissom.elements.base import AbstractElement, FieldForce, Outward
from lissom.elements.field import field_force
from lissom.elements.tables import Layout, Tables
from lissom.elements.tip import Tip, tip_of
from lissom.records import Packed, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, add
from lissom.spatial.vectors import Matrix3, Vector3


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
        t, tip = self.integrals.tables, self.integrals.tip(objects(x))
        at_root = force.turned(_rotation(tip.E)).moved(_vector(tip.r))
        carried = at_root.turned(_rotation(t.root)).moved(_vector(t.p))
        own = tip.Jp.T @ _array(at_root.f) + tip.Jw.T @ _array(force.n)
        modes = tuple(add(a, b) for a, b in zip(modal or (), own, strict=True))
        return None if on_parent is None else on_parent + carried, modes

    def orientation(self, parent: Rotation, x: Coordinates) -> Rotation:
        root = parent.then(_rotation(self.integrals.tables.root))
        return root.then(_rotation(self.integrals.tip(objects(x)).E))


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


@final
@record
class Station(AbstractBeamEnd):
    """A place along a beam; the mass of the beam is counted at its tip, whose coordinates these are."""

    integrals: Integrals
    inertia: RigidInertia

    def field_force(self, parent: Motion, x: Coordinates, qd: Coordinates, qdd: Coordinates) -> FieldForce:
        return FieldForce(None, None)


def _array(v: Vector3) -> Objects:
    return objects([v.x, v.y, v.z])


def _vector(a: Objects) -> Vector3:
    return Vector3(*a)


def _rotation(R: Any) -> Rotation:
    return Rotation(Matrix3(*(Vector3(*row) for row in np.asarray(R))))
