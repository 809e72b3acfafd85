"""Shared parts of the Lagrangian formulations: transforms, their rates, and loads."""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.linkage import BaseState, Push, State
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    Matrix,
    minus,
    outer,
    plus,
    product,
    rotation,
    scaled,
    skew,
    transposed,
)


def base_rates(base: BaseState | None) -> tuple[Any, Any]:
    """Wd_0 and Wdd_0 (3x3) of a moving base: [w] and [dw] + [w][w]."""
    if base is None:
        return ZERO, ZERO
    spin = skew(base.w)
    return spin, plus(skew(base.dw), product(spin, spin))


def base_motion(base: BaseState | None, three: bool = False) -> tuple[Any, Any, Any]:
    """W_0 and its rates, with which (8), (9), (10) begin."""
    turn, turn2 = base_rates(base)
    if three:
        return ONE, turn, turn2
    nothing = [0.0, 0.0, 0.0]
    return ONE, homogeneous(turn, nothing), homogeneous(turn2, nothing if base is None else base.a)


def homogeneous(turn: Any, shift: Any) -> Any:
    """4x4 from a 3x3 and a column, last row zero."""
    if turn is ZERO:
        return ZERO
    return [[*row, x] for row, x in zip(turn, shift, strict=True)] + [[0.0] * 4]


def rates(
    W: Any, Wd: Any, Wdd: Any, A: Matrix, dA: Matrix, ddA: Matrix, qd: Any, qdd: Any
) -> tuple[Any, Any, Any, Any]:
    """(8), (9), (10): W_j, its rates, and dW_j/dq_j = W_{j-1} dA_j, from those of link j-1."""
    dW = product(W, dA)
    first = plus(product(Wd, A), scaled(qd, dW))
    second = plus(
        product(Wdd, A),
        scaled(2.0 * qd, product(Wd, dA)),
        scaled(qd * qd, product(W, ddA)),
        scaled(qdd, dW),
    )
    return product(W, A), first, second, dW


class Rates(NamedTuple):
    """Per link: W_j, Wd_j, Wdd_j, and dW_j/dq_j."""

    W: list[Any]
    Wd: list[Any]
    Wdd: list[Any]
    dW: list[Any]


def all_rates(state: State, three: bool = False) -> Rates:
    """(8), (9), (10) for all links, with 4x4 transforms, or with their rotations when `three`."""
    W, Wd, Wdd = base_motion(state.base, three)
    out = Rates([], [], [], [])
    cut = rotation if three else _whole
    for k, three_matrices in enumerate(zip(state.frames.A, state.frames.dA, state.frames.ddA, strict=True)):
        A, dA, ddA = (cut(X) for X in three_matrices)
        new = rates(W, Wd, Wdd, A, dA, ddA, state.qd[k], state.qdd[k])
        W, Wd, Wdd, _ = new
        for part, entry in zip(out, new, strict=True):
            part.append(entry)
    return out


def _whole(A: Matrix) -> Matrix:
    return A


def load_matrix(push: Push, W: Matrix) -> Matrix:
    """L with tr(dW_j/dq_i L) the generalized force of a load on link j: r f^T and half of R^T [moment]^T.

    3x3 or 4x4, as W is.
    """
    couple = scaled(0.5, product(transposed(rotation(W)), transposed(skew(push.moment))))
    if len(W) == 3:
        return plus(outer(push.point, push.force), couple)
    four = outer([*push.point, 1.0], [*push.force, 0.0])
    return [[x + (couple[r][c] if r < 3 and c < 3 else 0.0) for c, x in enumerate(row)] for r, row in enumerate(four)]


def less_loads(state: State, link: int, D: Any, W: Matrix) -> Any:
    """D minus the loads on a link."""
    for push in state.pushes_on(link):
        D = minus(D, load_matrix(push, W))
    return D
