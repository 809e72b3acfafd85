"""A flexible link as steps: d'Alembert on its displacement field, in beam axes.

Behind the joint's body (which holds the hub) comes the beam: its root frame is fixed on that body, its tip
frame carries what is fixed there (payload) and the children. Everything follows from one field (see
`flexible.body`), so the equations are Lagrange's for it, at any deflection:

    body      H = [a | W] + W A + 2 [w] Ad + Add,  Q_k = W eta_k + 2 [w] etad_k + 1 etadd_k,   W = [dw] + [w]^2
              P0 = H C + sum Q_k D_k,   P_k = H D_k^T + sum_l Q_l Y_lk
              F = P0[:, 0],  N = axial(P0[:, 1:] + P0 A^T + sum eta_k P_k),  f_k = tr P_k + dA_k : P0 + elastic
    inward    F += E Ft,  N += E Nt + r x E Ft,  f += Jp^T E Ft + Jw^T Nt

with A = 1/2 eta Lam eta (3 x 4) and the tip's r, E, Jp, Jw of `tip`. The steps of energies, mass matrices
and forward dynamics are in `flexing_inertia`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.entries import Objects, axial, objects, scaled, skew, summed
from lissom.dynamics.layout import Layout, Tables, kind
from lissom.dynamics.tip import Tip, tip_of


class Affine(NamedTuple):
    """The affine part of the shortening: A = 1/2 eta Lam eta (3, 4), and its slope dA (m, 3, 4)."""

    A: Objects
    dA: Objects


def affine(t: Tables, eta: Objects) -> Affine:
    dA = np.moveaxis(np.tensordot(t.Lam, eta, 1), 2, 0)
    return Affine(0.5 * np.tensordot(eta, dA, 1), dA)


def field_force(
    t: Tables, w: Objects, dw: Objects, a: Objects, eta: Objects, etad: Objects, etadd: Objects
) -> tuple[Objects, Objects, Objects]:
    """(F, N) about the root and the force on every mode of a beam whose root moves with (w, dw, a), beam axes."""
    m = len(eta)
    W = skew(dw) + skew(w) @ skew(w)
    A, dA = affine(t, eta)
    Ad = np.tensordot(etad, dA, 1)
    Add = np.tensordot(etadd, dA, 1) + np.tensordot(np.tensordot(t.Lam, etad, 1), etad, 1)
    H = np.concatenate([a[:, None], W], axis=1) + W @ A + 2 * (skew(w) @ Ad) + Add
    one = np.eye(3).astype(object)
    Q = [scaled(eta[k], W) + scaled(2 * etad[k], skew(w)) + scaled(etadd[k], one) for k in range(m)]
    P0 = H @ t.C + summed([Q[k] @ t.D[k] for k in range(m)], 3, 4)
    P = [H @ t.D[k].T + summed([Q[l] @ t.Y[l, k] for l in range(m)], 3, 3) for k in range(m)]
    moment = P0[:, 1:] + P0 @ A.T + summed([scaled(eta[k], P[k]) for k in range(m)], 3, 3)
    f = [P[k][0, 0] + P[k][1, 1] + P[k][2, 2] + np.sum(dA[k] * P0) for k in range(m)]
    return P0[:, 0], axial(moment), objects(f) + elastic(t, eta, etad)


def elastic(t: Tables, eta: Objects, etad: Objects) -> Objects:
    """Forces of stiffness and damping."""
    out = t.K @ eta + t.damping @ etad
    for B in t.bend:
        out = out + scaled(0.5 * (eta @ B @ eta), B @ eta)
    return out


def _to_beam(t: Tables, root: Any) -> tuple[Objects, Objects, Objects]:
    """(w, dw, a) of the joint's body at the root of the beam, in beam axes."""
    w, dw, a = (objects(root[k : k + 3]) for k in (0, 3, 6))
    W = skew(dw) + skew(w) @ skew(w)
    return t.root.T @ w, t.root.T @ dw, t.root.T @ (a + W @ t.p)


def _still(layout: Layout, eta: Any, K: Any) -> tuple[Tables, Tip]:
    """The tables of the beam, and its end at rest."""
    t = layout.unpacked(K)
    return t, tip_of(t, layout.cubic, objects(eta))


def _root(t: Tables, body: Any) -> tuple[Objects, Objects]:
    """Orientation and origin of the root in the world, from those of the joint's body."""
    X, o = objects(body[0:9], 3, 3), objects(body[9:12])
    return X @ t.root, o + X @ t.p


