"""An independent Lagrangian of arms with flexibility "linear", and an independent Book (1983): sampled mass points.

A point of a flexible link is at ``o + F (x + sum_k phi_k eta_k)``, its tip is ``F (I + sum_k skew(turn_k) eta_k)``;
beyond it frames are affine, not orthonormal. What is fixed to a tip belongs to the points of that flexible link. Frames
and points are differentiated by casadi; nothing of the recursions is used.
"""

import casadi as ca
import numpy as np
from tests.flexible.sampled import Cloud, base_field, rigid_points

from lissom.flexible.body import Field, _points, beam_body
from lissom.flexible.quadrature import Panels, refined
from lissom.flexible.ritz import shapes_of, stations_of
from lissom.flexible.tips import hanging, tips


def points_with(S):
    """As few points of equal mass as have given second moments of (1, x, phi_1, ...): x (p, 3), phi (m, p, 3), dm (p,).

    A factor of the moments, reflected so that its first row, the ones, is even.
    """
    values, vectors = np.linalg.eigh(S)
    assert values[0] > -1e-12 * values[-1], "these are not the moments of masses"
    some = values > 1e-16 * values[-1]
    factor = vectors[:, some] * np.sqrt(values[some])
    even = np.full(some.sum(), np.sqrt(S[0, 0] / some.sum()))
    w = factor[0] - even
    if (size := w @ w) > 0:
        factor = factor - np.outer(factor @ w, 2 * w / size)
    z = (factor / even).T
    return z[:, 1:4], z[:, 4:].reshape(len(z), -1, 3).transpose(1, 0, 2), even**2


class Member:
    """Mass points that move with one frame and bend with its own amplitudes; `first`: the first of these in q."""

    def __init__(self, R, o, eta, first):
        self.R, self.o, self.eta = R, o, eta
        self.m = eta.numel()
        self.own = list(range(first, first + self.m))
        self.K = np.zeros((self.m, self.m))
        self.x, self.phi, self.dm = np.zeros((0, 3)), np.zeros((self.m, 0, 3)), np.zeros(0)

    def put(self, x, phi, dm):
        """More points."""
        self.x, self.dm = np.concatenate([self.x, x]), np.concatenate([self.dm, dm])
        self.phi = np.concatenate([self.phi, phi], axis=1)

    @property
    def moments(self):
        """Second moments of (1, x, phi_1, ...): all that the equations see of the points."""
        z = np.column_stack([np.ones(len(self.x)), self.x, *self.phi])
        return np.einsum("p,pi,pj->ij", self.dm, z, z)

    def bent(self, j, amplitudes):
        """What amplitudes, or their rates, add to the place of point j."""
        return ca.DM(self.phi[:, j].T) @ amplitudes if self.m else ca.DM.zeros(3)


class Spot:
    """A frame fixed to a member: root or tip, and a pose there."""

    def __init__(self, member, point, shift=None, turn=None, X=None):
        self.member, self.point, self.shift, self.turn = member, point, shift, turn
        self.X = np.eye(4) if X is None else X

    def moved(self, X):
        """A frame with pose X in this one."""
        return Spot(self.member, self.point, self.shift, self.turn, self.X @ X)

    def put(self, mass, com, inertia):
        """A rigid body."""
        if not mass and not np.any(inertia):
            return
        x, dm = rigid_points(mass, com, inertia)
        x = x @ self.X[:3, :3].T + self.X[:3, 3]
        phi = np.zeros((self.member.m, len(x), 3))
        if self.shift is not None:
            phi = self.shift[:, None] + np.cross(self.turn[:, None], x[None])
        self.member.put(self.point + x, phi, dm)


