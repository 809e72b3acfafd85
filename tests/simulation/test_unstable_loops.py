"""Feedback that makes a flexible arm unstable is named before the simulation: pole, and whether it is collocated."""

import warnings

import numpy as np
import pytest

import lissom as ls

ARM = ls.load("two_link_flexible")
POSE = ARM.expanded(np.array([0.3, 0.9]))
START = POSE + [0.05, 0, 0, 0, 0, 0]


def tip_gains():
    """PD of the tip by the torques of the joints: J_a^T (kp J, kd J)."""
    J = ls.jacobian(ARM, POSE, "link2.tip")[:2]
    Ja = J[:, ARM.joint_index]
    return np.hstack([Ja.T @ (30 * J), Ja.T @ (3 * J)])


def tip_function(_t, q, qd):
    tau = np.zeros(6)
    tau[ARM.joint_index] = -tip_gains() @ np.concatenate([q - POSE, qd])
    return tau


@pytest.mark.parametrize("tau", [ls.StateFeedback(tip_gains(), POSE), tip_function], ids=["law", "function"])
def test_non_collocated_output(tau):
    pole = ls.linearise(ARM, POSE, controller=tau).poles  # the equilibrium; joint 1 may turn
    pole = pole[pole.real.argmax()]
    words = (
        rf"unstable at the start \(pole \+{pole.real:.3g} \+- {abs(pole.imag):.3g}i 1/s\): output and actuators are not"
    )
    with pytest.warns(ls.UnstableLoop, match=words):
        run = ls.simulate(ARM, START, tau=tau, until=1.8, dt=2e-3)
    assert any("link1.bending_z1, link1.bending_z2" in note for note in run.report.notes)


def test_a_run_that_diverges_is_told_by_its_start():
    words = r"diverged at t = .*unstable at the start \(pole \+3.2 \+- 9.51i 1/s\): output and actuators are not"
    with pytest.warns(ls.UnstableLoop), pytest.raises(ls.SimulationError, match=words):
        ls.simulate(ARM, START, tau=ls.StateFeedback(tip_gains(), POSE), until=4.0, dt=1e-3)


def test_collocated_feedback_of_the_wrong_sign():
    pushes = lambda _t, q, _qd: 50.0 * (q - POSE) * ARM.actuated  # noqa: E731
    with pytest.warns(ls.UnstableLoop, match=r"\(pole \+425 1/s\)\. Check the signs"):
        ls.simulate(ARM, START, tau=pushes, until=0.03, dt=1e-3)


def test_loops_that_are_stable_or_unstable_by_themselves():
    """No warning: gravity lets an arm fall, a slow growth does little, gains are good."""
    K = ls.linearise(ARM, POSE).lqr(np.ones(12), 10 * np.ones(2))
    hangs = ARM.with_gravity((9.81, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.UnstableLoop)
        ls.simulate(ARM, START, tau=ls.StateFeedback(K, POSE), until=0.1)
        ls.simulate(ARM, START + [0, 0.1, 0, 0, 0, 0], tau=ls.StateFeedback(K, POSE), until=6.0, dt=2e-4, every=0.1)
        ls.simulate(hangs, START * 0.1, tau=lambda _t, _q, qd: -1e-3 * qd * ARM.actuated, until=0.1, dt=1e-3)
        ls.simulate(ARM, START, tau=ls.StateFeedback(-0.1 * tip_gains(), POSE), until=0.05, dt=1e-3)
