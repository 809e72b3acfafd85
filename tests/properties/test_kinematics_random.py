"""Kinematics of random arms against the definition, written down once more here and differentiated exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.strategies import Numbers, State, arms, calm, serial_arms, states

import lissom as ls

# A few hundred roundings along a chain of up to twelve links, relative to the arm's size.
ROUNDING = 1e-13
# Derivatives from samples on a circle in the complex plane lose two to three digits to its small radius.
CIRCLE_ROUNDING = 1e-11
COMPLEX_STEP = 1e-30
# What `inverse_kinematics` promises by default: each entry of the error [m, rad].
IK_TOLERANCE = 1e-9


# ---- forward kinematics from its definition ------------------------------------------------------------------------


def forward(arm: ls.Arm, q: np.ndarray) -> dict[str, np.ndarray]:
    """Poses of all frames at one q, real or complex: parent's (tip) frame @ placement @ motion @ Link.frame."""
    children_at: dict[str | None, np.ndarray] = {None: np.eye(4)}
    out: dict[str, np.ndarray] = {}
    own: dict[str, Any] = dict(zip(arm.coordinates, q, strict=True))

    def motor_side(joint: ls.Joint) -> Any:
        if joint.mimic is None:
            return own[joint.name] if joint.moves else 0.0
        return joint.mimic.multiplier * motor_side(arm.joint(joint.mimic.joint)) + joint.mimic.offset

    for link in arm.links:
        axis = link.joint.axis
        position = motor_side(link.joint) + own.get(f"{link.joint.name}.deflection", 0.0)
        motion = np.eye(4, dtype=complex)
        if link.joint.kind in ("revolute", "helical"):
            K = np.cross(np.eye(3), axis)  # K @ v = axis x v
            motion[:3, :3] += np.sin(position) * K + (1.0 - np.cos(position)) * (K @ K)
        if link.joint.kind in ("prismatic", "helical"):
            motion[:3, 3] = position * axis * (link.joint.pitch if link.joint.kind == "helical" else 1.0)
        out[link.name] = children_at[link.parent] @ link.joint.placement @ motion @ link.frame
        tip = np.eye(4)
        if link.beam is not None:
            tip[0, 3] = link.beam.length
        elif link.modes is not None:
            tip[:3, 3] = link.modes.tip
        children_at[link.name] = out[link.name] @ tip
        out |= {tool.name: children_at[link.name] @ tool.placement for tool in link.tools}
    return out


