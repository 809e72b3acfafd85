"""Motions of arms whose joints follow others."""

import numpy as np
import pytest

import lissom as ls


def gripper(**follower):
    """A turning arm with two fingers, one of which follows the other."""
    body = {"mass": 1.0, "com": (0.2, 0, 0), "inertia": (0.01, 0.02, 0.02)}
    place = np.eye(4)
    place[0, 3] = 0.4
    return ls.Arm("gripper", [
        ls.Link("arm", joint=ls.Joint(axis=(0, 0, 1), limits=ls.Limits(torque=5.0)), **body),
        ls.Link("left", "arm", ls.Joint("prismatic", place, (0, 1, 0), limits=ls.Limits(torque=4.0)), **body),
        ls.Link("right", "arm", ls.Joint("prismatic", place, (0, -1, 0), mimic=ls.Mimic("left", 0.5, 0.02), **follower),
                **body),
    ], gravity=(0, 0, 0))  # fmt: skip


def test_limits_of_a_follower_hold_along_the_motion():
    free = ls.predict_motion(gripper(), start=[0, 0], goal=[0.5, 0.3])
    slow = ls.predict_motion(gripper(limits=ls.Limits(velocity=0.3, torque=1e-3)), start=[0, 0], goal=[0.5, 0.3])
    assert free.ok
    assert slow.ok
    assert np.abs(free.qd[:, 1]).max() > 0.7
    assert np.abs(0.5 * slow.qd[:, 1]).max() <= 0.3 * (1 + 1e-6)
    # the follower's torque limit is none: the motor sits at the finger that leads
    assert slow.duration > free.duration


def test_torques_are_those_of_inverse_dynamics_and_the_motion_is_verified():
    arm = gripper(friction=0.3, damping=0.2)
    motion = ls.predict_motion(arm, start=[0, 0], goal=[0.5, 0.3])
    assert np.abs(motion.tau).max(axis=0) == pytest.approx([5.0, 4.0], rel=1e-3)
    assert "verified" in repr(motion.verify())
