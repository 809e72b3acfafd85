"""Joints that follow others, in the model: coordinates, limits, friction, inertia, changes of the arm."""

import numpy as np
import pytest

import lissom as ls
from lissom.errors import ModelError


def rod(name, parent=None, **options):
    return ls.Link(name, parent, ls.Joint(**options), mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))


def pair(mimic, leader=(), follower=()):
    """Two joints, the second follows the first."""
    return ls.Arm("pair", [rod("a", **dict(leader)), rod("b", "a", mimic=mimic, **dict(follower))])


def test_followers_of_followers_and_rings():
    arm = ls.Arm("f", [rod("a"), rod("b", "a"), rod("c", "b")])
    arm = arm.with_joint("a", mimic=ls.Mimic("b", 2.0, 0.5)).with_joint("b", mimic=ls.Mimic("c", 3.0, 0.1))
    assert arm.coordinates == ("c",)
    assert arm.mimics["a"] == ls.Mimic("c", 6.0, 2.0 * 0.1 + 0.5)
    assert arm.joint_positions([1.0]) == pytest.approx([6.7, 3.1, 1.0], abs=1e-15)
    with pytest.raises(ModelError, match="mimic each other in a cycle; one of them must be independent"):
        arm.with_joint("c", mimic=ls.Mimic("a"))


def test_an_elastic_joint_that_follows_keeps_its_deflection():
    spring = {"armature": 0.1, "elastic": ls.JointElasticity(9.0)}
    soft = pair(ls.Mimic("a", 2.0), follower=spring)
    assert soft.coordinates == ("a", "b.deflection")
    assert soft.joint_positions([0.3, 0.01]).tolist() == [0.3, 0.6]
    assert soft.mode_index.tolist() == [1]


def test_limits_of_followers_bound_the_joint_that_leads():
    def limited(position, **more):
        return {"limits": ls.Limits(position=position, **more)}.items()

    mimic = ls.Mimic("a", -2.0, 0.5)
    arm = pair(mimic, limited((-3, 3), velocity=4.0, torque=7.0), limited((-0.5, 1.5), velocity=5.0, torque=1.0))
    lower, upper = arm.bounds("position")
    assert (lower[0], upper[0]) == (-0.5, 0.5)
    assert [float(bound[0]) for bound in arm.bounds("velocity")] == [-2.5, 2.5]
    assert [float(bound[0]) for bound in arm.bounds("torque")] == [-7.0, 7.0]  # the motor sits at the joint that leads
    assert arm.home.tolist() == [0.0]
    assert not [finding for finding in arm.check() if "limits" in finding.message]
    odd = pair(mimic, limited((-3, 3)), limited((20.0, 20.0)))
    assert [float(bound[0]) for bound in odd.bounds("position")] == [-3.0, 3.0]
    assert any(
        "position limits allow no motion of joint 'a', which it mimics" in finding.message for finding in odd.check()
    )


def test_friction_of_followers_acts_on_the_joint_that_leads():
    arm = pair(ls.Mimic("a", -2.0), {"friction": 0.3}.items(), {"friction": 0.2}.items())
    assert arm.friction.tolist() == [0.3 + 2.0 * 0.2]


def test_a_multiplier_of_zero_holds_a_joint():
    arm = pair(ls.Mimic("a", 0.0, 0.4), follower={"limits": ls.Limits(position=(-1, 1))}.items())
    locked = ls.Arm("pair", [rod("a"), rod("b", "a")]).lock({"b": 0.4})
    q = np.array([0.3])
    assert ls.inverse_dynamics(arm, q, q, q) == pytest.approx(ls.inverse_dynamics(locked, q, q, q), rel=1e-13)


def test_inertia_is_needed_where_coordinates_move_something():
    light = ls.Link("b", "a", ls.Joint(axis=(0, 1, 0), mimic=ls.Mimic("a")))
    assert ls.Arm("x", [rod("a"), light]).dof == 1  # a follower may carry nothing
    nothing = ls.Link("a", None, ls.Joint(name="ja"))
    behind = rod("b", None, mimic=ls.Mimic("ja", 2.0))
    assert ls.Arm("x", [nothing, behind]).dof == 1  # the joint that leads, too
    with pytest.raises(ModelError, match="joint 'ja' moves no inertia"):
        ls.Arm("x", [nothing, behind.replace(joint=behind.joint.replace(mimic=ls.Mimic("ja", 0.0)))])
    with pytest.raises(ModelError, match="joint 'c' moves no inertia"):
        ls.Arm("x", [rod("a"), light, ls.Link("c", "a")])


def test_a_subtree_without_the_joint_that_leads():
    part = pair(ls.Mimic("a")).subtree("b")
    assert part.coordinates == ("b",)
    assert part.notes == ("joint 'b' mimicked 'a', which is not in this subtree; it is free here.",)


def test_words_say_what_follows():
    text = pair(ls.Mimic("a", -2.0, 0.1)).describe()
    assert "1 joints, 1 mimic joint, 1 coordinates" in text
    assert "b: follows -2 x a + 0.1" in text


def test_states_with_entries_for_followers_are_refused_in_words():
    with pytest.raises(ls.InputError, match=r"q has 2 entries, arm 'pair' has 1 joints \(a\); b follow others"):
        ls.gravity_forces(pair(ls.Mimic("a")), [0.1, 0.2])


def test_unknown_word_for_mimic():
    with pytest.raises(ls.InputError, match="mimic is 'ignore'; expected 'follow' or 'free'"):
        ls.load("two_link", mimic="ignore")