@kind(lambda m: (9, m, m, m), lambda m: (9,))
def motion(layout: Layout) -> Any:
    def step(root: Any, eta: Any, etad: Any, etadd: Any, K: Any) -> list[list[Any]]:
        """(w, dw, a) of the tip from that of the joint's body."""
        t = layout.unpacked(K)
        w, dw, a = _to_beam(t, root)
        eta, etad, etadd = (objects(x) for x in (eta, etad, etadd))
        tip = tip_of(t, layout.cubic, eta, etad)
        W = skew(dw) + skew(w) @ skew(w)
        a = a + W @ tip.r + 2 * (skew(w) @ tip.rd) + tip.Jp @ etadd + tip.gp
        wt, dwt = tip.E.T @ w, tip.E.T @ dw
        dw_tip = dwt + skew(wt) @ tip.w + tip.Jw @ etadd + tip.gw
        return [[*(wt + tip.w), *dw_tip, *(tip.E.T @ a)]]

    return step


@kind(lambda m: (9, m, m, m), lambda m: (6, m))
def force(layout: Layout) -> Any:
    def step(root: Any, eta: Any, etad: Any, etadd: Any, K: Any) -> list[list[Any]]:
        """(F, N) about the joint's body's origin, and the force on every mode."""
        t = layout.unpacked(K)
        F, N, f = field_force(t, *_to_beam(t, root), *(objects(x) for x in (eta, etad, etadd)))
        F, N = t.root @ F, t.root @ N
        return [[*F, *(N + skew(t.p) @ F)], list(f)]

    return step


@kind(lambda m: (6, m, 6, m), lambda m: (6, m))
def inward(layout: Layout) -> Any:
    def step(below: Any, f: Any, wrench: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(F, N) of the joint's body and the modal forces with what acts on the tip."""
        t, tip = _still(layout, eta, K)
        Ft, Nt = objects(wrench[0:3]), objects(wrench[3:6])
        EF = tip.E @ Ft
        F, N = t.root @ EF, t.root @ (tip.E @ Nt + skew(tip.r) @ EF)
        felt = tip.Jp.T @ EF + tip.Jw.T @ Nt
        force = [x + y for x, y in zip(below, [*F, *(N + skew(t.p) @ F)], strict=True)]
        return [force, [x + y for x, y in zip(f, felt, strict=True)]]

    return step


@kind(lambda m: (12, m), lambda m: (12,))
def frame(layout: Layout) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(R, o) of the tip from that of the joint's body."""
        t, tip = _still(layout, eta, K)
        R, o = _root(t, body)
        return [[*(R @ tip.E).ravel(), *(o + R @ tip.r)]]

    return step


@kind(lambda m: (9, m), lambda m: (9,))
def turn(layout: Layout) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """World orientation of the tip from that of the joint's body."""
        t, tip = _still(layout, eta, K)
        return [list((objects(body, 3, 3) @ t.root @ tip.E).ravel())]

    return step


@kind(lambda m: (12, m, 3), lambda m: (6,) * m)
def columns(layout: Layout) -> Any:
    def step(body: Any, eta: Any, P: Any, K: Any) -> list[list[Any]]:
        """Velocity of P, beyond the tip, and angular velocity, per unit rate of every amplitude."""
        t, tip = _still(layout, eta, K)
        R, o = _root(t, body)
        arm = objects(P) - (o + R @ tip.r)
        turns, shifts = R @ tip.E @ tip.Jw, R @ tip.Jp
        return [[*(shifts[:, k] + skew(turns[:, k]) @ arm), *turns[:, k]] for k in range(layout.m)]

    return step


@kind(lambda m: (2, m), lambda m: (2,))
def strain(layout: Layout) -> Any:
    def step(energy: Any, eta: Any, K: Any) -> list[list[Any]]:
        """(T, V) with the beam's elastic energy."""
        t = layout.unpacked(K)
        eta = objects(eta)
        V = 0.5 * (eta @ t.K @ eta)
        for B in t.bend:
            part = 0.5 * (eta @ B @ eta)
            V = V + 0.5 * (part * part)
        return [[energy[0] + 0, energy[1] + V]]

    return step


@kind(lambda m: (1, m), lambda m: (1,))
def loss(layout: Layout) -> Any:
    def step(lost: Any, etad: Any, K: Any) -> list[list[Any]]:
        """Power, with the dissipation of the beam's damping."""
        t, etad = layout.unpacked(K), objects(etad)
        return [[lost[0] + etad @ t.damping @ etad]]

    return step


KINDS = (motion, force, inward, frame, turn, columns, strain, loss)
