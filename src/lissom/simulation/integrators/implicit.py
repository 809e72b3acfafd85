"""Many stiff runs together: RODAS with separate adaptive steps for each run (see `rosenbrock`).

The result of a run does not depend on the other runs. The instants at which joints with friction start and stop
sticking are located within a step. Work is the integral of power along the step. A run whose steps fail or stall is
integrated again alone with Radau's method, which completes it or names the cause.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import LissomError
from lissom.kernels.functions import compiler_present
from lissom.simulation.events import Event, LimitEvent
from lissom.simulation.integrators.adaptive import MOST_AT_ONCE, STALL, STALLED, Adaptive
from lissom.simulation.integrators.crossings import noted_limits
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.integrators.rosenbrock import ORDER, Index, Path, Runs
from lissom.simulation.loop.closed_loop import FASTEST, ClosedLoop
from lissom.simulation.loop.friction import GRIP, settled
from lissom.simulation.loop.singular_inertia import singular_starts
from lissom.simulation.outcome import Failure
from lissom.spatial.rotations import Array

BLOCK = 512  # runs at once
SAFETY, LEAST, MOST = 0.8, 0.1, 6.0  # of the next step
SHORTEST = 1e-15  # of the simulated time
FIRST = 1e-9  # of the simulated time
HALVINGS = 40  # until an instant is located
GAUSS = 0.5 + 0.5 * np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])  # where power is looked at
TO_POWERS = np.linalg.inv(np.vander(GAUSS, increasing=True))  # the parabola through three values


def covers(loop: ClosedLoop, events: Sequence[Event]) -> bool:
    """Whether `Implicit` applies: no closed loops, no sampled or Python controller, no events but joint limits."""
    noted = all(isinstance(event, LimitEvent) and not event.stop for event in events)
    return noted and not loop.looped and loop.sampling is None and loop.controller is not None and compiler_present()


@dataclass(frozen=True)
class Implicit:
    """Integration of many runs of a closed loop with RODAS; see `covers`."""

    loop: ClosedLoop
    rtol: float
    atol: float
    events: Sequence[Event]
    progress: Callable[[float], object]
    threads: int | None = None

    def run(self, begin: Array, times: Array) -> Integration:
        """Return the states at `times` of runs that begin at states (runs, q qd z); NaN after the end of a run."""
        count, n = len(begin), self.loop.dof
        states = np.full((count, len(times), self.loop.size + POWERS + len(self.loop.sliding)), np.nan)
        failures: dict[int, Failure] = {}
        poses: dict[int, Array] = {}
        steps = evaluations = again = 0
        interrupted = False
        blocks = [slice(k, min(k + BLOCK, count)) for k in range(0, count, BLOCK)]
        for some in blocks:
            report = functools.partial(self._report, some, count, float(times[-1]))
            block = _Block(self, self.loop.rows(some), begin[some], times, states[some], report)
            try:
                block.advance()
                for k in np.flatnonzero(block.lost) + some.start:
                    again += 1
                    found = self._alone(int(k), begin[k], times, states)
                    steps, evaluations = steps + found.steps, evaluations + found.evaluations
                    failures |= {int(k): why for why in found.failures.values()}
                    poses |= {int(k): q for q in found.poses.values()}
            except KeyboardInterrupt:  # what was finished until then stays
                interrupted = True
                break
            finally:
                steps, evaluations = steps + block.steps, evaluations + block.runs.evaluations
        ends = np.isfinite(states).all(axis=2).cumprod(axis=1).sum(axis=1).astype(np.intp) - 1
        events = noted_limits(self.events, times, states, ends, n)
        note = f"Steps of rodas failed or stalled in {again} of {count} runs, which were integrated again with radau."
        notes = (note,) if again else ()
        return Integration(
            times, states, ends, events, failures, {}, steps, evaluations, interrupted, notes=notes, poses=poses
        )

    def _report(self, some: slice, count: int, until: float, t: float) -> None:
        """Report the mean progress of all runs when some of them have come to time t."""
        self.progress((some.start * until + (some.stop - some.start) * t) / count)

    def _alone(self, run: int, begin: Array, times: Array, states: Array) -> Integration:
        """Integrate one run by itself with Radau's method; its samples go to `states`, also when interrupted."""
        single = Adaptive(self.loop.member(run), "radau", self.rtol, self.atol, (), lambda _t: None)
        found = single.run(begin, times)
        known = np.isin(found.t, times)
        states[run] = np.nan
        states[run, : known.sum()] = found.states[0, known]
        if found.interrupted:
            raise KeyboardInterrupt
        return found


