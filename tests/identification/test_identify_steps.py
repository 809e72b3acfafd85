"""Multi-step simulation errors: derivatives, truth on synthetic logs, what is not identifiable, refusals."""

import time

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import lissom as ls
from lissom.identification.parameters import Numbers
from lissom.identification.steps.measured import Measured
from lissom.identification.steps.plant import Plant
from lissom.identification.steps.windows import Integration
from lissom.kernels.functions import Functions

STEP = 0.0025
FOUND = ["elastic.stiffness", "elastic.damping", "armature", "damping", "fore.payload.mass"]
OFF = np.array([0.6, 1.5, 0.5, 2.0, 0.7, 1.4, 0.6, 1.6, 0.7])  # start over truth


def elastic_arm(payload=1.0, gravity=(0, 0, -9.81), **more):
    """Two elastic joints in a vertical plane."""
    data = (("upper", None, 4.0, 0.5, 2.0, 800.0, 1.0), ("fore", "upper", 3.0, 0.3, 1.0, 400.0, 0.6))
    links = []
    for name, parent, mass, armature, damping, stiffness, loss in data:
        place = np.eye(4)
        place[0, 3] = 0.5 if parent else 0.0
        spring = ls.JointElasticity(stiffness, loss)
        joint = ls.Joint(axis=(0, 1, 0), placement=place, armature=armature, damping=damping, elastic=spring)
        carried = ls.Payload(payload, com=(0.4, 0, 0)) if parent else None
        inertia = np.diag([0.02, 0.1, 0.1])
        links.append(ls.Link(name, parent=parent, joint=joint, mass=mass, com=(0.25, 0, 0), inertia=inertia,
                             payload=carried))  # fmt: skip
    return ls.Arm("elastic", links, gravity=gravity, **more)


def held_log(arm, samples=2000, noise=2e-5, seed=1, parts=4):
    """A log of motors whose torques are held between samples, integrated apart from the code under test."""
    rng, t = np.random.default_rng(seed), np.arange(samples + 1) * STEP
    drive = np.zeros((samples + 1, 4))
    for at, size in ((0, 20.0), (2, 8.0)):
        waves = [rng.normal() * np.sin(2 * np.pi * f * t + rng.uniform(0, 6)) for f in (0.3, 0.7, 1.3, 2.9, 5.1, 8.3)]
        drive[:, at] = size * np.sum(waves, axis=0)
    x, states, torques, h = np.array([np.pi / 2, 0, 0, 0, 0, 0, 0, 0]), [], [], STEP / parts
    forward = ls.compiled(arm, "forward_dynamics")
    for u in drive:
        stay = np.array([60 * (x[0] - np.pi / 2) + 8 * x[4], 0.0, 30 * x[2] + 4 * x[6], 0.0])
        states.append(x)
        torques.append(u - stay)
        for _ in range(parts):
            x = runge_kutta(lambda x, tau=u - stay: np.concatenate([x[4:], forward(x[:4], x[4:], tau)]), x, h)
    q, tau, error = np.array(states)[:, :4], np.array(torques), noise * rng.normal(size=(samples + 1, 4))
    motors, links = q[:, ::2] + error[:, :2], q[:, ::2] + q[:, 1::2] + error[:, 2:]
    return ls.Log(t=t, q=motors, tau=tau[:, ::2], second=links, joints=("upper", "fore"))


def runge_kutta(f, x, h):
    a = f(x)
    b = f(x + h / 2 * a)
    c = f(x + h / 2 * b)
    return x + h / 6 * (a + 2 * b + 2 * c + f(x + h * c))


@pytest.fixture(scope="module")
def truth():
    return elastic_arm()


@pytest.fixture(scope="module")
def log(truth):
    return held_log(truth)


@pytest.fixture(scope="module")
def start(truth):
    return Numbers(truth, FOUND, "test").arm_at(np.log(OFF))


@pytest.fixture(scope="module")
def found(start, log):
    return ls.identify(start, log.between(0.0, 2.5), method="steps", parameters=FOUND, held=True)


def test_truth_lies_within_three_standard_deviations(truth, found):
    want = np.append(Numbers(truth, FOUND, "test").nominal, 0.0)  # link encoders are not late
    assert found.table.names[-1] == "second.delay"
    assert found.table.identifiable.tolist() == [True] * 9 + [False]
    assert (np.abs(found.table.values - want) < 3 * found.table.std).all()
    assert (found.table.std[:-1] < 0.005 * want[:-1]).all()
    assert found.arm.joint("upper").elastic.stiffness == found.table["upper.elastic.stiffness"].value
    assert "simulation over windows of 0.25 s" in found.arm.notes[-1]


