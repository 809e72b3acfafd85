"""Rigid dynamics against Pinocchio and MuJoCo: one table, one file, one picture.

    python benchmarks/rigid.py [--rounds 15] [--quick] [--into out] [--save]     (--quick: Panda only, few rounds)

One process, candidates interleaved, CPU time, best of the rounds (and the ratio of medians, for the
noise); compile times apart. Every result is compared with Pinocchio's and MuJoCo's before it is timed.
Ratios, not seconds, are what compares between machines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import mujoco
import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).parent))
import models
import results
from timing import Candidate, race

import lissom as ls
from lissom.kernels.cache import functions_of

TAU, QDD, M, GRADIENTS = "inverse dynamics", "forward dynamics", "mass matrix", "all gradients"
ACCELERATIONS = "all gradients of forward dynamics"
BOUND = "one state, bound, result given"  # f = ls.compiled(arm, name); f.into(*state, out)
BARS = {
    f"{TAU}, batch": {7: 30, 30: 15, 55: 13},
    f"{QDD}, batch": {7: 30, 30: 9, 55: 9},
    f"{M}, batch, reused": {7: 30, 30: 8, 55: 6},
    f"{GRADIENTS}, batch, reused": {7: 10, 30: 5, 55: 5},
    f"{ACCELERATIONS}, batch, reused": {},
    **{f"{what}, one state": dict.fromkeys((7, 30, 55), 2.5) for what in (TAU, QDD, M, GRADIENTS)},
    f"{ACCELERATIONS}, one state": {},
    **{f"{what}, {BOUND}": {7: 4} for what in (TAU, QDD, M, GRADIENTS)},
}
Row = dict[str, Any]


# ---- the three libraries -------------------------------------------------------------------------


class Mujoco:
    """Its functions on one state, as one calls them from Python."""

    def __init__(self, arm: ls.Arm):
        self.model = models.mujoco_twin(arm)
        self.data = mujoco.MjData(self.model)
        self.M = np.zeros((arm.dof, arm.dof))

    def tau(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, v, a
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse

    def qdd(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc

    def mass(self, q: np.ndarray) -> np.ndarray:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_crb(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, self.M)
        return self.M


def each(function: Callable[..., object], states: list[np.ndarray]) -> Callable[[], None]:
    """A Python loop over rows."""
    rows = [list(np.ascontiguousarray(x)) for x in states]

    def loop() -> None:
        for state in zip(*rows, strict=True):
            function(*state)

    return loop


def candidates(arm: ls.Arm) -> dict[tuple[str, str], Candidate]:
    """(what, whose) -> call."""
    n, model, theirs = arm.dof, models.twin(arm), Mujoco(arm)
    data, pool = model.createData(), pin.ModelPool(model, 1)
    rng = np.random.default_rng(0)
    batch = 65536 if n < 20 else 2048
    # results of about a megabyte stay in the larger caches, and a call's own cost is spread over enough states
    small = max(64, min(4096, 2**20 // (8 * n * n) // 4 * 4))
    wide = rng.uniform(-1.5, 1.5, (3, batch, n))
    few = [x[:small].copy() for x in wide]
    one = [x[0].copy() for x in wide]
    check(arm, model, theirs, one)
    columns, found = [np.asfortranarray(x.T) for x in wide], np.zeros((n, batch), order="F")
    out, out_M = np.zeros((batch, n)), np.zeros((small, n, n))
    out_grad = ls.InverseGradient(*np.zeros((3, small, n, n)))
    out_both = ls.ForwardGradient(*np.zeros((3, small, n, n)))
    batches = {
        (f"{TAU}, batch", "pinocchio"): (lambda: pin.rneaInParallel(1, pool, *columns, found), batch),
        (f"{TAU}, batch", "mujoco"): (each(theirs.tau, [x[:64] for x in wide]), 64),
        (f"{TAU}, batch", "lissom"): (lambda: ls.inverse_dynamics(arm, *wide, out=out, threads=1), batch),
        (f"{QDD}, batch", "pinocchio"): (lambda: pin.abaInParallel(1, pool, *columns, found), batch),
        (f"{QDD}, batch", "mujoco"): (each(theirs.qdd, [x[:64] for x in wide]), 64),
        (f"{QDD}, batch", "lissom"): (lambda: ls.forward_dynamics(arm, *wide, out=out, threads=1), batch),
        (f"{M}, batch, reused", "pinocchio"): (each(lambda q: pin.crba(model, data, q), few[:1]), small),
        (f"{M}, batch, reused", "mujoco"): (each(theirs.mass, few[:1]), small),
        (f"{M}, batch, reused", "lissom"): (lambda: ls.mass_matrix(arm, few[0], out=out_M, threads=1), small),
        (f"{GRADIENTS}, batch, reused", "pinocchio"): (
            each(lambda *x: pin.computeRNEADerivatives(model, data, *x), few), small,
        ),
        (f"{GRADIENTS}, batch, reused", "lissom"): (
            lambda: ls.inverse_dynamics_gradient(arm, *few, out=out_grad, threads=1), small,
        ),
        (f"{ACCELERATIONS}, batch, reused", "pinocchio"): (
            each(lambda *x: pin.computeABADerivatives(model, data, *x), few), small,
        ),
        (f"{ACCELERATIONS}, batch, reused", "lissom"): (
            lambda: ls.forward_dynamics_gradient(arm, *few, out=out_both, threads=1), small,
        ),
    }  # fmt: skip
    q, v, a = one
    singles = {
        (f"{TAU}, one state", "pinocchio"): lambda: pin.rnea(model, data, q, v, a),
        (f"{TAU}, one state", "mujoco"): lambda: theirs.tau(q, v, a),
        (f"{TAU}, one state", "lissom"): lambda: ls.inverse_dynamics(arm, q, v, a),
        (f"{QDD}, one state", "pinocchio"): lambda: pin.aba(model, data, q, v, a),
        (f"{QDD}, one state", "mujoco"): lambda: theirs.qdd(q, v, a),
        (f"{QDD}, one state", "lissom"): lambda: ls.forward_dynamics(arm, q, v, a),
        (f"{M}, one state", "pinocchio"): lambda: pin.crba(model, data, q),
        (f"{M}, one state", "mujoco"): lambda: theirs.mass(q),
        (f"{M}, one state", "lissom"): lambda: ls.mass_matrix(arm, q),
        (f"{GRADIENTS}, one state", "pinocchio"): lambda: pin.computeRNEADerivatives(model, data, q, v, a),
        (f"{GRADIENTS}, one state", "lissom"): lambda: ls.inverse_dynamics_gradient(arm, q, v, a),
        (f"{ACCELERATIONS}, one state", "pinocchio"): lambda: pin.computeABADerivatives(model, data, q, v, a),
        (f"{ACCELERATIONS}, one state", "lissom"): lambda: ls.forward_dynamics_gradient(arm, q, v, a),
    }
    singles |= bound(arm, one)
    singles |= {(f"{what}, {BOUND}", who): singles[f"{what}, one state", who]
                for what in (TAU, QDD, M, GRADIENTS) for who in ("pinocchio", "mujoco")
                if (f"{what}, one state", who) in singles}  # fmt: skip
    return batches | {key: (call, 1) for key, call in singles.items()}


def bound(arm: ls.Arm, state: list[np.ndarray]) -> dict[tuple[str, str], Callable[[], object]]:
    """Functions bound to the arm, with given results."""
    functions = {TAU: "inverse_dynamics", QDD: "forward_dynamics", M: "mass_matrix",
                 GRADIENTS: "inverse_dynamics_gradient"}  # fmt: skip
    calls: dict[tuple[str, str], Callable[[], object]] = {}
    for what, name in functions.items():
        f, arguments = ls.compiled(arm, name), state[:1] if what == M else state
        into, given = f.into, (*arguments, f(*arguments))
        calls[f"{what}, {BOUND}", "lissom"] = lambda into=into, given=given: into(*given)  # type: ignore[misc]
    return calls


def check(arm: ls.Arm, model: pin.Model, theirs: Mujoco, state: list[np.ndarray]) -> None:
    """The three compute the same, or there is nothing to compare."""
    data = model.createData()
    upper = np.triu(pin.crba(model, data, state[0]))
    matrix = upper + np.triu(upper, 1).T
    pairs = {
        TAU: (ls.inverse_dynamics(arm, *state), pin.rnea(model, data, *state), theirs.tau(*state)),
        QDD: (ls.forward_dynamics(arm, *state), pin.aba(model, data, *state), theirs.qdd(*state)),
        M: (ls.mass_matrix(arm, state[0]), matrix, theirs.mass(state[0])),
    }
    pin.computeRNEADerivatives(model, data, *state)
    for part, theirs_part in zip(ls.inverse_dynamics_gradient(arm, *state), (data.dtau_dq, data.dtau_dv), strict=False):
        pairs[f"{GRADIENTS} {len(pairs)}"] = (part, theirs_part.copy())  # Pinocchio computes the next ones there too
    pin.computeABADerivatives(model, data, *state)
    found = ls.forward_dynamics_gradient(arm, *state)
    for part, theirs_part in zip(found, (data.ddq_dq, data.ddq_dv), strict=False):
        pairs[f"{ACCELERATIONS} {len(pairs)}"] = (part, theirs_part)
    for what, (ours, *others) in pairs.items():
        for other in others:
            error = np.abs(ours - other).max() / np.abs(ours).max()
            if not error < 1e-9:
                raise SystemExit(f"{arm.name}, {what}: the libraries differ by {error:.1e}; nothing was timed.")


# ---- tables --------------------------------------------------------------------------------------


def measure(arm: ls.Arm, rounds: int) -> list[Row]:
    """Rows of the table for one arm."""
    print(f"{arm.name} ...", flush=True)
    found = race(candidates(arm), rounds)
    rows = []
    for what in BARS:
        ours, theirs, other = (found.get((what, who)) for who in ("lissom", "pinocchio", "mujoco"))
        rows.append({
            "arm": arm.name, "joints": arm.dof, "what": what, "pinocchio_ns": theirs[0], "lissom_ns": ours[0],
            "mujoco_ns": other and other[0], "ratio": theirs[0] / ours[0], "ratio_of_medians": theirs[1] / ours[1],
            "ratio_to_mujoco": other and other[0] / ours[0], "bar": BARS[what].get(arm.dof),
        })  # fmt: skip
    return rows


FIRST_CALL = """
import time
import casadi, llvmlite.binding, numpy as np
import sys; sys.path.insert(0, {here!r})
import models, lissom as ls
arm, x = models.panda(), np.full(7, 0.3)
for name, call in (("inverse_dynamics", lambda: ls.inverse_dynamics(arm, x, x, x)),
                   ("forward_dynamics", lambda: ls.forward_dynamics(arm, x, x, x)),
                   ("mass_matrix", lambda: ls.mass_matrix(arm, x)),
                   ("inverse_dynamics_gradient", lambda: ls.inverse_dynamics_gradient(arm, x, x, x))):
    start = time.perf_counter()
    call()
    print(name, time.perf_counter() - start)
