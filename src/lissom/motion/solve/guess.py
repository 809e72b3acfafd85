"""Where the user lets a search begin: an earlier motion, or waypoints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, differing, shown
from lissom.model.arm import Arm
from lissom.motion.result.contact_path import ContactPath
from lissom.motion.result.motion import Motion
from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.problem import Problem
from lissom.spatial.rotations import Array

VERB = "predict_motion"
LOOKS = 401  # times at which an earlier motion is looked at


class Guess(NamedTuple):
    """Positions (k, dof) at k times, evenly spaced from start to goal, and the duration [s]; None: not known.

    contacts : ContactPath or None    phases and contact forces of an earlier motion with phases
    """

    q: Array
    duration: float | None
    contacts: ContactPath | None = None

    def variables(self, problem: Problem, curves: Curves) -> Array:
        """Variables of a program whose profiles are near it."""
        s = np.linspace(0.0, 1.0, len(self.q))
        T = problem.guess.duration_along((s, self.q)) if self.duration is None else self.duration
        low, high = problem.task.duration if isinstance(problem.task.duration, tuple) else (0.0, np.inf)
        points = [fitted_points(space.basis, s, self.q[:, list(space.coordinates)]) for space in curves.spaces]
        return curves.fitted(points, float(np.clip(T, low, high)))


def fitted_points(basis: Any, s: Array, q: Array) -> Array:
    """(count, coordinates) control points of the profiles nearest to positions (N, coordinates) at fractions s (N,)."""
    if len(s) < 2 * basis.count:  # few waypoints: straight lines between them
        at = np.linspace(0.0, 1.0, 4 * basis.count)
        s, q = at, np.stack([np.interp(at, s, column) for column in q.T], axis=1)
    return np.linalg.lstsq(basis.rows(s).toarray(), q, rcond=None)[0]


def as_guess(arm: Arm, value: Any) -> Guess | None:
    """A motion of the same joints, or waypoints (k, joints) or (k, dof); an error says what is wrong with it."""
    if value is None:
        return None
    if isinstance(value, Motion):
        return _of_motion(arm, value)
    n = len(arm.joints)
    expected = f"a Motion, or waypoints (k, {n}), two or more rows of one finite position per joint"
    try:
        q = as_floats(value)
    except TypeError:
        raise InputError(f"{VERB}: guess is {shown(value)}; expected {expected}.") from None
    if q.ndim != 2 or len(q) < 2 or q.shape[1] not in (n, arm.dof):
        raise InputError(f"{VERB}: guess has shape {q.shape}; expected {expected}.")
    if not np.isfinite(q).all():
        row, k = np.argwhere(~np.isfinite(q))[0]
        raise InputError(f"{VERB}: guess has {q[row, k]} in row {row}, column {k}; expected {expected}.")
    if q.shape[1] == arm.dof:
        return Guess(q, None)
    whole = np.zeros((len(q), arm.dof))
    whole[:, arm.joint_index] = q
    return Guess(whole, None)


def _of_motion(arm: Arm, motion: Motion) -> Guess:
    ours, theirs = [joint.name for joint in arm.joints], [joint.name for joint in motion.arm.joints]
    missing = [name for name in ours if name not in theirs]
    if missing:
        raise InputError(
            f"{VERB}: guess is a motion of arm {motion.arm.name!r}, which has no joint {missing[0]!r}; expected a "
            f"motion of an arm with the joints of {arm.name!r}: {differing(theirs, ours, 'the guess', 'the arm')}."
        )
    known, q = list(motion.arm.coordinates), motion.at(np.linspace(0.0, motion.duration, LOOKS))[0]
    out = np.zeros((LOOKS, arm.dof))
    for k, name in enumerate(arm.coordinates):
        if name in known:
            out[:, k] = q[:, known.index(name)]
    return Guess(out, motion.duration, motion.contact_path)
