"""Computed-torque control: inverse dynamics of a model around the feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.kernels.cache import functions_of
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, gain, limit, reference
from lissom.simulation.controllers.law import SUM1, LoopState, neglected_parts, rough_joints


@dataclass(frozen=True, eq=False)
class ComputedTorque(Controller):
    """Computed-torque control, neglecting unactuated coordinates and Coulomb friction.

    ``tau = ID(q, qd, qdd_ref + kp e + kd de)``.

    The error of each joint obeys ``e'' + kd e' + kp e = 0`` if every coordinate has an actuator and no joint has
    Coulomb friction. With flexible links, elastic or passive joints, the torques of unactuated coordinates cannot be
    applied; friction is not compensated, because its sign is undefined at rest. Then a tracking error remains, which
    `Run.report` notes; `JointInversion` has none with unactuated coordinates.

    Parameters
    ----------
    q : reference, one entry per joint
        numbers, a `Profile`, a planned `Motion`, a SciPy spline, or a function of time that returns q or
        (q, qd, qdd); profiles, motions and splines keep their end values before the first and after the last sample
    kp, kd : gains, at least 0 [1/s^2, 1/s]
    qd, qdd : references of rates and accelerations
        None: derived from q, which is not possible for a function that returns q only; qd=0: a reference at rest
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.ComputedTorque([1.0, -0.5], 100, 20), until=1.0)
    >>> run.q[-1].round(2)
    array([ 1. , -0.5])
    """

    needs_model = True
    q: Any = reference()
    kp: Any = gain()
    kd: Any = gain()
    qd: Any = reference(None)
    qdd: Any = reference(None)
    limit: Any = limit()
    model: Arm | None = None

    def program(self, now: LoopState) -> list[Any]:
        model, run = self.assumed_model(now.arm), now.run
        wanted = [run.apply(SUM1, a, now.entry("qdd", k)) for k, a in enumerate(now.pulls())]
        return now.inverse_dynamics(model, functions_of(model).bodies.smooth, now.qd, run.gathered(wanted))

    def neglected(self, arm: Arm) -> str:
        unactuated = [name for name, driven in zip(arm.coordinates, arm.actuated, strict=True) if not driven]
        return neglected_parts("ComputedTorque", {"the unactuated coordinates": unactuated, **rough_joints(arm)})
