"""A flexible link of Book 1983 behind the body of a joint, and places along it.

    Q = Wdd G + sum_k (deltadd_k W + 2 deltad_k Wd) D_k + Qhat E^T                        (38), (87), (88)
    f_k = Tr{(Wdd D_k^T + 2 Wd sum_l deltad_l Y_lk + W sum_l deltadd_l Y_lk) W^T} + Tr{W M_k Qhat^T}
          + sum_l K_kl delta_l + damping                                               (39), (48), (86)

In what the accelerations of a link's modes do to its own modes the paper leaves out W, (72) and (73):
Tr{Y_lk + M_k Phi M_l^T} in the place of Tr{W (Y_lk + M_k Phi M_l^T) W^T}, as if W were a rotation. Phi are the moments
of all that is beyond the link's end; forces bring them along (`maps.AffineForce`).
"""

from __future__ import annotations

from typing import final

import numpy as np

from lissom.elements.arrays import Objects, axial, objects, scaled
from lissom.elements.base import AbstractComposite
from lissom.elements.beam_end import Integrals, matrix, vector
from lissom.elements.book.base import AbstractAffine, MovingFrames, velocity_of
from lissom.elements.book.field import (
    End,
    Field,
    end_of,
    field_of,
    force_of,
    full,
    inner,
    map_of,
    moments,
    own_block,
    rows,
)
from lissom.elements.book.maps import (
    NO_FORCE,
    NO_MASS,
    AffineForce,
    AffineMap,
    AffineMotion,
    AffinePosition,
    BeamPosition,
    ModalForce,
    SecondMoments,
    inverse,
    motion_of,
    spin,
)
from lissom.elements.field import elastic, loss, strain_energy
from lissom.elements.results import FieldForce, Outward, Totals, UnitForces
from lissom.records import record
from lissom.spatial.inertias import Energies, RigidInertia
from lissom.spatial.motions import Motion, Placement, PointVelocity
from lissom.spatial.scalar import Coordinates, Scalar, add
from lissom.spatial.vectors import Vector3


class AbstractAffineEnd(AbstractAffine[Coordinates, BeamPosition]):
    """The end of a flexible link, or a place along it."""

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
        return force_of(_rows(force) @ A.T, Phi)

    def project(self, force: AffineForce, x: BeamPosition) -> Coordinates:
        """Tr{W M_k Qhat^T} of every mode, (86)."""
        M, F, Q = self._end(x.eta).M, rows(x.root)[:, 1:], _rows(force)
        return tuple(inner(F @ M[k], Q) for k in range(len(M)))

    def point_columns(
        self, parent: Placement, frame: Placement, x: BeamPosition, P: Vector3
    ) -> tuple[PointVelocity, ...]:
        """Velocity of P, beyond the end, and spin of its frame, per unit rate of every amplitude."""
        back, F = inverse(x.W.F), map_of(rows(x.root)).F
        h = back.apply(P - x.W.o)
        out = []
        for M in self._end(x.eta).M:
            shift, turn = F.apply(vector(M[:, 0])), F.times(matrix(M[:, 1:]))
            out.append(PointVelocity(shift + turn.apply(h), spin(turn.times(back))))
        return tuple(out)


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
            return on, ModalForce(_sum(modal.f, own), modal.etadd)
        return on, _sum(modal or (), own)

    def moving(
        self, parent: MovingFrames, x: BeamPosition, qd: Coordinates
    ) -> tuple[AffineMap, Totals | None, Totals | None]:
        end, Wd = self._end(x.eta), rows(velocity_of(parent))
        return _end_velocity(end, Wd @ end.root, x, qd), None, None


