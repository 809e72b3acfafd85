"""Feedback of the whole state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.engine.step import Step
from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, given, limit, per_joint, reference
from lissom.simulation.controllers.law import LoopState
from lissom.spatial.rotations import Array

DOTS = tuple(
    Step(f"less_dot_{n}", lambda a, k, x, y: [[a[0] - sum(g * (u - v) for g, u, v in zip(k, x, y, strict=True))]],
         (1, n, n, n), (1,)) for n in (8, 4, 2, 1)
)  # fmt: skip


def gain_matrix(x: Array, arm: Arm, name: str = "StateFeedback") -> Array:
    """Return a gain as (..., dof 2 dof), from one with rows for all or for the actuated coordinates."""
    n, m = arm.dof, int(arm.actuated.sum())
    if x.ndim < 2 or x.shape[-2:] not in ((n, 2 * n), (m, 2 * n)):
        lag = " Columns for torques behind the lag of actuators are not used; OutputFeedback uses them."
        hint = lag if (arm.actuator_lag > 0).any() else ""
        raise InputError(f"{name}: K has shape {x.shape}; expected ({m}, {2 * n}), one row per actuated joint.{hint}")
    if x.shape[-2] != n:
        full = np.zeros((*x.shape[:-2], n, 2 * n))
        full[..., arm.actuated, :] = x
        x = full
    return x.reshape(*x.shape[:-2], 2 * n * n)


def feedback(now: LoopState) -> list[Any]:
    """Return tau - K (x - x_ref), row by row, in pieces of eight."""
    n, run = now.arm.dof, now.run
    torques = []
    for i in range(n):
        torque = now.entry("tau", i)
        for part, (x, word) in enumerate(((now.q, "q"), (now.qd, "qd"))):
            at = 0
            for step in DOTS:
                size = step.inputs[1]
                while n - at >= size:
                    first = 2 * n * i + n * part + at
                    row = now.given["K"][first : first + size]
                    torque = run.apply(step, torque, row, x[at : at + size], now.given[word][at : at + size])
                    at += size
        torques.append(torque)
    return torques


@dataclass(frozen=True, eq=False)
class StateFeedback(Controller):
    """State feedback ``tau = tau_ref - K [q - q_ref, qd - qd_ref]``, with K from `StateSpace.lqr` for example.

    Parameters
    ----------
    K : (m, 2 dof) or (runs, m, 2 dof)    m: the actuated coordinates, or all
    q : reference positions; as those of `PD`
    qd : reference rates; None: as those of `PD`
    tau : torques at the reference, default 0
    limit : None, True or numbers         largest torque; True: the arm's torque limits

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> plant = ls.linearise(arm, [0.5, 0.3])
    >>> lqr = ls.StateFeedback(plant.lqr([100, 100, 1, 1], [1, 1]), plant.q, tau=plant.tau)
    >>> ls.simulate(arm, [0.6, 0.1], tau=lqr, until=3.0).q[-1].round(3)
    array([0.5, 0.3])
    """

    damps = restores = reads_unactuated = True
    K: Any = given(lambda arm: 2 * arm.dof**2, gain_matrix)
    q: Any = reference()
    qd: Any = reference(None)
    tau: Any = per_joint(0.0)
    limit: Any = limit()

    def program(self, now: LoopState) -> list[Any]:
        return feedback(now)
