"""Joint positions that bring a frame to a pose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.dynamics.inverse_kinematics import Problem, search
from lissom.dynamics.refusals import refuse_loops
from lissom.dynamics.stations import path_to
from lissom.errors import InputError, ModelError, SolveError, shown
from lissom.kernels.arguments import as_arm, as_frame, as_numbers, as_points, as_state
from lissom.kernels.cache import functions_of
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.fields import transform
from lissom.spatial.rotations import Array

WAVE = 32  # random starts at a time
MATCH = {"pose": (1, 1, 1, 1, 1, 1), "position": (1, 1, 1, 0, 0, 0), "orientation": (0, 0, 0, 1, 1, 1)}


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Result of `inverse_kinematics`.

    Attributes
    ----------
    q : (..., dof)               best positions, within the joint limits
    solved : (...) bool          within tolerance
    position_error : (...)       distance to the target [m]
    angle_error : (...)          angle to the target [rad]; for targets (..., 3), to the axes of the world
    starts : (...) int           number of starts tried: 1 where the first one, `q0`, reached the target
    starts_solved : (...) int    number of starts that reached the target
    status : str                 the outcome in one sentence
    """

    q: Array
    solved: NDArray[np.bool_]
    position_error: Array
    angle_error: Array
    starts: NDArray[np.intp]
    starts_solved: NDArray[np.intp]
    status: str

    def __str__(self) -> str:
        q = np.array2string(self.q, precision=6, threshold=24)
        return f"{self.status} q = {q}, position error at most {np.max(self.position_error):.2g} m"


@without_unknown
def inverse_kinematics(
    arm: Arm,
    target: ArrayLike,
    link: str | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    match: str | ArrayLike = "pose",
    q0: ArrayLike | None = None,
    starts: int = 256,
    tolerance: float = 1e-9,
    iterations: int = 300,
    seed: int = 0,
    on_failure: str = "raise",
    **unknown: Never,
) -> InverseKinematics:
    """Joint positions, within the joint limits, that bring a link or tool to a pose.

    Damped least squares, from `q0` (or the home position) first. Targets that are not reached from there are tried
    from random starts, 32 at a time, until one of them reaches the target; the answer is then the one closest to
    `q0` among those that did. Give the last answer as `q0` to follow a path. Elastic coordinates stay zero.

    Parameters
    ----------
    arm : Arm
    target : (4, 4) or (..., 4, 4)   pose(s) wanted, world axes; with match="position" also (3,) or (..., 3) [m]
    link : str or None               a link's or tool's name; None: the end of the arm, `Arm.tip_frame`
    point : (3,)                     in that frame's axes [m]
    match : "pose", "position", "orientation", or six weights
        What counts: x, y, z [per m] and the rotation about them [per rad]; weight zero frees one.
    q0 : (dof,) or (joints,)         the first start; solutions close to it are preferred; None: `arm.home`
    starts, iterations : int         at most so many starts per target, and steps of each
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
    >>> found = ls.inverse_kinematics(arm, [0.3, 0.2, 0.5], "flange", match="position")
    >>> ls.pose(arm, found.q, "flange")[:3, 3].round(6)
    array([0.3, 0.2, 0.5])
    """
    check_keywords(inverse_kinematics, unknown)
    verb = "inverse_kinematics"
    arm = as_arm(arm, verb)
    link = arm.tip_frame if link is None else link
    refuse_loops(arm, verb, "Add a loop between the link and the base at the pose wanted, and use assemble.")
    if on_failure not in ("raise", "return"):
        raise InputError(f"{verb}: on_failure is {on_failure!r}; expected 'raise' or 'return'.")
    for word, value in (("starts", starts), ("iterations", iterations)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{verb}: {word} is {shown(value)}; expected a whole number of at least 1.")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.floating) or not tolerance > 0:
        raise InputError(f"{verb}: tolerance is {shown(tolerance)}; expected a number above 0.")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"{verb}: seed is {shown(seed)}; expected a whole number of at least 0.")
    frame = as_frame(arm, link, verb)
    if not any(arm.links[i].joint.moves for i in path_to(arm, frame.link)):
        raise InputError(f"{verb}: no joint moves {link!r}; choose another link.")
    weights = _weights(match, verb)
    goals = _targets(target, weights, verb)
    problem = Problem(arm, frame, weights, _reach(arm, link, _single_point(point, verb)))
    near = arm.home if q0 is None else as_state(arm, q0, "q0", verb)
    if near.ndim != 1:
        raise InputError(f"{verb}: q0 has shape {near.shape}; expected one state ({arm.dof},).")
    first = np.clip(near[arm.joint_index], problem.lower, problem.upper)
    flat = goals.reshape(-1, 4, 4)
    best = _Best(len(flat), first)
    for wave in _waves(problem, first, starts, seed):
        left = np.flatnonzero(~best.solved)
        if not left.size:
            break
        best.improve(problem, wave, left, flat[left], tolerance, iterations)
    record = best.record(problem, goals.shape[:-2])
    if on_failure == "raise" and not record.solved.all():
        raise SolveError(f"{verb}: {record.status}", record)
    return record


def _reach(arm: Arm, link: str, point: Array) -> Callable[[Array], tuple[Array, Array]]:
    """Pose and Jacobian of the frame at coordinates (n, dof)."""
    from lissom.dynamics.acting import Acting

    functions = [functions_of(arm).get(name, Acting(frame=link)) for name in ("pose", "jacobian")]

    def reach(q: Array) -> tuple[Array, Array]:
        points = np.repeat(point[None], len(q), axis=0)  # one row per state takes the short way through the engine
        return tuple(function(q, points) for function in functions)

    return reach


