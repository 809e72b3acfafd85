"""Output feedback: a matrix recursion as its twin, integrators, settling of a flexible arm, seeds, ensembles, files."""

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.motion.run_file import read_run_file

FLEXIBLE = ls.load("two_link_flexible")
POSE = np.array([0.3, 0.9])
GAUGES = [ls.StrainGauge(link, 0.02, 1e-3, noise=1e-6) for link in ("link1", "link2")]
SENSORS = [ls.Encoder(noise=1e-4), *GAUGES]
WAYS = {"rk4": {"method": "rk4"}, "dt": {"dt": 0.013}, "dop853": {"method": "dop853"}, "radau": {"method": "radau"}}


def damped(arm, fraction=0.005):
    return arm.replace(links=[link.replace(beam=link.beam.replace(damping=fraction)) for link in arm.links])


def tip_weights(arm, q):
    """Q and R of a tip that is to stand still."""
    n = arm.dof
    J, E = ls.jacobian(arm, q, "link2.tip")[:2], np.eye(n)[arm.joint_index]
    Q = np.zeros((2 * n, 2 * n))
    Q[:n, :n], Q[n:, n:] = 100 * J.T @ J + 0.1 * E.T @ E, 5 * J.T @ J + 0.1 * E.T @ E
    return Q, np.array([2.0, 8.0])


def slider(mass=2.0, damping=0.6):
    """A block on a rail: a linear plant."""
    joint = ls.Joint("prismatic", axis=(1, 0, 0), damping=damping)
    return ls.Arm("slider", [ls.Link("block", joint=joint, mass=mass, inertia=0.1)], gravity=(0, 0, 0))


