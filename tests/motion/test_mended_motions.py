"""Motions that once went wrong, or were refused with the wrong reason."""

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, ModelError

NAN = np.nan
TWO = ls.load("two_link").with_gravity((0, 0, 0))


def find(**given):
    return ls.predict_motion(TWO, **({"start": [0, 0], "goal": [1, 0.5]} | given))


# ---- ends ----------------------------------------------------------------------------------------


def test_accelerations_hold_beside_free_rates():
    motion = find(start_velocity=[NAN, NAN], start_acceleration=[0, 0])
    assert np.abs(motion.qdd[0]).max() < 1e-9
    given = {"goal_velocity": [NAN, 0.2], "goal_acceleration": [3, -1.5]}
    motion = find(**given, duration=0.8, minimise="torque_squared")
    assert np.allclose(motion.qdd[-1], [3, -1.5], atol=1e-7)
    assert motion.qd[-1, 1] == pytest.approx(0.2)
    assert np.allclose(find(**given).qdd[-1], [3, -1.5], atol=1e-5)  # free duration: rows to the solver's tolerance


@pytest.mark.parametrize(
    ("segments", "given"),
    [
        (2, {"start_acceleration": [0, 0], "goal_acceleration": [0, 0]}),
        (2, {"start_acceleration": [0, 1], "goal_acceleration": [0, 1]}),  # as rows
        (2, {"start_acceleration": [0, 0], "duration": 1.0, "minimise": "torque_squared"}),
        (3, {"start_acceleration": [0, 0], "goal_acceleration": [0, 0], "duration": 1.0, "minimise": "jerk"}),
    ],
)
def test_too_few_segments_are_refused(segments, given):
    with pytest.raises(InputError, match=f"{segments} segments are too few"):
        find(segments=segments, **given)


def test_few_segments_may_be_enough():
    """One joint has a single control point to choose; or the duration alone is."""
    given = {"start_acceleration": [0, NAN], "duration": 1.0, "minimise": "torque_squared"}
    assert find(segments=2, **given).ok
    assert find(segments=3, start_acceleration=[0, 0], goal_acceleration=[0, 0]).ok


@pytest.mark.parametrize("word", ["start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration"])
def test_periodic_motions_have_no_ends(word):
    with pytest.raises(ModelError, match=f"{word} is given, but a periodic motion has no ends"):
        ls.Task(periodic=True, via=[ls.Via(0.2, [0, 0]), ls.Via(0.6, [1, 1])], **{word: [0, 0]})


# ---- joints that cannot move ---------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"duration": 1.0, "minimise": "torque_squared"}])
def test_locked_joints_have_nowhere_to_go(more):
    locked = ls.Limits(velocity=[0, 5])
    sentence = r"joint 'upper' cannot move from the start \(0\) to the goal \(0.3\): its velocity limits are 0 to 0"
    with pytest.raises(InputError, match=sentence):
        find(goal=[0.3, 0.5], limits=locked, **more)
    motion = find(goal=[0, 0.5], limits=locked, **more)
    assert np.abs(motion.q[:, 0]).max() < 1e-7


def test_one_way_is_enough():
    motion = find(goal=[-0.3, 0.5], limits=ls.Limits(velocity=([-1, -1], [0, 3])))
    assert motion.qd[:, 0].max() < 1e-6
    with pytest.raises(InputError, match="joint 'upper' cannot move .* its acceleration limits are 0 to 3"):
        find(limits=ls.Limits(acceleration=([0, -3], [3, 3])))
    there_and_back = {"periodic": True, "via": [ls.Via(0.2, [0, 0]), ls.Via(0.6, [1, 1])]}
    with pytest.raises(InputError, match="joint 'upper' cannot move from the via point at 0.6"):
        ls.predict_motion(TWO, **there_and_back, limits=ls.Limits(velocity=([0, -1], [2, 1])))


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"velocity": ([-1, 0], [2, 2])}, "joint 'fore' goes backwards, and its velocity limits of 0 to 2 forbid"),
        ({"velocity": ([-1, -2], [0, 2])}, "joint 'upper' goes forwards, and its velocity limits of -1 to 0 forbid"),
        ({"velocity": ([0.1, -2], [1, 2])}, "begins and ends at rest, joint 'upper' goes forwards"),
        ({"acceleration": ([0, -2], [2, 2])}, "joint 'upper' goes forwards, and its acceleration limits of 0 to 2"),
    ],
)
def test_paths_against_the_limits_are_refused(limits, sentence):
    with pytest.raises(InputError, match=sentence):
        ls.retime_motion(TWO, [[0, 0], [1, -1]], limits=ls.Limits(**limits))


def test_joints_that_the_path_leaves_alone_may_be_locked():
    motion = ls.retime_motion(TWO, [[0, 0], [1, 0]], limits=ls.Limits(velocity=([-1, 0], [2, 0]), acceleration=4.0))
    assert motion.duration == pytest.approx(1.0, rel=2e-3)  # 2 sqrt(way / acceleration)


def test_motors_without_torque():
    sentence = "torque limits of joint 'fore' are 0 to 0, .* make the joint passive"
    with pytest.raises(InputError, match=sentence):
        find(limits=ls.Limits(torque=[4, 0.0]))
