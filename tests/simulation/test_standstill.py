"""A joint that proportional control cannot move on against its friction: the run says so."""

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link").with_gravity((0, 0, 0)).with_joint("upper", friction=2.0)


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}])
def test_a_joint_that_stops_short_is_named_with_its_error(options):
    run = ls.simulate(ARM, [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=3.0, **options)
    (note,) = run.report.notes
    error = 1.0 - run.q[-1, 0]
    assert error == pytest.approx(2.0 / 20, rel=1e-3)  # friction over kp: it creeps towards that error
    assert note.startswith(f"upper comes to rest {error:.3g} rad away from its reference: its Coulomb friction, 2 N m")
    assert "use PID" in note
    assert run.status == "done"


def test_no_note_where_friction_does_not_hold():
    strong = ls.simulate(ARM, [0, 0], tau=ls.PD([1.0, -0.5], 20000, 800), until=3.0)
    falls = ls.simulate(ARM, [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=0.2)  # still on its way
    smooth = ls.simulate(ARM.with_joint("upper", friction=0.0), [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=3.0)
    weight = ARM.with_gravity((0, -9.81, 0))
    sags = ls.simulate(weight, [0, 0], tau=ls.PD([0.0, 0.0], 60, 12), until=6.0)  # held back by its weight
    for run in (strong, falls, smooth, sags):
        assert not [note for note in run.report.notes if "comes to rest" in note]


def test_the_joint_with_the_largest_error_is_named_whatever_the_reason():
    sags = ls.simulate(ARM.with_gravity((0, -9.81, 0)), [0, 0], tau=ls.PD([0.0, 0.0], 60, 12), until=6.0)
    (note,) = sags.report.notes
    worst = int(np.argmax(np.abs(sags.q[-1])))
    name = ARM.coordinates[worst]
    assert note.startswith(f"The largest error at the end is that of {name}: {abs(sags.q[-1, worst]):.3g} rad away")
    assert "at rest" in note
    moving = ls.simulate(ARM, [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=0.2)
    assert "still moving" in moving.report.notes[0]
    exact = ls.simulate(ARM.with_joint("upper", friction=0.0), [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=8.0)
    assert not exact.report.notes


def test_notes_about_friction_begin_with_the_largest_error():
    arm = ARM.with_joint("fore", friction=1.0)
    notes = ls.simulate(arm, [0, 0], tau=ls.PD([1.0, -0.5], [10, 20], [6, 3]), until=5.0).report.notes
    first, others = notes
    assert first.startswith("upper comes to rest")
    assert others.startswith("Friction holds in the same way fore ")
    assert "kp times" not in others  # reason and advice are there once


def test_of_an_ensemble_the_worst_run_is_named():
    gains = np.array([[20.0, 20.0], [40.0, 40.0], [8000.0, 80.0]])
    run = ls.simulate(ARM, [0, 0], tau=ls.PD([1.0, -0.5], gains, gains**0.5), until=3.0, dt=2e-4)
    (note,) = run.report.notes
    errors = np.abs(1.0 - run.q[:, -1, 0])
    held = errors > 1e-3
    worst = int(np.argmax(errors))
    assert held.any()
    assert f"{errors[worst]:.3g} rad away from its reference in {held.sum()} of 3 runs, most in run {worst}" in note


def test_friction_is_not_said_to_hold_more_than_it_can():
    weight = ARM.with_gravity((0, -1.5, 0)).with_joint("upper", friction=2.0)
    run = ls.simulate(weight, [0, 0], tau=ls.PD([1.0, -0.5], 20, 6), until=8.0)
    held = [note for note in run.report.notes if "comes to rest" in note]
    pull = 20 * abs(1.0 - run.q[-1, 0])
    assert pull > 2.02  # its weight takes the rest
    assert not held


def test_a_joint_that_creeps_is_not_said_to_rest():
    damped = ARM.with_joint("upper", friction=0.1, damping=50.0)
    run = ls.simulate(damped, [0, 0], [30.0, 0.0], tau=ls.PD([1.0, -0.5], 5, 0.5), until=1.0)
    assert abs(run.qd[-1, 0]) > 0.01
    assert not [note for note in run.report.notes if "upper" in note and "rest" in note]
