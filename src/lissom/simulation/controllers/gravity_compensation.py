"""Gravity compensation with joint damping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.engine.step import Step
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, gain, limit
from lissom.simulation.controllers.law import LoopState

DRAG = Step("drag", lambda a, c, qd: [[a[0] - c[0] * qd[0]]], (1, 1, 1), (1,))


@dataclass(frozen=True, eq=False)
class GravityCompensation(Controller):
    """Gravity compensation with joint damping: ``tau = g(q) - damping qd``.

    Parameters
    ----------
    damping : at least 0; one for all joints or one per joint [N m s/rad or N s/m]
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm
    """

    needs_model = True
    damping: Any = gain(0.0)
    limit: Any = limit()
    model: Arm | None = None

    def program(self, now: LoopState) -> list[Any]:
        held = now.gravity(self.assumed_model(now.arm))
        parts = [(now.entry("damping", k), now.qd[k : k + 1]) for k in range(len(held))]
        return [now.run.apply(DRAG, torque, *part) for torque, part in zip(held, parts, strict=True)]
