"""The gradient of weighted entries of the regressor, against differences and other functions of the same physics."""

import numpy as np
import pytest
from tests.arms import random_arm, random_states

import lissom as ls

ARMS = [
    ls.load("two_link"), random_arm(41, 5, kinds=("helical", "revolute", "prismatic")), random_arm(42, 9),
    ls.load("panda"),
]  # fmt: skip
H = 1e-6  # of central differences of smooth functions of size 1: errors of 1e-9


def weights_of(arm, rows, seed=3):
    return np.random.default_rng(seed).normal(size=(rows, arm.dof, 10 * len(arm.links)))


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: a.name)
def test_it_is_the_slope_of_the_weighted_sum(arm):
    states, W = random_states(arm, 3, seed=2), weights_of(arm, 3)
    found = ls.regressor_product(arm, *states, W)
    direction = np.random.default_rng(4).normal(size=arm.dof)
    for k, slope in enumerate(found):
        ends = []
        for sign in (1, -1):
            moved = [x + sign * H * direction * (j == k) for j, x in enumerate(states)]
            ends.append((W * ls.regressor(arm, *moved)).sum(axis=(1, 2)))
        want = (ends[0] - ends[1]) / (2 * H)
        assert np.abs(slope @ direction - want).max() <= 1e-7 * max(1.0, np.abs(want).max())


def test_weights_of_the_arms_own_parameters_give_the_product_of_inverse_dynamics():
    """Of an arm without drives: its torques are those of its links alone."""
    arm = random_arm(43, 6, drives=False)
    states, w = random_states(arm, 5, seed=2), np.random.default_rng(1).normal(size=(5, 6))
    found = ls.regressor_product(arm, *states, w[:, :, None] * ls.inertial_parameters(arm))
    for mine, other in zip(found, ls.inverse_dynamics_product(arm, *states, w), strict=True):
        assert np.abs(mine - other).max() <= 1e-11 * np.abs(other).max()


def test_one_state_and_broadcast_weights():
    arm = ARMS[0]
    states, W = random_states(arm, 4, seed=2), weights_of(arm, 1)[0]
    whole = ls.regressor_product(arm, *states, W)
    for k in range(4):
        one = ls.regressor_product(arm, *(x[k] for x in states), W)
        assert all(np.array_equal(a, b[k]) for a, b in zip(one, whole, strict=True))
    out = ls.regressor_product(arm, *(x[0] for x in states), W, out=tuple(np.empty(2) for _ in range(3)))
    assert np.array_equal(out[0], whole.q[0])


def test_what_does_not_fit_is_refused():
    arm, o = ARMS[0], [0.0, 0.0]
    with pytest.raises(ls.InputError, match=r"weights has shape \(2,\); expected \(2, 20\) or \(\.\.\., 2, 20\)"):
        ls.regressor_product(arm, o, o, o, [1.0, 2.0])
    W = np.ones((2, 20))
    W[0, 3] = np.nan
    with pytest.raises(ls.InputError, match=r"weights\[0, 3\] is nan"):
        ls.regressor_product(arm, o, o, o, W)
    with pytest.raises(ls.InputError, match="q has 3 entries"):
        ls.regressor_product(arm, [0.0, 0.0, 0.0], o, o, np.ones((2, 20)))
    soft = ls.load("two_link_flexible")
    with pytest.raises(ls.UnsupportedError, match="regressor_product is not available yet for arms with flexible"):
        ls.regressor_product(soft, soft.home, soft.home, soft.home, np.ones((soft.dof, 20)))
