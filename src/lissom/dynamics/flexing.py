"""A flexible link as steps: d'Alembert on its displacement field, in beam axes.

Behind the joint's body (which holds the hub) comes the beam: its root frame is fixed on that body, its tip
frame carries what is fixed there (payload) and the children. Everything follows from one field (see
`flexible.body`), so the equations are Lagrange's for it, at any deflection:

    tip       r = tip + shift eta + 1/2 eta shift2 eta,   Jp = dr/deta
              u = turn eta + 1/2 eta turn2 eta;  b = u_y + u_y^3/6,  a = u_z + u_z^3/6 + u_z u_y^2/2
              E = Rz(a) Ry(b) Rx(u_x),   Jw: rates of eta to angular velocity in tip axes
    body      H = [a | W] + W A + 2 [w] Ad + Add,  Q_k = W eta_k + 2 [w] etad_k + 1 etadd_k,   W = [dw] + [w]^2
              P0 = H C + sum Q_k D_k,   P_k = H D_k^T + sum_l Q_l Y_lk
              F = P0[:, 0],  N = axial(P0[:, 1:] + P0 A^T + sum eta_k P_k),  f_k = tr P_k + dA_k : P0 + elastic
    inward    F += E Ft,  N += E Nt + r x E Ft,  f += Jp^T E Ft + Jw^T Nt

with A = 1/2 eta Lam eta (3 x 4). Entries are scalars of any kind in object arrays; constants that are zero
are left out when steps are traced.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.engine.program import Step, cos, sin
from lissom.flexible.body import FlexibleBody, Station

Objects = Any  # an object array


def objects(values: Sequence[Any]) -> Objects:
    """A vector of scalars of any kind."""
    out = np.empty(len(values), object)
    for k, value in enumerate(values):
        out[k] = value
    return out


def skew(v: Sequence[Any]) -> Objects:
    O = 0 * v[0]
    rows = [[O, -v[2], v[1]], [v[2], O, -v[0]], [-v[1], v[0], O]]
    out = np.empty((3, 3), object)
    for i in range(3):
        for j in range(3):
            out[i, j] = rows[i][j]
    return out


def scaled(x: Any, A: Objects) -> Objects:
    """x A, entry by entry: symbols would take a whole array for a matrix of their own."""
    out = np.empty(A.shape, object)
    for place in np.ndindex(*A.shape):
        out[place] = x * A[place]
    return out


def axial(P: Objects) -> Objects:
    """int p x a dm from P = int a p^T dm."""
    return objects([P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1]])


def _form(T: Objects, a: Objects, b: Objects) -> Objects:
    """a T b of a table (m, m, ...)."""
    return np.tensordot(b, np.tensordot(a, T, 1), 1)


def _slope(T: Objects, a: Objects) -> Objects:
    """T a of a table (m, m, ...), symmetric in its first two."""
    return np.tensordot(a, T, 1)


# ---- constants -----------------------------------------------------------------------------------


class Layout(NamedTuple):
    """Which constants of a flexible body are not zero; their values are the constants of its steps."""

    m: int
    shapes: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, ...], ...]

    @property
    def key(self) -> str:
        """A name for steps made for this pattern."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def length(self) -> int:
        """Number of values."""
        return sum(len(places) for places in self.places)

    def unpacked(self, values: Sequence[Any]) -> list[Objects]:
        """The tables with their values, zeros elsewhere."""
        out, at = [], 0
        for shape, places in zip(self.shapes, self.places, strict=True):
            flat = np.empty(int(np.prod(shape)), object)
            flat[:] = 0.0
            for place in places:
                flat[place] = values[at]
                at += 1
            out.append(flat.reshape(shape))
        return out


def _packed(tables: Sequence[Any], m: int) -> tuple[Layout, tuple[float, ...]]:
    shapes, places, values = [], [], []
    for table in tables:
        flat = np.asarray(table, float).ravel()
        some = np.flatnonzero(flat)
        shapes.append(np.shape(table))
        places.append(tuple(int(k) for k in some))
        values += [float(x) for x in flat[some]]
    return Layout(m, tuple(shapes), tuple(places)), tuple(values)


