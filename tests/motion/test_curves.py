"""Profiles whose end conditions are part of their control points."""

import numpy as np
import pytest

from lissom.motion.splines.basis import Basis
from lissom.motion.splines.curves import Curves, End, Space

NAN = np.nan
CASES = {
    "rest": ([0.3, -1.2], [0.0, 0.0], [NAN, NAN]),
    "moving": ([0.3, -1.2], [0.7, -0.4], [NAN, NAN]),
    "still": ([0.3, -1.2], [0.0, 0.5], [0.0, 0.0]),
    "anywhere at rest": ([NAN, -1.2], [0.0, 0.0], [0.0, NAN]),
    "anywhere moving": ([NAN, NAN], [0.7, 0.2], [NAN, NAN]),
    "anything": ([NAN, NAN], [NAN, NAN], [NAN, NAN]),
}


def ends(word):
    return End(*(np.array(part) for part in CASES[word]))


@pytest.mark.parametrize("duration", [None, 1.7])
@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("second", CASES)
@pytest.mark.parametrize("first", CASES)
def test_end_conditions_hold_for_all_variables(first, second, degree, duration):
    curves = Curves([Space(Basis(9, degree), (0, 1))], ends(first), ends(second), duration)
    x = np.random.default_rng(3).normal(size=curves.size)
    if duration is None:
        x[-1] = 1.7
    z = curves.at(x, np.array([0.0, 1.0]))
    for k, end in enumerate((ends(first), ends(second))):
        for r in range(3):
            given = np.isfinite(end[r])
            assert np.abs(z[r, k][given] - end[r][given]).max(initial=0.0) < 1e-9


def test_an_acceleration_at_an_end_of_a_given_duration():
    end = End(np.array([0.1]), np.array([0.2]), np.array([1.5]))
    curves = Curves([Space(Basis(6, 5), (0,))], end, end, 0.8)
    z = curves.at(np.random.default_rng(0).normal(size=curves.size), np.array([0.0, 1.0]))
    assert np.allclose(z[:, :, 0], [[0.1, 0.1], [0.2, 0.2], [1.5, 1.5]], atol=1e-9)


@pytest.mark.parametrize("duration", [None, 0.6])
def test_local_values_are_affine_in_the_variables(duration):
    curves = Curves([Space(Basis(8), (0, 2)), Space(Basis(5, 5), (1,))], *_three(), duration)
    rng, s = np.random.default_rng(1), np.array([0.0, 0.2, 0.77, 1.0])
    x = rng.normal(size=curves.size)
    if duration is None:
        x[-1] = 0.6
    P = curves.control_points(x)
    z = curves.at(x, s)
    for r in range(3):
        joints = curves.spaces[0].basis.rows(s, r) @ P[0] / 0.6**r
        assert np.allclose(z[r][:, [0, 2]], joints, rtol=1e-11, atol=1e-11)
        assert np.allclose(z[r][:, [1]], curves.spaces[1].basis.rows(s, r) @ P[1] / 0.6**r, rtol=1e-11, atol=1e-11)


def _three():
    rest = End(np.array([0.4, 0.1, -0.3]), np.zeros(3), np.full(3, NAN))
    return rest, rest._replace(position=np.array([1.0, NAN, 0.0]), rate=np.array([0.3, 0.0, -0.2]))


def test_the_hull_of_a_derivative_holds_at_all_times():
    curves = Curves([Space(Basis(8), (0, 2)), Space(Basis(5, 5), (1,))], *_three(), None)
    x = np.random.default_rng(4).normal(size=curves.size)
    x[-1] = 0.9
    u = curves.local(np.linspace(0, 1, 500), 4)(x).reshape(500, 4, 3)
    for r in range(4):
        hull, owner = curves.hull(r)
        values = hull(x)
        for c in range(3):
            mine = values[owner == c]
            assert mine.min() - 1e-10 <= u[:, r, c].min()
            assert u[:, r, c].max() <= mine.max() + 1e-10


def test_fitting_keeps_what_fits():
    curves = Curves([Space(Basis(8), (0, 1))], ends("rest"), ends("moving"), None)
    x = np.random.default_rng(6).normal(size=curves.size)
    x[-1] = 1.3
    assert np.array_equal(curves.fitted(curves.control_points(x), 1.3), x)


def test_a_closed_profile_has_no_ends():
    basis = Basis(8, periodic=True)
    curves = Curves([Space(basis, (0, 1))], ends("rest"), ends("rest"), None)
    assert curves.size == 2 * 8 + 1
