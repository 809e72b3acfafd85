"""Positions outside the limits, and degrees given as radians, are named wherever positions are given."""

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.model.positions import degrees_hint, outside_limits

ARM = ls.load("panda")
HINT = "looks like degrees: use np.deg2rad"


@pytest.mark.parametrize(("x", "hinted"), [(90.0, True), (-60.0, True), (3.0, False), (400.0, False)])
def test_what_looks_like_degrees(x, hinted):
    assert (HINT in degrees_hint(x, -2.9, 2.9)) == hinted


@pytest.mark.parametrize(("x", "hinted"), [(90.0, True), (12.34, False), (6.0, False), (-45.0, True)])
def test_joints_without_limits_are_hinted_at_whole_degrees_beyond_a_turn(x, hinted):
    assert bool(degrees_hint(x, -np.inf, np.inf)) == hinted


def test_positions_inside_or_not_given_say_nothing():
    assert outside_limits(ARM, ARM.home) == ""
    assert outside_limits(ARM, np.full(ARM.dof, np.nan)) == ""
    assert outside_limits(ARM, np.tile(ARM.home, (3, 1))) == ""


def test_metres_are_never_degrees():
    q = ls.load("stanford").home.copy()
    q[2] = 45.0
    assert outside_limits(ls.load("stanford"), q) == "joint 'boom' is at 45 m, outside its limits of 0.3048 to 1.27 m."


def test_the_message_counts_the_joints():
    q = ARM.home.copy()
    q[:2] = 90.0, -60.0
    text = outside_limits(ARM, q)
    assert text.startswith("joint 'joint1' is at 90 rad, outside its limits of -2.")
    assert "(1 more like it)" in text
    assert HINT in text


def test_a_simulation_that_begins_outside_warns_and_notes():
    q = ARM.home.copy()
    q[1] = 90.0
    with pytest.warns(ls.OutsideLimits, match="90 looks like degrees"):
        run = ls.simulate(ARM, q, until=0.01)
    assert any("outside the limits" in note for note in run.report.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.simulate(ARM, ARM.home, until=0.01)


def test_goals_in_degrees_are_refused_with_the_unit():
    goal = ARM.home.copy()
    goal[0] = 30.0
    with pytest.raises(
        ls.InputError, match=r"is 30 rad, outside its position limits .* rad\. Angles are in radians; 30 looks"
    ):
        ls.predict_motion(ARM, start=ARM.home, goal=goal)
    goal[0] = 3.0
    with pytest.raises(ls.InputError, match=r"is 3 rad, .* rad\. Move it inside, or widen the limits"):
        ls.predict_motion(ARM, start=ARM.home, goal=goal)


def test_a_goal_of_ninety_radians_warns_where_limits_allow_it():
    with pytest.warns(
        ls.OutsideLimits, match="goal: joint 'upper' is at 90 rad, more than a turn. Angles are in radians"
    ):
        ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[90, 0], duration=5.0, minimise="torque_squared")


def test_joints_are_not_locked_in_degrees():
    with pytest.raises(
        ls.ModelError, match=r"position -60 rad is outside its limits, .* rad. Angles are in radians; -60 looks"
    ):
        ls.load("panda").lock({"joint1": -60})


def test_references_of_controllers_in_degrees_are_warned_of():
    arm = ls.load("ur5")
    reference = [0.0, 90.0, -80.0, 0.0, 0.0, 0.0]
    with pytest.warns(
        ls.OutsideLimits, match="reference of the controller, joint 'shoulder_lift'.* 90 looks like degrees"
    ):
        ls.simulate(arm, arm.home, tau=ls.PD(reference, 50, 5), until=0.01)
