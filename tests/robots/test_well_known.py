"""Well-known robots by name, against the manufacturers' and others' descriptions of them."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.spatial.frames import inverse

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
# our name: file, frame that the base is, frame at the tip, and our name of it
DESCRIBED = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link0", "panda_link8", "flange"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_base", "link7", "link7"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "base", "tool0", "wrist_3"),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", "base", "tool0", "wrist_3"),
}


def described(name):
    """The arm as example-robot-data describes it."""
    file = ROBOTS / DESCRIBED[name][0]
    if not file.exists():
        pytest.skip("example-robot-data is not installed")
    return ls.load(file)


def states(arm, count=4):
    """Random positions within the limits."""
    lower, upper = arm.bounds("position")
    return np.random.default_rng(7).uniform(np.maximum(lower, -np.pi), np.minimum(upper, np.pi), (count, arm.dof))


def matching(arm, other, q):
    """The state of the described arm; what it has besides, its fingers, is at home."""
    out = np.broadcast_to(other.home, (*q.shape[:-1], other.dof)).copy()
    out[..., : arm.dof] = q
    return out


@pytest.mark.parametrize("name", DESCRIBED)
def test_kinematics_are_those_of_the_description(name):
    """The xArm's description rounds right angles to 1.5708: some micrometres at its flange; the others none."""
    _, base, tip, ours = DESCRIBED[name]
    arm, other = ls.load(name), described(name)
    q = states(arm)
    Q = matching(arm, other, q)
    expected = inverse(ls.pose(other, Q[0], base)) @ ls.pose(other, Q, tip)
    assert np.abs(ls.pose(arm, q, ours) - expected).max() < (3e-5 if name == "xarm7" else 1e-9)


@pytest.mark.parametrize("name", ["panda", "xarm7"])
def test_bodies_are_those_of_the_description(name):
    arm, other = ls.load(name), described(name)
    prefix = "panda_" if name == "panda" else ""
    for link in arm.links:
        twin = other.link(prefix + link.name)
        assert link.mass == twin.mass
        assert np.allclose(link.com, twin.com, atol=1e-15)
        assert np.allclose(link.inertia, twin.inertia, atol=1e-15)


def test_torques_of_the_xarm_are_those_of_its_description():
    arm, other = ls.load("xarm7"), described("xarm7")
    q = states(arm, 2)
    motion = (q, np.cos(q), np.sin(3 * q))
    tau, expected = ls.inverse_dynamics(arm, *motion), ls.inverse_dynamics(other, *motion)
    friction = np.array([joint.damping for joint in other.joints]) * motion[1]
    friction += np.array([joint.friction for joint in other.joints]) * np.sign(motion[1])
    assert np.abs(tau - (expected - friction)).max() < 1e-3


@pytest.mark.parametrize("name", ["ur5", "ur10"])
def test_holding_torques_of_universal_robots_are_near_those_of_older_descriptions(name):
    """Their masses differ by up to a tenth from those published by the manufacturer, centres of mass by some cm."""
    arm, other = ls.load(name), described(name)
    q = states(arm, 8)
    rest = np.zeros_like(q)
    tau, expected = ls.inverse_dynamics(arm, q, rest, rest), ls.inverse_dynamics(other, q, rest, rest)
    assert np.linalg.norm(tau - expected) < 0.15 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", ["panda", "xarm7"])
def test_limits_are_those_of_the_description(name):
    arm, other = ls.load(name), described(name)
    for quantity in ("position", "velocity", "torque"):
        for ours, theirs in zip(arm.bounds(quantity), other.bounds(quantity), strict=True):
            assert np.allclose(ours, theirs[: arm.dof], rtol=0, atol=1e-12), quantity


def test_panda_has_the_limits_of_its_interface():
    arm = ls.load("panda")
    assert arm.bounds("acceleration")[1].tolist() == [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0]
    assert arm.bounds("jerk")[1].tolist() == [7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0]
    assert arm.bounds("torque_rate")[1].tolist() == [1000.0] * 7


# Masses and centres of mass of Universal_Robots_ROS2_Description, in frames before the x screw of a DH row; ours come
# from Universal Robots' article, in DH frames
UR5E = {
    "shoulder": (3.761, (0.0, -0.00193, -0.02561)), "upper_arm": (8.058, (-0.2125, 0.0, 0.11336)),
    "forearm": (2.846, (-0.2422, 0.0, 0.0265)), "wrist_1": (1.37, (0.0, -0.01634, -0.0018)),
    "wrist_2": (1.3, (0.0, 0.01634, -0.0018)), "wrist_3": (0.365, (0.0, 0.0, -0.001159)),
}  # fmt: skip
UR10 = {
    "shoulder": (7.1, (0.021, -0.027, 0.0)), "upper_arm": (12.7, (-0.232, 0.0, 0.158)),
    "forearm": (4.27, (-0.3323, 0.0, 0.068)), "wrist_1": (2.0, (0.0, -0.018, 0.007)),
    "wrist_2": (2.0, (0.0, 0.018, -0.007)), "wrist_3": (0.365, (0.0, 0.0, -0.026)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "table"), [("ur5e", UR5E), ("ur10", UR10)])
def test_masses_of_both_documents_of_universal_robots_agree(name, table):
    for link in ls.load(name).links:
        mass, com = table[link.name]
        assert link.mass == mass
        assert np.allclose(link.frame[:3, :3] @ link.com + link.frame[:3, 3], com, atol=1e-9), link.name


def test_reach_of_the_ur5e_and_of_the_kinova():
    """Stretched: 0.817 m from shoulder to wrist 1 (UR5e), 1.187 m from foot to flange (Gen3), as the tables add up."""
    ur = ls.load("ur5e")
    X = ls.poses(ur, np.zeros(6))
    assert np.linalg.norm(X[2, :2, 3] - X[0, :2, 3]) == pytest.approx(0.425 + 0.3922)
    kinova = ls.load("kinova_gen3")
    height = ls.pose(kinova, kinova.home, "end_effector")[2, 3]
    assert height == pytest.approx(0.15643 + 0.12838 + 2 * 0.21038 + 0.20843 + 2 * 0.10593 + 0.061525, abs=1e-9)


@pytest.mark.parametrize("name", ["panda", "ur5", "ur5e", "ur10", "xarm7", "kinova_gen3", "puma560"])
def test_the_motors_hold_the_arm_where_it_is_shown(name):
    arm = ls.load(name)
    q = arm.ready
    lower, upper = arm.bounds("position")
    assert (lower < q).all()
    assert (q < upper).all()
    tau = ls.inverse_dynamics(arm, q, np.zeros(arm.dof), np.zeros(arm.dof))
    assert (np.abs(tau) < 0.6 * arm.bounds("torque")[1]).all()
