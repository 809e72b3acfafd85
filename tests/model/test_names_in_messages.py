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


def test_lists_say_how_many_names_they_leave_out():
    from lissom.views.takes import refuse_other

    with pytest.raises(ls.InputError, match=r"has joint1, joint2, joint3, joint4, joint5, joint6 and 1 more. Show"):
        refuse_other(ls.load("panda"), ls.load("two_link"), "the run is")


@pytest.mark.parametrize(
    ("Q", "message"),
    [(np.eye(3), r"Q has shape \(3, 3\); expected 4 weights"), (np.triu(np.ones((4, 4))), "Q is not symm")],
)
def test_weights_are_named_by_their_shape(Q, message):
    plant = ls.linearise(ls.load("two_link"), [0.0, 0.5])
    with pytest.raises(ls.InputError, match=message):
        plant.lqr(Q, [1, 1])
