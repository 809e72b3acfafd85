"""Joints of an arm locked at positions: `Arm.lock`."""

import numpy as np
import pytest

import lissom as ls
from lissom.errors import ModelError


def gripper(**finger):
    """An arm with a gripper, one finger of which follows the other."""
    body = {"mass": 0.5, "com": (0.1, 0.0, 0.02), "inertia": (0.01, 0.02, 0.015)}
    place = np.eye(4)
    place[:3, 3] = 0.3, 0.05, 0.1
    mimic = ls.Mimic("finger", 0.5, 0.01)
    slide = {"limits": ls.Limits(position=(0.0, 0.04), velocity=0.2), "damping": 0.3, **finger}
    return ls.Arm("gripper", [
        ls.Link("upper", joint=ls.Joint(axis=(0, 1, 0), name="shoulder", limits=ls.Limits(position=(-1, 2))), **body),
        ls.Link("fore", "upper", ls.Joint(placement=place, axis=(0.2, 1, 0.1), name="elbow", friction=0.2), **body),
        ls.Link("left", "fore", ls.Joint("prismatic", place, (0, 1, 0), "finger", **slide), **body),
        ls.Link("right", "fore", ls.Joint("prismatic", place, (0, -1, 0), "follower", mimic=mimic, **slide), **body,
                tools=[ls.Tool("pad")]),
    ])  # fmt: skip


def test_the_locked_arm_moves_as_the_arm_with_these_joints_held():
    arm = gripper()
    locked = arm.lock({"finger": 0.02, "elbow": -0.7})
    assert locked.coordinates == ("shoulder",)
    assert set(locked.frames) == set(arm.frames)
    q, qd, qdd = np.array([[0.4, -0.7, 0.02], [0.9, 0.0, 0.0], [-1.3, 0.0, 0.0]])
    for frame in arm.frames:
        assert ls.pose(locked, q[:1], frame) == pytest.approx(ls.pose(arm, q, frame), abs=1e-15)
    there = ls.inverse_dynamics(arm, q, qd, qdd)[:1]
    assert ls.inverse_dynamics(locked, q[:1], qd[:1], qdd[:1]) == pytest.approx(there, rel=1e-12)
    assert ls.mass_matrix(locked, q[:1])[0, 0] == pytest.approx(ls.mass_matrix(arm, q)[0, 0], rel=1e-12)


def test_what_is_dropped_is_noted():
    assert gripper().lock({"finger": 0.02, "elbow": -0.7}).notes == (
        "joint 'elbow' locked at -0.7 rad; its friction dropped.",
        "joint 'finger' locked at 0.02 m; its damping, limits dropped.",
        "joint 'follower' locked at 0.02 m; its damping, limits, mimic dropped.",
    )


@pytest.mark.parametrize(
    ("positions", "why"),
    [
        ({"fingr": 0.0}, "there is no joint 'fingr'; did you mean 'finger'"),
        ({"follower": 0.0}, "'follower' follows 'finger'; lock that one"),
        ({"finger": 0.05}, "position 0.05 m is outside its limits, 0 to 0.04 m"),
        ({"shoulder": -1.1}, "position -1.1 rad is outside its limits, -1 to 2 rad"),
        ({"shoulder": float("nan")}, "joint 'shoulder': lock: position is nan"),
        ({"shoulder": "up"}, "expected a number"),
        ({"elbow.deflection": 0.0}, "'elbow.deflection' is an elastic coordinate, and only joints can be locked"),
        ({"elbow": 0.0}, r"it is elastic.*arm.with_joint\('elbow', elastic=None\)"),
        ("finger", "expected {joint: position}"),
    ],
)
def test_what_cannot_be_locked(positions, why):
    arm = gripper().with_joint("elbow", armature=0.1, elastic=ls.JointElasticity(100.0))
    with pytest.raises(ModelError, match=why):
        arm.lock(positions)


def test_a_joint_locked_twice_and_all_joints_locked():
    arm = gripper().lock({"elbow": 0.1})
    with pytest.raises(ModelError, match="joint 'elbow' is fixed already"):
        arm.lock({"elbow": 0.1})
    assert arm.lock({"shoulder": 0.1, "finger": 0.0}).dof == 0
    assert arm.lock({}) == arm


def test_limits_of_a_follower_hold():
    arm = gripper().with_joint("follower", limits=ls.Limits(position=(0.015, 0.04)))
    with pytest.raises(ModelError, match=r"outside its limits, 0.01 to 0.04 m"):
        arm.lock({"finger": 0.005})


def test_beams_no_longer_look_at_locked_joints():
    beam = ls.Beam(0.5, 0.3, EI=5.0, modes=ls.Modes(2), tip_pose=[("elbow", 0.3), ("finger", 0.02)])
    arm = gripper().with_link("upper", beam=beam)
    assert arm.lock({"finger": 0.01}).link("upper").beam.tip_pose == (("elbow", 0.3),)
    assert len(arm.lock({"shoulder": 0.3}).coordinates) == 4  # the link stays flexible


def test_fixing_a_joint_by_hand_names_all_that_is_in_the_way():
    words = r"cannot have damping \(0.3\), limits \(.*\); remove them.*arm.lock"
    with pytest.raises(ModelError, match=words):
        gripper().with_joint("finger", kind="fixed")


@pytest.mark.parametrize("fixed", ["keep", "merge"])
def test_load_locks_joints_as_arm_lock_does(tmp_path, fixed):
    ls.save(gripper(), tmp_path / "gripper.toml")
    positions = {"finger": 0.02, "elbow": -0.7}
    arm = ls.load(tmp_path / "gripper.toml", lock=positions, fixed=fixed)
    other = ls.load(tmp_path / "gripper.toml").lock(positions)
    assert arm == (other if fixed == "keep" else other.merge_fixed())
    with pytest.raises(ls.ModelError, match=r"lock: there is no joint 'finge'; did you mean 'finger'\?"):
        ls.load(tmp_path / "gripper.toml", lock={"finge": 0.0})
