"""Fixed-step integration of one run or many at once, in chunks so that it can be watched and interrupted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.plant import POWERS
from lissom.errors import InputError, LissomError
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.events import Event, Happening, LimitEvent
from lissom.simulation.friction import settled
from lissom.simulation.outcome import Outcome
from lissom.simulation.stepping import Stepper
from lissom.spatial.rotations import Array

CHUNK_SECONDS = 0.2
LEAST_RUNS_PER_THREAD = 16


class Fixed:
    """Steps of one length for all runs."""

    def __init__(
        self,
        loop: ClosedLoop,
        h: float,
        repeats: int,
        events: Sequence[Event],
        progress: Callable[[float], None],
        threads: int | None = None,
        many: bool = False,
    ):
        """`many`: runs are kept side by side, on common times."""
        self.many = many
        self.loop, self.h, self.repeats, self.progress = loop, h, repeats, progress
        self.events = list(events)
        self.stepper = Stepper(loop)
        self.threads = threads

    def run(self, q0: Array, qd0: Array, times: Array) -> Outcome:
        """q0, qd0 (runs, dof); `times` are `repeats` steps apart."""
        rows = len(q0)
        out = np.full((rows, len(times), self.stepper.state_size), np.nan)
        failure: dict[int, str] = {}
        interrupted = False
        filled = 0
        try:
            out[:, 0] = self._first(q0, qd0, float(times[0]))
            filled = 1
            size = 1
            while filled < len(times):
                begin = time.perf_counter()
                stop = min(filled + size, len(times))
                state = np.ascontiguousarray(out[:, filled - 1])
                self._advance(state, times[filled - 1 : stop - 1], out[:, filled:stop])
                filled = stop
                self.progress(float(times[filled - 1]))
                spent = max(time.perf_counter() - begin, 1e-6)
                size = max(1, min(4 * size, int(size * CHUNK_SECONDS / spent)))
                if not np.isfinite(out[:, filled - 1]).any():
                    break
        except KeyboardInterrupt:
            interrupted = True
        except LissomError as error:
            failure[0] = str(error)
            filled = max(filled, int(np.isfinite(out).all(axis=(0, 2)).sum()))
        return self._outcome(times, out, filled, failure, interrupted)

    def _first(self, q0: Array, qd0: Array, t: float) -> Array:
        work = np.zeros((len(q0), POWERS))
        if not self.loop.sliding:
            return np.concatenate([q0, qd0, work], axis=1)
        ways = [settled(self.loop.member(k), t, q, v) for k, (q, v) in enumerate(zip(q0, qd0, strict=True))]
        return np.concatenate([q0, qd0, work, np.array(ways), np.zeros_like(ways)], axis=1)

    def _advance(self, state: Array, t: Array, chunk: Array) -> bool:
        threads = self.threads
        if threads is None:
            threads = max(1, min(os.cpu_count() or 1, len(state) // LEAST_RUNS_PER_THREAD))
        return self.stepper.advance(state, t, self.h, self.repeats, chunk, threads)

    # ---- how it went -----------------------------------------------------------------------------

    def _outcome(self, times: Array, out: Array, filled: int, failure: dict[int, str], interrupted: bool) -> Outcome:
        good: Any = np.isfinite(out[:, :filled]).all(axis=2)
        ends = np.where(good.all(axis=1), filled - 1, np.argmin(good, axis=1) - 1).astype(np.intp)
        for k in np.flatnonzero(ends < filled - 1).tolist():
            failure.setdefault(k, self._reason(k, times, out, int(ends[k])))
        happened, stopped = self._events(times, out, ends)
        happened.sort(key=lambda event: (event.run, event.t))
        steps = (filled - 1) * self.repeats
        for run, end in enumerate(ends):
            out[run, end + 1 :] = np.nan
        done = 4 * steps * len(out)
        if self.many:
            return Outcome(times, out, ends, happened, failure, stopped, steps, done, interrupted)
        t, out = times[: ends[0] + 1], out[:, : ends[0] + 1]
        if stopped:  # a single run ends exactly at its event
            t, out = self._ended(t, out, happened)
        return Outcome(t, out, np.array([len(t) - 1]), happened, failure, stopped, steps, done, interrupted)

    def _reason(self, run: int, times: Array, out: Array, end: int) -> str:
        """Step by step from the last good sample, until it goes wrong."""
        loop, stepper = self.loop.member(run), self.stepper.member(run)
        t, state = float(times[end]), out[run, end]
        n = loop.dof
        for _ in range(self.repeats):
            new = np.full((1, 1, len(state)), np.nan)
            fine = stepper.advance(state[None].copy(), np.array([t]), self.h, 1, new)
            if not fine:
                break
            state, t = new[0, 0], t + self.h
        try:
            q, qd = state[:n].copy(), state[n : 2 * n].copy()
            loop.rates(q, qd, loop.ways(state), loop.given(t), loop.outside(t, q, qd))
        except LissomError as error:
            return f"at t = {t:.6g} s: {error}"
        return f"the motion diverged at t = {t:.6g} s"

    def _events(self, times: Array, out: Array, ends: NDArray[np.intp]) -> tuple[list[Happening], dict[int, str]]:
        """Crossings between samples, located by integrating to them; a run ends at an event that stops it.

        A limit that is only noted is located on the cubic through the samples around it.
        """
        n = self.loop.dof
        q, qd = out[..., :n], out[..., n : 2 * n]
        hits: dict[int, list[tuple[float, Event, Array]]] = {}
        for event in self.events:
            for run, k in self._crossings(event, times, q, qd, ends):
                hits.setdefault(run, []).append(self._located(run, event, times, out, k))
        happened: list[Happening] = []
        stopped: dict[int, str] = {}
        for run in sorted(hits):
            for when, event, state in sorted(hits[run], key=lambda hit: hit[0]):
                happened.append(Happening(when, event.name, state[:n], state[n : 2 * n], run))
                if event.stop:
                    stopped[run] = event.name
                    ends[run] = np.searchsorted(times, when, side="right") - 1
                    self._last = state
                    break
        return happened, stopped

    @staticmethod
    def _crossings(event: Event, times: Array, q: Array, qd: Array, ends: NDArray[np.intp]) -> list[tuple[int, int]]:
        """(run, sample before) of every crossing."""
        if isinstance(event, LimitEvent):
            values = event.values(times, q, qd)
        else:
            values = np.full(q.shape[:2], np.nan)
            for run, end in enumerate(ends):
                values[run, : end + 1] = event.values(times[: end + 1], q[run, : end + 1], qd[run, : end + 1])
        with np.errstate(invalid="ignore"):
            found = np.argwhere(event.crossed(values[:, :-1], values[:, 1:]))
        return [(int(run), int(k)) for run, k in found if k < ends[run]]

    def _located(self, run: int, event: Event, times: Array, out: Array, k: int) -> tuple[float, Event, Array]:
        from scipy.optimize import brentq

        start, n = out[run, k][None].copy(), self.loop.dof
        t = float(times[k])
        if isinstance(event, LimitEvent) and not event.stop and self.many:
            return self._on_cubic(event, times[k : k + 2], out[run, k : k + 2])
        stepper = self.stepper.member(run)

        def state(span: float) -> Array:
            if span == 0.0:
                return out[run, k]
            kept = np.zeros((1, 1, start.shape[1]))
            stepper.advance(start, np.array([t]), span / self.repeats, self.repeats, kept)
            return kept[0, 0]

        def value(span: float) -> float:
            x = state(span)
            return event.value(t + span, x[:n], x[n : 2 * n])

        span = float(times[k + 1] - t)
        ends = value(0.0), value(span)
        found = span if ends[0] * ends[1] > 0 else brentq(value, 0.0, span, xtol=1e-15 * max(1.0, t), rtol=1e-14)
        return t + found, event, state(found)

    def _on_cubic(self, event: LimitEvent, t: Array, states: Array) -> tuple[float, Event, Array]:
        """Where the cubic with the positions and rates at both ends crosses the limit."""
        k, side, limit = event.place
        h = float(t[1] - t[0])
        (x0, x1), (v0, v1) = states[:, k].tolist(), (h * states[:, self.loop.dof + k]).tolist()
        low, high = 0.0, 1.0
        for _ in range(40):
            s = 0.5 * (low + high)
            x = x0 + s * (v0 + s * (3 * (x1 - x0) - 2 * v0 - v1 + s * (2 * (x0 - x1) + v0 + v1)))
            low, high = (low, s) if side * (x - limit) >= 0 else (s, high)
        return float(t[0]) + high * h, event, states[0] + high * (states[1] - states[0])

    def _ended(self, t: Array, out: Array, happened: list[Happening]) -> tuple[Array, Array]:
        when = happened[-1].t
        if t[-1] == when:
            return t, out
        return np.append(t, when), np.concatenate([out, self._last[None, None]], axis=1)


def grid(until: float, every: float | None, dt: float, start: float = 0.0) -> tuple[Array, float, int]:
    """Times of samples, length of a step (at most dt), steps from sample to sample."""
    span = until - start
    samples = max(1, round(span / (every or dt)))
    repeats = max(1, int(np.ceil(span / samples / dt - 1e-9)))
    if samples * repeats > 10**9:
        raise InputError(
            f"simulate: dt is {dt:g}; {until:g} s would take {samples * repeats:.3g} steps. Give a larger dt."
        )
    return start + span * np.arange(samples + 1) / samples, span / samples / repeats, repeats
