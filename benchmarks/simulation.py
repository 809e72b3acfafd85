"""Simulated motion against MuJoCo: one run, a thousand runs, a thousand payloads.

    python benchmarks/simulation.py [--rounds 7] [--runs 1000] [--into out] [--save]

The Panda under PD control, 1 s in RK4 steps of 1 ms, both libraries on one core. MuJoCo steps natively
(`mj_step` with its servos as actuators: all steps in one call, and from a Python loop); lissom's time is all of
`simulate`, with its samples, torques, energies and audit. Candidates are interleaved in one process; CPU
time, best of the rounds. End states are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import models
import results

import lissom as ls

STEP, STEPS = 1e-3, 1000
BARS = {"one run": 8.0, "initial states": 30.0, "payloads too": 20.0}
ONE, LOOP, OURS = "mujoco, native", "mujoco, Python loop", "lissom"


class Case:
    """The Panda, its servo gains, and initial states and payloads of many runs."""

    def __init__(self, runs: int):
        self.arm = models.panda()
        n, rng = self.arm.dof, np.random.default_rng(0)
        self.kp = np.array([50, 50, 50, 50, 10, 10, 10], float)
        self.kd = 0.15 * self.kp
        self.goal = np.linspace(0.3, -0.5, n)
        self.q0 = self.arm.home + rng.uniform(-0.3, 0.3, (runs, n))
        self.payloads = [
            ls.Payload(m, rng.uniform(-0.05, 0.05, 3), np.diag(rng.uniform(0.01, 0.02, 3)))
            for m in rng.uniform(0, 3, runs)
        ]
        self.model = models.mujoco_twin(self.arm, self.kp, self.kd)
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)

    # ---- MuJoCo ----------------------------------------------------------------------------------

    def theirs(self, q0: np.ndarray, loop: bool, model: mujoco.MjModel | None = None) -> np.ndarray:
        """End state of one run."""
        model = self.model if model is None else model
        mujoco.mj_resetData(model, self.data)
        self.data.qpos[:], self.data.ctrl[:] = q0, self.goal
        if loop:
            for _ in range(STEPS):
                mujoco.mj_step(model, self.data)
        else:
            mujoco.mj_step(model, self.data, STEPS)
        return self.data.qpos.copy()

    def laden(self, k: int) -> mujoco.MjModel:
        """The model with a payload on its last body."""
        arm = self.arm.with_payload(self.payloads[k])
        other = models.mujoco_twin(arm, self.kp, self.kd)
        other.opt.integrator, other.opt.timestep = self.model.opt.integrator, STEP
        return other

    # ---- lissom ----------------------------------------------------------------------------------

    def ours(self, q0: np.ndarray, **options: object) -> ls.Run:
        """All of `simulate`."""
        control = ls.PD(self.goal, self.kp, self.kd)
        return ls.simulate(self.arm, q0, tau=control, until=STEP * STEPS, dt=STEP, threads=1, **options)

    def check(self) -> float:
        """Largest difference of end states, a few runs of each kind."""
        many, heavy = self.ours(self.q0), self.ours(self.q0, payloads=self.payloads)
        worst = 0.0
        for k in range(0, len(self.q0), max(1, len(self.q0) // 5)):
            worst = max(worst, np.abs(self.theirs(self.q0[k], False) - many.q[k, -1]).max())
            worst = max(worst, np.abs(self.theirs(self.q0[k], True, self.laden(k)) - heavy.q[k, -1]).max())
        return worst


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(case: Case, rounds: int, sample: int) -> dict[str, dict[str, float]]:
    """Seconds of CPU per run, best of the rounds; MuJoCo's loop is timed on a sample of the runs."""
    runs = len(case.q0)
    heavy = [case.laden(k) for k in range(sample)]
    candidates: dict[tuple[str, str], tuple[Callable[[], object], int]] = {
        ("one run", ONE): (lambda: case.theirs(case.q0[0], False), 1),
        ("one run", OURS): (lambda: case.ours(case.q0[0]), 1),
        ("initial states", LOOP): (lambda: [case.theirs(q, True) for q in case.q0[:sample]], sample),
        ("initial states", OURS): (lambda: case.ours(case.q0), runs),
        ("payloads too", LOOP): (lambda: [case.theirs(case.q0[k], True, heavy[k]) for k in range(sample)], sample),
        ("payloads too", OURS): (lambda: case.ours(case.q0, payloads=case.payloads), runs),
    }
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for (what, whose), (call, count) in candidates.items():
            spent = timed(call) / count
            best.setdefault(what, {})
            best[what][whose] = min(spent, best[what].get(whose, np.inf))
    # a single run costs lissom its ceremony, too; the bar is for the step
    best["one run"]["lissom, steps only"] = min(steps_only(case) for _ in range(10 * rounds))
    return best


def steps_only(case: Case) -> float:
    """The compiled loop of one run, without the record around it."""
    from lissom.simulation.integrators.stepping import Stepper
    from lissom.simulation.loop.closed_loop import ClosedLoop

    if not hasattr(case, "stepper"):
        case.stepper = Stepper(ClosedLoop(case.arm, ls.PD(case.goal, case.kp, case.kd)), "rk4")
        n = case.arm.dof
        case.state = np.zeros((1, case.stepper.state_size))
        case.state[0, :n] = case.q0[0]
        case.kept = np.zeros((1, STEPS, case.stepper.state_size))
        case.stepper.advance(case.state, STEP * np.arange(STEPS), STEP, 1, case.kept)
    return timed(lambda: case.stepper.advance(case.state, STEP * np.arange(STEPS), STEP, 1, case.kept))


WHAT = (
    "The Panda under PD control, 1 s in RK4 steps of 1 ms, one core: one run (MuJoCo steps natively), and many "
    "runs with different initial states, then also different payloads (MuJoCo in a Python loop). lissom's time "
    "is the whole call of `simulate`; *steps* is the compiled loop alone. CPU time, best of the rounds; end "
    "states are compared first."
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--into", type=Path, default=Path("out"))
    results.add_option(parser)
    options = parser.parse_args()
    case = Case(options.runs)
    print(f"end states differ by at most {case.check():.1e} rad")
    best = measure(case, options.rounds, sample=min(30, options.runs))
    print(f"{'':16}{'MuJoCo [us/step]':>20}{'lissom [us/step]':>20}{'ratio':>9}{'bar':>7}")
    rows = {}
    for what, found in best.items():
        theirs = found[ONE if what == "one run" else LOOP]
        for label, ours in ((what, found[OURS]), (f"{what}, steps", found.get("lissom, steps only"))):
            if ours is not None:
                bar = BARS[what] if what != "one run" or label != what else float("nan")
                print(f"{label:16}{theirs * 1e3:20.2f}{ours * 1e3:20.3f}{theirs / ours:9.1f}{bar:7.0f}")
                rows[label] = {"mujoco": theirs, "lissom": ours, "ratio": theirs / ours}
    options.into.mkdir(exist_ok=True)
    (options.into / "simulation.json").write_text(json.dumps(rows, indent=2))
    print(f"wrote {options.into / 'simulation.json'}")
    if options.save:
        listed = [[what, 1e3 * row["mujoco"], 1e3 * row["lissom"], row["ratio"]] for what, row in rows.items()]
        columns = ["", "MuJoCo us/step", "lissom us/step", "times faster"]
        results.save("simulation", WHAT, [results.Table("Comparison with MuJoCo", columns, listed)])


if __name__ == "__main__":
    main()
