"""Which functions have derivatives, and the checks that all frameworks share."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.dynamics import Accelerations, Torques
from lissom.export.smooth.recorded import Recorded
from lissom.kernels.arguments import as_arm, as_frame, as_points
from lissom.kernels.cache import cache_of
from lissom.kernels.differentiated import differentiable
from lissom.kernels.verb import Verb
from lissom.kernels.verbs import VERBS
from lissom.model.arm import Arm
from lissom.model.ends import only_end, tip_frame

NO_LOADS = "loads and base motion cannot be inputs here; give constant loads to the arm: Arm(loads=...)."
COMPOSED = {kind.verb.name: kind for kind in (Torques, Accelerations)}  # with kernels of their own
OFFERED = tuple(name for name, verb in VERBS.items() if name in COMPOSED or differentiable(verb))


def refuse_without(package: str, name: str, remedy: str) -> None:
    """Raise an error where a package is not installed."""
    if find_spec(package) is None:
        raise UnsupportedError(f"{name} needs {package}, which is not installed: {remedy}.")


def as_verb(arm: Any, verb: Any, offered: Sequence[str], name: str, derivatives: str) -> Verb:
    """The entry of a verb; raises an error where it is not available for the arm.

    derivatives : what gives the derivatives, for messages
    """
    owner = as_arm(arm, name)
    if not isinstance(verb, str):
        raise InputError(f"{name}: verb is {shown(verb)}; expected the name of a function, such as {offered[0]!r}.")
    of, _, ending = verb.rpartition("_")
    if of in offered and ending in ("gradient", "hessian", "product"):
        raise UnsupportedError(f"{name}: {verb} is not needed; {derivatives} of {of} are exact.")
    if verb not in offered:
        raise InputError(f"{name}: there is no function {verb!r} here; {suggest(verb, offered)}")
    if owner.dof == 0:
        raise UnsupportedError(f"{name}: arm {owner.name!r} has no coordinates; there is no function to make.")
    if owner.loops and VERBS[verb].loops != "tree":
        raise UnsupportedError(
            f"{name}: arm {owner.name!r} has closed loops, and {verb} of the closed arm is not available here. "
            "mass_matrix, bias_forces, gravity_forces and kinematics are, of the tree without its closures."
        )
    return VERBS[verb]


def as_place(arm: Arm, entry: Verb, frame: Any, point: ArrayLike, name: str) -> tuple[str, tuple[float, ...]]:
    """The frame and point of kinematics; raises InputError where they are invalid."""
    at = as_points(point, "point", name)
    if at.ndim != 1:
        raise InputError(f"{name}: point has shape {at.shape}; expected (3,), one point.")
    if not entry.frame and (frame is not None or at.any()):
        raise InputError(f"{name}: a frame or point was given, but {entry.name} does not use one.")
    if frame is None:
        frame = tip_frame(arm, only_end(arm, f"give {name} the frame") if entry.frame else arm.ends[0])
    as_frame(arm, frame, name)
    return frame, tuple(map(float, at))


def smooth_function(arm: Arm, verb: Any, frame: Any, point: ArrayLike, name: str, derivatives: str) -> AbstractSmooth:
    """A function of an arm with its derivatives, made once; raises an error where there is none.

    name, derivatives : the public function, and what gives derivatives there, for messages
    """
    entry = as_verb(arm, verb, OFFERED, name, derivatives)
    place = as_place(arm, entry, frame, point, name)

    def made() -> AbstractSmooth:
        kind = COMPOSED.get(entry.name)
        return Recorded(arm, entry, *place) if kind is None else kind(arm)

    return cache_of(arm).stored("smooth_function", (entry.name, *place), made)
