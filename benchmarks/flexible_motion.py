"""Arms that stop without vibration: the whole table.

    python benchmarks/flexible_motion.py [--quick] [--save]

- the flexible two-link arm of De Luca and Siciliano, three moves, without and with damping, in the horizontal and in
  the vertical plane (hanging: its links are too soft to be held out level);
- the same with payloads ten percent off, beside input shapers;
- a spatial arm of three joints whose last link bends in two planes;
- two masses and a spring in the shortest time, known to be 4.21787 s.

"rings" is the residual vibration of the tip [m]: of the motion, its torques played through an adaptive simulation
(DOP853, rtol 1e-11) of the whole arm, and of the plan for rigid links of the same duration, played alike.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import results

import lissom as ls
from lissom.motion.result.replay import loads_of
from lissom.motion.result.verification.residual import residual_vibration
from lissom.simulation.controllers.planned import planned_torques

HANGING = -np.pi / 2
MOVES = {  # goals of the two joints, the start being (0, 0) or hanging straight down; duration [s]
    "horizontal": {"a": ((0.0, 0.0), (0.8, 0.8), 4.0), "b": ((0.0, 0.0), (-0.6, 1.2), 5.0),
                   "c": ((0.3, -0.4), (1.2, -0.5), 5.0)},
    "vertical": {"a": ((HANGING, 0.0), (HANGING + 0.4, 0.5), 4.0), "b": ((HANGING, 0.0), (HANGING - 0.3, 1.2), 5.0),
                 "c": ((HANGING - 0.3, 0.4), (HANGING + 0.3, -0.5), 5.0)},
}  # fmt: skip
TORQUES = {"horizontal": [0.2, 0.1], "vertical": [8.0, 3.0]}


def two_link(plane: str = "horizontal", damping: float = 0.0) -> ls.Arm:
    """The flexible two-link arm."""
    arm = ls.load("two_link_flexible").with_gravity((0, -9.81 if plane == "vertical" else 0.0, 0))
    for link in arm.links:
        arm = arm.with_link(link.name, beam=link.beam.replace(damping=damping))
    return arm


def spatial(modes: int = 2) -> ls.Arm:
    """Three joints; the forearm bends in two planes, with so many modes in each."""

    def at(*p: float) -> np.ndarray:
        X = np.eye(4)
        X[:3, 3] = p
        return X

    beam = ls.Beam(0.5, 0.3, EI=(8.0, 12.0), modes=ls.Modes(bending_z=modes, bending_y=modes))
    return ls.Arm("spatial", [
        ls.Link("base", joint=ls.Joint("revolute"), mass=2.0, inertia=[0.02] * 3),
        ls.Link("upper", "base", ls.Joint("revolute", at(0, 0, 0.3), (0, 1, 0)), 1.5, (0.2, 0, 0), [0.003, 0.03, 0.03]),
        ls.Link("fore", "upper", ls.Joint("revolute", at(0.4, 0, 0), (0, 1, 0)), 0.3, inertia=[1e-3] * 3, beam=beam,
                payload=ls.Payload(0.3, inertia=[2e-4] * 3)),
    ])  # fmt: skip


def two_masses() -> ls.Arm:
    """A motor of 1 kg, a spring of 1 N/m, a mass of 1 kg."""
    joint = ls.Joint("prismatic", axis=(1, 0, 0), armature=1.0, elastic=ls.JointElasticity(1.0))
    return ls.Arm("two masses", [ls.Link("mass", joint=joint, mass=1.0)], gravity=(0, 0, 0))


def rings(motion: ls.Motion) -> float:
    """Under its torques, by an adaptive simulation."""
    run = ls.simulate(motion.arm, motion.q[0], motion.qd[0], planned_torques(motion), motion.duration,
                      loads=loads_of(motion), method="dop853", rtol=1e-11, atol=1e-13)  # fmt: skip
    return residual_vibration(run.arm, run.q[-1], run.qd[-1])


def row(name: str, arm: ls.Arm, **task: object) -> list[object]:
    """One move, solved, played and compared."""
    clock = time.perf_counter()
    motion = ls.predict_motion(arm, compare=True, **task)
    spent, left = time.perf_counter() - clock, rings(motion)
    rigid = motion.compared["rigid plan"].residual
    good = left <= 5e-3 * rigid and left <= 1e-4
    mesh = f"{motion.basis.segments:4} x {motion.report.residual_checks[-1].finer:<3}"
    print(f"{name:34} {motion.duration:7.4g} {rigid:9.2e} {left:9.2e} {100 * left / rigid:9.2g} % "
          f"{mesh} {spent:6.1f} s  {'met' if good else 'NOT MET'}", flush=True)  # fmt: skip
    for plan in motion.compared.plans:
        print(f"      {plan.name:28} {plan.duration:7.4g} s  {plan.residual:9.2e}  payload +10 % {plan.heavier:9.2e}, "
              f"-10 % {plan.lighter:9.2e}   torque use {plan.torque_utilisation:.3g}")  # fmt: skip
    return [name, motion.duration, rigid, left, 100 * left / rigid, spent, good]


WHAT = (
    "Residual vibration of the tip after optimal motions of the flexible arm, and after the plan for rigid links of "
    "the same duration; the whole arm is simulated under the torques (DOP853, rtol 1e-11)."
)
COLUMNS = ["move", "duration s", "rigid plan, residual m", "this motion, residual m", "of the rigid plan %", "seconds"]


def main(quick: bool, save: bool) -> int:
    print(f"{'':34} {'T s':>7} {'rigid m':>9} {'ours m':>9} {'of rigid':>11}")
    rows = []
    for plane, moves in MOVES.items():
        for name, (start, goal, duration) in moves.items():
            for damping in (0.0, 0.02):
                if quick and (name != "a" or damping):
                    continue
                limits = ls.Limits(torque=TORQUES[plane])
                made = row(f"two_link {plane} {name}, damping {damping:g}", two_link(plane, damping), start=start,
                           goal=goal, duration=duration, minimise="torque_squared", limits=limits)  # fmt: skip
                rows.append(made)
    limits = ls.Limits(torque=[20, 40, 20])
    rows.append(row("spatial", spatial(), start=(0.0, 0.4, -0.8), goal=(0.8, 0.1, 0.3), duration=1.5, limits=limits,
                    minimise="torque_squared"))  # fmt: skip
    for segments in (10, 20, 40, 80):
        T = ls.predict_motion(two_masses(), start=[0], goal=[1], limits=ls.Limits(torque=1), segments=segments).duration
        print(f"two masses, {segments:3} segments: {T:.6f} s, {T - 4.21787:+.1e} s, {100 * (T / 4.21787 - 1):+.1e} %")
    good = [made[-1] for made in rows]
    good.append(0 <= T - 4.21787 <= 5e-4 * 4.21787)
    print("all met" if all(good) else "NOT ALL MET")
    if save:
        note = f"Two masses and a spring in the shortest time, 80 segments: {T:.6f} s; known: 4.21787 s."
        results.save("flexible_motion", WHAT, [results.Table("Moves", COLUMNS, [made[:-1] for made in rows], note)])
    return 0 if all(good) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one move of each kind")
    results.add_option(parser)
    chosen = parser.parse_args()
    sys.exit(main(chosen.quick, chosen.save))
