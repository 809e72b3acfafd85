"""The Coriolis matrix: C qd against inverse dynamics, dM/dt - 2 C as a matrix, Christoffel symbols, Pinocchio, C."""

import numpy as np
import pytest
from tests.agreement.test_pinocchio import Twin
from tests.arms import gripper_arm, random_arm, random_states
from tests.flexible.test_attachments import crane
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.kernels.cache import functions_of

pin = pytest.importorskip("pinocchio")


def follower():
    """Two joints on one coordinate, with a ratio, behind a prismatic one."""
    arm = random_arm(21, 5, tree=False, kinds=("revolute", "prismatic", "revolute"))
    joints = [link.joint.name for link in arm.links if link.joint.kind == "revolute" and link.joint.elastic is None]
    last = next(link for link in arm.links if link.joint.name == joints[-1])
    mimic = last.joint.replace(mimic=ls.Mimic(joints[0], -0.7, 0.2))
    return arm.with_link(last.name, joint=mimic)


def flexible(kind):
    arm = ls.load("two_link_flexible").with_gravity((1.0, -9.0, 2.0)).replace(flexibility=kind)
    return arm.with_joint(arm.joints[0].name, damping=0.3, armature=0.1, friction=0.2)


RIGID = {
    "two_link": ls.load("two_link"), "puma560": ls.load("puma560"), "tree": random_arm(3, 7),
    "slides": random_arm(5, 6, kinds=("prismatic", "revolute")), "large": random_arm(6, 24),
    "screws": random_arm(7, 6, kinds=("helical", "revolute", "prismatic")), "gripper": gripper_arm(),
    "follower": follower(),
}  # fmt: skip
FLEXIBLE = {"second_order": flexible("second_order"), "linear": flexible("linear"), "crane": crane()}
ARMS = RIGID | FLEXIBLE
SMALL = {name: 0.2 if name in FLEXIBLE else 1.0 for name in ARMS}


def states(name, rows=4):
    return SMALL[name] * random_states(ARMS[name], rows, seed=8, count=2)


def velocity_forces(arm, q, qd):
    """The part of the bias forces that is quadratic in the rates."""
    ahead, back, still = (ls.bias_forces(arm, q, rate) for rate in (qd, -qd, 0 * qd))
    return 0.5 * (ahead + back) - still


def slope(function, q, along, step=2e-3):
    """Directional derivative by differences of sixth order."""
    found = 0
    for k, weight in ((1, 45), (2, -9), (3, 1)):
        found = found + weight * (function(q + k * step * along) - function(q - k * step * along))
    return found / (60 * step)


@pytest.mark.parametrize("name", ARMS)
def test_times_the_rates_it_is_the_velocity_forces(name):
    arm, (q, qd) = ARMS[name], states(name)
    want = velocity_forces(arm, q, qd)
    got = np.einsum("bij,bj->bi", ls.coriolis_matrix(arm, q, qd), qd)
    size = np.abs(ls.bias_forces(arm, q, qd)).max()  # of the numbers that cancel
    assert np.abs(got - want).max() <= 1e-12 * size


@pytest.mark.parametrize("name", ARMS)
def test_rate_of_inertia_minus_twice_the_matrix_is_skew(name):
    arm, (q, qd) = ARMS[name], states(name)
    C = ls.coriolis_matrix(arm, q, qd)
    N = slope(lambda q: ls.mass_matrix(arm, q), q, qd) - 2 * C
    # differences of the inertia over steps of 2e-3
    assert np.abs(N + np.swapaxes(N, -1, -2)).max() <= 1e-9 * np.abs(ls.mass_matrix(arm, q)).max()