class _Block:
    """Some runs during their integration."""

    def __init__(
        self,
        how: Implicit,
        loop: ClosedLoop,
        begin: Array,
        times: Array,
        out: Array,
        report: Callable[..., object],
    ):
        self.how, self.loop, self.times, self.out, self.report = how, loop, times, out, report
        count = len(begin)
        self.runs = Runs(loop, count, how.threads)
        self.members: dict[int, ClosedLoop] = {}
        self.t, self.y = np.full(count, float(times[0])), begin.copy()
        self.h = np.full(count, FIRST * (times[-1] - times[0]))
        self.work, self.way = np.zeros((count, POWERS)), np.zeros((count, len(loop.sliding)))
        self.next = np.zeros(count, np.intp)  # sample of every run
        self.idle = np.zeros(count, int)
        self.longest = min(loop.finest(float(np.diff(times).min())), float(times[-1] - times[0]) / 10)
        self.stops = np.append(loop.inputs.jumps, times[-1])
        self.stops = np.unique(self.stops[(self.stops > times[0]) & (self.stops <= times[-1])])
        self.grips = np.zeros((count, len(loop.sliding)))
        self.sliding = np.array(loop.sliding, int)
        self.place = [loop.held.index(k) for k in loop.sliding]
        self.lost = np.zeros(count, bool)  # steps failed or stalled
        self.tried = 0  # steps of every run that is on its way
        self.reached = np.full(count, -np.inf)  # time at the last check for stalling
        self.steps = 0
        self._slopes: Any = None  # of all runs, at their present states

    # ---- all the way -----------------------------------------------------------------------------

    def advance(self) -> None:
        """Integrate to the end, or until interrupted."""
        count = len(self.t)
        if self.sliding.size:
            self.grips = np.array([self._member(k).grips for k in range(count)])
        self.lost |= singular_starts(self.loop, self.y[:, : self.loop.dof])
        for k in range(count):
            self._settle(k)
        self._keep(np.arange(count), self.t, self.y, self.work)
        active = fresh = self._going(np.arange(count))
        with np.errstate(all="ignore"):
            while True:
                self._look(fresh)
                active = self._going(active)
                if not active.size:
                    return
                moved = self._step(active)
                self._mark_stalled(active)
                active, fresh = self._going(active), self._going(moved)
                self.report(float(self.t.mean()))

    def _going(self, runs: Index) -> Index:
        """Return those of some runs that have not reached their end."""
        return runs[~self.lost[runs] & (self.t[runs] < self.times[-1])]

    def _mark_stalled(self, active: Index) -> None:
        """Mark runs whose steps are so short that they would never finish."""
        self.tried += 1
        if self.tried % STALL == 0:
            self.lost[active] |= self.t[active] - self.reached[active] < STALLED * (self.times[-1] - self.times[0])
            self.reached[active] = self.t[active]

    def _member(self, run: int) -> ClosedLoop:
        if run not in self.members:
            self.members[run] = self.loop.member(run)
        return self.members[run]

    def _settle(self, run: int) -> None:
        """Decide which joints of a run stick from its present state on."""
        if not self.sliding.size:
            return
        try:
            self.way[run] = settled(self._member(run), float(self.t[run]), self.y[run])
        except LissomError:
            self.lost[run] = True

    def _look(self, fresh: Index) -> None:
        """Compute the derivatives at the present states of some runs."""
        if not fresh.size:
            return
        rates = self.runs.changes(fresh, self.t[fresh], self.y[fresh], self.way[fresh], before=False)
        known = np.isfinite(rates).all(axis=1)
        self.lost[fresh[~known]] = True
        fresh, rates = fresh[known], rates[known]
        try:
            self._differentiate(fresh, rates)
        except LissomError:  # of one of them
            for k in range(len(fresh)):
                try:
                    self._differentiate(fresh[k : k + 1], rates[k : k + 1])
                except LissomError:
                    self.lost[fresh[k]] = True

    def _differentiate(self, some: Index, rates: Array) -> None:
        """Store the derivatives at states whose rates are known."""
        if not some.size:
            return
        found = self.runs.slopes(some, self.t[some], self.y[some], self.way[some], rates, self.h[some])
        if self._slopes is None:
            self._slopes = type(found)(*(np.zeros((len(self.t), *x.shape[1:]), x.dtype) for x in found))
        for whole, part in zip(self._slopes, found, strict=True):
            whole[some] = part

    def _step(self, active: Index) -> Index:
        """Try one step of every run; return the runs that advanced."""
        t, stop = self.t[active], self.stops[np.searchsorted(self.stops, self.t[active], side="right")]
        h = np.minimum(self.h[active], self.longest)
        at_stop = t + h * (1 + 1e-9) >= stop
        h = np.where(at_stop, stop - t, h)
        at = type(self._slopes)(*(x[active] for x in self._slopes))
        path = self.runs.step(active, t, self.y[active], self.way[active], h, at)
        scale = self.how.atol + self.how.rtol * np.maximum(np.abs(path.y), np.abs(path.end))
        size = np.sqrt(np.mean((path.error / scale) ** 2, axis=1))
        good = size < 1.0
        factor = np.where(np.isfinite(size), np.clip(SAFETY * size ** (-1 / ORDER), LEAST, MOST), LEAST)
        longer = good & at_stop & (h * factor < self.h[active])  # a step that was cut says little of the next
        self.h[active] = np.where(longer, self.h[active], h * np.where(good, factor, np.minimum(factor, 0.5)))
        short = ~good & (self.h[active] < SHORTEST * self.times[-1])
        self.lost[active[short]] = True
        rows = np.flatnonzero(good)
        if rows.size:
            self._accept(active[rows], path.rows(rows), h[rows], np.where(at_stop, stop, t + h)[rows])
        return active[rows]

    def _accept(self, runs: Index, path: Path, h: Array, end: Array) -> None:
        """Advance runs to the ends of their steps, or to the instant at which a friction state changes."""
        self.steps += len(runs)
        part = self._until_friction(runs, path, h)
        t, changed = self.t[runs], part < 1.0
        power = self._power(runs, path, h, part)
        y, when = np.where(changed[:, None], path.at(part), path.end), np.where(changed, t + part * h, end)
        beyond = ~(np.abs(y[:, : 2 * self.loop.dof]) < FASTEST).all(axis=1)
        self.lost[runs[beyond]] = True
        work = self.work[runs]
        while True:  # samples on the way
            some = self._due(runs, when, ~beyond)
            if not some.size:
                break
            s = (self.times[self.next[runs[some]]] - t[some]) / h[some]
            inside = s < part[some]
            states = np.where(inside[:, None], path.rows(some).at(np.minimum(s, 1.0)), y[some])
            gained = _gained(power[:, some], np.minimum(s, part[some]) / part[some]) * (part * h)[some, None]
            self._keep(runs[some], self.times[self.next[runs[some]]], states, work[some] + gained)
        self.t[runs], self.y[runs] = when, y
        self.work[runs] = work + _gained(power, np.ones(len(runs))) * (part * h)[:, None]
        for k in np.flatnonzero(changed | np.isin(when, self.stops[:-1])):
            self._change(int(runs[k]), bool(when[k] - t[k] <= 1e-12 * self.times[-1]))

    def _due(self, runs: Index, when: Array, good: Any) -> Index:
        """Return the rows whose next sample has been reached."""
        at = np.minimum(self.next[runs], len(self.times) - 1)
        due = (self.next[runs] < len(self.times)) & (self.times[at] <= when * (1 + 1e-15))
        return np.flatnonzero(due & good)

    def _keep(self, runs: Index, t: Array, y: Array, work: Array) -> None:
        self.out[runs, self.next[runs]] = np.concatenate([y, work, self.way[runs]], axis=1)
        self.next[runs] += 1

    def _power(self, runs: Index, path: Path, h: Array, part: Array) -> Array:
        """(3, rows, 3) power in, lost and outer at three instants of the steps."""
        t, way = self.t[runs], self.way[runs]
        found = [self.runs.rates(runs, t + s * part * h, path.at(s * part), way).power for s in GAUSS]
        return np.stack(found)

    # ---- friction --------------------------------------------------------------------------------

    def _until_friction(self, runs: Index, path: Path, h: Array) -> Array:
        """(rows,) fraction of the step after which a joint starts or stops sticking, 1 where none does."""
        part = np.ones(len(runs))
        if not self.sliding.size:
            return part
        rows = np.flatnonzero(self._slips(runs, path, h, part).any(axis=1))
        if not rows.size:
            return part
        low, high = np.zeros(len(rows)), np.ones(len(rows))
        some, own = path.rows(rows), runs[rows]
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            slips = self._slips(own, some, h[rows], middle).any(axis=1)
            low, high = np.where(slips, low, middle), np.where(slips, middle, high)
        part[rows] = high
        return part

    def _slips(self, runs: Index, path: Path, h: Array, part: Array) -> Any:
        """(rows, sliding) whether the friction state of a joint differs from that at the start of the step."""
        y, way = path.at(part), self.way[runs]
        turned = y[:, self.loop.dof + self.sliding] * way < 0.0
        sticks = way == 0.0
        if not sticks.any():
            return turned
        effort = self.runs.rates(runs, self.t[runs] + part * h, y, way).effort[:, self.place]
        return np.where(sticks, np.abs(effort) > self.grips[runs] * (1 + GRIP), turned)

    def _change(self, run: int, idle: bool) -> None:
        """Bring joints whose rate changed sign to rest, then decide which joints stick."""
        n, y = self.loop.dof, self.y[run]
        if self.sliding.size:
            rounding = 1e-13 * (1.0 + np.abs(y[n : 2 * n]).max())
            turned = (self.way[run] != 0) & (y[n + self.sliding] * self.way[run] <= rounding)
            y[n + self.sliding[turned]] = 0.0
        self.idle[run] = self.idle[run] + 1 if idle else 0
        if self.idle[run] > MOST_AT_ONCE:
            self.lost[run] = True
            return
        self._settle(run)


def _gained(power: Array, part: Array) -> Array:
    """(rows, 3) integral over a part of a step of length one, of power (3, rows, 3) at the instants `GAUSS`."""
    terms = np.tensordot(TO_POWERS, power, axes=1)
    weights = part[None] ** np.arange(1, 4)[:, None] / np.arange(1, 4)[:, None]
    return (terms * weights[..., None]).sum(axis=0)
