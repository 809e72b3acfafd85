"""What changes in time is written with the durations that a motion has in the end."""

import numpy as np
import pytest
from tests.legged import biped, scissors, step

import lissom as ls
from lissom.motion.phased.timing import Timing, depends_on_time

BACK_AND_FORTH = [[30, 0, 0], [-30, 0, 0], [30, 0, 0]]


def test_a_changing_load_acts_at_the_times_of_free_phases():
    arm = biped()
    task = step(arm, free=True, loads=ls.Load("trunk", force=BACK_AND_FORTH))
    motion = ls.predict_motion(arm, task, guess=scissors(arm))
    found = motion.verify()
    guessed, durations = Timing.expected(task).durations, [phase.end - phase.begin for phase in motion.contacts.phases]
    assert np.abs(guessed - durations).max() > 0.01
    # 30 N that act 1 % too early are 1.2 N; the solver leaves 1e-6 of the weight
    assert found.root_residual < 1e-3
    assert found.ok


def test_what_depends_on_time():
    arm = biped()
    assert depends_on_time(step(arm))
    still = step(arm, swing_height=0.0, loads=ls.Load("trunk", force=(30, 0, 0)))
    assert not depends_on_time(still)
    assert depends_on_time(still.replace(transfer=[ls.Transfer(["heel_right"], ["loading"])]))
    assert depends_on_time(still.replace(loads=ls.Load("trunk", force=BACK_AND_FORTH)))


def test_a_timing_agrees_with_the_same_parts_of_a_motion():
    timing = Timing(np.array([0.1, 0.3, 0.1]))
    assert timing.agrees(2 * timing.durations)
    assert timing.change(np.array([0.2, 0.2, 0.1])) == pytest.approx(0.2)
