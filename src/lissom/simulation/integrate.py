"""From a closed loop to a run: choice of the integrator, integration, the record; all runs together or in blocks."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import OutsideLimits, UnstableLoop
from lissom.formats.table_header import load_rows
from lissom.model.positions import degrees_among, outside_limits
from lissom.progress import Reporter, bar, reporter
from lissom.simulation import setup
from lissom.simulation.events import Event, as_events, limit_events
from lissom.simulation.integrators import choose
from lissom.simulation.integrators.adaptive import Adaptive
from lissom.simulation.integrators.choose import Plan
from lissom.simulation.integrators.fixed import Fixed, grid, side_by_side
from lissom.simulation.integrators.implicit import Implicit
from lissom.simulation.integrators.integration import Integration
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.singular_inertia import regularised
from lissom.simulation.loop.stability import unstable_at_start
from lissom.simulation.options import FIXED, STEP_BY_STEP, Options, Scenario
from lissom.simulation.recording import provenance, recorded
from lissom.simulation.records import parts
from lissom.simulation.records.joined import joined
from lissom.simulation.records.passed_limits import limit_notes
from lissom.simulation.records.record import RunReport
from lissom.simulation.records.standstill import error_notes
from lissom.simulation.records.written import check_target
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.bending_range import refuse_large_deflections

STARTS = 4  # of many runs, at which the inertia is looked at before they begin
SAMPLES = 500  # of an adaptive run, unless `every` is given
SAMPLES_OF_MANY = 100
SPARSE = 8  # steps of a vibrating arm from sample to sample beyond which something is missed


class Scene(NamedTuple):
    """What is simulated: the closed loop, the initial states of its runs, and the events to detect.

    notes, loads : for the report
    regularise : f(poses by run) -> the loop of an arm with armatures and its note, where the inertia is singular there
    """

    loop: ClosedLoop
    begin: setup.Start
    events: list[Event]
    notes: tuple[str, ...] = ()
    loads: Any = ()
    regularise: Callable[[Mapping[int, Array]], tuple[ClosedLoop, str] | None] = lambda _: None

    def rows(self, some: slice) -> Scene:
        """Return the scene of some of the runs."""

        def regularise(poses: Mapping[int, Array]) -> tuple[ClosedLoop, str] | None:
            found = self.regularise({run + some.start: q for run, q in poses.items()})
            return None if found is None else (found[0].rows(some), found[1])

        return self._replace(loop=self.loop.rows(some), begin=self.begin.rows(some), regularise=regularise)


def prepare(scenario: Scenario, options: Options) -> Scene:
    """Return the closed loop, initial states and events that the arguments of `simulate` describe."""
    arm = scenario.arm
    state = setup.InitialState.of(scenario)
    if scenario.arms is None:
        refuse_large_deflections(arm, state.q, "simulate")
    loop = setup.closed_loop(scenario, options.until, state.runs)
    looked_for = [*as_events(scenario.events), *limit_events(arm, options.stop_at_limits)]
    begin = state.start(loop.inputs.runs, loop.z0)
    if begin.q[:, arm.mode_index].any():
        for own, q in zip(loop.arms(len(begin.q)) or (), begin.q, strict=False):
            refuse_large_deflections(own, q, "simulate")
    neglected = "" if loop.controller is None else loop.controller.neglected(arm)

    def regularise(poses: Mapping[int, Array]) -> tuple[ClosedLoop, str] | None:
        found = regularised(loop, poses)
        if found is None:
            return None
        other = setup.closed_loop(replace(scenario, arm=found.arm), options.until, state.runs)
        other.described = arm
        return other, found.note

    spread = np.unique(np.linspace(0, len(begin.q) - 1, STARTS).astype(int)).tolist()
    used, note = regularise({run: begin.q[run] for run in spread}) or (loop, "")
    states = used.started(used.begun(begin.states, options.singular == "pass"), state.tau)
    beyond = outside_limits(arm, states[:, : arm.dof])
    if beyond:
        beyond = f"The start is outside the limits: {beyond}"
        warnings.warn(f"simulate: {beyond}", OutsideLimits, stacklevel=3)
    reference = _reference_in_degrees(loop, options.until)
    if reference:
        warnings.warn(f"simulate: {reference}", OutsideLimits, stacklevel=3)
    unstable = unstable_at_start(used.member(0), states[0], options.until)
    if unstable:
        warnings.warn(f"simulate: {unstable}", UnstableLoop, stacklevel=3)
    again = {} if note else {"regularise": regularise}
    notes = tuple(x for x in (beyond, reference, note, neglected, unstable) if x)
    return Scene(used, begin._replace(states=states), looked_for, notes, scenario.loads, **again)


def _reference_in_degrees(loop: ClosedLoop, until: float) -> str:
    """Return a sentence about reference positions, at the start and at the end, that look like degrees."""
    reference = dict(loop.inputs.signals).get("controller.q")
    if reference is None:
        return ""
    ends = [np.atleast_2d(reference.at(t)) for t in (0.0, until)]
    found = degrees_among(loop.arm, np.concatenate(ends))
    return found and f"The reference of the controller, {found}"


def integrate(scene: Scene, options: Options) -> Run:
    """Integrate and return the run, complete or not; save it where requested."""
    if options.save is not None:
        check_target(options.save)
    store = parts.Store.of(options, scene.begin)
    options = options.of_runs(scene.begin.single)
    progress, until = options.progress, options.until
    show = partial(bar, "simulating", until, "")
    with reporter(progress, show, lambda t: progress(min(1.0, t / until)), "simulate", "of the fraction") as tell:
        how = choose.plan(*scene[:2], options, scene.events)
        if store is None:
            run = _together(scene, options, tell, how)
        else:
            run = _in_parts(store, scene, options, tell, how)
    notes = (*scene.notes, *run.report.notes, *limit_notes(scene.events, run))
    run = run.with_verdict(report=replace(run.report, notes=notes))
    if scene.loads:  # a function or a list; tables of the run name them
        run.report.provenance["loads"] = load_rows(scene.loads)
    if options.save is not None:
        _save(run, options.save, store)
    return run


def _in_parts(store: parts.Store, scene: Scene, options: Options, tell: Reporter, how: Plan) -> Run:
    """Integrate blocks of runs, each written when it is finished; method and step are chosen for all runs together."""
    store.open(*scene[:2], {**options.numerical(), "method": how.method, "dt": how.dt}, scene.events)
    made: list[Run] = []
    count = len(scene.begin.q)
    run: Run | None = None
    for k, some in store.blocks(count):
        run = store.finished(k)
        if run is None:
            report = lambda t, some=some: tell((some.start * options.until + t * (some.stop - some.start)) / count)  # noqa: E731
            run = _together(scene.rows(some), options, report, how)
            if run.interrupted:
                break
            store.keep(k, run)
        made.append(run)
        tell(some.stop / count * options.until)
    done = sum(len(run.q) for run in made)
    if not made:
        assert run is not None
        return run
    whole = joined(made)
    if done < count:
        status = f"interrupted: {done} of {count} runs are finished; continue with resume=True (--resume)"
        return whole.with_verdict(status=status, ok=False, interrupted=True)
    return whole


def _save(run: Run, path: str | os.PathLike[str], store: parts.Store | None) -> None:
    """Write a run, and remove its parts when all runs are in it."""
    if store is not None and run.interrupted:
        return
    run.save(path)
    if store is not None:
        store.remove()


def _together(scene: Scene, options: Options, tell: Reporter, how: Plan) -> Run:
    """Integrate all runs; if some reach poses with a singular mass matrix, integrate again with small armatures."""
    run, poses = _integrated(scene, options, tell, how)
    found = scene.regularise(poses) if poses and not run.interrupted else None
    if found is None:
        return run
    loop, note = found
    how = choose.plan(loop, scene.begin, options, scene.events)
    run, _ = _integrated(scene._replace(loop=loop), options, tell, how)
    return run.with_verdict(report=replace(run.report, notes=(note, *run.report.notes)))


def _integrated(scene: Scene, options: Options, tell: Reporter, how: Plan) -> tuple[Run, Mapping[int, Array]]:
    """Integrate the runs of a scene; return the run, and the last poses of runs that failed."""
    wall, cpu = time.perf_counter(), time.process_time()
    if how.method in STEP_BY_STEP:
        scene = scene._replace(loop=scene.loop.for_steps_in_python())
    loop, many = scene.loop, not scene.begin.single
    notes: list[str] = []
    dt = None
    if how.method in FIXED:
        outcome, dt = _fixed(scene, how, options, tell, notes)
    else:
        outcome = _adaptive(scene, how.method, options, tell, notes)
    if loop.looped:
        outcome = _closures(loop, outcome, options, notes)
    notes += outcome.notes
    spent = time.perf_counter() - wall, time.process_time() - cpu
    made = provenance(loop, options)
    report = RunReport(
        how.method, how.why, dt, outcome.steps, outcome.evaluations, *spent, tuple(notes), provenance=made
    )
    run = recorded(loop, outcome, report, options, many)
    more = error_notes(loop, run)
    run = replace(run, report=replace(run.report, notes=(*run.report.notes, *more))) if more else run
    return run, outcome.poses


def _closures(loop: ClosedLoop, outcome: Integration, options: Options, notes: list[str]) -> Integration:
    """Add notes about closed loops: the drift that was removed, and singular configurations."""
    from lissom.simulation.integrators.singular import looked_through
    from lissom.simulation.loop.linkage import Linkage

    assert isinstance(loop, Linkage)
    notes.append(
        f"Loop closures drifted by at most {loop.drift.error:.2g} m or rad and {loop.drift.rate:.2g} m/s or rad/s per "
        "step; each step ended with a projection that removed the drift."
    )
    return looked_through(loop, outcome, options.singular == "pass", notes)


def _fixed(scene: Scene, how: Plan, options: Options, tell: Reporter, notes: list[str]) -> tuple[Integration, float]:
    """Integrate by fixed steps; return also their length."""
    loop, begin, dt, every = scene.loop, scene.begin, how.dt, options.every
    assert dt is not None
    if options.dt is None:
        notes.append(how.note)
        every = every or options.until / (SAMPLES if begin.single else SAMPLES_OF_MANY)
    if every is None and not begin.single:
        every = max(dt, options.until / SAMPLES_OF_MANY)
    times, h, repeats = grid(options.until, every, dt)
    if h < dt * (1 - 1e-9):
        notes.append(f"The step is {h:.6g} s, so that every sample is at the end of a step.")
    _note_samples(times, options.every, notes)
    if loop.bodies.flexible and options.every is None and repeats > SPARSE:
        notes.append(
            f"Samples are {times[1] - times[0]:.3g} s ({repeats} steps) apart, too far to show fast vibrations. Use "
            "every= for closer samples."
        )
    if loop.looped:
        notes.append("The arm has closed loops: steps run in Python, not in compiled code.")
    elif loop.controller is None:
        notes.append("tau is a Python function: steps run in Python, not in compiled code.")
    steps = Fixed(loop, how.method, h, repeats, scene.events, tell, options.threads, not begin.single)
    return steps.run(begin.states, times), h


def _note_samples(times: Array, every: float | None, notes: list[str]) -> None:
    """Note where the sample spacing was changed so that the last sample is at the end."""
    if every is not None and abs(times[1] - times[0] - every) > 1e-9 * every:
        notes.append(f"Samples are {times[1] - times[0]:.6g} s apart, so that the last one is at the end of the run.")


def _adaptive(scene: Scene, method: str, options: Options, tell: Reporter, notes: list[str]) -> Integration:
    """Integrate adaptively: one run after the other, or all together with separate steps."""
    loop, begin, events = scene.loop, scene.begin, scene.events
    every = options.every or options.until / (SAMPLES if begin.single else SAMPLES_OF_MANY)
    times, _, _ = grid(options.until, every, options.until)
    _note_samples(times, options.every, notes)
    count = len(begin.q)
    if method == "rodas":
        found = Implicit(loop, options.rtol, options.atol, events, tell, options.threads).run(begin.states, times)
        return found.ended() if begin.single else found

    def each() -> Iterator[Integration]:
        for k in range(count):
            report = lambda t, k=k: tell((k * options.until + t) / count)  # noqa: E731
            single = Adaptive(
                loop.member(k), method, options.rtol, options.atol, events, report, switch=options.method is None
            )
            yield single.run(begin.states[k], times)

    return next(each()) if begin.single else side_by_side(each(), times, count)
