"""Inertia of a flexible link, as steps in world axes: energy, mass matrix, articulated bodies.

The inertia of a beam for (dw, a, etadd) of its root, of the same field as `flexing`, in beam axes:

    B0 = C[1:] + A C + sum eta_k D_k,   B_k = D_k[:, 1:]^T + A D_k^T + sum_l eta_l Y_lk
    h = B0[:, 0],   P = B0[:, 1:] + B0 A^T + sum eta_k B_k,   I = tr P 1 - P
    X_k = (axial((B_k + B0 dA_k^T)^T), D_k[:, 0] + dA_k C[:, 0])        moment and force of a unit etadd_k
    Me_kl = tr Y_kl + dA_k : D_l + dA_l : D_k + (dA_k C) : dA_l

What is turned into world axes and moved to the origin of the joint's body is then eliminated like a joint
with m coordinates (S: motion of the tip per amplitude; IA, pA: what the tip carries):

    Hm = Me + S^T IA S,   U = X + T^T IA S,   u = tau - f - S^T (pA + IA c),   Hm = L D L^T
    Ia = I + T^T IA T - U Hm^-1 U^T,   pa = p + T^T (pA + IA c) + U Hm^-1 u
    etadd = Hm^-1 (u - U^T a),   a_tip = T a + S etadd + c
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.articulated_inertia import SIZE, Carried, rigid
from lissom.dynamics.composite import shifted
from lissom.dynamics.layout import kind
from lissom.dynamics.pivot import reciprocal
from lissom.dynamics.vectors import UPPER, add, cross, dot, full, scale, sub, symmetric_times
from lissom.elements.arrays import Objects, axial, objects, scaled, skew, summed
from lissom.elements.field import affine, field_force
from lissom.elements.tables import Layout, Tables
from lissom.elements.tip import Tip, tip_of


def triangle(m: int) -> int:
    """Entries of a symmetric matrix."""
    return m * (m + 1) // 2


class Inertia(NamedTuple):
    """Inertia of a beam: composite (m, h, I: ten), unit forces X (m of N, F), upper triangle Me."""

    composite: list[Any]
    X: list[list[Any]]
    Me: list[Any]


def _inertia(t: Tables, eta: Objects) -> tuple[Objects, Objects, list[tuple[Objects, Objects]], list[Any]]:
    """h, I (3, 3), X as (N, F), Me, in beam axes about the root."""
    m = len(eta)
    A, dA = affine(t, eta)
    B0 = t.C[1:] + A @ t.C + np.tensordot(eta, t.D, 1)
    B = [t.D[k][:, 1:].T + A @ t.D[k].T + summed([scaled(eta[l], t.Y[l, k]) for l in range(m)], 3, 3) for k in range(m)]
    P = B0[:, 1:] + B0 @ A.T + summed([scaled(eta[k], B[k]) for k in range(m)], 3, 3)
    trace = P[0, 0] + P[1, 1] + P[2, 2]
    I = scaled(trace, np.eye(3).astype(object)) - P
    X = [(axial((B[k] + B0 @ dA[k].T).T), t.D[k][:, 0] + dA[k] @ t.C[:, 0]) for k in range(m)]
    Me = [
        np.trace(t.Y[k, l]) + np.sum(dA[k] * t.D[l]) + np.sum(dA[l] * t.D[k]) + np.sum((dA[k] @ t.C) * dA[l])
        for k in range(m)
        for l in range(k, m)
    ]
    return B0[:, 0], I, X, Me


def inertia(t: Tables, R: Objects, p: Objects, eta: Objects) -> Inertia:
    """Inertia of a beam in world axes, about a point p before the root; R: orientation of the root."""
    h, I, X, Me = _inertia(t, eta)
    turned = R @ I @ R.T
    composite = shifted([t.C[0, 0], *(R @ h), *(turned[a, b] for a, b in UPPER)], list(p))
    columns = []
    for N, F in X:
        N, F = R @ N, R @ F
        columns.append([*(N + skew(p) @ F), *F])
    return Inertia(composite, columns, Me)


class Reach(NamedTuple):
    """The end of a beam in the world: its tip, orientation R and place p of the root, place r and orientation Rt of
    the tip; places from the origin of the joint's body."""

    tip: Tip
    R: Objects
    p: Objects
    r: Objects
    Rt: Objects


