"""A flexible link of Book 1983 behind the body of a joint.

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

from lissom.elements.arrays import axial, objects, scaled
from lissom.elements.base import AbstractComposite
from lissom.elements.beam_end import Integrals, vector
from lissom.elements.book.base import MovingFrames, velocity_of
from lissom.elements.book.end import AbstractAffineEnd, end_velocity, plus
from lissom.elements.book.field import (
    End,
    Field,
    field_of,
    force_of,
    full,
    inner,
    moments,
    own_block,
    rows,
)
from lissom.elements.book.maps import (
    NO_MASS,
    AffineForce,
    AffineMap,
    AffineMotion,
    BeamPosition,
    ModalForce,
    SecondMoments,
    motion_of,
)
from lissom.elements.field import elastic, loss, strain_energy
from lissom.elements.results import FieldForce, Totals, UnitForces
from lissom.records import record
from lissom.spatial.inertias import Energies, RigidInertia
from lissom.spatial.motions import Motion
from lissom.spatial.scalar import Coordinates, Scalar, add


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
        """Compute, with Qhat at the link's end, (86), (88), and the truncated forces of (72), (73)."""
        own, on = self.project(force, x), None if on_parent is None else on_parent + self.carried(force, x)
        if not isinstance(modal, ModalForce):
            return on, plus(modal or (), own)
        end = self._end(x.eta)
        field, F, Phi = self._field(end, x.eta), rows(x.root)[:, 1:], force.carried or NO_MASS
        off = own_block(end, field, np.eye(3).astype(object), Phi) - own_block(end, field, F, Phi)
        return on, plus(plus(modal.f, own), tuple(off @ objects(modal.etadd)))

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
        return end_velocity(end, Wd, x, qd), None, total

    def with_strain(self, energies: Energies, x: Coordinates) -> Energies:
        return Energies(energies.T, add(energies.V, strain_energy(self.integrals.tables, objects(x))))

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        return add(power, loss(self.integrals.tables, objects(qd)))
