"""Identification from torques: truth is found on synthetic logs, and what it cannot do is refused by name."""

import numpy as np
import pytest

import lissom as ls

RATE = 100.0


def recorded(arm, seed=0, duration=20.0, level=0.01, load=""):
    """A log of a motion of eight harmonics, with noise of the torques that is not white."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, duration, 1 / RATE)[:, None]
    q, qd, qdd = np.zeros((len(t), arm.dof)) + arm.home, 0.0, 0.0
    for k in range(1, 9):
        w, a, p = 2 * np.pi * k / 10, rng.normal(size=arm.dof) * 0.5 / k, rng.uniform(0, 6, arm.dof)
        q, qd, qdd = q + a * np.sin(w * t + p), qd + a * w * np.cos(w * t + p), qdd - a * w**2 * np.sin(w * t + p)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    noise = rng.normal(size=tau.shape)
    for k in range(1, len(noise)):
        noise[k] += 0.9 * noise[k - 1]
    tau = tau + level * np.abs(tau).std(axis=0) * noise
    return ls.Log(t=t[:, 0], q=q, tau=tau, joints=tuple(joint.name for joint in arm.joints), load=load)


def wrong(arm):
    """The arm with other masses and without friction, as a URDF would have it."""
    for k, link in enumerate(arm.links):
        arm = arm.with_link(link.name, mass=link.mass * (1.3 if k % 2 else 0.8))
        if link.joint.moves:
            arm = arm.with_joint(link.joint.name, damping=0.0, friction=0.0)
    return arm


@pytest.fixture(scope="module")
def puma():
    arm = ls.load("puma560")
    return arm, ls.identify(wrong(arm), recorded(arm))


def test_the_identified_arm_predicts_other_motions(puma):
    arm, found = puma
    check = found.check(recorded(arm, seed=5, level=0.0))
    assert (check.relative < 0.02).all()
    assert (check.rmse < 0.4 * check.rmse_before).all()
    assert found.friction == ("viscous", "coulomb", "offset")
    q = np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8])
    near = ls.inverse_dynamics(found.arm, q, q, q) - ls.inverse_dynamics(arm, q, q, q)
    assert (np.abs(near) < 0.03 * check.measured.std(axis=0)).all()


def test_standard_deviations_hold(puma):
    """The truth is the prior of the true arm, in the same combinations."""
    arm, found = puma
    truth = ls.identify(arm, recorded(arm)).table
    assert truth.names == found.table.names
    z = (found.table.values - truth.prior) / found.table.std
    assert found.table.names[0].startswith("waist.Iyy - 0.1865 shoulder.m")
    assert np.mean(np.abs(z) < 2) > 0.85
    assert 0.7 < z.std() < 1.3


def test_links_can_exist_and_drives_take_power(puma):
    _, found = puma
    for link in found.arm.links:
        second = np.trace(link.inertia) / 2 * np.eye(3) - link.inertia
        assert link.mass > 0
        assert np.linalg.eigvalsh(second)[0] > 0
        assert min(link.joint.friction, link.joint.damping, link.joint.reflected_inertia) >= 0
    assert found.arm.notes[-1].startswith("identified from log (19.99 s at 100 Hz)")
