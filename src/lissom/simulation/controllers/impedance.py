"""Impedance control of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.dynamics import kinematics
from lissom.engine.step import Step
from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_frame
from lissom.kernels.cache import functions_of
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import Controller, given, limit
from lissom.simulation.controllers.law import LoopState
from lissom.simulation.signals import Signal
from lissom.spatial.rotations import Array
from lissom.spatial.vectors import ZERO, Vector3


def _spring(X: Any, v: Any, goal: Any, K: Any, D: Any) -> list[list[Any]]:
    """Force and moment (6) of springs and dampers on a frame: K, D (6) along and about world axes."""
    F = [
        k * (g - X[4 * r + 3]) - d * u for r, (k, g, d, u) in enumerate(zip(K[:3], goal[:3], D[:3], v[:3], strict=True))
    ]
    turn = ZERO
    for c in range(3):
        turn = turn + Vector3(X[c], X[4 + c], X[8 + c]).cross(Vector3(goal[3 + c], goal[6 + c], goal[9 + c]))
    N = [0.5 * (k * e) - d * u for k, e, d, u in zip(K[3:], (turn.x, turn.y, turn.z), D[3:], v[3:], strict=True)]
    return [F + N]


SPRING = Step("spring", _spring, (16, 6, 12, 6, 6), (6,))
ALONG = Step("along", lambda a, column, wrench: [[a[0] + sum(c * w for c, w in zip(column, wrench, strict=True))]],
             (1, 6, 6), (1,))  # fmt: skip


def _goal(x: Array, _arm: Arm) -> Array:
    """Return a goal as position (3) and rotation (9)."""
    if x.shape[-2:] == (4, 4):
        x = x.reshape(*x.shape[:-2], 16)
    if x.shape[-1:] == (3,):
        turn = np.broadcast_to(np.eye(3).ravel(), (*x.shape[:-1], 9))
        return np.concatenate([x, turn], axis=-1)
    if x.shape[-1:] == (16,):
        return np.concatenate([x[..., [3, 7, 11]], x[..., [0, 1, 2, 4, 5, 6, 8, 9, 10]]], axis=-1)
    raise InputError(f"Impedance: goal has shape {x.shape}; expected (3,), (4, 4), or 16 columns of a profile.")


def _six(x: Array, _arm: Arm) -> Array:
    """Return gains as six numbers; with three, the rotational ones are zero."""
    if x.ndim == 0:
        x = np.full(3, float(x))
    if x.shape[-1] == 3:
        x = np.concatenate([x, np.zeros_like(x)], axis=-1)
    if x.shape[-1] != 6:
        raise InputError(f"Impedance: gains have {x.shape[-1]} entries; expected 1, 3 or 6.")
    return x


@dataclass(frozen=True, eq=False)
class Impedance(Controller):
    """Impedance control: a spring and damper between a frame and a goal pose, ``tau = J^T (K e - D v) [+ gravity]``.

    Parameters
    ----------
    link : str                 a link or tool
    goal : (3,) or (4, 4)      where its origin, or the whole frame, should be; numbers, a `Profile`
        (3 columns, or 16: the matrix row by row) or a function of time
    stiffness : number, (3,) or (6,)    along world axes [N/m], then about them [N m/rad]; 3: no rotation
    damping : number, (3,) or (6,)      [N s/m, N m s/rad]
    gravity : bool             add the torques that hold the arm at rest against gravity
    limit : None, True or numbers       largest torque; True: the arm's torque limits
    model : Arm or None        the arm used for gravity torques; None: the simulated arm
    """

    needs_model = reads_unactuated = True
    link: str
    goal: Any = given(lambda _arm: 12, _goal)
    stiffness: Any = given(lambda _arm: 6, _six)
    damping: Any = given(lambda _arm: 6, _six)
    gravity: bool = True
    limit: Any = limit()
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        name = "Impedance"
        as_frame(arm, self.link, name)
        found = super().signals(arm)
        gains = [signal for signal in found if signal.name in ("stiffness", "damping") and not signal.varies]
        for gain in gains:
            if (gain.value < 0).any():
                raise InputError(f"{name}: {gain.name} is {shown(getattr(self, gain.name))}; expected at least 0.")
        turns = any(gain.name == "stiffness" and gain.value[..., 3:].any() for gain in gains)
        if turns and not callable(self.goal) and np.shape(self.goal)[-1:] == (3,):
            raise InputError(
                f"{name}: stiffness has rotational entries (six numbers), but goal is a point; give a (4, 4) pose."
            )
        return found

    def program(self, now: LoopState) -> list[Any]:
        run, bodies = now.run, functions_of(now.arm).bodies
        way = kinematics.reach(run, bodies, self.link, now.q, run.constant(np.zeros(3)))
        v = kinematics.point_velocity(run, bodies, way, now.qd)
        wrench = run.apply(SPRING, way.X(run), v, *(now.given[word] for word in ("goal", "stiffness", "damping")))
        nothing = run.constant([0.0])
        torques = now.gravity(self.assumed_model(now.arm)) if self.gravity else [nothing] * now.arm.dof
        for k, column in kinematics.columns(run, bodies, way).items():
            torques[k] = run.apply(ALONG, torques[k], column, wrench)
        return torques
