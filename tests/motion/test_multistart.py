"""Several starts: the same whatever the number of processes, a table of what each found, Ctrl-C, refinement."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, MotionError
from lissom.motion.public import predict_motion
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.solve.multistart import best_of
from lissom.papers.xiang2008.closed_form import two_link_arm
from lissom.papers.xiang2008.tasks import EXAMPLE_1, EXAMPLE_2, weightless_arm
from lissom.work import processes

COARSE = EXAMPLE_2.replace(segments=8)


def test_any_number_of_processes_finds_the_same():
    arm = two_link_arm()
    one, two = (predict_motion(arm, COARSE, starts=4, workers=n) for n in (1, 2))
    assert one.report.starts == two.report.starts
    assert np.array_equal(one.control_points, two.control_points)
    assert [row["start"] for row in two.report.starts] == [0, 1, 2, 3]


def test_seeds_differ_and_repeat():
    arm = two_link_arm()
    runs = [predict_motion(arm, COARSE, starts=3, seed=seed).report.starts for seed in (0, 0, 7)]
    assert runs[0] == runs[1]
    assert runs[0][0] == runs[2][0]
    assert runs[0][1]["iterations"] != runs[2][1]["iterations"] or runs[0][1]["cost"] != runs[2][1]["cost"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example 1", "example 2"])
def test_the_examples_from_25_starts(name):
    arm, task = {"example 1": (weightless_arm(), EXAMPLE_1), "example 2": (two_link_arm(), EXAMPLE_2)}[name]
    motion = predict_motion(arm, task, starts=25)
    table = motion.report.starts
    assert len(table) == 25
    for row in table:  # all found the optimum, or the table says so
        assert row["same"] == (row["status"] == "solved" and abs(row["cost"] / motion.cost - 1) < 1e-6)
    others = [row for row in table if not row["same"]]
    assert len(others) <= {"example 1": 1, "example 2": 8}[name]
    if name == "example 2":  # under gravity wide starts find other optima too, all far worse
        assert others
        assert all(row["status"] == "solved" and row["cost"] > 1.5 * motion.cost for row in others)
    assert motion.cost == min(row["cost"] for row in table if row["same"])


def test_ctrl_c_keeps_the_best_so_far():
    seen = []

    def watch(step):
        seen.append(step)
        if sum(s.number == 0 for s in seen) == 3 and step.number == 4:
            raise KeyboardInterrupt

    motion = predict_motion(two_link_arm(), EXAMPLE_2, starts=5, workers=1, progress=watch)
    table = motion.report.starts
    assert motion.status == "interrupted"
    assert motion.cost == min(row["cost"] for row in table[:2])
    assert [row["status"].split()[0].rstrip(";") for row in table] == ["solved", "solved", *["interrupted"] * 3]
    assert np.isnan(table[-1]["cost"])


def test_ctrl_c_while_others_work():
    calls = []

    def watch(step):
        calls.append(step)
        if len(calls) > 1 and calls[-1] == calls[-2]:  # told again while waiting
            raise KeyboardInterrupt

    motion = predict_motion(two_link_arm(), COARSE, starts=9, workers=2, progress=watch)
    assert motion.status == "interrupted"
    assert np.isfinite(motion.cost)
    assert motion.report.starts[0]["status"] == "solved"
    assert "interrupted before it ended" in [row["status"] for row in motion.report.starts]


def test_bad_numbers_are_refused():
    arm = two_link_arm()
    for words, given in {
        "starts is 0": {"starts": 0},
        "workers is 0": {"starts": 3, "workers": 0},
        "regularise is 1": {"regularise": 1},
    }.items():
        with pytest.raises(InputError, match=words):
            predict_motion(arm, COARSE, **given)


@pytest.mark.slow
def test_functions_of_no_module_are_sent_as_expressions():
    arm, criterion = two_link_arm(), lambda q, qd, qdd, tau: tau[0] ** 2 + 0.3 * qd[1] ** 2 + 9.0
    task = COARSE.replace(minimise={criterion: 1.0, "time": 0.5})
    one, two = (predict_motion(arm, task, starts=3, workers=n) for n in (1, 2))
    assert one.report.starts == two.report.starts
    assert criterion in two.task.minimise


def test_what_other_processes_do_not_answer_is_done_here(monkeypatch):
    arm = two_link_arm()
    right = predict_motion(arm, COARSE, starts=3, workers=2).report.starts
    monkeypatch.setattr(processes, "SERVE", "raise SystemExit(3)")
    assert predict_motion(arm, COARSE, starts=3, workers=2).report.starts == right


def test_small_torque_cost_leaves_the_time_alone():
    arm = weightless_arm()
    with_it, without = (predict_motion(arm, EXAMPLE_1, regularise=x) for x in (1e-5, 0.0))
    assert with_it.duration == pytest.approx(without.duration, rel=1e-8)
    assert with_it.cost == with_it.duration
    assert [step.cost for step in with_it.report.iterations] == [s.duration for s in with_it.report.iterations]


def test_optimality_is_in_the_log():
    log = predict_motion(two_link_arm(), EXAMPLE_2).report.iterations
    assert all(np.isfinite(step.optimality) for step in log)
    assert log[-1].optimality < 1e-8 < log[0].optimality


def test_what_conflicts_is_named():
    """Rates that the torques cannot stop in time: fixed duration far below what the motors can do."""
    with pytest.raises(MotionError, match=r"torque of '(upper|fore)'") as caught:
        predict_motion(two_link_arm(), EXAMPLE_2.replace(duration=0.2, minimise="torque_squared"))
    assert not caught.value.motion.ok
    assert caught.value.motion.status.startswith(("infeasible", "stalled"))


@pytest.mark.parametrize(
    ("found", "tried"),
    [
        (["infeasible", "stalled", "solved", "solved"], 3),
        (["infeasible"] * 9, 4),
        (["out_of_time", "solved"], 1),
        (["interrupted", "solved"], 1),
        (["solved", "solved"], 1),
    ],
)
def test_more_starts_where_one_fails(found, tried):
    """Up to three more; none where it was the user's limits that ended it."""

    def run(k):
        outcome = ls.MotionOutcome(found[k])
        return SimpleNamespace(
            ok=outcome.solved, outcome=outcome, status=outcome.sentence, cost=1.0 + k, duration=1.0,
            interrupted=outcome is ls.MotionOutcome.INTERRUPTED, report=SimpleNamespace(iterations=[0]),
        )  # fmt: skip

    best, table = best_of(run, 1, None, None, None)
    assert [row["outcome"] for row in table] == found[:tried]
    assert best.ok == ("solved" in found[:tried])


def test_solvers_end_without_the_collector(monkeypatch):
    """IPOPT holds callbacks by bare pointers: what the collector of cycles ends in any order may crash."""
    made = []
    begin = Ipopt.__init__

    def watched(self, *given):
        begin(self, *given)
        made.append(weakref.ref(self))

    monkeypatch.setattr(Ipopt, "__init__", watched)
    gc.disable()
    try:
        predict_motion(two_link_arm(), COARSE.replace(minimise="energy", duration=1.0))
        assert made
        assert all(solver() is None for solver in made)
    finally:
        gc.enable()
