"""Adaptive integration of one run by SciPy's solvers, with events and friction located exactly.

The solver is started anew where something given jumps and where a joint begins or ceases to stick, so
that it only ever sees a smooth system. A trial step that overflows is rejected and cut like any other that is too
long (see `System`). Where stability limits the steps of an explicit method, the implicit one takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import CollapsedError, DivergedError, LissomError, RunStopped, SolveError
from lissom.simulation.events import Event, EventHit
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.integrators.system import System
from lissom.simulation.integrators.work import PathWithWork
from lissom.simulation.loop.closed_loop import FASTEST, ClosedLoop
from lissom.simulation.loop.friction import GRIP, settled
from lissom.simulation.loop.singular_inertia import singular_at
from lissom.simulation.loop.spectrum import StabilityWatch
from lissom.simulation.outcome import Failure
from lissom.spatial.rotations import Array

SOLVERS = {"rk45": "RK45", "dop853": "DOP853", "radau": "Radau", "bdf": "BDF"}
IMPLICIT = ("radau", "bdf")
REACH = {"rk45": 3.3, "dop853": 6.39}  # decay rate times step that explicit methods bear
FINER = 10  # times more steps confirm that a motion diverges
STALL = 2000  # steps in which a run must get further by
STALLED = 1e-7  # of the simulated time
MOST_AT_ONCE = 50  # changes of friction without progress
Progress = Callable[[float], object]


class Adaptive:
    """Adaptive integration of one run.

    Parameters
    ----------
    loop, method, rtol, atol, events, progress : the closed loop, the integrator and its tolerances
    switch : bool      change to the implicit method where stability limits the steps of an explicit one
    """

    def __init__(
        self,
        loop: ClosedLoop,
        method: str,
        rtol: float,
        atol: float,
        events: Sequence[Event],
        progress: Progress,
        switch: bool = False,
    ):
        self.loop, self.method, self.progress = loop, method, progress
        self.system = System(loop, method in IMPLICIT)
        self.watch = StabilityWatch(loop, REACH[method]) if switch and method in REACH else None
        self.notes: list[str] = []
        self.events = list(events)
        # work is carried along at the accuracy of the rest and does not choose the step; SciPy takes the mean of the
        # errors of all states, also of those that do not count
        n = loop.size
        share = np.sqrt(n / (n + POWERS))
        self.rtol = rtol * share
        self.atol = np.concatenate([np.full(n, atol * share), np.full(POWERS, np.inf)])
        self.steps = 0
        self.happened: list[EventHit] = []
        self._reached = -np.inf
        self.last: tuple[float, Array] | None = None  # good state, and when
        self.trail: list[tuple[float, Array]] = []  # ends of steps, of arms with closed loops
        self._friction = loop.grips
        self._sliding = np.array(loop.sliding, int)

    # ---- the run ---------------------------------------------------------------------------------

    def run(self, begin: Array, times: Array) -> Integration:
        """Return the states at `times` from the state `begin` (q, qd, z) at the first of them."""
        self.out = np.full((1, len(times), self.system.size + len(self.system.way)), np.nan)
        self.times, self.filled, self._start = times, 0, begin[: self.loop.dof]
        self.longest = self.loop.finest(float(np.diff(times).min()))
        y = self.loop.projected(np.concatenate([begin, np.zeros(POWERS)]))
        failure, stopped, interrupted = None, None, False
        jumps, end = self.loop.inputs.jumps, float(times[-1])
        acts = self.loop.sampling_times(float(times[0]), end)
        ends = np.unique([*jumps[(jumps > times[0]) & (jumps < end)], *acts, end]).tolist()
        t = float(times[0])
        try:
            for end in ends:
                self.system.way = settled(self.loop, t, y)  # a jump may set joints free
                self._keep(t, y)
                t, y = self._stretch(t, y, end)
                y = self._sampled(t, y) if end in acts else y
        except RunStopped as stop:
            stopped = str(stop)
        except KeyboardInterrupt:
            interrupted = True
        except LissomError as error:
            failure = Failure.of(error)
        return self._result(failure, stopped, interrupted)

    def _result(self, failure: Failure | None, stopped: str | None, interrupted: bool) -> Integration:
        t, out = self.times[: self.filled], self.out[:, : self.filled]
        if (stopped or failure or interrupted) and self.last is not None:  # the end lies between samples
            when, state = self.last
            near = len(t) > 0 and t[-1] >= when - 1e-12 * max(1.0, abs(when))
            t = np.append(t[: len(t) - near], when)
            out = np.concatenate([out[:, : len(t) - 1], state[None, None]], axis=1)
        ends = np.array([len(t) - 1], np.intp)
        trail = (np.array([when for when, _ in self.trail]), np.array([y for _, y in self.trail]))
        return Integration(
            t, self.loop.projected(out), ends, self.happened, {0: failure} if failure else {},
            {0: stopped} if stopped else {}, self.steps, self.system.evaluations, interrupted,
            [trail] if self.loop.looped else (), tuple(self.notes), {0: self._last_pose} if failure else {},
        )  # fmt: skip

    @property
    def _last_pose(self) -> Array:
        return self._start if self.last is None else self.last[1][: self.loop.dof]

    def _keep(self, t: float, y: Array, path: Any = None) -> None:
        """Store the samples up to time t."""
        end = int(np.searchsorted(self.times, t * (1 + 1e-15), side="right"))
        if end <= self.filled:
            return
        some = self.out[0, self.filled : end]
        inside = self.times[self.filled : end] < t
        some[:, : len(y)] = y
        if path is not None and inside.any():
            some[inside, : len(y)] = path(self.times[self.filled : end][inside]).T
        some[:, len(y) :] = self.system.way
        self.filled = end

    def _sampled(self, t: float, y: Array) -> Array:
        """Return the state after the action of a sampled controller; a sample at that time is the state after it."""
        y = self.loop.sampled(t, y[None])[0]
        if self.filled and self.times[self.filled - 1] >= t:
            self.out[0, self.filled - 1, : len(y)] = y
        return y

    def _stretch(self, t: float, y: Array, end: float) -> tuple[float, Array]:
        """Integrate from t to end, an interval in which no input jumps."""
        if t == self.times[0]:
            self._refuse_singular(t, y)
        idle = 0
        while t < end:
            self.system.start = t
            self._trace(t, y)
            self.system.slope(t, y)  # what is wrong at the start is no matter of steps
            before = t
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # trial steps may overflow
                t, y, again = self._smoothly(self._solver(t, y, end), end)
            if not again:
                return t, y
            idle = idle + 1 if t - before <= 1e-12 * max(1.0, end) else 0
            if idle > MOST_AT_ONCE:
                raise SolveError(
                    f"at t = {t:.6g} s joints alternate between sticking and slipping without advancing in time; check "
                    "the friction values there."
                )
        return t, y

    def _solver(self, t: float, y: Array, end: float) -> Any:
        import scipy.integrate

        extra = {"jac": self.system.jacobian} if self.method in IMPLICIT and not self.loop.looped else {}
        solver = getattr(scipy.integrate, SOLVERS[self.method])
        return solver(self.system.trial, t, y, end, self.longest, rtol=self.rtol, atol=self.atol, **extra)

    def _smoothly(self, solver: Any, end: float) -> tuple[float, Array, bool]:
        """Integrate to the end; stop early and return True where a friction state or the method changes."""
        n = self.loop.dof
        marks = self._marks(solver.t, solver.y)
        if self.watch is not None:
            self.watch.begin(solver.t)
        while solver.status == "running":
            t0, y0 = solver.t, solver.y
            self.system.trouble = None
            message = solver.step()
            if solver.status == "failed":
                raise self.system.trouble or CollapsedError(self._collapsed(solver, message))
            self.steps += 1
            self._refuse_divergence(t0, y0, solver)
            if self.loop.looped:
                self._project(solver)
            t, y = float(solver.t), solver.y
            self._refuse_stall(t, solver)
            self.progress(t)
            after = self._marks(t, y)
            hits = self._hits(solver, t0, y0, marks, after)
            for when, event, state in hits:
                if event is None:  # friction
                    self._keep(when, state, self._path(solver))
                    return when, *self._changed(when, state)
                self.happened.append(EventHit(when, event.name, state[:n].copy(), state[n : 2 * n].copy()))
                if event.stop:
                    self._keep(np.nextafter(when, t0), state, self._path(solver))
                    self.last = when, np.concatenate([state, self.system.way])
                    self._trace(when, state)
                    raise RunStopped(event.name)
            path = self._path(solver) if self._samples_before(t) else None
            self.last = t, np.concatenate([y, self.system.way])  # before the samples: an interrupt may come between
            self._keep(t, y, path)
            marks = after
            if self._became_stiff(t, y, end):
                return t, y, True
        return float(solver.t), solver.y, False

    def _path(self, solver: Any) -> Any:
        """Return the states within the last step over time."""
        dense = solver.dense_output()
        within = self.method == "radau" and not self.loop.looped  # projected ends are not on the polynomial
        return PathWithWork(self.system, dense, solver.t_old, solver.t) if within else dense

    def _became_stiff(self, t: float, y: Array, end: float) -> bool:
        """Change to the implicit method where stability limits the steps of an explicit one; whether it did."""
        found = self.watch.stiff(t, end, y, self.system.way) if self.watch is not None else None
        if found is None:
            return False
        self.notes.append(
            f"Changed to radau at t = {t:.6g} s: stability limits the steps of {self.method} (fastest decay rate "
            f"{found.decay:.3g} 1/s)."
        )
        self.method, self.watch, self.system.implicit = "radau", None, True
        return True

    def _refuse_singular(self, t: float, y: Array) -> None:
        """Raise an error where the inertia is singular: accelerations are rounding noise and steps would collapse."""
        singular = singular_at(self.loop, t, y[: self.loop.dof])
        if singular:
            raise SolveError(f"at t = {t:.6g} s {singular[:1].lower()}{singular[1:]}")

    def _refuse_divergence(self, t0: float, y0: Array, solver: Any) -> None:
        """Raise an error where the motion diverged, confirmed with smaller steps."""
        n, t = self.loop.dof, float(solver.t)
        sizes = np.abs(solver.y[: 2 * n])
        if (sizes < FASTEST).all():
            return
        worst = int(np.argmax(sizes))
        name, unit = self.loop.arm.coordinates[worst % n], "rad/s or m/s" if worst >= n else "rad or m"
        if not self._grows(t0, y0, t):
            raise SolveError(
                f"at t = {t:.6g} s steps of {t - t0:.2g} s are too long to resolve {name!r}; use a smaller rtol."
            )
        raise DivergedError(f"the motion diverged at t = {t:.6g} s: {name!r} reached {sizes[worst]:.3g} {unit}")

    def _grows(self, t0: float, y0: Array, t: float) -> bool:
        """Whether the state grows as much when the step is divided into many smaller ones."""
        from scipy.integrate import solve_ivp

        found = solve_ivp(
            self.system.trial, (t0, t), y0, "RK45", rtol=self.rtol, atol=self.atol, max_step=(t - t0) / FINER
        )
        return not found.success or float(np.abs(found.y[: 2 * self.loop.dof]).max()) > 0.1 * FASTEST

    def _project(self, solver: Any) -> None:
        """Project the end of a step onto the loop closures; the next step starts from there."""
        solver.y = self.loop.projected(solver.y)
        if self.method == "bdf":  # it goes on from its table of differences
            solver.D[0] = solver.y
        solver.f = self.system.slope(solver.t, solver.y)
        self._trace(float(solver.t), solver.y)

    def _trace(self, t: float, y: Array) -> None:
        """Store the state of an accepted step; states later than a restart time are discarded."""
        while self.trail and self.trail[-1][0] >= t:
            self.trail.pop()
        self.trail.append((t, y))

    def _refuse_stall(self, t: float, solver: Any) -> None:
        """Raise an error where steps became so short that the run would never finish."""
        if self.steps % STALL == 0:
            if t - self._reached < STALLED * (self.times[-1] - self.times[0]):
                raise CollapsedError(self._collapsed(solver, f"{STALL} steps advanced only {t - self._reached:.2g} s"))
            self._reached = t

    def _samples_before(self, t: float) -> bool:
        return self.filled < len(self.times) and self.times[self.filled] < t

    def _changed(self, t: float, y: Array) -> tuple[Array, bool]:
        """Bring joints whose rate changed sign to rest, then decide which joints stick."""
        n, y = self.loop.dof, y.copy()
        turned = (self.system.way != 0) & (y[n + self._sliding] * self.system.way <= self._rounding(y))
        y[n + self._sliding[turned]] = 0.0
        y = self.loop.projected(y)  # closed loops let the others know
        self.system.way = settled(self.loop, t, y)
        return y, True

    def _rounding(self, y: Array) -> float:
        n = self.loop.dof
        return 1e-13 * (1.0 + float(np.abs(y[n : 2 * n]).max(initial=0.0)))

    # ---- events ----------------------------------------------------------------------------------

    def _marks(self, t: float, y: Array) -> Array:
        """Values whose zero crossings are located: the user's events, then one per joint with friction."""
        n = self.loop.dof
        q, qd = y[:n], y[n : 2 * n]
        own = [event.value(t, q, qd) for event in self.events]
        return np.concatenate([own, self._grips(t, y)])

    def _grips(self, t: float, y: Array) -> Array:
        """One value per joint with friction, positive while its friction state stays the same."""
        if not self.system.way.size:
            return np.zeros(0)
        grips = y[self.loop.dof + self._sliding] * self.system.way
        sticks = self.system.way == 0.0
        if sticks.any():
            effort = np.abs(self.system.efforts(t, y))
            grips = np.where(sticks, self._friction * (1 + GRIP) - effort, grips)
        return grips

    def _hits(
        self, solver: Any, t0: float, y0: Array, before: Array, after: Array
    ) -> list[tuple[float, Event | None, Array]]:
        """Return (time, event, state) in order of time; event None: a friction state changes."""
        count = len(self.events)
        path = None
        hits: list[tuple[float, Event | None, Array]] = []
        for k, event in enumerate(self.events):
            if event.crossed(before[k], after[k]):
                path = path or self._path(solver)
                hits.append(self._located(path, lambda t, y, k=k: self._marks(t, y)[k], t0, solver.t, event))
        for k in range(count, len(after)):
            if after[k] < 0:
                path = path or self._path(solver)
                at = lambda t, y, k=k: self._grips(t, y)[k - count]  # noqa: E731
                hits.append(self._located(path, at, self._bracket(path, at, t0, solver.t, before[k]), solver.t, None))
        return sorted(hits, key=lambda hit: hit[0])

    @staticmethod
    def _bracket(path: Any, at: Any, t0: float, t1: float, first: float) -> float:
        """Return a time at which a friction value is still positive; a joint just released starts from zero."""
        if first > 0:
            return t0
        for t in np.linspace(t0, t1, 17)[1:-1]:
            if at(t, path(t)) > 0:
                return float(t)
        return t0

    def _located(
        self, path: Any, value: Any, t0: float, t1: float, event: Event | None
    ) -> tuple[float, Event | None, Array]:
        from scipy.optimize import brentq

        def f(t: float) -> float:
            return float(value(t, path(t)))

        a, b = f(t0), f(t1)
        if a == 0 or a * b > 0:
            when = t0 if a == 0 or abs(a) < abs(b) else t1
        else:
            near = 4 * np.finfo(float).eps * max(1.0, abs(t1))
            when = brentq(f, t0, t1, xtol=near, rtol=4 * np.finfo(float).eps)
            if event is None:  # friction must have changed there, also where a function of the user jumps
                when = min(when + 2 * near, t1)
        return float(when), event, path(when)

    def _collapsed(self, solver: Any, message: str) -> str:
        n = self.loop.dof
        rates = np.abs(self.system.slope(solver.t, solver.y))[n : 2 * n]
        worst = self.loop.arm.coordinates[int(np.argmax(rates))]
        other = "" if self.method in IMPLICIT else "For a stiff arm use method='radau'; otherwise "
        advice = f"{other}check the torques there, or increase rtol."
        return (
            f"the step size collapsed at t = {solver.t:.6g} s ({message.rstrip('.').lower()}); {worst!r} has the "
            f"largest acceleration there ({rates.max():.3g} rad/s^2 or m/s^2). {advice[:1].upper()}{advice[1:]}"
        )
