"""Laws that rigid dynamics must obey, whatever the arm."""

import numpy as np
import pytest
from tests.arms import random_arm, random_loads, random_states

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import from_rpy

ARMS = [random_arm(21, 6), random_arm(22, 12), ls.load("tree_demo"), ls.load("stanford"), ls.load("puma560"),
        random_arm(23, 6, kinds=("helical", "revolute", "prismatic"))]  # fmt: skip
STEP = 1e-5  # central differences: error about STEP^2 + rounding / STEP, 1e-10 relative


@pytest.fixture(params=ARMS, ids=lambda a: a.name)
def arm(request):
    return request.param


def states(arm):
    return (x[0] for x in random_states(arm, 1, seed=9))


def test_mass_matrix_is_symmetric_and_positive(arm):
    Q = random_states(arm, 20)[0]
    M = ls.mass_matrix(arm, Q)
    assert np.array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0


def test_inverse_is_mass_times_acceleration_plus_bias(arm):
    q, qd, qdd = states(arm)
    tau = ls.mass_matrix(arm, q) @ qdd + ls.bias_forces(arm, q, qd)
    assert np.allclose(ls.inverse_dynamics(arm, q, qd, qdd), tau, rtol=1e-11, atol=1e-11)


def test_forward_undoes_inverse(arm):
    q, qd, qdd = random_states(arm, 10)
    loads = random_loads(arm, 1)
    tau = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads)
    assert np.allclose(ls.forward_dynamics(arm, q, qd, tau, loads=loads), qdd, rtol=1e-9, atol=1e-9)


def test_gravity_is_the_gradient_of_potential_energy(arm):
    q, _, _ = states(arm)
    steps = STEP * np.eye(arm.dof)
    slope = (ls.potential_energy(arm, q + steps) - ls.potential_energy(arm, q - steps)) / (2 * STEP)
    assert np.allclose(ls.gravity_forces(arm, q), slope, rtol=1e-7, atol=1e-7)


def test_power_is_the_rate_of_energy(arm):
    """d/dt (T + V) = qd . tau, less what damping and friction take."""
    q, qd, qdd = states(arm)

    def energy(t):
        p, v = q + t * qd + t**2 / 2 * qdd, qd + t * qdd
        return ls.kinetic_energy(arm, p, v) + ls.potential_energy(arm, p)

    losses = [(j.damping, j.friction) for j in arm.joints]
    lost = np.zeros(arm.dof)
    lost[arm.joint_index] = [d * v + f * np.sign(v) for (d, f), v in zip(losses, qd[arm.joint_index], strict=True)]
    for k, joint in zip(arm.joint_index, arm.joints, strict=True):
        if joint.elastic is not None:
            lost[k + 1] = joint.elastic.damping * qd[k + 1]
    rate = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    # differences with STEP lose half the digits of an energy of some hundred joules
    assert rate == pytest.approx(qd @ (ls.inverse_dynamics(arm, q, qd, qdd) - lost), rel=1e-6, abs=1e-6)


def test_mdot_minus_2c_is_skew(arm):
    """qd . (Mdot qd - 2 (bias without gravity, springs and losses)) = 0."""
    bare = arm.with_gravity((0, 0, 0)).replace(
        links=[link.replace(joint=undriven(link.joint)) if link.joint.moves else link for link in arm.links]
    )
    q, qd, _ = states(bare)
    Mdot = (ls.mass_matrix(bare, q + STEP * qd) - ls.mass_matrix(bare, q - STEP * qd)) / (2 * STEP)
    velocity_forces = ls.bias_forces(bare, q, qd)
    # differences with STEP lose half the digits of M
    assert qd @ Mdot @ qd == pytest.approx(2 * qd @ velocity_forces, rel=1e-6, abs=1e-7)


def undriven(joint):
    inertia = {"armature": joint.reflected_inertia, "rotor_inertia": 0.0, "gear_ratio": 1.0}
    return joint.replace(damping=0.0, friction=0.0, stiffness=0.0, elastic=None, **inertia)


def test_turning_the_world_changes_nothing(arm):
    """The base, gravity, loads turned alike: the same torques."""
    q, qd, qdd = states(arm)
    X = pose(from_rpy((0.4, -0.9, 1.7)))
    R = X[:3, :3]
    turned = arm.replace(
        links=[
            link.replace(joint=link.joint.replace(placement=X @ link.joint.placement)) if link.parent is None else link
            for link in arm.links
        ],
        gravity=R @ arm.gravity,
    )
    loads = random_loads(arm, 6)
    there = [ls.Load(x.link, R @ x.force, R @ x.moment, x.point) for x in loads]
    tau = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads)
    assert np.allclose(ls.inverse_dynamics(turned, q, qd, qdd, loads=there), tau, rtol=1e-11, atol=1e-11)


