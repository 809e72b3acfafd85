"""An independent Lagrangian of an arm with flexible links: sampled mass points, differentiated by casadi.

Every beam is a cloud of points on the field of its own definition (psi replaced by its affine part through a
weighted least squares); rigid bodies are six points. Nothing of the recursion is used.
"""

import casadi as ca
import numpy as np

from lissom.flexible.body import Field, _points, beam_body
from lissom.flexible.quadrature import Panels, refined
from lissom.flexible.ritz import shapes_of
from lissom.flexible.tips import hanging, tips


def rigid_points(mass, com, inertia):
    """Six points with the same mass, centre and inertia."""
    if mass == 0:  # inertia without mass: two opposite masses at a distance would do; use a tiny one
        mass = 1e-12
    inertia = np.asarray(inertia, float)
    second = np.trace(inertia) / 2 * np.eye(3) - inertia
    values, axes = np.linalg.eigh(second)
    points = []
    for value, axis in zip(values, axes.T, strict=True):
        d = np.sqrt(max(value, 0.0) * 3 / mass)
        points += [np.asarray(com) + d * axis, np.asarray(com) - d * axis]
    return np.array(points), np.full(6, mass / 6)


def turn(axis, angle):
    K = ca.skew(ca.DM(axis))
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


class Cloud:
    """Positions of all mass points, potential energy and frames as functions of q."""

    def __init__(self, arm):
        self.arm = arm
        n = arm.dof
        self.q = ca.SX.sym("q", n)
        self.points, self.masses, self.V = [], [], 0
        self.tips, self.frames, self.beams = [], [], {}
        beyond = hanging(arm)
        for i, link in enumerate(arm.links):
            parent = int(arm.parent_index[i])
            R, o = (ca.DM.eye(3), ca.DM.zeros(3)) if parent < 0 else self.tips[parent]
            R, o = self._joint(link, R, o, int(arm.coordinate_start[i]))
            self.frames.append((R, o))
            start = int(arm.coordinate_start[i]) + link.joint.coordinate_count
            if link.beam is not None and link.beam.modes.count:
                self._rigid(R, o, link.mass, link.com, link.inertia)
                eta = self.q[start : start + link.beam.modes.count]
                self.beams[i] = (link.beam, tips(beyond[i]), R, o, eta)
                R, o = self._beam(*self.beams[i])
                if link.payload is not None:
                    self._rigid(R, o, link.payload.mass, link.payload.com, link.payload.inertia)
            else:
                body = link.body
                self._rigid(R, o, body.mass, body.com, body.moment)
                o = o + R @ ca.DM(link.tip[:3, 3])
            self.tips.append((R, o))

    def _joint(self, link, R, o, k):
        joint = link.joint
        X = joint.placement
        R, o = R @ ca.DM(X[:3, :3]), o + R @ ca.DM(X[:3, 3])
        moved = ca.sum1(self.q[k : k + joint.coordinate_count])  # of an elastic joint: motor, spring
        if joint.kind == "revolute":
            R = R @ turn(joint.axis, moved)
        elif joint.kind == "prismatic":
            o = o + R @ ca.DM(joint.axis) * moved
        if joint.moves:
            self.V += 0.5 * joint.stiffness * (self.q[k] - joint.rest) ** 2
        if joint.elastic is not None:
            self.V += 0.5 * joint.elastic.stiffness * self.q[k + 1] ** 2
        return R @ ca.DM(link.frame[:3, :3]), o + R @ ca.DM(link.frame[:3, 3])

    def _rigid(self, R, o, mass, com, inertia):
        if not mass and not np.any(inertia):
            return
        for x, m in zip(*rigid_points(mass, com, inertia), strict=True):
            self.points.append(o + R @ ca.DM(x))
            self.masses.append(m)

    def _beam(self, beam, ends, R, o, eta):
        shapes = shapes_of(beam, *ends)
        count = max(s.count for s in shapes.values())
        panels = Panels(refined(np.unique(np.concatenate([s.edges for s in shapes.values()])), max(6, count)))
        field = Field(beam, shapes, panels)
        phi, angle = field.linear(panels.s)
        psi, *_ = field.quadratic()
        x, dm, phi, psi = _points(beam, panels, phi, angle, psi)
        m = field.m
        h, w = np.column_stack([np.ones(len(x)), x]), np.sqrt(dm)[:, None]
        affine = np.zeros((m, m, len(x), 3))
        for k in range(m):
            for l in range(m):
                affine[k, l] = h @ np.linalg.lstsq(w * h, w * psi[k, l], rcond=1e-10)[0]
        for j in range(len(x)):
            p = ca.DM(x[j])
            for k in range(m):
                p = p + ca.DM(phi[k, j]) * eta[k]
                for l in range(m):
                    p = p + 0.5 * ca.DM(affine[k, l, j]) * eta[k] * eta[l]
            self.points.append(o + R @ p)
            self.masses.append(dm[j])
        body = beam_body(beam, *ends)
        self.V += 0.5 * ca.bilin(ca.DM(body.K), eta, eta)
        for B in body.bend:
            self.V += 0.5 * (0.5 * ca.bilin(ca.DM(B), eta, eta)) ** 2
        return self._section(beam, shapes, R, o, eta, beam.length, len(body.bend) > 0)

    def _section(self, beam, shapes, R, o, eta, s, cubic):
        """Orientation and place of a section."""
        edges = np.unique(np.concatenate([each.edges for each in shapes.values()]))
        field = Field(beam, shapes, Panels(refined(np.append(edges[edges < s], s), 11)))
        shift, angles = (part[:, 0] for part in field.linear(np.array([s])))
        _, _, shift2, turn2 = field.quadratic()
        r, u = ca.DM([s, 0, 0]), ca.DM.zeros(3)
        for k in range(field.m):
            r, u = r + ca.DM(shift[k]) * eta[k], u + ca.DM(angles[k]) * eta[k]
            for l in range(field.m):
                r = r + 0.5 * ca.DM(shift2[k, l]) * eta[k] * eta[l]
                u = u + 0.5 * ca.DM(turn2[k, l]) * eta[k] * eta[l]
        c, b, a = u[0], u[1], u[2]
        if cubic:
            a, b = a + a**3 / 6 + a * b**2 / 2, b + b**3 / 6
        E = turn([0, 0, 1], a) @ turn([0, 1, 0], b) @ turn([1, 0, 0], c)
        return R @ E, o + R @ r

    def station(self, i, s, offset):
        """A point of the section at s of link i."""
        beam, ends, R, o, eta = self.beams[i]
        R, o = self._section(beam, shapes_of(beam, *ends), R, o, eta, s, beam.third_order)
        return R, o + R @ ca.DM(offset)

    def lagrange(self, loads=(), base=None):
        """Functions (q, qd, qdd) -> tau and q -> M, V; loads: ((R, o), force, moment), world axes; base: its motion."""
        q, n = self.q, self.arm.dof
        qd, qdd = ca.SX.sym("qd", n), ca.SX.sym("qdd", n)
        P, m = ca.vertcat(*self.points), np.array(self.masses)
        v = ca.jtimes(P, q, qd)
        weight = ca.DM(np.repeat(m, 3))
        armature, damping = self.drives()
        T = 0.5 * ca.dot(weight * v, v) + 0.5 * ca.dot(armature * qd, qd)
        V = self.V - ca.dot(weight * ca.repmat(ca.DM(self.arm.gravity), len(m), 1), P)
        p = ca.gradient(T, qd)
        tau = ca.jtimes(p, q, qd) + ca.jtimes(p, qd, qdd) - ca.gradient(T, q) + ca.gradient(V, q) + damping @ qd
        tau -= self.work(loads)
        if base is not None:
            w, field = base_field(base)
            places, rates = (ca.reshape(x, 3, len(m)) for x in (P, v))
            felt = field @ ca.vertcat(ca.DM.ones(1, len(m)), places) + 2 * ca.skew(w) @ rates
            tau += ca.jtimes(P, q, weight * ca.vec(felt), True)
        return ca.Function("tau", [q, qd, qdd], [tau]), ca.Function("M", [q], [ca.hessian(T, qd)[0], V])

    def drives(self):
        """Actuator inertia (n,) and viscous damping (n, n)."""
        armature, damping = np.zeros(self.arm.dof), np.zeros((self.arm.dof, self.arm.dof))
        for link, k in zip(self.arm.links, self.arm.coordinate_start, strict=True):
            if link.joint.moves:
                armature[k], damping[k, k] = link.joint.reflected_inertia, link.joint.damping
            if link.joint.elastic is not None:
                damping[k + 1, k + 1] = link.joint.elastic.damping
        return ca.DM(armature), ca.DM(damping)

    def work(self, loads):
        """Generalised forces of loads."""
        force = ca.SX.zeros(self.arm.dof)
        for frame, push, moment in loads:
            force += ca.jtimes(frame[1], self.q, ca.DM(push), True) + self.spins(frame).T @ ca.DM(moment)
        return force

    def spins(self, frame):
        """(3, n) how coordinates spin a frame: the axial vector of the skew part of dR R^-1."""
        R, out = frame[0], []
        inverse = self._inverse(R)
        for k in range(self.arm.dof):
            L = ca.reshape(ca.jacobian(ca.vec(R), self.q[k]), 3, 3) @ inverse
            out.append(ca.vertcat(L[2, 1] - L[1, 2], L[0, 2] - L[2, 0], L[1, 0] - L[0, 1]) / 2)
        return ca.horzcat(*out)

    @staticmethod
    def _inverse(R):
        return R.T


def base_field(base):
    """Angular velocity of the base, and (3, 4) the acceleration of its points as a matrix for [1 x y z]."""
    w, dw, a = (ca.DM(x) for x in (base.angular_velocity, base.angular_acceleration, base.linear_acceleration))
    return w, ca.horzcat(a, ca.skew(dw) + ca.skew(w) @ ca.skew(w))
