"""Forces of the displacement field of a beam, in beam axes.

The field is that of `flexible.body`; d'Alembert's principle gives Lagrange's equations for it, at any deflection:

    H = [a | W] + W A + 2 [w] Ad + Add,  Q_k = W eta_k + 2 [w] etad_k + 1 etadd_k,   W = [dw] + [w]^2
    P0 = H C + sum Q_k D_k,   P_k = H D_k^T + sum_l Q_l Y_lk
    F = P0[:, 0],  N = axial(P0[:, 1:] + P0 A^T + sum eta_k P_k),  f_k = tr P_k + dA_k : P0 + elastic

with A = 1/2 eta Lam eta (3 x 4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.elements.arrays import Objects, axial, objects, scaled, skew, summed
from lissom.elements.tables import Tables


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
