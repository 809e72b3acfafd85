"""The KUKA KR300 whose logs, encoders and torques were published by Weigand (MIT licence), where its data are at hand.

Geometry, masses of CAD and the hydraulic counterbalance are those of the publication's repository
(JonasWeigand/Robot_Identification).
"""

from pathlib import Path

import numpy as np
import pytest

import lissom as ls

# d, a, alpha, theta, mass, com (3), Ixx, Iyy, Izz, Ixy, Iyz, Ixz about the centre of mass
ROWS = (
    (-0.675, 0.35, np.pi / 2, 0, 395.4, (-0.353, 0.174, -0.004),
     (16.733765, 29.799119, 32.814954, -1.703664, 0.129384, 4.404062)),
    (-0.189, 1.15, 0, 0, 339.12, (-0.709, -0.001, 0.023),
     (7.507819, 88.886691, 88.673761, 0.430046, 0.173157, -4.396607)),
    (0.189, 0.041, -np.pi / 2, np.pi / 2, 105.21, (-0.018, -0.018, -0.076),
     (10.783798, 10.186135, 1.943179, 0.118474, -0.606384, -0.10195)),
    (-1.0, 0, np.pi / 2, 0, 35.8, (0, 0.236, 0.001), (0.425035, 0.217993, 0.428465, -4e-6, -0.011353, -2.7e-5)),
    (0, 0, -np.pi / 2, 0, 31.46, (0, -0.08, -0.009), (0.283826, 0.229562, 0.258266, -4e-6, -0.019521, -1.2e-4)),
    (-0.24, 0, np.pi, 0, 167.78, (0, 0, (150 * 0.1 - 17.78 * 0.05) / 167.78), (1, 1, 0.5, 0, 0, 0)),
)  # fmt: skip
ROTORS = (0.00923, 0.0118, 0.0118, 0.00173, 0.00173, 0.00173)
GEARS = np.array([1798 / 7, 1872 / 7, 757 / 3, 221, 5032 / 21, 206793 / 1340])
ZEROS = np.array([0, -np.pi / 2, np.pi / 2, 0, 0, 0])
FRICTION = ("viscous", "coulomb", "offset", "degressive")


def _row(k):
    d, a, alpha, theta, mass, com, (xx, yy, zz, xy, yz, xz) = ROWS[k]
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return ls.DH(a=a, d=d, alpha=alpha, theta=theta, mass=mass, com=com, inertia=inertia,
                 gear_ratio=GEARS[k], rotor_inertia=ROTORS[k])  # fmt: skip


def arm():
    """The arm as CAD has it, without friction."""
    rows = [_row(k) for k in range(6)]
    return ls.Arm.from_dh(rows, convention="standard", base=np.diag([1.0, -1, -1, 1]), name="kr300")


def counterbalance(q, qd, qdd):
    """Torque of the hydraulic counterbalance on axis 2 as CAD has it."""
    D, k, area = 0.8, 0.2, np.pi * (0.055**2 - 0.03**2) / 4
    angle, rest = q[:, 1] + np.radians(95), D - k
    stretch = np.sqrt(D * D + k * k - 2 * D * k * np.cos(angle)) - rest
    lever = np.sin(angle) * D * k / (stretch + rest)
    out = np.zeros_like(q)
    out[:, 1] = lever * (1.01 * 296.8 * 328 * 0.159) / (0.00096 - stretch * area) * area
    return out


def logs():
    """Logs A, B and C; the test is skipped where there are none."""
    folder = next((p / "shared" / "data" for p in Path(__file__).parents if (p / "shared" / "data").is_dir()), None)
    if folder is None or not (folder / "kr300_weigand_A.csv").exists():
        pytest.skip("the logs of the KR300 are not at hand")
    scale, shift = {"tau": GEARS}, {"q": ZEROS, "second": ZEROS}
    return {k: ls.load_log(folder / f"kr300_weigand_{k}.csv", arm(), scale=scale, shift=shift) for k in "ABC"}
