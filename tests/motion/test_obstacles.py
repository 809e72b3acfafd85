"""Motions around things."""

import re
from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, ModelError
from lissom.motion.public import predict_motion
from lissom.motion.task.obstacles import Capsule, CollisionBody, Sphere, apart, bodies_of, count_of, widened
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.clearance import Clearance
from lissom.motion.transcription.constraints.constraint import Look

LIMITS = ls.Limits(torque=40.0)
SHAPE = [CollisionBody("upper", (-0.4, 0, 0), (0, 0, 0), 0.03), CollisionBody("fore", (-0.4, 0, 0), (0.05, 0, 0), 0.02)]


@pytest.fixture(scope="module")
def planar():
    return ls.load("two_link").with_gravity((0, 0, 0))


def brute(a, b, c, d):
    s = np.linspace(0, 1, 401)
    first, second = a + s[:, None] * (b - a), c + s[:, None] * (d - c)
    return np.linalg.norm(first[:, None] - second, axis=-1).min()


def test_distance_of_segments_against_a_fine_grid():
    rng = np.random.default_rng(7)
    ends = rng.normal(size=(4, 40, 3))
    ends[1, :5] = ends[0, :5]  # points
    ends[3, 5:10] = ends[2, 5:10] + 0.7 * (ends[1, 5:10] - ends[0, 5:10])  # parallel
    ends[:, 10:20, 2] = 0.0  # crossing in a plane
    want = [brute(*(end[k] for end in ends)) for k in range(40)]
    found = apart(*ends)
    assert (found <= np.array(want) + 1e-12).all()
    assert np.abs(found - want).max() < 1e-2  # the grid is that coarse


@pytest.mark.parametrize("length", [0.0, 0.03, 0.4, 2.0])
def test_nothing_passes_between_the_points_of_a_cover(length):
    D, rng = 0.07, np.random.default_rng(3)
    count = count_of(length, D)
    wide = widened(length, count, D)
    assert wide <= 1.03 * D + 1e-12
    points = np.linspace([0, 0, 0], [length, 0, 0], count)
    ends = rng.uniform(-0.3, length + 0.3, (2000, 2, 3)) * [1, 0.3, 0.3]
    a, b = np.zeros((2000, 3)), np.tile([length, 0.0, 0.0], (2000, 1))
    clear = np.min(
        [apart(np.tile(p, (2000, 1)), np.tile(p, (2000, 1)), ends[:, 0], ends[:, 1]) for p in points], axis=0
    )
    truth = apart(a, b, ends[:, 0], ends[:, 1])
    assert (truth[clear >= wide] >= D - 1e-12).all()
    assert (clear >= wide).any()
    assert (clear < wide).any()


@pytest.mark.parametrize(
    "obstacle", [pytest.param(Sphere((0.55, 0.42, 0.0), 0.05), marks=pytest.mark.slow),
                 Capsule((0.62, 0.36, -0.3), (0.6, 0.4, 0.5), 0.04),
                 Capsule((0.62, 0.36, 0.0), (0.9, 0.55, 0.0), 0.02)]
)  # fmt: skip
@pytest.mark.some(1)
def test_a_motion_goes_around(planar, obstacle):
    task = Task([0.0, 0.1], [1.2, 0.4], LIMITS, minimise={"time": 1.0, "torque_squared": 1e-4}, bodies=SHAPE)
    through = predict_motion(planar, task)
    around = predict_motion(planar, task, obstacles=obstacle, margin=0.01)
    clearance = Clearance(planar, SHAPE, [obstacle], 0.0, "test")
    fine = np.linspace(0, 1, 1500)
    assert clearance.gaps(through.at(fine * through.duration)[0]).min() < -0.01
    left = clearance.gaps(around.at(fine * around.duration)[0]).min()
    assert 0.01 - 1e-3 * 0.1 < left < 0.02  # kept, and used
    assert around.ok
    assert around.cost > through.cost
    peak = next(peak for peak in around.report.peaks if peak.quantity.startswith("distance"))
    assert peak.value == pytest.approx(left, abs=1e-4)
    assert around.verify().ok
    # the one that goes through, taken for an answer to the task with the obstacle
    wrong = replace(through, task=around.task).verify()
    assert re.fullmatch(
        r"distance from \w+ 0 of '\w+' is -0\.0\d+ m, less than the margin of 0.01 m, at .* s", wrong.status
    )


def test_what_is_far_away_changes_nothing(planar):
    task = Task([0.0, 0.1], [1.2, 0.4], LIMITS, minimise={"time": 1.0, "torque_squared": 1e-4})
    assert predict_motion(planar, task, obstacles=Sphere((0, -0.9, 0), 0.1), starts=1).cost == pytest.approx(
        predict_motion(planar, task, starts=1).cost, rel=1e-7
    )


def test_rows_and_gaps_agree_where_one_point_covers(planar):
    clearance = Clearance(planar, SHAPE, [Sphere((0.5, 0.3, 0.1), 0.08)], 0.01, "test")
    q = np.random.default_rng(0).uniform(-2, 2, (8, 2))
    u = np.zeros((8, 6))
    u[:, :2] = q
    rows = np.concatenate(
        [
            clearance.sample(*pair.kind).value([u, np.ones((8, 1)), np.tile(pair.data, (8, 1))])[0].copy()
            for pair in clearance.pairs
        ],
        axis=1,
    )
    D = np.array([0.03 + 0.08 + 0.01, 0.02 + 0.08 + 0.01])
    d = clearance.gaps(q) + D
    assert np.allclose(rows, (d * d - D * D) / (2 * D), rtol=1e-9, atol=1e-12)


