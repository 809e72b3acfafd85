"""`predict_walk`: a step of a person at a given speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Never

from lissom.errors import InputError, shown
from lissom.humans.requests import predicted
from lissom.humans.walk.request import VERB, WalkRequest, walk_request
from lissom.humans.walk.task import walk_guess, walk_task, walker
from lissom.humans.walk.weights import WalkWeights
from lissom.keywords import check_keywords, without_unknown
from lissom.motion.public import predict_motion
from lissom.progress import PATIENCE, line, whole_stage

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.motion.result.motion import Motion
    from lissom.motion.result.report import Iteration

MANY = 50  # coordinates: walks with that many take minutes


@without_unknown
def predict_walk(
    human: Arm,
    speed: float = 1.33,
    step: float | None = None,
    *,
    load: float | Mapping[str, float] | None = None,
    slope: float = 0.0,
    limits: Mapping[str, tuple[float, float]] | None = None,
    weights: WalkWeights | None = None,
    timing: str | None = None,
    segments: Sequence[int] | None = None,
    guess: Motion | None = None,
    starts: int | None = None,
    seed: int = 0,
    tolerance: float = 1e-6,
    iterations: int = 1500,
    seconds: float | None = None,
    progress: Callable[[Iteration], object] | bool | None = None,
    on_failure: str = "raise",
    **unknown: Never,
) -> Motion:
    """Return the predicted walk of a person: a step whose mirror image is the next one.

    Motion, torques and ground forces are found together; effort, work and rates of torques and forces are minimised as
    means over the step (`WalkWeights`). No measured curve is an input. The sequence of contacts (heel; flat; ball and
    toes; toes) is given; what each `timing` leaves free is found. The page about walking says where it is like people
    and where not.

    Parameters
    ----------
    human : Arm                  a person, see `human`. With 55 joints, its default, a walk takes minutes; with 31 tens
                                 of seconds, with 13 seconds
    speed : float                mean speed [m/s]
    step : float or None         step length [m]; None: free
    load : float, mapping or None    mass that is carried on the back [kg], or {"hands": kg, "back": kg}
    slope : float                of the ground [rad], uphill positive; x is then along the ground, z across it
    limits : mapping or None     {joint: (lower, upper)} [rad], such as of a stiff knee; where right and left differ a
                                 whole stride is predicted
    weights : WalkWeights or None
    timing : "people", "free" or None    durations of the phases: the parts of a step that people have, or free; by
                                 default free where the step length is
    segments : 4 whole numbers or None   segments of the splines in the four phases of a step
    guess : Motion or None       an earlier walk of the same person to begin with, instead of one who stands
    starts : int or None         number of starts; those after the first are random
    seed : int                   of random starts
    tolerance, iterations, seconds : limits of the solver
    progress : bool or function  as for `predict_motion`
    on_failure : "raise" or "return"

    Returns
    -------
    Motion
        One step from heel strike of the right foot to that of the left, or a stride from that to the next of the right
        foot. `motion.contacts` has the ground forces.

    Examples
    --------
    >>> import lissom as ls
    >>> step = ls.predict_walk(ls.human(joints=13), speed=1.33, step=0.69, segments=(1, 1, 3, 3))
    >>> step.ok, round(float(step.q[-1, 0] - step.q[0, 0]), 3)
    (True, 0.69)
    """
    check_keywords(predict_walk, unknown)
    request = walk_request(human, speed, step, load, slope, limits, weights, segments, timing)
    options: dict[str, Any] = {
        "tolerance": tolerance,
        "iterations": iterations,
        "seconds": seconds,
        "progress": progress,
    }
    own = walker(request)
    free = request.timing == "free"
    with _large_person_named(own, progress):
        begin = walk_guess(request, own) if guess is None else _earlier(guess)
        if free and guess is None:
            begin = _with_peoples_timing(request, own, begin, options)
        options |= {"starts": starts, "seed": seed, "on_failure": on_failure}
        return predicted(VERB, own, walk_task(request, own, free), guess=begin, **options)


@contextmanager
def _large_person_named(own: Arm, progress: Any) -> Iterator[None]:
    """Context in which progress says that the walk of a person of many coordinates takes minutes."""
    if own.dof < MANY or progress is False or callable(progress):
        yield
        return
    words = f"walk of a person of {own.dof} coordinates, which takes minutes"
    with line(words, 0.0 if progress else PATIENCE), whole_stage(words):
        yield


def _earlier(guess: Any) -> Any:
    from lissom.motion.result.motion import Motion

    if not isinstance(guess, Motion):
        raise InputError(f"{VERB}: guess is {shown(guess)}; expected a Motion, an earlier walk of the same person.")
    return guess


def _with_peoples_timing(request: WalkRequest, own: Arm, begin: Any, options: dict[str, Any]) -> Any:
    """A walk with the durations of people, from which the one with free durations is found."""
    with whole_stage("a walk with the timing of people"):
        found = predict_motion(own, walk_task(request, own, False), guess=begin, on_failure="return", **options)
    return found if found.ok else begin
