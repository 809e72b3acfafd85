"""Where an arm ends: a serial arm has one end, a tree is asked which is meant."""

import numpy as np
import pytest
from tests.arms import gripper_arm, rod

import lissom as ls
from lissom.model.ends import last_flexible, longest_end
from lissom.simulation.overview import audit
from lissom.spatial.frames import pose, turn
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


def test_a_jaw_that_moves_beside_a_body_is_not_told_from_a_joint_beside_a_cover():
    arm = gripper_arm().lock({"right": 0.0})
    assert arm.ends == ("left", "right")
    with pytest.raises(ls.ModelError, match=r"2 ends \('left', 'right'\), all carried by 'hand'; name the link"):
        arm.with_payload(ls.Payload(2.0))
    with pytest.raises(ls.ModelError, match="2 ends"):
        ls.simulate(arm, np.zeros((1, arm.dof)), until=0.01, payloads=[ls.Payload(0.1)])


def wrist_with(*parts):
    """An arm of three joints whose wrist carries parts of a gripper."""
    return ls.Arm("wrist", [rod("upper"), rod("fore", "upper"), rod("wrist", "fore"), *parts])


def frame(name, parent):
    """A link without mass on a fixed joint."""
    return ls.Link(name, parent, ls.Joint("fixed", pose(p=(0.1, 0.0, 0.02))))


@pytest.mark.parametrize("merged", [False, True])
def test_fingers_are_known_by_where_they_are(merged):
    fingers = [rod("a", "hand", "prismatic"), rod("b", "hand", "prismatic"), rod("b2", "b", "fixed")]
    arm = wrist_with(rod("hand", "wrist", "fixed"), *fingers)
    arm = arm.merge_fixed() if merged else arm
    assert arm.tip_frame == "hand"
    assert arm.with_payload(ls.Payload(2.0)).link("wrist" if merged else "hand").payload.mass == 2.0
    assert "arm ends at 'hand', the hand with 'a', 'b'. Payloads" in " ".join(arm.describe().split())
    assert any("the arm ends at 'hand'" in found.message for found in arm.check())
    run = ls.simulate(arm, np.zeros(arm.dof), until=0.01)
    assert run.tip_frame == followed_frame(arm) == "hand"


def test_a_long_branch_is_no_finger():
    arm = wrist_with(rod("a", "wrist"), rod("a2", "a"), rod("b", "wrist"))
    assert arm.ends == ("a2", "b")
    named = wrist_with(rod("palm", "wrist", "fixed"), rod("a", "palm"), rod("a2", "a"), rod("b", "palm"))
    assert named.ends == ("palm",)
    carried = ls.Arm("two arms", [rod("turn"), rod("left", "turn"), rod("right", "turn")])
    assert carried.ends == ("left", "right")


def test_joints_without_bodies_do_not_carry_a_hand():
    base = [ls.Link(f"slide{k}", f"slide{k - 1}" if k else None, ls.Joint("prismatic", axis=axis))
            for k, axis in enumerate(np.eye(3))]  # fmt: skip
    floating = ls.Arm("rotors", [*base, rod("body", "slide2", "fixed"), rod("a", "body"), rod("b", "body")])
    assert floating.ends == ("a", "b")


@pytest.mark.parametrize(("hand", "finger"), [
    ("palm", "finger"), ("gripper", "jaw"), ("gripper_link", "Moving_Jaw"), ("gripperStator", "gripperMover"),
    ("palm", "thumb"), ("tool", "claw"),
])  # fmt: skip
def test_the_moving_jaw_of_a_gripper_is_no_end(hand, finger):
    for kind in ("revolute", "fixed"):
        arm = wrist_with(rod(hand, "wrist", kind), rod(finger, hand))
        assert arm.ends == (hand,)
        assert arm.lock({finger: 0.3}).ends == (hand,)
        assert arm.with_payload(ls.Payload(2.0)).link(hand).payload.mass == 2.0


@pytest.mark.parametrize("word", ["gripper", "claw"])
def test_the_name_of_a_robot_makes_no_fingers(word):
    names = [f"{word}_arm_{k}" for k in range(4)]
    arm = ls.Arm(word, [rod(name, parent) for name, parent in zip(names, [None, *names], strict=False)])
    assert arm.ends == (names[-1],)


def test_the_joint_may_name_the_jaw():
    part = rod("part", "palm")
    arm = wrist_with(rod("palm", "wrist"), part.replace(joint=part.joint.replace(name="finger_slide")))
    assert arm.last_moving == "palm"


