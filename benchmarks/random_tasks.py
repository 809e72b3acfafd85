"""Random tasks of real arms, by default and from many starts: python benchmarks/random_tasks.py [--quick] [--save]

Five tasks for each of four criteria on seven arms (URDFs of the test extra). Each is solved as `predict_motion` does it
by default and verified; the reference is the best of nine starts (a straight line and eight wide random ones) on 40
segments, solved on 80 segments too. Every task is a line of `--log` (JSON), and those already in it are not done again:
an interrupted run continues. Times are CPU seconds; the first task of an arm and criterion compiles its code.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import results
from trials.subject import ROBOTS

import lissom as ls

FILES = {
    "ur5": "ur_description/urdf/ur5_joint_limited_robot.urdf",
    "ur10": "ur_description/urdf/ur10_joint_limited_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
}
CRITERIA = ("time", "torque_squared", "energy", "jerk")
TASKS, STARTS, REFERENCE_SEGMENTS = 5, 9, 40
QUICK = {"ur5": 2, "so101": 1}  # tasks of each
SLOWER = 1.7  # of the duration at the limits of velocity, where that is more than SECONDS
SECONDS = 2.0
WHAT = (
    "Random tasks of seven arms, start in the middle half of the ranges and goal up to 1.5 rad away in every joint: "
    "the default search against the best of nine starts on 40 segments, and that on 80. Ratio: cost of the default "
    "over the least of both. CPU seconds."
)


def load_arm(name: str) -> ls.Arm:
    """An arm of the test extra, its fingers locked."""
    arm = ls.load(ROBOTS / FILES[name])
    fingers = {joint.name: 0.02 for joint in arm.joints if "finger" in joint.name}
    return arm.lock(fingers).merge_fixed()


def random_task(arm: ls.Arm, criterion: str, k: int) -> dict[str, Any]:
    """Fields of task k."""
    lower, upper = arm.bounds("position")
    lower, upper = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
    rng = np.random.default_rng(k)
    start = (lower + upper) / 2 + (upper - lower) / 4 * rng.uniform(-1, 1, arm.dof)
    goal = np.clip(start + rng.uniform(-1.5, 1.5, arm.dof), lower + 0.05, upper - 0.05)
    task = {"start": start, "goal": goal, "minimise": criterion}
    if criterion != "time":
        fastest = float(np.max(np.abs(goal - start) / arm.bounds("velocity")[1]))
        task["duration"] = max(SECONDS, round(SLOWER * fastest, 1))
    return task


def solved(arm: ls.Arm, task: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Status, cost and CPU time of one call."""
    clock = time.process_time()
    try:
        motion = ls.predict_motion(arm, **task, **options, on_failure="return")
    except ls.LissomError as error:
        return {"ok": False, "status": str(error), "cost": np.nan, "seconds": time.process_time() - clock}
    found = {"ok": motion.ok, "status": motion.status, "cost": motion.cost, "segments": motion.basis.segments}
    return found | {"seconds": time.process_time() - clock, "motion": motion}


def compared(arm: ls.Arm, task: dict[str, Any]) -> dict[str, Any]:
    """The default with its verification, one start, and the reference."""
    default, once = solved(arm, task), solved(arm, task, starts=1, segments=20)
    check = default["motion"].verify() if default["ok"] else None
    wide = solved(arm, task, starts=STARTS, segments=REFERENCE_SEGMENTS, workers=1, seed=1)
    finer = {"ok": False, "cost": np.nan}
    if wide["ok"]:
        finer = solved(arm, task, guess=wide["motion"], segments=2 * REFERENCE_SEGMENTS, starts=1)
    costs = [found["cost"] for found in (wide, finer) if found["ok"]]
    ratio = default["cost"] / min(costs) if costs and default["ok"] else np.nan
    default.pop("motion", None)
    return default | {"one_start": once["cost"] if once["ok"] else np.nan, "one_start_seconds": once["seconds"],
                      "reference": min(costs, default=np.nan), "ratio": ratio, "verified": bool(check and check.ok),
                      "verification": check.status if check else ""}  # fmt: skip


def work(names: list[str], criteria: list[str], quick: bool) -> Iterator[tuple[str, str, int]]:
    """Arm, criterion and number of every task; the first tasks of all arms first, so that a part says something."""
    for k in range(TASKS):
        for name in names:
            for criterion in criteria:
                if not quick or k < QUICK.get(name, 0):
                    yield name, criterion, k


def table(rows: list[dict[str, Any]]) -> results.Table:
    """One line per criterion: tasks solved, verified, within 3 % and 15 % of the reference; median CPU seconds."""
    out = []
    for criterion in CRITERIA:
        some = [row for row in rows if row["criterion"] == criterion]
        if not some:
            continue
        ratios = np.array([row["ratio"] for row in some if row["ratio"] is not None], float)
        ratios = ratios[np.isfinite(ratios)]
        near = [f"{np.mean(ratios <= 1 + x):.0%}" if len(ratios) else "-" for x in (0.03, 0.15)]
        seconds = [f"{np.median([row[word] for row in some]):.2g}" for word in ("seconds", "one_start_seconds")]
        counts = [sum(row[word] for row in some) for word in ("ok", "verified")]
        out.append([criterion, len(some), *counts, *near,
                    f"{ratios.max(initial=0.0):.3f}", *seconds])  # fmt: skip
    columns = ["minimise", "tasks", "solved", "verified", "within 3 %", "within 15 %", "worst ratio"]
    columns += ["default s", "one start s"]
    return results.Table("Random tasks: the default compared with the best of nine starts", columns, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK} tasks for each criterion")
    parser.add_argument("--arms", default=",".join(FILES), help="some of the arms, with commas")
    parser.add_argument("--criteria", default=",".join(CRITERIA), help="some of the criteria, with commas")
    parser.add_argument("--log", type=Path, default=Path("random_tasks.jsonl"), help="where every task is kept")
    results.add_option(parser)
    given = parser.parse_args()
    lines = given.log.read_text().splitlines() if given.log.exists() else []
    rows = [row for row in map(json.loads, lines) if "verified" in row]
    done = {(row["arm"], row["criterion"], row["task"]) for row in rows}
    todo = [at for at in work(given.arms.split(","), given.criteria.split(","), given.quick) if at not in done]
    arms: dict[str, ls.Arm] = {}
    for number, (name, criterion, k) in enumerate(todo, 1):
        if name not in arms:
            arms[name] = load_arm(name)
        arm = arms[name]
        row = {"arm": name, "criterion": criterion, "task": k, **compared(arm, random_task(arm, criterion, k))}
        rows.append(row)
        with given.log.open("a") as log:
            log.write(json.dumps(row) + "\n")
        print(
            f"{number}/{len(todo)} {name} {criterion} {k}: {row['ratio']:.4f} {row['seconds']:.2f} s, {row['status']}",
            flush=True,
        )
    found = table(rows)
    for line in (found.columns, *found.rows):
        print("  ".join(f"{cell!s:14}" for cell in line))
    if given.save:
        results.save("random_tasks", WHAT, [found])


if __name__ == "__main__":
    main()