"""


def first_calls() -> list[Row]:
    """Seconds of the first call on a new 7-joint arm: with an empty cache, then from the cache."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for state in ("new", "from cache"):
            command = [sys.executable, "-c", FIRST_CALL.format(here=str(Path(__file__).parent))]
            surroundings = {word: x for word, x in os.environ.items() if word != "PYTHONDONTWRITEBYTECODE"}
            surroundings |= {"LISSOM_CACHE": f"{cache}/objects", "PYTHONPYCACHEPREFIX": f"{cache}/bytecode"}
            done = subprocess.run(command, env=surroundings, capture_output=True, check=True, text=True)
            times = dict(line.split() for line in done.stdout.splitlines())
            rows.append({"state": state, **{name: float(seconds) for name, seconds in times.items()}})
    return rows


FRESH = """
import sys, time; sys.path.insert(0, {here!r})
import models, numpy as np, lissom as ls, pinocchio as pin
arm = models.{arm}
model, state = models.twin(arm), np.random.default_rng(0).uniform(-1.0, 1.0, (3, arm.dof))
data, (q, v, a), clock = model.createData(), state, time.process_time
best = [9e9, 9e9]
for _ in range(9):
    for k, call in enumerate((lambda: ls.inverse_dynamics_gradient(arm, q, v, a),
                              lambda: pin.computeRNEADerivatives(model, data, q, v, a))):
        call()
        start = clock()
        for _ in range(100):
            kept = call()
        best[k] = min(best[k], (clock() - start) / 100)
print(*best)
"""


