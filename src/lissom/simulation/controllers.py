"""Controllers: their gains and references. Their control laws are in `laws`.

Gains and references are inputs of the compiled loop, so changing them needs no new compilation; each run of an
ensemble may have its own. References may be functions of time; see `references` for their rates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_arm, as_frame
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.simulation.references import ORDERS, is_planned_motion, rates_unknown, references as derived
from lissom.simulation.signals import Profile, Signal, Steady, as_signal
from lissom.spatial.rotations import Array


class Controller(KnownKeywords, ABC):
    """Base class of the controllers that `simulate` accepts as ``tau``."""

    _damps = False  # its law makes sense with rates of zero: kd is then a damper

    @abstractmethod
    def signals(self, arm: Arm) -> list[Signal]:
        """Return the input vectors of the controller for an arm: gains and references."""

    @property
    def law(self) -> type[Controller]:
        """The class whose control law applies: the class of this controller, or the one it is derived from."""
        for kind in type(self).__mro__:
            if kind.__dict__.get("_has_law"):
                return kind
        raise InputError(
            f"simulate: tau is a {type(self).__name__}, which has no control law. Derive it from PD, ComputedTorque, "
            "GravityCompensation, Impedance or StateFeedback, or give a function tau(t, q, qd)."
        )

    def neglected(self, arm: Arm) -> str:
        """Return what the controller neglects of an arm or a reference, for the report; empty if nothing."""
        if self._damps and getattr(self, "qd", 0.0) is None and rates_unknown(getattr(self, "q", None), arm):
            name = type(self).__name__
            return f"{name}: the reference q is a function of time without rates; qd is assumed zero. Give qd."
        return ""

    def key(self) -> str:
        """Key of the compiled control law; gains, references and limits are inputs and not part of it."""
        name, model = self.law.__name__, getattr(self, "model", None)
        shape = (getattr(self, "link", None), getattr(self, "gravity", None), model and as_arm(model, name).digest)
        return f"{name}|{shape}"

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain numbers and text for the record of a run; an arm as its fingerprint."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def per_joint(self, arm: Arm, *references: str, gains: tuple[str, ...] = ()) -> list[Signal]:
        """Return the fields with one entry per joint as signals: references, gains (at least 0) and the limit."""
        name = type(self).__name__
        moving = [word for word in ORDERS if word in references]
        values = {word: getattr(self, word) for word in (*references, *gains)}
        values |= derived(name, arm, self._damps, **{word: values[word] for word in moving}) if moving else {}
        made = []
        for word in (*references, *gains):
            least = 0.0 if word in gains else None
            made.append(_joint_signal(arm, values[word], f"{name}: {word}", least)._replace(name=word))
        return made + _limit(arm, getattr(self, "limit", None), name)

    def assumed_model(self, arm: Arm) -> Arm:
        """Return the arm that the controller's model describes: `model`, or the simulated arm."""
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


def _plain(value: Any) -> Any:
    """Return a setting as JSON can store it; for values that vary over time, a description."""
    if isinstance(value, Signal):
        return _plain(value.value)
    if isinstance(value, Arm):
        return value.digest
    if isinstance(value, Steady):
        return _plain(value.profile)
    if isinstance(value, Profile):
        return f"{value.kind} profile of {len(value.t)} samples, {value.t[0]:g} to {value.t[-1]:g} s"
    if is_planned_motion(value):
        return f"planned motion of {value.duration:g} s"
    if callable(value):
        return "function of time"
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()


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
            f"{name}{list(spot)} is {signal.value[spot]:g}; a negative gain drives the arm away from the reference. "
            "Give a gain of at least 0."
        )
    return signal


def _limit(arm: Arm, limit: Any, name: str) -> list[Signal]:
    """Return the torque limit of a controller as signals: None, True (the arm's own limits) or numbers."""
    if limit is None or limit is False:
        return []
    if limit is True:
        lower, upper = arm.bounds("torque")
        limit = np.where([joint.actuated for joint in arm.joints], np.minimum(-lower, upper), 0.0)
        if not np.isfinite(limit).all():
            missing = ", ".join(j.name for j, x in zip(arm.joints, limit, strict=True) if not np.isfinite(x))
            raise InputError(f"{name}: limit is True, but the arm has no torque limits for {missing}; give numbers.")
    signal = _joint_signal(arm, limit, f"{name}: limit")
    if not signal.varies and (signal.value < 0).any():
        raise InputError(f"{name}: limit is {shown(limit)}; expected at least 0.")
    return [signal._replace(name="limit")]


@dataclass(frozen=True, eq=False)
class PD(Controller):
    """Proportional-derivative control of the joints: ``tau = kp (q_ref - q) + kd (qd_ref - qd) [+ gravity]``.

    Parameters
    ----------
    q : reference, one entry per joint
        numbers, a `Profile`, a planned `Motion`, a SciPy spline, or a function of time that returns q or (q, qd);
        profiles, motions and splines keep their end values before the first and after the last sample
    kp, kd : gains, at least 0; one for all joints or one per joint [N m/rad, N m s/rad]
    qd : reference rates; None: derived from q, or zero if q is a function that returns positions only, so that kd damps
        the motion (noted in `Run.report`)
    gravity : bool              add the torques that hold the arm (or `model`) at rest against gravity
    limit : None, True or numbers
        largest torque; True: the arm's torque limits
    model : Arm or None         the arm used to compute gravity torques; None: the simulated arm

    Arrays with a leading axis have one value for each run of an ensemble.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.PD([1.0, -0.5], 60, 12, gravity=True), until=2.0)
    >>> run.q[-1].round(3)
    array([ 1. , -0.5])
    """

    _has_law = _damps = True
    q: Any
    kp: Any
    kd: Any
    qd: Any = None
    gravity: bool = False
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        return self.per_joint(arm, "q", "qd", gains=("kp", "kd"))


