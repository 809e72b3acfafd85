"""Linear models of an arm around a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.control.lags import with_lags
from lissom.control.outputs import as_sensors, output_rows
from lissom.control.standing import warn_if_unsettled
from lissom.control.state_space import StateSpace
from lissom.errors import InputError, UnsupportedError, shown
from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.call import call_few
from lissom.kernels.loads import Applied
from lissom.kernels.verbs import FORWARD_DYNAMICS, FORWARD_DYNAMICS_GRADIENT, INVERSE_DYNAMICS
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion, Load
from lissom.spatial.rotations import Array


@without_unknown
def linearise(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    loads: Sequence[Load] = (),
    base: BaseMotion | None = None,
    *,
    output: Any = None,
    rows: str | Sequence[str] | None = None,
    controller: Any = None,
    **unknown: Never,
) -> StateSpace:
    """Linear state-space model of the arm around a state, from exact derivatives; with a controller, the closed loop.

    States are ``x = [q, qd]``, inputs the torques of the actuated joints, both as deviations from the
    operating point. Friction is left out of the derivatives (it has none where a joint rests). Of an arm with closed
    loops, q and qd must keep them closed, and the states are as many coordinates as the loops leave independent
    (those of motors are preferred), with their rates: `StateSpace.states` names them. Torques behind the lag of an
    `Actuator` are states too, and the inputs are then the commanded torques.

    Parameters
    ----------
    arm : Arm
    q : (dof,)                   positions; one entry per joint is accepted
    qd : (dof,) or None          rates, None: at rest
    tau : (dof,) or None         torques, None: those that keep the accelerations of actuated joints zero
    loads : sequence of Load     constant in the world
    base : BaseMotion or None    prescribed motion of the base
    output : str, pair, sensor, list of these, or None
        None: outputs are all positions. A link's or tool's name: the motion of its origin and its
        rotation, six outputs in world axes; a pair ``(name, point)``: of a point on it, anywhere along a beam.
        `Encoder` and `StrainGauge` are joint positions and strains.
    rows : str, sequence of str or None
        which of x, y, z, rx, ry, rz of each frame are outputs: "xy", ["x", "rz"]; None: all six
    controller : PD, ComputedTorque, GravityCompensation, Impedance, StateFeedback, or a function tau(t, q, qd)
        Closes the loop: `A` includes its derivatives (of a function by finite differences), `tau` holds its torques in
        that state, and the inputs are torques added to them. Time-varying references are evaluated at t = 0; for a
        reference that is a function without rates, `PD` and `StateFeedback` assume zero rates.

    Returns
    -------
    StateSpace
        `.drift` is not zero when the state is no equilibrium; warned of where only joints are given

    Examples
    --------
    >>> import lissom as ls
    >>> plant = ls.linearise(ls.load("two_link"), [-1.5707963, 0.0])
    >>> plant.A.shape, plant.B.shape, plant.inputs
    ((4, 4), (4, 2), ('upper.tau', 'fore.tau'))
    >>> loop = ls.linearise(ls.load("two_link"), [0.5, 0.2], controller=ls.ComputedTorque([0.5, 0.2], 24, 10))
    >>> sorted(loop.poles.real.round(3).tolist())  # e'' + 10 e' + 24 e = 0
    [-6.0, -6.0, -4.0, -4.0]
    >>> tip = ls.linearise(ls.load("two_link_flexible"), [0.2, 1.2], output="link2.tip", rows="xy")
    >>> tip.outputs, tip.minimum_phase
    (('link2.tip.x', 'link2.tip.y'), 'no')
    """
    check_keywords(linearise, unknown)
    verb = "linearise"
    n = as_arm(arm, verb).dof
    p = _one(arm, q, "q")
    v = np.zeros(n) if qd is None else _one(arm, qd, "qd")
    drives = arm.actuated
    if output is None and rows is not None:
        raise InputError(f"{verb}: rows is {shown(rows)}, but no output is the motion of a frame; name one by output=.")
    if controller is not None and tau is not None:
        raise InputError(f"{verb}: tau and controller are given; the controller decides the torques. Give one of them.")
    gains = None if controller is None else _gains(arm, controller, p, v)
    if arm.loops:
        given = None if tau is None else _one(arm, tau, "tau")
        return _looped(arm, p, v, given, list(loads), base, (output, rows), gains)
    acting = Applied(loads, base)
    if gains is not None:
        u = gains.tau
    elif tau is None:
        u = np.where(drives, call_few(arm, INVERSE_DYNAMICS, (p, v, np.zeros(n)), acting), 0.0)
    else:
        u = _one(arm, tau, "tau")
    qdd = call_few(arm, FORWARD_DYNAMICS, (p, v, u), acting)
    slope = call_few(arm, FORWARD_DYNAMICS_GRADIENT, (p, v, u), acting)
    A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, int(drives.sum())))
    A[:n, n:], A[n:, :n], A[n:, n:] = np.eye(n), slope.q, slope.qd
    if gains is not None:
        A[n:] += slope.tau @ np.hstack([gains.q[:n], gains.qd[:n]])
    B[n:] = slope.tau[:, drives]
    C, outputs = _outputs(arm, p, output, rows)
    names = arm.coordinates
    own, rates = ((), np.zeros(0)) if gains is None else (gains.states, gains.rates)
    if gains is not None and own:
        m = len(own)
        A = np.block([[A, np.vstack([np.zeros((n, m)), slope.tau @ gains.z[:n]])], [x[n:] for x in gains[1:4]]])
        B, C = np.pad(B, ((0, m), (0, 0))), np.pad(C, ((0, 0), (0, m)))
    plant = StateSpace(
        A, B, C, np.zeros((len(C), B.shape[1])),
        (*names, *(f"{name}.rate" for name in names), *own),
        tuple(f"{name}.tau" for name, drive in zip(names, drives, strict=True) if drive),
        outputs, p, v, u, np.concatenate([v, qdd, rates]),
    )  # fmt: skip
    if qd is None and tau is None and gains is None and not loads and base is None:
        warn_if_unsettled(arm, q, plant.drift)
    return with_lags(plant, arm)


class _Gains(NamedTuple):
    """Torques of a controller in a state (dof,), and derivatives by q, qd and its own m states z.

    q, qd, z : (dof + m, ...)    derivatives of the torques, then of the rates of z
    states, rates : (m,)         names of z, and their rates
    """

    tau: Array
    q: Array
    qd: Array
    z: Array
    states: tuple[str, ...]
    rates: Array


def _gains(arm: Arm, controller: Any, q: Array, qd: Array) -> _Gains:
    from lissom.simulation.controllers import Controller, SampledController
    from lissom.simulation.loop.closed_loop import States
    from lissom.simulation.loop.slopes import controller_slopes
    from lissom.simulation.options import Scenario
    from lissom.simulation.setup import closed_loop

    if not isinstance(controller, Controller) and (not callable(controller) or isinstance(controller, type)):
        raise InputError(
            f"linearise: controller is {shown(controller)}; expected PD(...), ComputedTorque(...), "
            "GravityCompensation(...), Impedance(...), StateFeedback(...) or a function tau(t, q, qd)."
        )
    if isinstance(controller, SampledController):
        raise UnsupportedError(
            f"linearise: {type(controller).__name__} acts at sampling times, so that the closed loop is no continuous "
            "plant; use plant.discrete(dt) with its gains."
        )
    loop = closed_loop(Scenario(arm, tau=controller), 1.0).on_tape()
    if loop.inputs.runs is not None:
        raise InputError(f"linearise: the controller has gains for {loop.inputs.runs} runs; give those of one run.")
    given, moving = loop.inputs.at(0.0), np.ones(len(loop.sliding))
    z = np.zeros(0) if loop.z0 is None else loop.z0
    if z.ndim != 1:
        raise InputError(f"linearise: the controller has states of {len(z)} runs; give those of one run.")
    state = States(q, qd, z)
    found = loop.rates(state, moving, given, loop.outside(0.0, q, qd))
    return _Gains(found.tau, *controller_slopes(loop, 0.0, state, given), loop.controller_states, found.z)


def _looped(
    arm: Arm, q: Array, qd: Array, tau: Array | None, loads: list[Load], base: BaseMotion | None,
    output: tuple[Any, str | Sequence[str] | None], gains: _Gains | None,
) -> StateSpace:  # fmt: skip
    """The linear model of an arm with closed loops, in independent coordinates."""
    from lissom.control.closed import holding, reduced

    if gains is not None:
        if gains.states:
            raise UnsupportedError(
                "linearise: controllers with states of their own are not supported for closed loops, nor are "
                "controllers of actuators with lag there."
            )
        u = gains.tau
    else:
        u = holding(arm, q, qd, Applied(loads, base)) if tau is None else tau
    found, drives = reduced(arm, q, qd, u, loads, base), arm.actuated
    f = found.T.shape[1]
    A, B = np.zeros((2 * f, 2 * f)), np.zeros((2 * f, int(drives.sum())))
    A[:f, f:], A[f:, :f], A[f:, f:] = np.eye(f), found.A_y, found.A_yd
    if gains is not None:
        A[f:, :f] += found.B @ (gains.q @ found.T + gains.qd @ found.W)
        A[f:, f:] += found.B @ gains.qd @ found.T
    B[f:] = found.B[:, drives]
    C, outputs = _outputs(arm, q, *output)
    C = np.hstack([C[:, : arm.dof] @ found.T, np.zeros((len(C), f))])
    names = [arm.coordinates[k] for k in found.independent]
    plant = StateSpace(
        A, B, C, np.zeros((len(C), B.shape[1])),
        (*names, *(f"{name}.rate" for name in names)),
        tuple(f"{name}.tau" for name, drive in zip(arm.coordinates, drives, strict=True) if drive),
        outputs, q, qd, u, np.concatenate([qd[found.independent], found.ydd]),
    )  # fmt: skip
    return with_lags(plant, arm)


def _outputs(arm: Arm, q: Array, output: Any, rows: str | Sequence[str] | None) -> tuple[Array, tuple[str, ...]]:
    """C of the positions and rates, and the names of its rows."""
    n = arm.dof
    if output is None:
        return np.eye(n, 2 * n), arm.coordinates
    slopes, names = output_rows(arm, q, as_sensors(output, rows))
    return np.hstack([slopes, np.zeros_like(slopes)]), names


def _one(arm: Arm, value: ArrayLike, word: str) -> Array:
    state = as_state(arm, value, word, "linearise")
    if state.ndim != 1:
        raise InputError(f"linearise: {word} has shape {state.shape}; expected one state ({arm.dof},).")
    return state
