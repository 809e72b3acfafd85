"""Studies: what a second process brings, what sharing rows out costs, and that no bit depends on it.

    python benchmarks/studies.py [--rows 10000] [--rounds 3] [--no-cluster] [--save]

Wall time counts here, as processes run side by side; rounds are interleaved and the best counts. A round begins its
processes anew. Overhead of a row: wall time less what the evaluations take when they are shared out evenly, over the
number of rows; start of processes, sending, storing and reading back included.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import results

import lissom as ls

WHAT = (
    "Studies distributed to processes and to a cluster of dask.distributed on this machine: the speed-up of two "
    "workers, and the overhead per row. Rows are compared bit for bit first."
)
GAINS = {"kp": [200, 300, 100, 20, 20, 10], "kd": [40, 50, 20, 3, 3, 2]}


def runs(rows):
    """A robot arm that moves to a pose: starts, gains and a push differ."""
    arguments = {
        "q0": [0.1] * 6, "tau": ls.PD([0.5, 0.4, -0.3, 0.2, 0.6, 0.1], **GAINS, gravity=True), "until": 4.0,
        "every": 0.04, "dt": 1e-3, "loads": [ls.Load("flange")],
    }  # fmt: skip
    parameters = {
        "start": ls.StudyParameter("q0[1]", uniform=(-1, 1)),
        "gain": ls.StudyParameter("controller.kp", how="scale", uniform=(0.5, 1.5)),
        "push": ls.StudyParameter("loads[0].force[2]", uniform=(-20, 20)),
    }
    outputs = {"peak": ls.StudyOutput("tau", "max_abs max"), "end": ls.StudyOutput("q", "last")}
    return ls.Study("simulate", "puma560", arguments, parameters, outputs, "sobol", rows)


def states(rows):
    """Forward dynamics: cheap rows, side by side in lanes."""
    state = {"q": [0.1] * 6, "qd": [0.2] * 6, "tau": [0.0] * 6}
    parameters = {f"q{k}": ls.StudyParameter(f"q[{k}]", uniform=(-1, 1)) for k in range(3)}
    return ls.Study("forward_dynamics", "puma560", state, parameters, sampling="sobol", count=rows)


def cheap(case):
    return {"y": case["x"]}


def calls(rows):
    """A function that does nothing: cheap rows, one by one."""
    return ls.Study(cheap, parameters={"x": ls.StudyParameter(uniform=(0, 1))}, sampling="random", count=rows)


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in a.table)


def timed(study, **where):
    """Seconds, and the result, with a store."""
    folder = Path(tempfile.mkdtemp())
    try:
        began = time.perf_counter()
        result = study.run(folder / "store", **where)
        return time.perf_counter() - began, result
    finally:
        shutil.rmtree(folder)


def speed_up(name, study, rounds, print_):
    """Two processes against one."""
    best, found = {1: np.inf, 2: np.inf}, {}
    for _ in range(rounds):
        for workers in best:
            seconds, found[workers] = timed(study, workers=workers)
            best[workers] = min(best[workers], seconds)
    assert found[1].ok
    row = [name, study.rows, best[1], best[2], best[1] / best[2], "yes" if same(found[1], found[2]) else "NO"]
    print_(row)
    return row


def lanes_agree(study, some=100):
    """Some rows by themselves, without lanes, beside those of the study."""
    result = study.run(workers=1)
    rows = np.linspace(0, study.rows - 1, some).astype(int)
    for row in rows:
        record = study.record(int(row))
        if isinstance(record, np.ndarray):
            own = {f"result[{k}]": x for k, x in enumerate(record)}
        else:
            own = {"peak": np.abs(record.tau).max()}
        assert all(result[name][row] == value for name, value in own.items()), row
    return len(rows)


def overhead(name, study, rounds, where, workers, print_):
    """Microseconds of a row besides its evaluation."""
    best = np.inf
    for _ in range(rounds):
        seconds, result = timed(study, **where)
        assert result.ok
        best = min(best, (seconds - result.effort["evaluating"] / workers) / study.rows)
    row = [name, study.rows, workers, 1e6 * best]
    print_(row)
    return row


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, workers):
        self.folder = Path(tempfile.mkdtemp())
        file = self.folder / "scheduler.json"
        tool = [sys.executable, "-m", "dask"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder}
        command = [*tool, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
        self.processes = [subprocess.Popen(command, **quiet)]
        while not file.exists() or not file.read_text().strip().endswith("}"):
            time.sleep(0.1)
        command = [
            *tool,
            "worker",
            "--scheduler-file",
            file,
            "--nthreads",
            "1",
            "--no-dashboard",
            "--host",
            "127.0.0.1",
        ]
        self.processes += [subprocess.Popen(command, **quiet) for _ in range(workers)]
        import json

        self.address = json.loads(file.read_text())["address"]
        time.sleep(5)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000, help="simulated rows")
    parser.add_argument("--cheap", type=int, default=100_000, help="cheap rows")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-cluster", action="store_true")
    results.add_option(parser)
    options = parser.parse_args()

    def told(row):
        print("  ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row), flush=True)

    timed(runs(64), workers=1)  # kernels are compiled once
    timed(states(64), workers=1)
    agree = lanes_agree(runs(1000)), lanes_agree(states(1000))
    print(f"{agree[0]} runs and {agree[1]} states by themselves: the bits of the lanes")
    faster = [speed_up("simulated motion", runs(options.rows), options.rounds, told)]
    costs = [
        overhead("forward dynamics in lanes", states(options.cheap), options.rounds, {"workers": 2}, 2, told),
        overhead("function that does nothing", calls(options.cheap), options.rounds, {"workers": 2}, 2, told),
    ]
    if not options.no_cluster:
        cluster = Cluster(2)
        try:
            where = {"scheduler": cluster.address}
            for name, study in (("forward dynamics in lanes", states), ("function that does nothing", calls)):
                costs.append(overhead(f"{name}, cluster", study(options.cheap), options.rounds, where, 2, told))
        finally:
            cluster.close()
    if options.save:
        columns = ["rows of", "rows", "one process s", "two s", "times faster", "same bits"]
        title = "Two processes against one"
        note = f"{agree[0]} runs and {agree[1]} states, evaluated by themselves, have the bits of the lanes."
        results.save("studies", WHAT, [
            results.Table(title, columns, faster, note),
            results.Table("Overhead of a row", ["rows of", "rows", "workers", "us a row"], costs),
        ])  # fmt: skip


if __name__ == "__main__":
    main()
