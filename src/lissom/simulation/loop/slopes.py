"""Derivatives of the closed loop with respect to its state; exact, except for a user's Python function.

With M dqdd + dID/dx dx = dtau/dx dx on the coordinates that are free, the others follow as they must.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.stations import station_of
from lissom.engine import kernel
from lissom.engine.function import Function
from lissom.errors import SolveError, UnsupportedError
from lissom.kernels.batch_of_arms import call_rows
from lissom.kernels.cache import cache_of
from lissom.kernels.functions import compiler_present
from lissom.kernels.loads import load_inputs
from lissom.kernels.results import InverseGradient
from lissom.kernels.verbs import INVERSE_DYNAMICS_GRADIENT
from lissom.model.loads import BaseMotion, Load
from lissom.simulation.loop.closed_loop import ClosedLoop, States
from lissom.spatial.rotations import Array

STRIDE = 6e-6  # of central differences, relative: the cube root of the rounding


class LawSlopes(NamedTuple):
    """Derivatives of the torques and of the rates of the controller's states (..., dof + m, ...) by q, qd and z."""

    q: Array
    qd: Array
    z: Array


class TorqueSlopes(NamedTuple):
    """M, D, K: derivatives of inverse dynamics minus the controller's torques by qdd, qd and q; those of the law."""

    M: Array
    D: Array
    K: Array
    law: LawSlopes


def slopes(loop: ClosedLoop, t: float, y: Array, way: Array, before: bool = False) -> Array:
    """(size, size) derivatives of (qd, qdd, z') with respect to (q, qd, z)."""
    if loop.looped:
        return _of_rates(loop, t, y[: loop.size], way, before)
    found = at_state(loop, t, y, way, before)
    return slopes_of(loop, way, found)


def slopes_of(loop: ClosedLoop, way: Array, found: TorqueSlopes) -> Array:
    """(size, size) derivatives of (qd, qdd, z') with respect to (q, qd, z), from those of the torques."""
    n, m = loop.dof, loop.size - 2 * loop.dof
    J = _free_motion(loop, way, found.M, np.hstack([found.K, found.D, -found.law.z[:n]]))
    return np.vstack([J, np.hstack([part[n:] for part in found.law])]) if m else J


def slopes_without_feedback(loop: ClosedLoop, way: Array, found: TorqueSlopes) -> Array:
    """(2 dof, 2 dof) derivatives of (qd, qdd) with respect to (q, qd) under torques that are constant."""
    n, law = loop.dof, found.law
    return _free_motion(loop, way, found.M, np.hstack([found.K + law.q[:n], found.D + law.qd[:n]]))


def at_state(loop: ClosedLoop, t: float, y: Array, way: Array, before: bool = False) -> TorqueSlopes:
    """Derivatives of the torques of one run at a state (q, qd, z, ...)."""
    loop = loop.on_tape()
    state = loop.split(y)
    given, tau = loop.inputs.at(t, before), loop.outside(t, state.q, state.qd)
    qdd = loop.rates(state, way, given, tau).qdd
    return torque_slopes(loop, state, qdd, given, t)


def in_balance(loop: ClosedLoop, t: float, y: Array) -> TorqueSlopes:
    """Derivatives of the torques of one run at a state that further torques keep from accelerating."""
    loop = loop.on_tape()
    state = loop.split(y)
    return torque_slopes(loop, state, np.zeros(loop.dof), loop.inputs.at(t), t)


def _free_motion(loop: ClosedLoop, way: Array, M: Array, pull: Array) -> Array:
    """(2 dof, k) derivatives of (qd, qdd): M dqdd = -pull dx for coordinates that are free, none of the others."""
    n, free = loop.dof, np.ones(loop.dof, bool)
    free[[k for k, x in zip(loop.sliding, way, strict=True) if x == 0.0]] = False
    free[list(loop.prescribed)] = False
    J = np.zeros((2 * n, pull.shape[1]))
    J[:n, n : 2 * n] = np.eye(n)
    J[n + np.flatnonzero(free)] = np.linalg.solve(M[np.ix_(free, free)], -pull[free])
    return J


def torque_slopes(loop: ClosedLoop, state: States, qdd: Array, given: Array, t: float = 0.0) -> TorqueSlopes:
    """Derivatives at one state, or at many where no user's function gives the torques (`t` is its argument)."""
    n = loop.dof
    change = _torque_change(loop, state, qdd, given)
    law = controller_slopes(loop, t, state, given)
    return TorqueSlopes(change.qdd, change.qd - law.qd[..., :n, :], change.q - law.q[..., :n, :], law)


def _torque_change(loop: ClosedLoop, at: States, qdd: Array, given: Array) -> InverseGradient:
    """Derivatives of the torques of the run's own arm; those of Coulomb friction are zero."""
    loads, base = _acting(loop, given)
    verb, state = INVERSE_DYNAMICS_GRADIENT, (at.q, at.qd, qdd)
    if loop.several is not None:
        return call_rows(loop.several.varied, loop.inputs.part("arm", given), verb.name, state, loads, base)
    inputs = load_inputs(loop.arm, verb.name, loads, base)
    acting = inputs.acting._replace(payloads=tuple(loop.payload_frames))
    own = (np.ascontiguousarray(x) for x in loop.own(given))
    cache = cache_of(loop.arm)
    function = (cache.functions if loop.has_laws else cache.without_friction).get(verb, acting, loop.backend)
    found: InverseGradient = function.one(*state, *inputs.values, *own)
    return found


