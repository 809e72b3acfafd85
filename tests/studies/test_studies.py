"""Studies: what is evaluated, and that a row does not depend on how."""

import os
import signal
import threading

import numpy as np
import pytest

import lissom as ls
from lissom.errors import NoSuchOutput
from lissom.studies.rows.evaluation import Evaluation, lanes_of, settings_of

P, O = ls.StudyParameter, ls.StudyOutput
STATE = {
    "q": [0.1, 0.7, -0.4, 0.2, 0.6, 0.0],
    "qd": [0.5, -0.2, 0.3, 0.1, 0.7, -0.6],
    "tau": [3.0, 2, 1, 0.5, 0.2, 0.1],
}
MOVE = {"start": [0, -2], "goal": [1, -1], "segments": 10, "duration": 1.0, "minimise": "torque_squared"}
GAINS = {"kp": [200, 300, 100, 20, 20, 10], "kd": [40, 50, 20, 3, 3, 2]}


def same(a, b):
    """Two results, bit for bit."""
    assert list(a.table) == list(b.table)
    for name in a.table:
        assert np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f"), name


def dynamics_study(verb="forward_dynamics", count=300, **more):
    parameters = {
        "shoulder": P("q[1]", uniform=(-1.5, 1.5)),
        "torque": P("tau[2]", how="add", normal=(0.0, 4.0)),
        "push": P("loads[0].force[2]", uniform=(-30, 30)),
    }
    arguments = STATE | {"loads": [ls.Load("flange", force=(1.0, 2.0, 0.0), point=(0.01, 0.02, 0.03))]}
    return ls.Study(verb, "puma560", arguments, parameters, sampling="sobol", count=count, **more)


def motion_study(count=24, **more):
    parameters = {
        "start": P("q0[1]", uniform=(-1, 1), unit="rad"),
        "gain": P("controller.kp", how="scale", uniform=(0.5, 1.5)),
        "push": P("loads.flange.force[0]", uniform=(-20, 20)),
    }
    arguments = {
        "q0": [0.1] * 6, "tau": ls.PD([0.5] * 6, **GAINS, gravity=True), "until": 0.4, "every": 0.02, "dt": 2e-3,
        "loads": [ls.Load("flange")],
    }  # fmt: skip
    outputs = {"peak": O("tau", "max_abs max", unit="N m"), "end": O("q", "last"), "path": O("tip", "range norm")}
    return ls.Study("simulate", "puma560", arguments, parameters, outputs, "latin_hypercube", count, 5, **more)


# ---- what is evaluated ---------------------------------------------------------------------------


def test_rows_are_those_of_the_verb():
    study = dynamics_study()
    result = study.run(workers=1)
    assert result.ok
    assert len(result) == study.rows == 300
    for row in (0, 17, 299):
        case = study.case(row)
        assert case["q"][1] == case["shoulder"] == result["shoulder"][row]
        assert case["tau"][2] == 1.0 + result["torque"][row]
        expected = ls.forward_dynamics(case.arm, case["q"], case["qd"], case["tau"], loads=case["loads"])
        assert [result[f"result[{k}]"][row] for k in range(6)] == expected.tolist()
        assert np.array_equal(study.record(row), expected)


@pytest.mark.filterwarnings("ignore::lissom.errors.OutsideLimits")
def test_runs_are_those_of_simulate():
    study = motion_study()
    result = study.run(workers=1)
    assert result.ok, result
    row = 7
    run = study.record(row)  # by itself, without lanes
    assert result["peak"][row] == np.abs(run.tau).max()
    assert [result[f"end[{k}]"][row] for k in range(6)] == run.q[-1].tolist()
    assert result["path"][row] == pytest.approx(np.linalg.norm(np.ptp(run.tip, axis=0)), rel=1e-14)
    assert result.unit("peak") == "N m"
    assert result.labelled("start") == "start [rad]"


