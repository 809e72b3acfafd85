"""From states to the record of a run: accelerations, torques and energies at the samples, status, provenance."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import LissomError
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.options import FIXED, Options
from lissom.simulation.outcome import Outcome
from lissom.simulation.run import Run, RunReport
from lissom.simulation.spectrum import advice
from lissom.simulation.tableau import tableau
from lissom.simulation.truncated import FIX, is_truncated, lost_inertia
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range
from lissom.verbs.call import library_of
from lissom.versions import versions

BATCH = 2**16  # rows of samples evaluated at once
WIDE = 32  # entries given to a row beyond which there are fewer rows
FROM_FUNCTION = re.compile(r" raised | gave |\(from ")  # failures of functions that the user gave


def recorded(loop: ClosedLoop, outcome: Outcome, report: RunReport, options: Options, many: bool) -> Run:
    n, t, states = loop.dof, outcome.t, outcome.states
    troubles: dict[int, str] = {}
    found = _at_samples(loop, outcome, states, options.threads, troubles)
    outcome = outcome._replace(failures={**troubles, **outcome.failures})
    arrays: dict[str, Any] = {
        "q": states[..., :n], "qd": states[..., n : 2 * n], "work": states[..., 2 * n : 2 * n + POWERS], **found
    }  # fmt: skip
    arrays = {word: np.ascontiguousarray(x if many else x[0]) for word, x in arrays.items()}
    failures = {run: _failure(loop, outcome, run, report) for run in outcome.failures}
    run = Run(
        loop.described, t, **arrays, status="done", ok=True, events=tuple(outcome.events), failures=failures,
        report=report, arms=loop.arms(len(states)),
    )  # fmt: skip
    status, ok = _status(run, loop, outcome, options)
    report = replace(report, balance_tolerance=options.audit or _allowed(run, options))
    return replace(run, status=status, ok=ok, interrupted=outcome.interrupted, report=report)


def _at_samples(
    loop: ClosedLoop, outcome: Outcome, states: Array, threads: int | None, troubles: dict[int, str]
) -> dict[str, Array]:
    """Return accelerations, torques, power and energies (runs, nt, ...) by name, computed in slices of samples.

    Samples at which they cannot be computed are NaN; the first such error of every run goes to `troubles`.
    """
    n, rows, batch = loop.dof, len(states), states.shape[:2]
    shapes = {"qdd": (n,), "tau": (n,), "power": (POWERS,), "kinetic": (), "potential": ()}
    made = {word: np.full((*batch, *shape), np.nan) for word, shape in shapes.items()}
    rates = [made[word] for word in ("qdd", "tau", "power")]
    steady = loop.inputs.steady(rows)
    energy, own = library_of(loop.arm).get("energies", loop.setting), loop.own(steady)
    for k, t in _slices(outcome.t, rows, loop.inputs.size):
        known = np.isfinite(states[:, k, 0])
        run, sample = np.nonzero(known)
        if not len(run):
            continue
        some = states[:, k][known]
        q, qd, way = np.ascontiguousarray(some[:, :n]), np.ascontiguousarray(some[:, n : 2 * n]), loop.ways(some)
        at = (run, sample + k.start)
        try:
            given = _given(loop, t, steady, run, sample)
            found = loop.rates(q, qd, way, given, _outside(loop, t[sample], q, qd), threads)
            for into, part in zip(rates, (found.qdd, found.tau, found.power), strict=True):
                into[at] = part
        except LissomError:
            _one_by_one(loop, outcome.t, states, at, rates, troubles)
        both = energy(q, qd, *(np.ascontiguousarray(x[run]) for x in own), threads=threads)
        made["kinetic"][at], made["potential"][at] = both[..., 0], both[..., 1]
    return made


def _outside(loop: ClosedLoop, t: Array, q: Array, qd: Array) -> Array | None:
    """Return the torques of a user's function at samples, or None."""
    if loop.controller is not None:
        return None
    return np.array([loop.outside(float(when), *row) for when, *row in zip(t, q, qd, strict=True)]).reshape(q.shape)


def _one_by_one(
    loop: ClosedLoop, t: Array, states: Array, at: tuple[Any, Any], rates: list[Array], troubles: dict[int, str]
) -> None:
    """Compute the samples one by one where some of them cannot be computed."""
    n = loop.dof
    for run, sample in zip(*(x.tolist() for x in at), strict=True):
        member, when, state = loop.member(run), float(t[sample]), states[run, sample]
        q, qd = state[:n].copy(), state[n : 2 * n].copy()
        try:
            found = member.rates(q, qd, loop.ways(state), member.inputs.at(when), member.outside(when, q, qd))
            for into, part in zip(rates, (found.qdd, found.tau, found.power), strict=True):
                into[run, sample] = part
        except LissomError as error:
            troubles.setdefault(run, f"at t = {when:.6g} s: {error}")


