"""A run in which joints pass their position limits says so once."""

import pytest

import lissom as ls


@pytest.fixture
def arm():
    link = ls.Link("pendulum", joint=ls.Joint("revolute", axis=(0, 1, 0), limits=ls.Limits(position=(-1.0, 0.5))),
                   mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.02, 0.02))  # fmt: skip
    return ls.Arm("pendulum", [link])


def test_the_first_passage_is_a_note(arm):
    run = ls.simulate(arm, [0.0], until=2.0)
    (note,) = run.report.notes
    (hit, *_) = run.events
    assert note.startswith(f"pendulum passes its upper position limit, 0.5 rad, at {hit.t:.4g} s: ")
    assert "stop_at_limits=True" in note
    assert repr(run).endswith("done; joints pass their position limits, see run.report>")


def test_runs_that_end_at_limits_or_stay_within_have_none(arm):
    assert not ls.simulate(arm, [0.0], until=2.0, stop_at_limits=True).report.notes
    within = ls.simulate(arm, [0.0], until=0.1)
    assert not within.report.notes
    assert repr(within).endswith("done>")


def test_an_ensemble_names_the_run(arm):
    run = ls.simulate(arm.with_gravity((0, 0, 0)), [[0.0], [0.4], [0.4]], [[0.0], [0.1], [1.0]], until=2.0)
    note = run.report.notes[-1]
    assert "in run 2, the first of 2 runs" in note


def test_other_joints_are_named():
    run = ls.simulate(ls.load("panda"), until=1.0)
    assert "joint6" in run.report.notes[-1].split("later")[0]
