"""Xiang, Arora and Abdel-Malek 2008: torques and sensitivities, against the fast path, (6)-(11) and the closed form."""

import casadi
import numpy as np
import pytest
from tests.arms import random_arm, random_base, random_loads, random_states

import lissom as ls
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.formulations import uicker_kahn
from lissom.formulations.linkage import Linkage, State
from lissom.kernels.cache import functions_of
from lissom.papers.xiang2008.closed_form import (
    TABLE_1,
    TwoLink,
    gradient as closed_gradient,
    torques as closed_torques,
    two_link_arm,
)

SAME = 1e-10  # relative to the largest entry
UNEQUAL = TwoLink(L1=0.43, L2=0.37, l1=0.21, l2=0.16, m1=0.7, m2=0.45, I1=0.03, I2=0.02, g=9.1, f=3.3)


def close(got, want, relative=SAME):
    """Matrices by one scale: one of them may vanish, as that of the velocities of a single joint does."""
    scale = max(np.abs(part).max() for part in want)
    assert max(np.abs(g - w).max() for g, w in zip(got, want, strict=True)) <= relative * scale


def on_numpy(arm, verb, states, loads, base=None, backend="numpy"):
    """Nothing need be compiled."""
    known = functions_of(arm)
    extra = [] if base is None else [
        np.concatenate([base.angular_velocity, base.angular_acceleration, base.linear_acceleration])
    ]  # fmt: skip
    extra += [np.concatenate([load.force, load.moment, load.point]) for load in loads]
    about = Acting(tuple(load.link for load in loads), base is not None)
    return known.get(verb, about, backend, "xiang")(*states, *extra)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.some(6)
def test_random_arms(seed):
    """Chains and trees of both kinds of joints, with drives, springs, elastic joints, loads, a moving base."""
    arm = random_arm(500 + seed, 1 + seed % 8, tree=seed % 3 != 0)
    states = random_states(arm, 2, seed=seed)
    loads = random_loads(arm, seed) if seed % 2 else []
    base = random_base(seed) if seed % 4 == 1 else None
    want = ls.inverse_dynamics(arm, *states, loads=loads, base=base)
    slopes = ls.inverse_dynamics_gradient(arm, *states, loads=loads, base=base)
    for backend in ("numpy", "tape"):
        close([on_numpy(arm, "inverse_dynamics", states, loads, base, backend)], [want])
        close(on_numpy(arm, "inverse_dynamics_gradient", states, loads, base, backend), slopes)


def test_a_large_tree():
    arm = random_arm(31, 39)
    states, loads = random_states(arm, 2), random_loads(arm, 7)
    functions = functions_of(arm)
    for verb in ("inverse_dynamics", "inverse_dynamics_gradient"):
        assert functions.choose_backend(functions.plan(verb, method="xiang").program, None) == "tape"
    close([ls.inverse_dynamics(arm, *states, method="xiang")], [ls.inverse_dynamics(arm, *states)])
    close(
        ls.inverse_dynamics_gradient(arm, *states, loads=loads, method="xiang"),
        ls.inverse_dynamics_gradient(arm, *states, loads=loads),
    )


def test_compiled_and_plain_agree_on_a_batch():
    arm = random_arm(62, 4)
    states = random_states(arm, 9)
    plain = on_numpy(arm, "inverse_dynamics_gradient", states, [])
    compiled = ls.inverse_dynamics_gradient(arm, *states, method="xiang")
    close(compiled, plain, 1e-12)
    one = ls.inverse_dynamics_gradient(arm, *(x[4].copy() for x in states), method="xiang")
    assert all(np.array_equal(a, b[4]) for a, b in zip(one, compiled, strict=True))
    out = ls.InverseGradient(*(np.empty_like(part) for part in compiled))
    assert ls.inverse_dynamics_gradient(arm, *states, method="xiang", out=out) is out
    assert all(np.array_equal(a, b) for a, b in zip(out, compiled, strict=True))


def test_sensitivities_are_those_of_the_torques():
    """By differences of the formulation's own torques, which share nothing with (21)-(35) but the forward pass."""
    arm = random_arm(77, 6, drives=False)
    state, loads, step = random_states(arm, 1)[:, 0], random_loads(arm, 5), 1e-5
    found = ls.inverse_dynamics_gradient(arm, *state, loads=loads, method="xiang")
    scale = max(np.abs(part).max() for part in found)
    for which, matrix in enumerate(found):
        for k in range(arm.dof):
            ways = []
            for sign in (1, -1):
                moved = state.copy()
                moved[which, k] += sign * step
                ways.append(ls.inverse_dynamics(arm, *moved, loads=loads, method="xiang"))
            assert np.abs((ways[0] - ways[1]) / (2 * step) - matrix[:, k]).max() < 1e-8 * scale


