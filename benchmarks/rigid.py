"""Rigid dynamics against Pinocchio: one table.

    python benchmarks/rigid.py [--rounds 15] [--quick] [--into FILE]

One process, candidates interleaved, CPU time, best of the rounds (and the median, for the noise);
compile times apart. Ratios, not seconds, are what compares between machines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).parent))
import models

import lissom as ls
from lissom.verbs.library import library

BARS = {
    "inverse dynamics, batch": {7: 30, 30: 15, 55: 13},
    "forward dynamics, batch": {7: 30, 30: 9, 55: 9},
    "mass matrix, batch, result reused": {7: 30, 30: 8, 55: 6},
    "all gradients, batch, results reused": {7: 10, 30: 5, 55: 5},
    "one state": {7: 2.5, 30: 2.5, 55: 2.5},
}


def race(candidates: dict[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, tuple[float, float]]:
    """Best and median nanoseconds per state, rounds interleaved."""
    repeats = {}
    for name, (call, _) in candidates.items():
        call()
        start = time.process_time()
        call()
        repeats[name] = max(1, int(0.004 / max(time.process_time() - start, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, (call, states) in candidates.items():
            start = time.process_time()
            for _ in range(repeats[name]):
                call()
            times[name].append((time.process_time() - start) / repeats[name] / states * 1e9)
    return {name: (min(t), float(np.median(t))) for name, t in times.items()}


def python_loop(function: Callable[..., object], model: pin.Model, states: list[np.ndarray]) -> Callable[[], None]:
    data = model.createData()
    rows = [list(np.ascontiguousarray(x)) for x in states]

    def loop() -> None:
        for state in zip(*rows, strict=True):
            function(model, data, *state)

    return loop


def measure(arm: ls.Arm, rounds: int) -> list[dict[str, object]]:
    """Rows of the table for one arm."""
    n, model = arm.dof, models.twin(arm)
    rng = np.random.default_rng(0)
    batch = 65536 if n < 20 else 2048
    small = max(64, min(4096, 2**20 // (8 * n * n)))  # a matrix result of a megabyte at most stays in cache
    Q, V, A = rng.uniform(-1.5, 1.5, (3, batch, n))
    out = np.zeros((batch, n))
    pool = pin.ModelPool(model, 1)
    columns, result = [np.asfortranarray(x.T) for x in (Q, V, A)], np.zeros((n, batch), order="F")
    few = [x[:small].copy() for x in (Q, V, A)]
    M = np.zeros((small, n, n))
    grad = ls.InverseGradient(*np.zeros((3, small, n, n)))
    q, v, a = (x[0].copy() for x in (Q, V, A))
    data = model.createData()
    compile_times = [compile_time(arm, name) for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix",
                                                           "inverse_dynamics_gradient")]  # fmt: skip
    theirs = {
        "inverse dynamics, batch": (lambda: pin.rneaInParallel(1, pool, *columns, result), batch),
        "forward dynamics, batch": (lambda: pin.abaInParallel(1, pool, *columns, result), batch),
        "mass matrix, batch, result reused": (python_loop(pin.crba, model, few[:1]), small),
        "all gradients, batch, results reused": (python_loop(pin.computeRNEADerivatives, model, few), small),
        "one state: tau": (lambda: pin.rnea(model, data, q, v, a), 1),
        "one state: qdd": (lambda: pin.aba(model, data, q, v, a), 1),
        "one state: M": (lambda: pin.crba(model, data, q), 1),
        "one state: gradients": (lambda: pin.computeRNEADerivatives(model, data, q, v, a), 1),
    }
    ours = {
        "inverse dynamics, batch": (lambda: ls.inverse_dynamics(arm, Q, V, A, out=out, threads=1), batch),
        "forward dynamics, batch": (lambda: ls.forward_dynamics(arm, Q, V, A, out=out, threads=1), batch),
        "mass matrix, batch, result reused": (lambda: ls.mass_matrix(arm, few[0], out=M, threads=1), small),
        "all gradients, batch, results reused": (
            lambda: ls.inverse_dynamics_gradient(arm, *few, out=grad, threads=1), small,
        ),
        "one state: tau": (lambda: ls.inverse_dynamics(arm, q, v, a), 1),
        "one state: qdd": (lambda: ls.forward_dynamics(arm, q, v, a), 1),
        "one state: M": (lambda: ls.mass_matrix(arm, q), 1),
        "one state: gradients": (lambda: ls.inverse_dynamics_gradient(arm, q, v, a), 1),
    }  # fmt: skip
    both = {f"their {k}": x for k, x in theirs.items()} | {f"our {k}": x for k, x in ours.items()}
    found = race(both, rounds)
    rows = []
    for name in ours:
        (their_best, their_median), (our_best, our_median) = found[f"their {name}"], found[f"our {name}"]
        bars = BARS.get(name, BARS["one state"] if name.startswith("one state") else {})
        rows.append({
            "arm": arm.name, "joints": n, "what": name, "pinocchio_ns": their_best, "lissom_ns": our_best,
            "ratio": their_best / our_best, "ratio_of_medians": their_median / our_median, "bar": bars.get(n),
        })  # fmt: skip
    print(f"{arm.name}: first use, compiled or from the cache, {', '.join(f'{t:.2f}' for t in compile_times)} s")
    return rows


def compile_time(arm: ls.Arm, name: str) -> float:
    start = time.perf_counter()
    library(arm).get(name)
    return time.perf_counter() - start


def growth(rounds: int) -> list[dict[str, object]]:
    """Cost per state of inverse and forward dynamics from 10 to 1000 links, and the fitted exponent."""
    sizes = (10, 30, 100, 300, 1000)
    arms = {n: models.chain(n) for n in sizes}
    candidates: dict[str, tuple[Callable[[], object], int]] = {}
    for n, arm in arms.items():
        x = np.random.default_rng(n).uniform(-0.5, 0.5, (3, 64, n))
        out = np.zeros((64, n))
        for name in ("inverse_dynamics", "forward_dynamics"):
            function = library(arm).get(name, backend="tape")
            candidates[f"{name} {n}"] = (lambda f=function, x=x, out=out: f(*x, out=out, threads=1), 64)
    found = race(candidates, rounds)
    rows = []
    for name in ("inverse_dynamics", "forward_dynamics"):
        times = [found[f"{name} {n}"][0] for n in sizes]
        exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        rows.append({"what": f"growth of {name}", "links": sizes, "ns": times, "exponent": exponent})
    return rows


def show(rows: list[dict[str, object]]) -> None:
    print(f"\n{'arm':<10}{'what':<40}{'pinocchio ns':>13}{'lissom ns':>11}{'ratio':>8}{'medians':>9}{'bar':>6}")
    for row in rows:
        bar = "" if row["bar"] is None else f"{row['bar']:g}"
        print(f"{row['arm']:<10}{row['what']:<40}{row['pinocchio_ns']:>13.0f}{row['lissom_ns']:>11.0f}"
              f"{row['ratio']:>8.1f}{row['ratio_of_medians']:>9.1f}{bar:>6}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="Panda only")
    parser.add_argument("--into", type=Path, default=Path("out/benchmark_rigid.json"))
    options = parser.parse_args()
    arms = [models.panda()] if options.quick else [models.panda(), models.ur10(), models.chain(30), models.talos(),
                                                   models.tree55()]  # fmt: skip
    rows = [row for arm in arms for row in measure(arm, options.rounds)]
    show(rows)
    grown = [] if options.quick else growth(options.rounds)
    for row in grown:
        print(
            f"{row['what']}: {', '.join(f'{t:.0f}' for t in row['ns'])} ns at {row['links']} links, "
            f"exponent {row['exponent']:.3f}"
        )
    machine = {
        "cpu": platform.processor() or platform.machine(), "cores": os.cpu_count(), "python": platform.python_version(),
        "numpy": np.__version__, "pinocchio": pin.__version__, "lissom": ls.__version__, "load": os.getloadavg(),
    }  # fmt: skip
    options.into.parent.mkdir(parents=True, exist_ok=True)
    options.into.write_text(json.dumps({"machine": machine, "rows": rows, "growth": grown}, indent=1))
    print(f"\nwrote {options.into}")


if __name__ == "__main__":
    main()
