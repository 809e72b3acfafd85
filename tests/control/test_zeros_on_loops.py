"""Zeros along a flexible link in a closed loop, beside a pencil of the open tree with closure forces."""

import numpy as np
import pytest
from scipy.linalg import eig
from tests.loops.mechanisms import flexible_four_bar

import lissom as ls

ROWS = {"x": 0, "y": 1}


def mechanism(damping):
    arm = flexible_four_bar().with_gravity((0, 0, 0))
    coupler = arm.link("coupler")
    return arm.with_link("coupler", beam=coupler.beam.replace(damping=damping, modes=ls.Modes(bending_z=2)))


def pencil_zeros(arm, q, s, row):
    """Finite eigenvalues of (M s^2 + D s + K) x = G^T f + S u, G x = 0, J x = 0, f closure forces, u the torque."""
    n, still = arm.dof, np.zeros(arm.dof)
    slope = ls.inverse_dynamics_gradient(arm.replace(loops=()), q, still, still)
    ends = ls.jacobian(arm, q, "coupler.tip")[:2] - ls.jacobian(arm, q, "rocker", (0.57, 0, 0))[:2]
    held = np.vstack([ends, ls.jacobian(arm, q, "coupler", (s, 0, 0))[[ROWS[row]]]])
    inward = np.column_stack([ends.T, np.eye(n)[:, arm.actuated]])
    size = 2 * n + len(held)
    A, E = np.zeros((size, size)), np.zeros((size, size))
    E[:n, :n], E[n : 2 * n, n : 2 * n] = np.eye(n), slope.qdd
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = np.hstack([-slope.q, -slope.qd, inward])
    A[2 * n :, :n] = held
    a, b = eig(A, E, homogeneous_eigvals=True)[0]
    found = a[np.abs(b) > np.abs(a) / 1e6] / b[np.abs(b) > np.abs(a) / 1e6]
    return found[np.lexsort((found.imag, found.real, np.abs(found).round(6)))]


@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize("row", ROWS)
def test_zeros_of_points_of_a_coupler(row, damping):
    arm = mechanism(damping)
    q = ls.assemble(arm, arm.expanded(np.array([0.7, -0.3, 1.1])), ["crank"]).q
    places = [0.1, 0.35, 0.6, 0.83]
    along = ls.zeros_along(arm, q, "coupler", row, places)
    for s, zeros in zip(places, along.zeros, strict=True):
        want = pencil_zeros(arm, q, s, row)
        assert len(zeros) == len(want) == 2 * (arm.dof - 3)  # two closures and one output hold three coordinates
        apart = np.abs(zeros[:, None] - want)
        assert apart.min(axis=1).max() < 1e-6 * np.abs(want).max()
        assert apart.min(axis=0).max() < 1e-6 * np.abs(want).max()
    right = [bool((zeros.real > 1e-6 * np.abs(zeros)).any()) for zeros in along.zeros]
    assert [word == "no" for word in along.minimum_phase] == right


def test_joint_output_is_the_locked_mechanism():
    """With the crank locked the mechanism still bends: zeros of its encoder are those vibrations."""
    arm = mechanism(0.0)
    q = ls.assemble(arm, arm.expanded(np.array([0.7, -0.3, 1.1])), ["crank"]).q
    zeros = ls.linearise(arm, q, output=ls.Encoder()).zeros
    locked = ls.modes(arm, q, joints="locked").frequencies_hz
    assert np.abs(zeros.real).max() < 1e-6 * np.abs(zeros).max()
    assert np.abs(np.sort(zeros.imag[zeros.imag > 0]) / (2 * np.pi) - locked[:2]).max() < 1e-6 * locked[1]
