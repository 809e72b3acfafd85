"""Singular configurations along a run: positions at which the closures have a lower rank than at the start.

There the motion is not unique (a parallelogram may fold over). The smallest relevant singular value of G
falls to zero and rises again along the run. Steps may be so long that this happens within one of them, so a run is
also checked between its steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.loops.dips import zeros
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.loop.linkage import Linkage
from lissom.simulation.outcome import Failure, RunOutcome
from lissom.spatial.rotations import Array

NEAR = 1e-3  # of the largest singular value, where a failure may be due to it
APART = 0.1  # rad or m that a coordinate moves at most between two looks
MOST = 1000  # looks in a step


class Passage(NamedTuple):
    """A singular configuration along a run: its time, and a description of the loop."""

    t: float
    words: str


def passages(loop: Linkage, t: Array, states: Array) -> list[Passage]:
    """Return the singular configurations along states (nt, q, qd, ...), in order of time."""
    if len(t) < 2:
        return []
    way = _Way(loop, t, states)
    found = zeros(lambda at: loop.conditions(way(at)), way.looks())
    return [Passage(at, loop.singular_words(loop.close(way(np.array([at]))[0]).G)) for at in found]


class _Way:
    """Positions (k, dof) at any times (k,) of a run: cubic between the ends of a step, projected onto the closures."""

    def __init__(self, loop: Linkage, t: Array, states: Array) -> None:
        self.loop, self.t = loop, t
        self.q, self.qd = states[:, : loop.dof], states[:, loop.dof : 2 * loop.dof]

    def looks(self) -> Array:
        """Return the times to check: ends of steps, and more between them where steps are long."""
        h = np.diff(self.t)[:, None]
        far = np.maximum(np.abs(np.diff(self.q, axis=0)), h * np.maximum(np.abs(self.qd[:-1]), np.abs(self.qd[1:])))
        counts = np.clip(np.ceil(far.max(axis=1) / APART), 1 if len(h) > 1 else 2, MOST).astype(int)
        inner = [np.linspace(a, b, k, endpoint=False) for a, b, k in zip(self.t[:-1], self.t[1:], counts, strict=True)]
        return np.append(np.concatenate(inner), self.t[-1])

    def __call__(self, at: Array) -> Array:
        k = np.clip(np.searchsorted(self.t, at, side="right") - 1, 0, len(self.t) - 2)
        h = (self.t[k + 1] - self.t[k])[:, None]
        s = (at - self.t[k])[:, None] / h
        x0, x1, v0, v1 = self.q[k], self.q[k + 1], h * self.qd[k], h * self.qd[k + 1]
        q = x0 + s * (v0 + s * (3 * (x1 - x0) - 2 * v0 - v1 + s * (2 * (x0 - x1) + v0 + v1)))
        inside = ((s > 0) & (s < 1))[:, 0]  # ends of steps are closed
        q[inside] = self.loop.close.nearly_closed(q[inside])
        return q


# ---- what becomes of a run -----------------------------------------------------------------------


def looked_through(loop: Linkage, outcome: Integration, pass_singular: bool, notes: list[str]) -> Integration:
    """Return the outcome with runs ended at their first singular configuration, or with `pass_singular` with notes."""
    for run, (t, states) in enumerate(outcome.trails):
        met = passages(loop, t, states)
        if met and not pass_singular:
            outcome = _ended(outcome, run, met[0])
            continue
        if met:
            notes.append(_passed(met, f"Run {run}: at" if len(outcome.trails) > 1 else "At"))
        if run in outcome.failures and len(t):
            outcome.failures[run] = _near(loop, outcome.failures[run], states[-1])
    return outcome


def _passed(met: list[Passage], at: str) -> str:
    """Return the note about a run that continued through singular configurations."""
    times = ", ".join(f"{m.t:.6g}" for m in met[:5])
    more = f" and {len(met) - 5} more times" if len(met) > 5 else ""
    return f"{at} t = {times} s{more} {met[0].words}; the simulation continued."


def _near(loop: Linkage, failure: Failure, state: Array) -> Failure:
    """Return the failure of a run, with a remark if it ended near a singular configuration."""
    size, why = float(loop.conditions(np.ascontiguousarray(state[: loop.dof]))), failure.why.rstrip(".")
    if size > NEAR:
        return failure._replace(why=why)
    near = f"{why}; the closed loops are near a singular configuration there (condition number {1 / size:.1g})"
    return Failure(near, RunOutcome.SINGULAR)


def _ended(outcome: Integration, run: int, met: Passage) -> Integration:
    """Return the outcome with a run ended at a singular configuration."""
    t, states, ends = outcome.t, outcome.states.copy(), outcome.ends.copy()
    why = f"at t = {met.t:.6g} s {met.words}; the motion is not unique from there. Use singular='pass' to continue"
    events = [event for event in outcome.events if event.run != run or event.t <= met.t]
    ends[run] = int(np.searchsorted(t, met.t, side="right")) - 1
    if len(states) == 1:
        t, states = t[: ends[0] + 1], states[:, : ends[0] + 1]
    else:
        states[run, ends[run] + 1 :] = np.nan
    stopped = {k: name for k, name in outcome.stopped.items() if k != run}
    return outcome._replace(
        t=t,
        states=states,
        ends=ends,
        events=events,
        failures={**outcome.failures, run: Failure(why, RunOutcome.SINGULAR)},
        stopped=stopped,
    )
