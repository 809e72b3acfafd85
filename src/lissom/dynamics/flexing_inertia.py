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

from lissom.dynamics.composite import shifted
from lissom.dynamics.layout import kind
from lissom.dynamics.vectors import UPPER, full
from lissom.elements.arrays import Objects, objects, scaled, skew, summed
from lissom.elements.field import field_inertia
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


def inertia(t: Tables, R: Objects, p: Objects, eta: Objects) -> Inertia:
    """Inertia of a beam in world axes, about a point p before the root; R: orientation of the root."""
    h, I, X, Me = field_inertia(t, eta)
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


def _pairs(m: int) -> list[tuple[int, int]]:
    return [(k, l) for k in range(m) for l in range(k, m)]


KINDS = (moving,)