@pytest.mark.parametrize(
    ("verb", "arm", "arguments", "parameters", "outputs", "record"),
    [
        ("modes", "two_link_flexible", {"q": [0.0, 0.5]}, {"m": P("arm.links.link2.payload.mass", values=[0.05, 0.2])},
         {"f": O("frequencies_hz", "first", unit="Hz")}, lambda r: r.frequencies_hz[0]),
        ("linearise", "two_link", {"q": [0.3, 0.4]}, {"d": P("arm.joints.*.damping", values=[0.1, 0.2])},
         {"slow": O("poles", "max")}, lambda r: r.poles.real.max()),
        ("predict_motion", "two_link", MOVE,
         {"T": P("task.duration", values=[0.8, 1.0]), "w": P("arm.gravity[1]", values=[-9.0, -9.81])}, None,
         lambda r: r.duration),
        ("potential_energy", "stanford", {"q": [0.1] * 6}, {"s": P("q[2]", values=[0.2, 0.5])}, None, float),
        ("equilibrium", "two_link_flexible", {"q": [0.1, 0.3]}, {"g": P("arm.gravity[1]", values=[-1.0, -2.0])},
         {"bend": O("q", entry=4)}, lambda r: r.q[4]),
        ("inverse_dynamics_gradient", "two_link", {"q": [0, 1], "qd": [1, 2], "qdd": [0, 0]},
         {"a": P("q[1]", values=[0.4, 0.9])}, {"size": O("q", "max_abs max")}, lambda r: np.abs(r.q).max()),
    ],
)  # fmt: skip
def test_verbs_can_be_evaluated(verb, arm, arguments, parameters, outputs, record):
    study = ls.Study(verb, arm, arguments, parameters, outputs, "list")
    result = study.run(workers=1)
    assert result.ok, result
    for row in range(2):
        assert result[result.outputs[0]][row] == pytest.approx(record(study.record(row)), rel=1e-9)


def test_a_function_gets_its_case():
    def evaluate(case):
        rng = np.random.default_rng(case.seed)
        return {
            "mass": case.arm.link("fore").mass,
            "twice": 2 * case["x"],
            "drawn": rng.random(),
            "word": [1.0, case["k"]],
        }

    parameters = {"x": P(values=[1.0, 2.0]), "m": P("arm.links.fore.mass", how="scale", values=[1.0, 3.0])}
    study = ls.Study(evaluate, "two_link", {"k": 4.0}, parameters, sampling="list")
    result = study.run(workers=1)
    mass = ls.load("two_link").link("fore").mass
    assert result["mass"].tolist() == [mass, 3 * mass]
    assert result["twice"].tolist() == [2.0, 4.0]
    assert result["word[1]"].tolist() == [4.0, 4.0]
    assert result["drawn"][0] != result["drawn"][1]
    same(result, study.run(workers=1))


def test_words_can_vary():
    study = ls.Study(lambda case: {"n": len(case["name"])}, parameters={"name": P(values=["ab", "abc"])})
    assert study.run(workers=1)["n"].tolist() == [2, 3]


# ---- rows do not depend on how -------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::lissom.errors.OutsideLimits")
@pytest.mark.parametrize("make", [dynamics_study, motion_study])
def test_lanes_company_and_workers_change_no_bit(make):
    study = make()
    evaluation = Evaluation(study, settings_of(study))
    assert evaluation.lanes is not None
    rows = np.arange(study.rows)
    whole = study.run(workers=1)
    for some in (rows[3:4], rows[5:8], rows[::-1][:11]):
        (block,) = evaluation(some, study.values(some))
        for name in whole.outputs:
            assert np.array_equal(block.columns[name], whole[name][some]), name
    same(whole, study.run(workers=2))
    alone = make(lanes=False)
    assert lanes_of(alone, {}) is None
    same(whole, alone.run(workers=1))


