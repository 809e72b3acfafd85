"""Motion prediction against the same program written directly in casadi: python benchmarks/motion.py [--save]

The competitor is the whole program as one casadi SX graph, same splines, samples, rows, start and tolerance, IPOPT
with casadi's exact Hessian. Times are CPU seconds, taken in turns, the best of several; `solve` is IPOPT on lissom's
functions, `default` is the library's own solver, which `predict_motion` uses, `call` all of `predict_motion`, compiled
code at hand; `build` is what casadi needs before it can solve.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import casadi as ca
import numpy as np
import results
from models import generic, panda

import lissom as ls
from lissom.motion.public import predict_motion
from lissom.motion.solve.banded import Banded
from lissom.motion.solve.ipopt import LINEAR, QUIET, Ipopt
from lissom.motion.task.task import Task
from lissom.motion.transcription.kernels.expressions import APART
from lissom.motion.transcription.kernels.sample import Symbols
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.papers.xiang2008.closed_form import two_link_arm
from lissom.papers.xiang2008.tasks import EXAMPLE_1, EXAMPLE_2, weightless_arm

TOLERANCE = 1e-8  # as predict_motion has it
READY = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
GOAL = (1.2, 0.3, -0.5, -1.2, 0.6, 2.2, -0.4)
PANDA_LIMITS = ls.Limits(torque=[87.0] * 4 + [12.0] * 3, velocity=[2.175] * 4 + [2.61] * 3)


WHAT = (
    "Optimal motions, compared with the same nonlinear program as one casadi graph with casadi's exact Hessian: "
    "same splines, samples, start and tolerance. `IPOPT s` and `casadi IPOPT s` are times of the same solver, IPOPT; "
    "`default solver s` is the library's own solver on the same program, which `predict_motion` and so `call s` use "
    "(its table on more arms: Optimal motions, section Solvers). "
    "`costs` are in the order of these solvers. CPU seconds, interleaved, best of several."
)
COLUMNS = [
    "", "first call s", "call s", "default solver s", "IPOPT s", "casadi IPOPT s", "casadi build s", "IPOPT / casadi",
    "costs",
]  # fmt: skip


def tree30() -> ls.Arm:
    """A torso of 3 with two arms of 7, and two legs of 6 and 7."""
    parents = [-1, 0, 1]
    for root, count in ((2, 7), (2, 7), (0, 6), (0, 7)):
        parents += [root, *range(len(parents), len(parents) + count - 1)]
    return generic(parents, 3, "tree 30")


def tree_task(arm: ls.Arm) -> Task:
    goal = np.random.default_rng(0).uniform(-1.0, 1.0, arm.dof)
    return Task(start=np.zeros(arm.dof), goal=goal, duration=1.5, minimise="torque_squared", segments=20)


def cases() -> dict[str, tuple[ls.Arm, Task]]:
    light, loaded = weightless_arm(), two_link_arm()
    reach = Task(start=READY, goal=GOAL, limits=PANDA_LIMITS, segments=30)
    return {
        "example 1, 20 segments": (light, EXAMPLE_1),
        "example 1, 160 segments": (light, EXAMPLE_1.replace(segments=160)),
        "example 2, 20 segments": (loaded, EXAMPLE_2),
        "example 2, 160 segments": (loaded, EXAMPLE_2.replace(segments=160)),
        "Panda, 30 segments": (panda(), reach),
    }


def direct(problem: Problem, program: Program) -> Any:
    """The same program as one graph."""
    n, made = problem.n, problem.expressions
    u, T, data = ca.SX.sym("u", made.orders * n), ca.SX.sym("T"), ca.SX.sym("d", made.data)
    parts = [u[r * n : (r + 1) * n] / T**r for r in range(made.orders)]
    rows, rate = made._expressions(Symbols(*parts, *([ca.SX.zeros(n)] * (4 - made.orders)), data, T))
    if n >= APART:  # there it is not in the expressions
        rate += ca.dot(made.squares, rows[:n] ** 2)
    sample = ca.Function("sample", [u, T, data], [rows, T * rate], {"cse": True})
    x = ca.SX.sym("x", program.size)
    total = x[-1] if program.curves.duration is None else ca.SX(program.curves.duration)
    f, g = ca.SX(0), []
    for placed in program.blocks:
        local = ca.reshape(casadi_matrix(placed.u.A) @ x + placed.u.c, placed.width, placed.N)
        found = [sample(local[:, k], total, placed.block.data[k]) for k in range(placed.N)]
        f += sum(w * cost for w, (_, cost) in zip(placed.block.weights, found, strict=True))
        g.append(casadi_matrix(placed.block.combine) @ ca.vertcat(*(r for r, _ in found)))
    for _, part in program.scaled:
        g.append(casadi_matrix(part.A) @ x + part.c - part.limit * total**part.power)
    options = {f"ipopt.{word}": value for word, value in (QUIET | LINEAR | {"tol": TOLERANCE}).items()}
    program_of = {"x": x, "f": f / program.typical, "g": ca.vertcat(*g) / program.sizes}  # as our solver sees it
    return ca.nlpsol("direct", "ipopt", program_of, {"print_time": False, **options})


def casadi_matrix(A: Any) -> Any:
    A = A.tocsc()
    pattern = ca.Sparsity(*A.shape, A.indptr.tolist(), A.indices.tolist())
    return ca.DM(pattern, A.data) if A.nnz else ca.DM(*A.shape)


def compare(name: str, arm: ls.Arm, task: Task, rounds: int, regularise: float) -> list[Any]:
    first = _seconds(lambda: predict_motion(arm, task, regularise=regularise))
    problem = Problem(arm, task, regularise)
    program = problem.program(problem.mesh(), np.zeros(0))
    x0 = problem.guess.variables(program.curves)
    began = time.process_time()
    theirs = direct(problem, program)
    build = time.process_time() - began
    default, ours = Banded(program, TOLERANCE, 500), Ipopt(program, TOLERANCE, 500)
    given = {"x0": x0, "lbx": program.low, "ubx": program.high}
    given |= {"lbg": program.lower / program.sizes, "ubg": program.upper / program.sizes}
    found: dict[str, Any] = {}
    work = {
        "call": lambda: found.update(call=predict_motion(arm, task, regularise=regularise)),
        "default": lambda: found.update(default=default(x0)),
        "solve": lambda: found.update(ours=ours(x0)),
        "direct": lambda: found.update(theirs=theirs(**given)),
    }
    best = dict.fromkeys(work, np.inf)
    for _ in range(rounds):
        for word, call in work.items():
            best[word] = min(best[word], _seconds(call))
    costs = found["default"].cost, found["ours"].cost, float(found["theirs"]["f"]) * program.typical
    its = *(len(found[word].iterations) - 1 for word in ("default", "ours")), theirs.stats()["iter_count"]
    worst = max((peak.utilisation for peak in found["call"].report.peaks), default=0.0)
    print(f"{name:24} first call {first:5.2f} s, call {1e3 * best['call']:6.0f} ms, default "
          f"{1e3 * best['default']:.1f} ms ({its[0]} it)  IPOPT {1e3 * best['solve']:.1f} ms ({its[1]} it)  "
          f"direct {1e3 * best['direct']:6.1f} ms ({its[2]} it), build {build:5.2f} s  "
          f"IPOPT / direct {best['solve'] / best['direct']:.2f}  costs {costs[0]:.8g}, {costs[1]:.8g}, {costs[2]:.8g}  "
          f"largest use {worst:.5f}", flush=True)  # fmt: skip
    times = [first, best["call"], best["default"], best["solve"], best["direct"], build]
    return [name, *times, best["solve"] / best["direct"], ", ".join(f"{cost:.6g}" for cost in costs)]


def large() -> None:
    arm = tree30()
    for word in ("first call", "call"):
        wall = time.perf_counter()
        spent = _seconds(lambda: print(predict_motion(arm, tree_task(arm))))
        print(f"tree of 30 joints, {word}: {spent:.1f} s CPU, {time.perf_counter() - wall:.1f} s")


def _seconds(call: Any) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--regularise", type=float, default=1e-5, help="torque cost beside the time, of both; 0: none")
    parser.add_argument("--only", default="", help="cases whose name has this")
    results.add_option(parser)
    chosen = parser.parse_args()
    found = [
        compare(name, arm, task, chosen.rounds, chosen.regularise)
        for name, (arm, task) in cases().items()
        if chosen.only in name
    ]
    if chosen.only in "tree of 30 joints":
        large()
    if chosen.save:
        results.save("motion", WHAT, [results.Table("Comparison with one casadi graph", COLUMNS, found)])
