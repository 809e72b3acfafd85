"""A given path of an arm: its geometry, its limits, and the torques along it.

The path p(s), s from 0 to 1, is fixed. With x = (ds/dt)^2 and u = d^2s/dt^2,

    qd = p' sqrt(x),    qdd = p' u + p'' x,    tau = A u + C x + D sqrt(x) + F + G

with A = M p', C the centrifugal torques of p' and M p'', D viscous and F Coulomb friction, which has the sign of p',
and G gravity, springs and loads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from lissom.arrays import as_floats
from lissom.dynamics.refusals import refuse_laws
from lissom.errors import InputError, UnsupportedError, shown
from lissom.model.arm import Arm
from lissom.model.positions import coordinate_hint
from lissom.model.units import unit_of
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.cost import Cost
from lissom.motion.task.criteria.criterion import AbstractCriterion, Joints
from lissom.motion.task.criteria.known import CRITERIA, criterion
from lissom.motion.task.task import MOST_SEGMENTS, Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

VERB = "retime_motion"
LIMITED = ("velocity", "acceleration", "torque")
POINTS = 401  # at which a path is sampled
STRAIGHT = 1e-9  # of the largest rate of a joint along the path: below it a joint stands still
SAME = 1e-12  # of a joint's position: rounding
APART = 0.3  # of an interval: regular grid points keep this distance from knots and turning points
DIRECTIONS = {1.0: "forwards", -1.0: "backwards", 0.0: "nowhere"}


def _supported(kind: AbstractCriterion) -> bool:
    """Time and squared torques are convex in the speed along a path."""
    rest = kind.tape()
    return rest is not None and not set(rest) - {"time"}


class Coefficients(NamedTuple):
    """Along the path, (N, n) each: its derivatives, and tau = A u + C x + D sqrt(x) + F + G without F."""

    p1: Array
    p2: Array
    A: Array
    C: Array
    D: Array
    G: Array


class GivenPath:
    """A given path with the arm and the limits that hold along it.

    Attributes
    ----------
    knots : (k,)          places where a high derivative of the curve jumps
    bounds : Bounds       limits of joints and task together
    friction, damping : (n,)    Coulomb and viscous friction of the joints
    """

    def __init__(self, arm: Arm, task: Task, curve: BSpline, knots: Array) -> None:
        self.arm, self.task, self.knots = arm, task, knots
        self._start = curve.c[0]
        self._from_start = BSpline(curve.t, curve.c - self._start, curve.k)
        self.bounds = bounds_of(arm, task, VERB)
        self.names = [joint.name for joint in arm.joints]
        strongest = np.maximum(np.abs(self.bounds.lower["torque"]), np.abs(self.bounds.upper["torque"]))
        self.cost = Cost(task.minimise, Joints(tuple(self.names), arm.actuated, strongest))
        self.friction = arm.friction
        self.damping = arm.damping
        self._fastest = float(np.abs(self.derivative(np.linspace(0.0, 1.0, POINTS), 1)).max())
        self._check()

    def derivative(self, s: Array, order: int) -> Array:
        """(N, n) positions (order 0) or derivatives; exactly 0 of joints that stay where they are."""
        found = self._from_start(s, order)
        return np.asarray(found if order else self._start + found)

    # ---- torques along the path -----------------------------------------------------------------------

    def coefficients(self, s: Array) -> Coefficients:
        """Return the coefficients at places (N,), by one batch of inverse dynamics.

        It has the states at rest, with the acceleration p', and with the rate p' and the acceleration p''.
        """
        q, p1, p2 = (self.derivative(s, r) for r in range(3))
        zero = np.zeros_like(q)
        positions, rates, accelerations = (
            np.concatenate(parts) for parts in ((q, q, q), (zero, zero, p1), (zero, p1, p2))
        )
        tau = inverse_dynamics(self.arm, positions, rates, accelerations, loads=self.task.loads)
        still, accelerated, moving = tau.reshape(3, *q.shape)
        D = self.damping * p1
        C = moving - still - D - self.friction * np.sign(p1)
        return Coefficients(p1, p2, accelerated - still, C, D, still)

    def directions(self, s: Array) -> Array:
        """(N, n) 1, -1 or 0: where joints go forwards, backwards, or stand still."""
        p1 = self.derivative(s, 1)
        return np.where(np.abs(p1) > STRAIGHT * self._fastest, np.sign(p1), 0.0)

    # ---- the grid -------------------------------------------------------------------------------------

    def grid(self, segments: int) -> Array:
        """Return a grid of about so many equal intervals of [0, 1], with knots, and turns of joints with friction."""
        special = np.concatenate([[0.0, 1.0], self.knots, self._turning_points()])
        special = np.unique(special)
        special = special[np.append(True, np.diff(special) > SAME)]
        special[-1] = 1.0
        if len(special) > MOST_SEGMENTS // 2:
            special = np.array([0.0, 1.0])
        s = np.linspace(0.0, 1.0, min(segments, MOST_SEGMENTS - len(special)) + 1)
        near = np.abs(s[:, None] - special).min(axis=1)
        return np.sort(np.concatenate([s[near > APART / segments], special]))

    def _turning_points(self) -> Array:
        """Return where joints with Coulomb friction turn around, and their torques jump."""
        rough = np.flatnonzero(self.friction > 0)
        s = np.linspace(0.0, 1.0, 4 * POINTS)
        way = self.directions(s)[:, rough]
        row, column = np.nonzero(way[:-1] * way[1:] < 0)
        low, high, joint = s[row], s[row + 1], rough[column]
        pick, begin = np.arange(len(row)), way[row, column]
        for _ in range(50):  # bisection, all at once
            middle = (low + high) / 2
            before = np.sign(self.derivative(middle, 1)[pick, joint]) == begin
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return (low + high) / 2

    # ---- what is refused ------------------------------------------------------------------------------

    def _check(self) -> None:
        refuse_laws(
            self.arm, VERB, "Use predict_motion, or retime for an arm without those laws and verify the motion."
        )
        for word in ("jerk", "torque_rate", "power"):
            if self.bounds.limited(word).any():
                raise UnsupportedError(
                    f"{VERB}: {word} limits are not supported; use limits of torque, velocity and acceleration."
                )
        if not all(_supported(criterion(word)) for word in self.task.minimise):
            words = ", ".join(word for word, kind in CRITERIA.items() if _supported(kind))
            raise UnsupportedError(f"{VERB}: minimise supports {words} only.")
        self.cost.check(VERB)
        if not any(self.bounds.limited(word).any() for word in LIMITED):
            raise InputError(f"{VERB}: the speed is not limited. Give torque or velocity limits.")
        s = np.linspace(0.0, 1.0, POINTS)
        q, speed = self.derivative(s, 0), np.linalg.norm(self.derivative(s, 1), axis=1)
        if speed.min() < 1e-6 * speed.max():
            raise InputError(f"{VERB}: the path has zero derivative at {s[int(np.argmin(speed))]:.3g} of its length.")
        lower, upper = self.bounds.lower["position"], self.bounds.upper["position"]
        off = np.argwhere((q < lower - 1e-9) | (q > upper + 1e-9))
        if len(off):
            row, k = off[0]
            unit = unit_of(self.arm, "position", self.names[k])
            hint = coordinate_hint(self.arm, self.names[k], q[row, k], lower[k], upper[k])
            raise InputError(
                f"{VERB}: at {s[row]:.3g} of the path joint {self.names[k]!r} is at {q[row, k]:.6g} {unit}, outside "
                f"its position limits of {lower[k]:.6g} to {upper[k]:.6g} {unit}. "
                f"{hint or 'Move the path, or widen the limits.'}"
            )
        self._check_locked(s)

    def _check_locked(self, s: Array) -> None:
        """Refuse limits that keep a joint from following the path, from speeding up or from slowing down."""
        way = self.directions(s)
        for word in ("velocity", "acceleration"):
            lower, upper = self.bounds.lower[word], self.bounds.upper[word]
            forth, back = (way > 0, way < 0) if word == "velocity" else (way != 0, way != 0)
            off = np.argwhere(forth & (upper <= 0) | back & (lower >= 0) | (lower > 0) | (upper < 0))
            if len(off):
                row, k = off[0]
                raise InputError(
                    f"{VERB}: at {s[row]:.3g} of the path, which begins and ends at rest, joint {self.names[k]!r} "
                    f"moves {DIRECTIONS[way[row, k]]}, but its {word} limits are {lower[k]:.6g} to {upper[k]:.6g}."
                )


# ---- the curve -----------------------------------------------------------------------------------


def curve_of(path: Any, arm: Arm) -> tuple[BSpline, Array]:
    """A spline over [0, 1] through waypoints (k, n) or of a function, and the knots of the former."""
    n = len(arm.joints)
    if callable(path):
        s = np.linspace(0.0, 1.0, POINTS)
        return _spline(s, _values(path, s, arm), 5), np.zeros(0)
    points = _numbers(path)
    if points is None:
        raise InputError(f"{VERB}: path is {shown(path)}; expected waypoints (k, {n}), two or more, or f(x).")
    if points.ndim != 2 or points.shape[1] != n or len(points) < 2:
        raise InputError(f"{VERB}: path has shape {points.shape}; expected waypoints (k, {n}), two or more, or f(x).")
    for row, point in enumerate(points):
        _refuse_not_finite(point, f"waypoint {row} of the path has", arm)
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (length > 0).all():
        k = int(np.argmin(length))
        raise InputError(f"{VERB}: waypoints {k} and {k + 1} are the same; remove one.")
    s = np.append(0.0, np.cumsum(length))
    s /= s[-1]
    curve = _spline(s, points, min(3, len(points) - 1))
    return curve, np.unique(curve.t)


def _refuse_not_finite(point: Array, where: str, arm: Arm) -> None:
    """Raise an error that names the first joint whose position is not finite."""
    if not np.isfinite(point).all():
        k = int(np.argmin(np.isfinite(point)))
        raise InputError(f"{VERB}: {where} {point[k]} for joint {arm.joints[k].name!r}; expected finite positions.")


def _values(path: Any, s: Array, arm: Arm) -> Array:
    """(N, n) positions that a function gives."""
    n = len(arm.joints)
    values = np.empty((len(s), n))
    for k, at in enumerate(s):
        found = path(float(at))
        value = _numbers(found)
        if value is None or value.shape != (n,):
            raise InputError(f"{VERB}: at x = {at:g} the path gives {shown(found)}; expected {n} finite positions.")
        _refuse_not_finite(value, f"at x = {at:g} the path gives", arm)
        values[k] = value
    return values


def _spline(s: Array, values: Array, degree: int) -> BSpline:
    """Through all values; joints that stay where they are do so exactly, so that their rates have no sign."""
    curve = make_interp_spline(s, values, degree)
    still = np.ptp(values, axis=0) <= SAME * np.abs(values).max(axis=0)
    curve.c[:, still] = values[0, still]
    return curve


def _numbers(value: Any) -> Array | None:
    """Return a value as an array of numbers; None where it is none."""
    try:
        return as_floats(value)
    except (TypeError, ValueError):
        return None
