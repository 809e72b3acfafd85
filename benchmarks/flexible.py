"""Flexible links: simulation against Exudyn, and the price of modes beside that of joints.

    python benchmarks/flexible.py [--rounds 5] [--runs 1000] [--into out] [--save]

The two-link arm of De Luca and Siciliano under bang-bang torques, 2 s. Exudyn has four geometrically exact beam
elements per link (three nodes each; hubs and payload share the nodes), its fast build, generalized-alpha, modified
Newton and a sparse solver; only the solver is timed. lissom's time is all of `simulate`, with two modes per link.
Each takes the longest steps that keep the tip within 0.1 mm of its own solution with short ones (or the shortest
tried); a second line lets Exudyn take steps of 5 ms whatever its error. Then batches: six joints with two links of
three modes each beside twelve rigid joints.
Candidates are interleaved in one process; CPU time, one core, best of the rounds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.exudynFast = True  # type: ignore[attr-defined]  # before the first import: no range checks
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import exudyn.itemInterface as item  # noqa: E402, N813
import models  # noqa: E402
import numpy as np  # noqa: E402
import results  # noqa: E402
from scipy.interpolate import CubicSpline  # noqa: E402
from tests.flexible.exudyn_twin import PlanarTwin  # noqa: E402
from timing import race  # noqa: E402

import lissom as ls  # noqa: E402

PIECES = [(0.5, (0.2, 0.2)), (1.0, (-0.2, -0.2)), (2.0, (0.0, 0.0))]
UNTIL, EVERY, WITHIN = 2.0, 0.01, 1e-4
STEPS = [5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4]
BARS = {"one run": 20.0, "runs at once": 100.0, "mass matrix": 2.0, "forward dynamics": 2.0}


class ExactTwin(PlanarTwin):
    """Beams with shear on nodes that turn: hubs and payload need no constraints, which makes it the fastest."""

    def _link(self, link: ls.Link, elements: int, EA: float, x: float) -> tuple[int, int, int]:
        beam = link.beam
        nodes = [self._node(s) for s in x + np.linspace(0.0, beam.length, 2 * elements + 1)]
        for i in range(0, 2 * elements, 2):
            self.mbs.AddObject(
                item.ObjectBeamGeometricallyExact2D(
                    nodeNumbers=nodes[i : i + 3], length=beam.length / elements, massPerLength=beam.mass_per_length,
                    bendingStiffness=beam.EI[1], axialStiffness=EA, shearStiffness=EA,
                )
            )  # fmt: skip
        self._body(link, nodes[0])
        if link.payload is not None:
            self._body(link.payload, nodes[-1])
        return nodes[0], self._on_node(nodes[0]), self._on_node(nodes[-1])

    def settings(self, *arguments: float) -> object:
        made = super().settings(*arguments)
        newton = made.timeIntegration.newton
        newton.residualMode, newton.relativeTolerance, newton.absoluteTolerance = 0, 1e-8, 1e-10  # Exudyn's own
        made.timeIntegration.generalizedAlpha.computeInitialAccelerations = False  # sections have no inertia to turn
        return made


class Case:
    """The arm, its twin, and the steps that both may take."""

    def __init__(self, runs: int):
        self.arm = ls.load("two_link_flexible")
        self.tau = ls.Profile([0.0, 0.5, 1.0], [torque for _, torque in PIECES], "hold")
        self.starts = np.random.default_rng(0).uniform(-0.3, 0.3, (runs, 2))
        self.step = self._longest(lambda h: self.ours(dt=h).tip, self.ours(dt=1e-4).tip)
        self.their_step = self._longest(lambda h: self.theirs(h)[1], self.theirs(5e-5)[1])

    def ours(self, start: np.ndarray | None = None, dt: float | None = None) -> ls.Run:
        dt = self.step[0] if dt is None else dt
        return ls.simulate(self.arm, start, tau=self.tau, until=UNTIL, every=EVERY, dt=dt, threads=1)

    def theirs(self, step: float) -> tuple[float, np.ndarray]:
        """CPU time of the solver, and the tip at lissom's instants (Exudyn's samples are up to half a step beside)."""
        twin = ExactTwin(self.arm, 4, EA=1e5)
        start = time.process_time()
        t, tip = twin.run(PIECES, step, EVERY)
        spent = time.process_time() - start
        return spent, CubicSpline(t, tip)(np.linspace(0.0, UNTIL, round(UNTIL / EVERY) + 1))

    @staticmethod
    def _longest(tip: Callable[[float], np.ndarray], tight: np.ndarray) -> tuple[float, float]:
        """The longest step whose tip stays near enough, and how near; the shortest if none does."""
        for step in STEPS:
            away = float(np.linalg.norm(tip(step) - tight, axis=1).max())
            if away < WITHIN:
                break
        return step, away


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def simulations(case: Case, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of CPU per run, best of the rounds."""
    runs = len(case.starts)
    candidates = {
        "exudyn": lambda: case.theirs(case.their_step[0])[0],
        "exudyn, 5 ms": lambda: case.theirs(STEPS[0])[0],
        "one": lambda: timed(case.ours),
        "many": lambda: timed(lambda: case.ours(case.starts)) / runs,
    }
    best = dict.fromkeys(candidates, np.inf)
    for _ in range(rounds):
        for name, call in candidates.items():
            best[name] = min(best[name], call())
    return {
        f"{what}{', any error' if whose != 'exudyn' else ''}": {"theirs": best[whose], "ours": best[ours]}
        for what, ours in (("one run", "one"), ("runs at once", "many"))
        for whose in ("exudyn", "exudyn, 5 ms")
    }


