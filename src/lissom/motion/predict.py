"""The best motion for a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields as fields_of
from typing import Any

from lissom.errors import InputError, KeywordError, LissomError, MotionError, shown, suggest
from lissom.kernels.arguments import as_arm
from lissom.model.arm import Arm
from lissom.motion.checks import support
from lissom.motion.compare import comparison, refuse_comparison
from lissom.motion.result.motion import Motion
from lissom.motion.result.report import Iteration
from lissom.motion.solve.best import best_motion
from lissom.motion.solve.guess import as_guess
from lissom.motion.solve.search import Search
from lissom.motion.solve.solver import SolverLimits
from lissom.motion.task.options import OPTIONS, REGULARISE, SearchOptions
from lissom.motion.task.task import Task
from lissom.progress import whole_stage

VERB = "predict_motion"
RESIDUAL = 1e-5  # m, of vibration that may be left where nothing else is asked for


def predict_motion(
    arm: Arm,
    task: Any,
    given: dict[str, Any],
    options: SearchOptions,
    progress: Callable[[Iteration], object] | None,
    guess: Any,
    began: float,
) -> Motion:
    """See `lissom.predict_motion`; `given` are fields of the task, `began` is when the call did (`perf_counter`)."""
    support.refuse_arm(as_arm(arm, VERB))
    options.check(VERB)
    task = _task(task, given)
    support.refuse_lengths(arm, task)
    if task.phases:
        return _with_contacts(arm, task, options, progress, guess, began)
    support.refuse_unsupported(arm, task)
    asked = _asked_residual(arm, task, options)
    limits = SolverLimits(options.tolerance, options.iterations, options.seconds)
    search = Search(arm, task, limits, options.seed, options.regularise, progress, as_guess(arm, guess), began=began)
    motion = best_motion(search, options.starts, options.workers, options.scheduler, converge=options.refine is None)
    if options.refine is not None and motion.ok:
        with whole_stage("refining the mesh"):
            motion = search.refined(motion, options.refine)
    if asked is not None and motion.ok:
        motion = search.settled(motion, asked)
    if options.compare and motion.ok and search.late:
        motion = search.assessment.uncompared(motion)
    elif options.compare and motion.ok:
        with whole_stage("comparing with other plans"):
            motion = motion.with_verdict(compared=comparison(motion, search))
    if not motion.ok and options.on_failure == "raise" and not motion.interrupted:
        raise MotionError(f"{VERB}: {motion.status}{_too_short(search, motion)}", motion)
    return motion


def _with_contacts(
    arm: Arm, task: Task, options: SearchOptions, progress: Callable[[Iteration], object] | None, guess: Any,
    began: float,
) -> Motion:  # fmt: skip
    """Return the motion for a task with phases."""
    from lissom.motion.phased.search import PhasedSearch

    for word in ("residual", "refine", "workers", "scheduler", "regularise"):
        if getattr(options, word) != (REGULARISE if word == "regularise" else None):
            raise InputError(f"{VERB}: {word} is not available for motions with phases; omit it.")
    if options.compare:
        raise InputError(f"{VERB}: compare is for flexible arms, not for motions with phases; omit it.")
    limits = SolverLimits(options.tolerance, options.iterations, options.seconds)
    motion = PhasedSearch(arm, task, limits, options.seed, progress, as_guess(arm, guess), began)(options.starts)
    if not motion.ok and options.on_failure == "raise" and not motion.interrupted:
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


def _asked_residual(arm: Arm, task: Task, options: SearchOptions) -> float | None:
    """Return the residual vibration that is allowed; None for arms whose coordinates all have a motor."""
    if options.compare:
        refuse_comparison(arm, task)
    if arm.actuated.all() or arm.loops:
        if options.residual is not None:
            raise InputError(f"{VERB}: residual is given, but arm {arm.name!r} has no unactuated coordinates; omit it.")
        return None
    return RESIDUAL if options.residual is None else float(options.residual)


def _too_short(search: Search, motion: Motion) -> str:
    """Return a sentence about the shortest duration, if the given one may be too short; else an empty string."""
    given = motion.task.duration
    # shortest times of arms that vibrate are long to find, and none leads around a singular configuration
    if given is None or motion.outcome.ran_out or len(search.problem.spec.unactuated) or search.singular(motion):
        return ""
    try:
        task = motion.task.replace(duration=None, minimise="time")
        with whole_stage("no motion was found; searching for the shortest duration"):
            free = best_motion(search.other(motion.arm, task), 1, 1)
    except LissomError:
        return ""
    longest = given if isinstance(given, float) else given[1]
    if not free.ok or free.duration <= longest:
        return ""
    return f". The duration may be at most {longest:.4g} s, but the shortest motion found takes {free.duration:.4g} s"


def _task(task: Any, given: dict[str, Any]) -> Task:
    known = [field.name for field in fields_of(Task)]
    for word in given:
        if word not in known:
            hint = suggest(word, [*known, *OPTIONS])
            raise KeywordError(f"{VERB}: unexpected keyword {word!r}, neither a field of a task nor an option; {hint}")
    if task is None:
        return Task(**given)
    if not isinstance(task, Task) and "goal" in given and "start" not in given:
        return Task(start=task, **given)
    if not isinstance(task, Task):
        raise InputError(
            f"{VERB}: task is {shown(task)}; expected Task(...), its fields as keywords, or start and goal: "
            f"{VERB}(arm, start, goal)."
        )
    return task.replace(**given) if given else task
