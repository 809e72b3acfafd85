"""Linear models of arms whose actuators have a lag: the torques that act are states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom.control.state_space import StateSpace
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def with_lags(plant: StateSpace, arm: Arm) -> StateSpace:
    """Return the plant with the torques behind lags as states: a' = (u - a) / lag in the place of inputs u.

    A plant that has these states already, that of a closed loop, only gets its inputs moved before the lags.
    """
    lags = arm.expanded(arm.actuator_lag)[arm.actuated]
    late = np.flatnonzero(lags > 0)
    if not late.size:
        return plant
    names = [f"applied[{plant.inputs[i].removesuffix('.tau')}]" for i in late]
    if names[0] not in plant.states:
        plant = _extended(plant, names, late, lags[late])
    B, rows = plant.B.copy(), [plant.states.index(name) for name in names]
    B[:, late] = 0.0
    B[rows, late] = 1.0 / lags[late]
    return replace(plant, B=B)


def _extended(plant: StateSpace, names: list[str], late: NDArray[np.intp], lags: Array) -> StateSpace:
    """Return the plant with further states that act in the place of some of its inputs."""
    n, m = len(plant.A), len(names)
    A = np.block([[plant.A, plant.B[:, late]], [np.zeros((m, n)), -np.diag(1.0 / lags)]])
    B, C = np.pad(plant.B, ((0, m), (0, 0))), np.pad(plant.C, ((0, 0), (0, m)))
    drift = np.append(plant.drift, np.zeros(m))
    return replace(plant, A=A, B=B, C=C, states=(*plant.states, *names), drift=drift)
