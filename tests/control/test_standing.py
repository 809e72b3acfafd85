"""Poses under gravity: linear models are made where the arm can stand."""

import warnings

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link_flexible").with_gravity((0, -1.0, 0))
JOINTS = [0.4, 1.0]
SENSORS = [ls.Encoder(noise=1e-4)]
WEIGHTS = np.full(2 * ARM.dof, 1.0), np.ones(2)


def lqg(q):
    return ls.OutputFeedback.lqg(ARM, q, SENSORS, *WEIGHTS, every=1e-3, torque_noise=1e-2)


def test_output_feedback_of_joints_holds_the_equilibrium():
    rest = ls.equilibrium(ARM, JOINTS).q
    plant = lqg(JOINTS).plant
    assert np.abs(plant.q - rest).max() < 1e-12
    assert np.abs(rest[1:3]).max() > 1e-3  # it sags


def test_output_feedback_refuses_a_state_in_which_the_arm_cannot_stand():
    with pytest.raises(ls.InputError, match=r"no equilibrium.*would settle to.*Give the joints only"):
        lqg(ARM.expanded(np.array(JOINTS)))


def test_linearise_warns_where_joints_only_are_no_equilibrium():
    with pytest.warns(UserWarning, match=r"joints only.*no equilibrium"):
        ls.linearise(ARM, JOINTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.linearise(ARM, ls.equilibrium(ARM, JOINTS).q)


@pytest.mark.parametrize("point", [0.2, (0.2, 0.0)])
def test_points_are_triples(point):
    with pytest.raises(ls.InputError, match=r"of 'link1'; expected a point \(x, y, z\)"):
        ls.linearise(ARM, ls.equilibrium(ARM, JOINTS).q, output=("link1", point))
