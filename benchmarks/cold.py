"""First answers and single states, each in a fresh process.

    python benchmarks/cold.py [--rounds 5] [--only Talos] [--save]

First calls start with an empty cache of compiled code. Their CPU seconds are taken twice: with the modules behind the
call imported before, which leaves tracing, compiling and running, and with all of these imports, casadi and llvmlite
among them. Loading the arm and `import lissom` are not in either. Python's own bytecode is cached.

Single states are compiled and called ten times before they are timed; `page faults` are those of a call. Seconds
"again" are those of a second call.
A row is the best of its processes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import models
import results

import lissom as ls

WHAT = (
    "First calls with an empty cache of compiled code, single states, and a large problem next to a busy "
    "process, each in a new process; the best of several. First calls: CPU seconds of the call alone, with its "
    "imports loaded before, and with its imports. Loading the arm is not included."
)
CALLS = 2000
Prepare = Callable[[], Callable[[], object]]  # makes everything that is not timed
IMPORTS = ("casadi", "llvmlite.binding", "scipy.interpolate", "scipy.linalg", "lissom.kernels.functions",
           "lissom.simulation.simulate", "lissom.motion.public",
           "lissom.motion.solve.ipopt", "lissom.motion.transcription.kernels.tape_sample")  # fmt: skip


class Case(NamedTuple):
    """A row: what is called, its unit, and what it should not exceed."""

    prepare: Prepare
    unit: str
    bar: float


def tree(*branches: tuple[int, int]) -> ls.Arm:
    """A torso of 3 with branches: the link that carries one, and its joints."""
    parents = [-1, 0, 1]
    for root, count in branches:
        parents += [root, *range(len(parents), len(parents) + count - 1)]
    return models.generic(parents, 3, f"tree {len(parents)}")


def minimum_torque(arm: ls.Arm, limited: bool) -> ls.Task:
    """To a random goal in 1.5 s; where torques are limited, to 1.2 times what a quintic polynomial takes."""
    goal, T = np.random.default_rng(0).uniform(-1.0, 1.0, arm.dof), 1.5
    task = ls.Task(start=np.zeros(arm.dof), goal=goal, duration=T, minimise="torque_squared", segments=20)
    if not limited:
        return task
    u = np.linspace(0, 1, 41)[:, None]
    profile = (10 * u**3 - 15 * u**4 + 6 * u**5, 30 * u**2 * (1 - u) ** 2 / T, 60 * u * (1 - u) * (1 - 2 * u) / T**2)
    most = np.abs(ls.inverse_dynamics(arm, *(goal * part for part in profile))).max(axis=0)
    return task.replace(limits=ls.Limits(torque=(1.2 * most).tolist(), velocity=6.0))


def verb(name: str, make: Callable[[], ls.Arm], count: int = 3, out: bool = False) -> Prepare:
    """A dynamics function of one state, perhaps with results written to arrays that are there."""

    def prepare() -> Callable[[], object]:
        arm, function = make(), getattr(ls, name)
        state = list(np.random.default_rng(0).uniform(-0.1, 0.1, (count, arm.dof)))
        if not out:
            return lambda: function(arm, *state)
        result = np.empty_like(function(arm, *state))
        if count == 1:
            (q,) = state
            return lambda: function(arm, q, out=result)
        q, qd, x = state  # by name: a list taken apart beside a keyword costs Python 0.3 us
        return lambda: function(arm, q, qd, x, out=result)

    return prepare


def held() -> Callable[[], object]:
    """Talos held by a PD law, steps chosen by the integrator."""
    arm = models.talos()
    still, law = np.zeros(arm.dof), ls.PD(np.zeros(arm.dof), np.ones(arm.dof), np.full(arm.dof, 0.1))
    return lambda: ls.simulate(arm, still, tau=law, until=0.01, threads=1)


def after_talos() -> Callable[[], object]:
    """Another arm than the one that was computed before: its tape is recorded, and nothing is compiled."""
    verb("inverse_dynamics", models.talos)()()
    return verb("inverse_dynamics", models.tree55)()


def tracking() -> Callable[[], object]:
    """A step along a path: the last answer is where the next begins."""
    arm = models.panda()
    tip = arm.links[-1].name
    q = np.array([0.1, 0.3, -0.2, -1.5, 0.2, 1.8, 0.4])
    targets = ls.pose(arm, q + np.linspace(0.0, 0.5, 40)[:, None], tip)
    state = {"q": q, "k": 0}

    def step() -> None:
        state["k"] = (state["k"] + 1) % 40
        start = q if state["k"] == 0 else state["q"]
        state["q"] = ls.inverse_kinematics(arm, targets[state["k"]], tip, q0=start).q

    return step


def first_prediction() -> Callable[[], object]:
    """Minimum time of the xArm7 on 20 segments."""
    arm = ls.load(models.ROBOTS / "xarm_description/urdf/xarm7.urdf").merge_fixed()
    goal = np.clip(np.random.default_rng(0).uniform(-0.8, 0.8, arm.dof), 0.05, 0.8)
    return lambda: ls.predict_motion(arm, start=np.zeros(arm.dof), goal=goal, segments=20)


PANDA_START, PANDA_GOAL = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), (1.2, 0.3, -0.5, -1.2, 0.6, 2.2, -0.4)
PANDA_LIMITS = ls.Limits(torque=[87.0] * 4 + [12.0] * 3, velocity=[2.175] * 4 + [2.61] * 3)


def predicted(arm: ls.Arm) -> Callable[[], object]:
    """Minimum time of a Panda on 30 segments."""
    return lambda: ls.predict_motion(arm, start=PANDA_START, goal=PANDA_GOAL, limits=PANDA_LIMITS, segments=30)


def prediction_after_another_arm() -> Callable[[], object]:
    """The Panda, after the xArm7 in the same cache."""
    first_prediction()()
    return predicted(models.panda())


def prediction_with_payload() -> Callable[[], object]:
    """The Panda with a payload, after the Panda without."""
    arm = models.panda()
    predicted(arm)()
    return predicted(arm.with_payload(ls.Payload(1.3, com=(0.02, 0.01, 0.05))))


def prediction_with_friction() -> Callable[[], object]:
    """The Panda with friction in three joints, after friction in all."""
    arm = models.panda()
    joints = [joint.name for joint in arm.moving_joints]
    some = arm
    for k, name in enumerate(joints):
        arm = arm.with_joint(name, friction=1.0)
        some = some.with_joint(name, friction=0.5) if k % 3 == 0 else some
    predicted(arm)()
    return predicted(some)


PAYLOAD = ls.Payload(1.3, com=(0.02, 0.01, 0.05))


def rubbing(arm: ls.Arm, every: int) -> ls.Arm:
    """The arm with friction in every so many joints."""
    for joint in arm.moving_joints[::every]:
        arm = arm.with_joint(joint.name, friction=0.5)
    return arm


def swinging(
    changed: Callable[[ls.Arm], ls.Arm],
    known: Callable[[], ls.Arm] = models.panda,
    load: str = "",
    dt: float | None = None,
) -> Prepare:
    """A run of an arm with something new, after runs of the arm as it was known, with PD and without."""

    def run(arm: ls.Arm, **more: Any) -> ls.Run:
        q0 = np.where(np.isin(np.arange(arm.dof), arm.joint_index), 0.1, 0.0)
        return ls.simulate(arm, q0, until=0.02, dt=dt, threads=1, **more)

    def prepare() -> Callable[[], object]:
        arm = known()
        tip, joints = arm.links[-1].name, len(arm.joints)
        law = ls.PD(np.zeros(joints), np.full(joints, 50.0), np.full(joints, 5.0))
        for one in (arm, rubbing(arm, 1)):
            run(one)
            run(one, tau=law, loads=[ls.Load(tip, force=(1.0, 0.0, 0.0))])
        other = changed(arm)
        more = {"loads": [ls.Load(load, force=(1.0, 0.0, -5.0))]} if load else {}
        return lambda: run(other, **more)

    return prepare


def payloads_of_runs() -> Callable[[], object]:
    """Runs with payloads of their own, after runs that differ in their starts."""
    arm = models.panda()
    starts = arm.home + np.linspace(0.0, 0.1, 4)[:, None]
    ls.simulate(arm, starts, until=0.02, threads=1)
    carried = [ls.Payload(mass, com=(0.02, 0.01, 0.05)) for mass in (0.5, 1.0, 2.0, 3.0)]
    return lambda: ls.simulate(arm, starts, payloads=carried, until=0.02, threads=1)


def flexible() -> ls.Arm:
    """Six generic joints, and two links that are beams of five modes each: 16 coordinates."""
    arm = models.generic([-1, 0, 1, 2, 3, 4], 5, "six joints, ten modes")
    beam = ls.Beam(0.6, 0.8, EI=40.0, modes=ls.Modes(5))
    links = [link.replace(beam=beam, mass=0.1, inertia=np.diag([0.01] * 3)) if k in (1, 2) else link
             for k, link in enumerate(arm.links)]  # fmt: skip
    return arm.replace(links=links)


def in_balance() -> Callable[[], object]:
    """An equilibrium of six joints and two links with five modes each."""
    arm = flexible()
    return lambda: ls.equilibrium(arm, np.linspace(0.1, 0.6, 6))


def warm_prediction() -> Callable[[], object]:
    """The Panda's motion in minimum time from one start."""
    arm = models.panda()
    task = ls.Task(start=PANDA_START, goal=PANDA_GOAL, limits=PANDA_LIMITS, segments=30)
    return lambda: ls.predict_motion(arm, task, starts=1)


