"""Helical joints in simulations, linear models, optimal motions, studies and generated C."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from tests.arms import other_numbers, random_arm
from tests.joints.test_helical import GRAVITY, INERTIA, MASS, PITCH, boom, lead_screw, tied

import lissom as ls

EFFECTIVE, WEIGHT = INERTIA + MASS * PITCH**2, MASS * GRAVITY * PITCH  # kg m^2 and N m at the screw


def pendulum(**fields):
    """A screw that carries a rod on a hinge: all of it moves in space."""
    links = [
        ls.Link("nut", joint=ls.Joint("helical", axis=(0.2, 0, 1), pitch=0.05, **fields), mass=2.0, inertia=0.03),
        ls.Link("rod", "nut", ls.Joint(axis=(0, 1, 0.1)), mass=1.0, com=(0.3, 0.02, 0), inertia=0.02),
    ]
    return ls.Arm("pendulum", links)


# ---- simulation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk8", "dop853", None])
def test_energy_is_conserved(method):
    run = ls.simulate(pendulum(), [0.3, 0.4], [1.0, -2.0], until=1.0, method=method, rtol=1e-10, atol=1e-12)
    assert run.ok
    total = run.kinetic + run.potential
    assert np.ptp(total) <= 1e-7 * np.abs(total).max()  # over a second, at tolerances of 1e-10


def test_a_nut_falls_down_its_screw():
    """q = q0 - m g p t^2 / (2 (I + m p^2)), without friction."""
    run = ls.simulate(lead_screw(), [3.0], until=0.8, rtol=1e-11, atol=1e-12)
    assert run.q[:, 0] == pytest.approx(3.0 - WEIGHT / EFFECTIVE * run.t**2 / 2, rel=1e-9)


def test_friction_holds_a_nut_and_stops_end_its_travel():
    held = ls.simulate(lead_screw(friction=2 * WEIGHT), [3.0], until=0.5)
    assert np.abs(held.q - 3.0).max() < 1e-9  # self-locking
    arm = lead_screw(limits=ls.Limits(position=(0.0, 5.0)))
    run = ls.simulate(arm, [3.0], until=5.0, stop_at_limits=True)
    assert run.events[0].t == pytest.approx(np.sqrt(2 * 3.0 * EFFECTIVE / WEIGHT), rel=1e-6)
    floor = ls.Event(lambda t, q, qd: q[0] - 1.5, "half way", stop=True)
    run = ls.simulate(lead_screw(), [3.0], until=5.0, events=[floor])
    assert run.t[-1] == pytest.approx(np.sqrt(2 * 1.5 * EFFECTIVE / WEIGHT), rel=1e-6)


def test_ensembles_and_controllers():
    arm = pendulum(damping=0.1)
    rng = np.random.default_rng(2)
    arms = [other_numbers(arm, rng) for _ in range(4)]
    options = {"until": 0.2, "dt": 1e-3, "every": 0.02, "method": "rk8"}
    q0 = rng.normal(size=(4, 2)) * 0.3
    for tau in (None, ls.PD([0.5, 0.1], kp=[4.0, 3.0], kd=[0.5, 0.4])):
        many = ls.simulate(arm, q0, arms=arms, tau=tau, **options)
        assert many.ok, many.status
        for k in (0, 3):
            one = ls.simulate(arms[k], q0[k], tau=tau, **options)
            assert np.abs(one.q - many.q[k]).max() < 1e-10
    computed = ls.ComputedTorque([4.0, 0.2], kp=100.0, kd=20.0)  # critically damped, the same for every joint
    run = ls.simulate(arm, [0.0, 0.0], tau=computed, until=1.5)
    assert np.abs(run.q[-1] - [4.0, 0.2]).max() < 1e-3


@pytest.mark.slow  # forward dynamics of two flexible arms is compiled
def test_a_flexible_arm_moves_as_the_tied_one():
    arm, options = boom(), {"until": 0.05, "dt": 2e-4, "method": "rk8", "every": 0.01}
    one, two = (ls.simulate(made, np.zeros(made.dof), **options) for made in (arm, tied(arm)))
    assert np.abs(one.q - two.q).max() <= 1e-9 * np.abs(two.q).max()
    assert one.balance_error < 1e-6


# ---- linear models -------------------------------------------------------------------------------


def test_linear_models_modes_and_equilibria():
    arm = pendulum(stiffness=7.0, damping=0.1, actuated=False)
    rest = ls.equilibrium(arm, [0.0, 1.4])  # the nut hangs in its spring
    assert abs(rest.q[0]) > 0.1
    assert np.abs(ls.inverse_dynamics(arm, rest.q, [0, 0], [0, 0]) - rest.tau).max() < 1e-9
    assert abs(rest.tau[0]) < 1e-9
    one, two = (ls.linearise(made, rest.q) for made in (arm, tied(arm)))
    assert np.abs(one.A - two.A).max() <= 1e-9 * np.abs(two.A).max()
    assert np.abs(one.B - two.B).max() <= 1e-9 * np.abs(two.B).max()
    found = ls.modes(lead_screw(stiffness=7.0), [0.0], joints="free")
    assert found.frequencies_hz[0] == pytest.approx(np.sqrt(7.0 / EFFECTIVE) / (2 * np.pi), rel=1e-10)


# ---- motions -------------------------------------------------------------------------------------


def shortest(travel, torque):
    """Time from rest to rest under a torque between two bounds: full ahead, full back.

    With (T - G) / I up and (T + G) / I to brake, travel = (a b / (a + b)) t^2 / 2.
    """
    a, b = (torque - WEIGHT) / EFFECTIVE, (torque + WEIGHT) / EFFECTIVE
    return np.sqrt(2 * travel * (a + b) / (a * b))


def test_a_minimum_time_motion_is_bang_bang():
    arm = lead_screw(limits=ls.Limits(torque=0.4))
    want = shortest(30.0, 0.4)
    motion = ls.predict_motion(arm, start=[0.0], goal=[30.0])
    assert motion.ok
    assert want <= motion.duration * (1 + 1e-9)  # no spline is quicker
    assert motion.duration == pytest.approx(want, rel=1e-2)  # 20 segments, the switch between two of them
    assert motion.verify().ok
    path = ls.retime_motion(arm, np.linspace(0.0, 30.0, 11)[:, None])
    assert path.duration == pytest.approx(want, rel=1e-4)


def test_a_limit_of_speed_holds_in_between():
    """Accelerate, travel at the limit, brake: T = d / v + v (1 / a + 1 / b) / 2."""
    v, torque = 20.0, 0.4
    arm = lead_screw(limits=ls.Limits(torque=torque, velocity=v))
    a, b = (torque - WEIGHT) / EFFECTIVE, (torque + WEIGHT) / EFFECTIVE
    want = 100.0 / v + v * (1 / a + 1 / b) / 2
    path = ls.retime_motion(arm, np.linspace(0.0, 100.0, 11)[:, None])
    assert path.duration == pytest.approx(want, rel=1e-4)


def test_a_motion_to_a_place():
    """The goal is a point in space; the turns of a screw are no detour that could be left out."""
    arm = pendulum(limits=ls.Limits(torque=8.0, position=(-15, 15)))
    arm = arm.with_joint("rod", limits=ls.Limits(torque=12.0, position=(-2.5, 2.5)))
    goal = ls.pose(arm, [9.0, 0.3], "rod", (0.3, 0, 0))[:3, 3]
    motion = ls.predict_motion(arm, start=[0.0, 0.2], goal=ls.Reach("rod", goal, point=(0.3, 0, 0)))
    assert motion.ok
    assert np.abs(ls.pose(arm, motion.at(motion.duration)[0], "rod", (0.3, 0, 0))[:3, 3] - goal).max() < 1e-6


# ---- studies and C -------------------------------------------------------------------------------


def test_the_pitch_is_a_parameter_of_studies():
    pitches = [0.001, 0.002, 0.004]
    parameter = ls.StudyParameter("arm.links.nut.joint.pitch", values=pitches)
    found = ls.Study("gravity_forces", lead_screw(), {"q": [0.0]}, {"pitch": parameter}).run(workers=1)
    assert np.ravel(found["result[0]"]) == pytest.approx(MASS * GRAVITY * np.array(pitches), rel=1e-12)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc on this machine")
@pytest.mark.parametrize(("n", "form"), [(3, "straight"), (14, "tape")])
def test_generated_c(n, form, tmp_path):
    arm = random_arm(52, n, kinds=("helical", "revolute", "prismatic"))
    assert any(joint.kind == "helical" for joint in arm.joints)
    made = ls.export_c(arm, "inverse_dynamics", tmp_path)
    assert made.functions[0].form == form
    words = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*words, f"{made.name}.c", "-o", "made.so", "-lm"], cwd=tmp_path, check=True)
    code = getattr(ctypes.CDLL(str(tmp_path / "made.so")), made.functions[0].name)
    state, tau = np.random.default_rng(3).uniform(-1.5, 1.5, (3, arm.dof)), np.zeros(arm.dof)
    assert code(*(ctypes.c_void_p(x.ctypes.data) for x in (*state, tau))) == 0
    want = ls.inverse_dynamics(arm, *state)
    assert np.abs(tau - want).max() <= 1e-12 * np.abs(want).max()
