"""Accelerations from the mass matrix, M qdd = tau - h, factorised in one step, so that tapes have it too.

For arms that articulated bodies do not cover: those with a linear field, J zdd = R of (82) of Book 1983, and those
whose joints follow others. The truncated J of Book 1983 need not be definite; its factors (`forward.solved`) then have
negative pivots, and accelerations are found all the same.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.forward import Given, solved
from lissom.dynamics.inverse import joint_torques
from lissom.dynamics.mass import matrix
from lissom.dynamics.pivot import Held, either_sign, reciprocal, unguarded
from lissom.engine.step import Step


def accelerations(
    run: Any, bodies: Bodies, given: Given, held: dict[int, Held], guarded: bool = True
) -> tuple[list[Any], dict[int, Any]]:
    """Accelerations by coordinate, and the effort of the coordinates that may be held, as in `forward`."""
    n = bodies.dof
    zero, one = run.constant([0.0]), run.constant([1.0])
    prescribed = run.gathered([held[k].acceleration if k in held else zero for k in range(n)])
    bias = joint_torques(run, bodies, given.q, given.qd, prescribed, given.base, given.loads)
    found = matrix(run, bodies, given.q, tape=True)
    M = run.gathered([found[key] for key in _keys(bodies)])
    tau = run.gathered([given.tau[k : k + 1] for k in range(n)])
    free = run.gathered([held[k].free if k in held else one for k in range(n)])
    parts = (M, tau, run.gathered(bias), prescribed, free)
    x, effort = run.apply(solve(bodies, guarded), *parts)
    return [x[k : k + 1] for k in range(n)], {k: effort[k : k + 1] for k in held}


def solve(bodies: Bodies, guarded: bool = True) -> Step:
    """The step that factorises the mass matrix of these bodies and solves for accelerations."""
    carriers = tuple(map(tuple, bodies.carriers))
    return _solve(carriers, "any" if not guarded else "either" if bodies.truncated else "positive")


PIVOTS = {"any": unguarded, "either": either_sign, "positive": reciprocal}


def _keys(bodies: Bodies) -> list[tuple[int, int]]:
    """Indices of the nonzero entries of the mass matrix, on the diagonal and right of it."""
    return _places(tuple(map(tuple, bodies.carriers)))


def _places(carriers: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    return [(i, k) for k, above in enumerate(carriers) for i in (*sorted(above), k)]


@functools.cache
def _solve(carriers: tuple[tuple[int, ...], ...], pivots: str) -> Step:
    n, places = len(carriers), _places(carriers)

    def step(M: Any, tau: Any, bias: Any, prescribed: Any, free: Any) -> list[list[Any]]:
        entries = dict(zip(places, M, strict=True))
        b = [t - h for t, h in zip(tau, bias, strict=True)]
        x, effort = solved(carriers, entries, b, dict(enumerate(free)), PIVOTS[pivots])
        return [[x[k] + prescribed[k] for k in range(n)], [effort[k][0] for k in range(n)]]

    word = hashlib.sha256(repr(carriers).encode()).hexdigest()[:12]
    return Step(f"solve_{pivots}_{word}", step, (len(places), n, n, n, n), (n, n))
