"""Tracking of a planned motion: its torques, and feedback of the deviation from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, differing, shown
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import (
    Controller,
    joint_signal,
    limit,
    matrix,
    optional_per_joint,
    source,
)
from lissom.simulation.controllers.feedforward.command import commanded_torques
from lissom.simulation.controllers.law import LoopState
from lissom.simulation.controllers.planned import is_planned_motion
from lissom.simulation.controllers.references import references
from lissom.simulation.controllers.state_feedback import feedback, gain_matrix
from lissom.simulation.signals import Signal, as_signal, sampled
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Follow(Controller):
    """Track a planned motion: its feedforward torques plus feedback of the deviation from it.

    ``tau = tau_plan(t) + kp e + kd de`` on the joints, or ``tau = tau_plan(t) - K [q - q_plan, qd - qd_plan]`` with the
    whole state. Runs without `q0` begin at its start. After its end the motion rests at its goal, held by the torques
    that this takes. Where actuators of the motion's arm have a lag, the feedforward is `Motion.command`.

    Parameters
    ----------
    motion : Motion              of the simulated arm, or of one with the same joints
    kp, kd : gains of the joints, at least 0; one for all joints or one per joint [N m/rad, N m s/rad]
    K : (m, 2 dof) whole-state gains, m: the actuated coordinates, or all; instead of kp and kd
        (samples, m, 2 dof): equally spaced over the motion, interpolated linearly; (runs, samples, m, 2 dof): of every
        run of an ensemble, with one sample for constant gains
    limit : None, True or numbers     largest torque; True: the arm's torque limits

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> motion = ls.predict_motion(arm, start=[0, 0], goal=[0.5, 0.3], duration=0.5, minimise="torque_squared")
    >>> heavier = arm.with_payload(ls.Payload(0.05, com=(0.4, 0, 0)))
    >>> run = ls.simulate(heavier, [0, 0], tau=ls.Follow(motion, kp=150, kd=20), until=1.0)
    >>> bool(abs(run.q[-1] - motion.q[-1]).max() < 0.01)
    True
    """

    restores = proportional = True
    motion: Any = source()
    kp: Any = optional_per_joint(0.0)
    kd: Any = optional_per_joint(0.0)
    K: Any = matrix(None)
    limit: Any = limit()

    def __post_init__(self) -> None:
        if not is_planned_motion(self.motion) or not hasattr(self.motion, "torques"):
            raise InputError(f"Follow: motion is {shown(self.motion)}; expected a planned Motion.")
        if (self.K is None) == (self.kp is None and self.kd is None):
            raise InputError("Follow: give the gains kp and kd of the joints, or whole-state gains K; not both.")

    @property
    def reads_unactuated(self) -> bool:  # type: ignore[override]
        """Whether the whole state is fed back."""
        return self.K is not None

    def signals(self, arm: Arm) -> list[Signal]:
        columns = _columns(self.motion, arm)
        plan = references("Follow", arm, q=self.motion, qd=None)
        curves = {**plan, "tau": commanded_torques(self.motion)}
        out = []
        for word, value in curves.items():
            signal = as_signal(value, arm.dof, f"Follow: {word}", lambda x: arm.expanded(x[..., columns]))
            out.append(signal._replace(name=word, finest=_finest(self.motion)))
        if self.K is not None:
            out.append(self._gains(arm))
        else:
            for word in ("kp", "kd"):
                value = getattr(self, word)
                out.append(joint_signal(arm, 0.0 if value is None else value, f"Follow: {word}", 0.0))
                out[-1] = out[-1]._replace(name=word)
        return out + [signal for signal in super().signals(arm) if signal.name == "limit"]

    def start(self, arm: Arm) -> tuple[Array, Array]:
        """Return the state at the start of the motion."""
        columns = _columns(self.motion, arm)
        q, qd, _ = self.motion.at(0.0)
        return arm.expanded(np.asarray(q)[columns]), arm.expanded(np.asarray(qd)[columns])

    def _gains(self, arm: Arm) -> Signal:
        """Return the whole-state gains as a signal, constant or piecewise linear over the motion."""
        K, size = self.K, 2 * arm.dof**2
        if callable(K) or np.ndim(K) == 2:
            return as_signal(K, size, "Follow: K", lambda x: gain_matrix(x, arm, "Follow"))._replace(name="K")
        K = np.asarray(K, float)
        K = K[None] if K.ndim == 3 else K
        if K.ndim != 4 or not K.shape[1]:
            raise InputError(f"Follow: K has shape {K.shape}; expected (m, 2 dof), with samples, or runs and samples.")
        flat = gain_matrix(K, arm, "Follow")  # (runs, samples, size)
        if flat.shape[1] == 1:
            return Signal("K", size, flat[:, 0] if len(flat) > 1 else flat[0, 0])
        return sampled("K", flat, self.motion.duration)

    def neglected(self, arm: Arm) -> str:
        """What the feedforward of actuators with lag cannot do; empty if nothing."""
        return getattr(commanded_torques(self.motion), "note", "")

    def program(self, now: LoopState) -> list[Any]:
        return feedback(now) if "K" in now.given else now.with_feedforward(now.pulls())


def _columns(motion: Any, arm: Arm) -> NDArray[np.intp]:
    """Return the columns of a motion that belong to an arm: all coordinates, or those of its joints."""
    own = getattr(motion, "arm", arm)
    if own.coordinates == arm.coordinates:
        return np.arange(arm.dof)
    names = [[joint.name for joint in one.joints] for one in (own, arm)]
    if names[0] != names[1]:
        raise InputError(
            f"Follow: the motion has other joints than arm {arm.name!r}; expected the same ones: "
            f"{differing(names[0], names[1], 'the motion', 'the arm')}."
        )
    return np.asarray(own.joint_index)


def _finest(motion: Any) -> float:
    """Return the shortest segment of a motion [s]."""
    return float(np.diff(motion.finest_breaks).min() * motion.duration)
