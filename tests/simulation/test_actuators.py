"""Actuators with lag: closed forms, all integrators, controllers, ensembles, linear models, files and refusals."""

import numpy as np
import pytest
from scipy.linalg import expm
from tests.loops.mechanisms import four_bar

import lissom as ls

WAYS = {"dt": {"dt": 1e-3}, "dop853": {"method": "dop853"}, "radau": {"method": "radau"}, "rodas": {"method": "rodas"}}
NEAR = {"rodas": 1e-6}
LAG = 0.04


def slider(lag=LAG, **joint):
    joint = ls.Joint("prismatic", axis=(1, 0, 0), damping=0.6, actuator=ls.Actuator(lag), **joint)
    return ls.Arm("slider", [ls.Link("block", joint=joint, mass=2.0, inertia=0.1)], gravity=(0, 0, 0))


def exact(t, kp=0.0, kd=0.0, pull=0.0, start=(0.5, 0.3, 0.0)):
    """x' = v, m v' = z - d v, lag z' = pull - kp x - kd v - z by the matrix exponential."""
    A = np.array([[0, 1, 0, 0], [0, -0.3, 0.5, 0], [-kp / LAG, -kd / LAG, -1 / LAG, pull / LAG], [0, 0, 0, 0]])
    return np.array([expm(A * x) @ [*start, 1.0] for x in t])[:, :3]


@pytest.mark.parametrize("way", WAYS)
def test_against_the_matrix_exponential(way):
    torques = {
        "numbers": (np.array([0.7]), {"pull": 0.7}),
        "controller": (ls.PD(0.0, 20.0, 3.0), {"kp": 20.0, "kd": 3.0}),
        "function": (lambda _t, q, qd: -20.0 * q - 3.0 * qd, {"kp": 20.0, "kd": 3.0}),
    }
    for name, (tau, law) in torques.items():
        if (way, name) == ("rodas", "function"):
            continue
        run = ls.simulate(slider(), [0.5], [0.3], tau=tau, tau0=[0.0], until=0.5, every=0.05, **WAYS[way])
        found = np.column_stack([run.q, run.qd, run.tau])
        assert np.abs(found - exact(run.t, **law)).max() < NEAR.get(way, 1e-7), name
        assert np.array_equal(run.controller_state, run.tau)
        assert run.ok


def test_starts_with_the_command():
    """Without tau0 the actuator begins with the torque that is commanded first, so that nothing jumps."""
    law = {"kp": 20.0, "kd": 3.0}
    begin = -20.0 * 0.5 - 3.0 * 0.3
    for tau in (ls.PD(0.0, **law), lambda _t, q, qd: -20.0 * q - 3.0 * qd):
        run = ls.simulate(slider(), [0.5], [0.3], tau=tau, until=0.5, every=0.05, method="dop853")
        found = np.column_stack([run.q, run.qd, run.tau])
        assert np.abs(found - exact(run.t, **law, start=(0.5, 0.3, begin))).max() < 1e-7


def test_ensembles():
    gains = np.array([[10.0], [20.0], [40.0]])
    runs = ls.simulate(slider(), [[0.5]] * 3, [0.3], tau=ls.PD(0.0, gains, 3.0), tau0=[0.2], until=0.5, dt=1e-3)
    for k, kp in enumerate(gains[:, 0]):
        found = np.column_stack([runs.q[k], runs.qd[k], runs.tau[k]])
        assert np.abs(found - exact(runs.t, kp, 3.0, start=(0.5, 0.3, 0.2))).max() < 1e-7
    arms = [slider(), slider(0.01)]
    runs = ls.simulate(arms[0], [0.5], tau=ls.PD(0.0, 20.0, 3.0), until=0.3, dt=1e-3, arms=arms)
    for k, arm in enumerate(arms):
        one = ls.simulate(arm, [0.5], tau=ls.PD(0.0, 20.0, 3.0), until=0.3, dt=1e-3)
        assert np.abs(np.interp(runs.t, one.t, one.q[:, 0]) - runs.q[k, :, 0]).max() < 1e-9
    with pytest.raises(ls.InputError, match="lag of the actuator is False, but of 'slider' it is True"):
        ls.simulate(arms[0], [0.5], until=0.3, dt=1e-3, arms=[slider(), slider(0.0)])


def test_states_of_controller_and_actuators():
    arm = ls.load("two_link").with_joint("fore", actuator=ls.Actuator(lag=0.02))
    runs = [
        ls.simulate(arm, [0.4, 0.2], tau=ls.PID([0.5, 0.3], 200, 400, 40), until=1.0, every=0.1, **way)
        for way in WAYS.values()
    ]
    for run in runs:
        assert run.report.provenance["controller_states"] == ["integral[upper]", "integral[fore]", "applied[fore]"]
        assert np.array_equal(run.controller_state[..., 2], run.tau[..., 1])
        assert np.abs(run.q - runs[0].q).max() < 1e-5
    without = ls.simulate(ls.load("two_link"), [0.4, 0.2], tau=ls.PID([0.5, 0.3], 200, 400, 40), until=1.0, every=0.1)
    assert 1e-4 < np.abs(without.q - runs[0].q).max() < 0.05