def _reach(t: Tables, layout: Layout, above: Any, eta: Objects, etad: Objects | None = None) -> Reach:
    """Root and tip from the orientation of the joint's body, the first nine entries of `above`."""
    R0 = objects(above[0:9], 3, 3)
    tip, R, p = tip_of(t, layout.cubic, eta, etad), R0 @ t.root, R0 @ t.p
    return Reach(tip, R, p, p + R @ tip.r, R @ tip.E)


# ---- momentum and energy -------------------------------------------------------------------------


@kind(lambda m: (18, m, m), lambda m: (18, 10))
def moving(layout: Layout) -> Any:
    def step(above: Any, eta: Any, etad: Any, K: Any) -> list[list[Any]]:
        """(R, o, w, v) of the joint's body -> those of the tip, and (T, m o + h, P, L) of the beam."""
        t, eta, etad = layout.unpacked(K), objects(eta), objects(etad)
        o, w, v = (objects(above[k : k + 3]) for k in (9, 12, 15))
        tip, R, p, r, Rt = _reach(t, layout, above, eta, etad)
        state = [*Rt.ravel(), *(o + r), *(w + Rt @ tip.w), *(v + skew(w) @ r + R @ tip.rd)]
        own = inertia(t, R, p, eta)
        pushed = summed([scaled(etad[k], objects(X)) for k, X in enumerate(own.X)], 6)
        m, h, I = own.composite[0], objects(own.composite[1:4]), objects(full(own.composite[4:10]), 3, 3)
        wh = skew(w) @ h
        P = scaled(m, v) + wh + pushed[3:]
        L = I @ w + skew(h) @ v + pushed[:3] + skew(o) @ P
        modal = [
            etad[k] * etad[l] * x * (0.5 if k == l else 1.0) for x, (k, l) in zip(own.Me, _pairs(layout.m), strict=True)
        ]
        T = 0.5 * (w @ (I @ w) + m * (v @ v)) + v @ wh + w @ pushed[:3] + v @ pushed[3:] + sum(modal)
        return [state, [T, *(scaled(m, o) + h), *P, *L]]

    return step


# ---- mass matrix ---------------------------------------------------------------------------------