def warm_solve() -> Callable[[], object]:
    """The program of that motion, solved once."""
    from lissom.motion.solve.banded import Banded
    from lissom.motion.transcription.problem import Problem

    task = ls.Task(start=PANDA_START, goal=PANDA_GOAL, limits=PANDA_LIMITS, segments=30)
    problem = Problem(models.panda(), task, 1e-5)
    program = problem.program(problem.mesh(), np.zeros(0))
    solver, x0 = Banded(program, 1e-8, 500), problem.guess.variables(program.curves)
    return lambda: solver(x0)


def large_solve() -> Callable[[], object]:
    """Minimum torque of a tree of 34 joints, one start, 30 iterations at most."""
    arm = tree34()
    task = minimum_torque(arm, limited=False)
    return lambda: ls.predict_motion(arm, task, starts=1, iterations=30, on_failure="return")


def tree44() -> ls.Arm:
    """Two arms of 11 and 10, two legs of 10."""
    return tree((2, 11), (2, 10), (0, 10), (0, 10))


def tree34() -> ls.Arm:
    """Two arms of 8, two legs of 7 and 8."""
    return tree((2, 8), (2, 8), (0, 7), (0, 8))


IPOPT_COSTS = {34: 11_758.0, 44: 13_212.8}  # of IPOPT's single solution


