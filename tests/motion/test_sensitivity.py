"""Derivatives of a motion's torques by control points and duration, against differences."""

from dataclasses import replace

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls

STEP = 1e-5


def moved(motion, step, duration=0.0, which="control_points", place=(0, 0)):
    """The motion with one control point, or its duration, changed."""
    if which == "duration":
        return replace(motion, duration=motion.duration + step)
    if which == "unactuated":
        P = motion.unactuated.control_points.copy()
        P[place] += step
        return replace(motion, unactuated=motion.unactuated._replace(control_points=P))
    P = motion.control_points.copy()
    P[place] += step
    return replace(motion, control_points=P)


def difference(motion, s, which, place=(0, 0)):
    """Central differences of the generalized forces at fractions s of the duration."""
    several = [moved(motion, sign * STEP, which=which, place=place) for sign in (1, -1)]
    ahead, behind = (m.forces(s * m.duration) for m in several)
    return (ahead - behind) / (2 * STEP)


def check(motion, places, which="control_points"):
    s = np.array([0.03, 0.2, 0.47, 0.71, 0.98])
    by = motion.sensitivity(s * motion.duration)
    found = getattr(by, which)
    assert found.shape[:2] == (len(s), motion.arm.dof)
    scale = np.abs(found).max()
    for place in places:
        want = difference(motion, s, which, place)
        assert np.abs(found[:, :, place[0], place[1]] - want).max() < 2e-7 * scale
    assert np.abs(by.duration - difference(motion, s, "duration")).max() < 2e-7 * np.abs(by.duration).max()


@pytest.fixture(scope="module")
def lift():
    load = ls.Load("fore", force=[(0, -10, 0), (3, -1, 0.5), (0, 2, 0)], point=(0.1, 0, 0))
    return ls.predict_motion(ls.load("two_link"), start=[1.32, -2.37], goal=[2.8, -2.37], loads=[load])


def test_against_differences(lift):
    check(lift, [(0, 0), (4, 1), (11, 0), (20, 1), (22, 0)])


def test_default_times_and_the_papers_own_recursion(lift):
    fast, paper = lift.sensitivity(), lift.sensitivity(method="xiang")
    assert np.array_equal(fast.t, lift.t)
    assert fast.control_points.shape == (len(lift.t), 2, 23, 2)
    assert fast.unactuated is None
    for a, b in zip(fast[1:3], paper[1:3], strict=True):
        assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()


def test_local_support(lift):
    """A cubic spline has four functions at any time."""
    by = lift.sensitivity([0.31 * lift.duration])
    assert np.flatnonzero(np.abs(by.control_points[0]).max(axis=(0, 2))).tolist() == [6, 7, 8, 9]


def test_weightless_torques_fall_with_the_square_of_the_duration():
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1])
    by = motion.sensitivity()
    assert np.abs(by.duration * motion.duration + 2 * motion.tau).max() < 1e-9


def test_friction_of_a_six_joint_arm():
    arm = ls.load("puma560")
    motion = ls.predict_motion(arm, start=[0, 0.3, -0.4, 0.2, 0.1, 0], goal=[0.8, -0.2, 0.3, 0.5, 0.7, 0.4], segments=6)
    check(motion, [(3, 1), (5, 0), (2, 4)])


def test_periodic():
    arm = ls.load("two_link")
    task = ls.Task(via=[ls.Via(0.2, [0.2, -1.0]), ls.Via(0.7, [0.9, -1.6])], duration=1.4, periodic=True,
                   minimise="torque_squared", segments=8)  # fmt: skip
    motion = ls.predict_motion(arm, task)
    check(motion, [(0, 0), (7, 1), (3, 0)])


@pytest.mark.slow
def test_flexible_links():
    arm = ls.load("two_link_flexible")
    task = ls.Task(start=[0, 0], goal=[0.5, 0.4], duration=3.0, minimise="torque_squared", segments=8)
    motion = ls.predict_motion(arm, task)
    check(motion, [(2, 0), (7, 1)])
    check(motion, [(5, 0), (11, 3), (0, 2)], "unactuated")


def test_closed_loops_are_refused():
    """Before anything is computed: the motion need not be one of the mechanism."""
    arm = four_bar()
    chain = ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[0.3, 0.2], segments=6)
    with pytest.raises(ls.UnsupportedError, match="a control point cannot change alone"):
        replace(chain, arm=arm).sensitivity()
