"""A motion: its profiles and torques, at any time."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, shown
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.ends import only_end
from lissom.motion.comparison import Comparison
from lissom.motion.report import INTERRUPTED, Closures, MotionReport, UnactuatedSplines
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose, tip_frame

if TYPE_CHECKING:
    import xarray
    from scipy.interpolate import PPoly

    from lissom.motion.basis import Basis
    from lissom.motion.closed_states import ClosedStates
    from lissom.motion.table import MotionTable
    from lissom.motion.verify import Verification

PER_SEGMENT = 10
FEWEST = 4  # of segments that are finer
BESIDE = 1e-9  # of the duration


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion for a task, from `predict_motion` or `retime_motion`.

    Attributes
    ----------
    arm : Arm
    task : Task
    duration : float             [s]
    cost : float                 value of the minimised integral
    status : str                 "solved", or why no solution was found
    ok : bool                    whether it is solved, and no limit is exceeded by more than 0.1 %
    t : (nt,)                    times [s]
    q, qd, qdd, tau : (nt, dof)  at these times; the torque of unactuated coordinates is zero
    breaks, degree, continuity, control_points    of the splines of all coordinates, or of the actuated ones
    unactuated : UnactuatedSplines or None    splines of unactuated coordinates (modes, springs, passive joints)
    closures : Closures or None  forces in closed loops
    report : MotionReport
    compared : Comparison or None     comparison with other plans, if requested

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1])
    >>> round(motion.duration, 4), motion.tau.shape
    (0.3931, (201, 2))
    >>> q, qd, qdd = motion.at(0.2)
    >>> motion.table(rate_hz=1000).q.shape
    (395, 2)
    """

    arm: Arm
    task: Task
    duration: float
    cost: float
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
    t: Array = field(init=False)
    q: Array = field(init=False)
    qd: Array = field(init=False)
    qdd: Array = field(init=False)
    tau: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", grid(self.finest_breaks, self._per_segment) * self.duration)
        for word, value in zip(("q", "qd", "qdd"), self.profiles(self.t), strict=True):
            object.__setattr__(self, word, value)
        object.__setattr__(self, "tau", self.torques(self.t))

    @cached_property
    def basis(self) -> Basis:
        """B-spline basis of all coordinates, or of the actuated ones."""
        from lissom.motion.basis import Basis

        return Basis(self.breaks, self.degree, self.continuity, self.task.periodic)

    @cached_property
    def splines(self) -> tuple[tuple[Basis, NDArray[np.intp], Array], ...]:
        """Basis, coordinates and control points (count, coordinates) of every kind of spline in it."""
        from lissom.motion.basis import Basis

        if self.unactuated is None:
            return ((self.basis, np.arange(self.arm.dof), self.control_points),)
        driven, loose = self.arm.actuated, self.unactuated
        basis = Basis(loose.breaks, loose.degree, loose.continuity, self.task.periodic)
        return (
            (self.basis, np.flatnonzero(driven), self.control_points),
            (basis, np.flatnonzero(~driven), loose.control_points),
        )

    @cached_property
    def closed(self) -> ClosedStates | None:
        """Correction that closes the loops between the knots of the splines; None without loops."""
        if self.closures is None:
            return None
        from lissom.motion.closed_states import closed_states

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
            for r in range(orders):
                from_first = P - P[0] if r else P  # a coordinate that stays where it is has a rate of exactly 0
                out[r][:, some] = (basis.rows(s, r) @ from_first) / self.duration**r
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
        if self.arm.friction.any():
            self._fractions(flat)
            flat = np.clip(flat, BESIDE * self.duration, (1 - BESIDE) * self.duration)
        found = self.required(self._fractions(flat), *self.at(flat), self.loads_at(flat))
        return found.reshape(*times.shape, self.arm.dof)

    def required(self, s: Array, q: Array, qd: Array, qdd: Array, loads: Sequence[Any]) -> Array:
        """Return the generalized forces (N, dof) that states (N, dof) require at fractions s (N,) of the duration."""
        tau = np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, (q, qd, qdd), loads=loads))
        if self.closures is None:
            return tau
        from lissom.motion.closing import torques_of

        return torques_of(self.arm, self.closures, s, q, tau)

    def loads_at(self, t: Array) -> Sequence[Any]:
        """Return the task's loads at times (nt,), with force, moment and point (nt, 3) each."""
        from lissom.motion.pushes import loads_over

        return loads_over(self.task.loads, self._fractions(t))

    @property
    def interrupted(self) -> bool:
        """Whether the search was interrupted (Ctrl-C); the motion is its last iterate."""
        return self.status.startswith(INTERRUPTED)

    @property
    def tip_frame(self) -> str:
        """Name of the frame that `tip` follows, at the end of the arm; an error for a tree with several ends."""
        return tip_frame(self.arm, only_end(self.arm, "use pose(motion.arm, motion.q, link)"))

    @cached_property
    def tip(self) -> Array:
        """(nt, 3) path of the tip in the world [m]."""
        return pose(self.arm, self.q, self.tip_frame)[..., :3, 3]

    def deflection(self, link: str) -> Array:
        """(nt, 3) deflection of a flexible link's tip, in the link's axes [m]."""
        if not self.arm.link(link).flexible:
            raise InputError(f"deflection: link {link!r} is rigid.")
        root, tip = pose(self.arm, self.q, link), pose(self.arm, self.q, f"{link}.tip")
        inside = np.swapaxes(root[..., :3, :3], -1, -2) @ (tip - root)[..., :3, 3:]
        return np.asarray(inside[..., 0] - self.arm.link(link).tip[:3, 3])

    # ---- elsewhere ----------------------------------------------------------------------------------

    def verify(
        self,
        tolerance: float = 1e-4,
        rtol: float = 1e-10,
        per_segment: int = 100,
        *,
        modes: int = 0,
        payload: float = 0.0,
        stiffness: float = 0.0,
        feedback: Any = None,
    ) -> Verification:
        """Replay the motion in an independent simulation, and check every limit on a grid finer than the solver's.

        Each segment of the splines is replayed from its planned state under the planned torques. What replayed and
        planned states differ by at the ends of segments (the defects) shows whether the plan obeys the equations of
        motion, on arms that are unstable too. The simulation integrates forward dynamics by adaptive steps, with loads
        and Coulomb friction that sticks; nothing of the search is used. The whole motion is simulated too, under its
        torques alone or with a controller, for information.

        Parameters
        ----------
        tolerance : float       largest joint error to which the defects may add up [rad or m]
        rtol : float            of the integrator
        per_segment : int       points per segment of the splines at which limits are checked
        modes : int             also simulate an arm whose links have this many more modes of every kind
        payload : float         also simulate payloads heavier and lighter by this fraction, 0.1: ten percent
        stiffness : float       also simulate links and joint springs stiffer and softer by this fraction
        feedback : PD, StateFeedback, ComputedTorque, function tau(t, q, qd), or None
            simulate the whole motion with this controller instead of the torques alone; joints must stay within
            `tolerance`. Of controllers the gains and the torque limit count: the reference is the motion, and PD and
            StateFeedback are added to the planned torques. A function gives all of the torque

        Returns
        -------
        Verification
        """
        from lissom.motion.verify import verify

        return verify(self, tolerance, rtol, per_segment, modes, payload, stiffness, feedback)

    def table(self, rate_hz: float = 1000.0) -> MotionTable:
        """Return equally spaced samples for a controller; see `MotionTable`."""
        from lissom.motion.table import sampled

        return sampled(self, rate_hz)

    def to_csv(self, path: str | os.PathLike[str], rate_hz: float = 1000.0) -> None:
        """Write `table(rate_hz)` as CSV: a line of units, a line of names, one line per sample."""
        self.table(rate_hz).to_csv(path)

    def to_xarray(self) -> xarray.Dataset:
        """Return the whole motion as an xarray dataset with names and units."""
        from lissom.motion.files import to_dataset

        return to_dataset(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the motion as NetCDF (``.nc``): splines, task, arm and report. See `load_motion`."""
        from lissom.motion.files import save

        save(self, path)

    def describe(self) -> str:
        """Return a summary as text."""
        from lissom.motion.overview import headline

        return "\n".join(
            [headline(self), self.report.describe(), *([] if self.compared is None else ["", str(self.compared)])]
        )

    def _repr_html_(self) -> str:
        from lissom.motion.overview import to_html

        return to_html(self)

    def __repr__(self) -> str:
        return f"<Motion of {self.arm.name!r}: {self.duration:.6g} s, cost {self.cost:.6g}, {self.status}>"


def grid(breaks: Array, each: int) -> Array:
    """Breaks, and equally many points between them."""
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(each) / each
    return np.append(inner.ravel(), 1.0)
