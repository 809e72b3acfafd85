"""Kalman filters and LQG controllers: Riccati equations, separation of poles, simulated noise."""

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link_flexible")
GAUGES = [ls.Encoder(), ls.StrainGauge("link1", 0.02, y=1e-3), ls.StrainGauge("link2", 0.02, y=1e-3)]
Q, R = [100, 1, 1, 100, 1, 1, 1, 0.1, 0.1, 1, 0.1, 0.1], [1.0, 1.0]


def plant_of(dt):
    plant = ls.linearise(ARM, [0.2, 1.2], output=GAUGES)
    return plant if dt is None else plant.discrete(dt)


def noise_of(plant):
    W = plant.B @ np.diag([4e-6, 1e-6]) @ plant.B.T
    return W, np.diag([1e-8, 1e-8, 1e-12, 1e-12])


@pytest.mark.parametrize("dt", [None, 2e-3])
def test_the_gain_solves_the_riccati_equation(dt):
    """Of the covariance P that follows from iteration or Lyapunov's equation with this gain."""
    from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

    plant = plant_of(dt)
    W, V = noise_of(plant)
    L = plant.kalman(W, V)
    if dt is None:
        closed = plant.A - L @ plant.C
        P = solve_continuous_lyapunov(closed, -(W + L @ V @ L.T))
        assert np.allclose(L, P @ plant.C.T @ np.linalg.inv(V), rtol=1e-5, atol=1e-5 * np.abs(L).max())
    else:
        closed, spread = plant.A - plant.A @ L @ plant.C, plant.A @ L
        P = solve_discrete_lyapunov(closed, W + spread @ V @ spread.T)
        wanted = P @ plant.C.T @ np.linalg.inv(plant.C @ P @ plant.C.T + V)
        assert np.allclose(L, wanted, rtol=1e-5, atol=1e-5 * np.abs(L).max())


@pytest.mark.parametrize("dt", [None, 2e-3])
def test_separation(dt):
    """Poles of plant and controller joined are those of the regulator and of the estimator."""
    plant = plant_of(dt)
    W, V = noise_of(plant)
    law, K, L = plant.lqg(Q, R, W, V), plant.lqr(Q, R), plant.kalman(W, V)
    assert law.inputs == plant.outputs
    assert law.outputs == plant.inputs
    joined = np.block([[plant.A + plant.B @ law.D @ plant.C, plant.B @ law.C], [law.B @ plant.C, law.A]])
    observer = L if dt is None else plant.A @ L
    wanted = np.concatenate([np.linalg.eigvals(plant.A - plant.B @ K), np.linalg.eigvals(plant.A - observer @ plant.C)])
    found = np.linalg.eigvals(joined)
    assert max(np.abs(found - z).min() / abs(z) for z in wanted) < 1e-6


def test_the_error_of_the_estimate_has_the_covariance_of_the_filter():
    """A long simulated run: the mean square of the innovations is C P C^T + V."""
    from scipy.linalg import solve_discrete_are

    plant = plant_of(2e-3)
    K = plant.lqr(Q, R)
    W, V = noise_of(plant)
    L, P = plant.kalman(W, V), solve_discrete_are(plant.A.T, plant.C.T, W, V)
    rng, n = np.random.default_rng(3), len(plant.A)
    roots = [np.linalg.cholesky(np.diag([4e-6, 1e-6])), np.sqrt(V)]
    x, estimate, seen = np.zeros(n), np.zeros(n), []
    for _ in range(20_000):
        off = plant.C @ (x - estimate) + roots[1] @ rng.normal(size=4)
        seen.append(off)
        u = -K @ (estimate + L @ off)
        estimate = plant.A @ (estimate + L @ off) + plant.B @ u
        x = plant.A @ x + plant.B @ (u + roots[0] @ rng.normal(size=2))
    found, wanted = np.cov(np.array(seen).T, bias=True), plant.C @ P @ plant.C.T + V
    # 20,000 samples: three standard deviations of a variance are 3 sqrt(2 / 20,000) = 3 %
    assert np.allclose(found.diagonal(), wanted.diagonal(), rtol=0.03)


def test_refusals():
    plant = plant_of(None)
    with pytest.raises(ls.InputError, match="kalman: V has shape"):
        plant.kalman(np.ones(12), np.ones(3))
    blind = ls.linearise(ARM, [0.2, 1.2], output=ls.StrainGauge("link1", 0.02, y=1e-3))
    with pytest.raises(ls.SolveError, match=r"no stable estimator.*weakest is that of pole 0, mainly joint"):
        blind.kalman(np.ones(12), [1e-12])
