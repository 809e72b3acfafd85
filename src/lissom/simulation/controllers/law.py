"""What control laws are made of: the state that they see, and steps and programs that several of them share.

A law is written once: the same program is compiled into the closed loop, runs on arrays, and is differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import acting, forward, inverse
from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.elements.pivots import Held
from lissom.engine.program import Entries
from lissom.engine.step import Step
from lissom.kernels.cache import functions_of
from lissom.model.arm import Arm
from lissom.spatial.scalar import absolute

STRAIGHT = 12  # coordinates up to which the mass matrix of a model is factorised; articulated bodies beyond
PULL = Step("pull", lambda q, qd, x, v, kp, kd: [[kp[0] * (x[0] - q[0]) + kd[0] * (v[0] - qd[0])]], (1,) * 6, (1,))
SUM1 = Step("sum_1", lambda a, b: [[a[0] + b[0]]], (1, 1), (1,))


def clipped(x: Any, limit: Any) -> Any:
    """Return a number within -limit and limit."""
    return 0.5 * (absolute(x + limit) - absolute(x - limit))


CLIP = Step("clip", lambda x, limit: [[clipped(x[0], limit[0])]], (1, 1), (1,))


class LoopState(NamedTuple):
    """What a control law can access: the program, the arm, its state, the controller's states and input vectors."""

    run: Any
    arm: Arm
    q: Any
    qd: Any
    z: Any
    given: dict[str, Any]

    def entry(self, name: str, k: int) -> Any:
        """Return one entry of an input vector."""
        return self.given[name][k : k + 1]

    def pulls(self) -> list[Any]:
        """Return kp e + kd de of every coordinate."""
        words = ("q", "qd", "kp", "kd")
        out = []
        for k in range(self.arm.dof):
            state = self.q[k : k + 1], self.qd[k : k + 1]
            out.append(self.run.apply(PULL, *state, *(self.entry(word, k) for word in words)))
        return out

    def added(self, torques: list[Any], others: list[Any]) -> list[Any]:
        """Return the sums of torques by coordinate."""
        return [self.run.apply(SUM1, a, b) for a, b in zip(torques, others, strict=True)]

    def with_feedforward(self, torques: list[Any]) -> list[Any]:
        """Return torques plus the input `tau`, where there is one."""
        if "tau" not in self.given:
            return torques
        return self.added(torques, [self.entry("tau", k) for k in range(self.arm.dof)])

    def gravity(self, model: Arm) -> list[Any]:
        """Return the torques that hold the model at rest."""
        still = self.run.constant(np.zeros(model.dof))
        return self.inverse_dynamics(model, functions_of(model).bodies, still, still)

    def inverse_dynamics(self, model: Arm, bodies: Bodies, qd: Any, qdd: Any) -> list[Any]:
        """Return the inverse dynamics of the controller's model, with the loads known to it."""
        bodies, base, loads = self._standing(model, bodies)
        return inverse.joint_torques(self.run, bodies, self.q, qd, qdd, base, loads)

    def held_dynamics(self, model: Arm, bodies: Bodies, qdd: list[Any]) -> list[Any]:
        """Return torques that give actuated coordinates the accelerations `qdd`, the others moving as they must."""
        run = self.run
        bodies, base, loads = self._standing(model, bodies)
        nothing = run.constant([0.0])
        held = {k: Held(nothing[0], qdd[k][0]) for k in np.flatnonzero(model.actuated).tolist()}
        acts = Given(self.q, self.qd, Entries([nothing] * model.dof), base, loads)
        _, effort = forward.accelerations(run, bodies, acts, held, tape=model.dof > STRAIGHT)
        return [effort.get(k, nothing) for k in range(model.dof)]

    def _standing(self, model: Arm, bodies: Bodies) -> tuple[Bodies, Any, Any]:
        """The model's bodies with the places of its loads, the motion of its base, and its loads."""
        run = self.run
        bodies = bodies.with_stations(acting.standing_frames(model))
        return bodies, acting.base_motion(run, bodies), acting.standing_loads(run, bodies)


def neglected_parts(controller: str, parts: Mapping[str, Sequence[str]]) -> str:
    """A note on what a law neglects, with the names of the coordinates concerned; empty if nothing."""
    named = " and ".join(f"{what} ({_first_names(names)})" for what, names in parts.items() if names)
    return f"{controller} neglects {named}: the joint errors do not obey e'' + kd e' + kp e = 0." if named else ""


def rough_joints(arm: Arm) -> dict[str, list[str]]:
    """The joints with friction that laws neglect, and what it is."""
    further = any(joint.friction_laws.numbers for joint in arm.joints)
    rough = [joint.name for joint, sticks in zip(arm.joints, arm.sticks, strict=True) if sticks]
    return {f"the {'friction' if further else 'Coulomb friction'} of joints": rough}


def _first_names(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def motors(now: LoopState, torques: list[Any]) -> list[Any]:
    """Return the torques of actuated coordinates, within their limits; zero elsewhere."""
    run, nothing = now.run, now.run.constant([0.0])
    out = []
    for k, torque in enumerate(torques):
        if not now.arm.actuated[k]:
            out.append(nothing)
        else:
            out.append(run.apply(CLIP, torque, now.entry("limit", k)) if "limit" in now.given else torque)
    return out
