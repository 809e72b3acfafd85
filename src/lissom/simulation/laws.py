"""Control laws: torques from the state and the controller's inputs, as programs of the engine.

Written once: the same program is compiled into the closed loop, runs on arrays, and is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import acting, inverse, kinematics
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.vectors import add, cross, sub
from lissom.engine.step import Step
from lissom.model.arm import Arm
from lissom.simulation.controllers import (
    PD,
    ComputedTorque,
    Controller,
    GravityCompensation,
    Impedance,
    StateFeedback,
    Torques,
)
from lissom.spatial.scalar import absolute
from lissom.verbs.call import library_of

# ---- steps ---------------------------------------------------------------------------------------

PULL = Step("pull", lambda q, qd, x, v, kp, kd: [[kp[0] * (x[0] - q[0]) + kd[0] * (v[0] - qd[0])]], (1,) * 6, (1,))
SUM1 = Step("sum_1", lambda a, b: [[a[0] + b[0]]], (1, 1), (1,))
DRAG = Step("drag", lambda a, c, qd: [[a[0] - c[0] * qd[0]]], (1, 1, 1), (1,))


def _clipped(x: Any, limit: Any) -> list[list[Any]]:
    return [[0.5 * (absolute(x[0] + limit[0]) - absolute(x[0] - limit[0]))]]


CLIP = Step("clip", _clipped, (1, 1), (1,))
DOTS = tuple(
    Step(f"less_dot_{n}", lambda a, k, x, y: [[a[0] - sum(g * (u - v) for g, u, v in zip(k, x, y, strict=True))]],
         (1, n, n, n), (1,)) for n in (8, 4, 2, 1)
)  # fmt: skip


def _spring(X: Any, v: Any, goal: Any, K: Any, D: Any) -> list[list[Any]]:
    """Force and moment (6) of springs and dampers on a frame: K, D (6) along and about world axes."""
    F = [
        k * (g - X[4 * r + 3]) - d * u for r, (k, g, d, u) in enumerate(zip(K[:3], goal[:3], D[:3], v[:3], strict=True))
    ]
    turn = [0 * X[0]] * 3
    for c in range(3):
        have, want = [X[c], X[4 + c], X[8 + c]], [goal[3 + c], goal[6 + c], goal[9 + c]]
        turn = add(turn, cross(have, want))
    N = sub(
        [0.5 * (k * e) for k, e in zip(K[3:], turn, strict=True)], [d * u for d, u in zip(D[3:], v[3:], strict=True)]
    )
    return [F + N]


SPRING = Step("spring", _spring, (16, 6, 12, 6, 6), (6,))
ALONG = Step("along", lambda a, column, wrench: [[a[0] + sum(c * w for c, w in zip(column, wrench, strict=True))]],
             (1, 6, 6), (1,))  # fmt: skip


# ---- laws ----------------------------------------------------------------------------------------


class Scene(NamedTuple):
    """What a control law can access: the program, the state, and the controller's input vectors."""

    run: Any
    q: Any
    qd: Any
    given: dict[str, Any]

    def entry(self, name: str, k: int) -> Any:
        """Return one entry of an input vector."""
        return self.given[name][k : k + 1]


def _pulls(scene: Scene, arm: Arm) -> list[Any]:
    """Return kp e + kd de of every coordinate."""
    words = ("q", "qd", "kp", "kd")
    out = []
    for k in range(arm.dof):
        state = scene.q[k : k + 1], scene.qd[k : k + 1]
        out.append(scene.run.apply(PULL, *state, *(scene.entry(word, k) for word in words)))
    return out


def _gravity(scene: Scene, model: Arm) -> list[Any]:
    """Return the torques that hold the model at rest."""
    still = scene.run.constant(np.zeros(model.dof))
    return _believed_torques(scene, model, library_of(model).bodies, still, still)


