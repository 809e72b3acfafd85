"""How runs end, as values: no one reads sentences."""

import re
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.outcome import Failure
from lissom.simulation.records.record import AbstractRun

ARM = ls.load("two_link")
K = np.hstack([np.diag([80.0, 40.0]), np.diag([9.0, 4.0])])
PUSHED = ls.StateFeedback(-K, [0, 0])  # drives the arm away from the reference


def test_done_and_stopped():
    assert ls.simulate(ARM, [0.3, 0.1], until=0.1).outcome is ls.RunOutcome.DONE
    stop = ls.Event(lambda t, q, qd: q[0] - 0.2, "there", stop=True)
    run = ls.simulate(ARM, [0.3, 0.1], until=1.0, events=[stop])
    assert (run.outcome, run.outcomes) == (ls.RunOutcome.STOPPED, (ls.RunOutcome.STOPPED,))
    assert run.status.startswith("stopped at t = ")


def test_rows_of_an_ensemble():
    stop = ls.Event(lambda t, q, qd: q[0] - 0.2, "there", stop=True)
    runs = ls.simulate(ARM, [[0.3, 0.1], [0.1, 0.1]], until=0.3, dt=1e-3, events=[stop])
    assert runs.outcomes == (ls.RunOutcome.STOPPED, ls.RunOutcome.DONE)
    assert runs.outcome is ls.RunOutcome.STOPPED
    assert [runs.member(k).outcome for k in range(2)] == list(runs.outcomes)


@pytest.mark.parametrize("options", [{"dt": 1e-2}, {}], ids=["fixed", "adaptive"])
def test_diverged(options):
    run = ls.simulate(ARM, [[0.3, 0.1], [0.0, 0.0]], tau=PUSHED, until=3.0, **options, on_failure="return")
    assert run.outcomes[0] is ls.RunOutcome.DIVERGED
    assert run.member(0).outcome is ls.RunOutcome.DIVERGED
    assert not run.outcome.complete
    assert not run.ok


def test_a_word_in_the_users_error_changes_nothing():
    """An exception that talks of divergence is no divergence: no advice on poles is given."""

    def tau(t, q, qd):
        if t > 0.05:
            raise ValueError("my table diverged and collapsed at a singular configuration")
        return [0.0, 0.0]

    for options in ({}, {"dt": 1e-3}):
        run = ls.simulate(ARM, [0.3, 0.1], tau=tau, until=0.1, **options, on_failure="return")
        assert run.outcome is ls.RunOutcome.FAILED
        assert "my table diverged" in run.status
        assert "closed loop" not in run.status
        assert "smaller" not in run.status


def test_a_function_that_overflows_ends_the_run():
    """The run that failed is repeated step by step; an error there once escaped."""

    def tau(t, q, qd):
        return [1e3 * q[0] ** 3 + 50 * q[0], 0.0]

    run = ls.simulate(ARM, [0.3, 0.1], tau=tau, until=3.0, dt=1e-2, on_failure="return")
    assert not run.outcome.complete
    assert run.t[-1] < 1.0


def test_unbalanced():
    run = ls.simulate(ARM, [0.3, 0.1], [4.0, -9.0], until=2.0, dt=0.02, audit=1e-12)
    assert run.outcome is ls.RunOutcome.UNBALANCED
    assert run.outcome.complete
    assert not run.ok


def test_interrupted():
    def stop(fraction):
        if fraction > 0.3:
            raise KeyboardInterrupt

    run = ls.simulate(ARM, [0.3, 0.1], until=1.0, progress=stop, on_failure="return")
    assert run.outcome is ls.RunOutcome.INTERRUPTED
    assert run.status.startswith("interrupted at t = ")


@pytest.mark.parametrize("ending", ["nc", "csv"])
def test_files_keep_outcomes(tmp_path, ending):
    run = ls.simulate(ARM, [[0.3, 0.1], [0.0, 0.0]], tau=PUSHED, until=1.0, dt=0.05, on_failure="return")
    run.save(tmp_path / f"a.{ending}")
    assert ls.load_run(tmp_path / f"a.{ending}").outcomes == run.outcomes


def test_failures_take_the_kind_of_their_error():
    assert Failure.of(ls.SolveError("the motion diverged")).outcome is ls.RunOutcome.FAILED


def test_no_code_searches_statuses_for_words():
    """Sentences are for people: control flow compares `outcome`."""
    searched = r"""["'][^"']*["']\s+(?:not\s+)?in\s+\w*(?:status|why|failure)"""
    compared = r"""(?<!on_)(?:status|why|failure)\w*(?:\.(?:startswith|endswith|find)\(|\s*[!=]=\s*f?["'])"""
    sentence = re.compile(f"{searched}|{compared}")
    for path in (Path(ls.__file__).parent / "simulation").rglob("*.py"):
        text = path.read_text(encoding="utf-8").replace("solver.status ==", "")  # SciPy's
        assert not sentence.findall(text), path


def test_changing_a_verdict_computes_nothing(monkeypatch):
    """Derived quantities are computed when they are first asked for, and kept, also with another status."""
    run = ls.simulate(ARM, [0.3, 0.1], until=0.1)
    error, tip = run.balance_error, run.tip
    for word in ("_unbalanced", "_at_point"):
        monkeypatch.setattr(AbstractRun, word, lambda *_: pytest.fail("computed again"))
    other = run.with_verdict(status="failed", ok=False, outcomes=(ls.RunOutcome.FAILED,))
    assert (other.balance_error, other.outcome) == (error, ls.RunOutcome.FAILED)
    assert other.tip is tip is run.tip
    assert run.ok
    assert "tip" not in vars(run[:10])
