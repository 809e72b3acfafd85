"""Robots held by PD control: the URDFs of example-robot-data with up to 45 coordinates, all options default.

    python benchmarks/holding.py [NAME ...]

Held: each robot at the middle of its joint limits (0 where there are none), 1 s, with three pairs of gains.
Ensembles: 64 runs of 0.5 s whose starts are spread by 5 % of the range. CPU time of the second of two calls, so that
kernels are compiled. The last lines say whether all are done, with joint errors of at most 1e-5, within 10 s and 20 s.
"""

from __future__ import annotations

import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lissom as ls

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
LARGEST, RUNS, SPREAD = 45, 64, 0.05
HELD_SECONDS, MANY_SECONDS, ERROR = 10.0, 20.0, 1e-5


def loaded(path: Path) -> ls.Arm | None:
    """The robot, repaired where that is needed; None where it cannot be read."""
    for repair in (False, True):
        try:
            return ls.load(str(path), repair=repair)
        except ls.LissomError:
            continue
    return None


def middle(arm: ls.Arm) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half of the joint ranges; 0 and pi where there is no limit."""
    lower, upper = arm.bounds("position")
    limited = np.isfinite(lower) & np.isfinite(upper)
    lower, upper = (np.where(limited, x, 0.0) for x in (lower, upper))
    return (lower + upper) / 2, np.where(limited, (upper - lower) / 2, np.pi)


def warm(simulate: Callable[[], ls.Run]) -> tuple[ls.Run, float]:
    """The second run, and its CPU time."""
    simulate()
    begin = time.process_time()
    return simulate(), time.process_time() - begin


def held(arm: ls.Arm) -> list[bool]:
    q0, _ = middle(arm)
    M = np.diag(ls.mass_matrix(arm, q0))
    good = []
    for kp, kd in ((200, 40), (2000, 100), (400 * M, 40 * M)):
        control = ls.PD(q0, kp, kd, gravity=True)
        run, cpu = warm(lambda control=control: ls.simulate(arm, q0, tau=control, until=1.0, on_failure="return"))
        error = float(np.abs(run.q - q0).max())
        good.append(run.status == "done" and error <= ERROR and cpu <= HELD_SECONDS)
        print(
            f"{arm.name:32} {arm.dof:3} held {error:8.1e} {cpu:6.2f} s {run.report.method:7} {run.status[:60]}",
            flush=True,
        )
    return good


def spread(arm: ls.Arm) -> bool:
    q0, half = middle(arm)
    starts = q0 + 2 * SPREAD * half * np.random.default_rng(0).uniform(-1, 1, (RUNS, arm.dof))
    control = ls.PD(q0, 100, 20, gravity=True)
    run, cpu = warm(lambda: ls.simulate(arm, starts, tau=control, until=0.5, on_failure="return"))
    balance = float(np.max(run.balance_error))
    print(
        f"{arm.name:32} {arm.dof:3} many {balance:8.1e} {cpu:6.2f} s {run.report.method:7} {run.status[:60]}",
        flush=True,
    )
    return bool(run.ok and cpu <= MANY_SECONDS)


def main(names: list[str]) -> int:
    single: list[bool] = []
    many: list[bool] = []
    for path in sorted(ROBOTS.rglob("*.urdf")):
        arm = loaded(path) if not names or path.stem in names else None
        if arm is not None and 0 < arm.dof <= LARGEST:
            single += held(arm)
            many.append(spread(arm))
    print(f"held: {sum(single)} of {len(single)} within {ERROR:g} and {HELD_SECONDS:g} s of CPU")
    print(f"ensembles: {sum(many)} of {len(many)} ok within {MANY_SECONDS:g} s of CPU")
    return 0 if all(single) and all(many) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
