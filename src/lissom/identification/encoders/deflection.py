"""The deflection of an elastic joint as a linear function of its compliance, and of what disturbs the measurement.

The spring carries what the motor gives less what the drive takes, or what the link needs, tau_s. With the deflection x
(link less motor)  c x + d x' = -tau_s,  so with the lag L = 1 / (1 + r s), r = d/c, it is  x = -(1/c) L tau_s;  small
changes of r add  (dr/c) s L^2 tau_s.  The encoder of the link also is late by T, has lost motion h and a scale that is
wrong by e:

    second - q = -(1/c) L tau_s + (dr/c) s L^2 tau_s - T q' - h sign(q') + e (q - q0) + offset

Deflections are the response, not a regressor: they are small and noisy, and noise in a regressor would bias the
stiffness. The noise of the motor's encoder is in tau_s as well, by the inertia of the drive, and grows with the cube of
the filter's cut-off, which is low therefore. Without the column of T, a few milliseconds look like a deflection that is
much larger than the real one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lissom.identification.logs.log import Log
from lissom.identification.signals.filters import low_pass, shifted, slope
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

SLOW = 0.005  # rate below which signs are smoothed [rad/s or m/s]
SPOILT = 2.0  # periods of the cut-off at each end that the filter spoils
PASSES = 3  # for friction that depends on the torque that it leaves
COLUMNS = ("compliance", "damping", "skew", "lost_motion", "scale")


@dataclass(frozen=True, eq=False)
class Deflections:
    """Signals of one log at one joint, filtered alike.

    t, q, qd, deflection, torque, torque_rate, sign : (nt,)
    """

    t: Array
    q: Array
    qd: Array
    deflection: Array
    torque: Array
    torque_rate: Array
    sign: Array

    def columns(self, middle: float) -> Array:
        """(nt, 5) columns of `COLUMNS`; the offset is not among them."""
        return np.column_stack([-self.torque, self.torque_rate, -self.qd, -self.sign, self.q - middle])

    def part(self, rows: slice) -> Deflections:
        """Some of the samples."""
        return Deflections(*(getattr(self, one.name)[rows] for one in fields(self)))


def deflections(log: Log, k: int, torque: Array, cutoff_hz: float, late: float, lag: float) -> Deflections:
    """Signals of joint k, its second encoder read later by `late` [s].

    torque : (nt,)      of the spring
    lag : float         damping over stiffness of the spring [s]
    """
    rate = log.rate

    def filtered(x: Array) -> Array:
        return low_pass(x, cutoff_hz, rate)

    q = log.q[:, k]
    qd = slope(q, rate) if log.qd is None else log.qd[:, k]
    second = shifted(log.second[:, k : k + 1], rate, np.array([late]))[:, 0]
    if log.tau is None:  # computed from the second encoder, with its clock
        torque = shifted(torque[:, None], rate, np.array([late]))[:, 0]
    smooth = lagged(filtered(torque), lag, rate)
    spoilt = min(int(np.ceil(SPOILT * rate / cutoff_hz)), len(q) // 8)
    signals = (log.t, filtered(q), filtered(qd), filtered(second - q), smooth, slope(lagged(smooth, lag, rate), rate),
               filtered(np.tanh(qd / SLOW)))  # fmt: skip
    return Deflections(*(x[spoilt : len(x) - spoilt] for x in signals))


def lagged(x: Array, lag: float, rate: float) -> Array:
    """A signal behind 1 / (1 + lag s), by the trapezoidal rule, that begins at rest."""
    from scipy.signal import lfilter

    if lag <= 0.0:
        return x
    gain = 1 / (1 + 2 * lag * rate)
    return np.asarray(x[0] + lfilter([gain, gain], [1.0, gain * (1 - 2 * lag * rate)], x - x[0]))


def spring_torques(arm: Arm, log: Log, cutoff_hz: float) -> Array:
    """Torques (nt, joints) between motors and links.

    From the motors' side where torques were measured, otherwise those that the links need.
    """
    rate = log.rate
    q = low_pass(log.q, cutoff_hz, rate)
    qd = slope(q, rate) if log.qd is None else low_pass(log.qd, cutoff_hz, rate)
    qdd = slope(qd, rate)
    if log.tau is None:
        return _needed_by_links(arm, log, cutoff_hz)
    out = np.array(log.tau)
    for k, joint in enumerate(arm.joints):
        free = out[:, k] - joint.reflected_inertia * qdd[:, k] - joint.damping * qd[:, k]
        free -= joint.stiffness * (q[:, k] - joint.rest)
        out[:, k] = free - _friction(joint, qd[:, k], free)
    return out


def _friction(joint: Joint, qd: Array, free: Array) -> Array:
    """Friction of a joint, smooth about standstill, where `free` is the torque that it and the spring share."""
    taken = np.zeros_like(qd)
    for _ in range(PASSES):
        taken = joint.friction_laws.torque(qd, free - taken, np.tanh(qd / SLOW))
    return taken


def _needed_by_links(arm: Arm, log: Log, cutoff_hz: float) -> Array:
    """Torques that the links need along the motion of the links."""
    there = log.q if log.second is None else np.where(np.isfinite(log.second), log.second, log.q)
    q = low_pass(there, cutoff_hz, log.rate)
    qd = slope(q, log.rate)
    return np.asarray(inverse_dynamics(_links_alone(arm), q, qd, slope(qd, log.rate)))


def _links_alone(arm: Arm) -> Arm:
    """The arm with rigid joints and without drives."""
    words = ("armature", "rotor_inertia", "damping", "friction", "stiffness")
    bare: dict[str, Any] = dict.fromkeys(words, 0.0) | {"elastic": None}
    return arm.replace(
        links=[link.replace(joint=link.joint.replace(**bare)) if link.joint.moves else link for link in arm.links]
    )
