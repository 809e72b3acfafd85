"""Controllers: torques from time and state, written once as programs of the engine.

A controller names the vectors it is given (`signals`: gains, references) and computes torques from
them and the state (`torques`). The same program is compiled into the closed loop, runs on arrays, and
is differentiated. Gains and references are inputs, so other ones need no new compilation; they may
be one per run of an ensemble. References may be functions of time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import inverse, kinematics
from lissom.dynamics.vectors import add, cross, sub
from lissom.engine.program import Entries, Step, absolute
from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.simulation.signals import Signal, as_signal
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.states import as_arm, as_frame

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
STEPS = (PULL, SUM1, DRAG, CLIP, *DOTS, SPRING, ALONG)


class Scene(NamedTuple):
    """What a controller sees of a program: its run, the state, and the vectors it asked for."""

    run: Any
    q: Any
    qd: Any
    given: dict[str, Any]

    def entry(self, name: str, k: int) -> Any:
        """One entry of a given vector."""
        return self.given[name][k : k + 1]


class Controller:
    """What controllers share."""

    def signals(self, arm: Arm) -> list[Signal]:
        """The vectors it is given."""
        raise NotImplementedError

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        """One vector of one entry per coordinate."""
        raise NotImplementedError

    def key(self) -> str:
        """What of it is compiled."""
        return type(self).__name__

    def _model(self, arm: Arm) -> Arm:
        """The arm it believes in."""
        model = getattr(self, "model", None)
        if model is None:
            return arm
        name = type(self).__name__
        as_arm(model, name)
        if model.coordinates != arm.coordinates:
            raise InputError(
                f"{name}: model {model.name!r} has coordinates {', '.join(model.coordinates)}; expected those of arm "
                f"{arm.name!r}: {', '.join(arm.coordinates)}."
            )
        return model


def _joint_signal(arm: Arm, value: Any, name: str, least: float | None = None) -> Signal:
    """One entry per joint (or coordinate), or one for all joints; entries of elastic coordinates are zero."""

    def shape(x: Array) -> Array:
        if x.ndim == 0 or (x.shape[-1] == 1 and len(arm.joints) > 1):
            x = np.repeat(x.reshape(*x.shape[:-1], 1), len(arm.joints), axis=-1)
        if x.shape[-1] not in (arm.dof, len(arm.joints)):
            raise InputError(
                f"{name} has {x.shape[-1]} entries; expected 1, {len(arm.joints)} (joints) or {arm.dof} (coordinates)."
            )
        return arm.expanded(x)

    signal = as_signal(value, arm.dof, name, shape)
    if least is not None and not signal.varies and (signal.value < least).any():
        spot = tuple(int(i) for i in np.argwhere(signal.value < least)[0])
        raise InputError(
            f"{name}{list(spot)} is {signal.value[spot]:g}; a gain below zero pushes away from the goal. Give >= 0."
        )
    return signal


def _gravity(scene: Scene, model: Arm) -> list[Any]:
    """Torques that hold the model at rest."""
    bodies, run = library_of(model).bodies, scene.run
    still = run.constant(np.zeros(len(bodies)))
    base = run.constant([*np.zeros(6), *(-model.gravity)])
    loads = inverse.read_loads(run, model, inverse.Setting())
    return inverse.joint_torques(run, bodies, scene.q, still, still, base, loads)


def _motors(scene: Scene, arm: Arm, torques: list[Any], limited: bool) -> list[Any]:
    """Torques of actuated coordinates, within their limits; zero elsewhere."""
    run, nothing = scene.run, scene.run.constant([0.0])
    out = []
    for k, torque in enumerate(torques):
        if not arm.actuated[k]:
            out.append(nothing)
        else:
            out.append(run.call(CLIP, torque, scene.entry("limit", k)) if limited else torque)
    return out


def _limit(arm: Arm, limit: Any, name: str) -> list[Signal]:
    """The torque limit of a controller: None, True (the arm's own) or numbers."""
    if limit is None or limit is False:
        return []
    if limit is True:
        lower, upper = arm.bounds("torque")
        limit = np.minimum(-lower, upper)
        if not np.isfinite(limit).all():
            missing = ", ".join(j.name for j, x in zip(arm.joints, limit, strict=True) if not np.isfinite(x))
            raise InputError(f"{name}: limit is True, but the arm has no torque limits for {missing}; give numbers.")
    return [_joint_signal(arm, limit, f"{name}: limit", 0.0)._replace(name="limit")]


def _named(signal: Signal, name: str) -> Signal:
    return signal._replace(name=name)


@dataclass(frozen=True, eq=False)
class PD(Controller):
    """Springs and dampers to a reference: ``tau = kp (q_ref - q) + kd (qd_ref - qd) [+ gravity]``.

    Parameters
    ----------
    q : reference, one entry per joint; numbers, a `Profile` or a function of time
    kp, kd : gains, at least 0; one for all joints or one per joint [N m/rad, N m s/rad]
    qd : reference of the rates, default 0
    gravity : bool              add the torques that hold the arm (or `model`) at rest
    limit : None, True or numbers
        largest torque; True: the arm's torque limits
    model : Arm or None         what gravity is computed for; None: the simulated arm

    Arrays with a leading axis hold one value for each run of an ensemble.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.PD([1.0, -0.5], 60, 12, gravity=True), until=2.0)
    >>> run.q[-1].round(3)
    array([ 1. , -0.5])
    """

    q: Any
    kp: Any
    kd: Any
    qd: Any = 0.0
    gravity: bool = False
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        return [
            _named(_joint_signal(arm, self.q, "PD: q"), "q"),
            _named(_joint_signal(arm, self.qd, "PD: qd"), "qd"),
            _named(_joint_signal(arm, self.kp, "PD: kp", 0.0), "kp"),
            _named(_joint_signal(arm, self.kd, "PD: kd", 0.0), "kd"),
            *_limit(arm, self.limit, "PD"),
        ]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        torques = _pulls(scene, arm)
        if self.gravity:
            held = _gravity(scene, self._model(arm))
            torques = [scene.run.call(SUM1, a, b) for a, b in zip(torques, held, strict=True)]
        return _motors(scene, arm, torques, "limit" in scene.given)

    def key(self) -> str:
        return f"PD|{self.gravity}|{self.limit is not None}|{self.model and self.model.digest}"


def _pulls(scene: Scene, arm: Arm) -> list[Any]:
    """kp e + kd de of every coordinate."""
    words = ("q", "qd", "kp", "kd")
    out = []
    for k in range(arm.dof):
        state = scene.q[k : k + 1], scene.qd[k : k + 1]
        out.append(scene.run.call(PULL, *state, *(scene.entry(word, k) for word in words)))
    return out


@dataclass(frozen=True, eq=False)
class ComputedTorque(Controller):
    """Inverse dynamics of the reference with feedback: ``tau = ID(q, qd, qdd_ref + kp e + kd de)``.

    Each joint then behaves like ``e'' + kd e' + kp e = 0``. Friction is left to the feedback.

    Parameters
    ----------
    q : reference, one entry per joint; numbers, a `Profile` or a function of time
    kp, kd : gains, at least 0 [1/s^2, 1/s]
    qd, qdd : references of rates and accelerations, default 0
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.ComputedTorque([1.0, -0.5], 100, 20), until=1.0)
    >>> run.q[-1].round(2)
    array([ 1. , -0.5])
    """

    q: Any
    kp: Any
    kd: Any
    qd: Any = 0.0
    qdd: Any = 0.0
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        name = "ComputedTorque"
        return [
            _named(_joint_signal(arm, self.q, f"{name}: q"), "q"),
            _named(_joint_signal(arm, self.qd, f"{name}: qd"), "qd"),
            _named(_joint_signal(arm, self.qdd, f"{name}: qdd"), "qdd"),
            _named(_joint_signal(arm, self.kp, f"{name}: kp", 0.0), "kp"),
            _named(_joint_signal(arm, self.kd, f"{name}: kd", 0.0), "kd"),
            *_limit(arm, self.limit, name),
        ]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        model, run = self._model(arm), scene.run
        bodies = library_of(model).bodies
        bodies = bodies.changed(friction=dict.fromkeys(range(len(bodies)), 0.0))
        wanted = [run.call(SUM1, a, scene.entry("qdd", k)) for k, a in enumerate(_pulls(scene, arm))]
        base = run.constant([*np.zeros(6), *(-model.gravity)])
        loads = inverse.read_loads(run, model, inverse.Setting())
        torques = inverse.joint_torques(run, bodies, scene.q, scene.qd, Entries(wanted), base, loads)
        return _motors(scene, arm, torques, "limit" in scene.given)

    def key(self) -> str:
        return f"ComputedTorque|{self.limit is not None}|{self.model and self.model.digest}"


@dataclass(frozen=True, eq=False)
class GravityCompensation(Controller):
    """Torques that hold the arm at rest, less damping: ``tau = g(q) - damping qd``.

    Parameters
    ----------
    damping : at least 0; one for all joints or one per joint [N m s/rad or N s/m]
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm
    """

    damping: Any = 0.0
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        name = "GravityCompensation"
        damping = _joint_signal(arm, self.damping, f"{name}: damping", 0.0)
        return [_named(damping, "damping"), *_limit(arm, self.limit, name)]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        held = _gravity(scene, self._model(arm))
        torques = [
            scene.run.call(DRAG, torque, scene.entry("damping", k), scene.qd[k : k + 1])
            for k, torque in enumerate(held)
        ]
        return _motors(scene, arm, torques, "limit" in scene.given)

    def key(self) -> str:
        return f"GravityCompensation|{self.limit is not None}|{self.model and self.model.digest}"


@dataclass(frozen=True, eq=False)
class Impedance(Controller):
    """A spring and damper in space between a frame and a goal: ``tau = J^T (K e - D v) [+ gravity]``.

    Parameters
    ----------
    link : str                 a link or tool
    goal : (3,) or (4, 4)      where its origin, or the whole frame, should be; numbers, a `Profile`
        (3 columns, or 16: the matrix row by row) or a function of time
    stiffness : number, (3,) or (6,)    along world axes [N/m], then about them [N m/rad]; 3: no rotation
    damping : number, (3,) or (6,)      [N s/m, N m s/rad]
    gravity : bool             add the torques that hold the arm at rest
    limit : None, True or numbers       largest torque; True: the arm's torque limits
    model : Arm or None        what gravity is computed for; None: the simulated arm
    """

    link: str
    goal: Any
    stiffness: Any
    damping: Any
    gravity: bool = True
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        name = "Impedance"
        as_frame(arm, self.link, name)
        goal = as_signal(self.goal, 12, f"{name}: goal", _goal)
        gains = []
        for word in ("stiffness", "damping"):
            gain = as_signal(getattr(self, word), 6, f"{name}: {word}", _six)
            if not gain.varies and (gain.value < 0).any():
                raise InputError(f"{name}: {word} is {shown(getattr(self, word))}; expected at least 0.")
            gains.append(gain._replace(name=word))
        return [goal._replace(name="goal"), *gains, *_limit(arm, self.limit, name)]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        run, bodies = scene.run, library_of(arm).bodies
        way = kinematics.reach(run, bodies, self.link, scene.q, run.constant(np.zeros(3)))
        v = kinematics.point_velocity(run, bodies, way, scene.qd)
        wrench = run.call(SPRING, way.X, v, *(scene.given[word] for word in ("goal", "stiffness", "damping")))
        nothing = run.constant([0.0])
        torques = _gravity(scene, self._model(arm)) if self.gravity else [nothing] * arm.dof
        for i, column in kinematics.columns(run, bodies, way).items():
            k = bodies.list[i].coordinate
            torques[k] = run.call(ALONG, torques[k], column, wrench)
        return _motors(scene, arm, torques, "limit" in scene.given)

    def key(self) -> str:
        return f"Impedance|{self.link}|{self.gravity}|{self.limit is not None}|{self.model and self.model.digest}"


def _goal(x: Array) -> Array:
    """Position (3) and rotation (9)."""
    if x.shape[-2:] == (4, 4):
        x = x.reshape(*x.shape[:-2], 16)
    if x.shape[-1:] == (3,):
        turn = np.broadcast_to(np.eye(3).ravel(), (*x.shape[:-1], 9))
        return np.concatenate([x, turn], axis=-1)
    if x.shape[-1:] == (16,):
        return np.concatenate([x[..., [3, 7, 11]], x[..., [0, 1, 2, 4, 5, 6, 8, 9, 10]]], axis=-1)
    raise InputError(f"Impedance: goal has shape {x.shape}; expected (3,), (4, 4), or 16 columns of a profile.")


def _six(x: Array) -> Array:
    """Three numbers: no rotation."""
    if x.ndim == 0:
        x = np.full(3, float(x))
    if x.shape[-1] == 3:
        x = np.concatenate([x, np.zeros_like(x)], axis=-1)
    if x.shape[-1] != 6:
        raise InputError(f"Impedance: gains have {x.shape[-1]} entries; expected 1, 3 or 6.")
    return x


@dataclass(frozen=True, eq=False)
class StateFeedback(Controller):
    """``tau = tau_ref - K [q - q_ref, qd - qd_ref]``, K from `StateSpace.lqr` for example.

    Parameters
    ----------
    K : (m, 2 dof) or (runs, m, 2 dof)    m: the actuated coordinates, or all
    q : reference positions; numbers, a `Profile` or a function of time
    qd : reference rates, default 0
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

    K: Any
    q: Any
    qd: Any = 0.0
    tau: Any = 0.0
    limit: Any = None

    def signals(self, arm: Arm) -> list[Signal]:
        name = "StateFeedback"
        return [
            as_signal(self.K, 2 * arm.dof**2, f"{name}: K", lambda x: _square(x, arm))._replace(name="K"),
            _named(_joint_signal(arm, self.q, f"{name}: q"), "q"),
            _named(_joint_signal(arm, self.qd, f"{name}: qd"), "qd"),
            _named(_joint_signal(arm, self.tau, f"{name}: tau"), "tau"),
            *_limit(arm, self.limit, name),
        ]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
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
                        torque = run.call(step, torque, row, x[at : at + size], scene.given[word][at : at + size])
                        at += size
            torques.append(torque)
        return _motors(scene, arm, torques, "limit" in scene.given)

    def key(self) -> str:
        return f"StateFeedback|{self.limit is not None}"


def _square(x: Array, arm: Arm) -> Array:
    """(..., dof 2 dof) from a gain with rows for all or for the actuated coordinates."""
    n, m = arm.dof, int(arm.actuated.sum())
    if x.ndim < 2 or x.shape[-2:] not in ((n, 2 * n), (m, 2 * n)):
        raise InputError(f"StateFeedback: K has shape {x.shape}; expected ({m}, {2 * n}), one row per actuated joint.")
    if x.shape[-2] != n:
        full = np.zeros((*x.shape[:-2], n, 2 * n))
        full[..., arm.actuated, :] = x
        x = full
    return x.reshape(*x.shape[:-2], 2 * n * n)


@dataclass(frozen=True, eq=False)
class Torques(Controller):
    """Torques that do not look at the state: numbers, or a function of time."""

    tau: Signal

    def signals(self, arm: Arm) -> list[Signal]:
        return [self.tau]

    def torques(self, scene: Scene, arm: Arm) -> list[Any]:
        return [scene.entry(self.tau.name, k) for k in range(arm.dof)]
