"""Simulations of a motion on its arm or on one that differs: what motors do is a function of time.

*Open loop*, the motors give the planned torques, whatever the arm does. *Tracked*, every actuated joint follows its
planned course, as under stiff control of the joints, and only the rest of the arm is free.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly
from scipy.special import factorial

from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.result.record import BESIDE, AbstractMotion
from lissom.motion.splines.basis import Basis, grid
from lissom.motion.splines.interpolated import interpolated
from lissom.motion.task.ends import sagged, spread
from lissom.motion.task.loads import load_at
from lissom.motion.task.periods import fastest_period
from lissom.simulation.held_splines import HeldSpline
from lissom.simulation.run import Run
from lissom.simulation.signals import Profile
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array

STEPS = 40  # of order 8 in the period of the fastest mode: errors of 1e-9
FEWEST = 4  # in a segment
TURN_LOOKS = 16  # in a segment, at the direction in which joints with friction move
STILL = 1e-9  # of the largest rate
BISECTIONS = 50


class Exact(Profile):
    """A function of many times at once, with both sides of its jumps, that simulations take as they take a profile."""

    function: Callable[[Array], Array]
    leaps: Array
    _end: float

    def __init__(self, breaks: Array, function: Callable[[Array], Array], leaps: Array) -> None:
        """breaks (nt,) [s]; function (nt,) -> (nt, m); leaps: times at which it jumps."""
        super().__init__(breaks, function(breaks))
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "leaps", leaps)
        object.__setattr__(self, "_end", float(self.t[-1]))

    @property
    def jumps(self) -> Array:
        """Times at which it jumps."""
        return self.leaps

    def __call__(self, t: ArrayLike, before: bool = False) -> Array:
        """(..., m) at times (...); at a jump the value after it, or the one before."""
        T = self._end
        # a hair to the left is another polynomial, continued
        hair, low, high = (1e-14 * T if before else 0.0), BESIDE * T, (1 - BESIDE) * T
        one: Any = t
        if isinstance(one, float):  # one after the other, from the steps of a simulation
            return np.ascontiguousarray(self.function(np.array([min(max(one - hair, low), high)]))[0])
        times = np.asarray(t, float)
        inside = np.clip(times.ravel() - hair, low, high)
        # columns that were picked lie one after the other; compiled steps read rows
        return np.ascontiguousarray(self.function(inside)).reshape(*times.shape, -1)


class Course:
    """Positions, rates and accelerations of a motion at many times, quickly: one polynomial per segment."""

    def __init__(self, motion: AbstractMotion) -> None:
        self.motion = motion
        self._parts = [(some, _pieces(basis, P, motion.duration)) for basis, some, P in motion.splines]
        self.breaks = motion.finest_breaks * motion.duration
        rough = min(basis.continuity for basis, _, _ in motion.splines) < 2
        self.leaps = self.breaks[1:-1] if rough else np.zeros(0)

    def __call__(self, t: Array) -> Array:
        """Return positions, rates and accelerations (3, nt, n) at times (nt,)."""
        out = np.empty((3, len(t), self.motion.arm.dof))
        for some, part in self._parts:
            out[:, :, some] = np.moveaxis(part(t).reshape(len(t), 3, -1), 1, 0)
        return out if self.motion.closed is None else np.stack(self.motion.closed(*out))

    @property
    def accelerations(self) -> PPoly:
        """Accelerations of the joints with motors, one column for each."""
        some, part = self._parts[0]
        some = np.flatnonzero(self.motion.arm.actuated[some])
        width = part.c.shape[2] // 3
        return PPoly(np.ascontiguousarray(part.c[:, :, 2 * width + some]), part.x)

    def torques(self, t: Array) -> Array:
        """Return torques (nt, n), zero for coordinates without a motor."""
        q, qd, qdd = self(t)
        tau = self.motion.required(t / self.motion.duration, q, qd, qdd, self.motion.loads_at(t))
        return np.where(self.motion.arm.actuated, tau, 0.0)


def _pieces(basis: Basis, P: Array, T: float) -> PPoly:
    orders = range(basis.degree, -1, -1)
    # a coordinate that stays where it is has a rate of exactly 0
    taylor = [basis.rows(basis.breaks[:-1], r) @ (P - P[0] if r else P) / factorial(r) / T**r for r in orders]
    q = PPoly(np.stack(taylor), basis.breaks * T)
    padded = [np.pad(x.c, ((len(q.c) - len(x.c), 0), (0, 0), (0, 0))) for x in (q, q.derivative(1), q.derivative(2))]
    return PPoly(np.concatenate(padded, axis=-1), q.x)


def torques_of(motion: AbstractMotion) -> Exact:
    """Return the torques of a motion as a function of time."""
    course = Course(motion)
    turns = _turns(course)
    smooth = np.union1d(course.breaks, turns)
    if motion.closures is not None:
        smooth = np.union1d(smooth, motion.closures.s * motion.duration)
    function = interpolated(course.torques, _apart(smooth))
    return Exact(course.breaks, function, np.union1d(course.leaps, turns))


def _turns(course: Course) -> Array:
    """Times at which joints with friction turn around, and their torques jump."""
    arm = course.motion.arm
    rough = arm.joint_index[arm.friction > 0]
    if not len(rough):
        return np.zeros(0)
    t = grid(course.motion.finest_breaks, TURN_LOOKS) * course.motion.duration
    v = course(t)[1][:, rough]
    moving = np.abs(v) > STILL * np.abs(v).max()  # the sign of rounding is none
    row, joint = np.nonzero((v[:-1] * v[1:] < 0) & (moving[:-1] | moving[1:]))
    low, high = t[row], t[row + 1]
    for _ in range(BISECTIONS if len(row) else 0):
        middle = (low + high) / 2
        before = course(middle)[1][np.arange(len(row)), np.array(rough)[joint]] * v[row, joint] > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.unique((low + high) / 2)


def _apart(t: Array) -> Array:
    """Times without those that others all but repeat."""
    kept = np.append(np.diff(t) > 1e-12 * t[-1], True)
    kept[0] = True
    return t[kept]


def loads_of(motion: AbstractMotion) -> list[Load] | Callable[[float], list[Load]]:
    """The task's loads as a simulation takes them."""
    loads = motion.task.loads
    if not any(part.ndim > 1 for load in loads for part in (load.force, load.moment, load.point)):
        return list(loads)

    return lru_cache(maxsize=4)(lambda t: load_at(loads, min(t / motion.duration, 1.0)))


