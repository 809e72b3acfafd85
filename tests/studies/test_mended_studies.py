"""Studies that once went wrong."""

import dataclasses
import functools
import os
import subprocess
import sys

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError
from lissom.studies.plan.described import described
from lissom.studies.rows.block import joined
from lissom.studies.rows.evaluation import Evaluation, settings_of

ARM = ls.load("two_link")
SCENE = {"q0": [0.3, 0.1], "until": 0.2}
END = {"end": ls.StudyOutput("q", "last", entry=0)}


def of_arm(path, values, verb="gravity_forces", arm=ARM, **given):
    arguments = given.pop("arguments", {"q": [0.0, 1.0]})
    return ls.Study(verb, arm, arguments, parameters={"a": ls.StudyParameter(path, values=values)}, **given)


def refuse_company(study):
    """Rows are the same all together and each alone; the rows."""
    evaluation, rows = Evaluation(study, settings_of(study)), np.arange(study.rows)
    together = joined(evaluation(rows, study.values(rows)))
    alone = joined([b for k in rows for b in evaluation(rows[k : k + 1], study.values(rows[k : k + 1]))])
    assert (together.outcomes, together.statuses) == (alone.outcomes, alone.statuses)
    for name, column in together.columns.items():
        assert np.array_equal(column, alone.columns[name], equal_nan=True)
    return together


# ---- side by side --------------------------------------------------------------------------------


def test_states_of_whole_numbers_take_fractions():
    result = of_arm("q[0]", [0.5, 0.7], arguments={"q": np.array([0, 1])}).run(workers=1)
    assert result["result[0]"][0] == ls.gravity_forces(ARM, [0.5, 1.0])[0]
    assert result["result[0]"][1] == ls.gravity_forces(ARM, [0.7, 1.0])[0]


def test_all_entries_of_a_state_can_vary():
    result = of_arm("q.*", [0.5, 0.7]).run(workers=1)
    assert result["result[1]"][1] == ls.gravity_forces(ARM, [0.7, 0.7])[1]


def test_an_entry_of_the_result_is_that_of_the_row():
    result = of_arm("q[0]", [0.5, 0.7, 0.9], outputs={"y": "[0]"}).run(workers=1)
    expected = [ls.gravity_forces(ARM, [x, 1.0])[0] for x in (0.5, 0.7, 0.9)]
    assert result["y"].tolist() == expected


def test_arguments_that_arms_side_by_side_do_not_know_are_heeded():
    given = {"q": [0.0, 1.0], "packed": True}
    result = of_arm("arm.links.fore.mass", [0.5, 0.7], "mass_matrix", arguments=given).run(workers=1)
    assert result.outputs == ("result[0]", "result[1]", "result[2]")


@pytest.mark.parametrize("frame", ["world", "link"])
def test_reactions_of_arms_side_by_side_are_those_of_each(frame):
    given = {"q": [0.3, 1.0], "qd": [1.0, -2.0], "qdd": [3.0, 0.5]}
    study = of_arm("arm.links.fore.mass", [0.5, 0.7], "joint_reactions", arguments=given | {"frame": frame})
    want = ls.joint_reactions(ARM.with_link("fore", mass=0.7), *given.values(), frame=frame)
    result = study.run(workers=1)
    assert result["result[1, 0]"][1] == pytest.approx(want[1, 0], rel=1e-12)
    assert result["result[0, 5]"][1] == pytest.approx(want[0, 5], rel=1e-12)


def test_a_batch_of_states_is_not_taken_for_rows():
    given = {"q": np.array([[0.0, 1.0], [0.5, 0.2], [0.1, 0.1]]), "qd": [0.0, 0.0], "qdd": [0.0, 0.0]}
    result = of_arm("qd[0]", [1.0, 2.0, 3.0], "inverse_dynamics", arguments=given).run(workers=1)
    assert result["result[2, 0]"][0] == ls.inverse_dynamics(ARM, [0.1, 0.1], [1.0, 0.0], [0.0, 0.0])[0]


def test_torques_over_time_are_not_taken_for_rows():
    given = SCENE | {"tau": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])}
    study = of_arm("q0[0]", [0.1, 0.2, 0.3], "simulate", arguments=given, outputs=END)
    assert study.run(workers=1)["end"][0] == ls.simulate(ARM, **(given | {"q0": [0.1, 0.1]})).q[-1, 0]


