"""Singular configurations on the way of a run: positions at which closures hold less than they did at the start.

There the motion may go on in more than one way (a parallelogram may fold over). The smallest singular value of G
that counts goes down to zero and up again on such a way, so a run is looked through for its dips; each is followed
down on the cubic through the states around it, put on the closures.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.simulation.linkage import Linkage
from lissom.simulation.outcome import Outcome
from lissom.spatial.rotations import Array

DIP = 0.5  # of the highest value so far; less deep ones do not come near zero
SINGULAR = 1e-5  # of the largest singular value: nearer than steps can tell
NEAR = 1e-3  # of the largest singular value, where a failure may be due to it


class Passage(NamedTuple):
    """A singular configuration that a run passes: when, and which loop."""

    t: float
    words: str


def passages(loop: Linkage, t: Array, states: Array) -> list[Passage]:
    """Those on the way through states (nt, q, qd, ...), in order of time."""
    n = loop.dof
    if len(t) < 3:
        return []
    size = loop.conditions(np.ascontiguousarray(states[:, :n]))
    highest = np.maximum.accumulate(size)
    dips = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < DIP * highest[1:-1])) + 1
    found = []
    for k in dips:
        for i in (k - 1, k):  # the lowest point is on either side
            passage = _lowest(loop, t[i : i + 2], states[i : i + 2])
            if passage is not None:
                found.append(passage)
                break
    return found


def _lowest(loop: Linkage, t: Array, states: Array) -> Passage | None:
    """The singular configuration between two states, None where there is none."""
    from scipy.optimize import minimize_scalar

    # its square is a parabola around a zero
    low = minimize_scalar(
        lambda s: _condition(loop, t, states, s) ** 2, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-8}
    )
    s = float(low.x)
    if low.fun > SINGULAR**2:
        return None
    words = loop.singular_words(loop.close(_between(loop, t, states, s)).G)
    return Passage(float(t[0] + s * (t[1] - t[0])), words)


def _condition(loop: Linkage, t: Array, states: Array, s: float) -> float:
    return float(loop.conditions(_between(loop, t, states, s)))


def _between(loop: Linkage, t: Array, states: Array, s: float) -> Array:
    """q (dof,) on the cubic between two states, closed as far as it can be."""
    n, h = loop.dof, float(t[1] - t[0])
    (x0, x1), (v0, v1) = states[:, :n], h * states[:, n : 2 * n]
    q = x0 + s * (v0 + s * (3 * (x1 - x0) - 2 * v0 - v1 + s * (2 * (x0 - x1) + v0 + v1)))
    return loop.nearly_closed(q)


# ---- what becomes of a run -----------------------------------------------------------------------


def looked_through(loop: Linkage, outcome: Outcome, passing: bool, notes: list[str]) -> Outcome:
    """The outcome with its runs ended at their first singular configuration, or, `passing`, with notes of all."""
    for run, (t, states) in enumerate(outcome.trails):
        met = passages(loop, t, states)
        if met and not passing:
            outcome = _ended(outcome, run, met[0])
            continue
        if met:
            notes.append(_passed(met, f"Run {run}: at" if len(outcome.trails) > 1 else "At"))
        if run in outcome.failures and len(t):
            outcome.failures[run] = outcome.failures[run].rstrip(".") + _nearness(loop, states[-1])
    return outcome


def _passed(met: list[Passage], at: str) -> str:
    """What to say of a run that went on."""
    times = ", ".join(f"{m.t:.6g}" for m in met[:5]) + (f" and {len(met) - 5} times more" if len(met) > 5 else "")
    return f"{at} t = {times} s {met[0].words}; it went on from there."


def _nearness(loop: Linkage, state: Array) -> str:
    """What a run that failed may have to do with it."""
    size = float(loop.conditions(np.ascontiguousarray(state[: loop.dof])))
    if size > NEAR:
        return ""
    return f"; the closed loops are near a singular configuration there (singular values differ by {1 / size:.1g})"


def _ended(outcome: Outcome, run: int, met: Passage) -> Outcome:
    """The outcome with a run that ends where it met a singular configuration."""
    t, states, ends = outcome.t, outcome.states.copy(), outcome.ends.copy()
    why = f"at t = {met.t:.6g} s {met.words}; the motion may go on in more than one way. singular='pass' lets it go on"
    events = [event for event in outcome.events if event.run != run or event.t <= met.t]
    ends[run] = int(np.searchsorted(t, met.t, side="right")) - 1
    if len(states) == 1:
        t, states = t[: ends[0] + 1], states[:, : ends[0] + 1]
    else:
        states[run, ends[run] + 1 :] = np.nan
    stopped = {k: name for k, name in outcome.stopped.items() if k != run}
    return outcome._replace(
        t=t, states=states, ends=ends, events=events, failures={**outcome.failures, run: why}, stopped=stopped
    )
