"""The shortest time of a Panda as a program of CasADi's Opti: lissom's compiled function beside expressions.

    python benchmarks/opti.py [--segments 20] [--rounds 3]

Positions are cubic splines with knots that are equally spaced; velocities and accelerations are limited at the knots,
torques there and halfway between. The program is the same for both functions, `expand=False` and `expand=True`, and
so is its solver, IPOPT. The time to build has everything from the arm to the solver's first step but the files of
casadi and lissom; code that was compiled in earlier runs is loaded, as it is for users.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import BSpline

import lissom as ls

START, GOAL = [0.0, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8], [1.2, 0.3, -0.6, -1.2, 0.5, 2.2, -0.4]
ACCELERATION = np.array([15, 7.5, 10, 12.5, 15, 20, 20.0])  # rad/s^2, of the manufacturer
BUILD = 1.0  # seconds, at most
SAME = 1e-6  # of the time


def program(arm: ls.Arm, segments: int, expand: bool) -> tuple[ca.Opti, Any]:
    """The program, ready to be solved, and the variable of its time."""
    knots = np.r_[[0.0] * 3, np.linspace(0, 1, segments + 1), [1.0] * 3]
    s = np.linspace(0, 1, 2 * segments + 1)
    basis = BSpline(knots, np.eye(segments + 3), 3)
    opti = ca.Opti()
    points, T = opti.variable(arm.dof, segments + 3), opti.variable()
    q, v, a = (points @ basis(s, order).T for order in range(3))
    torque, speed = (arm.bounds(kind)[1] for kind in ("torque", "velocity"))
    tau = ls.casadi_function(arm, "inverse_dynamics", samples=s.size, expand=expand)(q, v / T, a / T**2)
    for found, most in ((tau, torque), (v / T, speed), (a / T**2, ACCELERATION)):
        opti.subject_to(opti.bounded(-1, ca.vec(ca.diag(1 / most) @ found), 1))
    for k in (0, 1):
        opti.subject_to(points[:, k] == START)
        opti.subject_to(points[:, -1 - k] == GOAL)
    opti.subject_to(T >= 0.1)
    opti.set_initial(points, np.linspace(START, GOAL, segments + 3).T)
    opti.set_initial(T, 1.5)
    opti.minimize(T)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9})
    return opti, T


def first_step(opti: ca.Opti) -> None:
    """Have the solver made, with all derivatives, and evaluated once."""
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9, "max_iter": 1})
    with contextlib.suppress(RuntimeError):  # it does not converge in one step
        opti.solve()
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9})


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--segments", type=int, default=20)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    found: dict[bool, list[tuple[float, float, float]]] = {False: [], True: []}
    for _ in range(given.rounds):
        for expand, rows in found.items():
            arm = ls.load("panda")  # a new one, for which nothing was made yet
            before = time.process_time()
            opti, T = program(arm, given.segments, expand)
            first_step(opti)
            built = time.process_time()
            seconds = opti.solve().value(T)
            rows.append((seconds, built - before, time.process_time() - built))
    for expand, rows in found.items():
        seconds, built, solved = np.min(rows, axis=0)
        name = "expression" if expand else "compiled"
        print(f"{name:10} shortest time {seconds:.6f} s; built in {built:.2f} s, solved in {solved:.2f} s of CPU time")
    ours, theirs = (min(rows)[0] for rows in found.values())
    return int(abs(ours - theirs) > SAME * theirs or min(row[1] for row in found[False]) > BUILD)


if __name__ == "__main__":
    sys.exit(main())
