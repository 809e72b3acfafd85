"""Robots held by PD control: the URDFs of example-robot-data with up to 45 coordinates, all options default.

    python benchmarks/holding.py [NAME ...] [--save]

Held: each robot at the middle of its joint limits (0 where there are none), 1 s, with three pairs of gains.
Ensembles: 64 runs of 0.5 s whose starts are spread by 5 % of the range. CPU time of the second of two calls, so that
kernels are compiled. The last lines say whether all are done, with joint errors of at most 1e-5, within 10 s and 20 s.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import results
from trials.subject import ROBOTS

import lissom as ls

LARGEST, RUNS, SPREAD = 45, 64, 0.05
HELD_SECONDS, MANY_SECONDS, ERROR = 10.0, 20.0, 1e-5
GAINS = ("200/40", "2000/100", "400 M/40 M")
WHAT = (
    f"Every URDF of example-robot-data with up to {LARGEST} coordinates, all options default, at the middle of its "
    "joint limits (0 where there are none). Held: `PD(q0, kp, kd, gravity=True)` for 1 s with three pairs of gains "
    f"kp/kd (M: the diagonal of the mass matrix). Ensembles: {RUNS} runs of 0.5 s under "
    f"`PD(q0, 100, 20, gravity=True)`, starts spread by {100 * SPREAD:g} % of the range. CPU time of the second of two "
    f"calls. Expected: all done; joints within {ERROR:g} rad or m and {HELD_SECONDS:g} s when held; energy balanced "
    f"and {MANY_SECONDS:g} s for ensembles."
)


class Trial(NamedTuple):
    """One simulation; the error is that of the joints when held, of the energy balance in ensembles."""

    method: str
    error: float
    cpu: float
    status: str
    good: bool


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


def held(arm: ls.Arm) -> list[Trial]:
    """At rest under each pair of gains."""
    q0, _ = middle(arm)
    M = np.diag(ls.mass_matrix(arm, q0))
    found = []
    for kp, kd in ((200, 40), (2000, 100), (400 * M, 40 * M)):
        control = ls.PD(q0, kp, kd, gravity=True)
        run, cpu = warm(lambda control=control: ls.simulate(arm, q0, tau=control, until=1.0, on_failure="return"))
        error = float(np.abs(run.q - q0).max())
        good = run.status == "done" and error <= ERROR and cpu <= HELD_SECONDS
        found.append(Trial(run.report.method, error, cpu, run.status, good))
    return found


def ensemble(arm: ls.Arm) -> Trial:
    """Many runs that come back to the pose."""
    q0, half = middle(arm)
    starts = q0 + 2 * SPREAD * half * np.random.default_rng(0).uniform(-1, 1, (RUNS, arm.dof))
    control = ls.PD(q0, 100, 20, gravity=True)
    run, cpu = warm(lambda: ls.simulate(arm, starts, tau=control, until=0.5, on_failure="return"))
    balance = float(np.max(run.balance_error))
    return Trial(run.report.method, balance, cpu, run.status, bool(run.ok and cpu <= MANY_SECONDS))


def verdict(trials: list[Trial]) -> str:
    """The first status that is no success, in a few words."""
    bad = next((trial for trial in trials if not trial.good), None)
    return "ok" if bad is None else f"missed: {bad.status[:80]}"


def held_row(name: str, dof: int, trials: list[Trial]) -> list[Any]:
    worst = max(trials, key=lambda trial: trial.error if np.isfinite(trial.error) else np.inf)
    return [name, dof, *(trial.cpu for trial in trials), worst.error, verdict(trials)]


def ensemble_row(name: str, dof: int, trial: Trial) -> list[Any]:
    return [name, dof, trial.method, trial.cpu, trial.error, verdict([trial])]


def shown(row: list[Any]) -> str:
    """A row of the terminal's table: seconds of CPU as decimals, the error behind them in powers of ten."""
    *numbers, error, word = row[1:]
    words = [f"{x:7.2f}" if isinstance(x, float) else f"{x:>6}" for x in numbers]
    return f"{row[0]:36} {' '.join(words)} {error:8.1e}  {word}"


def main(names: list[str], save: bool) -> int:
    single: list[list[Any]] = []
    many: list[list[Any]] = []
    good_single = good_many = 0
    print("held: robot, coordinates, CPU [s] with " + ", ".join(GAINS) + ", joint error, verdict")
    print("ensemble: robot, coordinates, method, CPU [s], energy error, verdict")
    for path in sorted(ROBOTS.rglob("*.urdf")):
        arm = loaded(path) if not names or path.stem in names else None
        if arm is None or not 0 < arm.dof <= LARGEST:
            continue
        trials, spread = held(arm), ensemble(arm)
        good_single, good_many = good_single + sum(trial.good for trial in trials), good_many + spread.good
        single.append(held_row(path.stem, arm.dof, trials))
        many.append(ensemble_row(path.stem, arm.dof, spread))
        print(f"held     {shown(single[-1])}\nensemble {shown(many[-1])}", flush=True)
    summary = (
        f"held: {good_single} of {len(GAINS) * len(single)} within {ERROR:g} and {HELD_SECONDS:g} s of CPU",
        f"ensembles: {good_many} of {len(many)} ok within {MANY_SECONDS:g} s of CPU",
    )
    print(*summary, sep="\n")
    if save:
        held_columns = ["robot", "coordinates", *(f"CPU [s], {pair}" for pair in GAINS), "joint error", ""]
        many_columns = ["robot", "coordinates", "method", "CPU [s]", "energy error", ""]
        tables = [
            results.Table("Held for 1 s", held_columns, single, summary[0]),
            results.Table(f"{RUNS} runs of 0.5 s", many_columns, many, summary[1]),
        ]
        results.save("holding", WHAT, tables)
    return 0 if good_single == len(GAINS) * len(single) and good_many == len(many) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="stems of URDF files; default: all")
    results.add_option(parser)
    chosen = parser.parse_args()
    sys.exit(main(chosen.names, chosen.save))