def test_rows_one_by_one_do_not_depend_on_workers():
    stiffness = P("arm.links.*.beam.EI", how="scale", values=[0.8, 1.1])
    parameters = {"m": P("arm.links.link2.payload.mass", grid=(0.0, 0.3, 6)), "EI": stiffness}
    study = ls.Study("modes", "two_link_flexible", {"q": [0.0, 0.5], "count": 2}, parameters)
    same(study.run(workers=1), study.run(workers=2))


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"t": P("until", values=[0.1, 0.2])}},
        {
            "parameters": {"t": P("q0[0]", values=[0.1, 0.2])},
            "arguments": {"until": 0.1, "tau": lambda t, q, qd: 0 * q},
        },
        {"parameters": {"t": P("q0[0]", values=[0.1, 0.2])}, "arguments": {"until": 0.1, "method": "dop853"}},
    ],
)
def test_what_cannot_go_side_by_side_goes_one_by_one(changes):
    given = {"arguments": {"until": 0.1}} | changes
    arguments = {"q0": [0.1, 0.2]} | given["arguments"]
    study = ls.Study("simulate", "two_link", arguments, given["parameters"])
    assert lanes_of(study, {}) is None
    assert study.run(workers=1).ok


def test_the_step_of_all_runs_is_chosen_once():
    study = ls.Study("simulate", "two_link", {"q0": [0.1, 0.2], "until": 0.3}, {"a": P("q0[0]", grid=(0, 1, 5))})
    result = study.run(workers=1)
    assert result.settings["method"] == "rk4"
    assert 0 < result.settings["dt"] < 0.1
    run = ls.simulate(study.arm, study.case(3)["q0"], until=0.3, rtol=1e-10, atol=1e-12)
    assert [result[f"q_end[{k}]"][3] for k in range(2)] == pytest.approx(run.q[-1], abs=1e-7)


# ---- rows that fail ------------------------------------------------------------------------------


def test_a_row_that_fails_says_why_and_the_others_go_on():
    def evaluate(case):
        if case["x"] == 2:
            raise ZeroDivisionError("no two")
        return {"y": case["x"], "z": np.nan if case["x"] == 3 else 0.0}

    result = ls.Study(evaluate, parameters={"x": P(values=[1, 2, 3, 4])}).run(workers=1)
    assert result["outcome"].tolist() == ["ok", "failed", "doubtful", "ok"]
    assert result["status"].tolist() == ["ok", "ZeroDivisionError: no two", "z is not a number.", "ok"]
    assert np.isnan(result["y"][1])
    assert result.failures.tolist() == [1]
    assert not result.ok
    assert result.complete
    assert "row 1: ZeroDivisionError: no two" in str(result)


def test_a_batch_with_one_bad_state_loses_only_that():
    """A link without inertia at a pose: singular there alone."""
    values = [0.3, np.nextafter(1e6, 2e6), 0.5]
    parameters = {"q": P("q[0]", values=values), "w": P("qd[0]", values=[1.0, 1e160, 2.0])}
    study = ls.Study(
        "forward_dynamics", "two_link", {"q": [0, 1], "qd": [1, 1], "tau": [0, 0]}, parameters, sampling="list"
    )
    assert lanes_of(study, {}) is not None
    result = study.run(workers=1)
    assert result["outcome"].tolist() == ["ok", "failed", "ok"]
    assert "overflow" in result["status"][1]
    assert result["result[1]"][2] == ls.forward_dynamics(study.arm, [0.5, 1], [2.0, 1], [0, 0])[1]


def test_a_run_that_diverges_is_a_failed_row():
    parameters = {"kd": P("controller.kd", values=[10.0, 1e7])}
    arguments = {"q0": [0.1, 0.2], "tau": ls.PD([0, 0], 10.0, 10.0), "until": 0.5, "dt": 1e-3}
    result = ls.Study("simulate", "two_link", arguments, parameters).run(workers=1)
    assert result["outcome"].tolist() == ["ok", "failed"]
    assert "diverged" in result["status"][1]


