"""What is left of a motion when it has ended: vibration that nobody asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.control.equilibrium import equilibrium
from lissom.errors import InputError, SolveError
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix
from lissom.verbs.kinematics import jacobian, tip_frame
from lissom.verbs.modes import modes
from lissom.verbs.states import as_arm, as_state


def residual_vibration(
    arm: Arm, q: ArrayLike, qd: ArrayLike, loads: Sequence[Load] = (), frame: str | None = None
) -> float:
    """How far the tip of an arm rings from a state on, once its motors hold their joints where they are.

    With the joints locked, what is left (amplitudes of flexible links, springs of elastic joints, passive joints) is
    taken apart into natural modes about where it comes to rest. Each moves the tip to and fro by its amplitude; the sum
    is how far the tip can get from its rest when all of them meet, and without damping will, some time. Deflections
    count as small: of strong vibration the figure is an estimate.

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,)            the state; rates of the joints do not count, their brakes hold
    loads : sequence of Load  that act from then on
    frame : str or None       the link or tool that is looked at; None: the tip of the arm, or the centre of mass of its
                              last link where that is rigid and has no tool

    Returns
    -------
    float
        [m]; zero where nothing vibrates, infinite where nothing comes to rest

    Examples
    --------
    >>> import lissom as ls
    >>> from lissom.motion.residual import residual_vibration
    >>> arm = ls.load("two_link_flexible")
    >>> residual_vibration(arm, [0.3, 0, 0, 0.5, 0, 0], [1.0, 0, 0, 1.0, 0, 0])
    0.0
    >>> round(residual_vibration(arm, [0.3, 0.01, 0, 0.5, 0, 0], [0, 0, 0, 0, 0, 0]), 5)
    0.0053
    """
    verb = "residual_vibration"
    q, qd = as_state(as_arm(arm, verb), q, "q", verb), as_state(arm, qd, "qd", verb)
    if q.ndim != 1 or qd.ndim != 1:
        raise InputError(f"{verb}: q has shape {q.shape}; expected one state ({arm.dof},).")
    found = vibration(arm, q, qd, loads, frame)
    return np.inf if found is None else found.reach


class Vibration(NamedTuple):
    """Modes of an arm with its joints locked, and how a state excites them.

    omega, damping : (k,)    [rad/s], ratios
    tip : (3, k)             how a unit of each moves the tip [m]
    x, v : (k,)              amplitudes and rates to begin with
    """

    omega: Array
    damping: Array
    tip: Array
    x: Array
    v: Array

    @property
    def reach(self) -> float:
        """How far the tip can get from its rest [m]."""
        return float(np.linalg.norm(self.tip, axis=0) @ np.hypot(self.x, self.v / self.omega))

    def distances(self, t: Array) -> Array:
        """(nt,) of the tip from its rest, at times (nt,) from then on [m]."""
        swing = self.omega * np.sqrt(np.maximum(1 - self.damping**2, 1e-6))
        decay, phase = np.exp(-np.outer(t, self.damping * self.omega)), np.outer(t, swing)
        later = (self.v + self.damping * self.omega * self.x) / swing
        amounts = decay * (self.x * np.cos(phase) + later * np.sin(phase))
        return np.asarray(np.linalg.norm(amounts @ self.tip.T, axis=1))


def vibration(arm: Arm, q: Array, qd: Array, loads: Sequence[Load], frame: str | None = None) -> Vibration | None:
    """What a state (dof,) leaves ringing; None where nothing comes to rest."""
    try:
        rest = equilibrium(arm, q, loads).q if not arm.actuated.all() else q
    except SolveError:
        return None
    return apart(arm, rest, q - rest, qd, frame)


def apart(arm: Arm, at: Array, dq: Array, dqd: Array, frame: str | None = None) -> Vibration:
    """Differences of a state from a pose, joints locked, taken apart into the natural modes about that pose."""
    free = np.flatnonzero(~arm.actuated)
    nothing = np.zeros(0)
    if not len(free):
        return Vibration(nothing, nothing, np.zeros((3, 0)), nothing, nothing)
    found = modes(arm, at, "locked")
    M = mass_matrix(arm, at)[np.ix_(free, free)]
    U, omega = found.shapes[free], 2 * np.pi * found.frequencies_hz
    tip = jacobian(arm, at, *(_tip(arm) if frame is None else (frame,)))[:3][:, free] @ U
    return Vibration(omega, found.damping, tip, U.T @ M @ dq[free], U.T @ M @ dqd[free])


def _tip(arm: Arm) -> tuple[str, Array]:
    """The frame where an arm ends, and a point of it that moves when it turns."""
    word = tip_frame(arm)
    last = arm.link(arm.last_moving)
    return word, last.body.com if word == last.name else np.zeros(3)