class Beam(NamedTuple):
    """A flexible link as a recursion sees it: the patterns of its steps, and their constants."""

    m: int
    body: Layout
    body_values: tuple[float, ...]
    tip: Layout
    tip_values: tuple[float, ...]
    cubic: bool

    @classmethod
    def of(cls, body: FlexibleBody, R: Any, p: Any) -> Beam:
        """From its constants, and the pose (R, p) of its root on the joint's body."""
        t = body.tip
        ends = [R, p, t.point, t.shift, t.shift2, t.turn, t.turn2]
        bodies = [R, p, body.C, body.D, body.Y, body.Lam, body.K, body.damping, body.bend]
        return cls(body.m, *_packed(bodies, body.m), *_packed(ends, body.m), cubic=len(body.bend) > 0)

    @property
    def steps(self) -> Steps:
        """Its steps; made once for every pattern of constants."""
        return steps_of(self.body, self.tip, self.cubic)

    def at(self, station: Station) -> Beam:
        """The same with another place on it as its end."""
        R, p, *_ = self.tip.unpacked(self.tip_values)
        t = station
        tables = [np.asarray(R, float), np.asarray(p, float), t.point, t.shift, t.shift2, t.turn, t.turn2]
        layout, values = _packed(tables, self.m)
        return self._replace(tip=layout, tip_values=values)

    @property
    def inert(self) -> Beam:
        """The same without elasticity and damping: what resists acceleration only."""
        tables = self.body.unpacked(self.body_values)
        plain = [*tables[:6], *(0.0 * np.asarray(t, float) for t in tables[6:9])]
        layout, values = _packed([np.asarray(t, float) for t in plain], self.m)
        return self._replace(body=layout, body_values=values)


# ---- the tip -------------------------------------------------------------------------------------


class Tip(NamedTuple):
    """A place on the beam for given amplitudes: position, orientation, Jacobians; rates where they are asked for."""

    r: Objects
    E: Objects
    Jp: Objects  # (3, m), beam axes
    Jw: Objects  # (3, m), tip axes
    rd: Objects
    w: Objects
    gp: Objects
    gw: Objects


def tip_of(tables: Sequence[Objects], cubic: bool, eta: Objects, etad: Objects) -> Tip:
    """tables: point, shift, shift2, turn, turn2."""
    point, shift, shift2, turn, turn2 = tables
    Jp = (shift + _slope(shift2, eta)).T
    r = point + eta @ shift + 0.5 * _form(shift2, eta, eta)
    Ju = (turn + _slope(turn2, eta)).T
    u = eta @ turn + 0.5 * _form(turn2, eta, eta)
    ud = Ju @ etad
    angles, A, bent = _angles(u, ud, cubic)
    x, y, z = A @ ud
    (sx, sy, sz), (cx, cy, cz) = [sin(v) for v in angles], [cos(v) for v in angles]
    E = objects([
        cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,
        sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,
        -sy, cy * sx, cy * cx,
    ]).reshape(3, 3)  # fmt: skip
    O, one = 0 * sx, 0 * sx + 1
    B = objects([one, O, -sy, O, cx, sx * cy, O, -sx, cx * cy]).reshape(3, 3)
    Bd = objects([
        -cy * y * z,
        -sx * x * y + (cx * cy * x - sx * sy * y) * z,
        -cx * x * y - (sx * cy * x + cx * sy * y) * z,
    ])  # fmt: skip
    gw = B @ (A @ _form(turn2, etad, etad) + bent) + Bd
    return Tip(r, E, Jp, B @ A @ Ju, Jp @ etad, B @ objects([x, y, z]), _form(shift2, etad, etad), gw)


def _angles(u: Objects, ud: Objects, cubic: bool) -> tuple[Objects, Objects, Objects]:
    """Angles of Rx, Ry, Rz, their derivative with respect to u, and their acceleration where u has none."""
    x, b, a = u
    O, one = 0 * x, 0 * x + 1
    if not cubic:
        return u, objects([one, O, O, O, one, O, O, O, one]).reshape(3, 3), objects([O, O, O])
    _, bd, ad = ud
    angles = objects([x, b + b * b * b / 6, a + a * a * a / 6 + 0.5 * (a * b * b)])
    A = objects([one, O, O, O, 1 + 0.5 * (b * b), O, O, a * b, 1 + 0.5 * (a * a + b * b)]).reshape(3, 3)
    return angles, A, objects([O, b * bd * bd, a * (ad * ad + bd * bd) + 2 * (b * ad * bd)])


# ---- steps ---------------------------------------------------------------------------------------


