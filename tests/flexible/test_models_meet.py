"""Where the models of flexible links must agree: at zero deflection.

`linear`, `book` and `de_luca_siciliano` have the same first-order field there, so they agree at any rates. The
second-order field has what products of two amplitudes do as well, which forces feel through the products of their
rates: it agrees where the amplitudes are at rest, at any rates of the joints.
"""

import numpy as np
import pytest
from tests.flexible.linear_arms import planar, six, spatial

import lissom as ls

BAR = 1e-9  # relative to the largest entry


def undeformed(arm, seed=2, rates=True):
    q, qd, qdd = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, 5, arm.dof))
    q[:, arm.mode_index] = 0.0
    if not rates:
        qd[:, arm.mode_index] = 0.0
    return q, qd, qdd


def apart(found, want):
    return np.abs(found - want).max() / np.abs(want).max()


@pytest.mark.parametrize("model", ["linear", "book", "de_luca_siciliano"])
def test_linear_fields_and_the_closed_form_at_any_rates(model):
    """Joint and modal rows."""
    arm = planar()
    q, qd, qdd = undeformed(arm)
    closed = ls.inverse_dynamics(arm, q, qd, qdd, method="de_luca_siciliano")
    assert apart(ls.inverse_dynamics(arm.replace(flexibility=model), q, qd, qdd), closed) < BAR
    mass = ls.mass_matrix(arm, q, method="de_luca_siciliano")
    assert apart(ls.mass_matrix(arm.replace(flexibility=model), q), mass) < BAR


def test_all_models_where_amplitudes_are_at_rest():
    arm = planar()
    q, qd, qdd = undeformed(arm, rates=False)
    want = ls.inverse_dynamics(arm, q, qd, qdd)
    assert apart(ls.inverse_dynamics(arm, q, qd, qdd, method="de_luca_siciliano"), want) < BAR
    for model in ("linear", "book"):
        assert apart(ls.inverse_dynamics(arm.replace(flexibility=model), q, qd, qdd), want) < BAR


@pytest.mark.slow
@pytest.mark.parametrize("make", [spatial, six])
def test_in_space(make):
    arm = make()
    q, qd, qdd = undeformed(arm, rates=False)
    want, mass = ls.inverse_dynamics(arm, q, qd, qdd), ls.mass_matrix(arm, q)
    for model in ("linear", "book"):
        assert apart(ls.inverse_dynamics(arm.replace(flexibility=model), q, qd, qdd), want) < BAR
        assert apart(ls.mass_matrix(arm.replace(flexibility=model), q), mass) < BAR


def test_rates_of_amplitudes_tell_the_second_order_field_apart():
    arm = planar()
    q, qd, qdd = undeformed(arm)
    linear = ls.inverse_dynamics(arm.replace(flexibility="linear"), q, qd, qdd)
    assert apart(ls.inverse_dynamics(arm, q, qd, qdd), linear) > 1e-3
