"""Where an arm ends: a serial arm has one end, a tree is asked which is meant."""

import numpy as np
import pytest
from tests.arms import gripper_arm, rod

import lissom as ls
from lissom.model.ends import last_flexible, longest_end
from lissom.simulation.overview import audit
from lissom.views.followed import followed_frame


def serial():
    """One chain of joints, with frames fixed along it, on its end and on the base."""
    return ls.Arm("serial", [
        rod("upper"), rod("fore", "upper"), rod("flange", "fore", "fixed"), rod("tool", "flange", "fixed"),
        rod("cover", "upper", "fixed"), rod("camera", kind="fixed"),
    ])  # fmt: skip


def test_a_serial_arm_ends_at_what_is_fixed_to_its_last_moving_link():
    arm = serial()
    assert arm.ends == ("tool",)
    assert arm.with_payload(ls.Payload(2.0)).link("tool").payload.mass == 2.0
    run = ls.simulate(arm, np.zeros(arm.dof), until=0.01)
    assert run.tip_frame == "tool"
    assert "The tip of the run (run.tip) is link tool" in "\n".join(audit(run))


def test_an_arm_without_joints_ends_at_its_last_link():
    assert ls.Arm("post", [rod("foot", kind="fixed"), rod("post", "foot", "fixed")]).ends == ("post",)


def test_a_tree_is_asked_which_link_is_meant():
    arm = gripper_arm()
    assert arm.ends == ("left", "right")
    with pytest.raises(ls.ModelError, match=r"tree has 2 ends \('left', 'right'\), all carried by 'hand'; name the"):
        arm.with_payload(ls.Payload(2.0))
    assert arm.with_payload(ls.Payload(2.0), "hand").link("hand").payload.mass == 2.0


def test_a_gripper_with_locked_fingers_carries_payloads_on_its_hand():
    arm = gripper_arm().lock({"left": 0.0, "right": 0.0})
    assert arm.ends == ("hand",)
    assert arm.with_payload(ls.Payload(2.0)).link("hand").payload.mass == 2.0
    frames = [ls.Link(name, "fore", ls.Joint("fixed", name=name)) for name in ("camera_frame", "tool0")]
    assert ls.Arm("frames", [rod("upper"), rod("fore", "upper"), *frames]).ends == ("tool0",)


def test_one_moving_finger_of_a_hand_is_not_where_a_payload_goes():
    arm = gripper_arm().lock({"right": 0.0})
    assert arm.ends == ("left",)
    with pytest.raises(ls.ModelError, match="end 'left' is one of several bodies that 'hand' carries; name the link"):
        arm.with_payload(ls.Payload(2.0))
    with pytest.raises(ls.ModelError, match="several bodies that 'hand' carries"):
        ls.simulate(arm, np.zeros((1, arm.dof)), until=0.01, payloads=[ls.Payload(0.1)])


def wrist_with(*parts):
    """An arm of three joints whose wrist carries parts of a gripper."""
    return ls.Arm("wrist", [rod("upper"), rod("fore", "upper"), rod("wrist", "fore"), *parts])


@pytest.mark.parametrize(("hand", "finger"), [
    ("palm", "finger"), ("gripper", "jaw"), ("gripper_link", "Moving_Jaw"), ("gripperStator", "gripperMover"),
    ("palm", "thumb"), ("tool", "claw"),
])  # fmt: skip
def test_the_moving_jaw_of_a_gripper_is_not_where_a_payload_goes(hand, finger):
    for kind in ("revolute", "fixed"):
        arm = wrist_with(rod(hand, "wrist", kind), rod(finger, hand))
        with pytest.raises(
            ls.ModelError, match=f"{finger}' is the moving finger of a gripper that '{hand}' carries; name"
        ):
            arm.with_payload(ls.Payload(2.0))
        assert arm.with_payload(ls.Payload(2.0), hand).link(hand).payload.mass == 2.0
        assert arm.ends == (finger,)


def test_the_joint_may_name_the_jaw():
    part = rod("part", "palm")
    arm = wrist_with(rod("palm", "wrist"), part.replace(joint=part.joint.replace(name="finger_slide")))
    with pytest.raises(ls.ModelError, match=r"'part' is the moving finger .*: 'palm' for what the gripper holds\."):
        arm.with_payload(ls.Payload(2.0))