def _slices(t: Array, rows: int, given: int) -> Any:
    """Yield slices of samples to evaluate at once, smaller where rows have many inputs."""
    size = max(1, BATCH // (rows * (1 + given // WIDE)))
    for k in range(0, len(t), size):
        yield slice(k, k + size), t[k : k + size]


def _given(loop: ClosedLoop, t: Array, steady: Array, run: Any, sample: Any) -> Array:
    """Return the inputs at every known sample; at a jump the value after it."""
    parts = [steady[run]]
    if loop.inputs.size > loop.inputs.steady_size:
        table = loop.inputs.varying_over(t)
        parts.append(table[sample, run] if table.ndim == 3 else table[sample])
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _failure(loop: ClosedLoop, outcome: Outcome, run: int, report: RunReport) -> str:
    """Return why and where a run failed, and what to try."""
    n, end = loop.dof, int(outcome.ends[run])
    why = outcome.failures[run].replace("simulate: ", "").rstrip(".")
    if end < 0:
        return f"{why}." if FROM_FUNCTION.search(why) else f"{why}. Check the initial state."
    state = outcome.states[run, end]
    rates = np.abs(state[n : 2 * n])
    fastest = f", where {loop.arm.coordinates[int(np.argmax(rates))]!r} has the largest rate" if rates.any() else ""
    where = f"{why}. The last valid sample is at t = {outcome.t[end]:.6g} s{fastest}."
    if ("diverged" not in why and "collapsed" not in why) or "singular configuration" in why:
        return where
    if is_truncated(loop.arm):
        known, total = outcome.states[[run], : end + 1, :n], len(outcome.states)
        lost = lost_inertia(loop, outcome.t[: end + 1], known, [run], total)
        return (
            f"{where} {lost[:1].upper()}{lost[1:]}; {FIX}." if lost else f"{where} The equations are truncated; {FIX}."
        )
    member, start = loop.member(run), outcome.states[run, 0]
    states = [(float(outcome.t[k]), x[:n].copy(), x[n : 2 * n].copy()) for k, x in ((0, start), (end, state))]
    reach = np.inf if report.dt is None else tableau(report.method).reach
    advised = advice(member, states, reach, report.dt)
    if advised is None and "diverged" in why:  # a step that collapsed says what to try
        smaller = "rtol" if report.dt is None else "dt"
        advised = f"Try a smaller {smaller} or method='radau', and check the last valid state."
    return where if advised is None else f"{where} {advised}"


def _status(run: Run, loop: ClosedLoop, outcome: Outcome, options: Options) -> tuple[str, bool]:
    if outcome.interrupted:
        reached = outcome.t[max(int(outcome.ends.max(initial=0)), 0)] if len(outcome.t) else 0.0
        return f"interrupted at t = {reached:.6g} s of {options.until:g} s", False
    if run.failures:
        first = min(run.failures)
        if run.count is None:
            return run.failures[first], False
        return f"{len(run.failures)} of {run.count} runs failed; run {first}: {run.failures[first]}", False
    text = "done"
    if outcome.stopped:
        several = f"done; {len(outcome.stopped)} of {run.count} runs were stopped by events"
        text = several if run.count is not None else f"stopped at t = {run.t[-1]:.6g} s: {outcome.stopped[0]}"
    allowed = options.audit or _allowed(run, options)
    error = run.balance_error
    worst = float(np.max(error))
    bent, good = bending_range.deflection_report(run.arm, run.t, run.q, run.arms)
    text = f"{text}; {bent}" if bent else text
    if is_truncated(run.arm):
        q = run.q[None] if run.count is None else run.q
        lost = lost_inertia(loop, run.t, q, range(len(q)), len(q))
        drift = f"energy balance error {worst:.2g} of the energy exchanged: truncated equations do not conserve energy"
        return "; ".join(part for part in (text, lost, drift) if part), good and not lost
    if worst <= allowed:
        return text, good
    who = "" if run.count is None else f" in {int((error > allowed).sum())} of {run.count} runs"
    fix = "a smaller dt" if run.report.dt is not None else "a smaller rtol"
    loss = f"energy balance error {worst:.2g} of the energy exchanged{who} (allowed {allowed:.2g})"
    return f"{text}, but {loss}; try {fix}", False


def _allowed(run: Run, options: Options) -> float:
    """Return the expected energy balance error; larger for fixed steps, which do not locate stick-slip instants."""
    if run.report.method == "rodas":
        return max(1e3 * options.rtol, 1e-9)
    if run.report.method not in FIXED:
        return max(1e4 * options.rtol, 1e-9)
    return 1e-3 if run.arm.friction.any() else 1e-4


def provenance(loop: ClosedLoop, options: Options) -> dict[str, Any]:
    return {
        **versions(),
        "arm": loop.described.digest,
        **({} if loop.several is None else {"arms": len(loop.several.arms)}),
        "controller": type(loop.controller).__name__ if loop.controller is not None else "function",
        "settings": loop.controller.settings() if loop.controller is not None else {},
        "options": {k: v for k, v in options._asdict().items() if v is not None},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
