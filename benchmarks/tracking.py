"""Tips that follow a path: how far they are off, how long planning takes, and what is left when the model is wrong.

    python benchmarks/tracking.py [--quick] [--save]

- the flexible two-link arm, 0.43 m in 2 s, undamped and damped: torques replayed without feedback (DOP853, rtol 1e-11);
- the same with a payload ten percent off: without feedback, with PD control of the joints, with feedback of the whole
  state; planned with two modes per link, replayed on four;
- a spatial arm of 13 coordinates with two flexible links and gravity;
- one link: torque beside that of the exact beam, which has no modes (inverse in the frequency domain, Bayo 1987);
- a UR10 whose forearm bends, a straight line of 0.4 m in 1 s, where the robot is found (it is not shipped).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import results
from numpy.polynomial import Polynomial

import lissom as ls
from lissom.motion.result.replay import open_loop, rest_of, tracked
from lissom.simulation.controllers.planned import planned_torques

UR10_SIDE = """lissom_flexible = 1
source = "a forearm as soft as a slim tube, chosen so that the lowest frequency with locked joints is about 10 Hz"

[[links]]
name = "forearm_link"
hub = "rest"

[links.beam]
EI = 1150.0
GJ = 900.0
mass_per_length = 3.0
gyration = [0.03, 0.03]
modes = { bending_z = 2, bending_y = 2 }
damping = 0.01
"""
UR10_START = [0.0, -1.2, 1.6, -0.4, 1.57, 0.0]


def smooth(flat: int) -> Polynomial:
    """From 0 to 1 on [0, 1], with so many derivatives that vanish at both ends."""
    rate = Polynomial([0, 1]) ** flat * Polynomial([1, -1]) ** flat
    whole = rate.integ()
    return whole / whole(1.0)


def line(begin: Any, by: Any, duration: float, flat: int = 6) -> Callable[[float], Any]:
    """A straight line from rest to rest."""
    s, begin, by = smooth(flat), np.asarray(begin), np.asarray(by)
    return lambda t: begin + by * s(min(max(t / duration, 0.0), 1.0))


# ---- arms ----------------------------------------------------------------------------------------------


def two_link(damping: float, modes: int = 2) -> ls.Arm:
    """The flexible two-link arm with so many modes per link."""
    arm = ls.load("two_link_flexible")
    for link in arm.links:
        arm = arm.with_link(link.name, beam=link.beam.replace(damping=damping, modes=ls.Modes(modes)))
    return arm


def two_link_motion(arm: ls.Arm, **options: Any) -> ls.Motion:
    """Its tip moves by 0.43 m in 2 s."""
    begin = ls.pose(arm, arm.expanded(np.array([0.2, 1.2])), "link2.tip")[:2, 3]
    return ls.track_motion(arm, line(begin, [-0.35, 0.25], 2.0), "link2.tip", "xy", 2.0, start=[0.2, 1.2], **options)


def spatial(damping: float) -> ls.Arm:
    """Yaw, shoulder and elbow; both links bend in two planes and twist; 0.5 kg at the tip."""

    def beam(length: float) -> ls.Beam:
        return ls.Beam(length, 1.2, EI=(60.0, 60.0), GJ=45.0, gyration=(0.02, 0.02), damping=damping,
                       modes=ls.Modes(bending_y=2, bending_z=2, torsion=1))  # fmt: skip

    up = np.eye(4)
    up[2, 3] = 0.3
    return ls.Arm("spatial", [
        ls.Link("column", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=3.0, com=(0, 0, 0.1), inertia=[0.02] * 3),
        ls.Link("upper", "column", ls.Joint("revolute", up, axis=(0, -1, 0)), mass=0.5, inertia=[0.01] * 3,
                beam=beam(0.6)),
        ls.Link("fore", "upper", ls.Joint("revolute", axis=(0, -1, 0)), mass=0.8, inertia=[0.005] * 3, beam=beam(0.5),
                payload=ls.Payload(0.5)),
    ], gravity=(0, 0, -9.81))  # fmt: skip


def spatial_motion(arm: ls.Arm) -> ls.Motion:
    """Its tip moves by 0.55 m in 1.5 s."""
    start = [0.0, 0.5, -0.8]
    begin = ls.pose(arm, ls.equilibrium(arm, start).q, "fore.tip")[:3, 3]
    return ls.track_motion(arm, line(begin, [-0.25, 0.45, 0.2], 1.5), "fore.tip", "xyz", 1.5, start=start)


def ur10(folder: Path, flexible: bool = True) -> ls.Arm | None:
    """The robot with a flexible forearm; None where it is not installed."""
    found = find_spec("cmeel")
    if found is None or found.origin is None:
        return None
    robots = Path(found.origin).parents[1] / "cmeel.prefix/share/example-robot-data/robots"
    path = robots / "ur_description/urdf/ur10_joint_limited_robot.urdf"
    if not path.exists():
        return None
    side = folder / "ur10.toml"
    side.write_text(UR10_SIDE, encoding="utf-8")
    return ls.load(path, flexible=side) if flexible else ls.load(path)


def ur10_motion(arm: ls.Arm, begin: Any) -> ls.Motion:
    """Its tool moves on a straight line of 0.4 m in 1 s; wrists move as they need for the least accelerations."""
    return ls.track_motion(arm, line(begin, [0.0, 0.4, 0.0], 1.0, 5), "tool0", "xyz", 1.0, start=UR10_START)


# ---- simulations ---------------------------------------------------------------------------------------


def off(motion: ls.Motion, run: ls.Run) -> float:
    """The largest distance of the frame from its path in a run [m]."""
    return float(np.linalg.norm(motion.path_error(run), axis=1).max())


def replayed(motion: ls.Motion, arm: ls.Arm | None = None, tau: Any = None) -> float:
    """How far the frame is off, simulated with the torques alone, or with a controller, on this arm or on another."""
    if tau is None:
        return off(motion, open_loop(motion, arm))
    q0 = motion.q[0] if arm is None else rest_of(arm, motion.q[0][motion.arm.joint_index], [])
    return off(motion, ls.simulate(arm or motion.arm, q0, tau=tau, until=motion.duration, method="rk8", dt=1e-4))


def replayed_precisely(motion: ls.Motion) -> float:
    """The same with the torques alone, by adaptive steps."""
    return off(motion, ls.simulate(motion.arm, motion.q[0], tau=planned_torques(motion), until=motion.duration,
                                   method="dop853", rtol=1e-11, atol=1e-13, every=2e-3))  # fmt: skip


def timed(make: Callable[[], ls.Motion]) -> tuple[ls.Motion, float]:
    """A motion, and the CPU seconds of planning it the second time."""
    make()
    began = time.process_time()
    return make(), time.process_time() - began


def whole_state(motion: ls.Motion) -> ls.Follow:
    """The motion with feedback of the whole state, gains of the middle pose."""
    arm, n, joints = motion.arm, motion.arm.dof, motion.arm.joint_index
    middle = ls.equilibrium(arm, motion.at(motion.duration / 2)[0]).q
    J, own = ls.jacobian(arm, middle, motion.tracked.frame)[:2], np.eye(n)[joints]
    Q = np.zeros((2 * n, 2 * n))
    Q[:n, :n] = 100 * J.T @ J + 0.1 * own.T @ own
    Q[n:, n:] = 5 * J.T @ J + 0.1 * own.T @ own
    return ls.Follow(motion, K=ls.linearise(arm, middle).lqr(Q, np.array([2.0, 8.0]) / 1000))


# ---- the exact beam ------------------------------------------------------------------------------------

LENGTH, DENSITY, EI, HUB, CARRIED = 0.5, 0.2, 1.0, 0.1, 0.1


def beam_ratio(w: float) -> float:
    """Torque over tip acceleration of a beam with a hub and a tip mass, at an angular frequency."""
    b = np.sqrt(w) * (DENSITY / EI) ** 0.25

    def row(x: float, d: int) -> Any:
        turn = d * np.pi / 2
        return np.array([b**d * np.exp(b * (x - LENGTH)), (-b) ** d * np.exp(-b * x),
                         b**d * np.cos(b * x + turn), b**d * np.sin(b * x + turn)])  # fmt: skip

    A = np.array([row(0, 0), row(LENGTH, 2), EI * row(LENGTH, 3) + CARRIED * w**2 * row(LENGTH, 0), row(LENGTH, 0)])
    c = np.linalg.solve(A, [0, 0, 0, 1.0])
    return float((-(w**2) * HUB * (row(0, 1) @ c) - EI * (row(0, 2) @ c)) / -(w**2))


def beam_torque(duration: float, amplitude: float, N: int = 4096, pad: float = 0.8) -> tuple[Any, Any]:
    """Times and torques of the exact beam whose tip moves from -amplitude to amplitude."""
    t = -pad + (duration + 2 * pad) * np.arange(N) / N
    w = 2 * np.pi * np.fft.rfftfreq(N, t[1] - t[0])
    inside = (t > 0) & (t < duration)
    acceleration = 2 * amplitude * smooth(6).deriv(2)(t / duration) / duration**2 * inside
    H = np.zeros(len(w))
    H[0] = (HUB + DENSITY * LENGTH**3 / 3 + CARRIED * LENGTH**2) / LENGTH
    some = (w > 0) & (w < 2e4)
    H[some] = [beam_ratio(x) for x in w[some]]
    return t, np.fft.irfft(np.fft.rfft(acceleration) * H, N)


def beam_difference(modes: int, segments: int) -> float:
    """Difference of the torque from that of the exact beam, as a part of its peak."""
    duration, amplitude, wait = 0.4, 1e-3, 0.15
    beam = ls.Beam(LENGTH, DENSITY, EI=EI, modes=ls.Modes(modes))
    link = ls.Link("l", joint=ls.Joint("revolute"), inertia=HUB, beam=beam, payload=ls.Payload(CARRIED))
    arm = ls.Arm("one", [link], gravity=(0, 0, 0))
    path = line([-amplitude], [2 * amplitude], duration)
    motion = ls.track_motion(arm, path, "l.tip", "y", duration, wait, wait, segments)
    t, exact = beam_torque(duration, amplitude)
    inside = (t > -wait) & (t < duration + wait)
    found = motion.torques(t[inside] + wait)[:, 0]
    return float(np.abs(found - exact[inside]).max() / np.abs(exact).max())


# ---- the table -----------------------------------------------------------------------------------------


class Rows:
    """Rows of the table, printed as they come."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self.good = True

    def add(self, what: str, found: float, bar: float | None, unit: str) -> None:
        met = bar is None or found <= bar
        self.good &= met
        print(f"{what:78} {found:9.2e} {unit:6} {'' if bar is None else f'bar {bar:.2g}'} {'' if met else 'NOT MET'}",
              flush=True)  # fmt: skip
        self.rows.append([what, found, "" if bar is None else bar, unit])