def _believed_torques(scene: Scene, model: Arm, bodies: Bodies, qd: Any, qdd: Any) -> list[Any]:
    """Return the inverse dynamics of the controller's model, with the loads known to it."""
    run = scene.run
    bodies = bodies.with_stations(acting.standing_frames(model))
    base, loads = acting.base_motion(run, bodies), acting.standing_loads(run, bodies)
    return inverse.joint_torques(run, bodies, scene.q, qd, qdd, base, loads)


def _motors(scene: Scene, arm: Arm, torques: list[Any], limited: bool) -> list[Any]:
    """Return the torques of actuated coordinates, within their limits; zero elsewhere."""
    run, nothing = scene.run, scene.run.constant([0.0])
    out = []
    for k, torque in enumerate(torques):
        if not arm.actuated[k]:
            out.append(nothing)
        else:
            out.append(run.apply(CLIP, torque, scene.entry("limit", k)) if limited else torque)
    return out


def pd(control: PD, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of `PD`: kp e + kd de, and gravity torques."""
    torques = _pulls(scene, arm)
    if control.gravity:
        held = _gravity(scene, control.assumed_model(arm))
        torques = [scene.run.apply(SUM1, a, b) for a, b in zip(torques, held, strict=True)]
    return torques


def computed_torque(control: ComputedTorque, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of `ComputedTorque`: inverse dynamics of its model, without friction."""
    model, run = control.assumed_model(arm), scene.run
    wanted = [run.apply(SUM1, a, scene.entry("qdd", k)) for k, a in enumerate(_pulls(scene, arm))]
    return _believed_torques(scene, model, library_of(model).bodies.smooth, scene.qd, run.gathered(wanted))


def gravity_compensation(control: GravityCompensation, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of `GravityCompensation`: those that hold the arm at rest, minus damping."""
    held = _gravity(scene, control.assumed_model(arm))
    parts = [(scene.entry("damping", k), scene.qd[k : k + 1]) for k in range(len(held))]
    return [scene.run.apply(DRAG, torque, *part) for torque, part in zip(held, parts, strict=True)]


def impedance(control: Impedance, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of `Impedance`: J^T times the spring and damper wrench, and gravity torques."""
    run, bodies = scene.run, library_of(arm).bodies
    way = kinematics.reach(run, bodies, control.link, scene.q, run.constant(np.zeros(3)))
    v = kinematics.point_velocity(run, bodies, way, scene.qd)
    wrench = run.apply(SPRING, way.X(run), v, *(scene.given[word] for word in ("goal", "stiffness", "damping")))
    nothing = run.constant([0.0])
    torques = _gravity(scene, control.assumed_model(arm)) if control.gravity else [nothing] * arm.dof
    for k, column in kinematics.columns(run, bodies, way).items():
        torques[k] = run.apply(ALONG, torques[k], column, wrench)
    return torques


def state_feedback(_control: StateFeedback, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of `StateFeedback`: tau - K (x - x_ref), row by row, in pieces of eight."""
    n, run = arm.dof, scene.run
    torques = []
    for i in range(n):
        torque = scene.entry("tau", i)
        for part, (x, word) in enumerate(((scene.q, "q"), (scene.qd, "qd"))):
            at = 0
            for step in DOTS:
                size = step.inputs[1]
                while n - at >= size:
                    first = 2 * n * i + n * part + at
                    row = scene.given["K"][first : first + size]
                    torque = run.apply(step, torque, row, x[at : at + size], scene.given[word][at : at + size])
                    at += size
        torques.append(torque)
    return torques


LAWS: dict[type[Controller], Callable[..., list[Any]]] = {
    PD: pd, ComputedTorque: computed_torque, GravityCompensation: gravity_compensation, Impedance: impedance,
    StateFeedback: state_feedback,
}  # fmt: skip


def torques(control: Controller, scene: Scene, arm: Arm) -> list[Any]:
    """Return the torques of any controller, one per coordinate: within the limit, zero without an actuator."""
    if isinstance(control, Torques):
        return [scene.entry(control.tau.name, k) for k in range(arm.dof)]
    return _motors(scene, arm, LAWS[control.law](control, scene, arm), "limit" in scene.given)
