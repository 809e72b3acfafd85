"""What is asked of a walk, before anything is solved: phases, first guess, weights, loads, refusals."""

import numpy as np
import pytest

import lissom as ls
from lissom.humans.walk.posture import leg_length, step_guess, stride_guess
from lissom.humans.walk.request import walk_request
from lissom.humans.walk.task import walk_guess, walk_task, walker
from lissom.humans.walk.timing import peoples_step

PLANAR, SPATIAL = ls.human(joints=13), ls.human(joints=31)


def request(arm=PLANAR, speed=1.33, step=0.69, load=None, slope=0.0, limits=None, weights=None):
    return walk_request(arm, speed, step, load, slope, limits, weights, None, None)


@pytest.mark.parametrize("arm", [PLANAR, SPATIAL], ids=["planar", "spatial"])
def test_the_guess_is_periodic_and_above_the_ground(arm):
    """The mirror image of its end is its beginning, a step further; nothing is far below the ground."""
    q = step_guess(arm, 0.7)
    names = list(arm.coordinates)
    order = [names.index(arm.mirror.partner("coordinates", name)) for name in names]
    image = q[-1, order] * [arm.mirror.sign(name) for name in names]
    image[names.index("pelvis_x")] -= 0.7
    np.testing.assert_allclose(image, q[0], atol=1e-12)
    heights = [ls.pose(arm, q, one.link, one.point)[:, 2, 3] for one in arm.contacts]
    assert np.min(heights) > -0.12
    low, high = arm.bounds("position")
    assert ((low <= q) & (q <= high)).all()
    assert len(stride_guess(arm, 0.7)) == 2 * len(q) - 1


def test_phases_of_a_step():
    task = walk_task(request(), PLANAR, free=False)
    assert [phase.name for phase in task.phases] == ["loading", "push", "flat", "forefoot"]
    assert sum(phase.duration for phase in task.phases) == pytest.approx(0.69 / 1.33)
    assert task.phases[0].contacts == ("heel_r", "ball_l", "tip_l")
    assert task.phases[3].contacts == ("ball_r", "tip_r")
    assert task.mirror is True
    free = walk_task(request(step=None), PLANAR, free=True)
    assert all(phase.bounds[0] < phase.bounds[1] for phase in free.phases)
    assert free.travel[0].distance is None
    wide = walk_task(request(SPATIAL), SPATIAL, free=False)
    assert wide.phases[1].contacts.count("tip_l") == 1
    assert len(wide.phases[1].contacts) == 6


def test_a_stiff_knee_takes_a_whole_stride():
    asked = request(limits={"knee_flexion_r": (0.0, 0.1)})
    assert not asked.symmetric
    task = walk_task(asked, walker(asked), free=False)
    assert len(task.phases) == 8
    assert task.mirror is None
    assert task.periodic
    assert task.phases[4].contacts == ("heel_l", "ball_r", "tip_r")
    assert [one.contacts[0] for one in task.transfer] == ["heel_r", "heel_l"]
    q = walk_guess(asked, PLANAR)
    assert q[:, PLANAR.coordinates.index("knee_flexion_r")].max() <= 0.1
    both = request(limits={"knee_flexion_r": (0.0, 1.0), "knee_flexion_l": (0.0, 1.0)})
    assert both.symmetric


def test_loads_and_slopes():
    asked = request(SPATIAL, load={"hands": 10.0, "back": 6.0}, slope=0.1)
    arm = walker(asked)
    assert arm.mass == pytest.approx(SPATIAL.mass + 16.0)
    q = np.zeros(31)
    moved = (arm.mass * ls.centre_of_mass(arm, q) - SPATIAL.mass * ls.centre_of_mass(SPATIAL, q)) / 16.0
    shoulder = ls.pose(SPATIAL, q, "upper_arm_r")[:3, 3]
    hands = np.mean([ls.pose(SPATIAL, q, f"grip_{side}")[:3, 3] for side in "rl"], axis=0)
    back = np.array([-0.16, 0.0, shoulder[2] - 0.15])
    np.testing.assert_allclose(moved, (10 * hands + 6 * back) / 16, atol=1e-12)
    np.testing.assert_allclose(arm.gravity, 9.81 * np.array([-np.sin(0.1), 0, -np.cos(0.1)]))
    np.testing.assert_allclose(walker(request(load=8)).mass, PLANAR.mass + 8)


def test_weights_are_relative_to_the_limits_of_the_walker():
    """The directional effort of the task is the weighted sum of squares of torques over those that count as one."""
    big = ls.human(height=1.9, mass=110.0, joints=31)
    asked = request(big)
    arm, scale = walker(asked), 110.0 * 1.9 / (73.0 * 1.741)
    low, high = arm.bounds("torque")
    k = arm.coordinates.index("ankle_dorsiflexion_l")
    assert (-low[k], high[k]) == pytest.approx((2 * 200 * scale, 2 * 25 * scale), rel=2e-3)
    terms = walk_task(asked, arm, free=False).minimise
    assert terms["effort_directional"] == pytest.approx(4.0)
    assert terms["energy"] == pytest.approx(2.0 / (110.0 * 9.81 * 1.33))
    assert "base_rotation" not in walk_task(request(), PLANAR, free=False).minimise
    own = ls.WalkWeights(work=0.0, torques={"knee_flexion": 100.0, "ankle_dorsiflexion": (150.0, 30.0)})
    assert "energy" not in own.criteria(arm, 1.3, True)
    assert own.torque("ankle_dorsiflexion") == (150.0, 30.0)


