"""The matrices of a flexible link of Book 1983 at some amplitudes.

    h = h0 + sum_k phi_k delta_k                                                                      (4)
    E = H + sum_k delta_k M_k,  M_k = [shift_k | [turn_k]]                                       (5)-(7)
    D_k = int phi_k h^T = D0_k + sum_l delta_l Y_kl                                                  (36)
    G = int h h^T = C + sum_k delta_k (D0_k + D0_k^T)  [+ sum_kl delta_k delta_l Y_kl]               (37)

The part of (37) in brackets is left out by the paper.

What is fixed to a link's tip is an appendage: its points move as phi = M_k [1 x], and it is added to C, D0, Y.
The link's frame sits at (root, p) on the body behind its joint, which holds the hub.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.elements.arrays import Objects, objects, scaled, skew
from lissom.elements.beam_end import Integrals, matrix, vector
from lissom.elements.book.maps import AffineForce, AffineMap, SecondMoments, moments_of
from lissom.elements.tables import Tables
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.scalar import Coordinates, Scalar
from lissom.spatial.vectors import Symmetric3


class End(NamedTuple):
    """The end of a link: root (4, 4); M (m, 3, 4); E (4, 4)."""

    root: Objects
    M: Objects
    E: Objects


class Field(NamedTuple):
    """Integrals of a link with its appendage: G (4, 4); D (m, 3, 4); Y (m, m, 3, 3)."""

    G: Objects
    D: Objects
    Y: Objects


def end_of(t: Tables, eta: Coordinates) -> End:
    """The end of a link, (5)-(7)."""
    M = np.stack([np.concatenate([t.shift[k][:, None], skew(t.turn[k])], axis=1) for k in range(len(t.shift))])
    E = transform(np.eye(3).astype(object), t.point)
    E[1:] = E[1:] + np.tensordot(objects(eta), M, 1)
    return End(transform(t.root, t.p), M, E)


def field_of(integrals: Integrals, end: End, appendage: RigidInertia, eta: Coordinates, truncated: bool) -> Field:
    """The integrals of a link, (36) and (37)."""
    t, M, m = integrals.tables, end.M, len(eta)
    H, P = transform(np.eye(3).astype(object), t.point), full(moments_of(appendage))
    PH = P @ H.T
    Y = np.empty((m, m, 3, 3), object)
    for k, l in np.ndindex(m, m):
        Y[k, l] = t.Y[k, l] + M[k] @ P @ M[l].T
    D = np.stack([t.D[k] + M[k] @ PH for k in range(m)])
    G = t.C + H @ PH
    for k in range(m):
        own = scaled(eta[k], D[k])
        G[1:] = G[1:] + own
        G[:, 1:] = G[:, 1:] + own.T
    moved = np.tensordot(objects(eta), Y, 1)  # sum_l delta_l Y_lk, by k
    if not truncated:
        G[1:, 1:] = G[1:, 1:] + np.tensordot(objects(eta), moved, 1)  # the part that the paper drops from (37)
    D[:, :, 1:] = D[:, :, 1:] + np.transpose(moved, (0, 2, 1))  # (36)
    return Field(G, D, Y)


def own_block(end: End, field: Field, F: Objects, Phi: SecondMoments) -> Objects:
    """(m, m) Tr{F (Y_kl + M_k Phi M_l^T) F^T}: (72), (73) with F = 1."""
    m, FtF, beyond = len(end.M), F.T @ F, full(Phi)
    block = np.empty((m, m), object)
    for k in range(m):
        for l in range(k, m):
            block[k, l] = block[l, k] = inner(FtF, field.Y[k, l] + end.M[k] @ beyond @ end.M[l].T)
    return block


# ---- records as arrays ---------------------------------------------------------------------------


def rows(W: AffineMap) -> Objects:
    """[o | F] (3, 4)."""
    F = [x for row in W.F.rows for x in (row.x, row.y, row.z)]
    return np.concatenate([objects([W.o.x, W.o.y, W.o.z], 3, 1), objects(F, 3, 3)], axis=1)


def map_of(W: Objects) -> AffineMap:
    """A map from its three rows."""
    return AffineMap(matrix(W[:, 1:]), vector(W[:, 0]))


def force_of(Q: Objects, carried: SecondMoments | None = None) -> AffineForce:
    """A force from its three rows."""
    return AffineForce(matrix(Q[:, 1:]), vector(Q[:, 0]), carried)


def full(B: SecondMoments) -> Objects:
    """(4, 4) of moments."""
    h, J = B.h, B.J
    entries = [B.m, h.x, h.y, h.z, h.x, J.xx, J.xy, J.xz, h.y, J.xy, J.yy, J.yz, h.z, J.xz, J.yz, J.zz]
    return objects(entries, 4, 4)


def moments(B: Objects) -> SecondMoments:
    """Moments from (4, 4)."""
    J = Symmetric3(B[1, 1], B[1, 2], B[1, 3], B[2, 2], B[2, 3], B[3, 3])
    return SecondMoments(B[0, 0], vector(B[0, 1:]), J)


def transform(R: Objects, p: Objects) -> Objects:
    """The 4x4 matrix of a pose, acting on [1 x y z]."""
    out = np.zeros((4, 4), object)
    out[0, 0], out[1:, 0], out[1:, 1:] = 1.0, p, R
    return out


def inner(A: Objects, B: Objects) -> Scalar:
    """Tr{A B^T}."""
    total: Scalar = np.sum(A * B)
    return total