def test_errors_of_other_motions_are_noise(found, log):
    check = found.check(log.between(2.5, 5.0))
    assert check.joints == ("q[upper]", "q[fore]", "second[upper]", "second[fore]")
    np.testing.assert_allclose(check.rmse, 2e-5, rtol=0.1)
    assert (check.rmse_before > 50 * check.rmse).all()
    assert check.quantity == "position"


def test_delays_of_link_encoders_are_found(start, log):
    """One of 1.3 ms, which is a tenth of the deflection; without it, the stiffness would be off by many deviations."""
    late = CubicSpline(log.t, log.second)(log.t - 1.3e-3)
    inside = slice(4, 1000)
    shifted = ls.Log(t=log.t[inside], q=log.q[inside], tau=log.tau[inside], second=late[inside], joints=log.joints)
    found = ls.identify(start, shifted, method="steps", parameters=FOUND, held=True)
    assert abs(found.table["second.delay"].value - 1.3e-3) < 4 * found.table["second.delay"].std
    assert abs(found.table["upper.elastic.stiffness"].value / 800.0 - 1) < 1e-3


def test_derivatives_are_exact(start, log):
    """Of states after 20 samples, by numbers and the delay, against differences of order four."""
    arm = start.with_joint("upper", friction=3.0)
    names = ["upper.elastic.stiffness", "fore.elastic.damping", "upper.armature", "fore.payload.mass", "fore.com[0]"]
    numbers = Numbers(arm, [*names, "fore.inertia[1][1]", "upper.friction"], "test")
    plant = Plant(numbers)
    measured = Measured.of(arm, [log.between(0.0, 0.15)], 0.05, False)
    steps = Integration(plant, measured)
    x0, n, count = measured.first_states(), 2 * plant.dof, len(numbers)

    def ends(x):
        plant.put(x[:-1])
        return list(steps.samples(x0, x[-1]))[-1]

    x = np.append(np.random.default_rng(0).normal(size=count) * 0.05, 1e-3)
    S = ends(x)[1]
    for k in range(count + 1):
        e = (1e-5 if k == count else 1e-3) * (np.arange(count + 1) == k)
        near, far = (ends(x + m * e)[0] - ends(x - m * e)[0] for m in (1, 2))
        slope = (8 * near - far) / (12 * e.max())
        assert np.abs(S[..., n + k] - slope).max() < 1e-8 * np.abs(slope).max()


def test_other_numbers_compile_nothing(start, log, monkeypatch):
    numbers = Numbers(start, FOUND, "test")
    plant = Plant(numbers)
    measured = Measured.of(start, [log], 0.25, True)
    steps = Integration(plant, measured)
    list(steps.samples(measured.first_states(), 0.0))

    def refuse(*_):
        raise AssertionError("compiled anew")

    monkeypatch.setattr(Functions, "_make", refuse)
    plant.put(np.full(len(numbers), 0.1))
    list(steps.samples(measured.first_states(), 0.0))


def test_numbers_that_act_together_are_not_identifiable():
    rod = ls.Link("rod", joint=ls.Joint(armature=0.2, damping=0.5), mass=2.0, com=(0.3, 0, 0), inertia=0.1)
    arm = ls.Arm("rod", [rod])
    t = np.arange(0.0, 3.0, 0.01)
    swing = np.sin(3 * t) + 0.5 * np.sin(7 * t)
    run = ls.simulate(arm, [0.0], tau=swing[:, None], until=t[-1], every=0.01)
    found = ls.identify(arm.with_joint("rod", damping=0.8), ls.load_log(run, arm), method="steps",
                        parameters=["armature", "mass", "damping"])  # fmt: skip
    assert found.table.identifiable.tolist() == [False, False, True]
    assert found.table["rod.damping"].value == pytest.approx(0.5, rel=1e-3)
    assert found.arm.link("rod").mass == 2.0
    assert "rod.armature, rod.mass are not identifiable" in found.notes[0]