@kind(lambda m: (12, m), lambda m: (12, 6 * m, 3, 10, 6 * m, triangle(m)))
def place(layout: Layout) -> Any:
    def step(above: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(R, o) of the joint's body -> those of the tip, its screws, the path to it, and the beam's inertia.

        Screws and unit forces about the world's origin, the composite about that of the joint's body.
        """
        t, eta = layout.unpacked(K), objects(eta)
        o = objects(above[9:12])
        tip, R, p, r, Rt = _reach(t, layout, above, eta)
        at = o + r
        turns, shifts = Rt @ tip.Jw, R @ tip.Jp
        screws = [x for k in range(layout.m) for x in (*turns[:, k], *(shifts[:, k] + skew(at) @ turns[:, k]))]
        own = inertia(t, R, p, eta)
        columns = [x for c in own.X for x in (*add(c[0:3], cross(o, c[3:6])), *c[3:6])]
        return [[*Rt.ravel(), *at], screws, list(r), own.composite, columns, own.Me]

    return step


@kind(lambda m: (6 * m, 6 * m, triangle(m), 10, 3), lambda m: (6 * m, triangle(m)), constants=False)
def column(layout: Layout) -> Any:
    def step(screws: Any, X: Any, Me: Any, C: Any, o: Any) -> list[list[Any]]:
        """Forces of unit accelerations about the world's origin with the composite C on the tip, and M of the modes."""
        m = layout.m
        S, own = _six(screws, m), _six(X, m)
        carried = [_about_origin(s, C, o) for s in S]
        entries = [dot(S[k], carried[l]) for k in range(m) for l in range(k, m)]
        return [[x for a, b in zip(own, carried, strict=True) for x in add(a, b)], add(Me, entries)]

    return step


def _about_origin(screw: Any, C: Any, o: Any) -> list[Any]:
    """(N, F) about the world's origin of a composite at o that moves with a screw."""
    w, v = screw[0:3], add(screw[3:6], cross(screw[0:3], o))
    h, F = C[1:4], add(scale(C[0], v), cross(w, C[1:4]))
    N = add(symmetric_times(C[4:10], w), cross(h, v))
    return [*add(N, cross(o, F)), *F]


def _six(values: Any, m: int) -> list[Any]:
    return [values[6 * k : 6 * k + 6] for k in range(m)]


# ---- articulated bodies --------------------------------------------------------------------------


def _way(m: int) -> int:
    """Entries of the path to the tip: r, S, c."""
    return 3 + 6 * m + 6


def _mass(m: int) -> int:
    """Entries of a beam's inertia: composite, X, Me."""
    return 10 + 6 * m + triangle(m)


@kind(lambda m: (12, m, m), lambda m: (12, _way(m), _mass(m), 6 + m))
def bend(layout: Layout) -> Any:
    def step(above: Any, eta: Any, etad: Any, K: Any) -> list[list[Any]]:
        """(R, w) of the joint's body -> those of the tip, the path to it, the beam's inertia and its bias forces."""
        t, eta, etad = layout.unpacked(K), objects(eta), objects(etad)
        w = objects(above[9:12])
        tip, R, p, r, Rt = _reach(t, layout, above, eta, etad)
        turns, shifts, wt = Rt @ tip.Jw, R @ tip.Jp, Rt @ tip.w
        S = [x for k in range(layout.m) for x in (*turns[:, k], *shifts[:, k])]
        spun = skew(w) @ skew(w)
        c = [*(skew(w) @ wt + Rt @ tip.gw), *(spun @ r + 2 * (skew(w) @ (R @ tip.rd)) + R @ tip.gp)]
        own = inertia(t, R, p, eta)
        F, N, f = field_force(t, R.T @ w, 0 * w, R.T @ (spun @ p), eta, etad, 0 * eta)
        F, N = R @ F, R @ N
        mass = [*own.composite, *(x for column in own.X for x in column), *own.Me]
        return [[*Rt.ravel(), *(w + wt)], [*r, *S, *c], mass, [*(N + skew(p) @ F), *F, *f]]

    return step


@kind(lambda m: (6 + m, 12, m, 9), lambda m: (6 + m,))
def pushed(layout: Layout) -> Any:
    def step(bias: Any, above: Any, eta: Any, load: Any, K: Any) -> list[list[Any]]:
        """Bias forces less a load (force, moment, point) on the end of the beam; (R, w) of the joint's body given."""
        t, eta = layout.unpacked(K), objects(eta)
        tip, R, _, r, Rt = _reach(t, layout, above, eta)
        F, lever = objects(load[0:3]), Rt @ objects(load[6:9])
        N = objects(load[3:6]) + skew(lever) @ F
        f = (R @ tip.Jp).T @ F + (Rt @ tip.Jw).T @ N
        return [sub(bias, [*(N + skew(r) @ F), *F, *f])]

    return step


@kind(lambda m: (_way(m), _mass(m), 6 + m, SIZE, m, 1), lambda m: (m + 6 * m + triangle(m - 1), SIZE), constants=False)
def eliminate(layout: Layout) -> Any:
    def step(way: Any, mass: Any, bias: Any, below: Any, tau: Any, beyond: Any) -> list[list[Any]]:
        """Values for the outward pass (D^-1 L^-1 u, D^-1 L^-1 U^T, L), and what acts on the joint's body.

        below : articulated inertia, forces, and locked composite of the tip; beyond : the mass it carries
        """
        m = layout.m
        r, S, c = way[0:3], _six(way[3:], m), way[3 + 6 * m :]
        own, X, Me = mass[0:10], _six(mass[10:], m), mass[10 + 6 * m :]
        tip = Carried.of(below)
        felt = [tip.inertia.times(s) for s in S]
        tip = tip._replace(p=add(tip.p, tip.inertia.times(c)))
        H = [x + dot(S[k], felt[l]) for x, (k, l) in zip(Me, _pairs(m), strict=True)]
        U = [add(X[k], _moved_force(r, felt[k])) for k in range(m)]
        u = [tau[k] - bias[6 + k] - dot(S[k], tip.p) for k in range(m)]
        root = _own(own, bias).plus(tip.moved(r, beyond[0]))
        L, inverse = _factors(H, m)
        Z, z = _forward(L, U, m), _forward(L, [[x] for x in u], m)
        for k in range(m):
            Zd = scale(inverse[k], Z[k])
            root = root._replace(inertia=root.inertia.less(Z[k], Zd), p=add(root.p, scale(z[k][0], Zd)))
        kept = [*(inverse[k] * z[k][0] for k in range(m)), *(x for k in range(m) for x in scale(inverse[k], Z[k]))]
        return [[*kept, *(L[k, l] for k in range(m) for l in range(k))], root.entries]

    return step


@kind(lambda m: (_way(m), _mass(m), 6 + m, SIZE, 1), lambda m: (_mass(m), 6 + m, SIZE), constants=False)
def mount(layout: Layout) -> Any:
    def step(way: Any, mass: Any, bias: Any, below: Any, beyond: Any) -> list[list[Any]]:
        """The beam's inertia and bias forces with what a place along it carries, and what acts on the joint's body.

        below : articulated inertia, forces, and locked composite of the place; beyond : the mass it carries
        """
        m = layout.m
        r, S, c = way[0:3], _six(way[3:], m), way[3 + 6 * m :]
        own, X, Me = mass[0:10], _six(mass[10:], m), mass[10 + 6 * m :]
        place = Carried.of(below)
        felt = [place.inertia.times(s) for s in S]
        place = place._replace(p=add(place.p, place.inertia.times(c)))
        H = [x + dot(S[k], felt[l]) for x, (k, l) in zip(Me, _pairs(m), strict=True)]
        U = [x for k in range(m) for x in add(X[k], _moved_force(r, felt[k]))]
        f = [bias[6 + k] + dot(S[k], place.p) for k in range(m)]
        return [[*[x + 0 for x in own], *U, *H], [*[x + 0 for x in bias[0:6]], *f], place.moved(r, beyond[0]).entries]

    return step


@kind(lambda m: (6, _way(m), m), lambda m: (6,), constants=False)
def ride(layout: Layout) -> Any:
    def step(above: Any, way: Any, amplitudes: Any) -> list[list[Any]]:
        """(dw, a) of a place along a beam from that of the joint's body and the accelerations of the amplitudes."""
        m = layout.m
        r, S, c = way[0:3], _six(way[3:], m), way[3 + 6 * m :]
        out = add([*above[0:3], *add(above[3:6], cross(above[0:3], r))], c)
        for k in range(m):
            out = add(out, scale(amplitudes[k], S[k]))
        return [out]

    return step


@kind(lambda m: (6, _way(m), m + 6 * m + triangle(m - 1)), lambda m: (m, 6), constants=False)
def accelerate(layout: Layout) -> Any:
    def step(above: Any, way: Any, kept: Any) -> list[list[Any]]:
        """Accelerations of the amplitudes, and (dw, a) of the tip from that of the joint's body."""
        m = layout.m
        r, S, c = way[0:3], _six(way[3:], m), way[3 + 6 * m :]
        Z, lower = _six(kept[m:], m), iter(kept[7 * m :])
        L = {(k, l): next(lower) for k in range(m) for l in range(k)}
        x = [kept[k] - dot(Z[k], above) for k in range(m)]
        for k in range(m - 1, -1, -1):
            for l in range(k + 1, m):
                x[k] = x[k] - L[l, k] * x[l]
        out = add([*above[0:3], *add(above[3:6], cross(above[0:3], r))], c)
        for k in range(m):
            out = add(out, scale(x[k], S[k]))
        return [x, out]

    return step


def _own(composite: Any, bias: Any) -> Carried:
    """The composite of the beam with its modes locked."""
    m, h, I = composite[0], composite[1:4], composite[4:10]
    return Carried(rigid(m, h, I), bias[0:6], h, I[0] + I[3] + I[5])


def _pairs(m: int) -> list[tuple[int, int]]:
    return [(k, l) for k in range(m) for l in range(k, m)]


def _moved_force(r: Any, force: Any) -> list[Any]:
    """Force (N, F) about a point r before its origin."""
    return [*add(force[0:3], cross(r, force[3:6])), *force[3:6]]


def _factors(H: list[Any], m: int) -> tuple[dict[tuple[int, int], Any], list[Any]]:
    """L (below its diagonal of ones) and 1 / D of H = L D L^T."""
    A = dict(zip(((l, k) for k, l in _pairs(m)), H, strict=True))
    whole = [A[k, k] for k in range(m)]
    L: dict[tuple[int, int], Any] = {}
    inverse = []
    for k in range(m):
        inverse.append(reciprocal(A[k, k], whole[k]))
        for i in range(k + 1, m):
            L[i, k] = A[i, k] * inverse[k]
        for i in range(k + 1, m):
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - L[i, k] * A[j, k]
    return L, inverse


def _forward(L: dict[tuple[int, int], Any], rows: list[Any], m: int) -> list[Any]:
    """Forward substitution with L."""
    out = [list(row) for row in rows]
    for k in range(m):
        for i in range(k + 1, m):
            out[i] = sub(out[i], scale(L[i, k], out[k]))
    return out


KINDS = (moving, place, column, bend, pushed, eliminate, mount, ride, accelerate)
