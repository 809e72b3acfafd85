"""Exact derivatives against automatic differentiation of the recursion and against differences."""

import casadi as ca
import numpy as np
import pytest
import threadpoolctl
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics import forward, inverse
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine.program import Inline
from lissom.kernels import forward_gradient

RELATIVE = 1e-9
ARMS = [random_arm(31, 2), random_arm(32, 5, kinds=("helical", "revolute", "prismatic")), random_arm(33, 9),
        random_arm(34, 16)]  # fmt: skip


def automatic(program, arm, loads, base, states):
    """Value and Jacobian with respect to the three states, by casadi."""
    acting = Acting(tuple(load.link for load in loads), base is not None)
    run = Inline()
    program(run, Bodies(arm), acting)
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
    for mine, theirs in zip(got, automatic(forward.program_unguarded, arm, loads, base, states), strict=True):
        close(mine, theirs)


def test_threads_of_the_linear_algebra_do_not_change_a_bit():
    """90 coordinates: a size whose products OpenBLAS would share out."""
    n = 90
    rng = np.random.default_rng(5)
    D = [*rng.normal(size=(2, 3, n, n)), rng.normal(size=(3, n, n)) + 30.0 * np.eye(n)]

    def found(threads):
        results = [np.empty((3, n, n)) for _ in range(3)]
        with threadpoolctl.threadpool_limits(threads, user_api="blas"):
            forward_gradient.solved(*results, *D)
        return results

    one = found(1)
    assert np.array_equal(one, found(2))
    for result, change in zip(one, (*D[:2], -np.eye(n)), strict=True):
        assert np.abs(D[2] @ result + change).max() < 1e-12


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: a.name)
@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loads and moving base"])
@pytest.mark.some(3)
def test_products_with_weights(arm, loaded):
    """Gradient and second derivatives of weights . tau, from the tape, against casadi on the whole recursion."""
    loads, base = (random_loads(arm, 3), random_base(2)) if loaded else ([], None)
    *states, weights = (x[0] for x in random_states(arm, 1, seed=4, count=4))
    first, second = second_by_casadi(arm, loads, base, states, weights)
    product = ls.inverse_dynamics_product(arm, *states, weights, loads=loads, base=base)
    for mine, theirs in zip(product, first, strict=True):
        close(mine, theirs)
    hessian = ls.inverse_dynamics_hessian(arm, *states, weights, loads=loads, base=base)
    for mine, (row, column) in zip(hessian, ((0, 0), (0, 1), (0, 2), (1, 1)), strict=True):
        close(mine, second[row][column])
    close(0.0, second[1][2])
    close(0.0, second[2][2])


def second_by_casadi(arm, loads, base, states, weights):
    """Gradient and Hessian blocks of weights . tau."""
    acting = Acting(tuple(load.link for load in loads), base is not None)
    run = Inline()
    inverse.program(run, Bodies(arm), acting)
    total = ca.dot(ca.DM(weights), ca.vertcat(*run.outputs[0]))
    symbols = run._symbols[:3]
    slopes = [ca.gradient(total, s) for s in symbols]
    extra = [] if base is None else [base.angular_velocity, base.angular_acceleration, base.linear_acceleration]
    given = [np.concatenate(extra)] if extra else []
    given += [np.concatenate([load.force, load.moment, load.point]) for load in loads]
    blocks = [ca.jacobian(slope, s) for slope in slopes for s in symbols]
    values = ca.Function("f", run._symbols, [*slopes, *blocks])(*states, *given)
    values = [np.array(v) for v in values]
    return [v.ravel() for v in values[:3]], [values[3 + 3 * k : 6 + 3 * k] for k in range(3)]


def test_products_in_batches_and_in_place():
    arm = ARMS[2]
    states = random_states(arm, 6, count=4)
    for function in (ls.inverse_dynamics_product, ls.inverse_dynamics_hessian):
        whole = function(arm, *states)
        room = type(whole)(*(np.full_like(x, np.nan) for x in whole))
        assert function(arm, *states, out=room) is room
        for k in range(6):
            alone = function(arm, *(x[k] for x in states))
            assert all(np.array_equal(a, b[k]) for a, b in zip(alone, whole, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(room, whole, strict=True))
        with pytest.raises(ls.InputError, match=r"weights\[1\] is nan"):
            function(arm, *(x[0] for x in states[:3]), [1.0, np.nan, *states[3, 0, 2:]])
    forward = ls.forward_dynamics_gradient(arm, *states[:3])
    room = ls.ForwardGradient(*(np.full_like(x, np.nan) for x in forward))
    assert ls.forward_dynamics_gradient(arm, *states[:3], out=room) is room
    assert all(np.array_equal(a, b) for a, b in zip(room, forward, strict=True))
    with pytest.raises(ls.InputError, match="expected 3 arrays"):
        ls.forward_dynamics_gradient(arm, *states[:3], out=room[:2])


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