def two_link_rows(rows: Rows, quick: bool) -> None:
    for damping in (0.0, 0.01):
        arm = two_link(damping)
        motion, seconds = timed(lambda arm=arm: two_link_motion(arm))
        name = f"two links, damping {damping:g}"
        rows.add(f"{name}: tip off the path, torques replayed alone", replayed_precisely(motion), 1e-7, "m")
        rows.add(f"{name}: planning", seconds, 0.5, "CPU s")
    if quick:
        return
    load = arm.links[1].payload
    for part in (0.9, 1.1):
        other = arm.with_payload(ls.Payload(part * load.mass, inertia=part * load.inertia))
        name = f"payload {100 * (part - 1):+.0f} %"
        rows.add(f"{name}: torques alone", replayed(motion, other), 1e-2, "m")
        joint = ls.Follow(motion, kp=2.0, kd=0.4)
        rows.add(f"{name}: Follow, joints, kp 2, kd 0.4", replayed(motion, other, joint), 5e-3, "m")
        rows.add(f"{name}: Follow, whole state", replayed(motion, other, whole_state(motion)), 1.5e-3, "m")
    rows.add("planned with 2 + 2 modes, replayed on 4 + 4", replayed(motion, two_link(0.01, 4)), 1e-5, "m")


def spatial_rows(rows: Rows) -> None:
    for damping in (0.0, 0.01):
        arm = spatial(damping)
        motion, seconds = timed(lambda arm=arm: spatial_motion(arm))
        name = f"spatial, 13 coordinates, gravity, damping {damping:g}"
        rows.add(f"{name}: tip off the path, torques replayed alone", replayed(motion), 5e-7, "m")
        rows.add(f"{name}: planning", seconds, 2.0, "CPU s")


