"""Derivatives of a motion's torques by the variables it was found in: control points and duration.

With the basis functions b_rj (derivative r of function j) at a fraction s of the duration T,

    q = sum_j b_0j P_j        qd = sum_j b_1j P_j / T        qdd = sum_j b_2j P_j / T^2

    dtau/dP_j = b_0j dtau/dq + b_1j dtau/dqd / T + b_2j dtau/dqdd / T^2
    dtau/dT   = -(dtau/dqd qd + 2 dtau/dqdd qdd) / T

which are (41), and (42) with all knots moving in proportion, of Xiang, Arora and Abdel-Malek 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import UnsupportedError
from lissom.kernels.loads import Applied
from lissom.kernels.results import InverseGradient
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS_GRADIENT
from lissom.motion.result.record import BESIDE, AbstractMotion
from lissom.motion.splines.basis import Basis
from lissom.spatial.rotations import Array


class MotionSensitivity(NamedTuple):
    """Derivatives of the torques of a motion by its control points and its duration, at fixed fractions of it.

    Rows of unactuated coordinates (modes, springs, passive joints) are those of their equations of motion, whose
    residuals are zero at collocation points.

    Attributes
    ----------
    t : (nt,)                                     times [s]
    control_points : (nt, dof, count, actuated)   by ``motion.control_points`` [N m/rad, N/m]; also by those that the
                                                  ends of the task fix
    duration : (nt, dof)                          by the duration [N m/s or N/s]
    unactuated : (nt, dof, count, unactuated) or None   by ``motion.unactuated.control_points``

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1])
    >>> by = motion.sensitivity(0.5 * motion.duration)
    >>> by.control_points.shape, by.duration.shape
    ((1, 2, 23, 2), (1, 2))
    >>> bool(abs(motion.duration * by.duration + 2 * motion.torques([0.5 * motion.duration])).max() < 1e-9)
    True
    """

    t: Array
    control_points: Array
    duration: Array
    unactuated: Array | None = None


def sensitivity_of(motion: AbstractMotion, t: ArrayLike | None, method: str | None) -> MotionSensitivity:
    """See `Motion.sensitivity`."""
    if motion.arm.loops:
        raise UnsupportedError(
            f"sensitivity: arm {motion.arm.name!r} has closed loops, and torques of closed loops exist for consistent "
            "motions only: a control point cannot change alone. For the open tree, predict the motion with "
            "arm.replace(loops=())."
        )
    if motion.contact_path is not None:
        raise UnsupportedError(
            "sensitivity: not available for motions with contacts, which a control point that changes alone would move."
        )
    times = motion.t if t is None else np.atleast_1d(np.asarray(t, float)).ravel()
    inside = times
    if motion.arm.sticks.any():  # at the ends friction has the direction of the adjacent motion, as in `forces`
        inside = np.clip(times, BESIDE * motion.duration, (1 - BESIDE) * motion.duration)
    state, loads = motion.at(inside), motion.loads_at(inside)
    applied = Applied(loads, method=method)
    slopes: InverseGradient = tree_call(motion.arm, INVERSE_DYNAMICS_GRADIENT.name, state, applied)
    s, T = inside / motion.duration, motion.duration
    parts = [_by_control_points(basis, some, s, T, slopes) for basis, some, _ in motion.splines]
    by_rate, by_acceleration = ((D @ x[..., None])[..., 0] for D, x in zip(slopes[1:], state[1:], strict=True))
    return MotionSensitivity(times, parts[0], -(by_rate + 2 * by_acceleration) / T, parts[1] if parts[1:] else None)


def _by_control_points(
    basis: Basis, coordinates: NDArray[np.intp], s: Array, T: float, slopes: Sequence[Array]
) -> Array:
    """(N, dof, count, coordinates)."""
    places, values = basis.local(np.clip(s, 0.0, 1.0))
    N, dof = len(s), slopes[0].shape[1]
    out = np.zeros((N, basis.count, dof, len(coordinates)))
    local = sum(values[:, r, :, None, None] * D[:, None, :, coordinates] / T**r for r, D in enumerate(slopes))
    out[np.arange(N)[:, None], places] = local
    return np.ascontiguousarray(np.moveaxis(out, 1, 2))
