"""Closed loops: energy, closure and time on mechanisms of the IFToMM library, and on a four-bar and a slider-crank.

    python benchmarks/loops.py [N] [--save]

Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems, A02 (N-four-bar
mechanism, which passes singular configurations) and A04 (Bricard's mechanism, which has one redundant closure).
Allowed errors of energy there: 0.1 J for N = 40, 1e-3 J.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import results

import lissom as ls

WHAT = (
    "Mechanisms in free fall for 10 s: drift of energy and closure, and CPU time. A02 and A04 of the IFToMM "
    "library of computational benchmark problems, which allow 0.1 J (N = 40) and 1e-3 J."
)
COLUMNS = ["mechanism", "coordinates", "energy J", "closure m", "evaluations", "CPU s", "status"]


def at(point, axes=None):
    """A frame: origin and columns."""
    X = np.eye(4)
    X[:3, 3] = point
    if axes is not None:
        X[:3, :3] = np.stack(axes, axis=1)
    return X


def rod(name, parent, place, axis=(0, 0, 1), length=1.0, direction=(1, 0, 0), mass=1.0):
    """A uniform slender rod of 1 m and 1 kg from its joint on."""
    d = np.asarray(direction, float)
    inertia = mass * length**2 / 12 * (np.eye(3) - np.outer(d, d))
    joint = ls.Joint("revolute", placement=at(place), axis=axis, actuated=False)
    return ls.Link(name, parent=parent, joint=joint, mass=mass, com=d * length / 2, inertia=inertia)


def n_four_bar(count):
    """A02: `count` windows of rods of 1 m and 1 kg; where it starts, with 1 m/s at the top."""
    links = [rod(f"v{i}", None, (i, 0, 0)) for i in range(count + 1)]
    links += [rod(f"h{i}", f"v{i}", (1, 0, 0)) for i in range(count)]
    loops = [ls.Loop((f"h{i}", (1, 0, 0)), (f"v{i + 1}", (1, 0, 0)), "revolute") for i in range(count)]
    arm = ls.Arm(f"{count}-four-bar", links, gravity=(0, -9.81, 0), loops=loops)
    q = np.concatenate([np.full(count + 1, np.pi / 2), np.full(count, -np.pi / 2)])
    qd = np.concatenate([np.full(count + 1, -1.0), np.full(count, 1.0)])
    return arm, q, qd


def bricard():
    """A04: five rods of 1 m and 1 kg and the ground, six revolute joints, each across both of its rods."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    ahead = np.diff(points, axis=0)
    axes = [np.cross(ahead[i - 1] if i else (0, 0, -1), ahead[i]) for i in range(5)]
    links = [rod("rod1", None, points[0], axes[0], direction=ahead[0])]
    links += [rod(f"rod{i + 1}", f"rod{i}", ahead[i - 1], axes[i], direction=ahead[i]) for i in range(1, 5)]
    last = np.cross(ahead[4], (0, 0, -1))
    frame = (np.array([0.0, 1.0, 0.0]), np.cross(last, (0.0, 1.0, 0.0)), last)
    loops = [ls.Loop((None, at(points[5], frame)), ("rod5", at(ahead[4], frame)), "revolute")]
    return ls.Arm("bricard", links, gravity=(0, -9.81, 0), loops=loops), np.zeros(5), np.zeros(5)


def slider_crank(crank=0.3, rod_length=0.9):
    """A crank, a connecting rod and a slider along x, closed by a revolute joint."""
    slide = ls.Joint("prismatic", axis=(1, 0, 0), actuated=False)
    slider = ls.Link("slider", joint=slide, mass=1.5)
    links = [rod("crank", None, (0, 0, 0), length=crank), rod("rod", "crank", (crank, 0, 0), length=rod_length), slider]
    loops = [ls.Loop(("rod", (rod_length, 0, 0)), ("slider", (0, 0, 0)), "revolute")]
    arm = ls.Arm("slider-crank", links, gravity=(0, -9.81, 0), loops=loops)
    return arm, ls.assemble(arm, [1.1, -1.4, 1.0], fixed="crank").q, np.zeros(3)


def four_bar(crank=0.3, coupler=0.8, rocker=0.6, ground=0.9):
    """A crank-rocker."""
    links = [
        rod("crank", None, (0, 0, 0), length=crank),
        rod("coupler", "crank", (crank, 0, 0), length=coupler),
        rod("rocker", None, (ground, 0, 0), length=rocker),
    ]
    loops = [ls.Loop(("coupler", (coupler, 0, 0)), ("rocker", (rocker, 0, 0)), "revolute")]
    arm = ls.Arm("four-bar", links, gravity=(0, -9.81, 0), loops=loops)
    return arm, ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q, np.zeros(3)


def measured(arm, q, qd, until=10.0, **options):
    """One line: energy error, closure error, evaluations, time, status."""
    ls.simulate(arm, q, qd, until=1e-3, singular="pass", on_failure="return")  # compiled, and ready
    begin = time.process_time()
    run = ls.simulate(arm, q, qd, until=until, singular="pass", on_failure="return", **options)
    spent = time.process_time() - begin
    energy = np.abs(run.energy - run.energy[0]).max()
    print(
        f"{arm.name:14} {arm.dof:4d} {energy:10.2g} {np.nanmax(run.closure_error):10.2g} {run.report.evaluations:8d} "
        f"{spent:8.2f}   {run.status}"
    )
    opened = float(np.nanmax(run.closure_error))
    return [arm.name, arm.dof, float(energy), opened, run.report.evaluations, spent, run.status]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", nargs="?", type=int, default=40, metavar="N", help="of the N-four-bar mechanism")
    results.add_option(parser)
    chosen = parser.parse_args()
    print(f"{'mechanism':14} {'dof':>4} {'energy J':>10} {'closure m':>10} {'evals':>8} {'CPU s':>8}   status")
    found = [
        measured(*made) for made in (four_bar(), slider_crank(), bricard(), n_four_bar(2), n_four_bar(chosen.size))
    ]
    if chosen.save:
        results.save("loops", WHAT, [results.Table("Mechanisms", COLUMNS, found)])
