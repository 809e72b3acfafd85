"""Proportional-integral-derivative control of the joints, with anti-windup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.engine.step import Step
from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import (
    Controller,
    gain,
    joint_signal,
    limit,
    optional_per_joint,
    reference,
    source,
)
from lissom.simulation.controllers.law import LoopState, clipped
from lissom.simulation.signals import Signal
from lissom.spatial.rotations import Array

INTEGRATE = Step("pid", lambda u, z, q, x, ki: [[u[0] + z[0]], [ki[0] * (x[0] - q[0])]], (1,) * 5, (1, 1))


def _limited(u: Any, z: Any, q: Any, x: Any, ki: Any, kt: Any, most: Any) -> list[list[Any]]:
    tau = u[0] + z[0]
    return [[tau], [ki[0] * (x[0] - q[0]) + kt[0] * (clipped(tau, most[0]) - tau)]]


LIMITED = Step("pid_limited", _limited, (1,) * 7, (1, 1))


@dataclass(frozen=True, eq=False)
class PID(Controller):
    """Proportional-integral-derivative control of the joints with anti-windup by back-calculation.

    ``u = kp e + kd de + z [+ tau_ref]``, ``tau = clip(u)``, ``z' = ki e + kt (tau - u)`` with e = q_ref - q and
    de = qd_ref - qd. The integral terms z are states of the closed loop: integrators advance them with the motion at
    the same accuracy; `Run.controller_state` has them.

    Parameters
    ----------
    q : reference, as that of `PD`
    kp, ki, kd : gains, at least 0; one for all joints or one per joint [N m/rad, N m/(rad s), N m s/rad]
    qd : reference rates; None: as those of `PD`
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    kt : None, or rates at which the integral term returns from the limit, at least 0 [1/s]
        None: ki / kp, the inverse of the integral time
    integral : initial integral terms [N m], for example the torques that hold the arm; (runs, joints): of every run
    tau : None, or feedforward torques, as those of `PD`

    Notes
    -----
    Åström and Hägglund, Advanced PID Control (2006), section 3.5: back-calculation, tracking time constant 1/kt.

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> run = ls.simulate(arm, [0.4, 0.2], tau=ls.PID([0.5, 0.3], 200, 400, 40), until=5.0)
    >>> run.q[-1].round(3)  # gravity is compensated by the integral terms
    array([0.5, 0.3])
    """

    damps = restores = True
    q: Any = reference()
    kp: Any = gain()
    ki: Any = gain()
    kd: Any = gain()
    qd: Any = reference(None)
    limit: Any = limit()
    kt: Any = optional_per_joint(0.0)
    integral: Any = source(0.0)
    tau: Any = optional_per_joint()

    def states(self, arm: Arm) -> tuple[str, ...]:
        return tuple(f"integral[{name}]" for name, driven in zip(arm.coordinates, arm.actuated, strict=True) if driven)

    def initial_states(self, arm: Arm) -> Array:
        signal = joint_signal(arm, self.integral, "PID: integral")
        if signal.varies:
            raise InputError("PID: integral is a function of time; expected numbers, the initial integral terms.")
        return np.ascontiguousarray(signal.value[..., arm.actuated])

    def signals(self, arm: Arm) -> list[Signal]:
        found = {signal.name: signal for signal in super().signals(arm)}
        if "limit" in found and "kt" not in found:
            found["kt"] = Signal("kt", arm.dof, self._tracking_rates(found["kp"], found["ki"]))
        return list(found.values())

    @staticmethod
    def _tracking_rates(kp: Signal, ki: Signal) -> Array:
        if kp.varies or ki.varies:
            raise InputError("PID: kp or ki varies over time, so that ki / kp is no constant; give kt.")
        if ((kp.value == 0) & (ki.value > 0)).any():
            raise InputError("PID: kp is 0 for a joint with ki above 0, so that ki / kp is not finite; give kt.")
        return np.asarray(ki.value / np.where(kp.value > 0, kp.value, 1.0))

    def program(self, now: LoopState) -> tuple[list[Any], Any]:
        torques, rates = now.with_feedforward(now.pulls()), []
        for i, k in enumerate(np.flatnonzero(now.arm.actuated).tolist()):
            operands = [torques[k], now.z[i : i + 1], now.q[k : k + 1], now.entry("q", k), now.entry("ki", k)]
            if "limit" in now.given:
                found = now.run.apply(LIMITED, *operands, now.entry("kt", k), now.entry("limit", k))
            else:
                found = now.run.apply(INTEGRATE, *operands)
            torques[k], rate = found
            rates.append(rate)
        return torques, now.run.gathered(rates)