def _to_beam(R: Objects, p: Objects, motion: Sequence[Any]) -> tuple[Objects, Objects, Objects]:
    """(w, dw, a) of the joint's body at the root of the beam, in beam axes."""
    w, dw, a = (objects(motion[k : k + 3]) for k in (0, 3, 6))
    W = skew(dw) + skew(w) @ skew(w)
    return R.T @ w, R.T @ dw, R.T @ (a + W @ p)


def _tip_motion(layout: Layout, cubic: bool) -> Any:
    def step(motion: Any, eta: Any, etad: Any, etadd: Any, K: Any) -> list[list[Any]]:
        R, p, *tables = layout.unpacked(K)
        w, dw, a = _to_beam(R, p, motion)
        eta, etad, etadd = (objects(x) for x in (eta, etad, etadd))
        t = tip_of(tables, cubic, eta, etad)
        W = skew(dw) + skew(w) @ skew(w)
        a = a + W @ t.r + 2 * (skew(w) @ t.rd) + t.Jp @ etadd + t.gp
        wt, dwt = t.E.T @ w, t.E.T @ dw
        dw_tip = dwt + skew(wt) @ t.w + t.Jw @ etadd + t.gw
        return [[*(wt + t.w), *dw_tip, *(t.E.T @ a)]]

    return step


def _beam_force(layout: Layout) -> Any:
    def step(motion: Any, eta: Any, etad: Any, etadd: Any, K: Any) -> list[list[Any]]:
        """(F, N) about the joint's body's origin, and the force on every mode."""
        R, p, C, D, Y, Lam, stiffness, damping, bend = layout.unpacked(K)
        w, dw, a = _to_beam(R, p, motion)
        eta, etad, etadd = (objects(x) for x in (eta, etad, etadd))
        m = len(eta)
        W = skew(dw) + skew(w) @ skew(w)
        dA = np.moveaxis(np.tensordot(Lam, eta, 1), 2, 0)  # (m, 3, 4)
        A = 0.5 * np.tensordot(eta, dA, 1)
        Ad = np.tensordot(etad, dA, 1)
        Add = np.tensordot(etadd, dA, 1) + np.tensordot(np.tensordot(Lam, etad, 1), etad, 1)
        H = np.concatenate([a[:, None], W], axis=1) + W @ A + 2 * (skew(w) @ Ad) + Add
        one = np.eye(3).astype(object)
        Q = [scaled(eta[k], W) + scaled(2 * etad[k], skew(w)) + scaled(etadd[k], one) for k in range(m)]
        P0 = H @ C + sum((Q[k] @ D[k] for k in range(m)), np.zeros((3, 4), object))
        P = [H @ D[k].T + sum((Q[l] @ Y[l, k] for l in range(m)), np.zeros((3, 3), object)) for k in range(m)]
        moment = P0[:, 1:] + P0 @ A.T + sum((scaled(eta[k], P[k]) for k in range(m)), np.zeros((3, 3), object))
        F, N = R @ P0[:, 0], R @ axial(moment)
        elastic = stiffness @ eta + damping @ etad
        for B in bend:
            elastic = elastic + scaled(0.5 * (eta @ B @ eta), B @ eta)
        f = [P[k][0, 0] + P[k][1, 1] + P[k][2, 2] + np.sum(dA[k] * P0) + elastic[k] for k in range(m)]
        return [[*F, *(N + skew(p) @ F)], f]

    return step