def fresh_processes(runs: int = 3) -> list[Row]:
    """Gradients of one state of large arms, each run in a new process, whose allocator has adapted to nothing."""
    rows = []
    for name in ("chain(30)", "tree55()"):
        for run in range(runs):
            command = [sys.executable, "-c", FRESH.format(here=str(Path(__file__).parent), arm=name)]
            done = subprocess.run(command, capture_output=True, check=True, text=True)
            ours, theirs = (1e9 * float(x) for x in done.stdout.split())
            rows.append(
                {"arm": name, "run": run + 1, "pinocchio_ns": theirs, "lissom_ns": ours, "ratio": theirs / ours}
            )
    return rows


def single_precision(rounds: int) -> list[Row]:
    """Batches in double and in single precision, and the error of the latter relative to the largest entry."""
    rows = []
    for arm in (models.panda(), models.chain(30), models.tree55()):
        batch = 65536 if arm.dof < 20 else 2048
        wide = np.random.default_rng(0).uniform(-1.5, 1.5, (3, batch, arm.dof)).astype(np.float32)
        for what, name, count in ((TAU, "inverse_dynamics", 3), (M, "mass_matrix", 1)):
            short = [ls.compiled(arm, name, dtype) for dtype in (float, np.float32)]
            given = [[np.ascontiguousarray(x, f.dtype) for x in wide[:count]] for f in short]
            outs = [f(*x) for f, x in zip(short, given, strict=True)]
            calls = {f.dtype.name: (lambda f=f, x=x, y=y: f.into(*x, y), batch)
                     for f, x, y in zip(short, given, outs, strict=True)}  # fmt: skip
            found = race(calls, rounds)
            error = float(np.abs(outs[1] - outs[0]).max() / np.abs(outs[0]).max())
            rows.append({"arm": arm.name, "what": what, "double_ns": found["float64"][0],
                         "single_ns": found["float32"][0], "ratio": found["float64"][0] / found["float32"][0],
                         "error": error})  # fmt: skip
    return rows


