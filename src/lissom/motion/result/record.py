"""The data of a motion: its profiles and torques, at any time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, shown
from lissom.kernels.loads import Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS
from lissom.later import cached_property, replaced
from lissom.model.arm import Arm
from lissom.model.ends import only_end, tip_frame
from lissom.motion.result.comparison import Comparison
from lissom.motion.result.contact_path import (
    ContactPath,
    MotionContacts,
    balanced,
    contact_loads,
    contacts_named,
)
from lissom.motion.result.information import Information
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import MotionReport, UnactuatedSplines
from lissom.motion.task.frame_output import FrameOutput
from lissom.motion.task.task import Task
from lissom.motion.task.tracked_path import TrackedPath
from lissom.motion.transcription.loops.closures import Closures
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

    from lissom.motion.result.closed_states import ClosedStates
    from lissom.motion.splines.basis import Basis
    from lissom.simulation.run import Run

PER_SEGMENT = 10
FEWEST = 4  # of segments that are finer
BESIDE = 1e-9  # of the duration


@dataclass(frozen=True, eq=False)
class AbstractMotion:
    """The data of a motion, and what follows from them, computed when it is first asked for. See `Motion`."""

    arm: Arm
    task: Task
    duration: float
    cost: float
    outcome: MotionOutcome
    status: str
    ok: bool
    breaks: Array
    degree: int
    control_points: Array
    report: MotionReport
    continuity: int | None = None
    unactuated: UnactuatedSplines | None = None
    closures: Closures | None = None
    compared: Comparison | None = None
    tracked: TrackedPath | None = None
    information: Information | None = None
    contact_path: ContactPath | None = None

    def with_verdict(self, **changes: Any) -> Self:
        """Return the same motion with another outcome, status, report, cost or comparison; nothing is computed anew."""
        found: Self = replaced(self, changes)
        return found

    # ---- at equally spaced times ----------------------------------------------------------------------

    @cached_property
    def t(self) -> Array:
        """(nt,) times [s]."""
        from lissom.motion.splines.basis import grid

        return grid(self.finest_breaks, self._per_segment) * self.duration

    @cached_property
    def _states(self) -> list[Array]:
        return self.profiles(self.t)

    @property
    def q(self) -> Array:
        """(nt, dof) positions [rad or m]."""
        return self._states[0]

    @property
    def qd(self) -> Array:
        """(nt, dof) rates [rad/s or m/s]."""
        return self._states[1]

    @property
    def qdd(self) -> Array:
        """(nt, dof) accelerations [rad/s^2 or m/s^2]."""
        return self._states[2]

    @cached_property
    def tau(self) -> Array:
        """(nt, dof) torques [N m or N]."""
        return self.torques(self.t)

    # ---- splines --------------------------------------------------------------------------------------

    @cached_property
    def basis(self) -> Basis:
        """B-spline basis of all coordinates, or of the actuated ones."""
        from lissom.motion.splines.basis import Basis

        return Basis(self.breaks, self.degree, self.continuity, self.task.periodic and self.contact_path is None)

    @cached_property
    def splines(self) -> tuple[tuple[Basis, NDArray[np.intp], Array], ...]:
        """Basis, coordinates and control points (count, coordinates) of every kind of spline in it."""
        from lissom.motion.splines.basis import Basis

        if self.unactuated is None:
            return ((self.basis, np.arange(self.arm.dof), self.control_points),)
        driven, splines = self.arm.actuated, self.unactuated
        basis = Basis(splines.breaks, splines.degree, splines.continuity, self.task.periodic)
        return (
            (self.basis, np.flatnonzero(driven), self.control_points),
            (basis, np.flatnonzero(~driven), splines.control_points),
        )

    @cached_property
    def closed(self) -> ClosedStates | None:
        """Correction that closes the loops between the knots of the splines; None without loops."""
        if self.closures is None:
            return None
        from lissom.motion.result.closed_states import closed_states
        from lissom.motion.splines.basis import grid

        s = grid(self.breaks, PER_SEGMENT)
        states = [self.basis.rows(s, r) @ self.control_points / self.duration**r for r in range(3)]
        loads = self.loads_at(s * self.duration)
        return closed_states(self.arm, states, lambda q, qd, qdd: self.required(s, q, qd, qdd, loads))

    @cached_property
    def polynomials(self) -> PPoly | None:
        """Positions (dof,) over time as SciPy piecewise polynomials, exact; None for arms with closed loops.

        Between knots, states of closed loops differ slightly from the splines.
        """
        if self.closures is not None:
            return None
        from scipy.interpolate import PPoly

        degree, starts = max(basis.degree for basis, _, _ in self.splines), self.finest_breaks[:-1]
        c = np.zeros((degree + 1, len(starts), self.arm.dof))
        for basis, some, P in self.splines:
            for r in range(degree + 1):
                from_first = P - P[0] if r else P  # a coordinate that stays where it is has a rate of exactly 0
                rows = basis.rows(starts, r) @ from_first
                c[degree - r][:, some] = rows / (math.factorial(r) * self.duration**r)
        return PPoly(c, self.finest_breaks * self.duration)

    @property
    def finest_breaks(self) -> Array:
        """Ends of the segments on which all profiles are polynomials, as fractions of the duration."""
        return self.breaks if self.unactuated is None else self.unactuated.breaks

    @property
    def _per_segment(self) -> int:
        """Times in one of these segments."""
        return max(PER_SEGMENT * (len(self.breaks) - 1) // (len(self.finest_breaks) - 1), FEWEST)

    def _fractions(self, t: ArrayLike) -> Array:
        times = np.asarray(t, float)
        if not ((times >= -1e-9 * self.duration) & (times <= (1 + 1e-9) * self.duration)).all():
            raise InputError(f"t is {shown(t)}; the motion lasts from 0 to {self.duration:.6g} s.")
        return np.clip(times / self.duration, 0.0, 1.0)

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (..., dof) at any times (...)."""
        times = np.asarray(t, float)
        return tuple(x.reshape(*times.shape, self.arm.dof) for x in self.profiles(times.ravel()))  # type: ignore[return-value]

    def profiles(self, t: Array, orders: int = 3) -> list[Array]:
        """Return positions and derivatives up to order `orders` - 1, (nt, dof) each, at times (nt,)."""
        s, out = self._fractions(t), np.zeros((orders, len(np.atleast_1d(t)), self.arm.dof))
        for basis, some, P in self.splines:
            for r, found in enumerate(basis.profiles(s, P, orders)):
                out[r][:, some] = found / self.duration**r
        if self.closed is not None:
            states = [*out[:3], *[np.zeros_like(out[0])] * (3 - orders)]
            out[:3] = self.closed(*states)[:orders]
        return list(out)

    def torques(self, t: ArrayLike) -> Array:
        """Return tau (..., dof) at any times (...) by inverse dynamics; zero for unactuated coordinates.

        At both ends, where the arm is at rest, friction has the direction of the adjacent motion.
        """
        return np.where(self.arm.actuated, self.forces(t), 0.0)

    def forces(self, t: ArrayLike) -> Array:
        """Return the generalized forces (..., dof) that the motion requires at any times (...).

        For unactuated coordinates these are the residuals of their equations of motion, zero at collocation points.
        """
        times = np.asarray(t, float)
        flat = times.ravel()
        if self.arm.sticks.any():
            self._fractions(flat)
            flat = np.clip(flat, BESIDE * self.duration, (1 - BESIDE) * self.duration)
        found = self.required(self._fractions(flat), *self.at(flat), self.loads_at(flat))
        return found.reshape(*times.shape, self.arm.dof)

    def required(self, s: Array, q: Array, qd: Array, qdd: Array, loads: Sequence[Any]) -> Array:
        """Return the generalized forces (N, dof) that states (N, dof) require at fractions s (N,) of the duration."""
        if self.contact_path is not None:
            loads = self._with_contacts(s, q, qd, qdd, loads)
        tau = np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, (q, qd, qdd), Applied(loads)))
        if self.closures is None:
            return tau
        from lissom.motion.transcription.loops.closing import torques_of

        return torques_of(self.arm, self.closures, s, q, tau)

    def _with_contacts(self, s: Array, q: Array, qd: Array, qdd: Array, loads: Sequence[Any]) -> Sequence[Any]:
        """Return loads with the contact forces among them."""
        assert self.contact_path is not None
        forces = balanced(self.arm, self.contact_path, s, (q, qd, qdd), loads)
        return [*loads, *contact_loads(contacts_named(self.arm, self.contact_path.contacts), forces)]

    @cached_property
    def contacts(self) -> MotionContacts | None:
        """Contact forces and places along a motion with phases; None for other motions."""
        if self.contact_path is None:
            return None
        return MotionContacts(self.arm, self.contact_path, self.t, self.duration, self.profiles, self.loads_at)

    def loads_at(self, t: Array) -> Sequence[Any]:
        """Return the task's loads at times (nt,), with force, moment and point (nt, 3) each."""
        from lissom.motion.task.loads import loads_over

        return loads_over(self.task.loads, self._fractions(t))

    @property
    def interrupted(self) -> bool:
        """Whether the search was interrupted (Ctrl-C); the motion is its last iterate."""
        return self.outcome is MotionOutcome.INTERRUPTED

    @property
    def tip_frame(self) -> str:
        """Name of the frame that `tip` follows, at the end of the arm; an error for a tree with several ends."""
        return tip_frame(self.arm, only_end(self.arm, "use pose(motion.arm, motion.q, link)"))

    @cached_property
    def tip(self) -> Array:
        """(nt, 3) path of the tip in the world [m]."""
        return pose(self.arm, self.q, self.tip_frame)[..., :3, 3]

    @property
    def shift(self) -> float:
        """Time in the motion at which the path of `track_motion` begins [s]; 0 for other motions."""
        return 0.0 if self.tracked is None else self.tracked.shift

    def path_error(self, run: Run | None = None) -> Array:
        """Return by how much the frame is off the path that it follows (nt, axes) [m, rad].

        Parameters
        ----------
        run : Run or None          a simulation, of this arm or of one that differs, at the times of the run; default:
                                   the plan, at the times `t`. Of an ensemble: (runs, nt, axes)
        """
        path = self.tracked
        if path is None:
            raise InputError("path_error: this motion follows no path of a frame; see track_motion.")
        if run is not None and run.count is not None:
            return np.stack([self.path_error(run.member(k)) for k in range(run.count)])
        arm, t, q = (self.arm, self.t, self.q) if run is None else (run.arm, run.t, run.q)
        output = FrameOutput(arm, path.frame, path.point, path.axes, path.reference)
        return output.errors(q, path.at(t))

    def deflection(self, link: str) -> Array:
        """(nt, 3) deflection of the end of a flexible link, relative to that link undeflected, in its axes [m]."""
        if not self.arm.link(link).flexible:
            raise InputError(f"deflection: link {link!r} is rigid.")
        root, tip = pose(self.arm, self.q, link), pose(self.arm, self.q, f"{link}.tip")
        inside = np.swapaxes(root[..., :3, :3], -1, -2) @ (tip - root)[..., :3, 3:]
        return np.asarray(inside[..., 0] - self.arm.link(link).tip[:3, 3])
