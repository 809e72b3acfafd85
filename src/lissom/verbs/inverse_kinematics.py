"""Joint positions that bring a frame to a pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.dynamics.inverse_kinematics import Problem, search
from lissom.dynamics.kinematics import path_to
from lissom.errors import InputError, ModelError, SolveError
from lissom.model.arm import Arm
from lissom.model.fields import transform
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm, as_frame, as_numbers, as_points, as_state

MATCH = {"pose": (1, 1, 1, 1, 1, 1), "position": (1, 1, 1, 0, 0, 0), "orientation": (0, 0, 0, 1, 1, 1)}


@dataclass(frozen=True)
class InverseKinematics:
    """What an inverse kinematics search found.

    Attributes
    ----------
    q : (..., dof)               best positions, within the joint limits
    solved : (...) bool          within tolerance
    position_error : (...)       distance to the target [m]
    angle_error : (...)          angle to the target [rad]
    starts_solved : (...) int    how many starts reached the target
    starts, iterations : int     how many were tried, and for how long
    status : str                 a sentence
    """

    q: Array
    solved: NDArray[np.bool_]
    position_error: Array
    angle_error: Array
    starts_solved: NDArray[np.intp]
    starts: int
    iterations: int
    status: str


def inverse_kinematics(
    arm: Arm,
    target: ArrayLike,
    link: str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    match: str | ArrayLike = "pose",
    q0: ArrayLike | None = None,
    starts: int = 32,
    tolerance: float = 1e-9,
    iterations: int = 300,
    seed: int = 0,
    on_failure: str = "raise",
) -> InverseKinematics:
    """Joint positions, within the joint limits, that bring a link or tool to a pose.

    Damped least squares from many starts at once: `q0` (or the home position) first, then random
    ones. Among the starts that reach the target the answer is the one closest to `q0`. Elastic
    coordinates stay zero.

    Parameters
    ----------
    arm : Arm
    target : (4, 4) or (..., 4, 4)   pose(s) wanted, world axes
    link : str                       a link's or tool's name
    point : (3,)                     in that frame's axes [m]
    match : "pose", "position", "orientation", or six weights
        What counts: x, y, z [per m] and the rotation about them [per rad]; weight zero frees one.
    q0 : (dof,) or (joints,)         where to start, and what to stay close to
    starts, iterations : int         how hard to try
    tolerance : float                on each weighted entry of the error [m, rad]
    seed : int                       of the random starts
    on_failure : "raise" or "return"

    Returns
    -------
    InverseKinematics

    Raises
    ------
    SolveError
        When some target was not reached; its `result` is the record.

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("puma560")
    >>> goal = ls.pose(arm, [0.1, 0.6, -0.4, 0.3, 0.5, -0.2], "flange")
    >>> found = ls.inverse_kinematics(arm, goal, "flange")
    >>> bool(abs(ls.pose(arm, found.q, "flange") - goal).max() < 1e-8)
    True
    """
    verb = "inverse_kinematics"
    arm = as_arm(arm, verb)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{verb}: on_failure is {on_failure!r}; expected 'raise' or 'return'.")
    if not (starts >= 1 and iterations >= 1 and tolerance > 0):
        raise InputError(f"{verb}: starts and iterations must be at least 1 and tolerance more than 0.")
    frame = as_frame(arm, link, verb)
    if not any(arm.links[i].joint.moves for i in path_to(arm, frame.link)):
        raise InputError(f"{verb}: no joint moves {link!r}; choose another link.")
    goals = _targets(target, verb)
    problem = Problem(arm, frame, _single_point(point, verb), _weights(match, verb))
    flat = goals.reshape(-1, 4, 4)
    near = arm.home if q0 is None else as_state(arm, q0, "q0", verb)
    if near.ndim != 1:
        raise InputError(f"{verb}: q0 has shape {near.shape}; expected one state ({arm.dof},).")
    first = near[arm.joint_index]
    begin = _starts(problem, first, len(flat), starts, np.random.default_rng(seed))
    found = search(problem, begin.reshape(-1, begin.shape[-1]), np.repeat(flat, starts, axis=0), tolerance, iterations)
    record = _choose(problem, found, first, goals.shape[:-2], starts, tolerance)
    if on_failure == "raise" and not record.solved.all():
        raise SolveError(f"{verb}: {record.status}", record)
    return record


def _targets(target: ArrayLike, verb: str) -> Array:
    goals = as_numbers(target, "target", verb)
    if goals.ndim < 2 or goals.shape[-2:] != (4, 4):
        raise InputError(f"{verb}: target has shape {goals.shape}; expected (4, 4) or (..., 4, 4).")
    try:
        clean = [transform(X, "target") for X in goals.reshape(-1, 4, 4)]
    except ModelError as error:
        raise InputError(f"{verb}: {error}") from None
    return np.array(clean).reshape(goals.shape)


def _single_point(point: ArrayLike, verb: str) -> Array:
    local = as_points(point, "point", verb)
    if local.ndim != 1:
        raise InputError(f"{verb}: point has shape {local.shape}; expected (3,).")
    return local


def _weights(match: Any, verb: str) -> Array:
    if isinstance(match, str):
        if match not in MATCH:
            raise InputError(f"{verb}: match is {match!r}; expected one of {', '.join(MATCH)}, or six weights.")
        return np.array(MATCH[match], float)
    weights = as_numbers(match, "match", verb)
    if weights.shape != (6,) or (weights < 0).any() or not weights.any():
        raise InputError(f"{verb}: match is {weights.tolist()}; expected six weights of at least 0, not all zero.")
    return weights


def _starts(problem: Problem, first: Array, targets: int, count: int, rng: np.random.Generator) -> Array:
    """Starts (targets, count, joints): the given one, then random ones within the limits.

    The same random starts serve every target, so that one target and a batch give the same answer.
    """
    span = np.where([joint.kind == "revolute" for joint in problem.arm.joints], np.pi, 1.0)
    lower = np.where(np.isfinite(problem.lower), problem.lower, np.minimum(first, problem.upper) - span)
    upper = np.where(np.isfinite(problem.upper), problem.upper, np.maximum(first, lower) + span)
    random = rng.uniform(lower, upper, (count, len(first)))
    random[0] = first
    return np.broadcast_to(random, (targets, *random.shape)).copy()


def _choose(
    problem: Problem, found: Any, first: Array, batch: tuple[int, ...], starts: int, tolerance: float
) -> InverseKinematics:
    """The solution closest to the first start, or the smallest error where there is none."""
    weighted = np.abs(problem.weights * found.error).max(axis=-1).reshape(-1, starts)
    solved = weighted <= tolerance
    away = np.abs(found.q - first).max(axis=-1).reshape(-1, starts)
    pick = np.where(solved.any(axis=-1), np.where(solved, away, np.inf).argmin(-1), weighted.argmin(-1))
    chosen = np.arange(len(pick)) * starts + pick
    error = found.error[chosen]
    distance, angle = np.linalg.norm(error[:, :3], axis=-1), np.linalg.norm(error[:, 3:], axis=-1)
    good = solved.any(axis=-1)
    return InverseKinematics(
        q=problem.full(found.q[chosen]).reshape(*batch, problem.arm.dof),
        solved=good.reshape(batch),
        position_error=distance.reshape(batch),
        angle_error=angle.reshape(batch),
        starts_solved=solved.sum(axis=-1).reshape(batch),
        starts=starts,
        iterations=found.iterations,
        status=_status(problem, good, distance, angle, starts),
    )


def _status(problem: Problem, good: NDArray[np.bool_], distance: Array, angle: Array, starts: int) -> str:
    if good.all():
        return "every target reached." if good.size != 1 else "target reached."
    worst = int(np.flatnonzero(~good)[0])
    which = "the target was" if good.size == 1 else f"{int((~good).sum())} of {good.size} targets (first: {worst}) were"
    advice = "It may be out of reach or need joints beyond their limits"
    if problem.weights.all() and len(problem.arm.joints) < 6:
        advice += f"; with {len(problem.arm.joints)} joints a full pose is rarely reachable, try match='position'"
    return (
        f"{which} not reached from {starts} starts; the nearest is {distance[worst]:.3g} m and "
        f"{angle[worst]:.3g} rad away. {advice}."
    )