def six_joints() -> ls.Arm:
    """Generic joints; the second and third link are beams of three modes."""
    links = list(models.chain(6).links)
    for k in (1, 2):
        beam = ls.Beam(0.6, 0.8, EI=40.0, modes=ls.Modes(3))
        links[k] = links[k].replace(beam=beam, mass=0.1, inertia=np.diag([0.01, 0.01, 0.01]))
    return ls.Arm("six joints, two flexible links", links)


def batches(rounds: int, states: int = 4096) -> dict[str, dict[str, float]]:
    """Nanoseconds per state; twelve rigid joints stand in the place of the other library."""
    rng = np.random.default_rng(0)
    arms = {"ours": six_joints(), "theirs": models.chain(12)}
    candidates = {}
    for whose, arm in arms.items():
        x = rng.uniform(-1.0, 1.0, (3, states, arm.dof))
        x[:2, :, arm.mode_index] *= 0.02
        M, out = np.zeros((states, arm.dof, arm.dof)), np.zeros((states, arm.dof))
        candidates["mass matrix", whose] = (lambda a=arm, x=x, M=M: ls.mass_matrix(a, x[0], out=M, threads=1), states)
        candidates["forward dynamics", whose] = (
            lambda a=arm, x=x, out=out: ls.forward_dynamics(a, *x, out=out, threads=1), states,
        )  # fmt: skip
    best = race(candidates, rounds)
    return {
        what: {whose: best[what, whose][0] for whose in arms} for what in ("mass matrix", "forward dynamics")
    }  # fmt: skip


WHAT = (
    "The flexible two-link arm of De Luca and Siciliano under bang-bang torques, 2 s, compared with Exudyn with "
    "four geometrically exact beam elements per link (only its solver is timed); lissom's time is the whole call "
    "of `simulate`, with two modes per link. Then batches: six joints with two links of three modes each, "
    "compared with twelve rigid joints. CPU time, one core, best of the rounds."
)


def tables(case: Case, rows: dict[str, dict[str, float]]) -> list[results.Table]:
    """What the performance page shows."""
    runs = [[what, 1e3 * row["theirs"], 1e3 * row["ours"], row["ratio"]] for what, row in rows.items() if "run" in what]
    notes = [f"{whose}: steps of {1e3 * step:g} ms, tip within {1e3 * away:.2g} mm of its own tight solution"
             for whose, (step, away) in (("Exudyn", case.their_step), ("lissom", case.step))]  # fmt: skip
    both = [[what, row["theirs"], row["ours"], row["ratio"]] for what, row in rows.items() if "run" not in what]
    note = f"{'; '.join(notes)}. *Any error*: Exudyn with steps of 5 ms."
    return [
        results.Table("Comparison with Exudyn", ["", "Exudyn ms", "lissom ms", "times faster"], runs, note),
        results.Table("Modes compared with joints", ["", "12 rigid ns", "6 + 6 modes ns", "ratio"], both),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--into", type=Path, default=Path("out"))
    results.add_option(parser)
    options = parser.parse_args()
    case = Case(options.runs)
    for whose, (step, away) in (("Exudyn", case.their_step), ("lissom", case.step)):
        print(f"{whose}: steps of {step * 1e3:g} ms, tip within {away * 1e3:.2f} mm of its own tight solution")
    rows = simulations(case, options.rounds)
    print(f"{'':28}{'Exudyn [ms]':>16}{'lissom [ms]':>16}{'times faster':>14}{'bar':>6}")
    for what, found in rows.items():
        found["ratio"] = found["theirs"] / found["ours"]
        bar = BARS[what.split(",")[0]]
        print(f"{what:28}{found['theirs'] * 1e3:16.1f}{found['ours'] * 1e3:16.3f}{found['ratio']:14.1f}{bar:6.0f}")
    print(f"{'':28}{'12 rigid [ns]':>16}{'6 + 6 modes [ns]':>16}{'ratio':>14}{'bar':>6}")
    for what, found in batches(options.rounds).items():
        found["ratio"] = found["ours"] / found["theirs"]
        print(f"{what:28}{found['theirs']:16.0f}{found['ours']:16.0f}{found['ratio']:14.2f}{BARS[what]:6.0f}")
        rows[what] = found
    options.into.mkdir(exist_ok=True)
    (options.into / "flexible.json").write_text(json.dumps(rows, indent=2))
    print(f"wrote {options.into / 'flexible.json'}")
    if options.save:
        results.save("flexible", WHAT, tables(case, rows))


if __name__ == "__main__":
    main()
