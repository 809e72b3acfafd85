"""The output that follows a path: coordinates of a frame, how far they are off, and how they change.

Positions are those of a point of the frame in the world. Rotations are rotation vectors v in world axes: the frame is
turned by exp(v) from a reference. With R where it is and R_d where it should be, the error is the rotation vector of
R R_d^T, whose rows change as the angular velocity does where it vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_frame, as_points
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import jacobian, pose

VERB = "track_motion"
AXES = ("x", "y", "z", "rx", "ry", "rz")
NEARBY = 1e-5  # rad or m
WIDTHS = {2: "xy", 3: "xyz", 6: AXES}  # axes by the number of values that a path has


def as_axes(axes: str | Sequence[str]) -> tuple[str, ...]:
    """Return the axes that are followed, in the order of `AXES`' words as given."""
    words = tuple(axes) if isinstance(axes, str | Sequence) else ()
    for word in words:
        if word not in AXES:
            raise InputError(
                f"{VERB}: axes has {shown(word)}; expected letters of 'xyz', or a list with any of {', '.join(AXES)}."
            )
    if not words or len(set(words)) < len(words):
        raise InputError(f"{VERB}: axes is {shown(axes)}; expected at least one axis, each once.")
    return words


class FrameOutput:
    """Coordinates of a frame of an arm.

    Attributes
    ----------
    rows : (m,)        numbers of its axes
    turns : (m,)       which of them are rotations
    """

    def __init__(self, arm: Arm, frame: str, point: Any, axes: Sequence[str], reference: Array) -> None:
        as_frame(arm, frame, VERB)
        self.arm, self.frame, self.axes, self.reference = arm, frame, tuple(axes), reference
        self.point = as_points(point, "point", VERB)
        self.rows = np.array([AXES.index(word) for word in axes])
        self.turns = self.rows >= 3

    def values(self, q: Array) -> Array:
        """(N, m) at positions (N, n)."""
        return self.errors(q, np.zeros((len(q), len(self.rows))))

    def errors(self, q: Array, target: Array) -> Array:
        """(N, m) by which positions (N, n) are off targets (N, m)."""
        X = pose(self.arm, q, self.frame, self.point)
        six = np.zeros((len(q), 6))
        six[:, :3] = X[:, :3, 3]
        if self.turns.any():
            R = Rotation.from_matrix(X[:, :3, :3]) * Rotation.from_matrix(self.wanted(target)).inv()
            six[:, 3:] = R.as_rotvec()
        return six[:, self.rows] - np.where(self.turns, 0.0, target)

    def wanted(self, target: Array) -> Array:
        """(N, 3, 3) rotations of the frame that targets (N, m) mean."""
        v = np.zeros((len(target), 3))
        v[:, self.rows[self.turns] - 3] = target[:, self.turns]
        return np.asarray((Rotation.from_rotvec(v) * Rotation.from_matrix(self.reference)).as_matrix())

    def slopes(self, q: Array) -> Array:
        """(N, m, n) how errors change with positions, exact where they vanish."""
        return np.ascontiguousarray(jacobian(self.arm, q, self.frame, self.point)[:, self.rows])

    def curvature(self, q: Array, weights: Array) -> Array:
        """(N, n, n) second derivatives of the sum of errors by weights (N, m), by central differences of `slopes`."""
        out = np.zeros((len(q), q.shape[1], q.shape[1]))
        for k in range(q.shape[1]):
            step = np.zeros(q.shape[1])
            step[k] = NEARBY
            change = (self.slopes(q + step) - self.slopes(q - step)) / (2 * NEARBY)
            out[:, :, k] = np.einsum("pi,pij->pj", weights, change)
        return (out + np.swapaxes(out, 1, 2)) / 2

    def sizes(self, errors: Array) -> tuple[Array, Array]:
        """(N,) distances [m] and (N,) angles [rad] of errors (N, m)."""
        return tuple(np.linalg.norm(errors[:, some], axis=1) for some in (~self.turns, self.turns))