def test_nothing_is_passed_unseen(planar):
    """Two looks, one on each side of a thin pole; the arm is in it for a hundredth of the way between."""
    clearance = Clearance(planar, SHAPE, [Capsule((0.3, 0.2, -1), (0.3, 0.2, 1), 0.002)], 0.0, "test")
    q = np.array([[0.0, 0.1], [1.2, 0.1]])
    assert clearance.gaps(q).min() > 0

    def at(s):
        return q[0] + s[:, None] * (q[1] - q[0])

    ends = np.array([0.0, 1.0])
    (peak,) = clearance.peaks(Look(at, ends, ends, 2.0, [q], None, None))
    assert peak.value < -0.02
    assert peak.time == pytest.approx(2 * np.arctan2(0.2, 0.3) / 1.2, abs=0.02)
    assert clearance.watch(at, np.array([0.0, 1.0]), excess=1e-3)  # it gets rows, and samples so close that
    samples = clearance.blocks(None, np.array([0.0, 1.0]))[0].s  # nothing as thin fits between them
    inside = clearance.gaps(at(samples)).min(axis=1) < 0
    assert inside.any()
    assert not clearance.watch(at, np.array([0.0, 1.0]), excess=1e-3)


@pytest.mark.slow
def test_a_thin_obstacle_on_the_fastest_motion(planar):
    """Where samples alone would let the arm through between two of them, it goes around."""
    ends = {"start": [0, -2], "goal": [1, -1], "limits": LIMITS}
    free = predict_motion(planar, **ends)
    body = bodies_of(planar)[-1]
    X = ls.pose(planar, free.at(np.array([free.duration / 2]))[0][0], body.link)
    for radius in (0.01, 0.002):
        motion = predict_motion(planar, **ends, obstacles=[Sphere(X[:3, 3] + X[:3, :3] @ body.b, radius)])
        assert motion.status == "solved"
        assert motion.verify().ok
        assert motion.duration > free.duration


def test_the_arms_own_shape():
    cylinder = ls.LinkShape(
        "cylinder", (0.05, 0.4), origin=np.array([[0, 0, 1, 0.2], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1.0]])
    )
    ball = ls.LinkShape(
        "sphere", (0.05,), origin=np.array([[1, 0, 0, 0.4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    )
    box = ls.LinkShape("box", (0.1, 0.6, 0.08), role="collision")
    links = [
        ls.Link("base", joint=ls.Joint("fixed")),
        ls.Link("a", "base", mass=1.0, com=(0.2, 0, 0), inertia=0.01, shapes=(cylinder, ball)),
        ls.Link("b", "a", mass=1.0, com=(0.2, 0, 0), inertia=0.01, shapes=(cylinder, box)),
        ls.Link("c", "b", mass=1.0, com=(0.3, 0, 0), inertia=0.01),
    ]
    first, second, third = bodies_of(ls.Arm("shapes", links))
    assert np.allclose([first.a, first.b], [[0, 0, 0], [0.4, 0, 0]])
    assert first.radius == 0.05
    assert np.allclose([second.a, second.b], [[0, -0.3, 0], [0, 0.3, 0]])
    assert second.radius == pytest.approx(np.hypot(0.1, 0.08) / 2)
    assert (third.link, third.radius, third.b.tolist()) == ("c", 0.0, [0.3, 0, 0])


def test_drawings_are_no_collision_bodies():
    link = ls.Link("a", mass=1.0, com=(0.2, 0, 0), inertia=0.01)
    thick = ls.LinkShape("sphere", (0.3,))
    assert [body.radius for body in bodies_of(ls.Arm("drawn", [link.replace(shapes=(thick,))]))] == [0.3]
    drawn = ls.Arm("drawn", [link.replace(shapes=(thick.replace(role="drawing"),))])
    assert bodies_of(drawn) == bodies_of(ls.Arm("bare", [link]))


def test_ends_inside_an_obstacle_are_named(planar):
    with pytest.raises(
        InputError,
        match=r"at the goal the distance from sphere 0 of 'fore' is -0\.1\d* m, so that it is inside it\. Move the",
    ):
        predict_motion(planar, start=[0, 0.1], goal=[1.2, 0.4], limits=LIMITS, bodies=SHAPE,
                       obstacles=Sphere(ls.pose(planar, [1.2, 0.4], "fore")[:3, 3], 0.08))  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"obstacles": [3]}, "Sphere"), ({"bodies": Sphere((0, 0, 0), 1)}, "Body"), ({"margin": -0.1}, "margin")],
)
def test_wrong_obstacles_are_refused(fields, words):
    with pytest.raises(ModelError, match=words):
        Task([0, 0], [1, 1], LIMITS, **fields)
    with pytest.raises(ModelError, match="radius"):
        Sphere((0, 0, 0), 0.0)
