"""Exact derivatives against automatic differentiation of the recursion and against differences."""

import casadi as ca
import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics import forward, inverse
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse import Setting
from lissom.engine.program import Inline

RELATIVE = 1e-9
ARMS = [random_arm(31, 2), random_arm(32, 5), random_arm(33, 9), random_arm(34, 16)]


def automatic(program, arm, loads, base, states):
    """Value and Jacobian with respect to the three states, by casadi."""
    setting = Setting(tuple(load.link for load in loads), base is not None)
    run = Inline()
    program(run, Bodies(arm), setting)
    value = ca.vertcat(*run.outputs[0])
    extra = [] if base is None else [base.angular_velocity, base.angular_acceleration, base.linear_acceleration]
    given = [np.concatenate(extra)] if extra else []
    given += [np.concatenate([load.force, load.moment, load.point]) for load in loads]
    jacobians = [ca.jacobian(value, symbol) for symbol in run._symbols[:3]]
    return [np.array(x) for x in ca.Function("f", run._symbols, jacobians)(*states, *given)]


def close(got, want):
    assert np.abs(got - want).max() <= RELATIVE * max(1.0, np.abs(want).max())


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: a.name)
@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loads and moving base"])
def test_inverse_dynamics_gradient(arm, loaded):
    loads, base = (random_loads(arm, 3), random_base(2)) if loaded else ([], None)
    states = [x[0] for x in random_states(arm, 1, seed=4)]
    got = ls.inverse_dynamics_gradient(arm, *states, loads=loads, base=base)
    for mine, theirs in zip(got, automatic(inverse.program, arm, loads, base, states), strict=True):
        close(mine, theirs)


@pytest.mark.parametrize("arm", ARMS[:3], ids=lambda a: a.name)
@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loads and moving base"])
def test_forward_dynamics_gradient(arm, loaded):
    loads, base = (random_loads(arm, 3), random_base(2)) if loaded else ([], None)
    states = [x[0] for x in random_states(arm, 1, seed=4)]
    got = ls.forward_dynamics_gradient(arm, *states, loads=loads, base=base)
    for mine, theirs in zip(got, automatic(forward.program_by_bodies, arm, loads, base, states), strict=True):
        close(mine, theirs)


def test_against_central_differences():
    """An independent witness that needs no tracing; step 1e-5, error about 1e-9 relative."""
    arm = ARMS[1]
    q, qd, qdd = (x[0] for x in random_states(arm, 1, seed=8))
    loads, step = random_loads(arm, 7), 1e-5 * np.eye(arm.dof)
    d = ls.inverse_dynamics_gradient(arm, q, qd, qdd, loads=loads)
    for mine, plus, minus in (
        (d.q, (q + step, qd, qdd), (q - step, qd, qdd)),
        (d.qd, (q, qd + step, qdd), (q, qd - step, qdd)),
        (d.qdd, (q, qd, qdd + step), (q, qd, qdd - step)),
    ):
        slope = (ls.inverse_dynamics(arm, *plus, loads=loads) - ls.inverse_dynamics(arm, *minus, loads=loads)) / 2e-5
        assert np.abs(mine - slope.T).max() <= 1e-7 * np.abs(mine).max()


def test_batch_and_out():
    arm = ARMS[2]
    states = random_states(arm, 6)
    whole = ls.inverse_dynamics_gradient(arm, *states)
    assert whole.q.shape == (6, arm.dof, arm.dof)
    room = ls.InverseGradient(*(np.full_like(x, np.nan) for x in whole))
    assert ls.inverse_dynamics_gradient(arm, *states, out=room) is room
    for a, b in zip(room, whole, strict=True):
        assert np.array_equal(a, b)
    for k in range(6):
        alone = ls.inverse_dynamics_gradient(arm, *(np.ascontiguousarray(x[k]) for x in states))
        assert all(np.array_equal(a, b[k]) for a, b in zip(alone, whole, strict=True))