def test_an_output_that_no_row_can_have_is_said_at_once(tmp_path):
    parameters = {"m": P("arm.links.link2.payload.mass", grid=(0, 1, 9))}
    study = ls.Study("modes", "two_link_flexible", None, parameters, {"f": "frequency"})
    with pytest.raises(
        ls.InputError, match="output 'f': there is no 'frequency' in the result; did you mean 'frequencies_hz'"
    ):
        study.run(tmp_path / "store", workers=1)
    assert not (tmp_path / "store").exists()
    for output, sentence in (
        (O("arm"), "expected numbers. Choose a field"),
        (O("q", "max max max"), "'max' cannot be applied"),
        (O("q", after=1.0), "and the result has none"),
        (O("shapes", entry=99), "so there is no entry 99"),
    ):
        with pytest.raises(NoSuchOutput, match=sentence):
            output.of_record(study.record(0))


def test_a_worker_that_dies_costs_only_the_row_that_kills_it():
    def evaluate(case):
        if case["x"] == 21:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"y": case["x"] ** 2}

    result = ls.Study(evaluate, parameters={"x": P(grid=(0, 31, 32))}).run(workers=2)
    assert result.complete
    assert result.failures.tolist() == [21]
    assert "worker processes died" in result["status"][21]
    good = np.delete(np.arange(32), 21)
    assert np.array_equal(result["y"][good], good**2)


def test_ctrl_c_gives_what_is_done():
    def evaluate(case):
        if case["x"] == 20:
            threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,)).start()
        if case["x"] >= 20:
            threading.Event().wait(0.2)
        return {"y": case["x"]}

    result = ls.Study(evaluate, parameters={"x": P(grid=(0, 199, 200))}).run(workers=1)
    assert result.status.startswith("interrupted: ")
    assert 0 < len(result) < 200
    assert np.array_equal(result["y"], result["row"])


def test_progress_is_told():
    seen = []
    study = ls.Study(lambda case: {"y": case["x"]}, parameters={"x": P(grid=(0, 9, 10))})
    study.run(workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 10)
    assert seen[-1] == (10, 10)
    assert seen == sorted(seen)


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"evaluate": "mode"}, "evaluate is 'mode'; did you mean 'modes'"),
        ({"evaluate": "save"}, "evaluate is 'save'"),
        ({"arm": None}, "modes needs an arm"),
        ({"arm": 3}, "arm is 3; expected an Arm"),
        ({"arguments": {"count": 2, "coun": 1}}, "modes has no argument 'coun'; did you mean 'count'"),
        ({"arguments": [1]}, "arguments is"),
        ({"evaluate": "simulate", "arguments": {"until": 1, "threads": 2}}, "'threads', which a study sets"),
        ({"evaluate": "forward_dynamics", "arguments": {"q": [0, 0]}}, "arguments has no 'qd'"),
        ({"parameters": {}}, "parameters is {}"),
        ({"parameters": {"a": 3}}, "parameter 'a' is 3"),
        ({"parameters": {"row": P("arm.links.link1.mass", values=[1])}}, "'row' is the name of a column of every"),
        ({"parameters": {"a": P("arm.links.link9.mass", values=[1])}}, "parameter 'a': path .* there is no 'link9'"),
        ({"parameters": {"a": P("arm.links.link1.beam.length", values=[-1])}}, "parameter 'a': .*length"),
        ({"parameters": {"a": P("arm.name", values=[1.0], how="scale")}}, "expected a number"),
        ({"parameters": {"a": P(values=[1])}}, "parameter 'a' has no path"),
        ({"outputs": {"m": "rigid"}}, "'m' is both a parameter and an output"),
        ({"outputs": {"a": 3}}, "output 'a' is 3"),
        ({"outputs": {}}, "outputs is {}"),
        ({"seed": -1}, "seed is -1"),
        ({"lanes": 1}, "lanes is 1"),
        ({"title": 1}, "title is 1"),
        ({"sampling": "random"}, "count is None; random samples need"),
    ],
)  # fmt: skip
def test_studies_that_cannot_be_are_refused(changes, sentence):
    given = {
        "evaluate": "modes", "arm": "two_link_flexible", "arguments": {"count": 2},
        "parameters": {"m": P("arm.links.link2.payload.mass", values=[0.1, 0.2])},
    }  # fmt: skip
    with pytest.raises(ls.InputError, match=sentence):
        ls.Study(**(given | changes))