def _targets(target: ArrayLike, weights: Array, verb: str) -> Array:
    """Poses (..., 4, 4); of positions (..., 3) where no rotation counts, with any orientation."""
    goals = as_numbers(target, "target", verb)
    if goals.ndim > 0 and goals.shape[-1] == 3:
        if weights[3:].any():
            raise InputError(
                f"{verb}: target has shape {goals.shape}; expected (4, 4) or (..., 4, 4). Positions (3,) or (..., 3) "
                'need match="position".'
            )
        poses = np.tile(np.eye(4), (*goals.shape[:-1], 1, 1))
        poses[..., :3, 3] = goals
        return poses
    if goals.ndim < 2 or goals.shape[-2:] != (4, 4):
        also = "" if weights[3:].any() else ", or positions (3,) or (..., 3)"
        raise InputError(f"{verb}: target has shape {goals.shape}; expected (4, 4) or (..., 4, 4){also}.")
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


def _waves(problem: Problem, first: Array, count: int, seed: int) -> Iterator[Array]:
    """Starts (n, joints) in the order in which they are tried: the given one alone, then random ones, 32 at a time.

    The same starts serve every target, so that one target and a batch give the same answer.
    """
    yield first[None]
    starts = _random_starts(problem, first, count, np.random.default_rng(seed))
    for wave in range(1, count, WAVE):
        yield starts[wave : wave + WAVE]


def _random_starts(problem: Problem, first: Array, count: int, rng: np.random.Generator) -> Array:
    """Starts (count, joints) within the limits."""
    span = np.array([joint.half_range() for joint in problem.arm.joints])
    lower = np.where(np.isfinite(problem.lower), problem.lower, np.minimum(first, problem.upper) - span)
    upper = np.where(np.isfinite(problem.upper), problem.upper, np.maximum(first, lower) + span)
    starts = rng.uniform(lower, upper, (count, len(first)))
    carrying = {problem.arm.links[i].joint.name for i in problem.path}
    carrying |= {mimic.joint for name, mimic in problem.arm.mimics.items() if name in carrying}
    idle = [joint.name not in carrying for joint in problem.arm.joints]
    starts[:, idle] = first[idle]  # joints that do not move the frame stay where they are
    return np.clip(starts, problem.lower, problem.upper)


class _Best:
    """The best solution for each of n targets so far."""

    def __init__(self, targets: int, near: Array):
        self.near = near
        self.q = np.zeros((targets, len(near)))
        self.error = np.full((targets, 6), np.inf)
        self.weighted = np.full(targets, np.inf)
        self.solved = np.zeros(targets, bool)
        self.tried = np.zeros(targets, np.intp)
        self.reached = np.zeros(targets, np.intp)

    def improve(
        self, problem: Problem, begin: Array, left: NDArray[np.intp], goals: Array, tolerance: float, iterations: int
    ) -> None:
        """Solve for the targets `left` from the starts `begin`; store solutions that are better."""
        n, rows = len(begin), np.arange(len(left))
        found = search(problem, np.tile(begin, (len(left), 1)), np.repeat(goals, n, axis=0), tolerance, iterations)
        weighted = np.abs(problem.weights * found.error).max(axis=-1).reshape(-1, n)
        reached = weighted <= tolerance
        away = np.abs(found.q - self.near).max(axis=-1).reshape(-1, n)
        pick = np.where(reached.any(axis=-1), np.where(reached, away, np.inf).argmin(-1), weighted.argmin(-1))
        better = weighted[rows, pick] < self.weighted[left]
        to, chosen = left[better], (rows * n + pick)[better]
        self.q[to], self.error[to] = found.q[chosen], found.error[chosen]
        self.weighted[to] = weighted[rows, pick][better]
        self.solved[left] = reached.any(axis=-1)
        self.tried[left] += n
        self.reached[left] += reached.sum(axis=-1)

    def record(self, problem: Problem, batch: tuple[int, ...]) -> InverseKinematics:
        """The best solutions in the shape of the targets."""
        distance, angle = np.linalg.norm(self.error[:, :3], axis=-1), np.linalg.norm(self.error[:, 3:], axis=-1)
        return InverseKinematics(
            q=problem.full(self.q).reshape(*batch, problem.arm.dof),
            solved=self.solved.reshape(batch),
            position_error=distance.reshape(batch),
            angle_error=angle.reshape(batch),
            starts=self.tried.reshape(batch),
            starts_solved=self.reached.reshape(batch),
            status=self._status(problem, distance, angle),
        )

    def _status(self, problem: Problem, distance: Array, angle: Array) -> str:
        if self.solved.all():
            return "every target reached." if self.solved.size != 1 else "target reached."
        worst = int(np.flatnonzero(~self.solved)[0])
        missed, count = int((~self.solved).sum()), self.solved.size
        which = "the target was" if count == 1 else f"{missed} of {count} targets (first: {worst}) were"
        advice = "It may be out of reach or need joints beyond their limits"
        if problem.weights.all() and len(problem.arm.joints) < 6:
            advice += f"; with {len(problem.arm.joints)} joints a full pose is rarely reachable, try match='position'"
        sizes = ((problem.weights[:3], f"{distance[worst]:.3g} m"), (problem.weights[3:], f"{angle[worst]:.3g} rad"))
        away = " and ".join(text for weights, text in sizes if weights.any())
        return f"{which} not reached from {self.tried[worst]} starts; the nearest is {away} away. {advice}."