def one_solution(make: Callable[[], ls.Arm], default: bool = True) -> Prepare:
    """Minimum torque of a tree with limits: the program solved once, limits held at its samples.

    default : by the library's own solver, whose cost is within 1 % of IPOPT's or lower
    """

    def prepare() -> Callable[[], object]:
        from lissom.motion.solve.banded import Banded
        from lissom.motion.solve.ipopt import Ipopt
        from lissom.motion.transcription.problem import Problem

        problem = Problem(arm := make(), minimum_torque(arm, limited=True), 1e-5)
        program = problem.program(problem.mesh(), np.zeros(0))
        solver, x0 = (Banded if default else Ipopt)(program, 1e-8, 300), problem.guess.variables(program.curves)

        def solve() -> None:
            found = solver(x0)
            assert found.outcome.solved, found.status
            assert found.cost < 1.01 * IPOPT_COSTS[arm.dof], found.cost

        return solve

    return prepare


def whole_search() -> Callable[[], object]:
    """The same motion with limits held at all times."""
    arm = tree44()
    task = minimum_torque(arm, limited=True)
    return lambda: ls.predict_motion(arm, task, starts=1)


GRADIENT = "inverse_dynamics_gradient"
CASES = {
    "Panda, first inverse dynamics": Case(verb("inverse_dynamics", models.panda), "s", 0.2),
    "Panda, first mass matrix": Case(verb("mass_matrix", models.panda, 1), "s", 0.2),
    "Panda, first gradient": Case(verb(GRADIENT, models.panda), "s", 0.25),
    "Panda, first gradient of forward dynamics": Case(verb("forward_dynamics_gradient", models.panda), "s", 0.7),
    "Talos, first inverse dynamics": Case(verb("inverse_dynamics", models.talos), "s", 0.25),
    "Talos, first mass matrix": Case(verb("mass_matrix", models.talos, 1), "s", 0.25),
    "Talos, first forward dynamics": Case(verb("forward_dynamics", models.talos), "s", 0.25),
    "Talos, first gradient": Case(verb(GRADIENT, models.talos), "s", 0.25),
    "Talos, first gradient of forward dynamics": Case(verb("forward_dynamics_gradient", models.talos), "s", 0.7),
    "tree 55 after Talos, inverse dynamics": Case(after_talos, "s", 0.05),
    "two flexible links of 5 modes, first mass matrix": Case(verb("mass_matrix", flexible, 1), "s", 1.0),
    "two flexible links of 5 modes, first forward dynamics": Case(verb("forward_dynamics", flexible), "s", 1.5),
    "two flexible links of 5 modes, first equilibrium": Case(in_balance, "s", 2.0),
    "Panda, simulate with a new payload": Case(swinging(lambda arm: arm.with_payload(PAYLOAD)), "s", 0.4),
    "Panda, simulate with new friction": Case(swinging(lambda arm: rubbing(arm, 3)), "s", 0.4),
    "Panda, simulate with a load on another link": Case(swinging(lambda arm: arm, load="panda_link4"), "s", 0.4),
    "Panda, ensemble, first with payloads": Case(payloads_of_runs, "s", 0.4),
    "Panda, fixed steps with a new payload": Case(swinging(lambda arm: arm.with_payload(PAYLOAD), dt=1e-3), "s", 0.4),
    "two_link_flexible, simulate with a new payload": Case(
        swinging(lambda arm: arm.with_payload(ls.Payload(0.01)), lambda: ls.load("two_link_flexible")), "s", 0.4
    ),
    "Talos, first simulate with PD": Case(held, "s", 2.0),
    "xArm7, first predict_motion": Case(first_prediction, "s", 2.0),
    "Panda, predict_motion after another arm": Case(prediction_after_another_arm, "s", 1.0),
    "Panda, predict_motion with a new payload": Case(prediction_with_payload, "s", 0.4),
    "Panda, predict_motion with new friction": Case(prediction_with_friction, "s", 0.4),
    "Panda, tau, out=": Case(verb("inverse_dynamics", models.panda, out=True), "us", 1.0),
    "Panda, M, out=": Case(verb("mass_matrix", models.panda, 1, out=True), "us", 1.0),
    "Panda, qdd, out=": Case(verb("forward_dynamics", models.panda, out=True), "us", 1.0),
    "tree 55, M": Case(verb("mass_matrix", models.tree55, 1), "us", 30.0),
    "tree 55, gradient": Case(verb(GRADIENT, models.tree55), "us", 30.0),
    "Panda, step of inverse kinematics": Case(tracking, "ms", 3.0),
    "Panda, minimum time, solve": Case(warm_solve, "ms", 60.0),
    "Panda, minimum time, predict_motion": Case(warm_prediction, "ms", 100.0),
    "tree 34, minimum torque, one solution": Case(one_solution(tree34), "s again", 3.0),
    "tree 44, minimum torque, one solution": Case(one_solution(tree44), "s again", 6.0),
    "tree 44, minimum torque, one solution by IPOPT": Case(one_solution(tree44, False), "s again", 6.0),
    "tree 44, minimum torque, predict_motion": Case(whole_search, "s again", 18.0),
    "tree 34, wall over CPU of a solve": Case(large_solve, "wall/CPU", 1.1),
}