def test_payload_merged_is_a_heavier_link(arm):
    q, qd, qdd = states(arm)
    payload = ls.Payload(1.7, (0.1, -0.2, 0.05), (0.01, 0.02, 0.015))
    name = arm.links[-1].name
    loaded = arm.with_payload(payload, name)
    body = loaded.link(name).body
    heavier = arm.with_link(name, mass=body.mass, com=body.com, inertia=body.moment, payload=None)
    tau = ls.inverse_dynamics(loaded, q, qd, qdd)
    assert np.allclose(ls.inverse_dynamics(heavier, q, qd, qdd), tau, rtol=1e-12, atol=1e-12)


def test_merged_fixed_joints_change_nothing(arm):
    q, qd, qdd = states(arm)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    assert np.allclose(ls.inverse_dynamics(arm.merge_fixed(), q, qd, qdd), tau, rtol=1e-11, atol=1e-11)


def test_a_load_does_work_through_the_jacobian(arm):
    """-J^T f is all that a load adds."""
    q, qd, qdd = states(arm)
    load = random_loads(arm, 4)[0]
    J = ls.jacobian(arm, q, load.link, load.point)
    added = ls.inverse_dynamics(arm, q, qd, qdd, loads=[load]) - ls.inverse_dynamics(arm, q, qd, qdd)
    assert np.allclose(added, -J.T @ np.concatenate([load.force, load.moment]), rtol=1e-10, atol=1e-10)


def test_a_falling_base_is_weightless(arm):
    """A base that accelerates with gravity: no gravity."""
    q, qd, qdd = states(arm)
    falling = ls.BaseMotion(linear_acceleration=arm.gravity)
    free = arm.with_gravity((0, 0, 0))
    tau = ls.inverse_dynamics(arm, q, qd, qdd, base=falling)
    assert np.allclose(tau, ls.inverse_dynamics(free, q, qd, qdd), rtol=1e-11, atol=1e-11)


def test_the_arms_own_loads_always_act():
    arm = ARMS[0]
    loads = random_loads(arm, 5)
    standing = arm.replace(loads=loads)
    q, qd, qdd = states(arm)
    tau = ls.inverse_dynamics(arm, q, qd, qdd, loads=loads)
    assert np.allclose(ls.inverse_dynamics(standing, q, qd, qdd), tau, rtol=1e-12, atol=1e-12)
    assert np.allclose(ls.forward_dynamics(standing, q, qd, tau), qdd, rtol=1e-9, atol=1e-9)
    twice = ls.inverse_dynamics(standing, q, qd, qdd, loads=loads)
    bare = ls.inverse_dynamics(arm, q, qd, qdd)
    assert np.allclose(twice - bare, 2 * (tau - bare), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("q", [(0.3, -1.1), (2.0, 0.4)])
def test_two_link_closed_form(q):
    """Xiang, Arora, Abdel-Malek 2008, (52) and (53), with a vertical load f at the tip."""
    L1, l1, L2, l2, m1, m2, I1, I2, g, f = 0.4, 0.2, 0.4, 0.2, 0.5, 0.5, 0.1, 0.1, 9.8062, 10.0
    (a, b), (da, db), (dda, ddb) = q, (0.7, -1.2), (2.0, -0.5)
    c2, s2, c1, c12 = np.cos(b), np.sin(b), np.cos(a), np.cos(a + b)
    tau1 = (
        (I1 + I2 + m1 * l1**2 + m2 * (L1**2 + l2**2 + 2 * L1 * l2 * c2)) * dda
        + (I2 + m2 * l2**2 + m2 * L1 * l2 * c2) * ddb
        - 2 * m2 * L1 * l2 * da * db * s2 - m2 * L1 * l2 * db**2 * s2
        + m2 * g * l2 * c12 + m1 * g * l1 * c1 + m2 * g * L1 * c1 + f * L2 * c12 + f * L1 * c1
    )  # fmt: skip
    tau2 = (
        (I2 + m2 * l2**2) * ddb + (I2 + m2 * l2**2 + m2 * L1 * l2 * c2) * dda + m2 * L1 * l2 * da**2 * s2
        + m2 * g * l2 * c12 + f * L2 * c12
    )  # fmt: skip
    load = ls.Load("fore", force=(0, -f, 0))
    got = ls.inverse_dynamics(ls.load("two_link"), q, (da, db), (dda, ddb), loads=[load])
    assert np.allclose(got, [tau1, tau2], rtol=1e-13)
