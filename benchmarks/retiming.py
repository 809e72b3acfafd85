"""Retiming of given paths against toppra: python benchmarks/retiming.py [--save]

Random paths of five waypoints on a UR5 and a Panda with locked fingers; both get the same cubic spline, grid and limits
of velocity and acceleration. toppra's time is that of its constraints, passes and trajectory; ours is all of
`retime_motion`, with the check of every limit between grid points and the splines of the motion. CPU seconds, in turns.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import results
from models import ROBOTS, bare, panda

import lissom as ls

GRID = 400
ACCELERATION = 6.0  # rad/s^2
WHAT = (
    "Retiming of given paths, compared with toppra: random paths of five waypoints, velocity and acceleration limits, "
    f"a grid of {GRID} intervals. CPU time of whole calls, interleaved, best of several; `ratio` is the median of "
    "all paths, durations are lissom's over toppra's, `excess` is the largest excess of a limit at 20 times as many "
    "points."
)
COLUMNS = [
    "",
    "paths",
    "solved",
    "lissom ms",
    "toppra ms",
    "ratio",
    "worst ratio",
    "duration",
    "longest duration",
    "excess",
]


class Timed(NamedTuple):
    """One path: seconds, duration and largest excess of both."""

    ours: float
    theirs: float
    duration: float
    other: float
    excess: float


def arms() -> dict[str, tuple[ls.Arm, list[float]]]:
    """Arms without torque limits, and where their paths begin."""
    ur5 = bare(ls.load(ROBOTS / "ur_description/urdf/ur5_joint_limited_robot.urdf").replace(name="ur5"))
    ready = {"ur5": [0, -1.2, 1, 0, 0, 0], "panda": [0.0, -0.785, 0.0, -2.0, 0.0, 1.8, 0.785]}
    return {arm.name: (without_torque_limits(arm), ready[arm.name]) for arm in (ur5, panda())}


def without_torque_limits(arm: ls.Arm) -> ls.Arm:
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, limits=joint.limits.replace(torque=None))
    return arm


def waypoints(arm: ls.Arm, begin: list[float], seed: int) -> np.ndarray:
    """(5, dof) a random walk within the position limits."""
    lower, upper = arm.bounds("position")
    rng = np.random.default_rng(seed)
    while True:
        points = begin + np.cumsum(np.vstack([np.zeros(arm.dof), rng.uniform(-0.5, 0.5, (4, arm.dof))]), axis=0)
        s = np.linspace(0, 1, 401)
        if (lower < spline(points)(s)).all() and (spline(points)(s) < upper).all():
            return points


def spline(points: np.ndarray) -> Any:
    """The path that `retime_motion` makes of waypoints."""
    from toppra import SplineInterpolator

    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    return SplineInterpolator(length / length[-1], points)


def theirs(arm: ls.Arm, points: np.ndarray) -> Any:
    import toppra
    from toppra.algorithm import TOPPRA
    from toppra.constraint import JointAccelerationConstraint, JointVelocityConstraint

    toppra.setup_logging(level=logging.ERROR)
    velocity = np.stack(arm.bounds("velocity"), axis=1)
    acceleration = np.tile([-ACCELERATION, ACCELERATION], (arm.dof, 1))
    limits = [JointVelocityConstraint(velocity), JointAccelerationConstraint(acceleration)]
    return TOPPRA(limits, spline(points), gridpoints=np.linspace(0, 1, GRID + 1)).compute_trajectory(0, 0)


def ours(arm: ls.Arm, points: np.ndarray) -> ls.Motion:
    return ls.retime_motion(arm, points, limits=ls.Limits(acceleration=ACCELERATION), segments=GRID)


def compare(arm: ls.Arm, points: np.ndarray, rounds: int) -> Timed:
    """Both on one path; the shortest of several times."""
    found: dict[str, Any] = {}
    best = {"ours": np.inf, "theirs": np.inf}
    work: dict[str, Callable[..., Any]] = {"ours": ours, "theirs": theirs}
    for _ in range(rounds):
        for word, call in work.items():
            began = time.process_time()
            found[word] = call(arm, points)
            best[word] = min(best[word], time.process_time() - began)
    motion, other = found["ours"], found["theirs"]
    t = np.linspace(0, 1, 20 * GRID + 1)
    _, qd, qdd = motion.at(t * motion.duration)
    excess = _excess(arm, qd, qdd)
    return Timed(*best.values(), motion.duration, other.duration, excess)


def _excess(arm: ls.Arm, qd: np.ndarray, qdd: np.ndarray) -> float:
    """Of velocity or acceleration, relative to the limit; negative where all hold."""
    return float(max((np.abs(qd) / arm.bounds("velocity")[1]).max(), np.abs(qdd).max() / ACCELERATION) - 1)


def table(name: str, arm: ls.Arm, begin: list[float], paths: int, rounds: int) -> list[Any]:
    ours(arm, waypoints(arm, begin, 0))  # compiled code at hand
    rows, failed = [], 0
    for seed in range(paths):
        try:
            rows.append(compare(arm, waypoints(arm, begin, seed), rounds))
        except ls.LissomError as error:
            failed += 1
            print(f"{name}, path {seed}: {error}")
    each = Timed(*np.array(rows).T)
    ratio, duration = each.ours / each.theirs, each.duration / each.other
    row = [name, paths, paths - failed, 1e3 * np.median(each.ours), 1e3 * np.median(each.theirs), np.median(ratio),
           ratio.max(), np.median(duration), duration.max(), each.excess.max()]  # fmt: skip
    print(f"{name:6} {row[2]} of {paths} solved, {row[3]:.1f} ms, toppra {row[4]:.1f} ms, ratio {row[5]:.2f}, at worst "
          f"{row[6]:.2f}; durations over toppra's {row[7]:.6f}, at most {row[8]:.6f}, at least {duration.min():.6f}; "
          f"largest excess of a limit {row[9]:.1e}", flush=True)  # fmt: skip
    return [value if isinstance(value, str | int) else float(value) for value in row]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, default=40, help="of each arm")
    parser.add_argument("--rounds", type=int, default=7)
    results.add_option(parser)
    chosen = parser.parse_args()
    try:
        import toppra as _  # noqa: F401
    except ImportError:
        raise SystemExit("toppra is not installed; pip install toppra") from None
    found = [table(name, arm, begin, chosen.paths, chosen.rounds) for name, (arm, begin) in arms().items()]
    if chosen.save:
        results.save("retiming", WHAT, [results.Table("Comparison with toppra", COLUMNS, found)])