def test_the_frame_of_a_tool_beside_the_last_joint_tells_that_a_jaw_moves():
    arm = wrist_with(rod("part", "wrist"), frame("ee_frame", "wrist"))
    assert arm.ends == ("ee_frame",)
    assert arm.merge_fixed().tip_frame == "ee_frame"
    assert wrist_with(rod("part", "wrist"), frame("camera_tool_frame", "wrist")).ends == ("part",)
    assert wrist_with(rod("part", "wrist"), frame("flange", "wrist")).ends == ("part",)


@pytest.mark.parametrize("names", [("bracket", "gripper"), ("gripper", "sensor"), ("finger_1", "finger_2")])
def test_what_is_no_jaw_is_the_end(names):
    inner, outer = names
    assert wrist_with(rod(inner, "wrist"), rod(outer, inner)).last_moving == ("wrist" if "1" in inner else outer)
    assert ls.Arm("finger", [rod(inner), rod(outer, inner)]).last_moving == outer
    assert ls.Arm("finger", [rod("post", kind="fixed"), rod("finger", "post")]).last_moving == "finger"


@pytest.mark.parametrize(("names", "end"), [
    (["wrist_camera_frame", "tool0", "ee_link"], "tool0"), (["flange", "end_effector"], "end_effector"),
    (["toolCenter", "gripper_tcp"], "gripper_tcp"), (["mark_a", "mark_b"], "wrist"), (["mark"], "mark"),
    (["left_tool", "right_tool"], "wrist"), (["hand_ft", "flange"], "flange"),
])  # fmt: skip
def test_of_several_frames_the_one_of_a_tool_is_the_end(names, end):
    arm = wrist_with(*(frame(name, "wrist") for name in names))
    assert arm.ends == (end,)
    note = "\n".join(found.message for found in arm.check())
    assert ("the arm ends at" in note) is (len(names) > 1)
    light = arm.with_link(names[0], mass=1e-5)  # files give frames a little mass
    assert light.ends == (end,)
    assert arm.with_payload(ls.Payload(3.0)).ends == (end,)


def test_cameras_are_no_ends():
    torch = [rod("adapter", "wrist", "fixed"), rod("torch", "adapter", "fixed")]
    camera = [rod("camera_link", "wrist", "fixed"), frame("camera_optical_frame", "camera_link")]
    assert wrist_with(*camera).ends == ("wrist",)
    assert wrist_with(*camera, *torch).ends == ("torch",)
    assert wrist_with(rod("flange", "wrist", "fixed"), frame("imu_frame", "flange")).ends == ("flange",)


def test_locked_fingers_leave_the_frame_of_their_hand():
    hand = wrist_with(rod("left", "wrist", "fixed"), rod("right", "wrist", "fixed"), frame("gripper_tcp", "wrist"))
    assert hand.ends == ("gripper_tcp",)
    adapter = [rod("adapter", "wrist", "fixed"), frame("tool0", "wrist")]
    grown = wrist_with(*adapter, rod("left", "adapter", "fixed"), rod("right", "adapter", "fixed"))
    assert grown.ends == ("adapter",)  # tool0 is behind the gripper


@pytest.mark.parametrize("where", ["default", "tool", "link"])
def test_a_payload_is_given_in_the_axes_of_its_frame(where):
    X = pose(p=(0.1, -0.2, 0.3)) @ turn("z", 0.7) @ turn("x", -0.4)
    arm = wrist_with().with_link("wrist", tools={"probe": np.eye(4), "tcp": X})
    load = ls.Payload(0.7, (0.02, 0.1, -0.05), np.diag([0.01, 0.02, 0.015]))
    link = {"default": None, "tool": "tcp", "link": "wrist"}[where]
    placed = ls.Joint("fixed", np.eye(4) if where == "link" else X, name="box")
    box = ls.Link("box", "wrist", placed, load.mass, load.com, load.inertia)
    heavier = arm.replace(links=[*arm.links, box])
    q, qd, qdd = [0.3, -0.7, 1.1], [0.5, 0.2, -0.4], [1.0, -2.0, 0.3]
    tau = ls.inverse_dynamics(arm.with_payload(load, link), q, qd, qdd)
    assert tau == pytest.approx(ls.inverse_dynamics(heavier, q, qd, qdd), rel=1e-13, abs=1e-13)
    runs = ls.simulate(arm, [q, q], until=0.05, payloads=[load, load] if link is None else {link: [load, load]})
    assert runs.q[1, -1] == pytest.approx(ls.simulate(heavier, q, until=0.05).q[-1], abs=1e-8)
    assert arm.with_payload(load, link).with_payload(None, link) == arm


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