class LinearCloud(Cloud):
    """Positions of all mass points, potential energy and frames as functions of q."""

    def __init__(self, arm):
        self.arm, self.q = arm, ca.SX.sym("q", arm.dof)
        self.V, self.modal_damping = 0, np.zeros((arm.dof, arm.dof))
        self.tips, self.frames, self.beams, self.members, self.spots = [], [], {}, [], []
        beyond = hanging(arm)
        for i, link in enumerate(arm.links):
            self._link(i, link, tips(beyond[i]))
        self.points, self.masses = [], []
        for member in self.members:
            if len(member.x):
                member.x, member.phi, member.dm = points_with(member.moments)
            for j, dm in enumerate(member.dm):
                self.points.append(member.o + member.R @ (ca.DM(member.x[j]) + member.bent(j, member.eta)))
                self.masses.append(dm)

    def _link(self, i, link, ends):
        parent, start = int(self.arm.parent_index[i]), int(self.arm.coordinate_start[i])
        R, o = (ca.DM.eye(3), ca.DM.zeros(3)) if parent < 0 else self.tips[parent]
        R, o = self._joint(link, R, o, start)
        self.frames.append((R, o))
        first = start + link.joint.coordinate_count
        count = link.beam.modes.count if link.beam is not None else link.modes.count if link.modes is not None else 0
        eta = self.q[first : first + count]
        own = count > 0 or link.joint.moves or parent < 0
        if own:
            self.members.append(Member(R, o, eta, first))
        if link.joint.moves or parent < 0:
            spot = Spot(self.members[-1], np.zeros(3))
        else:
            spot = self.spots[parent].moved(link.joint.placement @ link.frame)
        if not count:
            spot.put(link.body.mass, link.body.com, link.body.moment)
            self.spots.append(spot.moved(link.tip))
            self.tips.append((R, o + R @ ca.DM(link.tip[:3, 3])))
            return
        spot.put(link.mass, link.com, link.inertia)
        self.beams[i] = (link.beam, ends, R, o, eta)
        point, shift, turn = self._given(link.modes) if link.beam is None else self._sampled(link.beam, ends)
        self.spots.append(Spot(self.members[-1], point, shift, turn))
        self.tips.append(affine(R, o, eta, point, shift, turn))
        if link.payload is not None:
            self.spots[-1].put(link.payload.mass, link.payload.com, link.payload.inertia)

    def _elastic(self, K, D):
        member = self.members[-1]
        member.K = np.asarray(K)
        self.V += 0.5 * ca.bilin(ca.DM(K), member.eta, member.eta)
        self.modal_damping[np.ix_(member.own, member.own)] = D

    def _sampled(self, beam, ends):
        """Points of a beam; its tip: place, shift (m, 3) and turn (m, 3) of unit amplitudes."""
        shapes = shapes_of(beam, *ends)
        edges = np.unique(np.concatenate([s.edges for s in shapes.values()] + [stations_of(beam)]))
        panels = Panels(refined(edges, max(6, *(s.count for s in shapes.values()))))
        field = Field(beam, shapes, panels)
        phi, angle = field.linear(panels.s)
        x, dm, phi, _ = _points(beam, panels, phi, angle, np.zeros((field.m, field.m, len(panels.s), 3)))
        self.members[-1].put(x, phi, dm)
        body = beam_body(beam, *ends)
        self._elastic(body.K, body.damping)
        return self._at(beam, ends, beam.length)

    @staticmethod
    def _at(beam, ends, s):
        """A section: place, shift and turn."""
        shapes = shapes_of(beam, *ends)
        shift, turn = Field(beam, shapes, Panels(np.array([0.0, beam.length]))).linear(np.array([s]))
        return np.array([s, 0.0, 0.0]), shift[:, 0], turn[:, 0]

    def _given(self, data):
        """Points with the moments of modal integrals, which are Book's: halves."""
        m = data.count
        S = np.zeros((4 + 3 * m, 4 + 3 * m))
        S[:4, :4] = 2 * np.asarray(data.C)
        for k in range(m):
            rows = slice(4 + 3 * k, 7 + 3 * k)
            S[:4, rows] = 2 * np.asarray(data.Ck[k])[:, 1:]
            S[rows, :4] = S[:4, rows].T
            for l in range(m):
                S[rows, 4 + 3 * l : 7 + 3 * l] = 2 * np.asarray(data.Ckl[k, l])[1:, 1:]
        self.members[-1].put(*points_with(S))
        self._elastic(data.K, data.D)
        return np.asarray(data.tip), np.asarray(data.tip_shift), np.asarray(data.tip_turn)

    def station(self, i, s, offset):
        """A point of the section at s of link i."""
        beam, ends, R, o, eta = self.beams[i]
        R, o = affine(R, o, eta, *self._at(beam, ends, s))
        return R, o + R @ ca.DM(offset)

    def drives(self):
        """Actuator inertia (n,) and damping (n, n), that of modes included."""
        armature, damping = super().drives()
        return armature, damping + ca.DM(self.modal_damping)

    @staticmethod
    def _inverse(R):
        return ca.inv_minor(R)

    def book(self, loads=(), base=None, products=False, shortcut=True):
        """Function (q, qd, qdd) -> tau of Book's equations by d'Alembert, p = W h, h = h0 + sum_k phi_k eta_k.

        The force on coordinate a is the sum of ``dm (dW/da h + W dh/da) . (Wdd h + 2 Wd hd + W hdd)``, in which

            products=False   (37): of h h^T in ``(dW/da h) . (Wdd h)`` the link's own amplitudes squared are dropped
            shortcut=True    (72), (73): where the acceleration of an amplitude acts on an amplitude of the same link,
                             the W of that link is left out, as if it were orthonormal

        With products=True, shortcut=False these are Lagrange's equations.
        """
        q, n = self.q, self.arm.dof
        qd, qdd = ca.SX.sym("qd", n), ca.SX.sym("qdd", n)
        armature, damping = self.drives()
        weight = sum(dm * ca.dot(ca.DM(self.arm.gravity), p) for p, dm in zip(self.points, self.masses, strict=True))
        tau = armature * qdd + damping @ qd + ca.gradient(self.V - weight, q) - self.work(loads)
        slopes, spreads = [], []
        for member in self.members:
            X = ca.horzcat(member.o, member.R)
            slope = ca.jacobian(ca.vec(X), q)
            rate = slope @ qd
            Xd, Xdd = (ca.reshape(x, 3, 4) for x in (rate, slope @ qdd + ca.jtimes(rate, q, qd)))
            if base is not None:
                w, field = base_field(base)
                Xdd += 2 * ca.skew(w) @ Xd + field @ ca.vertcat(ca.DM([[1, 0, 0, 0]]), X)
                Xd += ca.skew(w) @ X
            own = member.own
            pull, rows, spread = self._pull(member, (X, Xd, Xdd), qd[own], qdd[own], products, shortcut)
            tau += slope.T @ ca.vec(pull)
            if own:
                tau[own] += rows
            slopes.append(slope)
            spreads.append(spread)
        if shortcut:
            for member in self.members:
                if own := member.own:
                    tau[own] += self._without(member.R, own, slopes, spreads) @ qdd[own]
        return ca.Function("tau", [q, qd, qdd], [tau])

    @staticmethod
    def _pull(member, frame, etad, etadd, products, shortcut):
        """(3, 4) int (Wdd h + 2 Wd hd + W hdd) h^T, forces on its own amplitudes, and (4, 4) int h h^T."""
        X, Xd, Xdd = frame
        pull, rows, spread = ca.SX.zeros(3, 4), ca.SX.zeros(member.m), ca.SX.zeros(4, 4)
        for j, dm in enumerate(member.dm):
            bent = ca.vertcat(0, member.bent(j, member.eta))
            h = ca.DM([1, *member.x[j]]) + bent
            hd, hdd = (ca.vertcat(0, member.bent(j, x)) for x in (etad, etadd))
            hh = h @ h.T if products else h @ h.T - bent @ bent.T
            pull += dm * (Xdd @ hh + 2 * Xd @ hd @ h.T + X @ hdd @ h.T)
            spread += dm * hh
            if member.m:
                phi = ca.DM(member.phi[:, j])
                rows += dm * phi @ member.R.T @ (Xdd @ h + 2 * Xd @ hd)
                rows += dm * phi @ (hdd[1:] if shortcut else member.R.T @ X @ hdd)
        return pull, rows, spread

    def _without(self, R, own, slopes, spreads):
        """(m, m) what leaving out W changes in the inertia that bodies beyond a link add to its amplitudes."""
        inverse, change = self._inverse(R), ca.SX.zeros(len(own), len(own))
        for slope, spread in zip(slopes, spreads, strict=True):
            seen = [ca.reshape(slope[:, k], 3, 4) for k in own]
            if not any(part.nnz() for part in seen):
                continue
            before = [inverse @ part for part in seen]
            for f in range(len(own)):
                for k in range(len(own)):
                    change[f, k] += ca.dot(before[f], before[k] @ spread) - ca.dot(seen[f], seen[k] @ spread)
        return change


def affine(R, o, eta, point, shift, turn):
    """The frame of a section."""
    bent = ca.DM(turn.T) @ eta
    return R @ (ca.DM.eye(3) + ca.skew(bent)), o + R @ (ca.DM(point) + ca.DM(shift.T) @ eta)
