"""Elastic joints from two encoders: stiffness, damping, delays between encoders, and what is not identifiable."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.identification import kr300

import lissom as ls

STIFFNESS, DAMPING, DELAYS = (800.0, 400.0), (1.0, 0.6), (0.003, 0.0015)


def arm_of(stiffness=STIFFNESS):
    """Two joints in a vertical plane, elastic or rigid."""
    links = []
    for k, name in enumerate(("upper", "fore")):
        place = np.eye(4)
        place[0, 3] = 0.5 * k
        spring = ls.JointElasticity(stiffness[k], DAMPING[k]) if stiffness else None
        joint = ls.Joint(axis=(0, 1, 0), placement=place, armature=0.4, damping=2.0 - k, elastic=spring)
        links.append(ls.Link(name, parent=links[0].name if k else None, joint=joint, mass=4.0 - k, com=(0.25, 0, 0),
                             inertia=np.diag([0.02, 0.1, 0.1])))  # fmt: skip
    return ls.Arm("two", links)


def recorded(arm, noise=1e-6, seed=0, duration=5.0):
    """A log of a motion under PD control, the link encoders late, with noise."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, duration, 0.002)
    waves = [
        rng.normal(size=2) * np.sin(2 * np.pi * f * t[:, None] + rng.uniform(0, 6, 2)) / f for f in (0.4, 0.9, 2.1)
    ]
    want = CubicSpline(t, [np.pi / 2, 0.0] + 0.2 * np.sum(waves, axis=0))
    rate, J, gains = want.derivative(), arm.joint_index, np.array([[300.0, 100.0], [30.0, 10.0]])

    def motors(now, q, qd):
        return gains[0] * (want(now) - q[J]) + gains[1] * (rate(now) - qd[J])

    q0, qd0 = arm.expanded(want(0.0)), arm.expanded(rate(0.0))
    log = ls.load_log(ls.simulate(arm, q0, qd0, motors, until=t[-1], every=0.002, rtol=1e-9), arm)
    links = np.column_stack([CubicSpline(t, log.second[:, k])(t - late) for k, late in enumerate(DELAYS)])
    e = noise * rng.normal(size=(2, *links.shape))
    inside = slice(5, None)
    return ls.Log(t=t[inside], q=(log.q + e[0])[inside], tau=log.tau[inside], second=(links + e[1])[inside],
                  joints=log.joints)  # fmt: skip


@pytest.fixture(scope="module")
def log():
    return recorded(arm_of())


@pytest.fixture(scope="module")
def found(log):
    return ls.identify(arm_of(None), log, method="encoders")


@pytest.mark.parametrize("k", [0, 1])
def test_stiffness_damping_and_delay_are_found(found, k):
    name = found.joints[k]
    for word, want in (
        ("elastic.stiffness", STIFFNESS[k]),
        ("elastic.damping", DAMPING[k]),
        ("second.delay", DELAYS[k]),
    ):
        row = found.table[f"{name}.{word}"]
        assert row.identifiable
        assert abs(row.value - want) < 3.5 * row.std
    assert found.table[f"{name}.elastic.stiffness"].std < 1e-3 * STIFFNESS[k]
    assert abs(found.table[f"{name}.lost_motion"].value) < 3 * found.table[f"{name}.lost_motion"].std
    assert found.arm.joint(name).elastic.stiffness == pytest.approx(STIFFNESS[k], rel=1e-3)
    assert found.skew[k] == pytest.approx(DELAYS[k], rel=0.01)


def test_a_delay_looks_like_a_deflection(found):
    """Without its column, the delays of 3 and 1.5 ms would be the residual."""
    for spring in found.predictor.springs:
        one = spring.data[0]
        late = spring.values[2] * one.qd
        assert np.std(late) > 100 * np.std(one.deflection - spring.fitted[0])


def test_a_stiff_joint_is_not_identifiable():
    """Deflections far below the noise of the encoders."""
    arm = arm_of((3e5, 400.0))
    found = ls.identify(arm_of(None), recorded(arm, noise=2e-3, duration=4.0), method="encoders")
    assert found.table["upper.elastic.stiffness"].identifiable is False
    assert found.table["fore.elastic.stiffness"].identifiable is True
    assert found.arm.joint("upper").elastic is None
    assert "the stiffness of upper is not identifiable" in found.notes[0]


def test_other_logs_are_predicted(found):
    check = found.check(recorded(arm_of(), seed=3, duration=4.0))
    assert check.quantity == "deflection"
    assert (check.relative < 5e-3).all()
    assert (check.rmse < 0.01 * check.rmse_before).all()


def test_without_torques_the_links_are_asked(log):
    """The arm then says what its links need."""
    seen = ls.Log(t=log.t, q=log.q, second=log.second, joints=log.joints)
    found = ls.identify(arm_of(None), seen, method="encoders")
    for k, name in enumerate(found.joints):
        assert found.table[f"{name}.elastic.stiffness"].value == pytest.approx(STIFFNESS[k], rel=0.02)
    assert "no torques" in found.notes[-1]


def test_refusals(log):
    arm = arm_of(None)
    one = np.where([True, False], np.nan, log.second)
    with pytest.raises(ls.InputError, match="second encoder"):
        ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=log.tau), method="encoders")
    half = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=log.tau, second=one), method="encoders")
    assert half.table[0].name == "fore.elastic.stiffness"
    with pytest.raises(ls.InputError, match="has no motor"):
        ls.identify(arm.with_joint("fore", actuated=False), log, method="encoders")
    with pytest.raises(ls.InputError, match="an option of method='steps'"):
        ls.identify(arm, log, method="encoders", parameters=["mass"])


@pytest.mark.slow
def test_encoders_of_a_heavy_robot():
    """KUKA KR300: encoders 3 ms apart on three axes, and a first axis whose stiffness the logs do not show."""
    runs = kr300.logs()
    rigid = ls.identify(kr300.arm(), runs["A"], extra={"counterbalance": kr300.counterbalance}, strength=100.0).arm
    for some in (runs["A"], list(runs.values())):
        found = ls.identify(rigid, some, method="encoders")
        np.testing.assert_allclose(found.skew[:3], 3.0e-3, atol=1e-4)
        names = [joint.name for joint in rigid.joints[:3]]
        assert [found.table[f"{name}.elastic.stiffness"].identifiable for name in names] == [False, True, True]
        assert 6e6 < found.arm.joint(names[2]).elastic.stiffness < 9e6
