"""Open-loop torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller
from lissom.simulation.controllers.law import LoopState
from lissom.simulation.signals import Signal


@dataclass(frozen=True, eq=False)
class Torques(Controller):
    """Open-loop torques of all coordinates: numbers, or a function of time."""

    open_loop = True
    tau: Signal

    def signals(self, arm: Arm) -> list[Signal]:
        return [self.tau._replace(name="tau")]

    def torques(self, now: LoopState) -> tuple[list[Any], Any]:
        return [now.entry("tau", k) for k in range(now.arm.dof)], []