# ---- in the fresh process ------------------------------------------------------------------------


def cpu_seconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def repeated(call: Callable[[], object], calls: int) -> dict[str, float]:
    """CPU time and page faults of a call; the best of five rounds, but all faults after the first ten calls."""
    for _ in range(10):
        call()
    faults, spent = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, []
    for _ in range(5):
        began = time.process_time()
        for _ in range(calls):
            call()
        spent.append((time.process_time() - began) / calls)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return {"time": min(spent), "faults": faults / (5 * calls)}


def waited() -> float:
    """Seconds that this thread was ready to run and had no core (Linux; elsewhere 0)."""
    path = Path("/proc/thread-self/schedstat")
    return int(path.read_text().split()[1]) * 1e-9 if path.exists() else 0.0


def beside_other_work(call: Callable[[], object]) -> dict[str, float]:
    """Wall time over CPU time beside a busy process; time without a core is other work's, and taken out."""
    call()  # compiled
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        idle, wall, cpu = waited(), time.perf_counter(), time.process_time()
        call()
        idle, wall, cpu = waited() - idle, time.perf_counter() - wall, time.process_time() - cpu
    finally:
        busy.kill()
        busy.wait()
    return {"time": (wall - idle) / cpu, "raw": wall / cpu}


def measure(name: str, imported: bool) -> dict[str, float]:
    """One case, in this process."""
    case = CASES[name]
    call = case.prepare()
    if case.unit == "s":
        for module in IMPORTS if imported else ():
            __import__(module)
        return {"time": cpu_seconds(call)}
    if case.unit == "wall/CPU":
        return beside_other_work(call)
    call()
    if case.unit == "s again":
        return {"time": cpu_seconds(call)}
    return repeated(call, CALLS if case.unit == "us" else CALLS // 20)


# ---- all of them ---------------------------------------------------------------------------------


def fresh(name: str, imported: bool) -> dict[str, float]:
    """One case, in a process and with a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        os.chmod(cache, 0o700)
        command = [sys.executable, __file__, "--child", name, *(["--imported"] if imported else [])]
        environment = {**os.environ, "LISSOM_CACHE": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each child compiles lissom's sources again
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def best(name: str, imported: bool, rounds: int) -> dict[str, float]:
    found = [fresh(name, imported) for _ in range(rounds)]
    return {word: min(row[word] for row in found) for word in found[0]}


def row(name: str, rounds: int) -> list[Any]:
    case, scale = CASES[name], {"us": 1e6, "ms": 1e3}.get(CASES[name].unit, 1.0)
    found = best(name, True, min(rounds, 2) if case.unit == "s again" else rounds)
    whole = best(name, False, rounds)["time"] if case.unit == "s" else None
    line = [name, case.unit, case.bar, scale * found["time"], whole, found.get("faults")]
    raw = f", {found['raw']:.2f} with the waiting for a core" if "raw" in found else ""
    words = ["" if x is None else x if isinstance(x, str) else f"{x:.3g}" for x in line]
    print(*words, f"load {os.getloadavg()[0]:.1f}{raw}", sep="  ", flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--imported", action="store_true", help=argparse.SUPPRESS)
    results.add_option(parser)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(measure(chosen.child, chosen.imported)))
        return
    rows = [row(name, chosen.rounds) for name in CASES if chosen.only in name]
    if chosen.save:
        columns = ["", "unit", "bar", "measured", "with imports", "page faults"]
        note = "wall/CPU: next to a busy process; time in which the thread was ready but had no core is subtracted."
        results.save("cold", WHAT, [results.Table("New processes", columns, rows, note)])


if __name__ == "__main__":
    main()
