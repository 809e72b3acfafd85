"""From states to the record of a run: accelerations, torques and energies at the samples, status, provenance."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import LissomError
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import ENERGIES
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.integrators.tableau import tableau
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.spectrum import advice
from lissom.simulation.loop.stability import unstable_at_start
from lissom.simulation.loop.truncated import FIX, conserves_energy, is_truncated, lost_inertia
from lissom.simulation.options import FIXED, Options
from lissom.simulation.outcome import Failure, RunOutcome
from lissom.simulation.records.record import RunReport
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range
from lissom.versions import versions

BATCH = 2**16  # rows of samples evaluated at once
GOOD = (RunOutcome.DONE, RunOutcome.STOPPED)
WIDE = 32  # entries given to a row beyond which there are fewer rows


def recorded(loop: ClosedLoop, outcome: Integration, report: RunReport, options: Options, many: bool) -> Run:
    n, t, states = loop.dof, outcome.t, outcome.states
    troubles: dict[int, Failure] = {}
    found = _at_samples(loop, outcome, states, options.threads, troubles)
    outcome = outcome._replace(failures={**troubles, **outcome.failures})
    arrays: dict[str, Any] = {
        "q": states[..., :n], "qd": states[..., n : 2 * n], "work": states[..., loop.size : loop.size + POWERS], **found
    }  # fmt: skip
    arrays = {word: np.ascontiguousarray(x if many else x[0]) for word, x in arrays.items()}
    if loop.controller_states:
        z = states[..., 2 * n : loop.size]
        arrays["controller_state"] = np.ascontiguousarray(z if many else z[0])
    failures = {run: _failure(loop, outcome, run, report, options.until) for run in outcome.failures}
    report = replace(report, balance_tolerance=options.audit or _allowed(loop, report, options))
    run = Run(
        loop.described, t, **arrays, status="", ok=True, events=tuple(outcome.events), failures=failures,
        report=report, interrupted=outcome.interrupted, arms=loop.arms(len(states)),
    )  # fmt: skip
    checked = _checked(run, loop)
    outcomes = _outcomes(run, outcome, checked)
    status = _status(run, outcome, options, checked, outcomes)
    return run.with_verdict(status=status, ok=all(x in GOOD for x in outcomes), outcomes=outcomes)


class _Checked(NamedTuple):
    """Checks of a complete run: energy balance errors, remarks on deflections and on the truncated mass matrix."""

    errors: Array
    remark: str
    valid: bool
    conservative: bool
    lost: str


def _checked(run: Run, loop: ClosedLoop) -> _Checked | None:
    if run.interrupted or run.failures:
        return None
    remark, valid = bending_range.deflection_report(run.arm, run.t, run.q, run.arms)
    lost = ""
    if is_truncated(run.arm):
        q = run.q[None] if run.count is None else run.q
        lost = lost_inertia(loop, run.t, q, range(len(q)), len(q))
    return _Checked(np.atleast_1d(run.balance_error), remark, valid, conserves_energy(run.arm), lost)


def _outcomes(run: Run, outcome: Integration, checked: _Checked | None) -> tuple[RunOutcome, ...]:
    """Return how every run ended."""
    rows, last = len(outcome.ends), len(outcome.t) - 1
    found = [RunOutcome.DONE] * rows
    for k in range(rows):
        if k in outcome.failures:
            found[k] = outcome.failures[k].outcome
        elif k in outcome.stopped:
            found[k] = RunOutcome.STOPPED
        elif run.interrupted and (run.count is None or outcome.ends[k] < last):
            found[k] = RunOutcome.INTERRUPTED
    if checked is None:
        return tuple(found)
    for k in range(rows):
        if not checked.valid and not bending_range.deflection_report(*run.states_of(k))[1]:
            found[k] = RunOutcome.DEFLECTED
        elif checked.conservative and checked.errors[k] > run.report.balance_tolerance:
            found[k] = RunOutcome.UNBALANCED
    if checked.lost:
        found = [RunOutcome.INDEFINITE if x is RunOutcome.DONE else x for x in found]
    return tuple(found)


def _at_samples(
    loop: ClosedLoop, outcome: Integration, states: Array, threads: int | None, troubles: dict[int, Failure]
) -> dict[str, Array]:
    """Return accelerations, torques, power and energies (runs, nt, ...) by name, computed in slices of samples.

    Samples at which they cannot be computed are NaN; the first such error of every run goes to `troubles`.
    """
    n, rows, batch = loop.dof, len(states), states.shape[:2]
    shapes = {"qdd": (n,), "tau": (n,), "power": (POWERS,), "kinetic": (), "potential": ()}
    made = {word: np.full((*batch, *shape), np.nan) for word, shape in shapes.items()}
    rates = [made[word] for word in ("qdd", "tau", "power")]
    steady = loop.inputs.steady(rows)
    energy, own = functions_of(loop.arm).get(ENERGIES, loop.acting, loop.backend), loop.own(steady)
    for k, t in _slices(outcome.t, rows, loop.inputs.size):
        known = np.isfinite(states[:, k, 0])
        run, sample = np.nonzero(known)
        if not len(run):
            continue
        some = states[:, k][known]
        state, way = loop.split(some), loop.ways(some)
        at = (run, sample + k.start)
        try:
            given = _given(loop, t, steady, run, sample)
            found = loop.rates(state, way, given, _outside(loop, t[sample], state.q, state.qd), threads)
            for into, part in zip(rates, (found.qdd, found.tau, found.power), strict=True):
                into[at] = part
        except LissomError:
            _one_by_one(loop, outcome.t, states, at, rates, troubles)
        both = energy(state.q, state.qd, *(np.ascontiguousarray(x[run]) for x in own), threads=threads)
        made["kinetic"][at], made["potential"][at] = both[..., 0], both[..., 1]
    return made


def _outside(loop: ClosedLoop, t: Array, q: Array, qd: Array) -> Array | None:
    """Return the torques of a user's function at samples, or None."""
    if loop.controller is not None:
        return None
    return np.array([loop.outside(float(when), *row) for when, *row in zip(t, q, qd, strict=True)]).reshape(q.shape)


