"""Motion of arms whose joints follow others: energy, friction, controllers, ensembles."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls


def link(name, parent, axis, at, **joint):
    place = np.eye(4)
    place[:3, 3] = at
    return ls.Link(name, parent, ls.Joint(placement=place, axis=axis, **joint), mass=1.0, com=(0.15, 0.02, 0.0),
                   inertia=(0.01, 0.02, 0.02))  # fmt: skip


def hand(**drive):
    """A shoulder, a finger and two joints of it that follow, one through the other."""
    return ls.Arm("hand", [
        link("shoulder", None, (0, 1, 0), (0, 0, 0), **drive),
        link("knuckle", "shoulder", (0, 0.2, 1), (0.3, 0, 0), **drive),
        link("middle", "knuckle", (0, 0.2, 1), (0.2, 0, 0), mimic=ls.Mimic("knuckle", -0.8, 0.3), **drive),
        link("tip", "middle", (0, 0.2, 1), (0.2, 0, 0), mimic=ls.Mimic("middle", -1.5, 0.1), **drive),
    ])  # fmt: skip


G = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -0.8], [0.0, 1.2]])
G0 = np.array([0.0, 0.0, 0.3, -1.5 * 0.3 + 0.1])
START = np.array([0.3, -0.4])


def test_motion_is_that_of_the_projected_equations():
    arm = hand(armature=0.05)
    free = arm.replace(links=[x.replace(joint=x.joint.replace(mimic=None)) for x in arm.links])

    def rates(_, x):
        q, qd = G @ x[:2] + G0, G @ x[2:]
        M, h = G.T @ ls.mass_matrix(free, q) @ G, G.T @ ls.bias_forces(free, q, qd)
        return np.concatenate([x[2:], np.linalg.solve(M, -h)])

    known = solve_ivp(rates, (0, 0.5), [*START, 0, 0], rtol=1e-10, atol=1e-12).y[:2, -1]
    run = ls.simulate(arm, START, until=0.5)
    assert run.q[-1] == pytest.approx(known, abs=1e-8)
    energy = ls.kinetic_energy(arm, run.q, run.qd) + ls.potential_energy(arm, run.q)
    assert np.ptp(energy) < 1e-7


@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["rk4", "dop853", "radau"])
def test_energy_balance_with_damping_and_friction(method):
    run = ls.simulate(hand(damping=0.1, friction=0.2), START, [1.0, 2.0], until=0.3, method=method)
    assert run.status == "done"
    assert run.balance_error < 1e-5


def test_a_joint_sticks_by_the_friction_of_all_that_follow_it():
    arm = hand(friction=0.2).with_gravity((0, 0, 0))
    most = 0.2 * (1 + 0.8 + 1.2)
    assert arm.friction == pytest.approx([0.2, most])
    for share, moves in ((0.98, False), (1.02, True)):
        run = ls.simulate(arm, START, tau=[0.0, share * most], until=0.2)
        assert bool(abs(run.q[-1, 1] - START[1]) > 1e-6) is moves


def test_controllers():
    arm = hand(friction=0.05)
    for law in (ls.PD(START, 400.0, 40.0, gravity=True), ls.ComputedTorque(START, 100.0, 20.0)):
        run = ls.simulate(arm, START, until=0.3, tau=law)
        assert np.abs(run.q - START).max() < 1e-9


def test_prescribed_joints_take_those_that_follow_along():
    arm = hand()
    run = ls.simulate(arm, START, until=0.2, prescribed={"knuckle": lambda t: 3.0})
    assert run.q[-1, 1] == pytest.approx(START[1] + 1.5 * 0.2**2, abs=1e-9)
    with pytest.raises(ls.InputError, match="prescribed has 'tip'"):
        ls.simulate(arm, START, until=0.2, prescribed={"tip": lambda t: 3.0})


def test_ensembles_of_arms_with_numbers_of_their_own():
    arm, law = hand(damping=0.1, friction=0.1), ls.PD(START, 100.0, 20.0)
    arms = [arm, hand(damping=0.3, friction=0.2), arm.with_joint("tip", friction=0.5)]
    starts = START + 0.2
    many = ls.simulate(arm, starts, until=0.2, arms=arms, tau=law, dt=1e-3)
    for k, own in enumerate(arms):
        one = ls.simulate(own, starts, until=0.2, tau=law, dt=1e-3)
        assert many.q[k][-1] == pytest.approx(one.q[-1], abs=1e-9)


def test_many_joints_on_a_tape():
    """More joints than straight-line code serves: 20, of which 8 follow."""
    rng, links = np.random.default_rng(0), []
    for k in range(20):
        mimic = {"mimic": ls.Mimic(f"j{k - 2}", float(rng.uniform(-1, 1)))} if k % 5 in (2, 3) else {}
        links.append(link(f"j{k}", f"j{rng.integers(max(k - 3, 0), k)}" if k else None, rng.normal(size=3),
                          rng.uniform(-0.3, 0.3, 3), friction=0.1, damping=0.5, **mimic))  # fmt: skip
    arm = ls.Arm("many", links)
    assert arm.dof == 12
    run = ls.simulate(arm, np.full(12, 0.1), until=0.05, method="rk4", dt=5e-4)
    assert run.balance_error < 1e-5
