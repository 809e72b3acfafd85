"""Functions of a frame take the end of the arm where none is named."""

import numpy as np

import lissom as ls

ARM = ls.load("puma560")
Q, QD, QDD = np.random.default_rng(3).uniform(-1, 1, (3, 6))


def test_the_default_frame_is_the_tip_frame():
    tip = ARM.tip_frame
    assert np.array_equal(ls.pose(ARM, Q), ls.pose(ARM, Q, tip))
    assert np.array_equal(ls.jacobian(ARM, Q), ls.jacobian(ARM, Q, tip))
    assert np.array_equal(ls.velocity(ARM, Q, QD), ls.velocity(ARM, Q, QD, tip))
    assert np.array_equal(ls.acceleration(ARM, Q, QD, QDD), ls.acceleration(ARM, Q, QD, QDD, tip))
    found = ls.inverse_kinematics(ARM, ls.pose(ARM, Q))
    assert np.abs(ls.pose(ARM, found.q, tip) - ls.pose(ARM, Q)).max() < 1e-8
