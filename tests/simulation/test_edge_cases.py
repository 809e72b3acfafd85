"""What happens at the edges: nothing given, starts on limits, functions that fail, targets that cannot be written."""

import numpy as np
import pytest

import lissom as ls
from lissom.simulation import setup

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


def test_rows_of_rows_carry_their_own_payloads():
    """Blocks that are kept on disk are cut again where memory is short."""
    masses = [0.3, 0.7, 1.1, 1.9, 2.3]
    payloads = [ls.Payload(mass, com=(0.1, 0.02, 0.0)) for mass in masses]
    loop = setup.closed_loop(ARM, None, 1.0, None, (), None, None, payloads)
    inner = loop.rows(slice(1, 5)).rows(slice(2, 4))
    assert [inner.member(k).laden_arm.link("fore").payload.mass for k in (0, 1)] == masses[3:5]
    assert inner.laden_arm.link("fore").payload.mass == masses[3]


# ---- places along a beam -------------------------------------------------------------------------


def along(s, force=(0.0, 0.3, 0.0)):
    return ls.Load("link1", force=force, point=(s, 0.0, 0.0))


@pytest.mark.parametrize(
    ("loads", "message"),
    [
        (lambda t: [along(0.185 if t < 0.01 else 0.23)],
         "act on 'link1' at 0.23 m; at the start on 'link1' at 0.185 m"),
        (lambda t: [along(0.185)] if t < 0.01 else [], "act on nothing; at the start on 'link1' at 0.185 m"),
        (lambda t: [along(0.185, [0.0, 1.0 / float(t < 0.01), 0.0])],
         "load on 'link1' at 0.185 m raised ZeroDivisionError"),
        ([along(0.185, np.ones((2, 3))), along(0.23, np.ones((3, 3)))],
         "load on 'link1' at 0.185 m 2, load on 'link1' at 0.23 m 3"),
        (lambda t: [ls.Load("link1" if t < 0.01 else "link2")], "act on 'link2'; at the start on 'link1'"),
    ],
    ids=["moves", "vanishes", "raises", "runs", "links"],
)  # fmt: skip
def test_messages_name_places_along_a_beam(loads, message):
    with pytest.raises(ls.LissomError) as caught:
        ls.simulate(ls.load("two_link_flexible"), until=0.02, loads=loads)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