def rest_of(arm: Arm, joints: Array, loads: Any) -> Array:
    """(n,) an arm with its joints at given positions, elastic parts at rest."""
    now = loads(0.0) if callable(loads) else loads
    return sagged(arm, spread(arm, joints, np.nan), now, "at the start")


def open_loop(motion: AbstractMotion, arm: Arm | None = None) -> Run:
    """Simulate a motion open loop: its torques on its arm, or on another that begins at rest where this one does."""
    loads, tau, joints = loads_of(motion), torques_of(motion), motion.arm.joint_index
    if arm is None or arm is motion.arm:
        return _simulated(motion.arm, motion.q[0], motion.qd[0], motion.duration, tau.t, loads, tau=tau)
    q0, qd0 = rest_of(arm, motion.q[0][joints], loads), arm.expanded(motion.qd[0][joints])
    acting = Exact(tau.t, lambda t: tau.function(t)[:, joints], tau.leaps)
    return _simulated(arm, q0, qd0, motion.duration, tau.t, loads, tau=acting)


def follow(plan: AbstractMotion, arm: Arm, after: float, rate: float) -> Run:
    """An arm whose joints follow a plan exactly and then stand still for `after` seconds or a little longer.

    rate : samples per second, at least; a whole number of them in every segment, since steps across the kinks between
           segments would leave the joints with a small rate
    """
    course, loads = Course(plan).accelerations, loads_of(plan)
    segments = round(plan.duration / np.diff(course.x).min())
    moving = segments * int(np.ceil(rate * plan.duration / segments))
    samples = moving + int(np.ceil(after / plan.duration * moving))
    end = samples * plan.duration / moving
    still = PPoly(np.append(course.c, 0 * course.c[:, -1:], axis=1), np.append(course.x, end))
    return lead(arm, rest_of(arm, plan.q[0][plan.arm.joint_index], loads), still, loads, samples=samples + 1)


def tracked(motion: AbstractMotion, arm: Arm | None = None) -> Run:
    """Simulate the arm of a motion, or another, with its actuated joints on their planned paths and the rest free."""
    loads, course = loads_of(motion), Course(motion).accelerations
    if arm is None:
        return lead(motion.arm, motion.q[0], course, loads, motion.qd[0])
    return lead(arm, rest_of(arm, motion.q[0][motion.arm.joint_index], loads), course, loads)


def lead(
    arm: Arm, q0: Array, course: PPoly, loads: Any, qd0: Array | None = None, samples: int | None = None
) -> Run:  # fmt: skip
    """An arm whose actuated joints follow accelerations, one column for each, in their order; from rest by default."""
    driven = [joint.name for joint in arm.joints if joint.actuated]
    acting = {name: HeldSpline(course.x, course.c[:, :, [k]]) for k, name in enumerate(driven)}
    even = np.linspace(0.0, course.x[-1], samples or len(course.x))
    start = np.zeros(arm.dof) if qd0 is None else qd0
    return _simulated(arm, q0, start, float(course.x[-1]), even, loads, prescribed=acting)


def _simulated(arm: Arm, q0: Array, qd0: Array, until: float, breaks: Array, loads: Any, **acting: Any) -> Run:
    """Simulate by steps of order 8, several in every segment and period; adaptive where steps are not compiled."""
    segments = len(breaks) - 1
    given: dict[str, Any] = {"loads": loads, "every": until / segments, "on_failure": "return"}
    # compiled steps know no functions of the user and no closed loops; friction needs instants between them
    if arm.loops or arm.friction.any() or callable(loads):
        return simulate(arm, q0, qd0, until=until, method="dop853", rtol=1e-10, atol=1e-12, **given, **acting)
    longest = min(fastest_period(arm) / STEPS, until / segments / FEWEST)
    dt = until / segments / int(np.ceil(until / segments / longest))
    return simulate(arm, q0, qd0, until=until, method="rk8", dt=dt, **given, **acting)