def test_prescribed_joints_have_no_lag():
    arm = ls.load("two_link").with_joint("upper", actuator=ls.Actuator(lag=0.02))
    run = ls.simulate(arm, [0.4, 0.2], prescribed={"upper": 0.5}, until=0.2)
    assert np.abs(run.q[:, 0] - 0.4 - 0.25 * run.t**2).max() < 1e-9
    assert run.controller_state is None


def test_closed_loops():
    arm = four_bar().with_joint("crank", actuator=ls.Actuator(lag=0.02))
    held = ls.assemble(arm, [0.7, 0.0, 0.0], ["crank"]).q
    run = ls.simulate(arm, held, tau=lambda _t, q, _qd: [-40 * (q[0] - 0.7), 0, 0], until=0.3)
    assert run.ok
    slope = (40 * (0.7 - run.q[:, 0]) - run.tau[:, 0]) / 0.02  # of the torque
    assert ls.linearise(arm, held).states == ("crank", "crank.rate", "applied[crank]")
    assert np.abs(np.gradient(run.tau[:, 0], run.t)[5:-5] - slope[5:-5]).max() < 0.02 * np.abs(slope).max()


def test_linear_models():
    arm = ls.load("two_link").with_joint("upper", actuator=ls.Actuator(lag=0.02))
    plant = ls.linearise(arm, [0.3, 0.2])
    assert plant.states[4:] == ("applied[upper]",)
    plain = ls.linearise(ls.load("two_link"), [0.3, 0.2])
    s = 1j * np.array([0.3, 5.0, 60.0])
    late = plain.frequency_response(s.imag) * np.stack([1 / (1 + 0.02 * s), np.ones(3)], axis=-1)[:, None, :]
    assert np.abs(plant.frequency_response(s.imag) / late - 1).max() < 1e-9
    control = ls.PD([0.3, 0.2], 60.0, 5.0, gravity=True)
    closed = ls.linearise(arm, [0.3, 0.2], controller=control)
    F = np.block([[60.0 * np.eye(2), 5.0 * np.eye(2), np.zeros((2, 1))]])
    gravity = ls.linearise(arm, [0.3, 0.2], controller=ls.GravityCompensation())
    assert np.abs(closed.poles - ls.StateSpace.closed(gravity, F).poles).max() < 1e-6
    assert np.array_equal(closed.B, plant.B)


def test_linear_models_predict_the_simulation():
    arm = ls.load("two_link").with_joint("upper", actuator=ls.Actuator(lag=0.02))
    plant = ls.linearise(arm, [0.3, 0.2])
    x = np.array([1e-4, -2e-4, 1e-3, 5e-4, 0.01])
    run = ls.simulate(
        arm, plant.q + x[:2], x[2:4], tau=plant.tau, tau0=plant.tau + [x[4], 0.0], until=0.05, rtol=1e-11, atol=1e-13
    )
    want = expm(plant.A * 0.05) @ x
    assert np.abs(np.concatenate([run.q[-1] - plant.q, run.qd[-1]]) - want[:4]).max() < 1e-6


def test_output_feedback_knows_the_lag():
    arm = slider()
    noise = {"every": 0.01, "torque_noise": 1e-3}
    control = ls.OutputFeedback.lqg(arm, [0.2], ls.Encoder(noise=1e-5), [50, 2, 0], [1], **noise)
    run = ls.simulate(arm, [0.5], tau=control, until=4.0, every=0.01)
    names = run.report.provenance["controller_states"]
    assert names[2:] == ["estimate[applied[block]]", "torque[block]", "applied[block]"]
    assert np.abs(run.controller_state[100:, 2] - run.tau[100:, 0]).max() < 0.02
    assert abs(run.q[-1, 0] - 0.2) < 1e-3


def test_files_and_words(tmp_path):
    arm = slider(0.03)
    ls.save(arm, tmp_path / "arm.toml")
    again = ls.load(tmp_path / "arm.toml")
    assert again.digest == arm.digest != slider(0.02).digest
    assert again.actuator_lag == pytest.approx([0.03])
    assert "actuator lag 0.03 s" in arm.describe()
    with pytest.raises(ls.UnsupportedError, match=r"URDF cannot represent: .*actuators with lag \(block\)"):
        ls.save(arm, tmp_path / "arm.urdf")
    row = ls.DH(mass=1.0, inertia=0.1, actuator=ls.Actuator(0.2))
    assert ls.Arm.from_dh([row], convention="standard").actuator_lag == [0.2]


def test_refusals():
    with pytest.raises(ls.ModelError, match="lag is -1; expected at least 0"):
        ls.Actuator(-1)
    with pytest.raises(ls.ModelError, match="a joint that is passive has no actuator"):
        slider(actuated=False)
    with pytest.raises(ls.ModelError, match="a joint that follows another has no actuator"):
        ls.Joint(mimic=ls.Mimic("other"), actuator=ls.Actuator(0.1))
    with pytest.raises(ls.ModelError, match="a fixed joint cannot have actuator"):
        ls.Joint("fixed", actuator=ls.Actuator(0.1))
    with pytest.raises(ls.InputError, match="tau0 is given, but no actuator of arm 'two_link' has a lag"):
        ls.simulate(ls.load("two_link"), tau0=[0, 0], until=0.1)
    with pytest.raises(ls.InputError, match="numbers of runs differ"):
        ls.simulate(slider(), [[0.1]] * 3, tau0=[[0.0], [1.0]], until=0.1)