def test_names_of_a_case_are_its_own():
    with pytest.raises(ls.InputError, match="'k' is both a parameter and an argument"):
        ls.Study(lambda case: {}, arguments={"k": 1}, parameters={"k": P(values=[1, 2])})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"workers": 0}, "workers is 0"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "give only one of them"),
        ({"resume": True}, "resume=True needs store="),
        ({"progress": "yes", "workers": 1}, "progress is 'yes'"),
    ],
)
def test_ways_to_run_that_cannot_be_are_refused(given, sentence):
    study = ls.Study(lambda case: {"y": 1}, parameters={"x": P(values=[1])})
    with pytest.raises(ls.InputError, match=sentence):
        study.run(**given)


@pytest.mark.parametrize(
    "given", [{"of": 3}, {"take": "biggest"}, {"take": 3}, {"entry": 1.5}, {"after": "x"}, {"unit": 1}]
)
def test_outputs_that_cannot_be_are_refused(given):
    with pytest.raises(ls.InputError, match=next(iter(given))):
        O(**given)


def test_what_cannot_travel_is_said_before_any_work(tmp_path):
    lock = threading.Lock()
    study = ls.Study(lambda case: {"y": lock.locked()}, parameters={"x": P(values=[1, 2])})
    assert study.run(workers=1)["y"].tolist() == [0.0, 0.0]
    with pytest.raises(ls.InputError, match="cannot be sent to another process"):
        study.run(tmp_path / "s", workers=2)
    assert not (tmp_path / "s").exists()


# ---- outcomes ------------------------------------------------------------------------------------


def test_outcomes_are_values():
    def evaluate(case):
        return {"y": 1 / int(case["x"]) if case["x"] < 2 else np.nan}

    result = ls.Study(evaluate, parameters={"x": P(values=[0, 1, 2])}).run(workers=1)
    kinds = ls.StudyRowOutcome
    assert result["outcome"].tolist() == [kinds.FAILED, kinds.OK, kinds.DOUBTFUL]
    assert all(isinstance(outcome, kinds) for outcome in result["outcome"])
    row = result.row(0)
    assert (row.row, row.outcome, row.status) == (0, kinds.FAILED, "ZeroDivisionError: division by zero")
    assert row.values["x"] == 0.0
    assert row.seed == result["seed"][0]
    assert (result.row(1).status, result.row(1).outcome.sentence) == ("ok", "the row is evaluated")
    assert (result.outcome, result.status) == (ls.StudyOutcome.DONE, "done")
    with pytest.raises(ls.InputError, match="there is no row 7 among the 3 rows"):
        result.row(7)
    data = result.to_xarray()
    assert [type(word) for word in data["outcome"].values] == [str] * 3


def test_a_part_of_a_study_is_incomplete(tmp_path):
    def evaluate(case):
        if case["x"] == 2:
            raise KeyboardInterrupt
        return {"y": case["x"]}

    result = ls.Study(evaluate, parameters={"x": P(values=[0, 1, 2, 3])}).run(tmp_path / "s", workers=1)
    assert result.outcome is ls.StudyOutcome.INTERRUPTED
    assert result.interrupted
    again = ls.load_study(tmp_path / "s")
    assert again.outcome is ls.StudyOutcome.INCOMPLETE
    assert not again.interrupted
