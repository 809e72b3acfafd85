"""What happens at the edges: nothing given, starts on limits, functions that fail, targets that cannot be written."""

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link")
Q0 = np.array([0.31, -0.17])


# ---- nothing, or too little, is given ------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"dt": 1e-3}], ids=["adaptive", "fixed"])
def test_an_empty_list_of_loads_is_none(options):
    assert (
        ls.simulate(ARM, Q0, until=0.1, loads=[], **options).q == ls.simulate(ARM, Q0, until=0.1, **options).q
    ).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loads": None}, "loads is None; expected a list of Load"),
        ({"loads": lambda t: []}, r"loads\(0\) is empty; a load that comes later must be there from the start"),
        ({"loads": [ls.Load("fore", force=np.zeros((0, 3)))]}, "there are no runs: load on 'fore' has no rows"),
        ({"q0": np.zeros((0, 2))}, "there are no runs: q0 has no rows"),
        ({"payloads": []}, r"payloads of 'fore' is \[\]; expected a list of Payload"),
    ],
    ids=["None", "function", "rows", "states", "payloads"],
)
def test_nothing_where_something_is_needed(options, message):
    with pytest.raises(ls.InputError, match=message):
        ls.simulate(ARM, **{"q0": Q0, "until": 0.1, **options})


def test_two_loads_on_one_link_must_tell_of_the_same_runs():
    loads = [ls.Load("fore", force=np.ones((n, 3))) for n in (4, 3)]
    with pytest.raises(ls.InputError, match="numbers of runs do not fit together: load on 'fore' 4, load on 'fore' 3"):
        ls.simulate(ARM, Q0, until=0.1, loads=loads)