@pytest.mark.parametrize("name", ["puma560", "slides", "follower", "second_order", "linear"])
def test_entries_are_christoffel_symbols(name):
    """C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k, from differences of the inertia."""
    arm, (q, qd) = ARMS[name], states(name, 1)
    D = np.stack([slope(lambda x: ls.mass_matrix(arm, x), q[0], e) for e in np.eye(arm.dof)], axis=-1)  # (i, j, k)
    symbols = 0.5 * (D + np.swapaxes(D, 1, 2) - np.moveaxis(D, 2, 0))
    want = symbols @ qd[0]
    assert np.abs(ls.coriolis_matrix(arm, q[0], qd[0]) - want).max() <= 1e-9 * np.abs(ls.mass_matrix(arm, q)).max()


def test_two_link_in_closed_form():
    """h = -m2 l1 c2 sin q2: C = [[h qd2, h (qd1 + qd2)], [-h qd1, 0]] (Siciliano et al. 2009, 7.82)."""
    arm = ls.load("two_link")
    q, qd = np.array([0.3, 0.8]), np.array([1.3, -0.7])
    h = velocity_forces(arm, q, np.array([1.0, 0.0]))[1] * -1.0
    want = [[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0.0]]
    np.testing.assert_allclose(ls.coriolis_matrix(arm, q, qd), want, atol=1e-15)


@pytest.mark.parametrize("name", ["puma560", "tree", "slides", "large", "screws"])
def test_pinocchio_has_the_same_forces_and_the_same_skew_part(name):
    """Pinocchio's factorisation is another one; both have C qd, and C + C^T = dM/dt."""
    arm, (q, qd) = ARMS[name], states(name, 1)
    twin = Twin(arm)
    back = np.argsort(twin.order)
    theirs = pin.computeCoriolisMatrix(twin.model, twin.data, q[0][twin.order], qd[0][twin.order])[np.ix_(back, back)]
    ours = ls.coriolis_matrix(arm, q[0], qd[0])
    size = np.abs(theirs).max()
    assert np.abs(ours @ qd[0] - theirs @ qd[0]).max() <= 1e-12 * size
    assert np.abs(ours + ours.T - theirs - theirs.T).max() <= 1e-12 * size


def test_of_truncated_equations_it_is_the_derivative_of_their_velocity_forces():
    arm = flexible("book")
    q, qd = 0.1 * random_states(arm, 3, count=2)
    got = np.einsum("bij,bj->bi", ls.coriolis_matrix(arm, q, qd), qd)
    assert np.abs(got - velocity_forces(arm, q, qd)).max() <= 1e-12 * np.abs(ls.bias_forces(arm, q, qd)).max()


@pytest.mark.parametrize("name", ["puma560", "second_order"])
def test_one_state_a_batch_and_given_room_agree(name):
    arm, (q, qd) = ARMS[name], states(name, 9)
    whole = ls.coriolis_matrix(arm, q, qd)
    assert whole.shape == (9, arm.dof, arm.dof)
    for k in range(9):
        assert np.array_equal(ls.coriolis_matrix(arm, q[k], qd[k]), whole[k])
    room = np.empty_like(whole)
    assert ls.coriolis_matrix(arm, q, qd, out=room, threads=2) is room
    assert np.array_equal(room, whole)
    assert np.array_equal(
        ls.coriolis_matrix(arm, q.reshape(3, 3, -1), qd.reshape(3, 3, -1)).reshape(whole.shape), whole
    )


@pytest.mark.parametrize("name", ["second_order", "linear"])
def test_flexible_backends_agree(name):
    arm, given = ARMS[name], states(name)
    straight, tape, plain = (functions_of(arm).get("coriolis_matrix", None, b)(*given) for b in
                             ("straight", "tape", "numpy"))  # fmt: skip
    for found in (straight, tape):
        assert np.abs(found - plain).max() <= 1e-11 * np.abs(plain).max()


def test_of_closed_loops_it_is_that_of_the_tree():
    arm = four_bar()
    q, qd = random_states(arm, 3, count=2)
    assert np.array_equal(ls.coriolis_matrix(arm, q, qd), ls.coriolis_matrix(arm.replace(loops=()), q, qd))
