"""Proportional-derivative control of the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, gain, limit, optional_per_joint, reference
from lissom.simulation.controllers.law import LoopState


@dataclass(frozen=True, eq=False)
class PD(Controller):
    """Proportional-derivative control of the joints: ``tau = kp e + kd de [+ tau_ref] [+ gravity]``.

    The errors are e = q_ref - q and de = qd_ref - qd.

    Parameters
    ----------
    q : reference, one entry per joint
        numbers, a `Profile`, a planned `Motion`, a SciPy spline, or a function of time that returns q or (q, qd);
        profiles, motions and splines keep their end values before the first and after the last sample
    kp, kd : gains, at least 0; one for all joints or one per joint [N m/rad, N m s/rad]
    qd : reference rates; None: derived from q, or zero if q is a function that returns positions only, so that kd damps
        the motion (noted in `Run.report`)
    tau : None, or feedforward torques, one entry per joint
        numbers, a `Profile`, a SciPy spline or a function of time; to track a `Motion` with its torques use `Follow`
    gravity : bool              add the torques that hold the arm (or `model`) at rest against gravity
    limit : None, True or numbers
        largest torque; True: the arm's torque limits
    model : Arm or None         the arm used to compute gravity torques; None: the simulated arm

    Arrays with a leading axis have one value for each run of an ensemble.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.PD([1.0, -0.5], 60, 12, gravity=True), until=2.0)
    >>> run.q[-1].round(3)
    array([ 1. , -0.5])
    """

    damps = restores = proportional = True
    q: Any = reference()
    kp: Any = gain()
    kd: Any = gain()
    qd: Any = reference(None)
    tau: Any = optional_per_joint()
    gravity: bool = False
    limit: Any = limit()
    model: Arm | None = None

    @property
    def label(self) -> str:
        return "PD with gravity=True" if self.gravity else "PD"

    @property
    def needs_model(self) -> bool:
        return bool(self.gravity)

    def program(self, now: LoopState) -> list[Any]:
        torques = now.with_feedforward(now.pulls())
        return now.added(torques, now.gravity(self.assumed_model(now.arm))) if self.gravity else torques
