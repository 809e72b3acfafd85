"""Write examples/ur5e-log.csv, a log for `lissom identify`: ``python -m tools.example_log``.

A simulated UR5e stands for a machine: it has friction, drive inertia and other masses than the shipped model; its
torques are measured with noise that is not white. The motion is one period of a Fourier series, ten seconds long.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import lissom as ls
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

FILE = Path(__file__).parents[1] / "examples" / "ur5e-log.csv"
RATE, PERIOD = 100.0, 10.0  # Hz, s
MIDDLE = (0.0, -1.2, 0.8, -0.6, 0.5, 0.0)  # rad
NOISE = (0.05, 0.1, 0.06, 0.01, 0.01, 0.01)  # N m


def machine() -> Arm:
    """Return the arm that the log is of."""
    arm = ls.load("ur5e")
    for k, joint in enumerate(arm.joints):
        arm = arm.with_joint(joint.name, armature=0.3, damping=4.0 / (k + 1), friction=3.0 / (k + 1))
    return arm.with_link("forearm", mass=2.9).with_link("upper_arm", mass=7.2)


def motion(t: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return positions, rates and accelerations (nt, 6) of a random Fourier series at times (nt, 1)."""
    q, qd, qdd = np.array(MIDDLE) + 0 * t, 0 * t, 0 * t
    for k in range(1, 9):
        w, a, p = 2 * np.pi * k / PERIOD, rng.normal(size=6) * 0.4 / k, rng.uniform(0, 6, 6)
        q, qd, qdd = q + a * np.sin(w * t + p), qd + a * w * np.cos(w * t + p), qdd - a * w**2 * np.sin(w * t + p)
    return q, qd, qdd


def main(file: Path = FILE) -> None:
    rng, arm = np.random.default_rng(0), machine()
    t = np.arange(0.0, PERIOD, 1 / RATE)[:, None]
    q, qd, qdd = motion(t, rng)
    noise = lfilter([1], [1, -0.9], rng.normal(size=q.shape), axis=0) * NOISE
    tau = ls.inverse_dynamics(arm, q, qd, qdd) + noise
    names = [joint.name for joint in arm.joints]
    head = ["t", *(f"q[{name}]" for name in names), *(f"tau[{name}]" for name in names)]
    form = ["%.2f", *["%.5f"] * len(names), *["%.3f"] * len(names)]
    table = np.hstack([t, q + 1e-5 * rng.normal(size=q.shape), tau])
    np.savetxt(file, table, fmt=form, delimiter=",", header=",".join(head), comments="")


if __name__ == "__main__":
    main()
