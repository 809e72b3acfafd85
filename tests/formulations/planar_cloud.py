"""An independent derivation of the planar closed form: sampled points of the linear field, by casadi.

The mass matrix of the points is cut off behind the first order in the amplitudes by its Taylor polynomial, the
velocity forces are Christoffel symbols of that polynomial, all by automatic differentiation.
"""

import casadi as ca
import numpy as np
from tests.flexible.sampled import Cloud

from lissom.flexible.body import Field, _points, beam_body
from lissom.flexible.quadrature import Panels, refined
from lissom.flexible.ritz import shapes_of


class LinearCloud(Cloud):
    """Points move with the amplitudes, not with their squares; a tip turns by 1 + [u], (1)."""

    def _beam(self, beam, ends, R, o, eta):
        shapes = shapes_of(beam, *ends)
        panels = Panels(refined(np.unique(np.concatenate([s.edges for s in shapes.values()])), 2))
        field = Field(beam, shapes, panels)
        phi, angle = field.linear(panels.s)
        x, dm, phi, _ = _points(beam, panels, phi, angle, np.zeros((field.m, field.m, len(panels.s), 3)))
        for j in range(len(x)):
            p = ca.DM(x[j])
            for k in range(field.m):
                p = p + ca.DM(phi[k, j]) * eta[k]
            self.points.append(o + R @ p)
            self.masses.append(dm[j])
        self.V += 0.5 * ca.bilin(ca.DM(beam_body(beam, *ends).K), eta, eta)
        return self._section(beam, shapes, R, o, eta, beam.length, False)

    def _section(self, beam, shapes, R, o, eta, s, cubic):
        field = Field(beam, shapes, Panels(np.array([0.0, beam.length])))
        shift, angles = (part[:, 0] for part in field.linear(np.array([s])))
        r, u = ca.DM([s, 0, 0]), ca.DM.zeros(3)
        for k in range(field.m):
            r, u = r + ca.DM(shift[k]) * eta[k], u + ca.DM(angles[k]) * eta[k]
        return R @ (ca.DM.eye(3) + ca.skew(u)), o + R @ r

    def closed_form(self):
        """Functions B(q), h(q, qd), and dV/dq(q) of gravity and springs."""
        q, n, modes = self.q, self.arm.dof, modal(self.arm)
        qd = ca.SX.sym("qd", n)
        P = ca.vertcat(*self.points)
        J = ca.jacobian(P, q)
        weight = ca.DM(np.repeat(self.masses, 3))
        first = lambda f: first_order(f, q, modes)  # noqa: E731
        B = ca.reshape(first(ca.vec(J.T @ (weight * J))), n, n)
        B = B + ca.diag(ca.DM(armature(self.arm)))
        T = 0.5 * ca.bilin(B, qd, qd)
        p = ca.gradient(T, qd)
        h = ca.jtimes(p, q, qd) - ca.gradient(T, q)  # (26)
        weight = sum(m * ca.dot(ca.DM(self.arm.gravity), x) for m, x in zip(self.masses, self.points, strict=True))
        V = self.V - first(weight)
        return ca.Function("B", [q], [B]), ca.Function("h", [q, qd], [h]), ca.Function("g", [q], [ca.gradient(V, q)])

    def pushed(self, frame, force, moment, point):
        """q -> work of a force on a point and of a moment, per unit rate of every coordinate.

        A frame of the linear field spins by the antisymmetric part of dF F^-1.
        """
        R, o = frame
        out = ca.jtimes(o + R @ ca.DM(point), self.q, ca.DM(force), True)
        for k in range(self.arm.dof):
            rate = ca.reshape(ca.jacobian(ca.vec(R), self.q[k]), 3, 3) @ ca.inv(R)
            out[k] += ca.dot(ca.inv_skew(rate - rate.T) / 2, ca.DM(moment))
        return ca.Function("pushed", [self.q], [out])


def first_order(f, q, modes):
    """The Taylor polynomial of first order in the amplitudes."""
    if not modes:
        return f
    eta = ca.vertcat(*(q[c] for c in modes))
    zero = np.zeros(len(modes))
    slope = ca.substitute(ca.jacobian(f, eta), eta, zero)
    return ca.substitute(f, eta, zero) + slope @ eta


def modal(arm):
    """Coordinates of the amplitudes."""
    joints = {int(at) + k for link, at in zip(arm.links, arm.coordinate_start, strict=True)
              for k in range(link.joint.coordinate_count)}  # fmt: skip
    return [c for c in range(arm.dof) if c not in joints]


def armature(arm):
    out = np.zeros(arm.dof)
    for link, start in zip(arm.links, arm.coordinate_start, strict=True):
        if link.joint.moves:
            out[start] = link.joint.reflected_inertia
    return out