def at_point(X: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The pose moved to a point given in its axes."""
    Y = np.array(X)
    Y[:3, 3] = X[:3, :3] @ point + X[:3, 3]
    return Y


def vee(S: np.ndarray) -> np.ndarray:
    """Vector of the antisymmetric part of a matrix."""
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def exact_jacobian(arm: ls.Arm, q: np.ndarray, frame: str, point: np.ndarray) -> np.ndarray:
    """Complex step: no subtraction, so no digits are lost."""
    R = forward(arm, q)[frame][:3, :3].real
    columns = []
    for k in range(arm.dof):
        step = COMPLEX_STEP * 1j * np.eye(arm.dof)[k]
        dX = at_point(forward(arm, q + step)[frame], point).imag / COMPLEX_STEP
        columns.append(np.concatenate([dX[:3, 3], vee(dX[:3, :3] @ R.T)]))
    return np.array(columns).reshape(arm.dof, 6).T


def exact_motion(arm: ls.Arm, s: State, frame: str, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration (6,) by Cauchy's formula: the pose sampled on a circle of complex times."""
    radius, turns = 0.3 / rate(s), np.exp(2j * np.pi * np.arange(24) / 24)
    samples = []
    for t in radius * turns:
        samples.append(at_point(forward(arm, s.q + s.qd * t + s.qdd * t**2 / 2)[frame], point))
    X, dX, ddX = (np.tensordot(turns**-n, samples, 1).real / 24 * f / radius**n for n, f in enumerate((1, 1, 2)))
    R, dR, ddR = (Y[:3, :3] for Y in (X, dX, ddX))
    velocity = np.concatenate([dX[:3, 3], vee(dR @ R.T)])
    return velocity, np.concatenate([ddX[:3, 3], vee(ddR @ R.T)])


def rate(s: State) -> float:
    """All rates added, per second: the scale of time."""
    return 1.0 + float(np.abs(s.qd).sum() + np.sqrt(np.abs(s.qdd).sum()))


def size(arm: ls.Arm, q: np.ndarray, point: Any = 0.0) -> float:
    """All lengths added; the lever of every rounding."""
    steps = [np.linalg.norm(X[:3, 3]) for link in arm.links for X in (link.joint.placement, link.frame, link.tip)]
    steps += [np.linalg.norm(tool.placement[:3, 3]) for link in arm.links for tool in link.tools]
    moved = np.abs(q).sum() + np.abs(arm.joint_positions(q)).sum()
    return 1.0 + float(sum(steps) + moved + np.abs(point).sum())


def case(data: st.DataObject, arm: ls.Arm) -> tuple[State, str, np.ndarray]:
    """A state, a frame and a point on it."""
    seed = data.draw(st.integers(0, 2**32 - 1))
    return data.draw(states(arm)), data.draw(st.sampled_from(sorted(arm.frames))), Numbers(seed).vector(0.4)


jointed_arms = arms(flexible=False)  # rigid links, elastic joints among the others


# ---- values --------------------------------------------------------------------------------------------------------


@calm(60)
@given(jointed_arms, st.data())
def test_poses_follow_the_definition(arm: ls.Arm, data: st.DataObject) -> None:
    q = data.draw(states(arm)).q
    expected = forward(arm, q)
    for link, X in zip(arm.links, ls.poses(arm, q), strict=True):
        assert np.abs(X - expected[link.name].real).max() <= ROUNDING * size(arm, q), link.name
    for name in arm.frames:
        assert np.abs(ls.pose(arm, q, name) - expected[name].real).max() <= ROUNDING * size(arm, q), name


@calm(45)
@given(jointed_arms, st.data())
def test_poses_are_rigid(arm: ls.Arm, data: st.DataObject) -> None:
    X = ls.poses(arm, data.draw(states(arm)).q)
    R = X[..., :3, :3]
    assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() <= ROUNDING
    assert np.abs(np.linalg.det(R) - 1.0).max() <= ROUNDING
    assert np.array_equal(X[..., 3, :], np.broadcast_to([0.0, 0.0, 0.0, 1.0], X[..., 3, :].shape))


@calm(45)
@given(jointed_arms, st.data())
def test_jacobian_is_the_derivative_of_the_pose(arm: ls.Arm, data: st.DataObject) -> None:
    s, frame, point = case(data, arm)
    J = ls.jacobian(arm, s.q, frame, point)
    assert J.shape == (6, arm.dof)
    assert np.abs(J - exact_jacobian(arm, s.q, frame, point)).max(initial=0.0) <= ROUNDING * size(arm, s.q, point)


@calm(45)
@given(jointed_arms, st.data())
def test_velocity_and_acceleration_are_derivatives_in_time(arm: ls.Arm, data: st.DataObject) -> None:
    s, frame, point = case(data, arm)
    velocity, acceleration = exact_motion(arm, s, frame, point)
    scale = CIRCLE_ROUNDING * size(arm, s.q, point) * rate(s)
    assert np.abs(ls.velocity(arm, s.q, s.qd, frame, point) - velocity).max() <= scale
    assert np.abs(ls.acceleration(arm, s.q, s.qd, s.qdd, frame, point) - acceleration).max() <= scale * rate(s)


@calm(30)
@given(jointed_arms, st.data())
def test_velocity_is_jacobian_times_rates(arm: ls.Arm, data: st.DataObject) -> None:
    s, frame, point = case(data, arm)
    gap = ls.jacobian(arm, s.q, frame, point) @ s.qd - ls.velocity(arm, s.q, s.qd, frame, point)
    assert np.abs(gap).max() <= ROUNDING * size(arm, s.q, point) * rate(s)


@calm(30)
@given(jointed_arms, st.data())
def test_acceleration_is_linear_in_accelerations(arm: ls.Arm, data: st.DataObject) -> None:
    """What qdd adds is J qdd; the rest is quadratic in the rates."""
    s, frame, point = case(data, arm)

    def a(qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return ls.acceleration(arm, s.q, qd, qdd, frame, point)

    scale = ROUNDING * size(arm, s.q, point) * rate(s) ** 2
    rest = a(s.qd, 0 * s.qdd)
    assert np.abs(a(s.qd, s.qdd) - rest - ls.jacobian(arm, s.q, frame, point) @ s.qdd).max() <= scale
    assert np.abs(a(-3.0 * s.qd, 0 * s.qdd) - 9.0 * rest).max() <= 20 * scale


@calm(20)
@given(serial_arms(min_joints=2), st.data())
def test_turning_the_base_turns_everything(arm: ls.Arm, data: st.DataObject) -> None:
    s, frame, point = case(data, arm)
    X = Numbers(data.draw(st.integers(0, 99))).pose()
    root = arm.links[0]
    moved = arm.with_link(root.name, joint=root.joint.replace(placement=X @ root.joint.placement))
    R = np.kron(np.eye(2), X[:3, :3])
    here = [ls.velocity(arm, s.q, s.qd, frame, point), ls.acceleration(arm, s.q, s.qd, s.qdd, frame, point)]
    there = [ls.velocity(moved, s.q, s.qd, frame, point), ls.acceleration(moved, s.q, s.qd, s.qdd, frame, point)]
    for before, after in zip(here, there, strict=True):
        assert np.abs(R @ before - after).max() <= ROUNDING * size(arm, s.q, point) * rate(s) ** 2


# ---- shapes --------------------------------------------------------------------------------------------------------


def verbs(arm: ls.Arm, frame: str) -> dict[str, Callable[[State, np.ndarray], np.ndarray]]:
    """Every kinematic function as one of a state and a point."""
    return {
        "poses": lambda s, p: ls.poses(arm, s.q),
        "pose": lambda s, p: ls.pose(arm, s.q, frame, p),
        "jacobian": lambda s, p: ls.jacobian(arm, s.q, frame, p),
        "velocity": lambda s, p: ls.velocity(arm, s.q, s.qd, frame, p),
        "acceleration": lambda s, p: ls.acceleration(arm, s.q, s.qd, s.qdd, frame, p),
    }


@calm(15)
@given(jointed_arms, st.data())
def test_one_state_and_a_batch_agree_bit_for_bit(arm: ls.Arm, data: st.DataObject) -> None:
    batch = data.draw(st.sampled_from([(1,), (37,), (5, 3), (2, 1, 4)]))
    s, (_, frame, point) = data.draw(states(arm, batch)), case(data, arm)
    for word, verb in verbs(arm, frame).items():
        together = verb(s, point)
        for i in np.ndindex(batch):
            assert np.array_equal(together[i], verb(State(*(x[i] for x in s)), point)), f"{word} at {i}"


@calm(15)
@given(jointed_arms, st.data())
def test_memory_layout_does_not_matter(arm: ls.Arm, data: st.DataObject) -> None:
    s, (_, frame, point) = data.draw(states(arm, (19,))), case(data, arm)
    fortran = State(*(np.asfortranarray(x) for x in s))
    strided = State(*(np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3] for x in s))
    for word, verb in verbs(arm, frame).items():
        for other in (fortran, strided):
            assert np.array_equal(verb(s, point), verb(other, point)), word


@calm(15)
@given(arms(flexible=False, max_links=5), st.data())
def test_states_and_points_broadcast(arm: ls.Arm, data: st.DataObject) -> None:
    s, (_, frame, _) = data.draw(states(arm, (2, 3, 4))), case(data, arm)
    points = Numbers(11).some(-0.4, 0.4, (2, 1, 1, 3))
    mixed = State(s.q[:1, :, :1], s.qd[0, 0], s.qdd[:, :1, :])
    full = State(*(np.broadcast_to(x, (2, 3, 4, arm.dof)) for x in mixed))
    for word, verb in verbs(arm, frame).items():
        if word == "poses":
            continue  # takes neither rates nor a point
        got, want = verb(mixed, points), verb(full, np.broadcast_to(points, (2, 3, 4, 3)))
        assert np.array_equal(np.broadcast_to(got, want.shape) if word in ("pose", "jacobian") else got, want), word
    assert ls.velocity(arm, mixed.q, mixed.qd, frame, points).shape == (2, 3, 4, 6)
    assert ls.jacobian(arm, s.q[0, 0, 0], frame, points[:, 0, 0]).shape == (2, 6, arm.dof)


def test_batches_that_do_not_fit_are_refused() -> None:
    arm = ls.load("tree_demo")
    q = np.zeros((3, arm.dof))
    with pytest.raises(ls.InputError, match=r"velocity: the batches do not fit together: .*qd \(4, 7\)"):
        ls.velocity(arm, q, np.zeros((4, arm.dof)), "finger")
    with pytest.raises(ls.InputError, match="the batches do not fit together"):
        ls.pose(arm, q, "finger", np.zeros((2, 3)))


@pytest.mark.parametrize("word", ["poses", "pose", "jacobian", "velocity", "acceleration"])
def test_bad_numbers_are_named(word: str) -> None:
    arm = ls.load("tree_demo")
    zero = np.zeros(arm.dof)
    bad = zero.copy()
    bad[4] = np.nan
    verb = verbs(arm, "left_grip")[word]
    with pytest.raises(ls.InputError, match=rf"{word}: q\[4\] is nan"):
        verb(State(bad, zero, zero), np.zeros(3))
    with pytest.raises(ls.InputError, match=rf"{word}: q has 6 entries, arm 'tree_demo' has 7 joints \(turn, lift"):
        verb(State(zero[:-1], zero, zero), np.zeros(3))
    with pytest.raises(ls.InputError, match=rf"{word}: q has no axis"):
        verb(State(np.float64(0.3), zero, zero), np.zeros(3))


# ---- flexible links ------------------------------------------------------------------------------------------------


@calm(30)
@given(arms(min_joints=1, flexible=False), st.data())
def test_short_vectors_leave_elastic_coordinates_zero(arm: ls.Arm, data: st.DataObject) -> None:
    full = data.draw(states(arm))
    for x in full:
        x[arm.mode_index] = 0.0
    short = State(*(x[arm.joint_index] for x in full))
    frame = data.draw(st.sampled_from(sorted(arm.frames)))
    for word, verb in verbs(arm, frame).items():
        assert np.array_equal(verb(short, np.zeros(3)), verb(full, np.zeros(3))), word


def test_beam_without_modes_is_rigid() -> None:
    """No modal coordinates, nothing to refuse: the Jacobian beyond it is that of a rigid arm."""
    boom = ls.Link("boom", mass=0.2, inertia=0.01, beam=ls.Beam(0.7, 0.9, EI=4.0, modes=ls.Modes(bending_z=0)))
    hand = ls.Link("hand", "boom", ls.Joint(axis=(0, 1, 0.2)), mass=0.3, inertia=(0.01, 0.01, 0.01))
    arm = ls.Arm("stiff", [boom, hand])
    q, point = np.array([0.4, -1.2]), np.array([0.1, 0.02, -0.3])
    J = ls.jacobian(arm, q, "hand", point)
    assert np.abs(J - exact_jacobian(arm, q, "hand", point)).max() <= ROUNDING * size(arm, q, point)


# ---- inverse kinematics --------------------------------------------------------------------------------------------

REACHES = [("puma560", "flange"), ("stanford", "hand"), ("tree_demo", "left_grip"), ("two_link", "fore")]


def last_frame(name: str, frame: str) -> tuple[ls.Arm, str]:
    arm = ls.load(name)
    return arm, frame if frame in arm.frames else arm.links[-1].name


def reachable(arm: ls.Arm, frame: str, count: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Random positions within the limits, and the poses they reach."""
    lower, upper = (np.clip(side, -2.5, 2.5) for side in arm.bounds("position"))
    q = np.random.default_rng(seed).uniform(lower, upper, (count, arm.dof))
    return q, ls.pose(arm, q, frame)


def assert_within_limits(arm: ls.Arm, q: np.ndarray) -> None:
    lower, upper = arm.bounds("position")
    assert (q[..., arm.joint_index] >= lower).all()
    assert (q[..., arm.joint_index] <= upper).all()


def pose_error(X: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(X - target).max())


@pytest.mark.parametrize(("name", "frame"), REACHES)
def test_reachable_poses_are_found_within_limits(name: str, frame: str) -> None:
    arm, frame = last_frame(name, frame)
    _, goals = reachable(arm, frame, 12)
    found = ls.inverse_kinematics(arm, goals, frame)
    assert found.solved.all()
    assert (found.starts_solved >= 1).all()
    assert (found.position_error <= np.sqrt(3) * IK_TOLERANCE).all()
    assert (found.angle_error <= np.sqrt(3) * IK_TOLERANCE).all()
    assert_within_limits(arm, found.q)
    # the record says what the forward map says
    assert pose_error(ls.pose(arm, found.q, frame), goals) <= 2 * IK_TOLERANCE


@pytest.mark.parametrize(("name", "frame"), REACHES)
def test_a_batch_of_targets_equals_one_by_one(name: str, frame: str) -> None:
    arm, frame = last_frame(name, frame)
    q, goals = reachable(arm, frame, 6, seed=8)
    together = ls.inverse_kinematics(arm, goals.reshape(2, 3, 4, 4), frame, q0=q[0], starts=8, on_failure="return")
    assert together.q.shape == (2, 3, arm.dof)
    for i, goal in enumerate(goals):
        alone = ls.inverse_kinematics(arm, goal, frame, q0=q[0], starts=8, on_failure="return")
        for field in ("q", "solved", "position_error", "angle_error", "starts_solved"):
            assert np.array_equal(getattr(alone, field), getattr(together, field)[i // 3, i % 3]), field


@calm(20)
@given(serial_arms(min_joints=2), st.data())
def test_a_close_start_reaches_the_target(arm: ls.Arm, data: st.DataObject) -> None:
    s, frame, point = case(data, arm)
    lower, upper = arm.bounds("position")
    q = np.clip(s.q, lower, upper)
    frame = arm.links[-1].name
    goal = ls.pose(arm, q, frame, point)
    near = np.clip(q + 0.02 * np.sin(7.3 * np.arange(arm.dof)), lower, upper)
    found = ls.inverse_kinematics(arm, goal, frame, point, q0=near)
    assert found.solved
    assert_within_limits(arm, found.q)
    assert pose_error(ls.pose(arm, found.q, frame, point), goal) <= 2 * IK_TOLERANCE


def test_the_answer_is_the_one_nearest_to_the_start() -> None:
    """Both elbows reach the point; the start decides which is given."""
    arm = ls.load("two_link")
    goal = ls.pose(arm, [0.3, 1.1], "fore")
    up = ls.inverse_kinematics(arm, goal, "fore", match="position", q0=[0.3, 1.0])
    down = ls.inverse_kinematics(arm, goal, "fore", match="position", q0=[1.3, -1.0])
    assert np.abs(up.q - [0.3, 1.1]).max() < 1e-7
    assert np.abs(down.q - [1.4, -1.1]).max() < 1e-7


@pytest.mark.parametrize("match", ["position", "orientation", (1, 1, 0, 0, 0, 2.5)])
def test_only_what_is_matched_counts(match: Any) -> None:
    arm = ls.load("puma560")
    _, goals = reachable(arm, "flange", 4, seed=3)
    found = ls.inverse_kinematics(arm, goals, "flange", match=match)
    gap = ls.pose(arm, found.q, "flange") - goals
    rows = {"position": gap[:, :3, 3], "orientation": gap[:, :3, :3]}.get(str(match), gap[:, :2, 3])
    assert np.abs(rows).max() <= 2 * IK_TOLERANCE
    assert_within_limits(arm, found.q)


def out_of_reach() -> tuple[ls.Arm, np.ndarray]:
    arm = ls.load("puma560")
    goal = np.eye(4)
    goal[:3, 3] = (4.7, 0.3, -0.2)
    return arm, goal


def test_failure_is_said_and_carries_the_record() -> None:
    arm, goal = out_of_reach()
    with pytest.raises(ls.SolveError, match="inverse_kinematics: the target was not reached from 5 starts") as caught:
        ls.inverse_kinematics(arm, goal, "flange", starts=5)
    record = caught.value.result
    assert not record.solved
    assert record.starts_solved == 0
    assert record.position_error == pytest.approx(
        np.linalg.norm(ls.pose(arm, record.q, "flange")[:3, 3] - goal[:3, 3]), rel=1e-9
    )
    assert_within_limits(arm, record.q)
    returned = ls.inverse_kinematics(arm, goal, "flange", starts=5, on_failure="return")
    assert np.array_equal(returned.q, record.q)
    assert returned.status in str(caught.value)


def test_one_bad_target_does_not_spoil_the_others() -> None:
    arm, far = out_of_reach()
    _, goals = reachable(arm, "flange", 2, seed=4)
    found = ls.inverse_kinematics(arm, [goals[0], far, goals[1]], "flange", starts=8, on_failure="return")
    assert found.solved.tolist() == [True, False, True]
    assert "1 of 3 targets (first: 1)" in found.status
    alone = ls.inverse_kinematics(arm, goals[1], "flange", starts=8)
    assert np.array_equal(found.q[2], alone.q)


def test_joints_stay_within_limits_that_forbid_the_target() -> None:
    arm = ls.load("two_link")
    goal = ls.pose(arm, [0.4, 1.2], "fore")
    tight = arm.with_joint(arm.joints[0].name, limits=ls.Limits(position=(-0.1, 0.2)))
    record = ls.inverse_kinematics(tight, goal, "fore", on_failure="return")
    assert not record.solved
    assert_within_limits(tight, record.q)
    assert record.q[0] == 0.2  # as near as it may go


def test_elastic_coordinates_stay_zero() -> None:
    arm = ls.load("two_link_flexible")
    tip = (0.5, 0.0, 0.0)
    goal = ls.pose(arm, [0.7, -0.9], "link2", tip)
    found = ls.inverse_kinematics(arm, goal, "link2", tip, q0=[0.6, -0.8])
    assert np.abs(found.q[arm.joint_index] - [0.7, -0.9]).max() < 1e-8
    assert not found.q[arm.mode_index].any()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": np.eye(3)}, r"target has shape \(3, 3\); expected \(4, 4\)"),
        ({"target": np.diag([1.0, 1.0, np.inf, 1.0])}, r"target\[2, 2\] is inf"),
        ({"target": np.diag([1.0, 1.1, 1.0, 1.0])}, "not orthonormal"),
        ({"link": "flnge"}, "did you mean 'flange'"),
        ({"match": "positon"}, "match is 'positon'; expected one of pose, position, orientation"),
        ({"match": (1, 1, 1, 0, 0, -1)}, "six weights of at least 0"),
        ({"point": (0.0, 0.1)}, r"point has shape \(2,\)"),
        ({"q0": np.zeros((2, 6))}, r"q0 has shape \(2, 6\); expected one state"),
        ({"q0": np.zeros(5)}, "q0 has 5 entries"),
        ({"starts": 0}, r"starts .*at least 1"),
        ({"starts": 2.5}, "starts is 2.5"),
        ({"iterations": 0}, r"iterations .*at least 1"),
        ({"tolerance": np.nan}, "tolerance is nan"),
        ({"on_failure": "ignore"}, "on_failure is 'ignore'"),
    ],
)
def test_questions_that_make_no_sense_are_refused(change: dict[str, Any], words: str) -> None:
    question = {"target": np.eye(4), "link": "flange", **change}
    with pytest.raises(ls.InputError, match=words):
        ls.inverse_kinematics(ls.load("puma560"), **question)


def test_a_frame_that_nothing_moves_is_refused() -> None:
    post = ls.Link("post", joint=ls.Joint("fixed"), mass=1.0)
    rod = ls.Link("rod", "post", mass=1.0, com=(0.3, 0, 0), inertia=0.01)
    with pytest.raises(ls.InputError, match="no joint moves 'post'"):
        ls.inverse_kinematics(ls.Arm("pendulum", [post, rod]), np.eye(4), "post")
