"""Derivatives of the closed loop with respect to its state; exact, except for a user's Python function.

With M dqdd + dID/dx dx = dtau/dx dx on the coordinates that are free, the others follow as they must.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lissom.dynamics.bodies import station_of
from lissom.dynamics.inverse import Setting
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
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.controllers import Torques
from lissom.spatial.rotations import Array

STRIDE = 6e-6  # of central differences, relative: the cube root of the rounding


def slopes(loop: ClosedLoop, t: float, q: Array, qd: Array, way: Array, before: bool = False) -> Array:
    """(2 dof, 2 dof) derivatives of (qd, qdd) with respect to (q, qd)."""
    n = loop.dof
    if loop.looped:
        return _of_rates(loop, t, q, qd, way, before)
    given, tau = loop.inputs.at(t, before), loop.outside(t, q, qd)
    qdd = loop.rates(q, qd, way, given, tau).qdd
    M, D, K = torque_slopes(loop, q, qd, qdd, given, t)
    free = np.ones(n, bool)
    free[[k for k, x in zip(loop.sliding, way, strict=True) if x == 0.0]] = False
    free[list(loop.prescribed)] = False
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:] = np.eye(n)
    inside = np.flatnonzero(free)
    J[n + inside] = np.linalg.solve(M[np.ix_(free, free)], -np.hstack([K, D])[free])
    return J


def torque_slopes(
    loop: ClosedLoop, q: Array, qd: Array, qdd: Array, given: Array, t: float = 0.0
) -> tuple[Array, Array, Array]:
    """M, D, K (..., dof, dof): derivatives of inverse dynamics minus the controller's torques by qdd, qd and q.

    At one state, or at many where no user's function gives the torques (`t` is its argument).
    """
    change = _torque_change(loop, q, qd, qdd, given)
    torque_q, torque_qd = controller_slopes(loop, t, q, qd, given)
    return change.qdd, change.qd - torque_qd, change.q - torque_q


def _torque_change(loop: ClosedLoop, q: Array, qd: Array, qdd: Array, given: Array) -> InverseGradient:
    """Derivatives of the torques of the run's own arm; those of friction are zero."""
    loads, base = _acting(loop, given)
    verb, state = INVERSE_DYNAMICS_GRADIENT, (q, qd, qdd)
    if loop.several is not None:
        return call_rows(loop.several.varied, loop.inputs.part("arm", given), verb.name, state, loads, base)
    inputs = load_inputs(loop.arm, verb.name, loads, base)
    setting = Setting(inputs.frames, base is not None, payloads=tuple(loop.laden))
    own = (np.ascontiguousarray(x) for x in loop.own(given))
    function = cache_of(loop.arm).without_friction.get(verb, setting)
    return InverseGradient(*function.one(*state, *inputs.values, *own))


def _of_rates(loop: ClosedLoop, t: float, q: Array, qd: Array, way: Array, before: bool) -> Array:
    """Return the derivatives by central differences, for arms with closed loops."""
    n = loop.dof
    x = np.concatenate([q, qd])
    steps = STRIDE * np.maximum(1.0, np.abs(x))
    states = np.concatenate([x + np.diag(steps), x - np.diag(steps)])
    here, there = np.ascontiguousarray(states[:, :n]), np.ascontiguousarray(states[:, n:])
    given, ways = (np.repeat(row[None], len(states), axis=0) for row in (loop.inputs.at(t, before), way))
    qdd = loop.rates(here, there, ways, given, loop.outside(t, here, there)).qdd
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:] = np.eye(n)
    J[n:] = ((qdd[: 2 * n] - qdd[2 * n :]) / (2 * steps[:, None])).T
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


def controller_slopes(loop: ClosedLoop, t: float, q: Array, qd: Array, given: Array) -> tuple[Array, Array]:
    """(..., dof, dof) derivatives of the controller's torques by q and qd."""
    shape = (*q.shape, loop.dof)
    if loop.controller is None:
        return _differences(loop, t, q, qd)
    if isinstance(loop.controller, Torques):
        return np.zeros(shape), np.zeros(shape)
    function = loop.kept("slopes", lambda: _compiled(loop))
    found = function.one(q, qd, given) if q.ndim == 1 else function(q, qd, given)
    return found[0].reshape(shape), found[1].reshape(shape)


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


def _compiled(loop: ClosedLoop) -> Function:
    """Derivatives of the controller's torques with respect to q and qd."""
    n, sizes = loop.dof, [loop.dof, loop.dof, loop.inputs.size]
    program = functools.partial(_torques, loop)

    if not compiler_present():
        raise UnsupportedError(
            "simulate: differentiating a controller needs casadi and llvmlite; install them, or use method='rk45'."
        )
    code = kernel.straight_kernel(f"slopes|{loop.key}", sizes, [n * n, n * n], lambda: kernel.slopes_of(program, 2))
    plainly = functools.partial(_unknown, sizes, n * n)
    return Function("slopes", ["q", "qd", "given"], sizes, [(n * n,), (n * n,)], plainly, code, _overflow)


def _torques(loop: ClosedLoop, run: object) -> None:
    q, qd, given = run.input(loop.dof), run.input(loop.dof), run.input(loop.inputs.size)  # type: ignore[attr-defined]
    torques = loop.torques(run, q, qd, given)
    run.output(*torques)  # type: ignore[attr-defined]


def _unknown(sizes: list[int], entries: int, run: Any) -> None:
    """Fallback program: returns NaN where the compiled derivatives are not finite."""
    for size in sizes:
        run.input(size)
    for _ in range(2):
        run.output(*(run.constant([np.nan]) for _ in range(entries)))


def _overflow(where: str, *_: object) -> None:
    raise SolveError(f"simulate: the derivatives of the controller{where} are not finite (overflow).")
