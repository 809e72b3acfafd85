"""Forces of the displacement field of a beam, in beam axes.

The field is that of `flexible.body`; d'Alembert's principle gives Lagrange's equations for it, at any deflection:

    H = [a | W] + W A + 2 [w] Ad + Add,  Q_k = W eta_k + 2 [w] etad_k + 1 etadd_k,   W = [dw] + [w]^2
    P0 = H C + sum Q_k D_k,   P_k = H D_k^T + sum_l Q_l Y_lk
    F = P0[:, 0],  N = axial(P0[:, 1:] + P0 A^T + sum eta_k P_k),  f_k = tr P_k + dA_k : P0 + elastic

with A = 1/2 eta Lam eta (3 x 4). The inertia of the same field for (dw, a, etadd) of its root:

    B0 = C[1:] + A C + sum eta_k D_k,   B_k = D_k[:, 1:]^T + A D_k^T + sum_l eta_l Y_lk
    h = B0[:, 0],   P = B0[:, 1:] + B0 A^T + sum eta_k B_k,   I = tr P 1 - P
    X_k = (axial((B_k + B0 dA_k^T)^T), D_k[:, 0] + dA_k C[:, 0])        moment and force of a unit etadd_k
    Me_kl = tr Y_kl + dA_k : D_l + dA_l : D_k + (dA_k C) : dA_l
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.elements.arrays import Objects, axial, objects, scaled, skew, summed
from lissom.elements.tables import Tables
from lissom.spatial.scalar import Scalar


class Affine(NamedTuple):
    """The affine part of the shortening: A = 1/2 eta Lam eta (3, 4), and its slope dA (m, 3, 4)."""

    A: Objects
    dA: Objects


def affine(t: Tables, eta: Objects) -> Affine:
    """The affine part of the shortening for given amplitudes."""
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


def strain_energy(t: Tables, eta: Objects) -> Scalar:
    """Elastic energy."""
    V: Scalar = 0.5 * (eta @ t.K @ eta)
    for B in t.bend:
        part = 0.5 * (eta @ B @ eta)
        V = V + 0.5 * (part * part)
    return V


def loss(t: Tables, etad: Objects) -> Scalar:
    """Power of damping."""
    power: Scalar = etad @ t.damping @ etad
    return power


def field_inertia(t: Tables, eta: Objects) -> tuple[Objects, Objects, list[tuple[Objects, Objects]], list[Scalar]]:
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
