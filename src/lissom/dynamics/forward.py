"""Forward dynamics: accelerations from torques.

Few joints: mass matrix and bias forces, solved by the sparse L^T D L of the tree (Featherstone 2008,
section 6.5), straight-line. Many: articulated bodies, O(n), on the tape (`articulated`). Where joints follow others,
one coordinate moves several bodies, which articulated bodies cannot eliminate: the mass matrix is factorised on tapes
too (`factorised`).

A joint that moves no inertia (for example, two collinear axes) leaves a pivot D of rounding. D is therefore compared
with the inertia that would move if the joints beyond were locked (a bound of it on the tape); below
NEGLIGIBLE of that, 1/D is made infinite, which is noticed. Such a state is computed again without the guard
and kept if inverse dynamics gives the torques back, as it does for long chains of thin links; otherwise it
is singular.

Some coordinates may be held: they follow a given acceleration, and the torque that this takes on top of tau
is their effort. With 1/D made zero a coordinate is left out of the elimination, so whether it is held is a
number, 1 (free) or 0, and not another program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.dynamics import articulated
from lissom.dynamics.acting import Setting, read_acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse import STEPS as INVERSE, joint_torques
from lissom.dynamics.mass import WORLD_STEPS as MASS, matrix
from lissom.dynamics.pivot import Held, reciprocal

STEPS = tuple(dict.fromkeys((*articulated.STEPS, *INVERSE, *MASS)))  # a tape takes those that it uses
RETURNED = 1e-6  # relative error of the torques that accelerations must give back where a pivot is in doubt


class Given(NamedTuple):
    """Inputs of forward dynamics as vectors of a program: state, torques, base motion, loads by frame."""

    q: Any
    qd: Any
    tau: Any
    base: Any
    loads: list[tuple[str, Any]]


def by_matrix(run: Any, bodies: Bodies, given: Given, held: dict[int, Held]) -> tuple[list[Any], dict[int, Any]]:
    """Accelerations, and the effort of the coordinates that may be held."""
    n = bodies.dof
    prescribed = [held[k].acceleration[0] if k in held else run.constant([0.0])[0] for k in range(n)]
    bias = joint_torques(run, bodies, given.q, given.qd, prescribed, given.base, given.loads)
    M = {key: entry[0] for key, entry in matrix(run, bodies, given.q, tape=False).items()}
    free = {k: hold.free[0] for k, hold in held.items()}
    x, effort = solved(bodies.carriers, M, [given.tau[k] - bias[k][0] for k in range(n)], free)
    return [[x[k] + prescribed[k]] if k in held else [x[k]] for k in range(n)], effort


def solved(
    carriers: Sequence[Sequence[int]],
    M: dict[tuple[int, int], Any],
    b: list[Any],
    free: dict[int, Any],
    inverted: Any = reciprocal,
) -> tuple[list[Any], Any]:
    """Solve by sparse L^T D L: coordinates couple on a branch, or by mimic joints; held ones have zero acceleration.

    carriers : for every coordinate, those before it that it touches, nearest first (`Bodies.carriers`)
    inverted : how pivots are inverted (`pivot`)
    """
    n, L, D = len(b), dict(M), [None] * len(b)
    x: list[Any] = list(b)
    rows = {}
    for k in range(n - 1, -1, -1):
        D[k] = inverted(L[k, k], M[k, k], free.get(k))
        rows[k] = [L[i, k] for i in carriers[k]]
        for i in carriers[k]:
            factor = L[i, k] * D[k]
            for j in (i, *carriers[i]):
                if (j, k) in L:  # on a branch all of them
                    L[j, i] = L[j, i] - factor * L[j, k]
            L[i, k] = factor
    # the factors overwrite the columns from the outside in, after their last use as entries
    for k in range(n - 1, -1, -1):
        for i in carriers[k]:
            x[i] = x[i] - L[i, k] * x[k]
    left = {k: x[k] for k in free}
    x = [value * d for value, d in zip(x, D, strict=True)]
    for k in range(n):
        for i in carriers[k]:
            x[k] = x[k] - L[i, k] * x[i]
    effort = {}
    for k in free:
        needed = sum((entry * x[i] for entry, i in zip(rows[k], carriers[k], strict=True)), -left[k])
        effort[k] = [(1 - free[k]) * needed]
    return x, effort


def accelerations(
    run: Any, bodies: Bodies, given: Given, held: dict[int, Held], tape: bool
) -> tuple[list[Any], dict[int, Any]]:
    """Accelerations by the method that is best for straight-line code, or for the tape."""
    if bodies.linear or (bodies.coupling is not None and tape):
        from lissom.dynamics import factorised

        return factorised.accelerations(run, bodies, given, held)
    if tape:
        return articulated.accelerations(run, bodies, given, held)
    return by_matrix(run, bodies, given, held)


def read(run: Any, bodies: Bodies, setting: Setting) -> tuple[Bodies, Given]:
    """Inputs q, qd, tau, then as `read_acting`."""
    n = bodies.dof
    q, qd, tau = run.input(n), run.input(n), run.input(n)
    bodies, base, loads = read_acting(run, bodies, setting)
    return bodies, Given(q, qd, tau, base, loads)


def program(run: Any, bodies: Bodies, setting: Setting, tape: bool) -> None:
    """Inputs as `read`; output qdd."""
    bodies, given = read(run, bodies, setting)
    run.output(*accelerations(run, bodies, given, {}, tape)[0])


def program_unguarded(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Forward dynamics by articulated bodies without a guard against small pivots."""
    bodies, given = read(run, bodies, setting)
    if bodies.linear or bodies.coupling is not None:
        from lissom.dynamics import factorised

        run.output(*factorised.accelerations(run, bodies, given, {}, guarded=False)[0])
        return
    run.output(*articulated.accelerations(run, bodies, given, {}, guarded=False)[0])