def _of_rates(loop: ClosedLoop, t: float, x: Array, way: Array, before: bool) -> Array:
    """Return the derivatives by central differences, for arms with closed loops."""
    n, size = loop.dof, loop.size
    steps = STRIDE * np.maximum(1.0, np.abs(x))
    states = np.concatenate([x + np.diag(steps), x - np.diag(steps)])
    state = loop.split(states)
    given, ways = (np.repeat(row[None], len(states), axis=0) for row in (loop.inputs.at(t, before), way))
    found = loop.rates(state, ways, given, loop.outside(t, state.q, state.qd))
    rates = np.hstack([found.qdd, found.z])
    J = np.zeros((size, size))
    J[:n, n : 2 * n] = np.eye(n)
    J[n:] = ((rates[:size] - rates[size:]) / (2 * steps[:, None])).T
    return J


def _acting(loop: ClosedLoop, given: Array) -> tuple[list[Load], BaseMotion | None]:
    """Return the loads and the base motion in an input vector."""
    loads = []
    for i, frame in enumerate(loop.loaded):
        x = loop.inputs.part(f"load{i}", given)
        link, s = station_of(frame)
        loads.append(Load(link, x[..., 0:3], x[..., 3:6], x[..., 6:9] + [s, 0.0, 0.0]))
    if not loop.has_base:
        return loads, None
    x = loop.inputs.part("base", given)
    return loads, BaseMotion(x[..., 0:3], x[..., 3:6], x[..., 6:9])


def controller_slopes(loop: ClosedLoop, t: float, state: States, given: Array) -> LawSlopes:
    """Derivatives of the controller's torques and of the rates of its states."""
    q, qd, z = state
    n, m = loop.dof, loop.size - 2 * loop.dof
    shapes = [(*q.shape[:-1], n + m, k) for k in (n, n, m)]
    if loop.controller is None:
        return _behind_lag(loop, LawSlopes(*_differences(loop, t, q, qd), np.zeros((n, 0))), given)
    if loop.controller.open_loop and not len(loop.actuators):
        return LawSlopes(*map(np.zeros, shapes))
    function = loop.kept("slopes", lambda: _compiled(loop))
    arguments = (q, qd, *([z] if m else []), given)
    found = function.one(*arguments) if q.ndim == 1 else function(*arguments)
    return LawSlopes(*(x.reshape(shape) for x, shape in zip((*found, np.zeros(0)), shapes, strict=False)))


def _differences(loop: ClosedLoop, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return derivatives of a user's function by central differences."""
    out = []
    for which, x in enumerate((q, qd)):
        columns = []
        for k in range(loop.dof):
            step = STRIDE * max(1.0, abs(x[k]))
            ends = []
            for sign in (1.0, -1.0):
                moved = [q.copy(), qd.copy()]
                moved[which][k] += sign * step
                ends.append(loop.outside(t, *moved))
            columns.append((ends[0] - ends[1]) / (2 * step))  # type: ignore[operator]
        out.append(np.stack(columns, axis=-1))
    return out[0], out[1]


def _behind_lag(loop: ClosedLoop, law: LawSlopes, given: Array) -> LawSlopes:
    """Return the derivatives of the torques that act, from those of commands (dof, ...) that have no states."""
    places, m = loop.actuators.coordinates, len(loop.actuators)
    if not m:
        return law
    lags = loop.inputs.part("lag", given)[:, None]
    acting = []
    for by in law[:2]:
        rest = by.copy()
        rest[places] = 0.0
        acting.append(np.vstack([rest, by[places] / lags]))
    by_z = np.vstack([np.eye(loop.dof)[:, places], np.diag(-1.0 / lags[:, 0])])
    return LawSlopes(acting[0], acting[1], by_z)


def _compiled(loop: ClosedLoop) -> Function:
    """Derivatives of the controller's torques and the rates of its states with respect to q, qd and z."""
    n, m = loop.dof, loop.size - 2 * loop.dof
    words = ["q", "qd", *(["z"] if m else []), "given"]
    sizes = [n, n, *([m] if m else []), loop.inputs.size]
    lengths = [(n + m) * size for size in sizes[:-1]]
    program = functools.partial(_torques, loop)

    if not compiler_present():
        raise UnsupportedError(
            "simulate: differentiating a controller needs casadi and llvmlite; install them, or use method='rk45'."
        )
    code = kernel.straight_kernel(f"slopes|{loop.key}", sizes, lengths, lambda: kernel.slopes_of(program, len(lengths)))
    plainly = functools.partial(_unknown, sizes, lengths)
    return Function("slopes", words, sizes, [(size,) for size in lengths], plainly, code, _overflow)


def _torques(loop: ClosedLoop, run: Any) -> None:
    m = loop.size - 2 * loop.dof
    q, qd = run.input(loop.dof), run.input(loop.dof)
    z = run.input(m) if m else []
    torques, rates = loop.torques(run, q, qd, z, run.input(loop.inputs.size))
    run.output(*torques, *([rates] if m else []))


def _unknown(sizes: list[int], lengths: list[int], run: Any) -> None:
    """Fallback program: returns NaN where the compiled derivatives are not finite."""
    for size in sizes:
        run.input(size)
    for entries in lengths:
        run.output(*(run.constant([np.nan]) for _ in range(entries)))


def _overflow(where: str, *_: object) -> None:
    raise SolveError(f"simulate: the derivatives of the controller{where} are not finite (overflow).")
