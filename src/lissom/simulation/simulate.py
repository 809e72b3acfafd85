"""`simulate`: from an arm and what acts on it to a run."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.plant import POWERS
from lissom.errors import InputError, SimulationError, shown
from lissom.model.arm import Arm
from lissom.simulation import choose, parts, setup
from lissom.simulation.adaptive import Adaptive
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.events import as_events, limit_events
from lissom.simulation.fixed import Fixed, grid
from lissom.simulation.outcome import Outcome
from lissom.simulation.progress import Progress, shown_progress
from lissom.simulation.run import Report, Run
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.states import as_arm, as_threads

SAMPLES = 500  # of an adaptive run, unless `every` is given
SAMPLES_OF_MANY = 100
BATCH = 2**18  # rows of samples evaluated at once


class Options(NamedTuple):
    """How to integrate."""

    until: float
    method: str | None
    rtol: float
    atol: float
    dt: float | None
    every: float | None
    audit: float | None
    threads: int | None


def simulate(
    arm: Arm,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    tau: Any = None,
    until: float | None = None,
    *,
    loads: Any = (),
    base: Any = None,
    prescribed: Any = None,
    payloads: Any = None,
    events: Any = (),
    stop_at_limits: bool = False,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    dt: float | None = None,
    every: float | None = None,
    method: str | None = None,
    audit: float | None = None,
    on_failure: str = "raise",
    progress: bool | Callable[[float], None] = False,
    threads: int | None = None,
    save: str | os.PathLike[str] | None = None,
    save_every: int | None = None,
    resume: bool = False,
) -> Run:
    """The motion of an arm over time, with its energy audited.

    Where torques are numbers, profiles or controllers, fixed steps run as one compiled loop; many runs
    (`q0` or anything else with one row per run) then advance side by side in SIMD lanes and threads.

    Parameters
    ----------
    arm : Arm
    q0, qd0 : (dof,) or (runs, dof)   initial state; None: `arm.home`, at rest; one entry per joint is accepted
    tau : what the motors do
        None, numbers (dof,) or (runs, dof), samples (nt, dof) or (runs, nt, dof) evenly spread over the
        time and joined by lines, a `Profile`, a controller (`PD`, `ComputedTorque`, `GravityCompensation`,
        `Impedance`, `StateFeedback`), or a function ``tau(t, q, qd)`` (of many runs: rows of states)
    until : float                     end [s]
    loads : list of Load, or a function of time that gives one
    base : BaseMotion, or a function of time that gives one
    prescribed : {joint: acceleration}
        joints (or links) that follow an acceleration: a number, a `Profile` or a function of time; the
        torque that leads them is in `Run.tau`
    payloads : list of Payload, or {link: list}
        the payload of every run, in place of the one the arm has; default: on the last link that moves
    events : list of Event, or of functions f(t, q, qd)
    stop_at_limits : bool             end where a joint reaches a limit of its position (else it is only noted)
    rtol, atol : float                tolerances of adaptive methods, and of the step chosen for many runs
    dt : float or None                length of fixed steps, at most [s]
    every : float or None             time between samples [s]; None: each step dt, else 500 (many runs: 100) in all
    method : str or None
        "rk4" (fixed steps), "rk45", "dop853" (adaptive), "radau", "bdf" (implicit, for stiff arms); None:
        chosen, with the reason in `Run.report`
    audit : float or None             allowed error of the energy balance, relative; None: by the method
    on_failure : "raise" or "return"  what to do with a run that ends early; the error carries `.run`
    progress : bool or f(fraction)    show a bar, or be told
    threads : int or None             for many runs; None: all cores
    save : path or None               write the run there (see `Run.save`), also when it ends early
    save_every : int or None
        of many runs, write each so many as they are finished, to a folder beside `save`; a process that is
        killed loses no more than that
    resume : bool                     go on from such a folder; the numbers are those of an unbroken simulation

    Returns
    -------
    Run

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> run.q.shape, run.status, bool(run.balance_error < 1e-8)
    ((501, 2), 'done', True)
    >>> many = ls.simulate(ls.load("two_link"), [[0.3, 0.1], [0.2, 0.1]], until=1.0, dt=1e-3, every=0.1)
    >>> many.q.shape
    (2, 11, 2)
    """
    as_arm(arm, setup.VERB)
    options = _options(until, method, rtol, atol, dt, every, audit, threads)
    if on_failure not in ("raise", "return"):
        raise InputError(f"simulate: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    first = setup.start(arm, q0, qd0, lambda: None)
    runs = None if first.single else len(first.q)
    loop = setup.closed_loop(arm, tau, options.until, runs, loads, base, prescribed, payloads)
    begin = setup.start(arm, q0, qd0, lambda: loop.runs)
    watched = [*as_events(events), *limit_events(arm, stop_at_limits)]
    store = parts.Store.of(save, save_every, resume, begin)
    with shown_progress(progress, options.until) as tell:
        if store is None:
            run = _run(loop, begin, options, watched, tell)
        else:
            run = _run_in_parts(store, loop, begin, options, watched, tell)
    if save is not None:
        _save(run, save, store)
    if on_failure == "raise" and (run.failures or "interrupted" in run.status):
        if not run.failures:
            interrupt = KeyboardInterrupt(run.status)
            interrupt.run = run  # type: ignore[attr-defined]
            raise interrupt
        raise SimulationError(f"simulate: {run.status}", run)
    return run


def _options(until: Any, method: Any, rtol: Any, atol: Any, dt: Any, every: Any, audit: Any, threads: Any) -> Options:
    """Numbers that make sense, or a sentence."""
    if until is None:
        raise InputError("simulate: until is missing; give the end of the simulated time in seconds.")
    named = {"until": until, "rtol": rtol, "atol": atol, "dt": dt, "every": every, "audit": audit}
    for word, value in named.items():
        number = isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < np.inf):
            unit = ", in seconds" if word in ("until", "dt", "every") else ""
            raise InputError(f"simulate: {word} is {shown(value)}; expected a number above 0{unit}.")
    for word in ("dt", "every"):
        if named[word] is not None and named[word] > until:
            raise InputError(f"simulate: {word} is {named[word]:g} s, longer than the whole run of {until:g} s.")
    if rtol < 3e-14:
        raise InputError(f"simulate: rtol is {rtol:g}; double precision allows 3e-14 and above.")
    known = choose.as_method(method)
    if dt is not None and known not in (None, "rk4"):
        raise InputError(
            f"simulate: dt is the step of method 'rk4'; {known!r} chooses its own. Leave out dt, or use every=."
        )
    plain = {word: None if value is None else float(value) for word, value in named.items()}
    return Options(method=known, threads=as_threads(threads, setup.VERB), **plain)  # type: ignore[arg-type]


def _run_in_parts(
    store: parts.Store, loop: ClosedLoop, begin: setup.Start, options: Options, events: Any, tell: Progress
) -> Run:
    """Runs by the block, each on disk when it is finished; the step is that of all together."""
    if options.method in (None, "rk4") and options.dt is None:
        dt, _ = choose.step_for(loop, begin.q, begin.qd, options.until, options.rtol, options.atol)
        options = options._replace(dt=dt, every=options.every or options.until / SAMPLES_OF_MANY)
    store.open(loop, begin, options)
    made: list[Run] = []
    count = len(begin.q)
    run: Run | None = None
    for k, some in store.blocks(count):
        run = store.finished(k)
        if run is None:
            told = lambda t, some=some: tell((some.start * options.until + t * (some.stop - some.start)) / count)  # noqa: E731
            run = _run(loop.rows(some), begin.rows(some), options, events, told)
            if "interrupted" in run.status:
                break
            store.keep(k, run)
        made.append(run)
        tell(some.stop / count * options.until)
    done = sum(len(run.q) for run in made)
    if not made:
        assert run is not None
        return run
    joined = parts.joined(made)
    if done < count:
        return replace(
            joined, status=f"interrupted: {done} of {count} runs are finished; resume=True goes on", ok=False
        )
    return joined


def _save(run: Run, path: str | os.PathLike[str], store: parts.Store | None) -> None:
    """Write it; parts are no longer needed when all runs are there."""
    if store is not None and "interrupted" in run.status:
        return
    run.save(path)
    if store is not None:
        store.remove()


def _run(loop: ClosedLoop, begin: setup.Start, options: Options, events: Any, tell: Progress) -> Run:
    wall, cpu = time.perf_counter(), time.process_time()
    many = not begin.single
    q, qd = begin.q, begin.qd
    chosen = choose.choose(loop.member(0), options.method, q[0], qd[0], options.until, options.rtol, options.dt, many)
    notes: list[str] = []
    if chosen.method == "rk4":
        outcome, dt = _fixed(loop, begin, options, events, tell, notes)
    else:
        outcome, dt = _adaptive(loop, begin, chosen.method, options, events, tell), None
    spent = time.perf_counter() - wall, time.process_time() - cpu
    made = _provenance(loop, options)
    report = Report(chosen.method, chosen.why, dt, outcome.steps, outcome.evaluations, *spent, tuple(notes), made)
    return _record(loop, outcome, report, options, many)


def _fixed(
    loop: ClosedLoop, begin: setup.Start, options: Options, events: Any, tell: Progress, notes: list[str]
) -> tuple[Outcome, float]:
    dt, every = options.dt, options.every
    if dt is None:
        dt, note = choose.step_for(loop, begin.q, begin.qd, options.until, options.rtol, options.atol)
        notes.append(note)
        every = every or options.until / (SAMPLES if begin.single else SAMPLES_OF_MANY)
    if every is None and not begin.single:
        every = max(dt, options.until / SAMPLES_OF_MANY)
    times, h, repeats = grid(options.until, every, dt)
    if h < dt * (1 - 1e-9):
        notes.append(f"Steps of {h:.6g} s, so that samples fall on steps.")
    steps = loop.jumps[(loop.jumps > 0) & (loop.jumps < options.until)] / h
    off = np.abs(steps - np.round(steps)) > 1e-6
    if off.any():
        notes.append(
            f"Something given jumps at {steps[off][0] * h:.6g} s, inside a step of {h:.3g} s: only first order there. "
            "Choose dt so that jumps fall on steps."
        )
    if loop.controller is None:
        notes.append("tau is a Python function: steps are taken in Python, not compiled.")
    return Fixed(loop, h, repeats, events, tell, options.threads, not begin.single).run(begin.q, begin.qd, times), h


def _adaptive(
    loop: ClosedLoop, begin: setup.Start, method: str, options: Options, events: Any, tell: Progress
) -> Outcome:
    """One run after the other."""
    every = options.every or options.until / (SAMPLES if begin.single else SAMPLES_OF_MANY)
    times, _, _ = grid(options.until, every, options.until)
    outcomes = []
    count = len(begin.q)
    for k in range(count):
        told = lambda t, k=k: tell((k * options.until + t) / count)  # noqa: E731
        single = Adaptive(loop.member(k), method, options.rtol, options.atol, events, told)
        outcomes.append(single.run(begin.q[k], begin.qd[k], times))
        if outcomes[-1].interrupted:
            break
    return outcomes[0] if begin.single else _joined(outcomes, times, count)


def _joined(outcomes: list[Outcome], times: Array, count: int) -> Outcome:
    """Runs side by side on common times; what was not reached is NaN."""
    size = outcomes[0].states.shape[2]
    states = np.full((count, len(times), size), np.nan)
    ends = np.full(count, -1, np.intp)
    for k, outcome in enumerate(outcomes):
        n = int(np.searchsorted(outcome.t, times[-1], side="right"))
        n = min(n, int(np.isin(outcome.t, times).sum()))
        states[k, :n], ends[k] = outcome.states[0, :n], n - 1
    events = [event._replace(run=k) for k, outcome in enumerate(outcomes) for event in outcome.events]
    return Outcome(
        times, states, ends, events,
        {k: o.failures[0] for k, o in enumerate(outcomes) if o.failures},
        {k: o.stopped[0] for k, o in enumerate(outcomes) if o.stopped},
        sum(o.steps for o in outcomes), sum(o.evaluations for o in outcomes), outcomes[-1].interrupted,
    )  # fmt: skip


# ---- the record ----------------------------------------------------------------------------------


def _record(loop: ClosedLoop, outcome: Outcome, report: Report, options: Options, many: bool) -> Run:
    n, t, states = loop.dof, outcome.t, outcome.states
    rates, energies = _at_samples(loop, outcome, states, options.threads)
    arrays = {
        "q": states[..., :n], "qd": states[..., n : 2 * n], "qdd": rates[..., :n], "tau": rates[..., n : 2 * n],
        "kinetic": energies[..., 0], "potential": energies[..., 1], "power": rates[..., -POWERS:],
        "work": states[..., 2 * n : 2 * n + POWERS],
    }  # fmt: skip
    arrays = {word: np.ascontiguousarray(x if many else x[0]) for word, x in arrays.items()}
    failures = {
        run: f"{why.rstrip('.')}. {_advice(loop, outcome, run, report)}" for run, why in outcome.failures.items()
    }
    arm = loop.arm
    run = Run(arm, t, **arrays, status="done", ok=True, events=tuple(outcome.events), failures=failures, report=report)
    status, ok = _status(run, outcome, options)
    return replace(run, status=status, ok=ok)


def _at_samples(loop: ClosedLoop, outcome: Outcome, states: Array, threads: int | None) -> tuple[Array, Array]:
    """(runs, nt, 2 dof + 3) accelerations, torques, power; (runs, nt, 2) energies."""
    n, rows = loop.dof, len(states)
    rates = np.full((*states.shape[:2], 2 * n + POWERS), np.nan)
    energies = np.full((*states.shape[:2], 2), np.nan)
    steady = loop.steady(rows)
    energy = library_of(loop.arm).get("energies", library_of(loop.arm).setting(payloads=loop.laden))
    laden = [loop.part(f"payload{i}", steady) for i in range(len(loop.laden))]
    for k, t in _together(outcome.t, rows):
        known = np.isfinite(states[:, k, 0])
        run, sample = np.nonzero(known)
        if not len(run):
            continue
        some = states[:, k][known]
        q, qd, way = np.ascontiguousarray(some[:, :n]), np.ascontiguousarray(some[:, n : 2 * n]), loop.ways(some)
        given = _given(loop, t, steady, run, sample)
        tau = None
        if loop.controller is None:
            tau = np.array([loop.outside(float(t[s]), q[i], qd[i]) for i, s in enumerate(sample)]).reshape(q.shape)
        found = loop.rates(q, qd, way, given, tau, threads)
        at = (run, sample + k.start)
        rates[at] = np.concatenate([found.qdd, found.tau, found.power], axis=1)
        energies[at] = energy(q, qd, *(np.ascontiguousarray(x[run]) for x in laden), threads=threads)
    return rates, energies


def _together(t: Array, rows: int) -> Any:
    """Slices of samples that are evaluated at once."""
    size = max(1, BATCH // rows)
    for k in range(0, len(t), size):
        yield slice(k, k + size), t[k : k + size]


def _given(loop: ClosedLoop, t: Array, steady: Array, run: Any, sample: Any) -> Array:
    """What is given, for every known sample; at its end a run sees what was before a jump."""
    parts = [steady[run]]
    if loop.given_size > loop.steady_size:
        table = loop.varying_over(t)
        parts.append(table[sample, run] if table.ndim == 3 else table[sample])
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _advice(loop: ClosedLoop, outcome: Outcome, run: int, report: Report) -> str:
    n, end = loop.dof, int(outcome.ends[run])
    if end < 0:
        return "Look at the initial state."
    state = outcome.states[run, end]
    fastest = loop.arm.coordinates[int(np.argmax(np.abs(state[n : 2 * n])))]
    where = f"The last good state is that of t = {outcome.t[end]:.6g} s, where {fastest!r} moves fastest. "
    member = loop.member(run)
    return where + choose.advice(
        member, report.method, float(outcome.t[end]), state[:n].copy(), state[n : 2 * n].copy(), report.dt
    )


def _status(run: Run, outcome: Outcome, options: Options) -> tuple[str, bool]:
    if outcome.interrupted:
        return f"interrupted at t = {run.t[-1]:.6g} s of {options.until:g} s", False
    if run.failures:
        first = min(run.failures)
        if run.count is None:
            return run.failures[first], False
        return f"{len(run.failures)} of {run.count} runs failed; run {first}: {run.failures[first]}", False
    allowed = options.audit or _allowed(run, options)
    error = run.balance_error
    worst = float(np.max(error))
    if worst > allowed:
        who = "" if run.count is None else f" in {int((error > allowed).sum())} of {run.count} runs"
        fix = "a smaller dt" if run.report.dt is not None else "a smaller rtol"
        return (
            f"done, but energy is out of balance by {worst:.2g} of what moved{who} (allowed {allowed:.2g}); try {fix}",
            False,
        )
    if outcome.stopped:
        if run.count is None:
            return f"stopped at t = {run.t[-1]:.6g} s: {outcome.stopped[0]}", True
        return f"done; {len(outcome.stopped)} of {run.count} runs were stopped by events", True
    return "done", True


def _allowed(run: Run, options: Options) -> float:
    """Error of the energy balance that is to be expected; fixed steps pass over the instants at which joints stick."""
    if run.report.method != "rk4":
        return max(1e4 * options.rtol, 1e-9)
    return 1e-3 if any(joint.friction for joint in run.arm.joints) else 1e-4


@functools.cache
def _versions() -> dict[str, str]:
    """Of what numbers depend on."""
    out = {}
    for word in ("numpy", "scipy", "casadi", "llvmlite"):
        with contextlib.suppress(PackageNotFoundError):
            out[word] = version(word)
    return out


def _provenance(loop: ClosedLoop, options: Options) -> dict[str, Any]:
    import lissom

    return {
        "lissom": lissom.__version__,
        **_versions(),
        "python": platform.python_version(),
        "arm": loop.arm.digest,
        "controller": type(loop.controller).__name__ if loop.controller is not None else "function",
        "options": {k: v for k, v in options._asdict().items() if v is not None},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
