"""`predict_lift`: how a person lifts a box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from lissom.errors import InputError, shown
from lissom.humans.lift.stance import BEHIND, Stance
from lissom.humans.requests import person_of, plain_number, predicted, weights_of
from lissom.humans.walk.task import carrying, person_scale
from lissom.humans.walk.weights import WalkWeights
from lissom.keywords import check_keywords, without_unknown
from lissom.motion.task.phases import Phase
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.frame_places import FrameOffset

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.motion.result.motion import Motion
    from lissom.motion.result.report import Iteration
    from lissom.spatial.rotations import Array

VERB = "predict_lift"
MOST_BOX = 0.6  # of the body mass
LIFTING = 0.7  # m/s, of which the power is a part; a usual speed of the hands
BENT = {"pelvis_z": 0.6, "pelvis_pitch": 0.5, "hip_flexion_r": 1.2, "knee_flexion_r": 1.4,
        "ankle_dorsiflexion_r": 0.3, "shoulder_flexion_r": 0.8, "elbow_flexion_r": 0.3}  # fmt: skip
UPRIGHT = {"pelvis_z": 0.9, "shoulder_flexion_r": 0.8, "elbow_flexion_r": 0.8}
LOW = 0.75  # m: below, a search for the posture begins bent


@without_unknown
def predict_lift(
    human: Arm,
    box: float = 10.0,
    start: Sequence[float] = (0.42, 0.25),
    goal: Sequence[float] = (0.45, 1.25),
    *,
    duration: float | Sequence[float] = 1.4,
    depth: float = 0.2,
    weights: WalkWeights | None = None,
    segments: int = 12,
    tolerance: float = 1e-6,
    iterations: int = 1500,
    seconds: float | None = None,
    progress: Callable[[Iteration], object] | bool | None = None,
    on_failure: str = "raise",
    **unknown: Never,
) -> Motion:
    """Return the predicted motion of a person who lifts a box with both hands and both feet on the ground.

    The postures at both ends are those of least static effort in which the feet stand flat, the hands are where they
    shall be and the box is in front of knees and hips. Motion, torques and ground forces between them are found
    together, at rest at both ends; centre of pressure and friction follow from the forces at the soles. The box is half
    a point mass in each hand, and stays in front of the centres of knees and hips all the way.

    Parameters
    ----------
    human : Arm               a person with elbows, see `human`: joints=16, 31 or 55
    box : float               mass of the box [kg]
    start, goal : (x, z)      where the hands are at both ends: forward of the ankles of a person who stands, height [m]
    duration : float or (shortest, longest)    [s]
    depth : float             from the hands to the back of the box [m]; the hands of models in space are 0.4 m apart
    weights : WalkWeights or None    `upright` has no part in it: people lean when they lift. Power is relative to the
                              body weight times 0.7 m/s, a usual speed of hands
    segments : int            of the splines
    tolerance, iterations, seconds : limits of the solver
    progress : bool or function  as for `predict_motion`
    on_failure : "raise" or "return"

    Returns
    -------
    Motion
        `motion.contacts` has the ground forces; the arm of the motion carries the box.

    Examples
    --------
    >>> import lissom as ls
    >>> lifted = ls.predict_lift(ls.human(joints=16), box=8.0, segments=6)
    >>> lifted.ok, lifted.duration
    (True, 1.4)
    """
    check_keywords(predict_lift, unknown)
    person, weights = person_of(VERB, human, level=True), weights_of(VERB, weights)
    if not any(name.startswith("elbow_flexion") for name in person.coordinates):
        raise InputError(f"{VERB}: arm {person.name!r} has no elbows; expected lissom.human(joints=16), 31 or 55.")
    mass = plain_number(VERB, box, "box")
    if not 0.0 <= mass <= MOST_BOX * person.mass:
        raise InputError(
            f"{VERB}: box is {mass:g} kg; expected 0 to {MOST_BOX * person.mass:.3g} kg, {MOST_BOX:.0%} of the body's."
        )
    places = [_place(value, what) for value, what in ((start, "start"), (goal, "goal"))]
    arm = carrying(weights.limited(person, person_scale(person)), {"hands": mass} if mass else {})
    back = plain_number(VERB, depth, "depth")
    ends = _ends(arm, places, back)
    task = Task(
        start=ends[0], goal=ends[1], phases=Phase("lifting", [one.name for one in arm.contacts], duration, segments),
        minimise=weights.criteria(person, LIFTING, False), constraints=_in_front(arm, back),
    )  # fmt: skip
    return predicted(VERB, arm, task, tolerance=tolerance, iterations=iterations, seconds=seconds, progress=progress,
                     on_failure=on_failure)  # fmt: skip


def _ends(arm: Arm, places: list[Array], depth: float) -> list[Array]:
    """Postures at both ends, the feet at the same places."""
    stance = Stance(arm, depth)
    return [stance.least(place, BENT if place[1] < LOW else UPRIGHT, f"the {what}")
            for place, what in zip(places, ("start", "goal"), strict=True)]  # fmt: skip


def _in_front(arm: Arm, depth: float) -> list[FrameOffset]:
    """The box is in front of knees and hips all the way."""
    assert arm.mirror is not None
    right = [("grip_r", name) for name in BEHIND]
    left = [("grip_l", arm.mirror.partner("links", name)) for name in BEHIND]
    return [FrameOffset(grip, name, lower=depth) for grip, name in (*right, *left)]


def _place(value: Any, what: str) -> Array:
    if not isinstance(value, Sequence | np.ndarray) or len(value) != 2:
        raise InputError(f"{VERB}: {what} is {shown(value)}; expected (x, z): forward of the ankles, and height [m].")
    return np.array([plain_number(VERB, one, what) for one in value])
