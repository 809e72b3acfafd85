"""Dynamics of arms with closed loops, from that of the tree which is left when the closures are cut.

    M qdd + h = u + G^T lambda        u: torques of the motors, zero at passive joints; lambda: closure forces
    G qdd + drift = 0

Inverse dynamics: of all torques that do it, those with the least sum of squares (they are unique unless there are
more motors than the loops leave motions), then the smallest lambda. Forward dynamics: the motion is unique also
where closures are redundant. All results come state by state from the same operations, so one state and a batch give
the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.function import check_out
from lissom.errors import InputError, SolveError, UnsupportedError
from lissom.kernels.arguments import as_state, as_threads
from lissom.kernels.cache import closure_of, functions_of
from lissom.kernels.closures import Closure, Gaps, Spot
from lissom.kernels.loads import NO_LOADS, NOTHING, Applied, as_loads, load_inputs
from lissom.kernels.results import ForwardGradient
from lissom.kernels.tree_call import run, tree_call
from lissom.kernels.verb import Verb
from lissom.kernels.verbs import (
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_GRADIENT,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_GRADIENT,
    JOINT_REACTIONS,
    MASS_MATRIX,
    REACTIONS_IN_LINK_AXES,
)
from lissom.loops.algebra import Bordered, Forces, least_torques, split
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.spatial.rotations import Array

ROWS = 2**14  # states at once
BEYOND = 1e-6  # of the torques of the tree, that may be left over


def _checked(arm: Arm, applied: Applied, verb: str) -> Applied:
    """Validated loads and base motion; errors name the public function that was called."""
    as_threads(applied.threads, verb)
    if applied.loads is NO_LOADS:
        return applied
    loads = list(applied.loads) if isinstance(applied.loads, Iterable) else applied.loads
    as_loads(arm, loads, verb)
    return applied._replace(loads=loads)


# ---- inverse -------------------------------------------------------------------------------------


def inverse_dynamics(arm: Arm, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None) -> Array:
    """Torques of the motors (..., dof)."""
    verb = INVERSE_DYNAMICS.name
    return _into(out, required(arm, state, applied, verb).u, verb)


def required(arm: Arm, state: Sequence[ArrayLike], applied: Applied, verb: str) -> Forces:
    """Torques and closure forces of a consistent motion."""
    q, qd, qdd, tau = tree_torques(arm, state, _checked(arm, applied, verb))
    close = closure_of(arm)

    def some(spot: Spot, q: Array, qd: Array, qdd: Array, tau: Array) -> tuple[Array, ...]:
        gaps = close(q, qd)
        close.refuse_open(q, gaps, verb, spot=spot)
        close.refuse_opening(gaps, qd, verb, spot=spot)
        close.refuse_parting(gaps, qd, qdd, verb, spot=spot)
        return least_torques(tau, split(gaps.G), arm.actuated)

    found = Forces(*_rows(some, q, qd, qdd, tau))
    _refuse_beyond(arm, found.left, tau, verb)
    return found


def joint_reactions(arm: Arm, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None) -> Array:
    """Reactions (..., links, 6) in world axes."""
    return _reactions(JOINT_REACTIONS, arm, state, applied, out)


def joint_reactions_in_link_axes(
    arm: Arm, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None
) -> Array:
    """Reactions (..., links, 6), each in the axes of its link."""
    return _reactions(REACTIONS_IN_LINK_AXES, arm, state, applied, out)


def _reactions(verb: Verb, arm: Arm, state: Sequence[ArrayLike], applied: Applied, out: Any) -> Array:
    """Reactions of the tree under the forces of the closures."""
    applied = _checked(arm, applied, verb.label)
    found = required(arm, state, applied, verb.label)
    given = [as_state(arm, x, word, verb.label) for x, word in zip(state, verb.arguments, strict=True)]
    given = [np.ascontiguousarray(np.broadcast_to(x, found.u.shape)) for x in given]
    closing = closure_of(arm).loads(given[0], found.force)
    inputs = load_inputs(arm, verb.label, applied.loads, applied.base)
    acting = inputs.acting._replace(loads=(*inputs.acting.loads, *(frame for frame, _ in closing)))
    function = functions_of(arm).get(verb, acting)
    values = (*given, *inputs.values, *(nine for _, nine in closing))
    made: Array = run(function, values, out, applied.threads, verb.label)
    return made


def tree_torques(arm: Arm, state: Sequence[ArrayLike], applied: Applied) -> list[Array]:
    """q, qd, qdd (..., dof), all of one shape, and the torques of the tree."""
    given = [as_state(arm, x, word, INVERSE_DYNAMICS.name) for x, word in zip(state, ("q", "qd", "qdd"), strict=True)]
    tau = tree_call(arm, INVERSE_DYNAMICS.name, given, applied)
    return [np.ascontiguousarray(np.broadcast_to(x, tau.shape)) for x in (*given, tau)]


def _refuse_beyond(arm: Arm, left: Array, tau: Array, verb: str) -> None:
    """Raise an error if the motors cannot produce the motion."""
    most = np.abs(left).max(axis=-1)
    off = most - BEYOND * (1e-3 + np.abs(tau).max(axis=-1))
    if not (off > 0).any():
        return
    at = np.unravel_index(int(np.argmax(off)), off.shape)
    where = f" of state {[int(k) for k in at]}" if at else ""
    k = int(np.argmax(np.abs(left[at])))
    what = "joint" if k in arm.joint_index else "coordinate"
    raise InputError(
        f"{verb}: the motors cannot produce this motion{where}: {abs(float(left[at][k])):.3g} "
        f"{units(arm, 'tau')[k]} remains on {what} {arm.coordinates[k]!r}, which neither a motor nor a closure can "
        "support. Give consistent accelerations (see forward_dynamics), or make a joint actuated."
    )


# ---- forward -------------------------------------------------------------------------------------


def forward_dynamics(arm: Arm, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None) -> Array:
    """Accelerations (..., dof)."""
    verb = FORWARD_DYNAMICS.name
    return _into(out, accelerated(arm, state, applied, verb)[0], verb)


def accelerated(arm: Arm, state: Sequence[ArrayLike], applied: Applied, verb: str) -> tuple[Array, Array]:
    """Accelerations (..., dof) and closure forces (..., m)."""
    if applied.method is not None:
        raise UnsupportedError(
            f"{verb}: arm {arm.name!r} has closed loops; method is for open arms, and for inverse_dynamics. Leave it "
            "out."
        )
    applied = _checked(arm, applied, verb)
    q, qd, tau = (as_state(arm, x, word, verb) for x, word in zip(state, ("q", "qd", "tau"), strict=True))
    _common(verb, {"q": q, "qd": qd, "tau": tau})
    still = np.zeros(arm.dof)
    h = tree_call(arm, INVERSE_DYNAMICS.name, (q, qd, still), applied)
    shape = _common(verb, {"q, qd, loads and base together": h, "tau": tau})
    q, qd, force = (np.ascontiguousarray(np.broadcast_to(x, shape)) for x in (q, qd, tau - h))
    close = closure_of(arm)

    def some(spot: Spot, q: Array, qd: Array, force: Array) -> tuple[Array, ...]:
        gaps = close(q, qd)
        close.refuse_open(q, gaps, verb, spot=spot)
        close.refuse_opening(gaps, qd, verb, spot=spot)
        qdd, push = bordered(arm, q, gaps, verb).solve(force[..., None], -gaps.drift[..., None])
        return qdd[..., 0], push[..., 0]

    qdd, push = _rows(some, q, qd, force)
    return qdd, push


def bordered(arm: Arm, q: Array, gaps: Gaps, verb: str) -> Bordered:
    """The linear system of accelerations and closure forces at given states."""
    M = tree_call(arm, MASS_MATRIX.name, (q,))
    try:
        return Bordered(M, split(gaps.G))
    except np.linalg.LinAlgError:
        raise SolveError(f"{verb}: the inertia of arm {arm.name!r} is singular at this position.") from None


def forward_dynamics_gradient(
    arm: Arm, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None
) -> ForwardGradient:
    """Derivatives (..., dof, dof) of the accelerations with respect to q, qd and tau."""
    found = _forward_gradient(arm, state, applied)
    if out is None:
        return found
    places = check_out(FORWARD_DYNAMICS_GRADIENT.name, out, [x.shape for x in found])
    for place, part in zip(places, found, strict=True):
        place[...] = part
    return out


def _forward_gradient(arm: Arm, state: Sequence[ArrayLike], applied: Applied) -> ForwardGradient:
    """Derivatives of the accelerations, from those of the equations of motion.

    Of M qdd + h - G^T lambda = tau, G qdd + drift = 0, along each coordinate in turn, lambda following. They hold
    for changes of q and qd that keep the loops closed; of other changes the closures are left as open as they are.
    """
    verb = FORWARD_DYNAMICS_GRADIENT.name
    applied = _checked(arm, applied, verb)
    qdd, push = accelerated(arm, state, applied, verb)
    q, qd = (np.broadcast_to(as_state(arm, x, word, verb), qdd.shape) for x, word in zip(state, ("q", "qd")))
    D = tree_call(arm, INVERSE_DYNAMICS_GRADIENT.name, (q, qd, qdd), applied)
    changes = [np.ascontiguousarray(np.broadcast_to(part, (*qdd.shape, arm.dof))) for part in D[:2]]
    close, n = closure_of(arm), arm.dof

    def one(q: Array, qd: Array, qdd: Array, push: Array, by_q: Array, by_qd: Array) -> tuple[Array, ...]:
        gaps = close(q[None], qd[None])
        turned = force_slope(close, q, push)
        rows_q = close.second_derivative(q, np.eye(n), qdd).T
        slope = np.asarray(close.drift_slope(q, qd)[0]) if qd.any() else np.zeros((close.rows, n))
        rows_qd = 2.0 * close.second_derivative(q, np.eye(n), qd).T
        f = np.hstack([turned - by_q, -by_qd, np.eye(n)])
        b = np.hstack([-rows_q - slope, -rows_qd, np.zeros((close.rows, n))])
        found = bordered(arm, q[None], gaps, verb).solve(f[None], b[None])[0][0]
        return found[:, :n], found[:, n : 2 * n], found[:, 2 * n :]

    flat = [np.ascontiguousarray(x).reshape(-1, *x.shape[qdd.ndim - 1 :]) for x in (q, qd, qdd, push, *changes)]
    found = tuple(np.zeros((len(flat[0]), n, n)) for _ in range(3))
    for k, row in enumerate(zip(*flat, strict=True)):
        for into, part in zip(found, one(*row), strict=True):
            into[k] = part
    by_q, by_qd, by_tau = (part.reshape(*qdd.shape, n) for part in found)
    return ForwardGradient(by_q, by_qd, by_tau)


def force_slope(close: Closure, q: Array, push: Array) -> Array:
    """(dof, dof) derivative of G^T lambda with respect to q at one state, lambda constant; symmetric."""
    n = len(q)
    i, j = np.triu_indices(n)
    unit = np.eye(n)
    found = close.second_derivative(q, unit[i], unit[j]) @ push
    out = np.zeros((n, n))
    out[i, j] = out[j, i] = found
    return out


# ---- plumbing ------------------------------------------------------------------------------------


def _common(verb: str, arrays: dict[str, Array]) -> tuple[int, ...]:
    """The shape to which arrays (..., dof) broadcast."""
    try:
        return np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{word} {x.shape}" for word, x in arrays.items())
        raise InputError(f"{verb}: the batches do not fit together: {shapes}.") from None


def _rows(function: Callable[..., tuple[Array, ...]], *arrays: Array) -> list[Array]:
    """Apply a function of rows (k, ...) to arrays (..., n), a block of rows at a time."""
    batch = arrays[0].shape[:-1]
    flat = [x.reshape(-1, x.shape[-1]) for x in arrays]

    def spot(start: int) -> Spot:
        return lambda k: str([int(i) for i in np.unravel_index(start + k, batch)]) if batch else ""

    parts = [function(spot(k), *(x[k : k + ROWS] for x in flat)) for k in range(0, max(len(flat[0]), 1), ROWS)]
    return [np.concatenate(part).reshape(*batch, part[0].shape[-1]) for part in zip(*parts, strict=True)]


def _into(out: Any, result: Array, verb: str) -> Array:
    if out is None:
        return result
    check_out(verb, [out], [result.shape])[0][...] = result
    return out
