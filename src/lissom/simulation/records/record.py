"""The data of a run: what was simulated, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.blocks import boxes, rows_in_room
from lissom.errors import InputError, shown
from lissom.formats.table_header import LoadRow
from lissom.kernels.arguments import as_numbers
from lissom.kernels.tree_call import call_at_point
from lissom.kernels.verb import Verb
from lissom.kernels.verbs import POSE, VELOCITY
from lissom.later import cached_property, replaced
from lissom.model.arm import Arm
from lissom.model.ends import last_flexible, only_end, tip_frame
from lissom.simulation.events import EventHit
from lissom.simulation.outcome import SEVERITY, RunOutcome
from lissom.simulation.records.balance import relative
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range
from lissom.verbs.deformation import Deformation, Rule, amplitudes
from lissom.verbs.kinematics import ORIGIN


class Quantity(NamedTuple):
    """An array over time: its name in words, its unit, and what its last axis counts; None: one number at a time."""

    name: str
    unit: str
    axis: str | None = None


QUANTITIES = {
    "q": Quantity("position", "rad or m", "coordinate"), "qd": Quantity("rate", "rad/s or m/s", "coordinate"),
    "qdd": Quantity("acceleration", "rad/s^2 or m/s^2", "coordinate"),
    "tau": Quantity("torque or force", "N m or N", "coordinate"), "kinetic": Quantity("kinetic energy", "J"),
    "potential": Quantity("potential energy", "J"), "power": Quantity("power", "W", "flow"),
    "work": Quantity("work", "J", "flow"),
    "controller_state": Quantity("states of the controller", "as the controller defines", "state"),
}  # fmt: skip
OVER_TIME = tuple(word for word in QUANTITIES if word != "controller_state")  # what every run has
TERMS = 16  # numbers per sample that the balance of energy takes for a while


class Provenance(TypedDict, total=False):
    """Origin of a run; further keys are versions of packages, and whatever a user adds."""

    arm: str
    arms: int
    controller: str
    settings: dict[str, Any]
    controller_states: list[str]
    options: dict[str, Any]
    time: str
    loads: list[LoadRow]
    command: str
    run_file: str


NO_STOPS = "simulated joints have no mechanical stops"  # in the note about limits that are passed


@dataclass(frozen=True)
class RunReport:
    """How a run was computed.

    method, why : str           the integrator, and the reason for it
    dt : float or None          length of fixed steps [s]
    steps, evaluations : int    of the integrator, all runs
    wall, cpu : float           seconds
    notes : tuple of str        remarks, for example what a controller neglects
    balance_tolerance : float   allowed relative error of the energy balance
    provenance : dict           versions, the arm's fingerprint, controller and settings (gains), options, loads,
                                time
    """

    method: str
    why: str
    dt: float | None = None
    steps: int = 0
    evaluations: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    notes: tuple[str, ...] = ()
    balance_tolerance: float = float("inf")
    provenance: Annotated[dict[str, Any], Provenance] = field(default_factory=dict)

    @property
    def passes_limits(self) -> bool:
        """Whether a joint passes a position limit during the run; a note says which one and when."""
        return any(NO_STOPS in note for note in self.notes)

    def __str__(self) -> str:
        effort = f"{self.steps} steps, {self.evaluations} evaluations, {self.wall:.3g} s ({self.cpu:.3g} s of CPU)"
        return "\n".join([f"{self.method}: {self.why}", effort, *self.notes])


@dataclass(frozen=True, eq=False)
class AbstractRun:
    """The data of a run, or of many side by side, and what follows from them. See `Run`."""

    arm: Arm
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic: Array
    potential: Array
    power: Array
    work: Array
    status: str
    ok: bool
    events: tuple[EventHit, ...]
    failures: dict[int, str]
    report: RunReport
    interrupted: bool = False
    arms: Sequence[Arm] | None = None
    controller_state: Array | None = None
    outcomes: tuple[RunOutcome, ...] = ()

    def with_verdict(self, **changes: Any) -> Self:
        """Return the same run with another status, outcome or report; nothing is computed anew."""
        found: Self = replaced(self, changes)
        return found

    # ---- outcome ---------------------------------------------------------------------------------

    @property
    def outcome(self) -> RunOutcome:
        """How the run ended, to compare; for an ensemble the most severe outcome of its runs."""
        if self.interrupted:
            return RunOutcome.INTERRUPTED
        return max(self.outcomes, key=SEVERITY.__getitem__, default=RunOutcome.DONE)

    # ---- size ------------------------------------------------------------------------------------

    @property
    def count(self) -> int | None:
        """Number of runs of an ensemble, None for a single run."""
        return len(self.q) if self.q.ndim == 3 else None

    def __len__(self) -> int:
        return len(self.t)

    @property
    def over_time(self) -> tuple[str, ...]:
        """Names of the arrays over time."""
        return OVER_TIME if self.controller_state is None else (*OVER_TIME, "controller_state")

    def states_of(self, run: int) -> tuple[Arm, Array, Array]:
        """Return the arm, times and positions of one run up to its end."""
        q = self.q if self.count is None else self.q[run]
        last = int(np.isfinite(q).all(axis=1).sum())
        return self.arm if self.arms is None else self.arms[run], self.t[:last], q[:last]

    # ---- energy ----------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Array:
        """(nt,) total energy, kinetic and potential [J]."""
        return self.kinetic + self.potential

    @cached_property
    def balance(self) -> Array:
        """(nt,) error of the energy balance [J]: E - E(0) - (in - lost + outer)."""
        return _balance(self.kinetic, self.potential, self.work)

    @cached_property
    def balance_error(self) -> Any:
        """Largest absolute balance relative to the energy exchanged, beyond rounding; one per run of an ensemble."""
        if self.count is None:
            return self._unbalanced(...)
        some = boxes((self.count,), rows_in_room(8 * TERMS * len(self.t)))
        return np.concatenate([self._unbalanced(box.index) for box in some])

    @np.errstate(invalid="ignore")  # a run from a file may have infinite energies
    def _unbalanced(self, runs: Any) -> Any:
        kinetic, potential, work = self.kinetic[runs], self.potential[runs], self.work[runs]
        moved = [kinetic, potential - potential[..., :1]]
        moved += [work[..., k] - work[..., :1, k] for k in range(3)]
        arms = self.arm if self.arms is None else self.arms[runs[0]] if runs else self.arms
        return relative(_balance(kinetic, potential, work), moved, arms, potential)

    @cached_property
    def joint_power(self) -> Array:
        """(nt, dof) power of every joint's torque [W]."""
        return self.tau * self.qd

    # ---- closed loops ----------------------------------------------------------------------------

    @cached_property
    def closure_error(self) -> Array:
        """(nt,) largest residual of all loop closures [m or rad]; zero for an arm without loops."""
        return self._of_closures(lambda gaps, _qd: gaps.phi)

    @cached_property
    def closure_rate(self) -> Array:
        """(nt,) largest rate at which a loop closure opens [m/s or rad/s]; zero for an arm without loops."""
        return self._of_closures(lambda gaps, qd: (gaps.G @ qd[..., None])[..., 0])

    def _of_closures(self, rows: Any) -> Array:
        if not self.arm.loops:
            return np.where(np.isfinite(self.kinetic), 0.0, np.nan)
        from lissom.kernels.cache import closure_of

        def worst(q: Array, qd: Array) -> Array:
            return np.abs(rows(closure_of(self.arm)(q), qd)).max(axis=-1, keepdims=True)

        return self._where_known(worst, self.q, self.qd)[..., 0]

    # ---- where things are ------------------------------------------------------------------------

    @cached_property
    def tip_frame(self) -> str:
        """Name of the frame that `tip` follows, at the end of the arm; an error for a tree with several ends."""
        return tip_frame(self.arm, only_end(self.arm, "use run.path(link) and run.velocity(link)"))

    @cached_property
    def tip(self) -> Array:
        """(nt, 3) path of the tip in the world [m]."""
        return self.path(self.tip_frame)

    @cached_property
    def tip_velocity(self) -> Array:
        """(nt, 3) velocity of the tip in the world [m/s]."""
        return self.velocity(self.tip_frame)[..., :3]

    @cached_property
    def tip_deflection(self) -> Array:
        """(nt, 3) deflection of the end of the last flexible link, relative to that link undeflected, in its axes [m].

        The bending of links before it is not in it: see `deflection(link)` for these, and compare `tip` with `pose` of
        the arm without deflection for the displacement of the arm's tip by all links together.
        """
        link = last_flexible(self.arm)
        if link is None:
            raise InputError(f"tip_deflection: arm {self.arm.name!r} has no flexible links.")
        return self.deflection(link)

    def deflection(self, link: str) -> Array:
        """(nt, 3) deflection of the end of a flexible link, relative to that link undeflected, in its axes [m]."""
        if not self.arm.link(link).flexible:
            raise InputError(f"deflection: link {link!r} is rigid.")

        root, tip = (self._at_point(POSE, frame, ORIGIN, self.q) for frame in (link, f"{link}.tip"))
        inside = np.swapaxes(root[..., :3, :3], -1, -2) @ (tip - root)[..., :3, 3:]
        if self.arms is None:
            return inside[..., 0] - self.arm.link(link).tip[:3, 3]
        return inside[..., 0] - np.array([arm.link(link).tip[:3, 3] for arm in self.arms])[:, None]

    def deformation(self, link: str, s: ArrayLike | None = None) -> Deformation:
        """Displacement, slope, curvature, internal moments, strain and stress along a flexible link.

        Arrays (nt, ns, ...), or (runs, nt, ns, ...); see `lissom.deformation`. NaN after a run's end.
        """
        if self.arms is not None:
            from lissom.simulation.records.own_arms import deformed

            return deformed(self.arms, self.q, link, s)
        return Rule(self.arm, link, s, "deformation")(self.q[..., amplitudes(self.arm, link)])

    def path(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(nt, 3) path of a point of a link or tool in the world [m]."""
        return self._at_point(POSE, link, point, self.q)[..., :3, 3]

    def velocity(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(nt, 6) velocity of a point of a link or tool, and angular velocity, world axes, base at rest."""
        return self._at_point(VELOCITY, link, point, self.q, self.qd)

    def _at_point(self, verb: Verb, link: str, point: ArrayLike, *states: Array) -> Array:
        """Return a kinematic result for a point, with each run's own arm."""
        if self.arms is None:
            one = lambda *x: call_at_point(self.arm, verb.name, link, point, x, None, None)  # noqa: E731
            return self._where_known(one, *states)
        from lissom.simulation.records.own_arms import at_point

        arms, which = self.arms, np.nonzero(np.isfinite(states[0]).all(axis=-1))[0]
        return self._where_known(lambda *x: at_point(self.arm, arms, verb.name, x, which, link, point), *states)

    @staticmethod
    def _where_known(function: Any, *states: Array) -> Array:
        """Return a function of states; NaN where they are NaN."""
        known = np.isfinite(states[0]).all(axis=-1)
        found = function(*(x[known] for x in states))
        out = np.full((*known.shape, *found.shape[1:]), np.nan)
        out[known] = found
        return out

    # ---- parts -----------------------------------------------------------------------------------

    def member(self, run: int) -> Self:
        """Return one run of an ensemble."""
        if self.count is None:
            raise InputError("member: this is a single run, not an ensemble.")
        if not -self.count <= run < self.count:
            raise InputError(f"member: there is no run {run}; there are {self.count} (0 to {self.count - 1}).")
        run %= self.count
        arrays = {word: getattr(self, word)[run] for word in self.over_time}
        arm, t, _ = self.states_of(run)
        last = len(t)
        if not last:
            raise InputError(f"member: run {run} has no samples; it had not begun when the simulation ended.")
        arrays = {word: x[:last] for word, x in arrays.items()}
        events = tuple(e._replace(run=0) for e in self.events if e.run == run)
        failure = self.failures.get(run)
        outcome = self.outcomes[run] if self.outcomes else RunOutcome.DONE if failure is None else RunOutcome.FAILED
        status = failure or "done"
        if outcome is RunOutcome.STOPPED:
            status = f"stopped at t = {events[-1].t:.6g} s: {events[-1].name}"
        elif outcome is RunOutcome.INTERRUPTED:
            status = f"interrupted after {last} of {len(self.t)} samples"
        one = replace(
            self, arm=arm, arms=None, t=t, **arrays, status=status, ok=outcome.complete, events=events,
            failures={0: failure} if failure else {}, outcomes=(outcome,),
            interrupted=outcome is RunOutcome.INTERRUPTED,
        )  # fmt: skip
        if not one.ok:
            return one
        remark, good = bending_range.deflection_report(arm, one.t, one.q)
        status = f"{status}; {remark}" if remark else status
        if one.balance_error > self.report.balance_tolerance:
            return one.with_verdict(
                ok=False, status=f"{status}, but the energy balance error is {one.balance_error:.2g}"
            )
        return one.with_verdict(ok=good, status=status)

    def __getitem__(self, key: slice) -> Self:
        """Return some of the samples: ``run[100:200]``, ``run[::10]``."""
        if not isinstance(key, slice):
            raise InputError(
                f"run[{shown(key)}]: use a slice of samples such as run[10:20], or member(k) for a run of an ensemble."
            )
        axis = 1 if self.count is not None else 0
        arrays = {word: getattr(self, word)[(slice(None),) * axis + (key,)] for word in self.over_time}
        t = self.t[key]
        if not len(t):
            raise InputError(f"run[{key.start}:{key.stop}]: the slice selects none of the {len(self.t)} samples.")
        if key.step is not None and key.step < 0:
            raise InputError(f"run[::{key.step}]: expected a step above 0.")
        return replace(self, t=t, **arrays)

    def between(self, start: float, end: float) -> Self:
        """Return the samples from `start` to `end` [s]."""
        inside = np.flatnonzero((self.t >= start) & (self.t <= end))
        if not inside.size:
            raise InputError(
                f"between: no samples from {start:g} to {end:g} s; the run has {self.t[0]:g} to {self.t[-1]:g} s."
            )
        return self[inside[0] : inside[-1] + 1]

    def at(self, t: ArrayLike) -> Self:
        """Return the run resampled at other times within its duration.

        Positions are interpolated by quintic polynomials with the rates and accelerations of the neighbouring
        samples, rates and accelerations are their derivatives; everything else is interpolated linearly.
        """
        times = np.atleast_1d(as_numbers(t, "t", "at"))
        if times.ndim != 1 or (np.diff(times) <= 0).any():
            raise InputError("at: expected times (nt,), increasing.")
        if len(self.t) < 2 or times[0] < self.t[0] or times[-1] > self.t[-1]:
            raise InputError(f"at: the run has {self.t[0]:g} to {self.t[-1]:g} s; got {times[0]:g} to {times[-1]:g} s.")
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 2)
        h = self.t[k + 1] - self.t[k]
        s = (times - self.t[k]) / h
        rest: dict[str, Any] = dict(zip(("q", "qd", "qdd"), _quintic(self.q, self.qd, self.qdd, k, s, h), strict=True))
        for word in self.over_time[3:]:
            x = getattr(self, word)
            flat = QUANTITIES[word].axis is None
            weight = s if flat else s[:, None]
            left, right = (x[..., k + i] if flat else x[..., k + i, :] for i in (0, 1))
            rest[word] = left + weight * (right - left)
        return replace(self, t=times, **rest)


def _quintic(q: Array, qd: Array, qdd: Array, k: Any, s: Array, h: Array) -> tuple[Array, Array, Array]:
    """Return values, rates and accelerations inside intervals k at the fractions s."""
    s, h = s[:, None], h[:, None]
    x0, x1 = q[..., k, :], q[..., k + 1, :]
    v0, v1 = h * qd[..., k, :], h * qd[..., k + 1, :]
    a0, a1 = h * h * qdd[..., k, :], h * h * qdd[..., k + 1, :]
    d = x1 - x0
    c3 = 10 * d - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * d + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * d - 3 * (v0 + v1) - 0.5 * (a0 - a1)
    x = x0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    v = v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    a = a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
    return x, v / h, a / (h * h)


def _balance(kinetic: Array, potential: Array, work: Array) -> Array:
    energy, done = kinetic + potential, work - work[..., :1, :]
    return energy - energy[..., :1] - (done[..., 0] - done[..., 1] + done[..., 2])