def ur10_rows(rows: Rows, folder: Path) -> None:
    arm, rigid = ur10(folder), ur10(folder, flexible=False)
    if arm is None or rigid is None:
        print("UR10: not installed (example-robot-data); left out")
        return
    q0 = ls.equilibrium(arm, UR10_START).q
    begin = ls.pose(arm, q0, "tool0")[:3, 3]
    rows.add("UR10, flexible forearm: lowest frequency", ls.modes(arm, q0, "locked").frequencies_hz[0], None, "Hz")
    motion, seconds = timed(lambda: ur10_motion(arm, begin))
    rows.add("UR10, line of 0.4 m in 1 s: tool off the path, torques replayed alone", replayed(motion), 1e-4,
             "m")  # fmt: skip
    rows.add("UR10: planning", seconds, None, "CPU s")
    plan = ur10_motion(rigid, begin)
    rows.add("UR10: rigid plan, joints held on it exactly", off(motion, _late(tracked(plan, arm), motion)), None, "m")
    rows.add("UR10: rigid plan, its torques alone", off(motion, _late(open_loop(plan, arm), motion)), None, "m")


def _late(run: ls.Run, motion: ls.Motion) -> ls.Run:
    """A run of a plan that begins with the path, at the times of a motion that begins before it."""
    import dataclasses

    return dataclasses.replace(run, t=run.t + motion.shift)


WHAT = (
    "Motions of `track_motion`, their torques replayed without feedback in an independent simulation of the whole arm; "
    "distances are the largest of the tip from its path."
)


def main(quick: bool, save: bool) -> int:
    import tempfile

    rows = Rows()
    two_link_rows(rows, quick)
    spatial_rows(rows)
    rows.add("one link, 3 modes, 100 segments: torque beside the exact beam", beam_difference(3, 100), 5e-5, "of peak")
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            ur10_rows(rows, Path(folder))
    print("all met" if rows.good else "NOT ALL MET")
    if save:
        results.save("tracking", WHAT, [results.Table("Following a path", ["what", "found", "bar", "unit"], rows.rows)])
    return 0 if rows.good else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out payloads, other numbers of modes and the UR10")
    results.add_option(parser)
    given = parser.parse_args()
    sys.exit(main(given.quick, given.save))
