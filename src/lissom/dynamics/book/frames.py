"""Transformation matrices of Book 1983, and the steps of rigid bodies and of joints.

W_j is the paper's 4x4 matrix without its first row, [1 0 0 0]: three rows [o | F], a point with coordinates
h = [1 x y z] is at W h. Between steps it is flat: F (9), o (3); with its rates W, Wd, Wdd it is a `state` (36).

    W_j = What_{j-1} A_j                                                                             (3)
    Wd_j = Whatd_{j-1} A_j + What_{j-1} U_j qd_j                                                (9), (11)
    Wdd_j = Whatdd_{j-1} A_j + 2 Whatd_{j-1} U_j qd_j + What_{j-1} (U2_j qd_j^2 + U_j qdd_j)   (10), (12)

A_j holds the joint's placement and its turn about z, so U_j = A_j Z and U2_j = A_j Z Z with Z = [z]; or its slide
along z, U_j = A_j z. (The paper has revolute joints only.) Integrals are twice the paper's C, which carry 1/2;
so the factors 2 in front of its traces are gone. Q_j (3x4) is the transpose of the paper's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import CONSTANTS
from lissom.elements.arrays import Objects, objects, scaled, skew
from lissom.engine.step import Step

STATE = 36
Z = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def matrix(flat: Any) -> Objects:
    """[o | F] from F (9), o (3)."""
    return np.concatenate([objects(flat[9:12], 3, 1), objects(flat[0:9], 3, 3)], axis=1)


def flat(W: Objects) -> list[Any]:
    """F (9), o (3) from [o | F]."""
    return [*W[:, 1:].ravel(), *W[:, 0]]


def states(state: Any) -> list[Objects]:
    """W, Wd (and Wdd) of a state."""
    return [matrix(state[k : k + 12]) for k in range(0, len(state), 12)]


def transform(R: Objects, p: Objects) -> Objects:
    """The 4x4 matrix of a pose, acting on [1 x y z]."""
    out = np.zeros((4, 4), object)
    out[0, 0], out[1:, 0], out[1:, 1:] = 1.0, p, R
    return out


def pseudo(K: Any) -> Objects:
    """int h h^T dm (4, 4) of a rigid body: K = m, mc (3), I (6) about its origin."""
    m, mc, (xx, xy, xz, yy, yz, zz) = K[0], K[1:4], K[4:10]
    half = 0.5 * (xx + yy + zz)
    rows = [m, *mc, mc[0], half - xx, -xy, -xz, mc[1], -xy, half - yy, -yz, mc[2], -xz, -yz, half - zz]
    return objects(rows, 4, 4)


def symmetric(B: Any) -> Objects:
    """A symmetric (4, 4) from its ten entries, row by row."""
    out = np.empty((4, 4), object)
    for k, (r, c) in enumerate(TRIANGLE):
        out[r, c] = out[c, r] = B[k]
    return out


TRIANGLE = [(r, c) for r in range(4) for c in range(r, 4)]


def triangle(B: Objects) -> list[Any]:
    """Ten entries of a symmetric (4, 4)."""
    return [B[place] for place in TRIANGLE]


def inverse(F: Objects) -> Objects:
    """F^-1 of a (3, 3)."""
    a, b, c = F[:, 0], F[:, 1], F[:, 2]
    rows = [skew(b) @ c, skew(c) @ a, skew(a) @ b]
    return scaled(1 / (a @ rows[0]), np.stack(rows))


def spin(L: Objects) -> Objects:
    """The turn in a rate of deformation L = dF F^-1: the axial vector of its antisymmetric part."""
    return objects([0.5 * (L[2, 1] - L[1, 2]), 0.5 * (L[0, 2] - L[2, 0]), 0.5 * (L[1, 0] - L[0, 1])])


def inner(A: Objects, B: Objects) -> Any:
    """Tr{A B^T}."""
    return np.sum(A * B)


# ---- joints and rigid bodies ----------------------------------------------------------------------


def _placement(K: Any) -> Objects:
    return transform(objects(K[0:9], 3, 3), objects(K[9:12]))


def _turn(turn: Any) -> Objects:
    c, s = turn
    return transform(objects([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0], 3, 3), objects([0.0] * 3))


def _slide(q: Any, K: Any) -> Objects:
    """A_j of a prismatic joint."""
    A = _placement(K)
    A[1:, 0] = A[1:, 0] + scaled(q[0], A[1:, 3])
    return A


def _by_U(W: Objects) -> Objects:
    """W Z of a revolute joint: W_j = What A_j gives What U_j."""
    return np.stack([0 * W[:, 0], W[:, 2], -W[:, 1], 0 * W[:, 3]], axis=1)


def turned(above: Any, turn: Any, rates: Any, K: Any) -> list[Objects]:
    """W, Wd (and Wdd) behind a revolute joint; rates: qd (and qdd)."""
    A = _placement(K) @ _turn(turn)
    hat = [W @ A for W in states(above)]
    qd, U = rates[0], _by_U(hat[0])
    out = [hat[0], hat[1] + scaled(qd, U)]  # (9)
    if len(hat) > 2:
        U2 = _by_U(U)
        out.append(hat[2] + scaled(2 * qd, _by_U(hat[1])) + scaled(qd * qd, U2) + scaled(rates[1], U))  # (10)
    return out


def slid(above: Any, q: Any, rates: Any, K: Any) -> list[Objects]:
    """W, Wd (and Wdd) behind a prismatic joint."""
    A = _slide(q, K)
    out = [W @ A for W in states(above)]
    axes = [W[:, 3] for W in out]
    out[1][:, 0] = out[1][:, 0] + scaled(rates[0], axes[0])
    if len(out) > 2:
        out[2][:, 0] = out[2][:, 0] + scaled(2 * rates[0], axes[1]) + scaled(rates[1], axes[0])
    return out


def _out(joint: Any) -> Any:
    def step(above: Any, move: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
        """The state behind a joint, and Q = Wdd G of its rigid body, (87)."""
        found = joint(above, move, (qd[0], qdd[0]), K)
        return [[x for W in found for x in flat(W)], flat(found[2] @ pseudo(K[12:22]))]

    return step


def _in_revolute(below: Any, Q: Any, turn: Any, K: Any) -> list[list[Any]]:
    """The inward step (88), transposed: Q_{j-1} += Q_j A_j^T."""
    return [_added(below, matrix(Q) @ (_placement(K) @ _turn(turn)).T)]


def _in_prismatic(below: Any, Q: Any, q: Any, K: Any) -> list[list[Any]]:
    return [_added(below, matrix(Q) @ _slide(q, K).T)]


def _added(below: Any, Q: Objects) -> list[Any]:
    return [x + y for x, y in zip(below, flat(Q), strict=True)]


def _torque(W: Any, Q: Any) -> list[list[Any]]:
    """The joint torque (84): Tr{What_{j-1} U_j Q_j}."""
    return [[inner(_by_U(matrix(W)), matrix(Q))]]


def _thrust(W: Any, Q: Any) -> list[list[Any]]:
    return [[matrix(W)[:, 3] @ matrix(Q)[:, 0]]]


def _compose_revolute(below: Any, B: Any, turn: Any, K: Any) -> list[list[Any]]:
    """The composite step (79): add what a joint carries to the body before it."""
    return [_together(below, B, _placement(K) @ _turn(turn))]


def _compose_prismatic(below: Any, B: Any, q: Any, K: Any) -> list[list[Any]]:
    return [_together(below, B, _slide(q, K))]


def _together(below: Any, B: Any, A: Objects) -> list[Any]:
    return [x + y for x, y in zip(below, triangle(A @ symmetric(B) @ A.T), strict=True)]


def _unload(Q: Any, W: Any, load: Any, K: Any) -> list[list[Any]]:
    """Subtract a load (force, moment in the world; point on the frame at K) from Q."""
    force, moment, point = objects(load[0:3]), objects(load[3:6]), objects(load[6:9])
    F = matrix(W)[:, 1:]
    x = objects(K[0:9], 3, 3) @ point + objects(K[9:12])
    h = np.concatenate([objects([1.0]), x])
    push = np.outer(force, h)
    push[:, 1:] = push[:, 1:] + scaled(0.5, skew(moment) @ inverse(F).T)
    return [[x - y for x, y in zip(Q, flat(push), strict=True)]]


def _base(motion: Any) -> list[list[Any]]:
    """The state of a base that moves with (w, dw, a), gravity taken off a; its frame is the world's."""
    w, dw, a = (objects(motion[k : k + 3]) for k in (0, 3, 6))
    nothing = [0 * w[0]] * 3
    one = [x + nothing[0] for x in np.eye(3).ravel()]
    return [[*one, *nothing, *skew(w).ravel(), *nothing, *(skew(dw) + skew(w) @ skew(w)).ravel(), *a]]


