"""Messages about names: the link of a joint, and lists that say how much they leave out."""

import numpy as np
import pytest

import lissom as ls


def test_the_name_of_a_joint_is_answered_with_its_link():
    arm = ls.load("puma560")
    joint = arm.joints[3].name
    (link,) = [each.name for each in arm.links if each.joint.name == joint]
    if joint == link:
        arm = arm.with_joint(joint, name="other")
        joint = "other"
    with pytest.raises(
        ls.LissomError, match=f"there is no link or tool '{joint}'; that is a joint, whose link is '{link}'"
    ):
        ls.pose(arm, arm.home, joint)
    with pytest.raises(ls.LissomError, match=f"that is a joint, whose link is '{link}'"):
        arm.link(joint)


def test_lists_of_joints_name_all_that_differ():
    from lissom.views.playback.takes import refuse_other

    with pytest.raises(ls.InputError, match=r"has upper, fore; only the arm has joint1, .*, joint7\. Show"):
        refuse_other(ls.load("panda"), ls.load("two_link"), "the run is")


@pytest.mark.parametrize(
    ("Q", "message"),
    [(np.eye(3), r"Q has shape \(3, 3\); expected 4 weights"), (np.triu(np.ones((4, 4))), "Q is not symm")],
)
def test_weights_are_named_by_their_shape(Q, message):
    plant = ls.linearise(ls.load("two_link"), [0.0, 0.5])
    with pytest.raises(ls.InputError, match=message):
        plant.lqr(Q, [1, 1])


@pytest.mark.parametrize(
    ("word", "ours"),
    [("rnea", "inverse_dynamics"), ("forward_kinematics", "pose"), ("fkine", "pose"), ("crba", "mass_matrix"),
     ("buildModelFromUrdf", "load"), ("inverse_dynamic", "inverse_dynamics"), ("linearize", "linearise")],
)  # fmt: skip
def test_names_of_other_libraries_lead_to_ours(word, ours):
    with pytest.raises(AttributeError, match=f"has no attribute '{word}'; did you mean '{ours}'"):
        getattr(ls, word)


def test_every_name_that_is_suggested_exists():
    from lissom.later import ELSEWHERE

    assert set(ELSEWHERE.values()) <= set(ls.__all__)
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        ls.xyzzy  # noqa: B018


def test_methods_of_other_libraries_lead_to_functions():
    arm = ls.load("two_link")
    with pytest.raises(AttributeError, match=r"use the function: lissom.gravity_forces\(arm, ...\)"):
        arm.gravity_forces  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        arm.xyzzy  # noqa: B018
    assert not hasattr(arm, "__array__")


def test_export_names_its_argument_functions():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'functions'"):
        ls.export_c(ls.load("two_link"))
    with pytest.raises(ls.InputError, match="functions is 3; expected the name of one or several"):
        ls.export_c(ls.load("two_link"), 3)
