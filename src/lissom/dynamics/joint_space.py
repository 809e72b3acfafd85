"""Forward dynamics in joint space: M qdd = tau - h by the sparse L^T D L of the tree (Featherstone 2008, section 6.5).

For straight-line code of few joints, and for arms that articulated bodies do not cover: those with a linear field,
J zdd = R of (82) of Book 1983, and those whose joints follow others. The truncated J of Book 1983 need not be definite;
its factors then have negative pivots, and accelerations are found all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.gears import NO_GEARS, Additions, Gears, Solution, with_gears
from lissom.dynamics.inverse import joint_torques
from lissom.dynamics.mass import matrix
from lissom.elements.pivots import AbstractPivot, EitherSign, Guarded, Held, Unguarded
from lissom.engine.run import AbstractRun
from lissom.engine.specialise import once
from lissom.spatial.scalar import Coordinates, Scalar, add

Carriers = tuple[tuple[int, ...], ...]


def accelerations(
    run: AbstractRun, bodies: Bodies, given: Given, held: Mapping[int, Held], tape: bool, guarded: bool = True,
    gears: Gears = NO_GEARS,
) -> Solution:  # fmt: skip
    """Accelerations by coordinate, and the effort of the coordinates that may be held; vectors of one entry."""
    bodies = bodies.without_gears
    solve = _solver(run, bodies, given, held, tape, guarded)
    return with_gears(run, tree_of(bodies), (given.qd, given.tau), gears, solve, guarded)


def _solver(
    run: AbstractRun, bodies: Bodies, given: Given, held: Mapping[int, Held], tape: bool, guarded: bool
) -> Callable[[Additions], Solution]:
    """A function that finds accelerations and efforts with additions to the drives."""
    n = bodies.dof
    zero = run.constant([0.0])
    prescribed = run.gathered([[held[k].acceleration] if k in held else zero for k in range(n)])
    bias = joint_torques(run, bodies, given.q, given.qd, prescribed, given.base, given.loads)
    M = matrix(run, bodies, given.q, tape)
    carriers = tuple(map(tuple, bodies.carriers))
    free = tuple(held[k].free if k in held else None for k in range(n))
    pivot = Unguarded() if not guarded else EitherSign() if bodies.truncated else Guarded()
    own = [given.tau[k : k + 1] for k in range(n)]

    def solve(additions: Additions) -> Solution:
        entries, forces = dict(M), list(own)
        for k, more in additions.items():
            entries[k, k] = [run.call(add, M[k, k][0], more.armature)]
            forces[k] = [run.call(add, own[k][0], more.torque)]
        rows = run.gathered([entries[key] for key in _places(carriers)])
        tau = run.gathered(forces)
        qdd, effort = run.call(solved, carriers, rows, tau, run.gathered(bias), prescribed, free, pivot)
        return [qdd[k : k + 1] for k in range(n)], {k: [effort[j]] for j, k in enumerate(sorted(held))}

    return solve


def _places(carriers: Carriers) -> list[tuple[int, int]]:
    """Indices of the nonzero entries of the mass matrix, on the diagonal and right of it."""
    return [(i, k) for k, above in enumerate(carriers) for i in (*sorted(above), k)]


@once
def solved(
    carriers: Carriers, M: Coordinates, tau: Coordinates, bias: Coordinates, prescribed: Coordinates,
    free: tuple[Scalar | None, ...], pivot: AbstractPivot,
) -> tuple[Coordinates, Coordinates]:  # fmt: skip
    """Accelerations, and the efforts of coordinates that may be held (Featherstone 2008, section 6.5).

    carriers : for every coordinate, those before it that it touches, nearest first (`Bodies.carriers`)
    M : entries of the mass matrix as `_places` orders them
    free : of coordinates that may be held; a held one has its prescribed acceleration
    """
    n, entries = len(carriers), dict(zip(_places(carriers), M, strict=True))
    L, D, rows = _factorised(carriers, entries, free, pivot)
    x = [a - b for a, b in zip(tau, bias, strict=True)]
    for k in range(n - 1, -1, -1):
        for i in carriers[k]:
            x[i] = x[i] - L[i, k] * x[k]
    left = list(x)
    x = [value * d for value, d in zip(x, D, strict=True)]
    for k in range(n):
        for i in carriers[k]:
            x[k] = x[k] - L[i, k] * x[i]
    effort = []
    for k, own in enumerate(free):
        if own is not None:
            needed = sum((entry * x[i] for entry, i in zip(rows[k], carriers[k], strict=True)), -left[k])
            effort.append((1 - own) * needed)
    held = [x[k] if free[k] is None else x[k] + prescribed[k] for k in range(n)]
    return tuple(held), tuple(effort)


def _factorised(
    carriers: Sequence[Sequence[int]], M: dict[tuple[int, int], Scalar], free: Sequence[Scalar | None],
    pivot: AbstractPivot,
) -> tuple[dict[tuple[int, int], Scalar], list[Scalar], list[list[Scalar]]]:  # fmt: skip
    """L and 1 / D of M = L^T D L, and of every coordinate the row that was left when it was eliminated."""
    n, L = len(carriers), dict(M)
    D: list[Scalar] = [0] * n
    rows: list[list[Scalar]] = [[]] * n
    for k in range(n - 1, -1, -1):
        D[k] = pivot.inverse(L[k, k], M[k, k], free[k])
        rows[k] = [L[i, k] for i in carriers[k]]
        for i in carriers[k]:
            factor = L[i, k] * D[k]
            for j in (i, *carriers[i]):
                if (j, k) in L:  # on a branch all of them
                    L[j, i] = L[j, i] - factor * L[j, k]
            L[i, k] = factor
    return L, D, rows
