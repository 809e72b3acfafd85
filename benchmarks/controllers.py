"""Zeros, joint inversion, actuators with lag, output feedback and input shapers: figures beside what is promised.

    python benchmarks/controllers.py [--save]

- zeros of joint outputs beside the frequencies with locked joints, and of the tip beside those of the exact beam;
- `JointInversion` on four arms whose links and joints bend: errors, and the time of a simulation beside that with `PD`;
- the two-link arm behind a lag of 10 ms, with and without `Motion.command`;
- output feedback from encoders and strain gauges beside feedback of the true state;
- widths of the bands in which input shapers leave at most 5 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import results
from scipy.interpolate import make_interp_spline
from tracking import Rows, off, smooth, spatial, two_link, two_link_motion

import lissom as ls
from lissom.simulation.controllers.planned import planned_torques

TIGHT: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13, "every": 0.01}
KP, KD = 100.0, 20.0  # both poles at -10
OFF = 0.05  # rad, at the start
LAG = 0.01
REPEATED = 6


class Case(NamedTuple):
    """An arm, and where its joints go in some time."""

    name: str
    arm: ls.Arm
    start: Any
    goal: Any
    duration: float


def elastic() -> ls.Arm:
    """Yaw, shoulder and elbow with springs; the forearm bends in two planes and twists; 0.5 kg; gravity."""
    arm = spatial(0.01)
    rigid = {"beam": None, "mass": 0.72, "com": (0.3, 0, 0), "inertia": (1e-3, 0.0216, 0.0216)}
    arm = arm.with_link("upper", **rigid)
    reach = np.eye(4)
    reach[0, 3] = 0.6
    arm = arm.with_joint("fore", placement=reach)
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, elastic=ls.JointElasticity(2000.0, damping=1.0), armature=0.3)
    return arm


def cases() -> list[Case]:
    """The four arms, two in a plane and two in space."""
    planar, space = ([0.0, 0.0], [0.8, 0.8], 2.0), ([0.0, 0.5, -0.8], [0.7, 0.9, -1.2], 1.5)
    return [
        Case("two links, damping 0.01", two_link(0.01), *planar),
        Case("two links, undamped", two_link(0.0), *planar),
        Case("spatial, two flexible links", spatial(0.01), *space),
        Case("spatial, elastic joints", elastic(), *space),
    ]


# ---- joint inversion -----------------------------------------------------------------------------------


def course(case: Case) -> Callable[[float], tuple[Any, Any, Any]]:
    """Positions, rates and accelerations from the start to the goal."""
    s, T = smooth(4), case.duration
    start, by = np.asarray(case.start), np.subtract(case.goal, case.start)

    def at(t: float) -> tuple[Any, Any, Any]:
        x, moves = min(max(t / T, 0.0), 1.0), 0 < t < T
        return start + by * s(x), by * s.deriv(1)(x) / T * moves, by * s.deriv(2)(x) / T**2 * moves

    return at


def joint_errors(case: Case) -> tuple[float, float]:
    """Largest error on the course, and difference from its promised decay from a start that is off [rad]."""
    at, arm = course(case), case.arm
    law, q = ls.JointInversion(at, KP, KD), ls.equilibrium(arm, case.start).q
    found = []
    for begin in (0.0, OFF):
        run = ls.simulate(arm, q + begin * arm.actuated, tau=law, until=case.duration, **TIGHT)
        error = run.q[:, arm.actuated] - np.array([at(t)[0] for t in run.t])
        decay = begin * (1 + 10 * run.t) * np.exp(-10 * run.t)
        found.append(float(np.abs(error - decay[:, None]).max()))
    return found[0], found[1]


def times_of_pd(case: Case) -> float:
    """CPU time of a simulation with joint inversion, beside that with PD on the same steps; the least of some."""
    t = np.linspace(0, case.duration, 401)
    at, q = course(case), ls.equilibrium(case.arm, case.start).q
    curve = make_interp_spline(t, np.array([at(x)[0] for x in t]), 5)
    laws = {"PD": ls.PD(curve, 50.0, 5.0), "inversion": ls.JointInversion(curve, KP, KD)}
    seconds: dict[str, list[float]] = {name: [] for name in laws}
    for _ in range(REPEATED):
        for name, law in laws.items():
            began = time.process_time()
            ls.simulate(case.arm, q, tau=law, until=case.duration, method="rk4", dt=1e-4, every=0.01)
            seconds[name].append(time.process_time() - began)
    return min(seconds["inversion"]) / min(seconds["PD"])


def inversion_rows(rows: Rows) -> None:
    for case in cases():
        error, decay = joint_errors(case)
        rows.add(f"JointInversion, {case.name}: error of the joints", error, 1e-10, "rad")
        rows.add(f"JointInversion, {case.name}: decay from 0.05 rad off, beside the promised", decay, 1e-12, "rad")
        rows.add(f"JointInversion, {case.name}: time beside that of PD", times_of_pd(case), 3.0, "times")


# ---- zeros, lag, output feedback, shapers ----------------------------------------------------------------


def zeros_rows(rows: Rows) -> None:
    arm = two_link(0.0, modes=6)
    q = arm.expanded(np.array([0.1, 1.0]))
    zeros = ls.linearise(arm, q, output=ls.Encoder()).zeros
    there = zeros.imag[zeros.imag > 0] / (2 * np.pi)
    worst = np.abs(there - ls.modes(arm, q).frequencies_hz).max()
    rows.add("zeros of joint outputs beside locked modes", worst, 1e-6, "Hz")
    tip = ls.linearise(arm, q, output="link2.tip", rows="xy").zeros
    exact = np.array(
        [100.056, 115.543j, 139.531]
    )  # of the beams without modes: sinh x + sin x = J x^3 (cosh x - cos x)
    off_by = max(np.abs(tip - z).min() / abs(z) for z in exact)
    rows.add("zeros of the tip, six modes, the lowest three beside the exact beam", off_by, 2e-4, "part")


def lag_rows(rows: Rows) -> None:
    motion = two_link_motion(two_link(0.01))
    late = motion.arm
    for joint in late.joints:
        late = late.with_joint(joint.name, actuator=ls.Actuator(LAG))
    for name, tau, bar in (("with command()", motion.command(LAG), 2e-5), ("without", planned_torques(motion), None)):
        run = ls.simulate(late, motion.q[0], tau=tau, tau0=motion.tau[0], until=motion.duration, dt=2.5e-4, every=5e-3)
        rows.add(f"lag of 10 ms, {name}: tip off the path", off(motion, run), bar, "m")


def feedback_rows(rows: Rows) -> None:
    arm = two_link(0.005)
    n, q = arm.dof, arm.expanded(np.array([0.3, 0.9]))
    J, own = ls.jacobian(arm, q, "link2.tip")[:2], np.eye(n)[arm.joint_index]
    Q, R = np.zeros((2 * n, 2 * n)), np.array([2.0, 8.0])
    Q[:n, :n], Q[n:, n:] = 100 * J.T @ J + 0.1 * own.T @ own, 5 * J.T @ J + 0.1 * own.T @ own
    start, place = q + [0.08, 0.1, 0, -0.05, 0, 0], ls.pose(arm, q, "link2.tip")[:3, 3]
    gauges = [ls.StrainGauge(link, 0.02, 1e-3, noise=1e-6) for link in ("link1", "link2")]
    given: dict[str, Any] = {"every": 2e-3, "torque_noise": 2e-4, "seed": 1}
    lqg = ls.OutputFeedback.lqg(arm, q, [ls.Encoder(noise=1e-4), *gauges], Q, R, **given)
    settled = []
    for law in (ls.StateFeedback(ls.linearise(arm, q).lqr(Q, R), q), lqg):
        run = ls.simulate(arm, start, tau=law, until=6.0, every=4e-3)
        away = np.linalg.norm(run.tip - place, axis=1)
        settled.append(run.t[np.flatnonzero(away > 2e-3)[-1]])
    rows.add("LQG, encoders and strain: settling beside LQR", settled[1] / settled[0], 2.2, "times")
    rows.add("LQG, encoders and strain: tip, rms from 4 to 6 s", np.sqrt((away[run.t > 4] ** 2).mean()), 3e-4, "m")


def shaper_rows(rows: Rows) -> None:
    for make, width in ((ls.Shaper.zv, 0.063), (ls.Shaper.zvd, 0.287), (ls.Shaper.ei, 0.399)):
        rows.add(f"width of {make.__name__.upper()} beside {width}", abs(make(3.1).insensitivity() - width), 1e-3, "")


WHAT = "Figures of controllers, sensors and shapers beside closed forms and bars; errors are the largest."


def main(save: bool) -> int:
    rows = Rows()
    for part in (zeros_rows, inversion_rows, lag_rows, feedback_rows, shaper_rows):
        part(rows)
    print("all met" if rows.good else "NOT ALL MET")
    if save:
        results.save("controllers", WHAT, [results.Table("Control", ["what", "found", "bar", "unit"], rows.rows)])
    return 0 if rows.good else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_option(parser)
    sys.exit(main(parser.parse_args().save))
