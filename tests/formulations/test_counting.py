"""Counts of operations: numbers that count, exact polynomials, and what is printed beside them."""

from fractions import Fraction

import numpy as np
import pytest
from tests.arms import random_arm

import lissom as ls
from lissom.formulations.counting import Number, Tally, at, degree_of, polynomial, written
from lissom.papers.hollerbach1980.counts import count_table
from lissom.papers.hollerbach1980.printed import ORDERS, PRINTED


def test_dense_numbers_count_everything_but_signs():
    tally = Tally(folded=False)
    x, zero = Number(tally), Number(tally, 0.0)
    _ = x * zero + 1.0 * x - (-x) / 2.0
    assert (tally.multiplications, tally.additions) == (3, 2)


def test_folded_numbers_skip_what_is_known():
    tally = Tally(folded=True)
    x, zero, one, two = (Number(tally, known) for known in (None, 0.0, 1.0, 2.0))
    assert (x * zero).known == 0.0
    assert x * one is x
    assert x + zero is x
    assert zero + x is x
    assert (two * two - one).known == 3.0
    assert (tally.multiplications, tally.additions) == (0, 0)
    _ = two * x + x
    assert (tally.multiplications, tally.additions) == (1, 1)


@pytest.mark.parametrize(("method", "order"), ORDERS.items())
def test_orders_of_growth_are_exact(method, order):
    for field in ("multiplications", "additions"):
        values = {n: getattr(ls.count_operations(method, n), field) for n in range(2, 9)}
        assert degree_of(values) == order
        assert all(at(polynomial(values, order), n) == count for n, count in values.items())


def test_leading_terms_are_those_of_the_paper():
    """Where the paper counts full matrix products the same number of times, the same coefficients come out."""
    rows = {row.method: row for row in count_table()}
    for method in ("uicker_kahn", "waters", "horn_raibert"):
        assert rows[method].multiplications[-1] == PRINTED[method].multiplications[-1]
        assert rows[method].additions[-1] == PRINTED[method].additions[-1]
    assert rows["horn_raibert"].multiplications == list(PRINTED["horn_raibert"].multiplications)


def test_the_two_printed_tables_disagree():
    """A fact about the paper: Table I at n = 6 is not Table II for two formulations."""
    off = {method for method, p in PRINTED.items() if at(p.multiplications, 6) != p.six[0]}
    assert off == {"uicker_kahn", "waters"}


def test_four_by_four_products_count_as_they_should():
    """One link of the 4x4 recursion, by hand: every term of (10), (12), (13), (14) is one or more full products."""
    two, three = (ls.count_operations("hollerbach_4x4", n).multiplications for n in (2, 3))
    matrices = 64 * 9  # W A, W dA, Wd A; in (10) Wdd A, Wd dA, W ddA; J Wdd^T, A D, and dW D for its trace
    vectors = 16 * 2 + 4 * 2  # A c, dW c, m r, g^T (.)
    scalings = 16 * 4 + 2  # qd, 2 qd, qd^2, qdd; 2 qd and qd^2 themselves
    assert three - two == matrices + vectors + scalings


def test_counts_depend_on_the_arm_only_when_folded():
    a, b = ls.count_operations("newton_euler_link", 6), ls.count_operations("newton_euler_link", ls.load("puma560"))
    assert a[:2] == b[:2]
    assert b.folded.multiplications < b.multiplications / 2
    generic = ls.count_operations("newton_euler_link", random_arm(4, 6, tree=False, drives=False, kinds=("revolute",)))
    assert generic.folded.multiplications > b.folded.multiplications


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("watters", 6), "did you mean 'waters'"),
        (("waters", 0), "at least 1"),
        (("waters", "puma560"), "expected an Arm"),
    ],
)
def test_wrong_questions(given, words):
    with pytest.raises(ls.InputError, match=words):
        ls.count_operations(*given)
    with pytest.raises(ls.UnsupportedError, match="covers serial arms only"):
        ls.count_operations("waters", ls.load("tree_demo"))


def test_polynomials_are_written_and_found_exactly():
    cubic = [Fraction(-3), Fraction(1, 2), Fraction(0), Fraction(5, 3)]
    values = {n: int(6 * at(cubic, n)) for n in range(2, 9)}
    assert polynomial(values, degree_of(values)) == [6 * c for c in cubic]
    assert written(cubic) == "1 2/3 n^3 + 1/2 n - 3"
    assert written([Fraction(0), Fraction(-1)]) == "-n"
    with pytest.raises(ValueError, match="no polynomial"):
        degree_of({n: 2**n for n in range(2, 9)})


def test_times_have_the_order_of_the_counts():
    """Not how long: only that more operations take longer, by a wide margin."""
    found = ls.time_formulations(["waters", "newton_euler_link"], joints=(2, 5))
    times = {(row.method, row.joints): row for row in found}
    assert times["waters", 5].nanoseconds > 2 * times["newton_euler_link", 5].nanoseconds
    assert times["waters", 5].operations > times["waters", 2].operations
    with pytest.raises(ls.InputError, match="did you mean 'waters'"):
        ls.time_formulations(["watters"])
    for wrong in ({"joints": 3}, {"joints": (1.5,)}, {"seconds": "a"}, {"methods": "waters"}):
        with pytest.raises(ls.InputError, match="time_formulations"):
            ls.time_formulations(**wrong)
    assert ls.time_formulations(["waters"], joints=(6,), seconds=0.01) == ()


def test_code_as_written_computes_the_same():
    from lissom.engine.kernel import four_lanes
    from lissom.verbs.timing import _as_written, generic_arm

    arm = generic_arm(3)
    states = np.random.default_rng(2).uniform(-1, 1, (3, 8, 3))
    for method in ("hollerbach_3x3", "nasser"):
        graph = _as_written(method, 3)
        out = np.zeros((8, 3))
        assert four_lanes(graph)(list(states), [out])
        public = ls.forward_dynamics if method == "nasser" else ls.inverse_dynamics
        want = public(arm, *states)
        assert np.abs(out - want).max() < 1e-10 * np.abs(want).max()
