"""Fixed-step integration of one run or many at once, in chunks, so that it can report progress and be interrupted."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.cores import cores
from lissom.dynamics.plant import POWERS
from lissom.errors import InputError, LissomError
from lissom.simulation.events import Event, EventHit, LimitEvent
from lissom.simulation.integrators.crossings import crossings, on_cubic
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.integrators.stepping import Stepper
from lissom.simulation.loop.closed_loop import FASTEST, ClosedLoop
from lissom.simulation.loop.friction import settled
from lissom.simulation.outcome import Failure, RunOutcome
from lissom.spatial.rotations import Array

CHUNK_SECONDS = 0.2
LEAST_RUNS_PER_THREAD = 16
FIRST_CHUNK = 1000  # steps of all runs before the clock is looked at, where they are compiled
ON_A_STEP = 1e-6  # of a step
LONGEST = 2_000_000  # steps of all runs in one call of compiled code
FINER = (10, 100, 1000)  # times more steps that must confirm that a motion diverges
ROOM = 2**28  # bytes of states that are kept at once to look for events


class Fixed:
    """Fixed-step integration with one step length for all runs."""

    def __init__(
        self,
        loop: ClosedLoop,
        method: str,
        h: float,
        repeats: int,
        events: Sequence[Event],
        progress: Callable[[float], object],
        threads: int | None = None,
        many: bool = False,
    ):
        """`many`: runs are kept side by side, on common times."""
        self.many = many
        self.loop, self.h, self.progress = loop, h, progress
        self.events = list(events)
        self.stepper = Stepper(loop, method)
        self.threads = threads
        # what may stop a run, or was asked for, is looked for after every step; limits that are noted at the samples
        asked = any(event.stop or not isinstance(event, LimitEvent) for event in self.events)
        self.closely = asked or loop.looped
        self.thin, self.repeats = (repeats, 1) if self.closely else (1, repeats)

    def run(self, begin: Array, times: Array) -> Integration:
        """Integrate from states (runs, q qd z) and return the states at `times`."""
        steps = len(times) * self.thin
        block = max(4, ROOM // (8 * steps * self.stepper.state_size) // 4 * 4)
        if len(begin) <= block:
            return self._all(begin, times)

        def parts() -> Iterator[Integration]:
            for start in range(0, len(begin), block):
                some = slice(start, min(start + block, len(begin)))
                yield self._some(some)._all(begin[some], times)

        return side_by_side(parts(), times, len(begin))

    def _some(self, some: slice) -> Fixed:
        """Return the same integrator for some of the runs."""
        other = copy.copy(self)
        other.loop = self.loop.rows(some)
        other.stepper = copy.copy(self.stepper)
        other.stepper.loop = other.loop
        return other

    def _all(self, begin: Array, samples: Array) -> Integration:
        rows, times = len(begin), self._fine(samples)
        out = np.full((rows, len(times), self.stepper.state_size), np.nan)
        problem: Failure | None = None
        interrupted = False
        out[:, 0] = 0.0
        out[:, 0, : self.loop.size] = begin
        filled, size = 1, max(1, FIRST_CHUNK // (rows * self.repeats)) if self.stepper.native else 1
        try:
            out[:, 0] = self._first(begin, float(times[0]))
            while filled < len(times) and np.isfinite(out[:, filled - 1]).any():
                clock = time.perf_counter()
                stop = min(filled + size, len(times))
                self._advance(
                    np.ascontiguousarray(out[:, filled - 1]), times[filled - 1 : stop - 1], out[:, filled:stop]
                )
                filled = stop
                self.progress(float(times[filled - 1]))
                spent = max(time.perf_counter() - clock, 1e-6)
                size = max(1, min(4 * size, int(size * CHUNK_SECONDS / spent)))
        except KeyboardInterrupt:
            interrupted = True
        except LissomError as error:
            problem = Failure.of(error)
        filled = max(filled, int(np.isfinite(out).all(axis=(0, 2)).sum()))
        return self._result(samples, times, out, filled, problem, interrupted)

    def _fine(self, samples: Array) -> Array:
        """Return the times at which states are stored."""
        if self.thin == 1:
            return samples
        inside = samples[:-1, None] + self.h * np.arange(self.thin)
        return np.append(inside.ravel(), samples[-1])

    def _first(self, begin: Array, t: float) -> Array:
        work = np.zeros((len(begin), POWERS))
        if not self.loop.sliding:
            return np.concatenate([begin, work], axis=1)
        ways = [settled(self.loop.member(k), t, y) for k, y in enumerate(begin)]
        return np.concatenate([begin, work, np.array(ways), np.zeros_like(ways)], axis=1)

    def _advance(self, state: Array, t: Array, chunk: Array) -> None:
        """Fill the samples by equal steps; a step that contains a jump is divided there."""
        if self.loop.sampling is not None:
            for k, start in enumerate(t):
                state = chunk[:, k] = self._moved(state, float(start), float(start) + self.h * self.repeats, self.h)
            return
        begin = 0
        for k in (*self._with_jumps(t), len(t)):
            if k > begin:
                self._evenly(state, t[begin:k], chunk[:, begin:k])
                state = np.ascontiguousarray(chunk[:, k - 1])
            if k < len(t):
                state = chunk[:, k] = self._moved(state, float(t[k]), float(t[k]) + self.h * self.repeats, self.h)
            begin = k + 1

    def _with_jumps(self, t: Array) -> list[int]:
        """Return the samples after which an input jumps inside a step."""
        jumps = self.loop.inputs.jumps
        if not jumps.size:
            return []
        at = np.searchsorted(t, jumps, side="right") - 1
        inside = (at >= 0) & (jumps < t[np.maximum(at, 0)] + self.h * self.repeats)
        steps = (jumps[inside] - t[at[inside]]) / self.h
        return sorted(set(at[inside][np.abs(steps - np.round(steps)) > ON_A_STEP].tolist()))

    def _moved(self, state: Array, start: float, end: float, h: float) -> Array:
        """Advance from one time to another, with steps up to h that end at jumps and at sampling times."""
        jumps, acts = self.loop.inputs.jumps, self.loop.sampling_times(start, end)
        ends = np.unique([*jumps[(jumps > start) & (jumps < end)], *acts, end]).tolist()
        for begin, until in zip([start, *ends], ends, strict=False):
            count = max(1, int(np.ceil((until - begin) / h - ON_A_STEP)))
            state = self._in_pieces(state, begin, (until - begin) / count, count)
            state = self.loop.sampled(until, state) if until in acts else state
        return state

    def _evenly(self, state: Array, t: Array, chunk: Array) -> None:
        if self.repeats <= self._most(state):
            self.stepper.advance(state, t, self.h, self.repeats, chunk, self._threads(state))
            return
        for k, start in enumerate(t):
            state = chunk[:, k] = self._in_pieces(state, float(start), self.h, self.repeats)

    def _in_pieces(self, state: Array, start: float, h: float, count: int) -> Array:
        """Advance by many steps, some at a time, so that progress can be reported and Ctrl-C works."""
        done = 0
        while done < count:
            some, now = min(self._most(state), count - done), np.empty((len(state), 1, state.shape[1]))
            self.stepper.advance(state, np.array([start + h * done]), h, some, now, self._threads(state))
            state, done = np.ascontiguousarray(now[:, 0]), done + some
            self.progress(start + h * done)
        return state

    @staticmethod
    def _most(state: Array) -> int:
        return max(1, LONGEST // len(state))

    def _threads(self, state: Array) -> int:
        if self.threads is not None:
            return self.threads
        return max(1, min(cores(), len(state) // LEAST_RUNS_PER_THREAD))

    # ---- how it went -----------------------------------------------------------------------------

    def _result(
        self, samples: Array, times: Array, out: Array, filled: int, problem: Failure | None, interrupted: bool
    ) -> Integration:
        good: Any = np.isfinite(out[:, :filled]).all(axis=2) & self._bounded(out[:, :filled])
        ends = np.array([int(row.argmin()) - 1 if not row.all() else filled - 1 for row in good], np.intp)
        failures: dict[int, Failure] = {}
        last: dict[int, tuple[float, Array]] = {}
        for k in range(len(out)):
            if ends[k] < filled - 1:
                failures[k], last[k] = self._reason(k, times, out, int(ends[k]))
            elif problem is not None:
                failures[k] = problem
        try:
            happened, stopped = self._events(times, out, ends)
        except LissomError as error:  # a user's function
            happened, stopped = [], {}
            failures |= dict.fromkeys(range(len(out)), Failure.of(error))
        for k, name_state in stopped.items():  # it stopped before it could fail
            failures.pop(k, None)
            last[k] = name_state[1:]
        for k, end in enumerate(ends):
            out[k, end + 1 :] = np.nan
        steps, thin = max(filled - 1, 0) * self.repeats, out[:, :: self.thin]
        trails = [(times[: k + 1], row[: k + 1]) for k, row in zip(ends, out, strict=True)] if self.loop.looped else []
        names = {k: name for k, (name, _, _) in stopped.items()}
        poses = {k: last[k][1][: self.loop.dof] for k in failures if k in last}
        counts = (steps, len(self.stepper.tableau.asks) * steps * len(out), interrupted, trails, (), poses)
        if self.many:
            return Integration(samples, thin, ends // self.thin, happened, failures, names, *counts)
        t, states = self._ended(samples, thin, int(ends[0]) // self.thin, last.get(0))
        return Integration(t, states, np.array([len(t) - 1]), happened, failures, names, *counts)

    @staticmethod
    def _ended(t: Array, states: Array, end: int, last: tuple[float, Array] | None) -> tuple[Array, Array]:
        """Return a single run up to its end, which may lie between samples."""
        t, states = t[: end + 1], states[:, : end + 1]
        if last is None or not len(t) or last[0] <= t[-1] * (1 + 1e-15):
            return t, states
        return np.append(t, last[0]), np.concatenate([states, last[1][None, None]], axis=1)

    def _reason(self, run: int, times: Array, out: Array, end: int) -> tuple[Failure, tuple[float, Array]]:
        """Repeat a failed run step by step from its last good sample; return the cause and the last good state."""
        part = self._some(slice(run, run + 1))
        t, state = float(times[end]), out[run, end]
        for _ in range(self.repeats):
            new = part._tried(t, state, self.h, 1)
            if not np.isfinite(new).all() or not self._bounded(new):
                break
            state, t = new, t + self.h
        return part._cause(self.loop.member(run), t, state), (t, state)

    def _tried(self, t: float, state: Array, h: float, count: int) -> Array:
        """Return the state after some steps of the only run; NaN where they cannot be taken."""
        try:
            return self._stepped(t, state, h, count)
        except LissomError:
            return np.full_like(state, np.nan)

    def _stepped(self, t: float, state: Array, h: float, count: int) -> Array:
        """Return the state after some steps of the only run, also where a sampled controller acts between them."""
        if self.loop.sampling is not None:
            return self._moved(state[None], t, t + h * count, h)[0]
        new = np.zeros((1, 1, len(state)))
        self.stepper.advance(state[None].copy(), np.array([t]), h, count, new)
        return new[0, 0]

    def _bounded(self, states: Array) -> Any:
        """Whether states (..., q, qd, ...) are finite and not beyond all bounds."""
        return (np.abs(states[..., : 2 * self.loop.dof]) < FASTEST).all(axis=-1)

    def _cause(self, loop: ClosedLoop, t: float, state: Array) -> Failure:
        """Return why the step after a state fails: evaluate its stages one by one, then try smaller steps."""
        way, y, method, n = loop.ways(state), state[: loop.size], self.stepper.tableau, loop.dof
        slopes: list[Array] = []
        try:
            for row, moment in zip((None, *method.stages), method.asks, strict=True):
                at, when = y if row is None else row.at(y, self.h, slopes), t + method.moments[moment] * self.h
                if not self._bounded(at):
                    break
                rates = loop.slope(when, at, way)
                slopes.append(np.concatenate([at[n : 2 * n], rates.qdd, rates.z]))
        except LissomError as error:
            return Failure.of(error, f"at t = {t:.6g} s: ")
        for finer in FINER:
            if self._bounded(10 * self._tried(t, state, self.h / finer, finer)):
                small = f"{self.h / finer:.3g} s"
                why = f"the integration diverged at t = {t:.6g} s with steps of {self.h:.3g} s, but not with {small}"
                return Failure(why, RunOutcome.DIVERGED)
        why = f"the motion diverged at t = {t:.6g} s, also with steps of {self.h / FINER[-1]:.3g} s"
        return Failure(why, RunOutcome.DIVERGED)

    def _events(
        self, times: Array, out: Array, ends: NDArray[np.intp]
    ) -> tuple[list[EventHit], dict[int, tuple[str, float, Array]]]:
        """Return the events of all runs, and for runs that an event stops its name, time and state.

        Zero crossings are located by integrating to them; limits that do not stop a run, on the cubic through the
        samples around them.
        """
        n = self.loop.dof
        q, qd = out[..., :n], out[..., n : 2 * n]
        hits: dict[int, list[tuple[float, Event, Array]]] = {}
        for event in self.events:
            for run, k in crossings(event, times, q, qd, ends):
                hits.setdefault(run, []).append(self._located(run, event, times, out, k))
        happened: list[EventHit] = []
        stopped: dict[int, tuple[str, float, Array]] = {}
        for run in sorted(hits):
            for when, event, state in sorted(hits[run], key=lambda hit: hit[0]):
                happened.append(EventHit(when, event.name, state[:n], state[n : 2 * n], run))
                if event.stop:
                    stopped[run] = event.name, when, state
                    ends[run] = np.searchsorted(times, when, side="right") - 1
                    break
        return happened, stopped

    def _located(self, run: int, event: Event, times: Array, out: Array, k: int) -> tuple[float, Event, Array]:
        from scipy.optimize import brentq

        start, n = out[run, k].copy(), self.loop.dof
        t = float(times[k])
        if isinstance(event, LimitEvent) and not event.stop and self.many:
            return on_cubic(event, times[k : k + 2], out[run, k : k + 2], n)
        part = self._some(slice(run, run + 1))

        def state(span: float) -> Array:
            return start if span == 0.0 else part._stepped(t, start, span / self.repeats, self.repeats)

        def value(span: float) -> float:
            x = state(span)
            return event.value(t + span, x[:n], x[n : 2 * n])

        span = float(times[k + 1] - t)
        ends = value(0.0), value(span)
        found = span if ends[0] * ends[1] > 0 else brentq(value, 0.0, span, xtol=1e-15 * max(1.0, t), rtol=1e-14)
        return t + found, event, state(found)


def side_by_side(outcomes: Iterable[Integration], times: Array, count: int) -> Integration:
    """Join runs of several outcomes on common times, up to one that was interrupted; missing samples are NaN.

    Outcomes may be generated one after the other; only their numbers are stored.
    """
    states, ends = np.empty((0, 0, 0)), np.full(count, -1, np.intp)
    events: list[EventHit] = []
    failures: dict[int, Failure] = {}
    stopped: dict[int, str] = {}
    trails: list[tuple[Array, Array]] = []
    notes: list[str] = []
    poses: dict[int, Array] = {}
    at = steps = evaluations = 0
    interrupted = False
    for outcome in outcomes:
        rows = len(outcome.states)
        if at == 0:
            states = np.full((count, len(times), outcome.states.shape[2]), np.nan)
        n = min(int(np.isin(outcome.t, times).sum()), len(times))
        states[at : at + rows, :n] = outcome.states[:, :n]
        ends[at : at + rows] = np.minimum(outcome.ends, n - 1)
        events += [event._replace(run=event.run + at) for event in outcome.events]
        failures |= {run + at: why for run, why in outcome.failures.items()}
        stopped |= {run + at: name for run, name in outcome.stopped.items()}
        trails += outcome.trails
        poses |= {run + at: q for run, q in outcome.poses.items()}
        notes += [f"Run {at}: {note[:1].lower()}{note[1:]}" if rows == 1 else note for note in outcome.notes]
        at, steps, evaluations = at + rows, steps + outcome.steps, evaluations + outcome.evaluations
        interrupted = outcome.interrupted
        if interrupted:
            break
    return Integration(
        times, states, ends, events, failures, stopped, steps, evaluations, interrupted, trails, tuple(notes), poses
    )


def grid(until: float, every: float | None, dt: float) -> tuple[Array, float, int]:
    """Return the times of samples, the length of a step (at most dt), and the steps between samples."""
    samples = max(1, round(until / (every or dt)))
    repeats = max(1, int(np.ceil(until / samples / dt - 1e-9)))
    if samples * repeats > 10**9:
        raise InputError(
            f"simulate: dt is {dt:g}; {until:g} s would take {samples * repeats:.3g} steps. Give a larger dt."
        )
    return until * np.arange(samples + 1) / samples, until / samples / repeats, repeats