def test_a_locked_jaw_is_part_of_its_hand():
    arm = wrist_with(rod("palm", "wrist"), rod("jaw", "palm")).lock({"jaw": 0.3})
    assert arm.with_payload(ls.Payload(2.0)).link("palm").payload.mass == 2.0


@pytest.mark.parametrize("names", [("finger_1", "finger_2"), ("bracket", "gripper"), ("gripper", "sensor")])
def test_what_is_no_jaw_carries_its_payload(names):
    inner, outer = names
    arm = wrist_with(rod(inner, "wrist"), rod(outer, inner))
    assert arm.with_payload(ls.Payload(2.0)).link(outer).payload.mass == 2.0
    assert ls.Arm("finger", [rod("finger")]).last_moving == "finger"
    assert ls.Arm("finger", [rod("post", kind="fixed"), rod("finger", "post")]).last_moving == "finger"


def test_ends_that_only_the_base_carries_have_no_common_link():
    with pytest.raises(ls.ModelError, match=r"2 ends \('a', 'b'\); name the link"):
        _ = ls.Arm("two", [rod("base", kind="fixed"), rod("a", "base"), rod("b", "base")]).last_moving


def test_payloads_of_runs_are_asked_for_their_link_too():
    arm, loads = gripper_arm(), [ls.Payload(0.1), ls.Payload(0.2)]
    with pytest.raises(ls.ModelError, match=r"2 ends \('left', 'right'\)"):
        ls.simulate(arm, np.zeros((2, arm.dof)), until=0.01, payloads=loads)
    assert ls.simulate(arm, np.zeros((2, arm.dof)), until=0.01, payloads={"hand": loads}).ok


def test_the_tip_of_a_run_on_a_tree_is_named():
    arm = gripper_arm()
    run = ls.simulate(arm, np.zeros(arm.dof), until=0.01)
    for word in ("tip", "tip_frame", "tip_velocity"):
        with pytest.raises(ls.ModelError, match=r"2 ends .*; use run\.path\(link\)"):
            getattr(run, word)
    assert run.path("right").shape == (len(run.t), 3)
    assert "The arm has 2 ends" in "\n".join(audit(run))


def test_pictures_follow_the_longest_branch_and_name_it():
    arm = gripper_arm()
    assert followed_frame(arm) == "left"
    deeper = arm.replace(links=[*arm.links, rod("nail", "right")])
    assert longest_end(deeper) == "nail"
    figure = ls.plot(ls.simulate(arm, np.zeros(arm.dof), until=0.01), "tip")
    assert figure.axes[0].get_title() == "path of left"


def test_the_deflection_of_the_tip_needs_one_last_flexible_link():
    beam = ls.Beam(length=0.5, mass_per_length=0.4, EI=2.0, modes=ls.Modes(1))
    chain = ls.Arm("chain", [rod("root"), ls.Link("beam", "root", ls.Joint("fixed"), beam=beam), rod("left", "beam"),
                             rod("right", "beam")])  # fmt: skip
    assert last_flexible(chain) == "beam"
    two = chain.replace(links=[*chain.links, ls.Link("other", "root", ls.Joint("fixed", name="o"), beam=beam)])
    with pytest.raises(ls.ModelError, match=r"2 branches end in flexible links \('beam', 'other'\)"):
        last_flexible(two)
    assert last_flexible(serial()) is None


def test_exported_kinematics_on_a_tree_need_a_frame(tmp_path):
    with pytest.raises(ls.ModelError, match="give export_c the frame"):
        ls.export_c(gripper_arm(), "pose", tmp_path)
    assert ls.export_c(gripper_arm(), "gravity_forces", tmp_path)


def test_a_fixed_base_with_legs_is_noted():
    legs = [part for side in "ab" for part in (rod(f"{side}1", "trunk"), rod(f"{side}2", f"{side}1"))]
    walker = ls.Arm("walker", [rod("trunk", kind="fixed"), *legs])
    assert "note: the base is fixed in the world and carries 2 branches." in walker.describe()
    (finding,) = [found for found in walker.check() if "floating joint" in found.message]
    assert finding.level == "note"
    floats = walker.with_link("trunk", joint=ls.Joint("prismatic", axis=(0, 0, 1), name="height"))
    for arm in (floats, serial(), gripper_arm(), walker.subtree("a1")):
        assert "is fixed in the world" not in arm.describe()