def test_names_of_numbers(truth):
    numbers = Numbers(truth, ["elastic.stiffness", "fore.mass", "fore.com[0]", "damping", "fore.mass"], "test")
    assert numbers.names[:4] == ("upper.elastic.stiffness", "fore.elastic.stiffness", "fore.mass", "fore.com[0]")
    assert [number.unit for number in numbers.list] == ["N m/rad"] * 2 + ["kg", "m"] + ["N m s/rad"] * 2
    changed = numbers.arm_at(np.full(len(numbers), 0.1))
    assert changed.link("fore").mass == pytest.approx(3.0 * np.exp(0.1))
    assert changed.link("fore").com[0] == pytest.approx(0.25 * 1.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parameters": ["fore.masss"]}, "did you mean 'mass'"),
        ({"parameters": ["beam.EI"]}, "no joint or link of arm 'elastic' has beam.EI"),
        ({"parameters": "mass"}, "expected a list of names"),
        ({"parameters": []}, "parameters is empty"),
        ({"parameters": ["fore.length"]}, "geometry"),
        ({"window": 0.0}, "expected a time above 0"),
        ({"window": 99.0}, "do not fit"),
        ({"friction": "coulomb"}, "an option of method='torque'"),
        ({"method": "encoders", "window": 0.5}, "an option of method='steps'"),
    ],
)
def test_refusals(truth, log, options, words):
    with pytest.raises(ls.InputError, match=words):
        ls.identify(truth, log, **{"method": "steps", **options})


def test_refused_logs(truth, log):
    still = ls.Log(t=log.t, q=0 * log.q, tau=log.tau)
    silent = ls.Log(t=log.t, q=log.q)
    faster = ls.Log(t=log.t / 2, q=log.q, tau=log.tau)
    other = ls.Log(t=log.t, q=log.q, tau=log.tau, load="disc")
    cases = {"no joint moves": [still], "no torques": [silent], "sampling rates": [log, faster], "load": [log, other]}
    for words, logs in cases.items():
        with pytest.raises(ls.InputError, match=words):
            ls.identify(truth, logs, method="steps")


@pytest.mark.slow
def test_check_leaves_out_encoders_that_were_not_fitted(truth, log):
    motors = ls.Log(t=log.t[:800], q=log.q[:800], tau=log.tau[:800], joints=log.joints)
    found = ls.identify(truth, motors, method="steps", parameters=["fore.mass"], held=True)
    both = found.check(log.between(0.0, motors.t[-1]))
    assert both.joints == ("q[upper]", "q[fore]")
    np.testing.assert_array_equal(both.rmse, found.check(motors).rmse)


def test_nine_numbers_in_three_seconds(truth, start, log):
    ls.identify(start, log.between(0.0, 1.0), method="steps", parameters=FOUND, held=True)
    began = time.process_time()
    found = ls.identify(start, log, method="steps", parameters=FOUND, held=True)
    assert time.process_time() - began < 3.0
    want = np.append(Numbers(truth, FOUND, "test").nominal, 0.0)
    assert (np.abs(found.table.values - want) < 3 * found.table.std).all()


@pytest.mark.slow
def test_flexible_arm_from_joint_encoders_alone():
    """EI and damping of both links, from motors and torques; deflections are not measured."""
    arm = ls.load("two_link_flexible")
    for k, link in enumerate(arm.links):
        arm = arm.with_link(link.name, beam=link.beam.replace(damping=0.01 * (1 + k)))
        arm = arm.with_joint(link.joint.name, damping=0.1)
    names = ["beam.EI", "beam.damping", "damping", "link2.payload.mass"]
    log = flexible_log(arm)
    start = Numbers(arm, names, "test").arm_at(np.array([0.4, -0.3, 0.5, -0.5, 0.3, -0.3, -0.4]))
    found = ls.identify(start, log, method="steps", parameters=names, window=1.0)
    assert (np.abs(found.table.values - Numbers(arm, names, "test").nominal) < 3 * found.table.std).all()
    np.testing.assert_allclose(found.table.values[:2], 1.0, rtol=0.01)


def flexible_log(arm):
    """Six seconds of small motions under PD control, which excite both links."""
    rng, t, at = np.random.default_rng(0), np.arange(0.0, 6.0025, 0.005), arm.joint_index
    columns = [sum(0.02 * rng.normal() * np.sin(2 * np.pi * f * t + rng.uniform(0, 6)) / f
                   for f in (0.3, 0.7, 1.3, 2.1, 3.1)) for _ in range(2)]  # fmt: skip
    want = CubicSpline(t, [0.0, 0.5] + np.column_stack(columns))
    rate = want.derivative()

    def motors(now, q, qd):
        return np.array([0.6, 0.3]) * (want(now) - q[at]) + np.array([0.3, 0.15]) * (rate(now) - qd[at])

    start = arm.expanded(want(0.0)), arm.expanded(rate(0.0))
    run = ls.simulate(arm, *start, motors, until=6.0, every=0.005, rtol=1e-10, atol=1e-12)
    clean = ls.load_log(run, arm)
    return ls.Log(t=clean.t, q=clean.q + 1e-5 * rng.normal(size=clean.q.shape), tau=clean.tau, joints=clean.joints)
