"""Two versions of lissom against each other: the rows of rigid.py, flexible.py and simulation.py.

    git worktree add /tmp/before 4ae6a91
    python benchmarks/compare_versions.py /tmp/before . [--groups panda flexible] [--rows "one state"] [--rounds 15]

Each folder is a source tree. A server process per tree makes the calls with the lissom and the benchmarks of its own
tree (these compare the results with Pinocchio's first), and times one row at a time by CPU time, when it is asked to.
Both are asked in turns, so that a busy machine is equally busy for both; the best of the rounds counts. The place of
a process in memory changes calls of a microsecond by some per cent: `--processes` starts both that many times. Rows
that only one tree has are named. A ratio above 1 means that the second tree is slower; more than 1.03 is marked.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

SLOWER = 1.03
TURN = 0.01  # seconds of one timing

Call = tuple[Callable[[], object], int]  # what to call, states per call


# ---- the server: calls of one tree ---------------------------------------------------------------


def rigid_rows(name: str) -> dict[str, Call]:
    """Rows of rigid.py for one arm."""
    import models
    import rigid

    arms = {"panda": models.panda, "ur10": models.ur10, "chain": lambda: models.chain(30), "talos": models.talos,
            "tree": models.tree55}  # fmt: skip
    return {what: call for (what, whose), call in rigid.candidates(arms[name]()).items() if whose == "lissom"}


def flexible_rows() -> dict[str, Call]:
    """Rows of flexible.py: batches of an arm with modes, and simulated motion; steps as it chooses them."""
    import numpy as np

    import flexible
    import lissom as ls

    arm, rng = flexible.six_joints(), np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (3, 4096, arm.dof))
    x[:2, :, arm.mode_index] *= 0.02
    M, qdd = np.zeros((4096, arm.dof, arm.dof)), np.zeros((4096, arm.dof))
    two, starts = ls.load("two_link_flexible"), rng.uniform(-0.3, 0.3, (200, 2))
    tau = ls.Profile([0.0, 0.5, 1.0], [torque for _, torque in flexible.PIECES], "hold")
    options = {"tau": tau, "until": flexible.UNTIL, "every": flexible.EVERY, "dt": 2.5e-3, "threads": 1}
    return {
        "mass matrix, batch": (lambda: ls.mass_matrix(arm, x[0], out=M, threads=1), 4096),
        "forward dynamics, batch": (lambda: ls.forward_dynamics(arm, *x, out=qdd, threads=1), 4096),
        "mass matrix, one state": (lambda: ls.mass_matrix(arm, x[0, 0]), 1),
        "forward dynamics, one state": (lambda: ls.forward_dynamics(arm, *x[:, 0]), 1),
        "simulate, one run": (lambda: ls.simulate(two, **options), 1),
        "simulate, runs at once": (lambda: ls.simulate(two, starts, **options), len(starts)),
    }


def simulation_rows(runs: int = 200) -> dict[str, Call]:
    """Rows of simulation.py."""
    import simulation

    case = simulation.Case(runs)
    return {
        "one run": (lambda: case.ours(case.q0[0]), 1),
        "initial states": (lambda: case.ours(case.q0), runs),
        "payloads too": (lambda: case.ours(case.q0, payloads=case.payloads), runs),
    }


GROUPS = {
    **{name: (lambda name=name: rigid_rows(name)) for name in ("panda", "ur10", "chain", "talos", "tree")},
    "flexible": flexible_rows,
    "simulation": simulation_rows,
}


def repeats(call: Callable[[], object]) -> int:
    """How often to call for one timing."""
    call()
    start = time.process_time()
    call()
    return max(1, int(TURN / max(time.process_time() - start, 1e-7)))


def serve(tree: str, group: str) -> None:
    """Print the rows of a group, then the nanoseconds per state of each row whose number is read."""
    sys.path[:0] = [str(Path(tree, part).resolve()) for part in ("src", "benchmarks", ".")]
    import lissom

    if not Path(lissom.__file__).is_relative_to(Path(tree).resolve()):
        raise SystemExit(f"{lissom.__file__} is not of {tree}; expected the folder of a source tree (with src/lissom).")
    answers, sys.stdout = sys.stdout, sys.stderr
    rows = GROUPS[group]()
    print(*rows, sep="\t", file=answers, flush=True)
    calls = [(call, states, repeats(call)) for call, states in rows.values()]
    for line in sys.stdin:
        call, states, times = calls[int(line)]
        start = time.process_time()
        for _ in range(times):
            call()
        print((time.process_time() - start) / times / states * 1e9, file=answers, flush=True)


# ---- the client ----------------------------------------------------------------------------------


class Server:
    """A process with the calls of one tree."""

    def __init__(self, tree: str, group: str):
        command = [sys.executable, __file__, "--serve", tree, group]
        surroundings = {**os.environ, "PYTHONPATH": "", "PYTHONSAFEPATH": "1"}  # not the folder of this file
        self.process = subprocess.Popen(
            command, env=surroundings, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.rows = {name: k for k, name in enumerate(self._line().split("\t"))}

    def time(self, row: str) -> float:
        self.process.stdin.write(f"{self.rows[row]}\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        return float(self._line())

    def close(self) -> None:
        self.process.communicate()

    def _line(self) -> str:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise SystemExit(f"{' '.join(self.process.args)}: ended with code {self.process.wait()}.")  # type: ignore
        return line.rstrip("\n")


def compare(trees: list[str], group: str, words: str, rounds: int, processes: int) -> Iterator[tuple[str, list[float]]]:
    """Best nanoseconds in both trees of each row whose name contains the words."""
    best: dict[str, list[float]] = {}
    for _ in range(processes):
        servers = [Server(tree, group) for tree in trees]
        for row in dict.fromkeys(chain.from_iterable(server.rows for server in servers)):
            if words not in row:
                continue
            if not all(row in server.rows for server in servers):
                best[row] = []
                continue
            found = best.setdefault(row, [float("inf")] * 2)
            for turn in range(rounds):
                for k in (0, 1) if turn % 2 else (1, 0):
                    found[k] = min(found[k], servers[k].time(row))
        for server in servers:
            server.close()
    yield from best.items()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs=2, metavar="TREE", help="source trees: before, after")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--rows", default="", metavar="WORDS", help="only rows whose names contain these words")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processes", type=int, default=3)
    options = parser.parse_args()
    ratios = []
    print(f"{'group':<12}{'row':<55}{'before ns':>13}{'after ns':>13}{'ratio':>8}")
    for group in options.groups:
        for row, times in compare(options.trees, group, options.rows, options.rounds, options.processes):
            if not times:
                print(f"{group:<12}{row:<55}{'in one tree only':>34}")
                continue
            before, after = times
            ratios.append(after / before)
            mark = "  slower" if ratios[-1] > SLOWER else ""
            print(f"{group:<12}{row:<55}{before:>13.4g}{after:>13.4g}{ratios[-1]:>8.3f}{mark}", flush=True)
    slower = sum(ratio > SLOWER for ratio in ratios)
    print(f"{len(ratios)} rows; {slower} slower by more than {SLOWER - 1:.0%}; the slowest {max(ratios):.3f}; "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
    else:
        main()