def growth(rounds: int) -> list[Row]:
    """Cost per state of inverse and forward dynamics from 10 to 1000 links, and the fitted exponent."""
    sizes = (10, 30, 100, 300, 1000)
    calls: dict[Any, Candidate] = {}
    for n in sizes:
        arm, x = models.chain(n), np.random.default_rng(n).uniform(-0.5, 0.5, (3, 64, n))
        out = np.zeros((64, n))
        for name in ("inverse_dynamics", "forward_dynamics"):
            function = functions_of(arm).get(name, backend="tape")
            calls[name, n] = (lambda f=function, x=x, out=out: f(*x, out=out, threads=1), 64)
    found = race(calls, rounds)
    rows = []
    for name in ("inverse_dynamics", "forward_dynamics"):
        times = [found[name, n][0] for n in sizes]
        exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        rows.append({"what": name, "links": sizes, "ns": times, "exponent": exponent})
    return rows


def cores(rounds: int) -> list[Row]:
    """A batch of 1e5 on one thread and on all, wall time."""
    arm, count = models.panda(), os.cpu_count() or 1
    x, out = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 100_000, 7)), np.zeros((100_000, 7))
    rows = []
    for function in (ls.inverse_dynamics, ls.forward_dynamics):
        calls = {k: (lambda f=function, k=k: f(arm, *x, out=out, threads=k), 100_000) for k in (1, count)}
        found = race(calls, 4 * rounds, time.perf_counter)
        gain = found[1][0] / found[count][0]
        rows.append({"what": function.__name__, "threads": count, "gain": gain,
                     "gain_of_medians": found[1][1] / found[count][1]})  # fmt: skip
    return rows


