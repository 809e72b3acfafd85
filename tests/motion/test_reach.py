"""Ends and via points given in space."""

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, ModelError
from lissom.motion.public import predict_motion
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Via
from lissom.motion.transcription.reaching import Range, Reaching
from lissom.spatial.rotations import about_axis, rotation_vector

LIMITS = ls.Limits(torque=30.0, velocity=4.0)
ANYWHERE = np.array([0.4, -0.7, 0.5, 0.3, 0.6, -0.2])


@pytest.fixture(scope="module")
def puma():
    return ls.load("puma560")


@pytest.fixture(scope="module")
def planar():
    return ls.load("two_link")


def reaching(arm, reach):
    return Reaching(arm, reach, "goal", 1.0, Range(*arm.bounds("position")), "predict_motion")


@pytest.mark.parametrize("angle", [1e-9, 0.3, 2.0, 3.1])
def test_rows_of_an_orientation_are_twice_the_sine_of_half_the_angle(puma, angle):
    X = ls.pose(puma, ANYWHERE, "flange")
    axis = np.array([0.6, -0.48, 0.64])
    turned = about_axis(axis, angle) @ X[:3, :3]
    rows = reaching(puma, Reach("flange", orientation=turned)).rows(ANYWHERE[None])[0]
    assert np.linalg.norm(rows) == pytest.approx(2 * np.sin(angle / 2), rel=1e-3 if angle > 3 else 1e-6)
    pointed = Reach("flange", orientation=[(0.36, 0.48, 0.8), about_axis(axis, angle) @ X[:3, :3] @ [0.36, 0.48, 0.8]])
    rows = reaching(puma, pointed).rows(ANYWHERE[None])[0]
    between = np.linalg.norm(rotation_vector(about_axis(axis, angle)))
    assert 0 < np.linalg.norm(rows) <= 2 * np.sin(between / 2) * (1 + 1e-6)


def test_a_pose_is_reached_and_the_motion_ends_at_rest(puma):
    X = ls.pose(puma, ANYWHERE, "flange", (0.01, 0.0, 0.05))
    goal = Reach("flange", X[:3, 3], X[:3, :3], (0.01, 0.0, 0.05))
    motion = predict_motion(puma, start=np.zeros(6), goal=goal, duration=1.0, minimise="torque_squared", starts=1)
    assert motion.ok
    assert np.abs(ls.pose(puma, motion.q[-1], "flange", (0.01, 0.0, 0.05)) - X).max() < 1e-7
    assert np.abs(motion.qd[[0, -1]]).max() < 1e-9


@pytest.mark.slow
def test_what_is_free_makes_the_motion_cheaper(puma):
    X = ls.pose(puma, ANYWHERE, "flange")
    task = {"start": np.zeros(6), "duration": 1.0, "minimise": "torque_squared"}
    full = predict_motion(puma, goal=Reach("flange", X[:3, 3], X[:3, :3]), **task)
    loose = predict_motion(puma, goal=Reach("flange", (X[0, 3], None, X[2, 3]), [(0, 0, 1), 3 * X[:3, 2]]), **task)
    assert loose.cost < full.cost * (1 - 1e-3)
    end = ls.pose(puma, loose.q[-1], "flange")
    assert np.abs(end[[0, 2], 3] - X[[0, 2], 3]).max() < 1e-7
    assert np.linalg.norm(end[:3, 2] - X[:3, 2]) < 1e-7


def test_start_and_via_points_in_space(planar):
    tip = (0.1, 0.02, 0)
    places = [ls.pose(planar, q, "fore", tip)[:3, 3] for q in ([0.2, 0.7], [0.5, 1.1])]
    motion = predict_motion(
        planar, start=Reach("fore", places[0], point=tip), goal=[1.0, 0.4], limits=LIMITS, starts=1,
        via=[Via(0.4, Reach("fore", places[1], point=tip))], minimise={"time": 1, "torque_squared": 1e-4},
    )  # fmt: skip
    assert motion.ok
    for s, place in zip((0.0, 0.4), places, strict=True):
        q = motion.at(s * motion.duration)[0]
        assert np.abs(ls.pose(planar, q, "fore", tip)[:3, 3] - place).max() < 1e-7


def test_rows_that_an_arm_cannot_change_are_left_out(planar, puma):
    X = ls.pose(planar, [0.4, 0.9], "fore")
    position = reaching(planar, Reach("fore", X[:3, 3]))
    assert position.independent(np.array([0.4, 0.9])).tolist() == [0, 1]
    pose = reaching(planar, Reach("fore", X[:3, 3], X[:3, :3]))
    assert len(pose.independent(np.array([0.4, 0.9]))) == 2
    stretched = reaching(planar, Reach("fore", ls.pose(planar, [0.3, 0.0], "fore")[:3, 3]))
    assert stretched.independent(np.array([0.3, 0.0])).tolist() == [0, 1]
    assert len(reaching(puma, Reach("flange", (0.4, 0.1, 0.2), np.eye(3))).independent(ANYWHERE)) == 6


