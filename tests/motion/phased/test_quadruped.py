"""A trot of Solo12, a quadruped of the test extra, by the same contacts."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest

import lissom as ls

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
FEET = ("FL", "FR", "HL", "HR")
SPEED, STAND, SWING = 0.3, 0.06, 0.18


def solo():
    """Return Solo12 on a base of six coordinates without motors."""
    file = ROBOTS / "solo_description" / "robots" / "solo12.urdf"
    if not file.exists():
        pytest.skip("needs example-robot-data")
    fixed, carriers, parent = ls.load(file), [], None
    for name, kind, axis in (
        ("x", "prismatic", (1, 0, 0)), ("y", "prismatic", (0, 1, 0)), ("z", "prismatic", (0, 0, 1)),
        ("yaw", "revolute", (0, 0, 1)), ("roll", "revolute", (1, 0, 0)), ("pitch", "revolute", (0, 1, 0)),
    ):  # fmt: skip
        carriers.append(ls.Link(f"base_{name}", parent, ls.Joint(kind, axis=axis, name=name, actuated=False)))
        parent = f"base_{name}"
    limits = ls.Limits(position=(-2.6, 2.6), torque=2.7)
    links = [*carriers, fixed.links[0].replace(parent=parent)]
    for link in fixed.links[1:]:
        links.append(link.replace(joint=link.joint.replace(limits=limits)) if link.joint.moves else link)
    return ls.Arm("solo12", links, contacts=[ls.Contact(foot, f"{foot}_FOOT", friction=0.7) for foot in FEET])


def guess(arm, rows=25):
    """Return waypoints of a trot: all legs bent, two of them lifted at a time."""
    s, names = np.linspace(0, 1, rows), list(arm.coordinates)
    q = np.zeros((rows, arm.dof))
    q[:, names.index("x")] = SPEED * 2 * (STAND + SWING) * s
    q[:, names.index("z")] = 0.24
    for foot in FEET:
        begin = 0.125 if foot in ("FR", "HL") else 0.625
        lifted = np.sin(np.pi * np.clip((s - begin) / 0.375, 0, 1)) ** 2
        q[:, names.index(f"{foot}_HFE")], q[:, names.index(f"{foot}_KFE")] = 0.72, -1.44 - 0.3 * lifted
    return q


@pytest.mark.slow
def test_a_quadruped_trots():
    arm = solo()
    phases = [
        ls.Phase("stand", FEET, STAND, 3), ls.Phase("first", ["FL", "HR"], SWING, 6),
        ls.Phase("again", FEET, STAND, 3), ls.Phase("second", ["FR", "HL"], SWING, 6),
    ]  # fmt: skip
    cost = {"effort_normalised": 1, "torque_rate_normalised": 1e-4, "contact_force_rate": 1e-3, "acceleration": 1e-5,
            "base_rotation": 0.1}  # fmt: skip
    motion = ls.predict_motion(
        arm, phases=phases, periodic=True, travel=ls.Travel("x", speed=SPEED), swing_height=0.03, minimise=cost,
        guess=guess(arm),
    )  # fmt: skip
    assert motion.ok
    found = motion.verify()
    assert found.root_residual < 1e-3
    assert max(found.slip, found.penetration) < 1e-3
    assert np.abs(found.defects).max() < 1e-3  # two points cannot balance six coordinates between the samples
    moved = motion.q[-1] - motion.q[0]
    assert np.allclose(moved, np.eye(arm.dof)[0] * SPEED * motion.duration, atol=1e-6)
    assert motion.contacts.forces[:, :, 2].min() > -0.02 * arm.mass * 9.81
