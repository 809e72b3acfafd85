"""Splines: every degree, continuity, closed or not, against SciPy's and against their own definition."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from lissom.errors import InputError
from lissom.motion.splines.basis import Basis

BREAKS = np.array([0.0, 0.07, 0.31, 0.34, 0.8, 1.0])
INSIDE = np.array([0.0, 0.013, 0.07, 0.2, 0.31, 0.33, 0.5, 0.799, 0.91, 1.0])
KINDS = [(d, c) for d in range(1, 8) for c in range(d)]


@pytest.mark.parametrize(("degree", "continuity"), KINDS)
def test_values_and_derivatives_are_scipys(degree, continuity):
    basis = Basis(BREAKS, degree, continuity)
    points = np.random.default_rng(degree).normal(size=(basis.count, 3))
    other = BSpline(basis.knots, points, degree)
    for r in range(degree + 1):
        want = other(INSIDE[:-1], nu=r)
        size = 1 + np.abs(want).max()
        assert np.abs(basis.rows(INSIDE[:-1], r) @ points - want).max() < 1e-12 * size
    assert np.allclose(basis.rows([1.0]) @ points, points[-1], rtol=1e-13)
    assert np.abs(basis.rows(INSIDE, degree + 1).toarray()).max() == 0


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("degree", "continuity"), [(1, 0), (3, 2), (5, 1)])
def test_profiles_are_rows_times_control_points(degree, continuity, periodic):
    """With a coordinate that stays where it is, whose derivatives are exactly 0."""
    basis = Basis(BREAKS if not periodic else 9, degree, continuity, periodic)
    points = np.random.default_rng(degree).normal(size=(basis.count, 3))
    points[:, 1] = 0.7
    for r, found in enumerate(basis.profiles(INSIDE, points, degree + 2)):
        want = basis.rows(INSIDE, r) @ points
        assert found == pytest.approx(want, rel=1e-13, abs=1e-12 * (1 + np.abs(want).max()))
        assert r == 0 or (found[:, 1] == 0).all()


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("degree", "continuity"), KINDS)
def test_functions_add_up_to_one_and_are_not_negative(degree, continuity, periodic):
    basis = Basis(BREAKS if not periodic else 9, degree, continuity, periodic)
    B = basis.rows(np.linspace(0, 1, 101)).toarray()
    assert np.abs(B.sum(axis=1) - 1).max() < 1e-14
    assert B.min() > -1e-15
    assert ((B > 0).sum(axis=1) <= degree + 1).all()


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("degree", "continuity"), [(3, 2), (5, 4), (5, 1), (4, 2), (7, 6)])
def test_derivatives_lie_in_the_hull_of_their_control_points(degree, continuity, periodic):
    breaks = np.array([0.0, 0.1, 0.15, 0.4, 0.47, 0.6, 0.83, 0.9, 1.0])
    basis = Basis(breaks, degree, continuity, periodic)
    points = np.random.default_rng(2).normal(size=basis.count)
    s = np.linspace(0, 1, 2001)[:-1]
    for r in range(continuity + 2):
        hull = basis.differences(r) @ points
        values = basis.rows(s, r) @ points
        slack = 1e-11 * np.abs(hull).max()
        assert hull.min() - slack <= values.min() <= values.max() <= hull.max() + slack


@pytest.mark.parametrize(("degree", "continuity"), [(3, 2), (3, 1), (5, 4), (5, 2), (6, 5)])
def test_a_closed_spline_closes_with_its_derivatives(degree, continuity):
    basis = Basis(7, degree, continuity, periodic=True)
    points = np.random.default_rng(5).normal(size=basis.count)
    for r in range(continuity + 1):
        values = basis.rows([0.0, 1.0], r) @ points
        assert abs(values[0] - values[1]) < 1e-11 * (1 + np.abs(values).max())


@pytest.mark.parametrize(("degree", "continuity"), [(1, 0), (3, 2), (3, 1), (5, 4)])
def test_derivatives_against_differences(degree, continuity):
    basis = Basis(BREAKS, degree, continuity)
    s, h = np.array([0.03, 0.2, 0.32, 0.6, 0.95]), 1e-6
    for r in range(degree):
        slope = (basis.rows(s + h, r) - basis.rows(s - h, r)).toarray() / (2 * h)
        want = basis.rows(s, r + 1).toarray()
        assert np.abs(slope - want).max() < 1e-6 * (1 + np.abs(want).max())


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("degree", "continuity"), [(3, 2), (3, 1), (5, 4), (4, 1)])
def test_refining_keeps_the_curve(degree, continuity, periodic):
    basis = Basis(6, degree, continuity, periodic)
    points = np.random.default_rng(8).normal(size=(basis.count, 2))
    finer, same = basis.refined(np.sort(np.append(basis.breaks, [0.05, 0.3, 0.77])), points)
    s = np.linspace(0, 1, 301)
    for r in range(2):
        before, after = basis.rows(s, r) @ points, finer.rows(s, r) @ same
        assert np.abs(after - before).max() < 1e-12 * (1 + np.abs(before).max())


def test_the_straight_line_has_its_control_points_at_greville():
    basis = Basis(BREAKS, 5, 3)
    s = np.linspace(0, 1, 51)
    assert np.abs(basis.rows(s) @ basis.greville - s).max() < 1e-14


def test_wrong_bases_are_refused():
    with pytest.raises(InputError, match="C0 to C2, not C3"):
        Basis(5, 3, 3)
    with pytest.raises(InputError, match="increase from 0 to 1"):
        Basis([0.0, 0.5, 0.5, 1.0])
    with pytest.raises(InputError, match="more segments"):
        Basis(2, 3, periodic=True)
    with pytest.raises(InputError, match=r"do not contain 0\.3"):
        Basis([0.0, 0.3, 1.0]).refined([0.0, 0.5, 1.0], np.zeros((5, 1)))