@dataclass(frozen=True, eq=False)
class ComputedTorque(Controller):
    """Computed-torque control, ``tau = ID(q, qd, qdd_ref + kp e + kd de)``, without Coulomb friction.

    The error of each joint obeys ``e'' + kd e' + kp e = 0`` if every coordinate has an actuator and no joint has
    Coulomb friction. With flexible links, elastic or passive joints, the torques of unactuated coordinates cannot be
    applied; friction is not compensated, because its sign is undefined at rest. Then a tracking error remains, which
    `Run.report` notes.

    Parameters
    ----------
    q : reference, one entry per joint
        numbers, a `Profile`, a planned `Motion`, a SciPy spline, or a function of time that returns q or
        (q, qd, qdd); profiles, motions and splines keep their end values before the first and after the last sample
    kp, kd : gains, at least 0 [1/s^2, 1/s]
    qd, qdd : references of rates and accelerations
        None: derived from q, which is not possible for a function that returns q only; qd=0: a reference at rest
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0, 0], tau=ls.ComputedTorque([1.0, -0.5], 100, 20), until=1.0)
    >>> run.q[-1].round(2)
    array([ 1. , -0.5])
    """

    _has_law = True
    q: Any
    kp: Any
    kd: Any
    qd: Any = None
    qdd: Any = None
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        return self.per_joint(arm, "q", "qd", "qdd", gains=("kp", "kd"))

    def neglected(self, arm: Arm) -> str:
        unactuated = [name for name, driven in zip(arm.coordinates, arm.actuated, strict=True) if not driven]
        rough = [joint.name for joint, friction in zip(arm.joints, arm.friction, strict=True) if friction]
        parts = [("the unactuated coordinates", unactuated), ("the Coulomb friction of joints", rough)]
        named = " and ".join(f"{what} ({_first_names(names)})" for what, names in parts if names)
        if not named:
            return ""
        return f"ComputedTorque neglects {named}: the joint errors do not obey e'' + kd e' + kp e = 0."


def _first_names(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


@dataclass(frozen=True, eq=False)
class GravityCompensation(Controller):
    """Gravity compensation with joint damping: ``tau = g(q) - damping qd``.

    Parameters
    ----------
    damping : at least 0; one for all joints or one per joint [N m s/rad or N s/m]
    limit : None, True or numbers     largest torque; True: the arm's torque limits
    model : Arm or None               what the controller believes; None: the simulated arm
    """

    _has_law = True
    damping: Any = 0.0
    limit: Any = None
    model: Arm | None = None

    def signals(self, arm: Arm) -> list[Signal]:
        return self.per_joint(arm, gains=("damping",))


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

    _has_law = True
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
        turns = any(not gain.varies and gain.value[..., 3:].any() for gain in gains[:1])
        if turns and not callable(self.goal) and np.shape(self.goal)[-1:] == (3,):
            raise InputError(
                f"{name}: stiffness has rotational entries (six numbers), but goal is a point; give a (4, 4) pose."
            )
        return [goal._replace(name="goal"), *gains, *self.per_joint(arm)]


def _goal(x: Array) -> Array:
    """Return a goal as position (3) and rotation (9)."""
    if x.shape[-2:] == (4, 4):
        x = x.reshape(*x.shape[:-2], 16)
    if x.shape[-1:] == (3,):
        turn = np.broadcast_to(np.eye(3).ravel(), (*x.shape[:-1], 9))
        return np.concatenate([x, turn], axis=-1)
    if x.shape[-1:] == (16,):
        return np.concatenate([x[..., [3, 7, 11]], x[..., [0, 1, 2, 4, 5, 6, 8, 9, 10]]], axis=-1)
    raise InputError(f"Impedance: goal has shape {x.shape}; expected (3,), (4, 4), or 16 columns of a profile.")


def _six(x: Array) -> Array:
    """Return gains as six numbers; with three, the rotational ones are zero."""
    if x.ndim == 0:
        x = np.full(3, float(x))
    if x.shape[-1] == 3:
        x = np.concatenate([x, np.zeros_like(x)], axis=-1)
    if x.shape[-1] != 6:
        raise InputError(f"Impedance: gains have {x.shape[-1]} entries; expected 1, 3 or 6.")
    return x


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

    _has_law = _damps = True
    K: Any
    q: Any
    qd: Any = None
    tau: Any = 0.0
    limit: Any = None

    def signals(self, arm: Arm) -> list[Signal]:
        K = as_signal(self.K, 2 * arm.dof**2, "StateFeedback: K", lambda x: _square(x, arm))
        return [K._replace(name="K"), *self.per_joint(arm, "q", "qd", "tau")]


def _square(x: Array, arm: Arm) -> Array:
    """Return a gain as (..., dof 2 dof), from one with rows for all or for the actuated coordinates."""
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
    """Open-loop torques: numbers, or a function of time."""

    _has_law = True
    tau: Signal

    def signals(self, arm: Arm) -> list[Signal]:
        return [self.tau]
