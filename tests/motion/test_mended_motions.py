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