@pytest.mark.parametrize("verb", ["gravity_forces", "simulate"])
def test_rows_outside_what_the_samples_show_are_done_all_the_same(verb):
    mass = ARM.links[0].mass  # of all samples
    simulated = {"arguments": SCENE, "outputs": END} if verb == "simulate" else {}
    study = of_arm("arm.links.upper.mass", [2 * mass, *[mass] * 8, 3 * mass], verb, **simulated)
    block = refuse_company(study)
    assert set(block.outcomes) == {"ok"}
    column = next(iter(block.columns.values()))
    assert column[0] != column[1] != column[9]


def test_joints_get_friction_that_have_none():
    study = of_arm("arm.joints.fore.friction", [0.0, 0.1, 0.2], "simulate", arguments=SCENE, outputs=END)
    assert set(refuse_company(study).outcomes) == {"ok"}


def test_a_row_that_fails_does_not_leave_the_step_open():
    masses = [0.5, 0.6, 0.7, -1.0, 0.8, 3.0, 9.0, 0.9, 0.95, 0.99]
    study = of_arm("arm.links.fore.mass", masses, "simulate", arguments=SCENE, outputs=END)
    assert settings_of(study)["dt"] > 0
    assert refuse_company(study).outcomes.count("failed") == 1


# ---- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [{"row": 7.0}, {"outcome": 1.0}, {"a": 9.0}, {"x": [1.0], "x[0]": 2.0}])
def test_columns_do_not_replace_each_other(found):
    study = ls.Study(lambda case: found, parameters={"a": ls.StudyParameter(values=[1, 2])})
    with pytest.raises(InputError, match="the name of another column"):
        study.run(workers=1)


def test_a_parameter_is_not_replaced_by_an_entry_of_an_output():
    study = ls.Study("gravity_forces", ARM, {"q": [0.0, 1.0]}, {"result[0]": ls.StudyParameter("q[0]", values=[1, 2])})
    with pytest.raises(InputError, match="the name of another column"):
        study.run(workers=1)


def test_outputs_have_names():
    with pytest.raises(InputError, match="an output is named 1"):
        ls.Study(len, parameters={"a": ls.StudyParameter(values=[1])}, outputs={1: "x"})


def test_a_late_row_without_outputs_costs_only_itself():
    study = ls.Study(
        lambda case: None if case["a"] == 3 else {"x": 1.0}, parameters={"a": ls.StudyParameter(values=range(9))}
    )
    result = study.run(workers=1)
    assert result.failures.tolist() == [3]
    assert "returned None" in result["status"][3]


def test_counts_can_vary():
    result = of_arm("count", [1, 2], "modes", "two_link_flexible", arguments={"count": 1}).run(workers=1)
    assert result.ok
    assert np.isnan(result["frequency[1]"]).tolist() == [True, False]


def test_indices_of_some_parameters_are_theirs():
    spreads = {name: ls.StudyParameter(uniform=(0, 1)) for name in "abcd"}
    function = lambda case: {"y": case["a"] + 2 * case["b"] + 4 * case["c"]}  # noqa: E731
    result = ls.Study(function, parameters=spreads, sampling="saltelli", count=64).run(workers=1)
    whole = result.sensitivity("y")
    some = result.only("c", "y").sensitivity("y")
    assert (some.parameters, some.method) == (("c",), "sobol")
    assert some.total is not None
    assert whole.total is not None
    assert (some.first[0], some.total[0]) == (whole.first[2], whole.total[2])
    assert result.worst("y", 10**6).sensitivity("y").method == "spearman"  # all rows, in another order


def test_a_result_without_parameters_has_no_scatter():
    pytest.importorskip("matplotlib")
    result = of_arm("q[0]", [0.5, 0.7]).run(workers=1)
    with pytest.raises(InputError, match="this result has no parameters"):
        ls.plot(result.only("result[0]"))


# ---- which study it is ---------------------------------------------------------------------------


def fingerprint(function, **arguments):
    study = ls.Study(function, None, arguments, parameters={"a": ls.StudyParameter(values=[1, 2])})
    return described(study)["fingerprint"]