@final
@record
class AffineBeam(AbstractAffineEnd, AbstractComposite[BeamPosition, AffineForce, SecondMoments]):
    """A flexible link with a linear field of deflection, and what is rigid on its tip."""

    integrals: Integrals
    inertia: RigidInertia

    def _field(self, end: End, eta: Coordinates, truncated: bool | None = None) -> Field:
        drops = self.integrals.pattern.drops_products if truncated is None else truncated
        return field_of(self.integrals, end, self.inertia, eta, drops)

    def field_force(
        self, parent: Motion | AffineMotion, x: BeamPosition, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[AffineForce, Coordinates | ModalForce]:
        """Q of the link on the body behind its joint, and the forces on its modes, without what is beyond its end."""
        before, end = motion_of(parent), self._end(x.eta)
        own, shortcut = self._field(end, x.eta), self.integrals.pattern.takes_shortcut
        F, Wd, Wdd = rows(x.root)[:, 1:], rows(before.velocity) @ end.root, rows(before.acceleration) @ end.root
        Fd, Q = Wd[:, 1:], Wdd @ own.G
        for D, etad, etadd in zip(own.D, qd, qdd, strict=True):
            Q = Q + (scaled(etadd, F) + scaled(2 * etad, Fd)) @ D
        slow, fast = (np.tensordot(objects(rates), own.Y, 1) for rates in (qd, qdd))
        parts = [inner(Wdd @ D.T + scaled(2, Fd @ slow[k]) + F @ fast[k], F) for k, D in enumerate(own.D)]  # (39)
        f = tuple(objects(parts) + elastic(self.integrals.tables, objects(x.eta), objects(qd)))
        carried = moments(end.root @ own.G @ end.root.T) if shortcut else None
        return FieldForce(force_of(Q @ end.root.T, carried), ModalForce(f, tuple(qdd)) if shortcut else f)

    def inward(
        self, on_parent: AffineForce | None, force: AffineForce, modal: Coordinates | ModalForce | None,
        x: BeamPosition,
    ) -> tuple[AffineForce | None, Coordinates]:  # fmt: skip
        """With Qhat at the link's end: (86), (88), and the truncated forces of (72), (73)."""
        own, on = self.project(force, x), None if on_parent is None else on_parent + self.carried(force, x)
        if not isinstance(modal, ModalForce):
            return on, _sum(modal or (), own)
        end = self._end(x.eta)
        field, F, Phi = self._field(end, x.eta), rows(x.root)[:, 1:], force.carried or NO_MASS
        off = own_block(end, field, np.eye(3).astype(object), Phi) - own_block(end, field, F, Phi)
        return on, _sum(_sum(modal.f, own), tuple(off @ objects(modal.etadd)))

    # ---- composite bodies ------------------------------------------------------------------------

    def own_composite(self, inertia: RigidInertia) -> SecondMoments:
        """Nothing: the composite of an end is what is beyond it."""
        return NO_MASS

    def composed(self, parent: SecondMoments, composite: SecondMoments, x: BeamPosition) -> SecondMoments:
        """The composite step (79): the link and what its end carries, on the body behind its joint."""
        end = self._end(x.eta)
        B = self._field(end, x.eta).G + end.E @ full(composite) @ end.E.T
        return parent + moments(end.root @ B @ end.root.T)

    def unit_forces(self, composite: SecondMoments, x: BeamPosition) -> UnitForces[AffineForce]:
        """Q on the body behind the joint for a unit acceleration of every mode, (69), (70); their own block of J."""
        end = self._end(x.eta)
        field, F, m = self._field(end, x.eta), rows(x.root)[:, 1:], len(end.M)
        beyond = full(composite) @ end.E.T
        forces = [force_of(F @ (end.M[k] @ beyond + field.D[k]) @ end.root.T) for k in range(m)]
        shortcut = self.integrals.pattern.takes_shortcut
        block = own_block(end, field, np.eye(3).astype(object) if shortcut else F, composite)
        return UnitForces(tuple(forces), tuple(block[k, l] for k in range(m) for l in range(k, m)))

    # ---- energies --------------------------------------------------------------------------------

    def moving(
        self, parent: MovingFrames, x: BeamPosition, qd: Coordinates
    ) -> tuple[AffineMap, Totals | None, Totals | None]:
        """Wd of the end, and the totals of the link: (22), in full also where the equations are truncated."""
        end, etad, W = self._end(x.eta), objects(qd), rows(x.root)
        field, Wd, F = self._field(end, x.eta, truncated=False), rows(velocity_of(parent)) @ end.root, W[:, 1:]
        flow = Wd @ field.G + F @ np.tensordot(etad, field.D, 1)  # int v h^T
        slow = np.tensordot(etad, field.Y, 1)
        T = inner(flow, Wd)
        for rate, D, own in zip(qd, field.D, slow, strict=True):
            T = T + rate * inner(Wd @ D.T + F @ own, F)
        total = Totals(0.5 * T, vector(W @ field.G[:, 0]), vector(flow[:, 0]), vector(axial(flow @ W.T)))
        return _end_velocity(end, Wd, x, qd), None, total

    def with_strain(self, energies: Energies, x: Coordinates) -> Energies:
        return Energies(energies.T, add(energies.V, strain_energy(self.integrals.tables, objects(x))))

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        return add(power, loss(self.integrals.tables, objects(qd)))


def _end_velocity(end: End, Wd: Objects, x: BeamPosition, qd: Coordinates) -> AffineMap:
    """Wd of the end, from that of the root, (14)."""
    return map_of(Wd @ end.E + rows(x.root)[:, 1:] @ np.tensordot(objects(qd), end.M, 1))


def _rows(force: AffineForce) -> Objects:
    """[f | P] (3, 4)."""
    return rows(AffineMap(force.P, force.f))


def _sum(a: Coordinates, b: Coordinates) -> Coordinates:
    return tuple(add(x, y) for x, y in zip(a, b, strict=True))
