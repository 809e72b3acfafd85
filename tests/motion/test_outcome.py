"""How searches end, as values; motions are data, and what follows from them is computed when it is asked for."""

import dataclasses

import numpy as np
import pytest

import lissom as ls
from lissom.motion.result.record import AbstractMotion

TWO = ls.load("two_link").with_gravity((0, 0, 0))
MOVE = {"start": [0, -2], "goal": [1, -1]}


@pytest.mark.parametrize("outcomes", [ls.MotionOutcome, ls.RunOutcome])
def test_every_outcome_has_a_sentence(outcomes):
    assert all(outcome.sentence for outcome in outcomes)
    assert len({outcome.sentence for outcome in outcomes}) == len(outcomes)


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({}, ls.MotionOutcome.SOLVED),
        ({"iterations": 3}, ls.MotionOutcome.OUT_OF_ITERATIONS),
        ({"seconds": 1e-6}, ls.MotionOutcome.OUT_OF_TIME),
        ({"duration": 0.1, "minimise": "torque_squared", "limits": ls.Limits(torque=1.0)}, ls.MotionOutcome.INFEASIBLE),
    ],
)
def test_outcomes_can_be_compared(more, outcome):
    motion = ls.predict_motion(TWO, **MOVE, **more, starts=1, on_failure="return")
    assert motion.outcome is outcome
    assert motion.status.startswith(outcome.sentence)
    assert motion.ok == outcome.solved


def test_ctrl_c_is_an_outcome():
    def stop(step):
        if step.number == 2:
            raise KeyboardInterrupt

    motion = ls.predict_motion(TWO, **MOVE, progress=stop)
    assert motion.outcome is ls.MotionOutcome.INTERRUPTED
    assert motion.interrupted


def test_starts_have_outcomes(tmp_path):
    motion = ls.predict_motion(TWO, **MOVE, starts=2, workers=1)
    assert [row["outcome"] for row in motion.report.starts] == [ls.MotionOutcome.SOLVED] * 2
    motion.save(tmp_path / "a.nc")
    again = ls.load_motion(tmp_path / "a.nc")
    assert again.outcome is ls.MotionOutcome.SOLVED
    assert again.report.starts == motion.report.starts


@pytest.mark.parametrize(("ok", "outcome"), [(True, ls.MotionOutcome.SOLVED), (False, ls.MotionOutcome.UNKNOWN)])
def test_files_of_earlier_versions_have_no_outcome(ok, outcome, tmp_path, monkeypatch):
    motion = ls.predict_motion(TWO, **MOVE).with_verdict(ok=ok)
    monkeypatch.setattr("lissom.motion.result.files.write.SINCE", ("continuity",))
    motion.save(tmp_path / "a.nc")
    monkeypatch.undo()
    assert ls.load_motion(tmp_path / "a.nc").outcome is outcome


def test_an_unknown_outcome_in_a_file_is_refused(tmp_path):
    motion = ls.predict_motion(TWO, **MOVE)
    dataclasses.replace(motion, outcome="excellent").save(tmp_path / "a.nc")
    with pytest.raises(ls.ModelError, match="excellent"):
        ls.load_motion(tmp_path / "a.nc")


def test_changing_a_verdict_computes_nothing(monkeypatch):
    motion = ls.predict_motion(TWO, **MOVE)
    tau, q = motion.tau, motion.q
    monkeypatch.setattr(AbstractMotion, "required", lambda *_: pytest.fail("inverse dynamics"))
    monkeypatch.setattr(AbstractMotion, "profiles", lambda *_: pytest.fail("splines"))
    other = motion.with_verdict(outcome=ls.MotionOutcome.STALLED, status="stalled", ok=False)
    assert other.tau is tau
    assert other.q is q
    assert not other.ok
    assert motion.ok


def test_a_motion_computes_nothing_that_is_not_asked_for(monkeypatch):
    motion = ls.predict_motion(TWO, **MOVE)
    monkeypatch.setattr(AbstractMotion, "required", lambda *_: pytest.fail("inverse dynamics"))
    other = dataclasses.replace(motion, duration=2 * motion.duration)
    assert np.allclose(other.qd, motion.qd / 2)