def closing(k):
    return lambda case: {"x": k}


def by_default(k):
    return lambda case, k=k: {"x": k}


class Object:
    def __init__(self, k):
        self.k = k

    def __call__(self, case):
        return {"x": self.k}


FACTOR = 1.0


def by_name(case):
    return {"x": FACTOR}


@pytest.mark.parametrize(
    "make", [closing, by_default, lambda k: functools.partial(max, k), Object, lambda k: Object(k).__call__]
)
def test_what_a_function_takes_from_outside_is_part_of_it(make):
    assert fingerprint(make(1)) == fingerprint(make(1))
    assert fingerprint(make(1)) != fingerprint(make(2))
    assert fingerprint(closing(1), given=make(1)) != fingerprint(closing(1), given=make(2))


def test_functions_inside_and_names_of_the_module_are_part_of_a_function(monkeypatch):
    twice, thrice = (lambda c: (lambda t: 2 * t)(c)), (lambda c: (lambda t: 3 * t)(c))
    assert fingerprint(twice) != fingerprint(thrice)
    assert fingerprint(closing(1), given=np.sin) != fingerprint(closing(1), given=np.cos)
    before = fingerprint(by_name)
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    assert fingerprint(by_name) != before


def test_sets_come_in_any_order():
    code = (
        "import lissom as ls; from lissom.studies.plan.described import described\n"
        "f = lambda case: {'x': float(case['a'] in {'p', 'q', 'r', 's'})}\n"
        "print(described(ls.Study(f, parameters={'a': ls.StudyParameter(values=['p'])}))['fingerprint'])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert len(told) == 1


# ---- stores --------------------------------------------------------------------------------------


def test_numbers_of_numpy_can_be_stored(tmp_path):
    pytest.importorskip("pyarrow")
    spread = {"a": ls.StudyParameter(uniform=(0, 1))}
    study = ls.Study(closing(1.0), None, None, spread, None, "random", np.int64(3), np.int64(5))
    assert study.run(tmp_path / "store", workers=1).ok
    same = ls.Study(closing(1.0), None, None, spread, None, "random", 3, 5)
    assert same.run(tmp_path / "store", workers=1, resume=True).effort["rows"] == 0


@pytest.mark.parametrize("resume", [False, True])
def test_a_store_that_was_killed_before_its_first_row_can_be_begun(tmp_path, resume):
    pytest.importorskip("pyarrow")
    (tmp_path / "_lock").touch()
    assert of_arm("q[0]", [0.5, 0.7]).run(tmp_path, workers=1, resume=resume).ok


def test_a_parameter_can_list_many_values(tmp_path):
    pytest.importorskip("pyarrow")
    values = np.random.default_rng(0).random(3)
    study = of_arm("q[0]", values)
    study.run(tmp_path / "store", workers=1)
    about = tmp_path / "store" / "_study.json"
    about.write_text(about.read_text() + " " * 33 * 2**20)  # as long as a million values make it
    assert ls.load_study(tmp_path / "store").ok


# ---- what newcomers stumbled over ----------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda g: ls.PD(g, 200, 40, gravity=True), lambda g: ls.ComputedTorque(g, 100, 20)])
def test_a_controller_believes_in_the_arm_as_described(make):
    """With lanes, without them, and in the record of a row: the same physics."""
    arm = ls.load("two_link")
    parameters = {"m": ls.StudyParameter("arm.links.fore.mass", how="scale", values=[1.0, 1.5])}
    arguments = {"q0": [0.1, 0.2], "tau": make([0.5, 0.3]), "until": 0.2, "dt": 1e-3, "every": 0.02}
    both = [
        ls.Study("simulate", arm, arguments, parameters, {"q": ls.StudyOutput("q", "last")}, lanes=lanes)
        for lanes in (True, False)
    ]
    with_lanes, without = (study.run(workers=1) for study in both)
    heavy = both[0].case(1).arm
    told = dataclasses.replace(make([0.5, 0.3]), model=arm)
    expected = ls.simulate(heavy, [0.1, 0.2], tau=told, until=0.2, dt=1e-3).q[-1]
    for result in (with_lanes, without):
        assert [result[f"q[{k}]"][1] for k in range(2)] == pytest.approx(expected, abs=1e-11)
    assert both[0].record(1).q[-1] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("verb", ["predict_motion", "simulate"])
def test_an_interrupted_verb_interrupts_the_study(tmp_path, monkeypatch, verb):
    """Ctrl-C within a verb that gives what it has: no such row is kept."""
    import types

    record = types.SimpleNamespace(interrupted=True, ok=False, status="interrupted", duration=1.0, cost=1.0)
    monkeypatch.setattr("lissom.studies.rows.single.called", lambda *_: record)
    task = {"start": [0, 0], "goal": [1, 1]}
    arguments = task if verb == "predict_motion" else {"q0": [0.1, 0.2], "until": 0.1, "method": "dop853"}
    path = "arm.gravity[1]"
    study = ls.Study(verb, "two_link", arguments, {"g": ls.StudyParameter(path, values=[-9.0, -8.0])}, {"c": "cost"})
    result = study.run(tmp_path / "s", workers=1)
    assert result.status.startswith("interrupted")
    assert len(result) == 0


def test_failed_rows_can_be_tried_again(tmp_path):
    flag = tmp_path / "away"
    flag.touch()

    def evaluate(case):
        if case["x"] == 2 and flag.exists():
            raise OSError("licence server away")
        return {"y": case["x"]}

    study = ls.Study(evaluate, parameters={"x": ls.StudyParameter(values=[1, 2, 3])})
    assert study.run(tmp_path / "s", workers=1).failures.tolist() == [1]
    flag.unlink()
    assert study.run(tmp_path / "s", workers=1, resume=True).failures.tolist() == [1]
    result = study.run(tmp_path / "s", workers=1, retry=True)
    assert result.effort["rows"] == 1
    assert result["y"].tolist() == ls.load_study(tmp_path / "s")["y"].tolist() == [1, 2, 3]
    with pytest.raises(ls.InputError, match="retry=True needs store="):
        study.run(retry=True)


def test_values_near_the_ends_are_tried_first():
    with pytest.raises(ls.InputError, match=r"parameter 'm': .*mass"):
        ls.Study("modes", "two_link_flexible", None, {"m": ls.StudyParameter("arm.links.link2.payload.mass", uniform=(-0.1, 0.1))}, sampling="random", count=3)  # fmt: skip  # noqa: E501
    with pytest.raises(ls.InputError, match="this argument of simulate has no value"):
        ls.Study("simulate", "two_link", None, {"t": ls.StudyParameter("until", values=[1, 2])})


def test_picked_rows_are_shown_one_by_one():
    study = ls.Study(lambda case: {"y": case["x"] ** 2}, parameters={"x": ls.StudyParameter(grid=(0, 9, 10))})
    lines = str(study.run(workers=1).worst("y", 2)).splitlines()
    assert lines[0].split() == ["row", "x", "y"]
    assert [line.split() for line in lines[2:]] == [["9", "9", "81"], ["8", "8", "64"]]


def test_enormous_numbers_can_be_summed_up():
    study = ls.Study(
        lambda case: {"y": case["x"] * 1e200}, parameters={"x": ls.StudyParameter(values=[-1e100, 1e100, 2.0])}
    )
    assert "inf" in str(study.run(workers=1))


def test_adaptive_runs_under_a_moving_reference_are_evaluated_one_by_one():
    """Together they take longer than alone; with a fixed reference, or fixed steps, they do not."""
    rough = ls.load("two_link").with_joint("upper", friction=0.3)
    moving = ls.Profile([0.0, 0.3], [[0.1, -1.0], [0.4, -0.8]])

    def settings(arm, q):
        controller = ls.PD(q, kp=[80.0, 40.0], kd=[8.0, 4.0], gravity=True)
        gains = {"kp": ls.StudyParameter("tau.kp", how="scale", grid=(0.9, 1.1, 3))}
        return settings_of(ls.Study("simulate", arm, {"tau": controller, "until": 0.3}, parameters=gains))

    assert settings(rough, moving) == {}
    assert settings(rough, [0.4, -0.8])["method"] == "rodas"
    assert settings(ls.load("two_link"), moving)["method"] == "rk4"
