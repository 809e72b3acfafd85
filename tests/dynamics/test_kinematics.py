"""Kinematics against closed forms, and what it refuses."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import from_rpy


def planar(q, L=0.4):
    """Tip, Jacobian and acceleration of the planar two-link arm by hand (z up)."""
    a, b = q[0], q[0] + q[1]
    tip = L * np.array([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])
    J = L * np.array([[-np.sin(a) - np.sin(b), -np.sin(b)], [np.cos(a) + np.cos(b), np.cos(b)]])
    return tip, J


def test_two_link_closed_form():
    arm, q, qd, qdd = ls.load("two_link"), np.array([0.7, -1.3]), np.array([1.1, -0.6]), np.array([-0.4, 2.2])
    tip, J = planar(q)
    step = 1e-6
    Jd = (planar(q + step * qd)[1] - planar(q - step * qd)[1]) / (2 * step)
    assert np.allclose(ls.pose(arm, q, "fore")[:2, 3], tip, atol=1e-15)
    assert np.allclose(ls.jacobian(arm, q, "fore")[:2], J, atol=1e-15)
    assert np.allclose(ls.velocity(arm, q, qd, "fore"), [*(J @ qd), 0, 0, 0, qd.sum()], atol=1e-15)
    # central differences: step^2 + rounding / step, about 1e-10
    assert np.allclose(ls.acceleration(arm, q, qd, qdd, "fore")[:2], J @ qdd + Jd @ qd, atol=1e-9)


def test_prismatic_coriolis():
    """A slider on a turntable: acceleration 2 w v sideways, w^2 r inwards."""
    table = ls.Link("table", mass=1.0, inertia=0.1)
    slider = ls.Link("slider", "table", ls.Joint("prismatic", axis=(1, 0, 0)), mass=0.5)
    arm = ls.Arm("turntable", [table, slider])
    w, v, r = 1.7, 0.6, 0.35
    a = ls.acceleration(arm, [0.0, r], [w, v], [0.0, 0.0], "slider")
    assert np.allclose(a, [-(w**2) * r, 2 * w * v, 0, 0, 0, 0], atol=1e-15)


def test_elastic_joint_turns_by_motor_plus_deflection():
    stiff = ls.Link(
        "a", joint=ls.Joint(axis=(0, 1, 0), armature=0.1), mass=1.0, com=(0.3, 0, 0), frame=pose(p=(0.4, 0, 0))
    )
    soft = stiff.replace(joint=stiff.joint.replace(elastic=ls.JointElasticity(50.0)))
    rigid, elastic = ls.Arm("r", [stiff]), ls.Arm("e", [soft])
    assert np.allclose(ls.poses(elastic, [0.5, 0.2]), ls.poses(rigid, [0.7]))
    assert np.allclose(ls.jacobian(elastic, [0.5, 0.2], "a"), ls.jacobian(rigid, [0.7], "a")[:, [0, 0]])
    assert np.allclose(ls.velocity(elastic, [0.5, 0.2], [1.0, 0.3], "a"), ls.velocity(rigid, [0.7], [1.3], "a"))
    rates = ([0.5, 0.2], [1.0, 0.3], [0.4, -0.1])
    assert np.allclose(ls.acceleration(elastic, *rates, "a"), ls.acceleration(rigid, [0.7], [1.3], [0.3], "a"))
    assert np.allclose(ls.poses(elastic, [0.5]), ls.poses(rigid, [0.5]))  # short: undeformed


def test_tool_and_point():
    X = pose(from_rpy((0.2, 0.4, -0.3)), (0.1, 0.2, 0.3))
    arm = ls.load("puma560")
    arm = arm.with_link("flange", tools={"tool": X})
    q = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6]
    expected = ls.pose(arm, q, "flange") @ X @ pose(p=(0.01, 0.02, 0.03))
    assert np.allclose(ls.pose(arm, q, "tool", point=(0.01, 0.02, 0.03)), expected, atol=1e-15)
    local = (X @ [0.01, 0.02, 0.03, 1.0])[:3]
    assert np.allclose(
        ls.jacobian(arm, q, "tool", (0.01, 0.02, 0.03)), ls.jacobian(arm, q, "flange", local), atol=1e-15
    )


def test_undeformed_flexible_arm_is_a_rigid_one():
    soft = ls.load("two_link_flexible")
    assert np.allclose(ls.poses(soft, [0.3, 0.4])[1], ls.poses(soft, [0.3, 0, 0, 0.4, 0, 0])[1])
    tip = ls.pose(soft, [0.3, 0.4], "link2", point=(0.5, 0, 0))[:2, 3]
    assert np.allclose(tip, planar([0.3, 0.4], 0.5)[0], atol=1e-15)


def test_a_tool_on_a_flexible_link_sits_at_its_tip():
    soft = ls.load("two_link_flexible").with_link("link1", tools={"elbow": np.eye(4)})
    assert np.allclose(ls.pose(soft, [0.3, 0.0], "elbow"), ls.pose(soft, [0.3, 0.0], "link2"))
    bent = [0.3, 0.05, 0.01, 0.0, 0.0, 0.0]
    assert np.allclose(ls.pose(soft, bent, "elbow"), ls.pose(soft, bent, "link2"))
    assert np.allclose(ls.jacobian(soft, bent, "elbow")[:, :3], ls.jacobian(soft, bent, "link2")[:, :3])


def test_batches_of_any_shape_and_empty_ones():
    arm = ls.load("puma560")
    q = np.random.default_rng(1).normal(size=(2, 3, 6))
    assert ls.poses(arm, q).shape == (2, 3, 6, 4, 4)
    assert ls.jacobian(arm, q, "flange", point=np.ones((3, 3))).shape == (2, 3, 6, 6)
    assert ls.velocity(arm, q, np.ones(6), "flange").shape == (2, 3, 6)
    assert ls.poses(arm, np.zeros((0, 6))).shape == (0, 6, 4, 4)
    assert ls.acceleration(arm, np.zeros((0, 6)), np.ones(6), np.ones(6), "flange").shape == (0, 6)


def test_links_fixed_to_the_base():
    arm = ls.Arm(
        "b",
        [ls.Link("plate", joint=ls.Joint("fixed", pose(p=(1, 2, 3)))), ls.Link("a", "plate", mass=1, com=(1, 0, 0))],
    )
    assert np.allclose(ls.velocity(arm, [0.2], [1.0], "plate"), 0.0)
    assert np.allclose(ls.acceleration(arm, [[0.2], [0.3]], [1.0], [1.0], "plate"), np.zeros((2, 6)))
    assert np.allclose(ls.pose(arm, [0.2], "a")[:3, 3], [1, 2, 3])


WRONG = {
    "short": (lambda a: ls.poses(a, [0.0] * 5), r"poses: q has 5 entries, arm 'puma560' has 6 joints \(waist, "),
    "scalar": (lambda a: ls.poses(a, 1.0), "q has no axis"),
    "text": (lambda a: ls.poses(a, ["a"] * 6), "expected numbers"),
    "nan": (lambda a: ls.poses(a, [[0] * 6, [0, 0, np.nan, 0, 0, 0]]), r"q\[1, 2\] is nan"),
    "ragged": (lambda a: ls.poses(a, [[0] * 6, [0] * 5]), "expected numbers"),
    "link": (lambda a: ls.pose(a, [0] * 6, "flang"), "did you mean 'flange'"),
    "link number": (lambda a: ls.pose(a, [0] * 6, 3), "expected a link's or tool's name"),
    "point": (lambda a: ls.pose(a, [0] * 6, "flange", (1, 2)), r"point has shape \(2,\)"),
    "batches": (lambda a: ls.velocity(a, np.zeros((2, 6)), np.zeros((3, 6)), "flange"), "batches do not fit"),
    "not an arm": (lambda a: ls.poses("puma560", [0] * 6), "got str where an Arm was expected"),
    "target": (lambda a: ls.inverse_kinematics(a, np.eye(3), "flange"), r"target has shape \(3, 3\)"),
    "target skewed": (lambda a: ls.inverse_kinematics(a, 2 * np.eye(4), "flange"), "last row"),
    "match": (lambda a: ls.inverse_kinematics(a, np.eye(4), "flange", match="pos"), "match is 'pos'"),
    "weights": (lambda a: ls.inverse_kinematics(a, np.eye(4), "flange", match=[0] * 6), "not all zero"),
    "starts": (lambda a: ls.inverse_kinematics(a, np.eye(4), "flange", starts=0), "at least 1"),
    "on_failure": (lambda a: ls.inverse_kinematics(a, np.eye(4), "flange", on_failure="x"), "'raise' or 'return'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_explained(case):
    call, message = WRONG[case]
    with pytest.raises(ls.InputError, match=message):
        call(ls.load("puma560"))


# ---- inverse kinematics --------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "link"), [("puma560", "flange"), ("stanford", "hand")])
def test_reachable_poses_are_reached_within_limits(name, link):
    arm = ls.load(name)
    lower, upper = arm.bounds("position")
    goals = ls.pose(arm, np.random.default_rng(7).uniform(lower, upper, (20, 6)), link)
    found = ls.inverse_kinematics(arm, goals, link)
    assert found.solved.all()
    # tolerance 1e-9 on each entry of the error
    assert np.abs(ls.pose(arm, found.q, link) - goals).max() < 5e-9
    assert (found.q >= lower).all()
    assert (found.q <= upper).all()


def test_failure_raises_with_the_record_or_returns_it():
    arm = ls.load("two_link")
    goal = pose(p=(2.0, 0.0, 0.0))
    with pytest.raises(ls.SolveError, match=r"not reached from 256 starts; the nearest is 1\.2 m") as caught:
        ls.inverse_kinematics(arm, goal, "fore", match="position")
    assert caught.value.result.position_error == pytest.approx(1.2, abs=1e-6)
    record = ls.inverse_kinematics(arm, [goal, pose(p=(0.5, 0.2, 0))], "fore", match="position", on_failure="return")
    assert record.solved.tolist() == [False, True]
    assert "1 of 2 targets" in record.status


def test_limits_can_make_a_pose_unreachable():
    arm = ls.load("two_link").with_joint("upper", limits=ls.Limits(position=(-0.1, 0.1)))
    record = ls.inverse_kinematics(arm, pose(p=(0, 0.6, 0)), "fore", match="position", on_failure="return")
    assert not record.solved
    assert abs(record.q[0]) <= 0.1


def test_the_answer_stays_close_to_where_it_started():
    arm = ls.load("puma560")
    q = np.array([0.1, 0.6, -0.4, 0.3, 0.5, -0.2])
    goal = ls.pose(arm, q + 0.02, "flange")
    assert np.abs(ls.inverse_kinematics(arm, goal, "flange", q0=q).q - q).max() < 0.1


def test_one_target_and_a_batch_agree():
    arm = ls.load("stanford")
    lower, upper = arm.bounds("position")
    goals = ls.pose(arm, np.random.default_rng(3).uniform(lower, upper, (2, 2, 6)), "hand")
    batch = ls.inverse_kinematics(arm, goals, "hand")
    assert batch.q.shape == (2, 2, 6)
    assert np.array_equal(batch.q[1, 0], ls.inverse_kinematics(arm, goals[1, 0], "hand").q)


def test_orientation_only_and_free_axes():
    arm = ls.load("puma560")
    goal = ls.pose(arm, [0.4, 0.5, -0.9, 0.2, 0.7, 0.1], "flange")
    turned = ls.inverse_kinematics(arm, goal, "flange", match="orientation")
    assert np.abs(ls.pose(arm, turned.q, "flange")[:3, :3] - goal[:3, :3]).max() < 1e-8
    free = ls.inverse_kinematics(arm, goal, "flange", match=(1, 1, 0, 0, 0, 0))
    assert np.abs(ls.pose(arm, free.q, "flange")[:2, 3] - goal[:2, 3]).max() < 1e-8


def test_flexible_and_elastic_arms_are_solved_undeformed():
    soft = ls.load("two_link_flexible")
    found = ls.inverse_kinematics(soft, pose(p=(0.6, 0.5, 0)), "link2", point=(0.5, 0, 0), match="position")
    assert found.q.shape == (6,)
    assert not found.q[soft.mode_index].any()
    assert np.allclose(ls.pose(soft, found.q, "link2", (0.5, 0, 0))[:2, 3], [0.6, 0.5], atol=1e-8)


def test_a_link_nothing_moves_is_refused():
    arm = ls.Arm("b", [ls.Link("plate", joint=ls.Joint("fixed")), ls.Link("a", "plate", mass=1, com=(1, 0, 0))])
    with pytest.raises(ls.InputError, match="no joint moves 'plate'"):
        ls.inverse_kinematics(arm, np.eye(4), "plate")
