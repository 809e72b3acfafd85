"""The whole motion replayed by a simulation: under its torques alone, or with a controller around them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, shown
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import Course, Exact, loads_of, torques_of
from lissom.motion.result.verification.defects import STIFF, heard, stepping
from lissom.motion.result.verification.growth import Growth
from lissom.motion.splines.interpolated import interpolated
from lissom.simulation.controllers import PD, ComputedTorque, Controller, Follow, StateFeedback
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array
from lissom.verbs.sensitivity import forward_dynamics_gradient

SAMPLES = 4  # in a segment
STIFF_LOOP = 10.0  # as STIFF, with feedback, whose reference has jerks that jump from segment to segment


def replayed(
    motion: AbstractMotion, growth: Growth, feedback: Any, rtol: float, progress: Callable[[float], None]
) -> Run:
    """Simulate a motion from its start to its end; `progress` is called with the fraction that is done."""
    every = motion.duration / (SAMPLES * (len(motion.finest_breaks) - 1))
    given: dict[str, Any] = {"loads": loads_of(motion), "every": every, "progress": progress}
    tau = torques_of(motion)
    segment = motion.duration / (len(motion.breaks) - 1)
    if feedback is None:
        given |= stepping(tau, float(growth.fastest.max()), float(growth.decay.max()) * segment > STIFF, rtol)
        return heard(simulate(motion.arm, motion.q[0], motion.qd[0], **given))
    control = tracking(motion, feedback, tau)
    if isinstance(control, StateFeedback):
        poles = _poles(motion, np.asarray(control.K))
        stiff = float(-poles.real.min()) * segment > STIFF_LOOP
        given |= stepping(tau, float(np.abs(poles).max()), stiff, rtol)
        control = replace(control, tau=given["tau"])
    else:
        given |= {"until": motion.duration, "rtol": rtol, "atol": 1e-2 * rtol, "on_failure": "return"}
    return heard(simulate(motion.arm, motion.q[0], motion.qd[0], **given | {"tau": control}))


def tracking(motion: AbstractMotion, feedback: Any, tau: Exact) -> Any:
    """A controller that follows the motion, from one whose gains count and whose reference does not."""
    course = Course(motion)
    curves = [interpolated(functools.partial(_order, course, r), course.breaks) for r in range(3)]
    q, qd, qdd = (Exact(course.breaks, curve, course.leaps) for curve in curves)
    if isinstance(feedback, Follow):
        if feedback.K is None:
            return StateFeedback(_gains(motion, feedback), q, qd, tau, feedback.limit)
        feedback = StateFeedback(feedback.K, q, qd, tau, feedback.limit)
    if isinstance(feedback, PD):
        if feedback.gravity:
            raise InputError(
                "verify: feedback is a PD with gravity=True, but it is added to the planned torques, which already "
                "contain gravity. Use gravity=False."
            )
        return StateFeedback(_gains(motion, feedback), q, qd, tau, feedback.limit)
    if isinstance(feedback, StateFeedback):
        made = replace(feedback, q=q, qd=qd, tau=tau)
        value = made.signals(motion.arm)[0].value
        if callable(value) or value.ndim != 1:
            raise InputError("verify: feedback has gains K that vary; expected one matrix (actuated joints, 2 dof).")
        return replace(made, K=value.reshape(motion.arm.dof, -1))
    if isinstance(feedback, ComputedTorque):
        return replace(feedback, q=q, qd=qd, qdd=qdd)
    if callable(feedback) and not isinstance(feedback, type | Controller):
        return feedback
    raise InputError(
        f"verify: feedback is {shown(feedback)}; expected Follow, PD, StateFeedback or ComputedTorque (whose "
        "reference is replaced by the motion), or a function tau(t, q, qd) that returns the total torque."
    )


def _order(course: Course, r: int, t: Array) -> Array:
    """Return positions, rates or accelerations (nt, dof) of a motion: orders 0, 1 and 2."""
    return np.asarray(course(t)[r])


def _gains(motion: AbstractMotion, control: PD | Follow) -> Array:
    """Return the gains of the joints as those of the whole state (dof, 2 dof)."""
    signals = {signal.name: signal for signal in control.signals(motion.arm)}
    out = []
    for word in ("kp", "kd"):
        value = signals[word].value
        if callable(value) or value.ndim != 1:
            raise InputError(f"verify: feedback has {word} {shown(getattr(control, word))}; expected one per joint.")
        out.append(np.diag(np.where(motion.arm.actuated, value, 0.0)))
    return np.hstack(out)


def _poles(motion: AbstractMotion, K: Array) -> NDArray[Any]:
    """Return the poles of the arm with feedback K (dof, 2 dof) at the ends of the segments of a motion."""
    t = motion.breaks * motion.duration
    q, qd, _ = motion.at(t)
    slopes = forward_dynamics_gradient(motion.arm, q, qd, motion.torques(t), loads=motion.loads_at(t))
    n = motion.arm.dof
    A = np.zeros((len(t), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:] = np.concatenate([slopes.q, slopes.qd], axis=2) - slopes.tau @ np.where(
        motion.arm.actuated[:, None], K, 0.0
    )
    return np.asarray(np.linalg.eigvals(A))