def test_people_step_further_when_they_walk_faster():
    """About 0.71 m at 1.33 m/s, with the square root of the speed."""
    assert peoples_step(1.33) == pytest.approx(0.7147, abs=1e-4)
    assert peoples_step(1.6) / peoples_step(0.4) == pytest.approx(2.0)
    assert 0.8 < leg_length(PLANAR) < 0.9


@pytest.mark.parametrize(("wrong", "words"), [
    ({"speed": 0.1}, r"speed is 0.1 m/s; expected 0.3 to 2.2 m/s .* people stand or run beyond"),
    ({"speed": 4.0}, "speed is 4 m/s"), ({"speed": float("nan")}, "speed is nan"),
    ({"step": 1.4}, r"step is 1.4 m; expected .* the legs are 0.86 m long"), ({"step": 0.02}, "step is 0.02 m"),
    ({"slope": 1.0}, "slope is 1 rad; expected -0.25 to 0.25"),
    ({"load": 200.0}, "load of 200 kg .back.; expected 0 to"),
    ({"load": {"belly": 3.0}}, "load has 'belly'; known: hands, back"), ({"timing": "fast"}, "timing is 'fast'"),
    ({"limits": {"knee_r": (0, 1)}}, "limits has 'knee_r'; did you mean"),
    ({"limits": {"knee_flexion_r": (3.0, 4.0)}}, "limits of 'knee_flexion_r' are 3 to 4 rad; expected a range inside"),
    ({"limits": {"knee_flexion_r": 1.0}}, "limits of .knee_flexion_r. is 1.0; expected .lower, upper."),
    ({"weights": 3}, "weights is 3"),
    ({"segments": (1, 2)}, "segments is .1, 2.; expected 4 whole numbers"), ({"limits": "knee"}, "limits is 'knee'"),
    ({"segments": (1, 1, 3, 500)}, "segments is .1, 1, 3, 500.; expected 4 whole numbers from 1 to 200"),
    ({"segments": (1, True, 3, 5)}, "segments is"), ({"segments": "1133"}, "segments is '1133'"),
    ({"guess": 3}, "guess is 3; expected a Motion"),
])  # fmt: skip
def test_walks_that_nobody_walks_are_refused(wrong, words):
    with pytest.raises(ls.InputError, match=f"^predict_walk: {words}"):
        ls.predict_walk(PLANAR, **wrong)


def test_segments_may_be_an_array():
    asked = walk_request(PLANAR, 1.33, 0.69, None, 0.0, None, None, np.array([1, 1, 3, 3]), None)
    assert asked.segments == (1, 1, 3, 3)


def test_the_slope_turns_the_gravity_that_the_person_has():
    """On the moon too, and on top of a slope that is there already."""
    moon = PLANAR.with_gravity((0, 0, -1.62))
    asked = walk_request(moon, 0.5, 0.5, None, 0.1, None, None, None, None)
    np.testing.assert_allclose(walker(asked).gravity, 1.62 * np.array([-np.sin(0.1), 0, -np.cos(0.1)]))
    assert walk_task(asked, moon, False).minimise["energy"] == pytest.approx(2.0 / (PLANAR.mass * 1.62 * 0.5))
    uphill = PLANAR.with_gravity(9.81 * np.array([-np.sin(0.05), 0, -np.cos(0.05)]))
    np.testing.assert_allclose(walker(request(uphill, slope=0.1)).gravity,
                               9.81 * np.array([-np.sin(0.15), 0, -np.cos(0.15)]))  # fmt: skip


def with_contacts(change):
    """The planar person with other contacts, and a mirror of these."""
    contacts = [one for one in map(change, PLANAR.contacts) if one is not None]
    names = [one.name for one in contacts]
    pairs = {name: name.replace("_r", "_l") for name in names if "_r" in name and name.replace("_r", "_l") in names}
    return PLANAR.replace(contacts=contacts, mirror=PLANAR.mirror.replace(contacts=pairs))


@pytest.mark.parametrize(("other", "words"), [
    (with_contacts(lambda one: one.replace(name=one.name.replace("ball", "fore"))), "has a contact 'fore_r'"),
    (with_contacts(lambda one: None if "ball" in one.name else one), "has no contact 'ball_r'; expected heel, ball"),
    (with_contacts(lambda one: one.replace(name="heel_r_back") if one.name == "heel_r" else one),
     "the mirror image of contact 'heel_r_back' is 'heel_r_back'"),
    (PLANAR.with_gravity((0, -2, -9.6)), "gravity of arm 'human13' is .0.0, -2.0, -9.6.; expected one"),
    (PLANAR.with_gravity((0, 0, 0)), "gravity of arm 'human13' is"),
])  # fmt: skip
def test_other_feet_and_gravity_are_refused(other, words):
    with pytest.raises(ls.InputError, match=f"^predict_walk: .*{words}"):
        ls.predict_walk(other)
    with pytest.raises(ls.InputError, match=f"^predict_lift: .*{words}"):
        ls.predict_lift(other)


def test_machines_are_refused():
    with pytest.raises(ls.InputError, match="arm 'puma560' has no joint 'pelvis_x'; expected a person"):
        ls.predict_walk(ls.load("puma560"))
    with pytest.raises(ls.InputError, match="WalkWeights: torques has 'knee'; did you mean 'knee_flexion'"):
        ls.WalkWeights(torques={"knee": 3.0})
    with pytest.raises(ls.InputError, match="WalkWeights: work is -1; expected at least 0"):
        ls.WalkWeights(work=-1.0)
