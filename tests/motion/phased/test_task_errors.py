"""Verification compares a motion with its task, so that another task is not met by it."""

import functools
import re

import numpy as np
import pytest
from tests.legged import SPEED, STEP_TIME, biped, scissors, step
from tests.motion.phased.test_wall import pushing

import lissom as ls


@functools.cache
def walk():
    arm = biped()
    return ls.predict_motion(arm, step(arm, transfer=[ls.Transfer(["heel_right"], ["loading"])]), guess=scissors(arm))


def other_phases(**changes):
    first, *others = walk().task.phases
    return [first.replace(**changes), *others]


def test_a_step_meets_its_task():
    found = walk().verify()
    assert found.status == "verified"
    assert found.task.end < 1e-5
    assert found.task.travel < 1e-8
    assert found.task.transfer < 1e-5
    assert found.task.clearance < 1e-5
    assert "bounds of normal forces" in found.describe()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"travel": ls.Travel("x", speed=2 * SPEED)}, f"the travel is {SPEED * STEP_TIME:.3g} m from"),
        ({"travel": ls.Travel("x", distance=(0.5, 0.6))}, f"the travel is {0.5 - SPEED * STEP_TIME:.3g} m from"),
        ({"mirror": ls.Mirror()}, "the ends are"),
        ({"swing_height": 0.5}, "a swing is .* mm lower"),
        ({"duration": 0.6}, "a duration is 0.08 s outside"),
        ({"transfer": [ls.Transfer(["heel_right"], ["loading"], 0.5)]}, "a transfer of load is off"),
        ({"phases": lambda: other_phases(normal_force={"toe_left": (900, 1000)})}, "leave their bounds by"),
        ({"phases": lambda: other_phases(duration=0.1)}, "a duration is 0.02 s outside"),
        ({"phases": lambda: other_phases(duration=(0.05, 0.07))}, "a duration is 0.01 s outside"),
        ({"phases": lambda: other_phases(contacts=["heel_right"])}, "contacts in phase 'loading' are not those"),
        ({"phases": lambda: walk().task.phases[1:], "transfer": ()}, "its phases are loading, flat, forefoot"),
    ],
)  # fmt: skip
def test_a_step_does_not_meet_other_tasks(changes, words):
    changes = {word: value() if callable(value) else value for word, value in changes.items()}
    found = walk().with_verdict(task=walk().task.replace(**changes)).verify()
    assert not found.ok
    assert re.search(words, found.status)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"start": pushing().arm.ready + [0, 0, 0, 0.01, 0, 0]}, "the ends are 0.01 rad"),
        ({"start_velocity": [0.1, 0, 0, 0, 0, 0]}, "the ends are 0.11 rad"),
        ({"goal": [np.nan] * 5 + [3.0]}, "the ends are"),
    ],
)
def test_ends_that_are_given(changes, words):
    assert pushing().verify().task.end < 1e-9
    found = pushing().with_verdict(task=pushing().task.replace(**changes)).verify()
    assert found.status.startswith(words)