def large_results(rounds: int) -> list[Row]:
    """Matrix results of a 55-joint arm, in cache and beyond, reused and fresh."""
    arm, rows = models.tree55(), []
    for states in (32, 256, 2048, 8192):
        x = np.random.default_rng(0).uniform(-1.5, 1.5, (3, states, arm.dof))
        for what, function, count in ((M, ls.mass_matrix, 1), (GRADIENTS, ls.inverse_dynamics_gradient, 3)):
            args = x[:1] if count == 1 else x
            room = function(arm, *args)
            calls = {
                "reused": (lambda f=function, a=args, o=room: f(arm, *a, out=o, threads=1), states),
                "fresh": (lambda f=function, a=args: f(arm, *a, threads=1), states),
            }
            if count == 1:
                half = ls.mass_matrix(arm, x[0], packed=True)
                calls["packed"] = (
                    lambda a=args, o=half: ls.mass_matrix(arm, *a, packed=True, out=o, threads=1),
                    states,
                )
            found = race(calls, max(3, rounds // 3))
            size = states * count * arm.dof**2 * 8
            rows.append({"what": what, "states": states, "megabytes": size / 2**20,
                         **{f"{word}_ns": best for word, (best, _) in found.items()}})  # fmt: skip
    return rows


def show(rows: list[Row]) -> None:
    print(f"\n{'arm':<10}{'what':<32}{'pinocchio':>11}{'mujoco':>9}{'lissom':>9}{'/pin':>8}{'medians':>9}"
          f"{'/muj':>9}{'goal':>6}")  # fmt: skip
    for row in rows:
        bar = "" if row["bar"] is None else f"{row['bar']:g}"
        other = ("", "") if row["mujoco_ns"] is None else (f"{row['mujoco_ns']:.0f}", f"{row['ratio_to_mujoco']:.1f}")
        print(f"{row['arm']:<10}{row['what']:<32}{row['pinocchio_ns']:>11.0f}{other[0]:>9}{row['lissom_ns']:>9.0f}"
              f"{row['ratio']:>8.1f}{row['ratio_of_medians']:>9.1f}{other[1]:>9}{bar:>6}")  # fmt: skip
    print("nanoseconds per state, best of the rounds; /pin, its medians, /muj: how many times faster than they are\n")


def show_more(report: dict[str, Any]) -> None:
    for row in report["growth"]:
        listed = ", ".join(f"{n}: {t:.0f}" for n, t in zip(row["links"], row["ns"], strict=True))
        print(f"{row['what']} on the tape, ns by number of links: {listed}; exponent {row['exponent']:.3f}")
    for row in report["cores"]:
        print(f"{row['what']}, batch of 1e5 on {row['threads']} threads: {row['gain']:.2f} times faster "
              f"(medians {row['gain_of_medians']:.2f})")  # fmt: skip
    for row in report["large_results"]:
        packed = f", packed {row['packed_ns']:.0f}" if "packed_ns" in row else ""
        print(f"{row['what']}, 55 joints, {row['states']} states, {row['megabytes']:.1f} MB: ns per state reused "
              f"{row['reused_ns']:.0f}, fresh {row['fresh_ns']:.0f}{packed}")  # fmt: skip

    for row in report["single_precision"]:
        print(f"{row['arm']}, {row['what']}, batch: double {row['double_ns']:.1f} ns, single {row['single_ns']:.1f}, "
              f"{row['ratio']:.2f} times as fast, error {row['error']:.0e}")  # fmt: skip
    for row in report["fresh_processes"]:
        print(f"{row['arm']}, gradient of one state, new process {row['run']}: Pinocchio {row['pinocchio_ns']:.0f} ns, "
              f"lissom {row['lissom_ns']:.0f} ns, {row['ratio']:.2f} times as fast")  # fmt: skip


def draw(report: dict[str, Any], path: Path) -> None:
    """Ratios by arm, and growth with the number of links."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = report["rows"]
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    both = bool(report["growth"])
    figure, axes = plt.subplots(1, 1 + both, figsize=(13 if both else 9, 6), squeeze=False, layout="constrained")
    left = axes[0, 0]
    height = 0.8 / len(arms)
    for k, arm in enumerate(arms):
        mine = [row for row in rows if row["arm"] == arm]
        y = np.arange(len(mine)) + (k - (len(arms) - 1) / 2) * height
        left.barh(y, [row["ratio"] for row in mine], height, label=f"{arm} ({mine[0]['joints']} joints)")
        for at, row in zip(y, mine, strict=True):
            if row["bar"] is not None:
                left.plot([row["bar"]] * 2, [at - height / 2, at + height / 2], color="black")
    left.set_yticks(range(len(BARS)), list(BARS))
    left.invert_yaxis()
    left.set(xscale="log", xlim=(0.9, None), xlabel="times faster than Pinocchio (black: goal)")
    left.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    left.axvline(1.0, color="grey", linewidth=0.8)
    left.legend(loc="lower right")
    for row in report["growth"]:
        axes[0, 1].loglog(row["links"], row["ns"], "o-", label=f"{row['what']}: exponent {row['exponent']:.2f}")
    if both:
        axes[0, 1].set(xlabel="links in series (on the tape)", ylabel="ns per state")
        axes[0, 1].legend()
    figure.suptitle(f"lissom {report['versions']['lissom']} on {report['machine']['cpu']}, one core, CPU time")
    figure.savefig(path, dpi=110)


WHAT = (
    "Rigid dynamics of one state and of batches on one core, compared with Pinocchio (its C++ loops over a batch "
    "if available, otherwise a Python loop) and MuJoCo (a Python loop). CPU nanoseconds per state, best of the "
    "rounds."
)


def tables(report: dict[str, Any]) -> list[results.Table]:
    """What the performance page shows."""
    columns = ["arm", "joints", "what", "Pinocchio ns", "MuJoCo ns", "lissom ns", "times faster than Pinocchio",
               "by medians", "times faster than MuJoCo"]  # fmt: skip
    keys = ("arm", "joints", "what", "pinocchio_ns", "mujoco_ns", "lissom_ns", "ratio", "ratio_of_medians",
            "ratio_to_mujoco")  # fmt: skip
    made = [
        results.Table(
            "Comparison with Pinocchio and MuJoCo", columns, [[row[key] for key in keys] for row in report["rows"]]
        )
    ]
    names = [key for key in report["first_call_seconds"][0] if key != "state"]
    rows = [[row["state"], *(row[name] for name in names)] for row in report["first_call_seconds"]]
    made.append(results.Table("The first call on a 7-joint arm [s]", ["compiled code", *names], rows))
    if report["single_precision"]:
        keys = ("arm", "what", "double_ns", "single_ns", "ratio", "error")
        made.append(results.Table(
            "Single precision, batches on eight lanes",
            ["arm", "what", "double ns", "single ns", "times faster than double", "error / largest entry"],
            [[row[key] for key in keys] for row in report["single_precision"]],
        ))  # fmt: skip
        keys = ("arm", "run", "pinocchio_ns", "lissom_ns", "ratio")
        made.append(results.Table(
            "All gradients of one state in a new process",
            ["arm", "process", "Pinocchio ns", "lissom ns", "times faster than Pinocchio"],
            [[row[key] for key in keys] for row in report["fresh_processes"]],
        ))  # fmt: skip
    if report["growth"]:
        links = [str(n) for n in report["growth"][0]["links"]]
        rows = [[row["what"], *row["ns"], row["exponent"]] for row in report["growth"]]
        made.append(results.Table("Growth with the number of links [ns]", ["", *links, "exponent"], rows))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="Panda only, fewer rounds")
    parser.add_argument("--into", type=Path, default=Path("out"), help="folder for benchmark_rigid.json and .png")
    results.add_option(parser)
    options = parser.parse_args()
    rounds = min(options.rounds, 5) if options.quick else options.rounds
    arms = [models.panda()]
    if not options.quick:
        arms += [models.ur10(), models.chain(30), models.talos(), models.tree55()]
    report: dict[str, Any] = {
        "machine": results.machine(),
        "versions": results.versions(),
        "rounds": rounds,
        "first_call_seconds": first_calls(),
        "rows": [row for arm in arms for row in measure(arm, rounds)],
    }  # fmt: skip
    show(report["rows"])
    for row in report["first_call_seconds"]:
        listed = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in row.items() if name != "state")
        print(f"first call, 7 joints, {row['state']}: {listed}")
    report |= {"growth": [], "cores": [], "large_results": [], "single_precision": [], "fresh_processes": []}
    if not options.quick:
        report |= {
            "growth": growth(rounds), "cores": cores(rounds), "large_results": large_results(rounds),
            "single_precision": single_precision(rounds), "fresh_processes": fresh_processes(),
        }  # fmt: skip
    show_more(report)
    options.into.mkdir(parents=True, exist_ok=True)
    (options.into / "benchmark_rigid.json").write_text(json.dumps(report, indent=1))
    draw(report, options.into / "benchmark_rigid.png")
    print(f"\nwrote {options.into / 'benchmark_rigid.json'} and .png")
    if options.save:
        results.save("rigid", WHAT, tables(report))


if __name__ == "__main__":
    main()
