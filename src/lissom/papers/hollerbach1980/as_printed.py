"""The formulations of Hollerbach 1980 computed as literally as they are printed, to count what the paper counted.

Ours make the products of the recursions once; the paper's counts follow from programs that make them again. The paper
does not state its rules. These are inferred from its numbers, and are the same for all formulations:

1. W_{j-1} dA_j is made anew in each of (9), (10) and (14), and dW_i/dq_i in (6).
2. Rates multiply dA_j before W does, so that the first link, where W_0 = 1 and Wd_0 = Wdd_0 = 0 save eight matrix
   products, saves no scaling and no sum. The last link saves what is carried.
3. iW_j = iW_{j-1} A_j of (6) starts from a matrix iW_i = 1 that is multiplied with.
4. A sum of k terms takes k sums, since it begins with zero: in (6), in the recursions of velocities and accelerations,
   (9), (10) and those of w, dw, pdd and rdd, and in the configuration-space form.
5. z = (0, 0, 1) is multiplied with, and z qd made twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lissom.formulations.counting import Count, Number, Tally, counted_state
from lissom.formulations.horn_raibert import Coefficients
from lissom.formulations.linkage import Linkage, State
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    cross,
    dot,
    negative,
    outer,
    plus,
    position,
    product,
    rotation,
    scaled,
    times,
    trace,
    transposed,
)


def count_as_printed(method: str, linkage: Linkage) -> Count:
    """Multiplications and additions of a program of this file; no zeros or ones are folded."""
    tally = Tally(folded=False)
    if method == "horn_raibert":
        _table(tally, len(linkage))
    else:
        PROGRAMS[method](counted_state(linkage, tally))
    return Count(tally.multiplications, tally.additions)


def _table(tally: Tally, n: int) -> None:
    G, qd, qdd = ([Number(tally) for _ in range(n)] for _ in range(3))
    J = [[Number(tally) for _ in range(n)] for _ in range(n)]
    combined(Coefficients(G, J, [J for _ in range(n)]), qd, qdd)


def combined(found: Coefficients, qd: Any, qdd: Any) -> list[Any]:
    """The configuration-space form: G_i, the sum over j and the sum over j, k, each from zero."""
    n = len(found.G)
    return [
        found.G[i]
        + _gathered(*(found.J[i][j] * qdd[j] for j in range(n)))
        + _gathered(*(found.C[i][j][k] * qd[j] * qd[k] for j in range(n) for k in range(n)))
        for i in range(n)
    ]


# ---- sums and matrices that count --------------------------------------------------------------------------


def _like(x: Any, value: float) -> Any:
    """A constant that counts where x does."""
    return Number(x.tally, value) if isinstance(x, Number) else value


def _zeros(A: Any) -> Any:
    return [_zeros(x) for x in A] if isinstance(A, list) else _like(A, 0.0)


def _gathered(*terms: Any) -> Any:
    """A sum that begins with zero."""
    return plus(_zeros(terms[0]), *terms)


def _past(X: Any, A: Any) -> Any:
    """X A, zeros without a product where X is nothing."""
    return _zeros(A) if X is ZERO else product(X, A)


def _one(A: Any) -> Any:
    return [[_like(x, float(r == c)) for c, x in enumerate(row)] for r, row in enumerate(A)]


# ---- recursive Lagrangian dynamics -------------------------------------------------------------------------


def _rates(W: Any, Wd: Any, Wdd: Any, matrices: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """(8), (9), (10)."""
    A, dA, ddA = matrices
    first = _gathered(_past(Wd, A), product(W, scaled(qd, dA)))
    second = _gathered(
        _past(Wdd, A), _past(Wd, scaled(2.0 * qd, dA)), product(W, scaled(qd * qd, ddA)), product(W, scaled(qdd, dA))
    )
    return product(W, A), first, second


def _all_rates(state: State, cut: Callable[[Any], Any]) -> list[tuple[Any, Any, Any]]:
    """W, Wd, Wdd of the base and of all links."""
    out: list[tuple[Any, Any, Any]] = [(ONE, ZERO, ZERO)]
    for k, three in enumerate(zip(state.frames.A, state.frames.dA, state.frames.ddA, strict=True)):
        out.append(_rates(*out[-1], [cut(X) for X in three], state.qd[k], state.qdd[k]))
    return out


def waters(state: State) -> list[Any]:
    """(6)-(10)."""
    rates = _all_rates(state, list)
    pulled = [product(m.pseudo, transposed(r[2])) for m, r in zip(state.members, rates[1:], strict=True)]
    return [_waters_force(state, rates[i][0], pulled, i) for i in range(len(state.members))]


def _waters_force(state: State, W_before: Any, pulled: list[Any], i: int) -> Any:
    """(6): slope is dW_j/dq_i."""
    start = slope = product(W_before, state.frames.dA[i])
    onward = _one(state.frames.A[i])
    terms = []
    for j in range(i, len(state.members)):
        if j > i:
            onward = product(onward, state.frames.A[j])
            slope = product(start, onward)
        member = state.members[j]
        weight = member.mass * dot([*state.gravity, 0.0], times(slope, [*member.com, 1.0]))
        terms.append(trace(product(slope, pulled[j])) - weight)
    return _gathered(*terms)


def hollerbach_4x4(state: State) -> list[Any]:
    """(8)-(14)."""
    rates = _all_rates(state, list)
    D: Any = ZERO
    c: Any = ZERO
    forces = []
    for i in range(len(state.members) - 1, -1, -1):
        member, A = state.members[i], _onward(state, i)
        D = plus(product(member.pseudo, transposed(rates[i + 1][2])), product(A, D))  # (12)
        c = plus(scaled(member.mass, [*member.com, 1.0]), times(A, c))  # (13)
        dW = product(rates[i][0], state.frames.dA[i])
        forces.append(trace(product(dW, D)) - dot([*state.gravity, 0.0], times(dW, c)))  # (14)
    return forces[::-1]


def _onward(state: State, i: int) -> Any:
    return state.frames.A[i + 1] if i + 1 < len(state.members) else ZERO


def hollerbach_3x3(state: State) -> list[Any]:
    """(10), (13), (16)-(18), without the terms that the paper leaves out: for the count; the forces are wrong."""
    rates = _all_rates(state, rotation)
    pdd = [_zeros(state.gravity)]
    for j in range(1, len(state.members)):
        pdd.append(plus(pdd[-1], negative(times(transposed(rates[j][2]), position(state.frames.A[j])))))  # (16)
    D: Any = ZERO
    c: Any = ZERO
    e: Any = ZERO
    forces = []
    for i in range(len(state.members) - 1, -1, -1):
        member, onward = state.members[i], _onward(state, i)
        A, p = (ZERO, ZERO) if onward is ZERO else (rotation(onward), position(onward))
        own = plus(outer(member.moment, pdd[i]), product(member.second, transposed(rates[i + 1][2])))
        D = plus(product(A, D), ZERO if e is ZERO else outer(p, e), own)  # (18)
        e = plus(e, scaled(member.mass, pdd[i]), times(rates[i + 1][2], member.moment))
        c = plus(scaled(member.mass, member.com), times(A, c))  # (13)
        dW = product(rates[i][0], rotation(state.frames.dA[i]))
        forces.append(trace(product(dW, D)) - dot(state.gravity, times(dW, c)))  # (17)
    return forces[::-1]


# ---- Newton-Euler ------------------------------------------------------------------------------------------


def newton_euler_link(state: State) -> list[Any]:
    """The list of Newton-Euler equations in link coordinates, of rotational joints."""
    w: Any = ZERO
    dw: Any = ZERO
    pdd: Any = negative(state.gravity)
    links = []
    for i, member in enumerate(state.members):
        back, p = transposed(rotation(state.frames.A[i])), state.frames.reach[i]
        w, dw, pdd = _turned(back, p, w, dw, pdd, _axis(pdd), state.qd[i], state.qdd[i])
        r = member.com
        rdd = _gathered(cross(w, cross(w, r)), cross(dw, r), pdd)
        N = plus(times(member.inertia, dw), cross(w, times(member.inertia, w)))
        links.append((scaled(member.mass, rdd), N))
    return _inward(state, links)


def _axis(like: Any) -> Any:
    return [_like(x, value) for x, value in zip(like, (0.0, 0.0, 1.0), strict=True)]


def _turned(back: Any, p: Any, w: Any, dw: Any, pdd: Any, z: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """w, dw and pdd of link i in its axes."""
    gyro = ZERO if w is ZERO else cross(w, scaled(qd, z))
    turn, turning = scaled(qd, z), scaled(qdd, z)
    w = times(back, turn if w is ZERO else _gathered(w, turn))
    dw = times(back, turning if dw is ZERO else _gathered(dw, turning, gyro))
    return w, dw, _gathered(cross(dw, p), cross(w, cross(w, p)), times(back, pdd))


def _inward(state: State, links: list[tuple[Any, Any]]) -> list[Any]:
    """f, n and tau."""
    f: Any = ZERO
    n: Any = ZERO
    tau = []
    for i in range(len(links) - 1, -1, -1):
        (F, N), p, onward = links[i], state.frames.reach[i], _onward(state, i)
        A = ZERO if onward is ZERO else rotation(onward)
        f, n = times(A, f), times(A, n)
        n = plus(n, N, cross(plus(p, state.members[i].com), F), cross(p, f))
        f = plus(F, f)
        tau.append(dot(times(transposed(rotation(state.frames.A[i])), _axis(F)), n))
    return tau[::-1]


PROGRAMS: dict[str, Callable[[State], list[Any]]] = {
    "waters": waters,
    "hollerbach_4x4": hollerbach_4x4,
    "hollerbach_3x3": hollerbach_3x3,
    "newton_euler_link": newton_euler_link,
}