def rail(every=0.04, **options):
    arm = slider()
    plant = ls.linearise(arm, [0.2], output=ls.Encoder()).discrete(every)
    K, L = plant.lqr([50.0, 2.0], [1.0]), plant.kalman([0.0, 1e-4], [1e-4])
    return ls.OutputFeedback(plant, K, L, options.pop("sensors", [ls.Encoder()]), **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("every", [0.05, 0.01])  # samples are not at sampling times, and twice as close
def test_twin_of_a_linear_plant(way, every):
    """x[k+1] = A x + B u at the sampling times; in between x' = v, m v' = u - d v."""
    control = rail()
    run = ls.simulate(slider(), [0.5], [0.3], tau=control, until=1.0, every=every, **WAYS[way])
    A, B, C, K, L = (np.asarray(x) for x in (control.plant.A, control.plant.B, control.plant.C, control.K, control.L))
    x, guess = np.array([0.3, 0.3]), np.array([0.3, 0.0])
    at = np.round(run.t / 0.04).astype(int)
    states, estimates = [x], [guess]
    for _ in range(25):
        u = -K @ guess
        x, guess = A @ x + B @ u, A @ guess + B @ u
        guess = guess + L @ (C @ x - C @ guess)
        states, estimates = [*states, x], [*estimates, guess]
    here = np.abs(run.t - 0.04 * at) < 1e-9
    found = np.column_stack([run.q, run.qd])[here] - [0.2, 0.0]
    assert np.abs(found - np.array(states)[at[here]]).max() < 2e-8
    estimate, torque = run.controller_state[here, :2] - [0.2, 0.0], run.controller_state[here, 2]
    assert np.abs(estimate - np.array(estimates)[at[here]]).max() < 2e-8
    assert np.abs(torque + np.array(estimates)[at[here]] @ K[0]).max() < 2e-6
    assert np.array_equal(run.tau[:, 0], run.controller_state[:, 2])
    assert run.ok
    assert run.balance_error < 1e-6


def test_settling_of_a_flexible_arm():
    """Beside feedback of the true state: at most 2.2 times its settling time; the tip then within 0.3 mm."""
    arm = damped(FLEXIBLE)
    q = arm.expanded(POSE)
    Q, R = tip_weights(arm, q)
    start, place = q + [0.08, 0.1, 0, -0.05, 0, 0], ls.pose(arm, q, "link2.tip")[:2, 3]

    def settled(tau):
        run = ls.simulate(arm, start, tau=tau, until=6.0, every=4e-3)
        off = np.linalg.norm(run.tip[:, :2] - place, axis=1)
        return run.t[np.flatnonzero(off > 2e-3)[-1]], np.sqrt((off[run.t > 4] ** 2).mean()), run

    true, _, _ = settled(ls.StateFeedback(ls.linearise(arm, q).lqr(Q, R), q))
    given = {"every": 2e-3, "torque_noise": 2e-4, "seed": 1}
    strained, rest, run = settled(ls.OutputFeedback.lqg(arm, q, SENSORS, Q, R, **given))
    assert strained < 2.2 * true
    assert rest < 3e-4
    error = run.controller_state[:, :6] - run.q
    assert np.abs(error[0, [0, 3]]).max() < 5e-4  # begun from the encoders
    assert np.abs(error[run.t > 5]).max() < 1e-3


def test_first_estimate_knows_sensors_only():
    """Bent by the first mode, the gauges tell how far; other modes that they see as well are less likely."""
    arm = damped(FLEXIBLE)
    design = ls.OutputFeedback.lqg(arm, POSE, SENSORS, np.ones(12), np.ones(2), every=2e-3, torque_noise=2e-4)
    exact = [ls.Encoder(), *(ls.StrainGauge(link, 0.02, 1e-3) for link in ("link1", "link2"))]
    control = ls.OutputFeedback(design.plant, design.K, design.L, exact)
    start = arm.expanded(POSE) + [0.02, 0.05, 0, 0.01, 0.03, 0]
    run = ls.simulate(arm, start, np.ones(6), tau=control, until=0.004, every=2e-3)
    first = run.controller_state[0, :12]
    assert np.abs(first[[0, 3]] - start[[0, 3]]).max() < 1e-7
    rows = control.plant.C[:, :6]
    assert np.abs(rows @ (first[:6] - start)).max() < 1e-7
    assert np.abs(first[[1, 4]] - start[[1, 4]]).max() < 0.005
    assert not first[6:].any()  # rates are not measured


# ---- noise ---------------------------------------------------------------------------------------


def test_noise_is_reproducible():
    given = {"until": 0.2, "every": 0.04}
    noisy = {"sensors": [ls.Encoder(noise=1e-3)], "torque_noise": 0.01}
    one = ls.simulate(slider(), [0.5], tau=rail(seed=3, **noisy), **given)
    again = ls.simulate(slider(), [0.5], tau=rail(seed=3, **noisy), **given)
    other = ls.simulate(slider(), [0.5], tau=rail(seed=4, **noisy), **given)
    assert np.array_equal(one.controller_state, again.controller_state)
    assert not np.array_equal(one.controller_state, other.controller_state)
    few = ls.simulate(slider(), [[0.5]] * 3, tau=rail(seed=3, **noisy), dt=0.01, **given)
    many = ls.simulate(slider(), [[0.5]] * 7, tau=rail(seed=3, **noisy), dt=0.01, threads=2, **given)
    assert np.array_equal(few.controller_state, many.controller_state[:3])
    assert np.abs(few.controller_state[0] - one.controller_state).max() < 1e-7
    assert len(np.unique(many.controller_state[:, -1, 0])) == 7
    steps = ls.simulate(slider(), [[0.5]] * 2, tau=rail(seed=3, **noisy), method="dop853", **given)
    assert np.abs(steps.controller_state - few.controller_state[:2]).max() < 1e-6


def test_noise_has_its_size():
    control = rail(0.01, sensors=[ls.Encoder(noise=2e-3)], torque_noise=0.05)
    many = ls.simulate(slider(), np.full((400, 1), 0.2), tau=control, until=0.02, dt=0.01)
    first = many.controller_state[:, 0]
    assert first[:, 0].std() == pytest.approx(2e-3, rel=0.15)  # the estimate is the first reading
    held = first[:, 2] + (first[:, :2] - [0.2, 0.0]) @ control.K[0]
    assert held.std() == pytest.approx(0.05, rel=0.15)


def test_resolution():
    control = rail(sensors=[ls.Encoder(resolution=0.03)])
    run = ls.simulate(slider(), [0.5], tau=control, until=0.1, every=0.04)
    assert run.controller_state[0, 0] == pytest.approx(0.51)
    assert ls.Encoder(resolution=0.03).variances(slider()) == pytest.approx([0.03**2 / 12])


def test_limit():
    control = rail(limit=1.5)
    run = ls.simulate(slider(), [0.9], tau=control, until=6.0, every=0.04)
    assert np.abs(run.tau).max() == pytest.approx(1.5)
    assert np.abs(run.controller_state[:, :1] - run.q).max() < 1e-8  # the estimator knows of the limit
    assert abs(run.q[-1, 0] - 0.2) < 1e-3


# ---- arms ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_gravity_and_a_model_with_other_modes():
    """The plant has two modes per link, the arm three; both sag."""
    real = damped(FLEXIBLE).with_gravity((0, -0.3, 0))
    real = real.replace(links=[x.replace(beam=x.beam.replace(modes=ls.Modes(bending_z=3))) for x in real.links])
    model = damped(FLEXIBLE).with_gravity((0, -0.3, 0))
    rest = ls.equilibrium(model, POSE)
    Q, R = tip_weights(model, rest.q)
    control = ls.OutputFeedback.lqg(model, rest.q, SENSORS, Q, R, every=2e-3, torque_noise=2e-4)
    begin = ls.equilibrium(real, POSE + [0.02, 0.01]).q
    run = ls.simulate(real, begin, tau=control, until=4.0)
    assert run.ok
    assert np.abs(run.q[-1, real.joint_index] - POSE).max() < 2e-3
    assert np.abs(run.tau[-1, real.joint_index] - rest.tau[model.joint_index]).max() < 0.02


def test_arms_that_differ():
    """Every run reads the gauges of its own arm."""
    arm = damped(FLEXIBLE)
    thick = arm.replace(links=[x.replace(beam=x.beam.replace(EI=1.3)) for x in arm.links])
    Q, R = tip_weights(arm, arm.expanded(POSE))
    control = ls.OutputFeedback.lqg(arm, POSE, SENSORS, Q, R, every=4e-3, torque_noise=2e-4)
    start = arm.expanded(POSE) + [0.01, 0.02, 0.0, 0.0, 0.01, 0.0]
    many = ls.simulate(arm, start, tau=control, until=0.1, dt=1e-3, arms=[arm, thick])
    alone = ls.simulate(thick, start, tau=control, until=0.1, dt=1e-3)
    assert np.abs(many.q[0] - many.q[1]).max() > 1e-4
    # runs of an ensemble have noise of their own; what is left between the two is noise
    assert np.abs(many.controller_state[1, 0, :6] - alone.controller_state[0, :6]).max() < 5e-3


def test_closed_loops():
    arm = four_bar()
    held = ls.assemble(arm, [0.7, 0.0, 0.0], ["crank"]).q
    control = ls.OutputFeedback.lqg(
        arm, held, ls.Encoder(noise=1e-5), [80.0, 1.0], [1.0], every=0.01, torque_noise=0.01
    )
    begin = ls.assemble(arm, held + [0.1, 0, 0], ["crank"]).q
    run = ls.simulate(arm, begin, tau=control, until=1.5, method="rk4", dt=0.005)
    assert run.ok
    assert abs(run.q[-1, 0] - held[0]) < 5e-3
    assert run.controller_state.shape[1] == 3


def test_events():
    event = ls.Event(lambda t, q, qd: q[0] - 0.3, "passes", stop=True)
    runs = [
        ls.simulate(slider(), [0.5], tau=rail(), until=2.0, every=0.05, events=[event], **way) for way in WAYS.values()
    ]
    times = [run.t[-1] for run in runs]
    assert np.ptp(times) < 1e-6
    assert all("stopped" in run.status for run in runs)


# ---- files and refusals --------------------------------------------------------------------------


def test_files_and_resuming(tmp_path):
    control = rail(sensors=[ls.Encoder(noise=1e-3)], seed=2)
    given = {"until": 0.2, "dt": 0.01, "save": tmp_path / "many.nc", "save_every": 2}
    whole = ls.simulate(slider(), [[0.5]] * 5, tau=control, **given)
    read = ls.load_run(tmp_path / "many.nc")
    assert np.array_equal(read.controller_state, whole.controller_state)
    assert read.report.provenance["controller_states"] == ["estimate[block]", "estimate[block.rate]", "torque[block]"]
    assert read.report.provenance["settings"]["K"] == control.K.tolist()
    plain = ls.simulate(slider(), [[0.5]] * 5, tau=control, until=0.2, dt=0.01)
    assert np.array_equal(plain.q, whole.q)


FILE = """
arm = "two_link_flexible"
until = 0.1
every = 0.01
[start]
q = [0.31, 0, 0, 0.9, 0, 0]
[controller]
kind = "output_feedback"
q = [0.3, 0.9]
Q = [9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1]
R = [1, 2]
every = 0.002
torque_noise = 2e-4
seed = 1
sensors = [
  { kind = "encoder", noise = 1e-4 },
  { kind = "strain_gauge", link = "link1", s = 0.02, y = 1e-3, noise = 1e-6 },
]
"""


def test_run_files_and_plots(tmp_path):
    (tmp_path / "run.toml").write_text(FILE)
    given = read_run_file(tmp_path / "run.toml")
    control = given.arguments["tau"]
    assert control.plant.outputs == ("joint1", "joint2", "link1.strain@0.02")
    assert (control.every, control.seed) == (2e-3, 1)
    run = ls.simulate(FLEXIBLE, given.arguments["q0"], tau=control, until=0.1, every=0.01)
    figure = ls.plot(run, "estimate")
    line = figure.axes[0].lines[1]
    assert np.array_equal(line.get_ydata(), run.controller_state[:, 0])
    assert "largest error of an estimated position" in figure._suptitle.get_text()
    with pytest.raises(ls.InputError, match="the run has no estimates"):
        ls.plot(ls.simulate(slider(), [0.1], until=0.1), "estimate")
    for old, new, why in (
        ('kind = "encoder"', 'kind = "encodr"', "encoder"),
        ("torque_noise = 2e-4\n", "", "torque_noise is missing"),
        ("seed = 1", "sed = 1", "seed"),
    ):
        (tmp_path / "bad.toml").write_text(FILE.replace(old, new))
        with pytest.raises(ls.ModelError, match=why):
            read_run_file(tmp_path / "bad.toml")


def test_refusals():
    arm = slider()
    plant = ls.linearise(arm, [0.0], output=ls.Encoder())
    sampled = plant.discrete(0.01)
    K, L = np.ones((1, 2)), np.ones((2, 1))
    with pytest.raises(ls.InputError, match="plant is not sampled; expected linearise"):
        ls.OutputFeedback(plant, K, L, [ls.Encoder()])
    with pytest.raises(ls.InputError, match=r"K has shape \(2,\); expected \(1, 2\)"):
        ls.OutputFeedback(sampled, K[0], L, [ls.Encoder()])
    with pytest.raises(ls.InputError, match="does not fit the sensors of arm 'slider'"):
        ls.simulate(arm, tau=ls.OutputFeedback(sampled, K, L, [ls.Encoder(), ls.Encoder()]), until=0.1)
    with pytest.raises(ls.InputError, match="does not fit the motors of arm 'two_link'"):
        ls.simulate(ls.load("two_link"), tau=ls.OutputFeedback(sampled, K, L, [ls.Encoder()]), until=0.1)
    frame = ls.linearise(arm, [0.0], output="block", rows="x").discrete(0.01)
    with pytest.raises(ls.UnsupportedError, match="readings of FrameMotion are not simulated; expected Encoder"):
        ls.OutputFeedback(frame, K, L, "block")
    with pytest.raises(ls.InputError, match="noise of block is 0; an estimator needs"):
        ls.OutputFeedback.lqg(arm, [0.0], ls.Encoder(), [1, 1], [1], every=0.01, torque_noise=1.0)
    with pytest.raises(ls.InputError, match="noise is -1; expected a number of at least 0"):
        ls.Encoder(noise=-1)
    with pytest.raises(ls.UnsupportedError, match="acts at sampling times"):
        ls.linearise(arm, [0.0], controller=rail())
    with pytest.raises(ls.InputError, match="does not support closed loops, sampled controllers"):
        ls.simulate(arm, [[0.1], [0.2]], tau=rail(), until=0.1, method="rodas")


def test_an_unstable_law_is_named():
    arm = slider()
    plant = ls.linearise(arm, [0.0], output=ls.Encoder()).discrete(0.01)
    law = ls.OutputFeedback(plant, -plant.lqr([9, 1], [1]), plant.kalman([0, 1], [1]), [ls.Encoder()])
    words = r"unstable: OutputFeedback with the gain K does not stabilise its own plant \(pole \+"
    with pytest.warns(ls.UnstableLoop, match=words):
        run = ls.simulate(arm, [0.1], tau=law, until=0.1)
    assert any("does not stabilise its own plant" in note for note in run.report.notes)
    with pytest.warns(ls.UnstableLoop), pytest.raises(ls.SimulationError, match=words):
        ls.simulate(arm, [0.1], tau=law, until=60.0)
