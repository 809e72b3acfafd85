"""Predicted walks and lifts, on coarse meshes; the fine ones, and those in space, are slow."""

import numpy as np
import pytest

import lissom as ls
from lissom.humans.walk.predict import _large_person_named
from lissom.humans.walk.timing import peoples_step
from lissom.progress import _current, stage

COARSE = {"segments": (1, 1, 3, 3), "progress": False}
PLANAR = ls.human(height=1.741, mass=73.0, joints=13)


@pytest.fixture(scope="module")
def step():
    return ls.predict_walk(PLANAR, 1.33, 0.692, **COARSE)


def test_a_step_of_the_planar_person(step):
    """Mechanics that hold for every walk: periodic, as fast as asked, and the ground carries the weight on average."""
    assert step.ok
    arm, q, qd = step.arm, step.q, step.qd
    x = arm.coordinates.index("pelvis_x")
    assert (q[-1, x] - q[0, x]) / step.duration == pytest.approx(1.33, rel=1e-6)
    names = list(arm.coordinates)
    order = [names.index(arm.mirror.partner("coordinates", name)) for name in names]
    np.testing.assert_allclose(np.delete(q[-1, order] - q[0], x), 0.0, atol=1e-6)
    np.testing.assert_allclose(qd[-1, order], qd[0], atol=1e-4)
    found = step.verify()
    assert found.slip < 1e-3
    assert found.penetration < 1e-3
    assert found.root_residual < 1e-3
    t = np.linspace(0, step.duration, 2001)
    mean = np.trapezoid(step.contacts.forces_at(t)[:, :, 2].sum(axis=1), t) / step.duration
    assert mean == pytest.approx(73.0 * 9.81, rel=0.02)


def test_progress_says_that_many_coordinates_take_minutes():
    with _large_person_named(ls.human(), True):
        stage("solving")
        assert _current.get().text == "walk of a person of 55 coordinates, which takes minutes: solving"
    with _large_person_named(PLANAR, True):
        assert _current.get() is None


def test_it_is_like_a_walk(step):
    """Coarse bars that every healthy walk meets."""
    report = ls.gait_report(step)
    right = report.right
    assert right["knee"][60:90].max() == pytest.approx(65, abs=15)
    assert right["hip"].max() - right["hip"].min() == pytest.approx(44, abs=12)
    assert 0.95 < right["vertical"].max() < 1.4
    assert 1.0 < right["ankle_moment"].max() < 2.0


def test_an_earlier_walk_is_a_guess(step):
    again = ls.predict_walk(PLANAR, 1.33, 0.70, guess=step, **COARSE)
    assert again.ok
    assert again.cost == pytest.approx(step.cost, rel=0.1)


@pytest.mark.parametrize(("person", "asked"), [
    ({}, {"segments": 8}), ({"height": 1.62, "mass": 62.0, "sex": "female"}, {"box": 15.0, "depth": 0.25}),
    ({"height": 1.9, "mass": 95.0}, {"start": (0.5, 0.4), "goal": (0.5, 1.4)}),
])  # fmt: skip
def test_the_box_passes_in_front_of_knees_and_hips(person, asked):
    lifted = ls.predict_lift(ls.human(joints=16, **person), **asked, progress=False)
    assert lifted.ok
    q = lifted.at(np.linspace(0.0, lifted.duration, 500))[0]
    for side in "rl":
        back = ls.pose(lifted.arm, q, f"grip_{side}")[:, 0, 3] - asked.get("depth", 0.2)
        for link in ("shank", "thigh"):
            assert (back - ls.pose(lifted.arm, q, f"{link}_{side}")[:, 0, 3]).min() > -1e-4


def test_a_box_is_lifted():
    person = ls.human(joints=16)
    lifted = ls.predict_lift(person, box=10.0, segments=8, progress=False)
    assert lifted.ok
    for k, (x, z) in ((0, (0.42, 0.25)), (-1, (0.45, 1.25))):
        for side in "rl":
            place = ls.pose(lifted.arm, lifted.q[k], f"grip_{side}")[:3, 3]
            np.testing.assert_allclose(place[[0, 2]], (x, z), atol=2e-4)
    assert lifted.arm.mass == pytest.approx(person.mass + 10.0)
    np.testing.assert_allclose(lifted.qd[[0, -1]], 0.0, atol=1e-8)
    found = lifted.verify()
    assert found.slip < 1e-3
    assert found.root_residual < 1e-3


@pytest.mark.parametrize(("wrong", "words"), [
    ({"box": -1.0}, "box is -1 kg; expected 0 to"), ({"box": 90.0}, "box is 90 kg"), ({"start": 3}, "start is 3"),
    ({"goal": (0.5, 2.9)}, "the goal is at 0.5 m forward and 2.9 m high, out of reach"),
    ({"weights": 1}, "weights is 1"),
    ({"start": (1.5, 0.2)}, "the start is at 1.5 m forward"),
])  # fmt: skip
def test_boxes_that_nobody_lifts_are_refused(wrong, words):
    with pytest.raises(ls.InputError, match=f"^predict_lift: {words}"):
        ls.predict_lift(ls.human(joints=16), **wrong)
    with pytest.raises(ls.InputError, match="expected one that pulls straight down"):
        ls.predict_lift(ls.human(joints=16).with_gravity((-1.0, 0.0, -9.7)))
    with pytest.raises(ls.InputError, match="has no elbows"):
        ls.predict_lift(PLANAR)


@pytest.mark.slow
def test_a_box_is_lifted_in_space():
    lifted = ls.predict_lift(ls.human(joints=31), progress=False)
    assert lifted.ok
    q = lifted.at(np.linspace(0.0, lifted.duration, 500))[0]
    back = ls.pose(lifted.arm, q, "grip_l")[:, 0, 3] - 0.2
    for link in ("shank_l", "thigh_l"):
        assert (back - ls.pose(lifted.arm, q, link)[:, 0, 3]).min() > -1e-4


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.0, 1.33, 1.6])
def test_only_the_speed_is_given(speed):
    found = ls.predict_walk(PLANAR, speed, progress=False)
    x = found.arm.coordinates.index("pelvis_x")
    assert found.q[-1, x] - found.q[0, x] == pytest.approx(peoples_step(speed), rel=0.08)


@pytest.mark.slow
def test_a_step_in_space():
    found = ls.predict_walk(ls.human(joints=31), 1.33, 0.692, progress=False)
    assert found.ok
    audit = found.verify()
    assert audit.slip < 1e-3
    assert audit.root_residual < 1e-3


@pytest.mark.slow
def test_a_stiff_knee_and_a_load():
    stiff = ls.predict_walk(PLANAR, 1.1, 0.6, limits={"knee_flexion_r": (0.0, 0.35)}, progress=False)
    k = stiff.arm.coordinates.index("knee_flexion_r")
    assert stiff.q[:, k].max() <= 0.35 + 1e-6
    free = ls.predict_walk(PLANAR, 1.1, 0.6, progress=False)
    assert stiff.cost > free.cost
    laden = ls.predict_walk(PLANAR, 1.1, 0.6, load=15.0, progress=False)
    assert laden.cost > free.cost