def regular_lagrangian(arm, loads):
    """(6)-(10) by casadi, from `uicker_kahn`, whose (4) is (6)-(8) term by term, and its direct sensitivities (11)."""
    linkage = Linkage(Bodies(arm))
    symbols = [casadi.SX.sym(word, arm.dof) for word in ("q", "qd", "qdd")]
    q, qd, qdd = (list(casadi.vertsplit(x)) for x in symbols)
    pushes = [linkage.push(load.link, [*load.force, *load.moment, *load.point]) for load in loads]
    gravity = [float(g) for g in linkage.in_frame_0(arm.gravity)]
    tau = casadi.vertcat(
        *uicker_kahn.generalized_forces(State(linkage.members, linkage.frames(q), qd, qdd, gravity, pushes))
    )
    return casadi.Function("tau", symbols, [tau, *(casadi.jacobian(tau, x) for x in symbols)])


@pytest.mark.parametrize("seed", [3, 8])
def test_regular_lagrangian_is_a_witness(seed):
    arm = random_arm(seed, 3, tree=False, drives=False, kinds=("revolute", "prismatic"))
    loads = random_loads(arm, seed)
    states = random_states(arm, 1, seed)[:, 0]
    tau, *slopes = (np.array(x) for x in regular_lagrangian(arm, loads)(*states))
    close([ls.inverse_dynamics(arm, *states, loads=loads, method="xiang")], [tau.ravel()])
    close(ls.inverse_dynamics_gradient(arm, *states, loads=loads, method="xiang"), slopes)


@pytest.mark.parametrize("p", [TABLE_1, UNEQUAL, TABLE_1._replace(g=0.0, f=0.0)])
def test_closed_form_of_the_two_link_arm(p):
    """(69)-(82)."""
    arm = two_link_arm(p)
    states = np.random.default_rng(9).uniform(-3, 3, (3, 40, 2))
    close([ls.inverse_dynamics(arm, *states, method="xiang")], [closed_torques(p, *states)], 1e-12)
    close(ls.inverse_dynamics_gradient(arm, *states, method="xiang"), closed_gradient(p, *states), 1e-12)


def test_the_two_link_arm_is_the_shipped_one():
    arm, shipped = two_link_arm(TABLE_1._replace(f=0.0)), ls.load("two_link")
    states = random_states(arm, 5)
    close([ls.inverse_dynamics(arm, *states)], [ls.inverse_dynamics(shipped, *states)], 1e-14)
    assert [joint.limits.torque for joint in arm.joints] == [joint.limits.torque for joint in shipped.joints]


def test_torques_cost_what_hollerbachs_4x4_recursion_costs():
    """(12)-(18) are his (8)-(14); loads are not counted."""
    assert ls.count_operations("xiang", 6) == ls.count_operations("hollerbach_4x4", 6)
    assert ls.count_operations("xiang", ls.load("tree_demo")).multiplications > 0


def test_what_is_not_covered_is_said():
    flexible, arm = ls.load("two_link_flexible"), ls.load("puma560")
    with pytest.raises(ls.UnsupportedError, match="'xiang' covers rigid links only"):
        ls.inverse_dynamics_gradient(flexible, *np.zeros((3, flexible.dof)), method="xiang")
    with pytest.raises(ls.InputError, match=r"nasser computes forward_dynamics\. For .*_gradient use one of: xiang"):
        ls.inverse_dynamics_gradient(arm, *np.zeros((3, 6)), method="nasser")
    with pytest.raises(ls.InputError, match="xiang computes inverse_dynamics and inverse_dynamics_gradient"):
        ls.mass_matrix(arm, np.zeros(6), method="xiang")
    with pytest.raises(ls.InputError, match="method is 3"):
        ls.inverse_dynamics_gradient(arm, *np.zeros((3, 6)), method=3)


def test_arms_without_moving_joints():
    arm = ls.Arm("post", [ls.Link("post", joint=ls.Joint("fixed"), mass=1.0)])
    assert [part.shape for part in ls.inverse_dynamics_gradient(arm, [], [], [], method="xiang")] == [(0, 0)] * 3
