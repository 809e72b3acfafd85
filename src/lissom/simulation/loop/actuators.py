"""Actuators with lag in a closed loop: the torques that act are states z, lag z' = u - z, u what is commanded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lissom.engine.step import Step
from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.simulation.signals import Signal

LAG = Step("actuator_lag", lambda u, z, lag: [[(u[0] - z[0]) / lag[0]]], (1, 1, 1), (1,))


class Actuators:
    """The coordinates whose actuators have a lag, those with a prescribed acceleration left out.

    Parameters
    ----------
    arm : Arm
    prescribed : coordinates with a prescribed acceleration
    arms : the arm of every run, where they differ
    """

    def __init__(self, arm: Arm, prescribed: Iterable[int], arms: Sequence[Arm] | None) -> None:
        lags = arm.expanded(arm.actuator_lag)
        self.coordinates = [k for k in np.flatnonzero(lags > 0).tolist() if k not in prescribed]
        self.names = tuple(f"applied[{arm.coordinates[k]}]" for k in self.coordinates)
        self._values = lags if arms is None else np.stack([one.expanded(one.actuator_lag) for one in arms])

    def __len__(self) -> int:
        return len(self.coordinates)

    @property
    def signal(self) -> Signal:
        """Time constants as an input of the loop, of every run where they differ."""
        return Signal("actuator lag", len(self), np.ascontiguousarray(self._values[..., self.coordinates]))

    def behind(self, run: Any, torques: list[Any], z: Any, lags: Any) -> tuple[list[Any], list[Any]]:
        """Return the torques that act, by coordinate, and the rates of the states z of the actuators."""
        acting, rates = list(torques), []
        for i, k in enumerate(self.coordinates):
            acting[k] = z[i : i + 1]
            rates.append(run.apply(LAG, torques[k], acting[k], lags[i : i + 1]))
        return acting, rates


def refuse_initial_torques(arm: Arm) -> None:
    """Refuse initial torques of an arm without lag: they would have no effect."""
    if not (arm.actuator_lag > 0).any():
        raise InputError(
            f"simulate: tau0 is given, but no actuator of arm {arm.name!r} has a lag: torques are as commanded. Leave "
            "tau0 out, or give a joint an Actuator(lag=...)."
        )