@pytest.mark.parametrize("angle", [0.3, -0.7])
def test_a_goal_at_the_end_of_the_reach(planar, angle):
    X = ls.pose(planar, [angle, 0.0], "fore")
    goal = Reach("fore", X[:3, 3])
    motion = predict_motion(planar, start=[0.0, 0.5], goal=goal, duration=0.8, minimise="torque_squared", starts=1)
    assert motion.ok
    assert np.abs(motion.q[-1] - [angle, 0.0]).max() < 1e-3  # a double zero: the root of the search's tolerance


def test_a_goal_where_two_axes_are_in_line(puma):
    """The wrist does not bend, but for rounding: its rate in the first guess is 5e-11 rad/s."""
    q = ANYWHERE * [1, 1, 1, 1, 0, 1]
    X = ls.pose(puma, q, "flange")
    goal = Reach("flange", X[:3, 3], X[:3, :3])
    motion = predict_motion(puma, start=np.zeros(6), goal=goal, duration=1.0, minimise="torque_squared", starts=1)
    assert motion.ok
    assert np.abs(ls.pose(puma, motion.q[-1], "flange") - X).max() < 1e-6


def test_the_nearest_of_several_solutions_is_where_the_search_begins(planar):
    X = ls.pose(planar, [0.2, 1.0], "fore")
    found = reaching(planar, Reach("fore", X[:3, 3]))
    assert np.allclose(found.solutions(np.array([0.1, 0.8]))[0], [0.2, 1.0], atol=1e-6)
    other = found.solutions(np.array([1.2, -0.8]))
    assert other[0, 1] == pytest.approx(-1.0, abs=1e-6)
    assert len(other) == 2


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Reach("fore", (3.0, 0, 0)), r"goal is out of reach: .* 'fore' comes no closer than 2\.2 m .* Move it nearer"),
        (Reach("fore", (None, None, 0.3)), r"no closer than 0\.3 m"),
        (Reach("fore", orientation=[(0, 0, 1), (1, 0, 0)]), r"no closer than 1\.571 rad"),
        (Reach("hand", (0.3, 0, 0)), "no link or tool 'hand'"),
    ],
)
def test_what_cannot_be_reached_is_said_before_the_solver_runs(planar, goal, words):
    with pytest.raises(InputError, match=words):
        predict_motion(planar, start=[0, 0], goal=goal, limits=LIMITS)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "nothing is given"),
        ({"position": (None, None, None)}, "nothing is given"),
        ({"position": (1, 2)}, "three finite numbers"),
        ({"position": 3.0}, "three numbers"),
        ({"orientation": np.diag([1, 1, -1.0])}, "orientation"),
        ({"orientation": [(0, 0, 0), (1, 0, 0)]}, "no direction"),
    ],
)
def test_wrong_places_are_refused(fields, words):
    with pytest.raises(ModelError, match=words):
        Reach("fore", **fields)


def test_a_full_pose_for_an_arm_of_five_joints(puma):
    """Six rows, of which five are independent; the sixth is met all the same, or the motion says so."""
    links = [*puma.links[:-1], puma.links[-1].replace(joint=ls.Joint("fixed", puma.links[-1].joint.placement))]
    five = puma.replace(links=links)
    X = ls.pose(five, ANYWHERE[:5], "flange")
    goal = Reach("flange", X[:3, 3], X[:3, :3])
    assert len(reaching(five, goal).independent(ANYWHERE[:5])) == 5
    motion = predict_motion(five, start=np.zeros(5), goal=goal, duration=1.0, minimise="torque_squared", starts=1)
    assert motion.ok
    assert np.abs(ls.pose(five, motion.q[-1], "flange") - X).max() < 1e-6


def test_random_starts_find_other_postures(planar):
    X = ls.pose(planar, [0.9, 0.4], "fore")
    motion = predict_motion(planar, start=[0.0, 0.5], goal=Reach("fore", X[:3, 3]), limits=LIMITS, starts=5)
    times = sorted({round(row["duration"], 4) for row in motion.report.starts})
    assert len(times) == 2  # elbow up and down
    assert motion.duration == pytest.approx(times[0], abs=1e-4)


def test_half_a_turn_away_is_not_there(puma):
    """Where rows of an orientation vanish too."""
    q = np.array([0.3, -0.6, 0.4, 0.0, 0.2, 0.1])
    X = ls.pose(puma, q, "flange")
    goal = ls.Reach("flange", X[:3, 3] + [0, 0, 0.1], [(0, 0, 1), -X[:3, 2]])
    motion = predict_motion(puma, start=q, goal=goal, limits=ls.Limits(velocity=4.0), minimise="time")
    assert ls.pose(puma, motion.q[-1], "flange")[:3, 2] @ X[:3, 2] < -1 + 1e-6
    two = ls.load("two_link").with_gravity((0, 0, 0))
    turned = predict_motion(
        two, start=[0, 0], goal=ls.Reach("fore", orientation=np.diag([-1.0, -1, 1])), limits=ls.Limits(torque=5.0)
    )
    assert abs(abs(turned.q[-1].sum()) - np.pi) < 1e-6
