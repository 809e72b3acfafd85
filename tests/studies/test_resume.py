"""A store is resumed by the same study only, whatever its functions, controllers and tables take from outside."""

import functools
from typing import NamedTuple

import numpy as np
import pytest
from tests.simulation.test_fingerprints import CONTROLLERS, SOURCES

import lissom as ls

GAIN = 1.0
TABLE = {"elbow": np.array([1.0, 2.0])}
STATES = {"x": ls.StudyParameter(values=[0.1, 0.2])}
DIFFERS = r"it has rows of a different study"


class Law:
    """A function with a table of its own."""

    def __init__(self, gain):
        self.gains = {"elbow": [gain]}

    def __call__(self, case):
        return {"y": self.gains["elbow"][0] * case["x"]}


class Gains(NamedTuple):
    elbow: float


def constant(gain):
    return eval(f"lambda case: {{'y': {gain} * case['x']}}")


def default(gain):
    return lambda case, gain=gain: {"y": gain * case["x"]}


def keyword_default(gain):
    return lambda case, *, gain=gain: {"y": gain * case["x"]}


def closure(gain):
    return lambda case: {"y": gain * case["x"]}


def through_helper(gain):
    def helper(x):
        return gain * x

    return lambda case: {"y": helper(case["x"])}


def table(gain):
    gains = {"elbow": np.array([gain])}
    return lambda case: {"y": gains["elbow"][0] * case["x"]}


def named_table(gain):
    gains = Gains(gain)
    return lambda case: {"y": gains.elbow * case["x"]}


def with_partial(gain):
    return functools.partial(default(0.0), gain=gain)


EVALUATIONS = [constant, default, keyword_default, closure, through_helper, table, named_table, with_partial, Law]


def study(evaluate, **arguments):
    return ls.Study(evaluate, arguments=arguments, parameters=STATES)


def refused(first, other, same, folder):
    """The store of the first study is not continued by another one, and continued by the same."""
    first.run(folder, workers=1)
    with pytest.raises(ls.InputError, match=DIFFERS):
        other.run(folder, workers=1, resume=True)
    assert same.run(folder, workers=1, resume=True).effort["rows"] == 0


@pytest.mark.parametrize("make", EVALUATIONS)
def test_what_an_evaluation_takes_from_outside_counts(tmp_path, make):
    refused(study(make(1.0)), study(make(2.0)), study(make(1.0)), tmp_path / "s")


@pytest.mark.parametrize("make", EVALUATIONS)
def test_so_do_functions_among_the_arguments(tmp_path, make):
    def evaluate(case):
        return case["law"](case)

    made = [study(evaluate, law=make(gain)) for gain in (1.0, 2.0, 1.0)]
    refused(*made, tmp_path / "s")


@pytest.mark.parametrize(("name", "value"), [("GAIN", 2.0), ("TABLE", {"elbow": np.array([1.0, 3.0])})])
def test_names_of_a_module_count(tmp_path, monkeypatch, name, value):
    def make():
        return study(lambda case: {"y": GAIN * TABLE["elbow"][1] * case["x"]})

    make().run(tmp_path / "s", workers=1)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), name, value)
        with pytest.raises(ls.InputError, match=DIFFERS):
            make().run(tmp_path / "s", workers=1, resume=True)
    assert make().run(tmp_path / "s", workers=1, resume=True).complete


def simulated(tau):
    arguments = {"q0": [0.1, 0.2], "tau": tau, "until": 0.004, "dt": 2e-3}
    return ls.Study("simulate", "two_link", arguments, {"a": ls.StudyParameter("q0[0]", values=[0.1])})


@pytest.mark.parametrize("make", [*SOURCES, *CONTROLLERS])
def test_what_a_controller_is_made_of_counts(tmp_path, make):
    """Stores are compared before a row is evaluated, so that the first study need not be simulated."""
    from lissom.studies.plan.described import described

    first, other, same = (described(simulated(make(gain))) for gain in (1.0, 1.5, 1.0))
    assert first["unseen"] == other["unseen"] == ()
    assert first["fingerprint"] == same["fingerprint"] != other["fingerprint"]


def test_a_store_of_another_controller_is_refused(tmp_path):
    made = [simulated(ls.PD(ls.Profile([0.0, 0.01], [[0.0, 0.0], [x, 0.0]]), 10, 1)) for x in (1.0, 1.5, 1.0)]
    refused(*made, tmp_path / "s")


def test_criteria_and_loads_of_a_task_count():
    from lissom.studies.plan.described import described

    def planned(weight, force):
        task = {"start": [0, -2], "goal": [1, -1], "loads": [ls.Load("fore", force=(force, 0.0, 0.0))],
                "minimise": {lambda q, qd, qdd, tau: weight * tau[0] ** 2: 1.0}}  # fmt: skip
        parameters = {"T": ls.StudyParameter("task.duration", values=[1.0])}
        found = described(ls.Study("predict_motion", "two_link", task | {"duration": 1.0}, parameters))
        assert found["unseen"] == ()
        return found["fingerprint"]

    assert planned(1.0, 0.0) == planned(1.0, 0.0)
    assert len({planned(1.0, 0.0), planned(2.0, 0.0), planned(1.0, 3.0)}) == 3


def test_a_store_in_the_first_format_is_read_and_not_continued(tmp_path):
    """Format 1 had words as `status`, and the reasons as `error`."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    from lissom.studies.store.parts import parts

    def make():
        return study(lambda case: {"y": 1 / (case["x"] - 0.1)})

    first = make().run(tmp_path / "s", workers=1)
    for file in parts(tmp_path / "s"):
        columns = {
            name: x.to_pylist() for name, x in zip(*(lambda t: (t.column_names, t.columns))(pq.read_table(file)))
        }
        outcome, status = columns.pop("outcome"), columns.pop("status")
        columns |= {"status": outcome, "error": ["" if why == "ok" else why for why in status]}
        pq.write_table(pa.table(columns), file)
    about = tmp_path / "s" / "_study.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"format": "lissom study 1"}))
    again = ls.load_study(tmp_path / "s")
    assert list(again.table) == list(first.table)
    assert again["outcome"].tolist() == [ls.StudyRowOutcome.FAILED, ls.StudyRowOutcome.OK]
    assert again["status"].tolist() == first["status"].tolist()
    with pytest.raises(ls.InputError, match="'lissom study 1', which is read but not continued"):
        make().run(tmp_path / "s", workers=1, resume=True)