def _column_revolute(W: Any, B: Any) -> list[list[Any]]:
    """What U B: the paper's jF~_h U_h^T What^T, transposed, for one joint."""
    return [flat(_by_U(matrix(W)) @ symmetric(B))]


def _column_prismatic(W: Any, B: Any) -> list[list[Any]]:
    return [flat(np.outer(matrix(W)[:, 3], symmetric(B)[0]))]


OUT_R = Step("book_out_r", _out(turned), (STATE, 2, 1, 1), (STATE, 12), CONSTANTS)
OUT_P = Step("book_out_p", _out(slid), (STATE, 1, 1, 1), (STATE, 12), CONSTANTS)
IN_R = Step("book_in_r", _in_revolute, (12, 12, 2), (12,), 12)
IN_P = Step("book_in_p", _in_prismatic, (12, 12, 1), (12,), 12)
TORQUE = Step("book_torque", _torque, (12, 12), (1,))
THRUST = Step("book_thrust", _thrust, (12, 12), (1,))
COMPOSE_R = Step("book_compose_r", _compose_revolute, (10, 10, 2), (10,), 12)
COMPOSE_P = Step("book_compose_p", _compose_prismatic, (10, 10, 1), (10,), 12)
COLUMN_R = Step("book_column_r", _column_revolute, (12, 10), (12,))
COLUMN_P = Step("book_column_p", _column_prismatic, (12, 10), (12,))
PSEUDO = Step("book_pseudo", lambda K: [triangle(pseudo(K))], (10,), (10,))
UNLOAD = Step("book_unload", _unload, (12, 12, 9), (12,), 12)
START = Step("book_base", _base, (9,), (STATE,))
SUM = Step("book_sum", lambda a, b: [[x + y for x, y in zip(a, b, strict=True)]], (12, 12), (12,))
STEPS = (OUT_R, OUT_P, IN_R, IN_P, TORQUE, THRUST, COMPOSE_R, COMPOSE_P, COLUMN_R, COLUMN_P, PSEUDO, UNLOAD, START,
         SUM)  # fmt: skip
