"""Rotations against their definitions and each other."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from lissom.spatial.frames import inverse, pose, turn
from lissom.spatial.inertia import Inertia, combine, nearest_physical, principal_moments
from lissom.spatial.rotations import (
    about_axis,
    from_quaternion,
    from_rpy,
    nearest_rotation,
    rotation_vector,
    skew,
    to_rpy,
)

# a product of a few rotation matrices with entries below one: a few roundings of 1e-16 each
ROUNDING = 5e-15
angles = st.one_of(st.floats(-7, 7), st.sampled_from([0.0, 1e-12, 1e-7, np.pi / 2, -np.pi / 2, np.pi, -np.pi]))
axes = st.tuples(*3 * [st.floats(-1, 1)]).filter(lambda v: np.linalg.norm(v) > 1e-3)


def unit(v):
    return np.array(v) / np.linalg.norm(v)


def expm_series(v):
    """Rotation by its power series, the independent witness."""
    K, term, total = skew(v), np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = term @ K / k
        total = total + term
    return total


@given(axes, angles)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_about_axis_is_the_exponential(axis, angle):
    R = about_axis(unit(axis), angle)
    # the series itself loses digits as exp(|angle|)
    assert np.abs(R - expm_series(angle * unit(axis))).max() < 1e-12
    assert np.abs(R @ R.T - np.eye(3)).max() < ROUNDING
    assert np.linalg.det(R) > 0


@given(axes, angles)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_rotation_vector_is_its_inverse(axis, angle):
    R = about_axis(unit(axis), angle)
    v = rotation_vector(R)
    assert np.linalg.norm(v) <= np.pi + ROUNDING
    # also near a half turn; the series loses exp(pi) = 23 of 1e16
    assert np.abs(expm_series(v) - R).max() < 1e-13


@given(angles, angles, angles)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_rpy_there_and_back(roll, pitch, yaw):
    R = from_rpy((roll, pitch, yaw))
    X, Y, Z = np.eye(3)
    assert np.abs(R - about_axis(Z, yaw) @ about_axis(Y, pitch) @ about_axis(X, roll)).max() < ROUNDING
    assert np.abs(from_rpy(to_rpy(R)) - R).max() < ROUNDING


def test_quaternion_against_axis_and_angle():
    axis, angle = unit((0.3, -0.5, 0.9)), 1.234
    wxyz = 2.5 * np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    assert np.abs(from_quaternion(wxyz) - about_axis(axis, angle)).max() < ROUNDING


def test_quarter_turns_are_exact():
    assert turn("x", np.pi / 2)[1].tolist() == [0.0, 0.0, -1.0, 0.0]


def test_nearest_rotation_keeps_a_rotation_and_mends_a_rounded_one():
    R = from_rpy((0.4, -1.1, 2.2))
    assert np.abs(nearest_rotation(R) - R).max() < ROUNDING
    mended = nearest_rotation(np.round(R, 4))
    assert np.abs(mended @ mended.T - np.eye(3)).max() < ROUNDING
    assert np.abs(mended - R).max() < 1e-4


def test_inverse_of_a_batch():
    X = np.stack([pose(from_rpy((k, 0.3, -k)), (k, 2.0, -1.0)) for k in range(4)])
    assert np.abs(inverse(X) @ X - np.eye(4)).max() < 4 * ROUNDING


def cloud(seed):
    """A rigid body as point masses: positions (n, 3) and masses (n,)."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.4, 0.7, (9, 3)), rng.uniform(0.1, 2.0, 9)


def inertia_of(points, masses):
    com = masses @ points / masses.sum()
    r = points - com
    moment = sum(m * (v @ v * np.eye(3) - np.outer(v, v)) for m, v in zip(masses, r, strict=True))
    return Inertia(masses.sum(), com, moment)


@pytest.mark.parametrize("seed", range(4))
def test_inertia_moves_and_adds_like_point_masses(seed):
    (p, m), (p2, m2) = cloud(seed), cloud(seed + 50)
    X = pose(from_rpy((0.3, 1.1, -2.0)), (0.2, -0.7, 1.3))
    moved = inertia_of(p, m).in_frame(X)
    expected = inertia_of(p @ X[:3, :3].T + X[:3, 3], m)
    both = combine(inertia_of(p, m), inertia_of(p2, m2))
    together = inertia_of(np.vstack([p, p2]), np.concatenate([m, m2]))
    for got, want in ((moved, expected), (both, together)):
        assert got.mass == pytest.approx(want.mass, rel=1e-14)
        assert np.abs(got.com - want.com).max() < 1e-14
        assert np.abs(got.moment - want.moment).max() < 1e-13


def test_spatial_inertia_gives_kinetic_energy():
    points, masses = cloud(3)
    w, v = np.array([0.3, -1.2, 0.7]), np.array([-0.4, 0.2, 1.1])
    velocities = v + np.cross(w, points)
    energy = 0.5 * masses @ np.sum(velocities**2, axis=1)
    twist = np.concatenate([w, v])
    assert 0.5 * twist @ inertia_of(points, masses).spatial() @ twist == pytest.approx(energy, rel=1e-13)


def test_nearest_physical_repairs_only_what_is_wrong():
    R = from_rpy((0.2, 0.5, -0.4))
    good = R @ np.diag([0.2, 0.3, 0.4]) @ R.T
    assert np.abs(nearest_physical(good) - good).max() < 1e-15
    low, mid, high = principal_moments(nearest_physical(R @ np.diag([0.0125, 0.066, 0.086]) @ R.T))
    assert (low, mid, high) == pytest.approx((0.01625, 0.06975, 0.086), rel=1e-12)
    low, mid, high = principal_moments(nearest_physical(np.diag([-0.1, 0.3, 0.3])))
    assert low >= 0
    assert high <= low + mid + 1e-15
