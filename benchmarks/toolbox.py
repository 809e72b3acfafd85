"""Rigid dynamics of the PUMA 560, compared with the Robotics Toolbox for Python.

    pip install roboticstoolbox-python
    python benchmarks/toolbox.py [--rounds 15] [--save]

One process, candidates interleaved, CPU time, best of the rounds, and the ratio of medians for the noise. Both models
hold the same numbers, without friction, and every result is compared before anything is timed. The toolbox's inverse
dynamics (`rne`) is compiled C code, called once for a whole batch; its mass matrix (`inertia`) and forward dynamics
(`accel`) loop over the states in Python.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import results

import lissom as ls

BATCH, SMALL = 65536, 64
MISSING = "The Robotics Toolbox is not installed, so nothing is compared: pip install roboticstoolbox-python"
WHAT = (
    "The PUMA 560 of lissom and of the Robotics Toolbox for Python, with the same numbers and without friction, on one "
    "core. CPU nanoseconds per state, best of the rounds; candidates interleaved in one process."
)


class Pair(NamedTuple):
    """The same quantity by both libraries: calls without arguments, and the states in each call."""

    toolbox: Callable[[], np.ndarray]
    lissom: Callable[[], np.ndarray]
    states: tuple[int, int]


def without_friction(arm: ls.Arm) -> ls.Arm:
    links = [link.replace(joint=link.joint.replace(damping=0.0, friction=0.0)) for link in arm.links]
    return arm.replace(links=links)


def toolbox_twin(arm: ls.Arm, rtb: Any) -> Any:
    """The toolbox's PUMA without friction, with the inertias of the arm: lissom's elbow is made physical."""
    robot = rtb.models.DH.Puma560().nofriction(coulomb=True, viscous=True)
    for theirs, link in zip(robot.links, arm.links, strict=True):
        theirs.I = link.inertia
    return robot


def pairs(arm: ls.Arm, robot: Any) -> dict[str, Pair]:
    """What is compared, by its name in the table."""
    wide = np.random.default_rng(0).uniform(-1.5, 1.5, (3, BATCH, arm.dof))
    few, (q, v, a) = wide[:, :SMALL], wide[:, 0].copy()
    return {
        "inverse dynamics, one state": Pair(
            lambda: robot.rne(q, v, a), lambda: ls.inverse_dynamics(arm, q, v, a), (1, 1)
        ),
        "inverse dynamics, batch": Pair(
            lambda: robot.rne(*wide), lambda: ls.inverse_dynamics(arm, *wide, threads=1), (BATCH, BATCH)
        ),
        "mass matrix, batch": Pair(
            lambda: robot.inertia(few[0]), lambda: ls.mass_matrix(arm, wide[0], threads=1), (SMALL, BATCH)
        ),
        "forward dynamics, batch": Pair(
            lambda: robot.accel(*few), lambda: ls.forward_dynamics(arm, *wide, threads=1), (SMALL, BATCH)
        ),
    }


def check(what: str, pair: Pair) -> float:
    """Largest relative difference; nothing is timed where the libraries disagree."""
    theirs, ours = pair.toolbox(), pair.lissom()
    ours = ours[: len(theirs)]
    difference = float(np.abs(ours - theirs).max() / np.abs(ours).max())
    if not difference < 1e-9:
        raise SystemExit(f"{what}: the libraries differ by {difference:.1e}; nothing was timed.")
    return difference


def spent(call: Callable[[], object], states: int, calls: int) -> float:
    """CPU nanoseconds per state."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls / states * 1e9


def measure(what: str, pair: Pair, rounds: int) -> list[Any]:
    """A row of the table."""
    difference = check(what, pair)
    calls = [max(1, int(4e6 / (spent(f, n, 1) * n + 1.0))) for f, n in zip(pair[:2], pair.states, strict=True)]
    times = np.array([
        [spent(f, n, count) for f, n, count in zip(pair[:2], pair.states, calls, strict=True)] for _ in range(rounds)
    ])  # fmt: skip
    (theirs, ours), medians = times.min(axis=0), np.median(times, axis=0)
    row = [what, theirs, ours, theirs / ours, medians[0] / medians[1], f"{difference:.0e}"]
    print(f"{what:<30}{theirs:>12.0f} ns{ours:>10.0f} ns{row[3]:>9.1f} times faster (medians {row[4]:.1f}), "
          f"same to {difference:.0e}", flush=True)  # fmt: skip
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    results.add_option(parser)
    options = parser.parse_args()
    try:
        import roboticstoolbox as rtb
    except ImportError:
        print(MISSING)
        return
    arm = without_friction(ls.load("puma560"))
    robot = toolbox_twin(arm, rtb)
    print(f"{'per state':<30}{'toolbox':>15}{'lissom':>13}")
    rows = [measure(what, pair, options.rounds) for what, pair in pairs(arm, robot).items()]
    if options.save:
        columns = ["what", "Robotics Toolbox ns", "lissom ns", "times faster", "by medians", "largest difference"]
        note = (
            "The difference is relative to the largest entry. The toolbox computes inverse dynamics in C and the "
            "other two by a Python loop over the states; lissom computes a batch in one call."
        )
        results.save("toolbox", WHAT, [results.Table("PUMA 560", columns, rows, note)])


if __name__ == "__main__":
    main()