def _tip_inward(layout: Layout, cubic: bool) -> Any:
    def step(below: Any, f: Any, wrench: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(F, N) of the joint's body and the modal forces with what acts on the tip."""
        R, p, *tables = layout.unpacked(K)
        eta = objects(eta)
        t = tip_of(tables, cubic, eta, objects([0 * x for x in eta]))
        Ft, Nt = objects(wrench[0:3]), objects(wrench[3:6])
        EF = t.E @ Ft
        F, N = R @ EF, R @ (t.E @ Nt + skew(t.r) @ EF)
        felt = t.Jp.T @ EF + t.Jw.T @ Nt
        force = [x + y for x, y in zip(below, [*F, *(N + skew(p) @ F)], strict=True)]
        return [force, [x + y for x, y in zip(f, felt, strict=True)]]

    return step


def _tip_frame(layout: Layout, cubic: bool) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(R, o) of the tip from that of the joint's body."""
        R, p, *tables = layout.unpacked(K)
        eta = objects(eta)
        t = tip_of(tables, cubic, eta, objects([0 * x for x in eta]))
        X, o = objects(body[0:9]).reshape(3, 3), objects(body[9:12])
        return [[*(X @ R @ t.E).ravel(), *(o + X @ (p + R @ t.r))]]

    return step


def _tip_turn(layout: Layout, cubic: bool) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """World orientation of the tip from that of the joint's body."""
        R, _, *tables = layout.unpacked(K)
        eta = objects(eta)
        t = tip_of(tables, cubic, eta, objects([0 * x for x in eta]))
        return [list((objects(body).reshape(3, 3) @ R @ t.E).ravel())]

    return step


def _moment(layout: Layout) -> Any:
    def step(total: Any, body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """First moment of mass, in the world, with that of the beam."""
        R, p, C, D, _, Lam, *_ = layout.unpacked(K)
        eta = objects(eta)
        A = 0.5 * np.tensordot(np.tensordot(Lam, eta, 1), eta, 1)
        S = C[1:, 0] + A @ C[:, 0] + np.tensordot(eta, D[:, :, 0], 1)
        X, o = objects(body[0:9]).reshape(3, 3), objects(body[9:12])
        moment = scaled(C[0, 0], o + X @ p) + X @ (R @ S)
        return [[x + y for x, y in zip(total, moment, strict=True)]]

    return step


def _strain(layout: Layout) -> Any:
    def step(energy: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(T, V) with the beam's elastic energy."""
        stiffness, _, bend = layout.unpacked(K)[6:9]
        eta = objects(eta)
        V = 0.5 * (eta @ stiffness @ eta)
        for B in bend:
            part = 0.5 * (eta @ B @ eta)
            V = V + 0.5 * (part * part)
        return [[energy[0] + 0, energy[1] + V]]

    return step


def _loss(layout: Layout) -> Any:
    def step(lost: Any, etad: Any, K: Any) -> list[list[Any]]:
        """Power with what the beam's damping takes."""
        damping = layout.unpacked(K)[7]
        etad = objects(etad)
        return [[lost[0] + etad @ damping @ etad]]

    return step


def _columns(layout: Layout, cubic: bool) -> Any:
    def step(body: Any, eta: Any, P: Any, K: Any) -> list[list[Any]]:
        """Velocity of P, beyond the tip, and angular velocity, per unit rate of every amplitude."""
        R, p, *tables = layout.unpacked(K)
        eta = objects(eta)
        t = tip_of(tables, cubic, eta, objects([0 * x for x in eta]))
        X, o = objects(body[0:9]).reshape(3, 3) @ R, objects(body[9:12]) + objects(body[0:9]).reshape(3, 3) @ p
        arm = objects(P) - (o + X @ t.r)
        turns, shifts = X @ t.E @ t.Jw, X @ t.Jp
        out = []
        for k in range(len(eta)):
            out.append([*(shifts[:, k] + skew(turns[:, k]) @ arm), *turns[:, k]])
        return out

    return step


class Steps(NamedTuple):
    """The steps of one pattern."""

    motion: Step
    force: Step
    inward: Step
    frame: Step
    turn: Step
    moment: Step
    strain: Step
    loss: Step
    columns: Step


@functools.cache
def _step(kind: str, layout: Layout, cubic: bool) -> Step:
    """One step of a pattern; made once, so that all links of the pattern share it."""
    m, name = layout.m, f"{kind}_{layout.key}{'c' if cubic else ''}"
    make, inputs, outputs = {
        "tip_motion": (_tip_motion, (9, m, m, m), (9,)),
        "tip_inward": (_tip_inward, (6, m, 6, m), (6, m)),
        "tip_frame": (_tip_frame, (12, m), (12,)),
        "tip_turn": (_tip_turn, (9, m), (9,)),
        "tip_columns": (_columns, (12, m, 3), (6,) * m),
        "beam_force": (_beam_force, (9, m, m, m), (6, m)),
        "beam_moment": (_moment, (3, 12, m), (3,)),
        "beam_strain": (_strain, (2, m), (2,)),
        "beam_loss": (_loss, (1, m), (1,)),
    }[kind]
    function = make(layout, cubic) if kind.startswith("tip") else make(layout)  # type: ignore[operator]
    return Step(name, function, inputs, outputs, layout.length)


def steps_of(body: Layout, tip: Layout, cubic: bool) -> Steps:
    """The steps of a pattern."""
    ends = {word: _step(f"tip_{word}", tip, cubic) for word in ("motion", "inward", "frame", "turn", "columns")}
    return Steps(**ends, **{word: _step(f"beam_{word}", body, False) for word in ("force", "moment", "strain", "loss")})
