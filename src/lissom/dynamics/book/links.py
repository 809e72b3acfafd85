"""A flexible link of Book 1983 as steps.

    h = h0 + sum_k phi_k delta_k                                                                      (4)
    E = H + sum_k delta_k M_k,  M_k = [shift_k | [turn_k]]                                       (5)-(7)
    D_k = int phi_k h^T = D0_k + sum_l delta_l Y_kl                                                  (36)
    G = int h h^T = C + sum_k delta_k (D0_k + D0_k^T)  [+ sum_kl delta_k delta_l Y_kl]               (37)
    Q = Wdd G + sum_k (deltadd_k W + 2 deltad_k Wd) D_k + Qhat E^T                        (38), (87), (88)
    f_k = Tr{(Wdd D_k^T + 2 Wd sum_l deltad_l Y_lk + W sum_l deltadd_l Y_lk) W^T} + Tr{W M_k Qhat^T}
          + sum_l K_kl delta_l + damping                                               (39), (48), (86)

The part of (37) in brackets is left out by the paper. So is W in what the accelerations of a link's modes do to
its own modes, (72) and (73): Tr{Y_lk + M_k Phi M_l^T} in the place of Tr{W (Y_lk + M_k Phi M_l^T) W^T}, as if W
were a rotation.

What is fixed to a link's tip is an appendage: its points move as phi = M_k [1 x], and it is added to C, D0, Y.
The link's frame sits at (root, p) on the body behind its joint, which holds the hub.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.book.frames import (
    STATE,
    flat,
    inner,
    inverse,
    matrix,
    pseudo,
    spin,
    states,
    symmetric,
    transform,
    triangle,
)
from lissom.dynamics.book.kinds import kind
from lissom.elements import field
from lissom.elements.arrays import Objects, axial, objects, scaled, skew
from lissom.elements.tables import Layout, Tables


class Link(NamedTuple):
    """A flexible link at some amplitudes: integrals with its appendage, and the matrices of its end.

    root (4, 4); M (m, 3, 4); E (4, 4); G (4, 4); D (m, 3, 4); Y (m, m, 3, 3)
    """

    root: Objects
    M: Objects
    E: Objects
    G: Objects
    D: Objects
    Y: Objects


def shapes_at_tip(t: Tables) -> Objects:
    """M_k of (7), its first row left out."""
    return np.stack([np.concatenate([t.shift[k][:, None], skew(t.turn[k])], axis=1) for k in range(len(t.shift))])


def end(t: Tables, M: Objects, eta: Objects) -> Objects:
    """The rotation E of (5)."""
    E = transform(np.eye(3).astype(object), t.point)
    E[1:] = E[1:] + np.tensordot(eta, M, 1)
    return E


def link_at(layout: Layout, K: Any, eta: Objects, appendage: Any, dropping: bool) -> tuple[Tables, Link]:
    """The tables of a link, and the link at some amplitudes."""
    t = layout.unpacked(K)
    m = layout.m
    M = shapes_at_tip(t)
    H, P = transform(np.eye(3).astype(object), t.point), pseudo(appendage)
    PH = P @ H.T
    Y = np.empty((m, m, 3, 3), object)
    for k in range(m):
        for l in range(m):
            Y[k, l] = t.Y[k, l] + M[k] @ P @ M[l].T
    D = np.stack([t.D[k] + M[k] @ PH for k in range(m)])
    G = t.C + H @ PH
    for k in range(m):
        own = scaled(eta[k], D[k])
        G[1:] = G[1:] + own
        G[:, 1:] = G[:, 1:] + own.T
    moved = np.tensordot(eta, Y, 1)  # sum_l delta_l Y_lk, by k
    if not dropping:
        G[1:, 1:] = G[1:, 1:] + np.tensordot(eta, moved, 1)  # the part that the paper drops from (37)
    D[:, :, 1:] = D[:, :, 1:] + np.transpose(moved, (0, 2, 1))  # (36)
    return t, Link(transform(t.root, t.p), M, end(t, M, eta), G, D, Y)


@kind(lambda m: (STATE, m, m, m), lambda m: (STATE,))
def motion(layout: Layout) -> Any:
    def step(body: Any, eta: Any, etad: Any, etadd: Any, K: Any) -> list[list[Any]]:
        """The state of the link's end, (13)-(17), from that of the body behind its joint."""
        t = layout.unpacked(K)
        M, root = shapes_at_tip(t), transform(t.root, t.p)
        W, Wd, Wdd = (X @ root for X in states(body))
        E = end(t, M, objects(eta))
        Ed, Edd = (np.tensordot(objects(x), M, 1) for x in (etad, etadd))  # (16), (17)
        F, Fd = W[:, 1:], Wd[:, 1:]
        hat = (W @ E, Wd @ E + F @ Ed, Wdd @ E + scaled(2, Fd @ Ed) + F @ Edd)  # (13)-(15)
        return [[x for X in hat for x in flat(X)]]

    return step


