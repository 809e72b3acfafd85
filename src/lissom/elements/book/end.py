"""The end of a flexible link of Book 1983, or a place along it."""

from __future__ import annotations

import numpy as np

from lissom.elements.arrays import Objects, objects, scaled
from lissom.elements.beam_end import Integrals, matrix, vector
from lissom.elements.book.base import AbstractAffine
from lissom.elements.book.field import (
    End,
    end_of,
    force_of,
    full,
    inner,
    map_of,
    moments,
    rows,
)
from lissom.elements.book.maps import (
    NO_FORCE,
    AffineForce,
    AffineMap,
    AffineMotion,
    AffinePosition,
    BeamPosition,
    inverse,
    motion_of,
    spin,
)
from lissom.elements.results import Outward
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Placement, PointVelocity
from lissom.spatial.scalar import Coordinates, add
from lissom.spatial.vectors import Vector3


class AbstractAffineEnd(AbstractAffine[Coordinates, BeamPosition]):
    """The end of a flexible link, or a place along it."""

    field_has_body = True
    integrals: Integrals
    inertia: RigidInertia

    def _end(self, eta: Coordinates) -> End:
        return end_of(self.integrals.tables, eta)

    def located(self, parent: AffinePosition | None, x: Coordinates) -> BeamPosition:
        """The frames of root and end, (13)."""
        end = self._end(x)
        root = end.root[1:] if parent is None else rows(parent.W) @ end.root
        return BeamPosition(tuple(x), map_of(root), map_of(root @ end.E))

    def outward(
        self, parent: Motion | AffineMotion, x: BeamPosition, qd: Coordinates, qdd: Coordinates
    ) -> Outward[Motion | AffineMotion, AffineForce]:
        """Rates of the end, (14)-(17); what is fixed there is counted with the link."""
        before, end = motion_of(parent), self._end(x.eta)
        F, Wd, Wdd = rows(x.root)[:, 1:], rows(before.velocity) @ end.root, rows(before.acceleration) @ end.root
        Ed, Edd = (np.tensordot(objects(rates), end.M, 1) for rates in (qd, qdd))  # (16), (17)
        velocity = Wd @ end.E + F @ Ed  # (14)
        acceleration = Wdd @ end.E + scaled(2, Wd[:, 1:] @ Ed) + F @ Edd  # (15)
        return Outward(AffineMotion(map_of(velocity), map_of(acceleration)), NO_FORCE)

    def carried(self, force: AffineForce, x: BeamPosition) -> AffineForce:
        """Q (root E)^T, (88), and the moments of what is beyond the end, on the body behind the joint, (79)."""
        end = self._end(x.eta)
        A = end.root @ end.E
        Phi = None if force.carried is None else moments(A @ full(force.carried) @ A.T)
        return force_of(force_rows(force) @ A.T, Phi)

    def project(self, force: AffineForce, x: BeamPosition) -> Coordinates:
        """Tr{W M_k Qhat^T} of every mode, (86)."""
        M, F, Q = self._end(x.eta).M, rows(x.root)[:, 1:], force_rows(force)
        return tuple(inner(F @ M[k], Q) for k in range(len(M)))

    def point_columns(
        self, parent: Placement, frame: Placement, x: BeamPosition, P: Vector3
    ) -> tuple[PointVelocity, ...]:
        """Velocity of P, beyond the end, and spin of its frame, per unit rate of every amplitude."""
        back, F = inverse(x.W.F), x.root.F
        h = back.apply(P - x.W.o)
        out = []
        for M in self._end(x.eta).M:
            shift, turn = F.apply(vector(M[:, 0])), F.times(matrix(M[:, 1:]))
            out.append(PointVelocity(shift + turn.apply(h), spin(turn.times(back))))
        return tuple(out)


def end_velocity(end: End, Wd: Objects, x: BeamPosition, qd: Coordinates) -> AffineMap:
    """Wd of the end, from that of the root, (14)."""
    return map_of(Wd @ end.E + rows(x.root)[:, 1:] @ np.tensordot(objects(qd), end.M, 1))


def force_rows(force: AffineForce) -> Objects:
    """[f | P] (3, 4)."""
    return rows(AffineMap(force.P, force.f))


def plus(a: Coordinates, b: Coordinates) -> Coordinates:
    """Sum of two sets of modal forces."""
    return tuple(add(x, y) for x, y in zip(a, b, strict=True))
