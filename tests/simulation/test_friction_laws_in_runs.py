"""Laws of friction in simulations: sliding against an independent integration, sticking, energy, ensembles."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.loops.mechanisms import four_bar

import lissom as ls

G = 9.81
LAW = ls.Friction(2.0, 0.3, 0.5, 0.1, stribeck=1.0, stribeck_rate=0.05, degressive=-0.02, degressive_rate=3.0, load=0.2)
STEPS = {"rk4": {"dt": 1e-4}, "rk8": {"dt": 1e-4}}


def lift(mass=1.5, armature=0.4):
    joint = ls.Joint("prismatic", axis=(0, 0, 1), friction=LAW, armature=armature)
    return ls.Arm("lift", [ls.Link("load", joint=joint, mass=mass)])


def acceleration(v, way, tau, mass=1.5, armature=0.4):
    """Of the lift: tau = armature a + L + friction, L = mass (a + g), solved for both signs of L."""
    plain = 2.0 * way + 0.3 * v + 0.5 + 0.1 * abs(v) + way / (1 + (v / 0.05) ** 2) - 0.02 * way * min(abs(v), 3) ** 2
    found = []
    for side in (1.0, -1.0):
        c = 1 + 0.2 * way * side
        a = (tau - plain - c * mass * G) / (armature + c * mass)
        if side * (a + G) >= 0:
            found.append(a)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("method", ["rk45", "rk4", "rk8", "rodas"])
@pytest.mark.parametrize(("tau", "rate"), [(40.0, 0.3), (-5.0, 0.5), (25.0, -1.0), (-60.0, -1.0)])
def test_sliding_is_an_independent_integration(method, tau, rate):
    way = np.sign(rate)
    exact = solve_ivp(lambda _, y: [y[1], acceleration(y[1], way, tau)], (0, 0.03), [0, rate], rtol=1e-11, atol=1e-13)
    run = ls.simulate(lift(), [0.0], [rate], tau=[tau], until=0.03, method=method, **STEPS.get(method, {}))
    assert run.ok
    assert run.q[-1, 0] == pytest.approx(exact.y[0, -1], abs=1e-9)
    assert run.qd[-1, 0] == pytest.approx(exact.y[1, -1], abs=1e-8)


@pytest.mark.parametrize("method", ["rk45", "rk4", "rodas"])
def test_a_joint_sticks_up_to_its_breakaway_in_each_direction(method):
    weight = 1.5 * G
    forwards, backwards = (float(x) for x in LAW.breakaway(weight))
    assert forwards - backwards == pytest.approx(1.0)
    for tau, moves in (
        (weight + forwards - 1e-6, 0.0), (weight + forwards + 1e-3, 1.0), (weight - backwards + 1e-6, 0.0),
        (weight - backwards - 1e-3, -1.0),
    ):  # fmt: skip
        # held by its motor with tau, the gear transmits the weight all the same
        run = ls.simulate(lift(), [0.0], [0.0], tau=[tau], until=0.02, method=method, **STEPS.get(method, {}))
        assert np.sign(run.q[-1, 0]) == moves


def test_energy_is_balanced_over_stick_and_slip():
    arm = ls.load("puma560")
    for k, joint in enumerate(arm.joints):
        more = ls.Friction(
            joint.friction, asymmetry=0.2 * joint.friction, stribeck=0.3 * joint.friction, stribeck_rate=0.1,
            load=0.1 if k % 2 else 0.0,
        )  # fmt: skip
        arm = arm.with_joint(joint.name, friction=more)
    q = np.full(6, 0.3)
    rates = [1.0, -0.5, 0.3, 2.0, -1.0, 0.5]
    tight = ls.simulate(arm, q, rates, tau=ls.gravity_forces(arm, q), until=0.6, method="dop853", rtol=1e-9)
    assert tight.ok
    assert (tight.power[:, 1] >= 0).all()
    assert (tight.qd[-1] == 0.0).any()
    for method, options, near in (("rodas", {}, 1e-6), ("rk4", {"dt": 5e-4}, 1e-3)):
        run = ls.simulate(arm, q, rates, tau=ls.gravity_forces(arm, q), until=0.6, method=method, **options)
        assert run.ok
        np.testing.assert_allclose(run.q[-1], tight.q[-1], atol=near)


def test_arms_of_an_ensemble_have_their_own_laws():
    base = ls.load("puma560")
    arms = [base] + [base.with_joint("elbow", friction=LAW.replace(load=load)) for load in (0.0, 0.3)]
    options = {"tau": np.zeros(6), "until": 0.1, "method": "rk4", "dt": 1e-3}
    start = np.full((3, 6), 0.2)
    together = ls.simulate(base, start, start, arms=arms, **options)
    for k, arm in enumerate(arms):
        np.testing.assert_allclose(together.q[k], ls.simulate(arm, start[k], start[k], **options).q, rtol=1e-12)
    with pytest.raises(ls.InputError, match="A joint must have friction in all arms or in none"):
        ls.simulate(base, start, arms=[base, base.with_joint("elbow", friction=0.0), base], **options)


def test_prescribed_joints_need_their_friction():
    arm = ls.load("ur5").with_joint("elbow", friction=LAW, armature=0.3)
    run = ls.simulate(arm, np.full(6, 0.3), tau=np.zeros(6), prescribed={"elbow": 0.7}, until=0.2)
    assert run.ok
    qdd = ls.forward_dynamics(arm, run.q[-1], run.qd[-1], run.tau[-1])
    assert qdd[2] == pytest.approx(0.7, rel=1e-9)


def test_a_crank_of_a_closed_loop_sticks_by_direction():
    arm = four_bar().with_joint("crank", friction=LAW.replace(load=0.0))
    q = ls.assemble(arm, arm.home).q
    hold = ls.inverse_dynamics(arm, q, 0 * q, 0 * q)
    for more, moves in ((3.5 - 1e-4, 0.0), (3.5 + 1e-2, 1.0), (-2.5 + 1e-4, 0.0), (-2.5 - 1e-2, -1.0)):
        run = ls.simulate(arm, q, tau=hold + [more, 0, 0], until=0.02)
        assert np.sign(run.q[-1, 0] - q[0]) == moves