def _one_by_one(
    loop: ClosedLoop, t: Array, states: Array, at: tuple[Any, Any], rates: list[Array], troubles: dict[int, Failure]
) -> None:
    """Compute the samples one by one where some of them cannot be computed."""
    for run, sample in zip(*(x.tolist() for x in at), strict=True):
        member, when, state = loop.member(run), float(t[sample]), states[run, sample]
        try:
            found = member.slope(when, state, loop.ways(state))
            for into, part in zip(rates, (found.qdd, found.tau, found.power), strict=True):
                into[run, sample] = part
        except LissomError as error:
            troubles.setdefault(run, Failure.of(error, f"at t = {when:.6g} s: "))


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


def _failure(loop: ClosedLoop, outcome: Integration, run: int, report: RunReport, until: float) -> str:
    """Return why and where a run failed, and what to try."""
    n, end = loop.dof, int(outcome.ends[run])
    failure = outcome.failures[run]
    kind, why = failure.outcome, failure.why.replace("simulate: ", "").rstrip(".")
    if end < 0:
        return f"{why}." if failure.by_user else f"{why}. Check the initial state."
    state = outcome.states[run, end]
    rates = np.abs(state[n : 2 * n])
    fastest = f", where {loop.arm.coordinates[int(np.argmax(rates))]!r} has the largest rate" if rates.any() else ""
    where = f"{why}. The last valid sample is at t = {outcome.t[end]:.6g} s{fastest}."
    if kind not in (RunOutcome.DIVERGED, RunOutcome.COLLAPSED):
        return where
    if is_truncated(loop.arm):
        known, total = outcome.states[[run], : end + 1, :n], len(outcome.states)
        lost = lost_inertia(loop, outcome.t[: end + 1], known, [run], total)
        return (
            f"{where} {lost[:1].upper()}{lost[1:]}; {FIX}." if lost else f"{where} The equations are truncated; {FIX}."
        )
    member, start = loop.member(run), outcome.states[run, 0]
    states = [(float(outcome.t[k]), x) for k, x in ((0, start), (end, state))]
    reach = np.inf if report.dt is None else tableau(report.method).reach
    advised = unstable_at_start(member, start, until) or advice(member, states, reach, report.dt)
    if advised is None and kind is RunOutcome.DIVERGED:  # a step that collapsed says what to try
        smaller = "rtol" if report.dt is None else "dt"
        advised = f"Try a smaller {smaller} or method='radau', and check the last valid state."
    return where if advised is None else f"{where} {advised}"


def _status(
    run: Run, outcome: Integration, options: Options, checked: _Checked | None, outcomes: tuple[RunOutcome, ...]
) -> str:
    """Return the sentence that describes the outcome of a run."""
    if run.interrupted:
        reached = outcome.t[max(int(outcome.ends.max(initial=0)), 0)] if len(outcome.t) else 0.0
        return f"interrupted at t = {reached:.6g} s of {options.until:g} s"
    if run.failures:
        first = min(run.failures)
        if run.count is None:
            return run.failures[first]
        return f"{len(run.failures)} of {run.count} runs failed; run {first}: {run.failures[first]}"
    assert checked is not None
    text, allowed, worst = "done", run.report.balance_tolerance, float(checked.errors.max())
    if outcome.stopped:
        several = f"done; {len(outcome.stopped)} of {run.count} runs were stopped by events"
        text = several if run.count is not None else f"stopped at t = {run.t[-1]:.6g} s: {outcome.stopped[0]}"
    text = f"{text}; {checked.remark}" if checked.remark else text
    text = f"{text}; {checked.lost}" if checked.lost else text
    if not checked.conservative:
        drift = f"energy balance error {worst:.2g} of the energy exchanged: truncated equations do not conserve energy"
        return f"{text}; {drift}"
    if worst <= allowed:
        return text
    who = "" if run.count is None else f" in {int((checked.errors > allowed).sum())} of {run.count} runs"
    fix = "a smaller dt" if run.report.dt is not None else "a smaller rtol"
    loss = f"energy balance error is {worst:.2g} of the energy exchanged{who} (allowed {allowed:.2g})"
    if text == "done":
        return f"the {loss}, though the run reached its end; try {fix}"
    return f"{text}, but the {loss}; try {fix}"


def _allowed(loop: ClosedLoop, report: RunReport, options: Options) -> float:
    """Return the expected energy balance error; larger for fixed steps, which do not locate stick-slip instants."""
    if report.method == "rodas":
        return max(1e3 * options.rtol, 1e-9)
    if report.method not in FIXED:
        return max(1e4 * options.rtol, 1e-9)
    return 1e-3 if loop.described.sticks.any() else 1e-4


def provenance(loop: ClosedLoop, options: Options) -> dict[str, Any]:
    controller = loop.controller or getattr(loop.feedback, "controller", None)
    return {
        **versions(),
        "arm": loop.described.digest,
        **({} if loop.several is None else {"arms": len(loop.several.arms)}),
        "controller": "function" if controller is None else type(controller).__name__,
        **({"controller_states": list(loop.controller_states)} if loop.controller_states else {}),
        "settings": {} if controller is None else controller.settings(),
        "options": options.numerical(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