@kind(lambda m: (STATE, m, m, m, 10), lambda m: (12, m))
def force(layout: Layout) -> Any:
    def step(body: Any, eta: Any, etad: Any, etadd: Any, appendage: Any, K: Any) -> list[list[Any]]:
        """Q of the link, on the body behind its joint, and the forces on its modes, without what is beyond its end."""
        eta, etad, etadd = (objects(x) for x in (eta, etad, etadd))
        t, link = link_at(layout, K, eta, appendage, layout.drops_products)
        W, Wd, Wdd = (X @ link.root for X in states(body))
        F, Fd = W[:, 1:], Wd[:, 1:]
        Q = Wdd @ link.G
        for k in range(layout.m):
            Q = Q + (scaled(etadd[k], F) + scaled(2 * etad[k], Fd)) @ link.D[k]
        slow, fast = np.tensordot(etad, link.Y, 1), np.tensordot(etadd, link.Y, 1)
        f = [inner(Wdd @ link.D[k].T + scaled(2, Fd @ slow[k]) + F @ fast[k], F) for k in range(layout.m)]  # (39)
        return [flat(Q @ link.root.T), list(objects(f) + field.elastic(t, eta, etad))]

    return step


@kind(lambda m: (12, m, 12, 12, m), lambda m: (12, m))
def inward(layout: Layout) -> Any:
    def step(below: Any, f: Any, hat: Any, body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """Q of the body behind the joint and the forces on the modes, with Qhat at the link's end: (86), (88)."""
        t = layout.unpacked(K)
        M, root, Qhat = shapes_at_tip(t), transform(t.root, t.p), matrix(hat)
        F = (matrix(body) @ root)[:, 1:]
        Q = flat(Qhat @ (root @ end(t, M, objects(eta))).T)
        felt = [inner(F @ M[k], Qhat) for k in range(layout.m)]
        return [[x + y for x, y in zip(below, Q, strict=True)], [x + y for x, y in zip(f, felt, strict=True)]]

    return step


@kind(lambda m: (m, 12, m, m, 10, 10), lambda m: (m,))
def shortcut(layout: Layout) -> Any:
    def step(f: Any, body: Any, eta: Any, etadd: Any, Phi: Any, appendage: Any, K: Any) -> list[list[Any]]:
        """The forces on the modes as (72) and (73) have them, W taken for a rotation in a link's own block."""
        _, link = link_at(layout, K, objects(eta), appendage, layout.drops_products)
        F = (matrix(body) @ link.root)[:, 1:]
        off = own_block(link, np.eye(3).astype(object), symmetric(Phi)) - own_block(link, F, symmetric(Phi))
        return [[x + y for x, y in zip(f, off @ objects(etadd), strict=True)]]

    return step


def own_block(link: Link, F: Objects, Phi: Objects) -> Objects:
    """(m, m) Tr{F (Y_kl + M_k Phi M_l^T) F^T}: (72), (73) with F = 1."""
    m = len(link.M)
    FtF = F.T @ F
    block = np.empty((m, m), object)
    for k in range(m):
        for l in range(k, m):
            block[k, l] = block[l, k] = inner(FtF, link.Y[k, l] + link.M[k] @ Phi @ link.M[l].T)
    return block


@kind(lambda m: (10, 10, m, 10), lambda m: (10,))
def compose(layout: Layout) -> Any:
    def step(below: Any, Phi: Any, eta: Any, appendage: Any, K: Any) -> list[list[Any]]:
        """The composite step (79): add the link and what its end carries to the body behind its joint."""
        _, link = link_at(layout, K, objects(eta), appendage, layout.drops_products)
        B = link.root @ (link.G + link.E @ symmetric(Phi) @ link.E.T) @ link.root.T
        return [[x + y for x, y in zip(below, triangle(B), strict=True)]]

    return step


@kind(lambda m: (12, m, 10, 10), lambda m: (12 * m, m * (m + 1) // 2))
def modal(layout: Layout) -> Any:
    def step(body: Any, eta: Any, Phi: Any, appendage: Any, K: Any) -> list[list[Any]]:
        """Q on the body behind the joint for a unit acceleration of every mode, (69), (70); their own block of J."""
        _, link = link_at(layout, K, objects(eta), appendage, layout.drops_products)
        F, m = (matrix(body) @ link.root)[:, 1:], layout.m
        beyond = symmetric(Phi) @ link.E.T
        Q = [F @ (link.M[k] @ beyond + link.D[k]) @ link.root.T for k in range(m)]
        block = own_block(link, np.eye(3).astype(object) if layout.takes_shortcut else F, symmetric(Phi))
        return [[x for each in Q for x in flat(each)], [block[k, l] for k in range(m) for l in range(k, m)]]

    return step


@kind(lambda m: (24, m, m, 10), lambda m: (24, 10))
def moving(layout: Layout) -> Any:
    def step(body: Any, eta: Any, etad: Any, appendage: Any, K: Any) -> list[list[Any]]:
        """W, Wd of the link's end, and (T, int p, int v, int p x v) of the link: (22), in full."""
        etad = objects(etad)
        _, link = link_at(layout, K, objects(eta), appendage, dropping=False)
        W, Wd = (X @ link.root for X in states(body))
        F = W[:, 1:]
        flow = Wd @ link.G + F @ np.tensordot(etad, link.D, 1)  # int v h^T
        slow = np.tensordot(etad, link.Y, 1)
        T = inner(flow, Wd) + sum(etad[k] * inner(Wd @ link.D[k].T + F @ slow[k], F) for k in range(layout.m))
        hat = (W @ link.E, Wd @ link.E + F @ np.tensordot(etad, link.M, 1))
        sums = [0.5 * T, *(W @ link.G[:, 0]), *flow[:, 0], *axial(flow @ W.T)]
        return [[x for X in hat for x in flat(X)], sums]

    return step


@kind(lambda m: (12, m), lambda m: (12,))
def frame(layout: Layout) -> Any:
    def step(body: Any, eta: Any, K: Any) -> list[list[Any]]:
        """The matrix What of (13)."""
        t = layout.unpacked(K)
        return [flat(matrix(body) @ transform(t.root, t.p) @ end(t, shapes_at_tip(t), objects(eta)))]

    return step


@kind(lambda m: (12, m, 3), lambda m: (6,) * m)
def columns(layout: Layout) -> Any:
    def step(body: Any, eta: Any, P: Any, K: Any) -> list[list[Any]]:
        """Velocity of P, beyond the end, and spin of its frame, per unit rate of every amplitude."""
        t = layout.unpacked(K)
        M = shapes_at_tip(t)
        W = matrix(body) @ transform(t.root, t.p)
        hat = W @ end(t, M, objects(eta))
        F, back = W[:, 1:], inverse(hat[:, 1:])
        h = np.concatenate([objects([1.0]), back @ (objects(P) - hat[:, 0])])
        return [[*(F @ M[k] @ h), *spin(F @ M[k][:, 1:] @ back)] for k in range(layout.m)]

    return step


KINDS = (motion, force, inward, shortcut, compose, modal, moving, frame, columns)
