"""Limits that a pose at rest exceeds already: no motion that begins or ends there can keep them."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.frame_output import VERB
from lissom.motion.tracking.rest_poses import RestPoses
from lissom.motion.transcription.constraints.bending import Measure
from lissom.motion.transcription.peak import EXCESS
from lissom.spatial.rotations import Array

FIX = "Begin in another pose (start=...), or lighten the arm"


class RestLimits:
    """Limits of positions, torques and bending at rest."""

    def __init__(self, poses: RestPoses, bounds: Bounds, measures: list[Measure]) -> None:
        self._poses, self._bounds, self._measures = poses, bounds, measures

    def refuse(self, q: Array, s: float) -> None:
        """Refuse a pose (n,) at which the path begins (s = 0) or ends (s = 1)."""
        where = f"at rest where the path {'ends' if s else 'begins'}"
        values = {"position": q, "torque": self._poses.torques(q[None], np.array([s]))[0]}
        for word, value in values.items():
            k = self._worst(word, value)
            if k is not None:
                low, high = self._bounds.lower[word][k], self._bounds.upper[word][k]
                raise InputError(
                    f"{VERB}: {where}, the {word} of {self._poses.arm.coordinates[k]!r} is {value[k]:.4g} "
                    f"{self._bounds.units[word][k]}, beyond its limits {low:g} and {high:g}. {FIX}."
                )
        for one in self._measures:
            size = float(np.abs(one.rows @ q[one.columns]).max())
            if size > one.limit * (1 + EXCESS):
                raise InputError(
                    f"{VERB}: {where}, the {one.quantity} of link {one.link!r} is {size:.4g}, beyond its limit of "
                    f"{one.limit:g}. {FIX}."
                )

    def keeps_positions(self, Q: Array) -> bool:
        """Whether all joints of poses (N, n) are within their limits."""
        return all(self._worst("position", q) is None for q in Q)

    def _worst(self, word: str, value: Array) -> int | None:
        """The coordinate whose value (n,) is farthest beyond its limits; None where all are within."""
        lower, upper = self._bounds.lower[word], self._bounds.upper[word]
        far = np.maximum(lower - value, value - upper)
        both = np.isfinite(lower) & np.isfinite(upper)
        room = EXCESS * np.where(both, np.where(both, upper - lower, 0.0) / 2, 1.0)
        return int(np.argmax(far - room)) if (far > room).any() else None
