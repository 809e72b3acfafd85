"""Feedback of measured outputs: a sampled Kalman filter and a gain on its estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from lissom.control.estimator import Estimator, OperatingPoint, first_estimate
from lissom.control.linearise import linearise
from lissom.control.outputs import as_sensors
from lissom.control.readings import Readings
from lissom.control.sensors.base import AbstractSensor
from lissom.control.sensors.encoder import Encoder
from lissom.control.standing import standing
from lissom.control.state_space import StateSpace
from lissom.errors import InputError, UnsupportedError, shown
from lissom.kernels.arguments import as_arm, as_numbers
from lissom.model.arm import Arm
from lissom.simulation.controllers.base import joint_signal, source, torque_limit
from lissom.simulation.controllers.sampled import SampledController
from lissom.simulation.signals import Signal
from lissom.spatial.rotations import Array

ON_CIRCLE = 1e-9  # beyond radius 1: a pole there still counts as stable


@dataclass(frozen=True, eq=False)
class OutputFeedback(SampledController):
    """Hold a pose with feedback of measured outputs: a sampled Kalman filter, and a gain on its estimate.

    Every sampling time of the plant, with deviations x and u from its operating point,

    ``x^ += L (y - C x^)``,  ``tau = tau* - K x^``,  then ``x^ = A x^ + B u`` until the next sample,

    and torques are held in between. The first estimate is made from the first readings alone: at rest, with the
    slowest vibrations that can explain them. `Run.controller_state` has the estimates and the held torques.

    Parameters
    ----------
    plant : StateSpace           sampled, with the sensors as outputs:
        ``linearise(arm, q, output=sensors).discrete(dt)``; of the simulated arm or of a model of it with other
        numbers, or other modes
    K : (m, n)                   gain of the estimate, ``plant.lqr(Q, R)``
    L : (n, p)                   gain of the estimator, ``plant.kalman(W, V)``
    sensors : list of sensors    `Encoder` and `StrainGauge`, with their noise
    torque_noise : number or one per joint
        standard deviation of torques added to those commanded, new at every sampling time [N m or N]
    limit : None, True or numbers     largest torque; True: the arm's torque limits. The estimator knows it
    seed : int                   of the noise; each run of an ensemble has its own noise, whatever the number of runs

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> Q, R, encoders = [100, 100, 1, 1], [1, 1], ls.Encoder(noise=1e-4)
    >>> control = ls.OutputFeedback.lqg(arm, [0.5, 0.3], encoders, Q, R, every=2e-3, torque_noise=0.1)
    >>> run = ls.simulate(arm, [0.6, 0.1], tau=control, until=3.0)
    >>> bool(abs(run.q[-1] - [0.5, 0.3]).max() < 0.02), run.controller_state.shape[1]
    (True, 6)
    """

    restores = True
    plant: StateSpace = source()
    K: Any = source()
    L: Any = source()
    sensors: Sequence[AbstractSensor] = source()
    torque_noise: Any = source(0.0)
    limit: Any = source(None)
    seed: int = source(0)

    def __post_init__(self) -> None:
        if not isinstance(self.plant, StateSpace) or self.plant.dt is None:
            got = "is not sampled" if isinstance(self.plant, StateSpace) else f"is {shown(self.plant)}"
            raise InputError(f"OutputFeedback: plant {got}; expected linearise(...).discrete(dt).")
        (n, m), p = self.plant.B.shape, len(self.plant.C)
        for word, shape in (("K", (m, n)), ("L", (n, p))):
            value = as_numbers(getattr(self, word), word, "OutputFeedback")
            if value.shape != shape:
                raise InputError(f"OutputFeedback: {word} has shape {value.shape}; expected {shape} for this plant.")
            object.__setattr__(self, word, value)
        object.__setattr__(self, "sensors", tuple(as_sensors(self.sensors, None, "OutputFeedback")))
        for sensor in self.sensors:
            if not sensor.readable:
                raise UnsupportedError(
                    f"OutputFeedback: readings of {type(sensor).__name__} are not simulated; expected Encoder(...) and "
                    "StrainGauge(...)."
                )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise InputError(f"OutputFeedback: seed is {shown(self.seed)}; expected a whole number of at least 0.")

    @classmethod
    def lqg(
        cls,
        arm: Arm,
        q: ArrayLike,
        sensors: Sequence[AbstractSensor] | AbstractSensor,
        Q: ArrayLike,
        R: ArrayLike,
        *,
        every: float,
        torque_noise: Any,
        limit: Any = None,
        seed: int = 0,
    ) -> Self:
        """Design both gains for an arm at a pose, from weights and from the noise of motors and sensors.

        Parameters
        ----------
        arm, q : Arm, (dof,)     model, and the pose to hold, an equilibrium; of one entry per joint it
            is the one that links and springs settle to
        sensors : list of sensors, each with its noise
        Q, R : weights of states ``[q, qd]`` and torques, as of `StateSpace.lqr`
        every : float            sampling time [s]
        torque_noise, limit, seed : as of the class; the noise of the torques is what the estimator assumes, and must
            be above 0
        """
        rows = as_sensors(sensors, None, "OutputFeedback.lqg")
        pose = standing(as_arm(arm, "OutputFeedback.lqg"), q, "OutputFeedback.lqg")
        plant = linearise(arm, pose, output=rows).discrete(every)
        deviation = _noise_of_torques(arm, torque_noise)
        V = np.concatenate([sensor.variances(arm) for sensor in rows])
        for word, values, names in (("torque_noise", deviation, plant.inputs), ("noise", V, plant.outputs)):
            if not (values > 0).all():
                missing = ", ".join(name for name, value in zip(names, values, strict=True) if not value > 0)
                raise InputError(f"OutputFeedback.lqg: {word} of {missing} is 0; an estimator needs more than 0.")
        W = (plant.B * deviation**2) @ plant.B.T
        return cls(plant, plant.lqr(Q, R), plant.kalman(W, V), rows, torque_noise, limit, seed)

    # ---- the contract of sampled controllers -------------------------------------------------------

    @property
    def reads_unactuated(self) -> bool:  # type: ignore[override]
        """Whether a sensor other than an encoder is fed back."""
        return not all(isinstance(sensor, Encoder) for sensor in self.sensors)

    @property
    def every(self) -> float:
        """Sampling time [s]."""
        assert self.plant.dt is not None
        return self.plant.dt

    def states(self, arm: Arm) -> tuple[str, ...]:
        """Names of the estimates, then of the held torques."""
        held = (f"torque[{name}]" for name, driven in zip(arm.coordinates, arm.actuated, strict=True) if driven)
        return (*(f"estimate[{name}]" for name in self.plant.states), *held)

    def sampler(self, arm: Arm, arms: Sequence[Arm] | None) -> Estimator:
        """The estimator with readings of an arm, or of the arm of every run."""
        self._refuse_other(arm)
        here = OperatingPoint.of(self.plant, arm, self.sensors)
        limits = torque_limit(arm, self.limit, "OutputFeedback")
        limit = _steady(limits[0], "limit")[arm.actuated] if limits else np.full(self.plant.B.shape[1], np.inf)
        noise = _noise_of_torques(arm, self.torque_noise)
        readings = Readings(self.sensors, arm, arms, self.seed, noise)
        return Estimator(self.plant, self.K, self.L, here, first_estimate(self.plant), readings, limit)

    @property
    def instability(self) -> str:
        """A remark where the law does not stabilise its own plant; empty if it does."""
        plant = self.plant
        parts = {
            "the gain K": plant.A - plant.B @ self.K,
            "the estimator gain L": plant.A - plant.A @ self.L @ plant.C,
        }
        for what, A in parts.items():
            radius = float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))
            if radius > 1 + ON_CIRCLE:
                growth = np.log(radius) / self.every
                return (
                    f"The closed loop is unstable: OutputFeedback with {what} does not stabilise its own plant (pole "
                    f"+{growth:.3g} 1/s)."
                )
        return ""

    def settings(self) -> dict[str, Any]:
        """Gains, sampling time, sensors and noise as plain numbers and text."""
        own = super().settings()
        named = {"plant": f"of {len(self.plant.states)} states", "every": self.every}
        return {**own, **named, "sensors": [repr(sensor) for sensor in self.sensors], "q": self.plant.q.tolist()}

    def _refuse_other(self, arm: Arm) -> None:
        """Raise an error where the plant has other inputs or outputs than the arm has motors and sensors."""
        motors = tuple(f"{name}.tau" for name, drive in zip(arm.coordinates, arm.actuated, strict=True) if drive)
        names = tuple(name for sensor in self.sensors for name in sensor.names(arm))
        for what, own, found in (("motors", self.plant.inputs, motors), ("sensors", self.plant.outputs, names)):
            if own != found:
                raise InputError(
                    f"OutputFeedback: the plant does not fit the {what} of arm {arm.name!r}: it has "
                    f"{', '.join(own)}; they are {', '.join(found)}."
                )


def _noise_of_torques(arm: Arm, value: Any) -> Array:
    """(m,) standard deviations of the torques of actuated coordinates."""
    found = _steady(joint_signal(arm, value, "OutputFeedback: torque_noise"), "torque_noise")[arm.actuated]
    if (found < 0).any():
        raise InputError(f"OutputFeedback: torque_noise is {shown(value)}; expected standard deviations of at least 0.")
    return found


def _steady(signal: Signal, word: str) -> Array:
    """(dof,) numbers of a signal that is the same for all runs and times."""
    if signal.varies or signal.value.ndim != 1:
        raise InputError(f"OutputFeedback: {word} varies; expected numbers for all runs and times.")
    return np.asarray(signal.value)
