"""Joint inversion: errors of joints as the law promises, on arms that bend, swing and slide."""

import numpy as np
import pytest
from tests.arms import random_arm
from tests.control.test_zeros import spatial, with_modes

import lissom as ls

KP, KD = 100.0, 20.0
TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}


def passive():
    """Two driven joints and a pendulum that nothing drives, a slide among them."""
    slide, swing = ls.Joint("prismatic", axis=(1, 0, 0)), ls.Joint(axis=(0, 1, 0), actuated=False)
    links = [
        ls.Link("turn", joint=ls.Joint(armature=0.1), mass=1.3, com=(0.2, 0.05, 0), inertia=(0.03, 0.05, 0.06)),
        ls.Link("slide", "turn", slide, mass=0.9, com=(0.1, 0, 0.02), inertia=(0.02,) * 3),
        ls.Link("swing", "slide", swing, mass=0.4, com=(0, 0.01, -0.3), inertia=(0.01,) * 3),
    ]
    return ls.Arm("passive", links, gravity=(0.3, 0, -9.7))


ARMS = {
    "two links, damped": (lambda: with_modes(ls.load("two_link_flexible"), 2, 0.01), [0.2, 1.2]),
    "two links, undamped": (lambda: ls.load("two_link_flexible"), [0.2, 1.2]),
    "spatial, two flexible links": (spatial, [0.3, 0.6, -1.0]),
    "spatial, elastic joints": (lambda: spatial(True), [0.3, 0.6, -1.0]),
    "linear": (lambda: ls.load("two_link_flexible").replace(flexibility="linear"), [0.2, 1.2]),
    "closed form": (lambda: ls.load("two_link_flexible").replace(flexibility="de_luca_siciliano"), [0.2, 1.2]),
    "passive joint": (passive, [0.2, 0.1, 0.0]),
}


@pytest.mark.parametrize("name", ARMS)
def test_errors_decay_as_promised(name):
    """From 0.05 rad off, e(t) = 0.05 (1 + 10 t) exp(-10 t) in every driven joint, while modes and pendulums swing."""
    make, pose = ARMS[name]
    arm = make()
    driven = np.flatnonzero(arm.actuated)
    q = ls.equilibrium(arm, pose).q.copy()
    goal = q[arm.joint_index]
    q[driven] += 0.05
    run = ls.simulate(arm, q, tau=ls.JointInversion(goal, KP, KD), until=0.5, **TIGHT)
    want = 0.05 * (1 + 10 * run.t) * np.exp(-10 * run.t)
    error = run.q[:, driven] - (q[driven] - 0.05)
    assert np.abs(error - want[:, None]).max() < 1e-12
    assert np.abs(run.q[-1][~arm.actuated] - run.q[0][~arm.actuated]).max() > 1e-5


def test_a_moving_reference_is_followed():
    arm = spatial()
    start = ls.equilibrium(arm, [0.3, 0.6, -1.0]).q

    def path(t):
        s = np.array([0.4, -0.3, 0.5])
        return tuple(k + f * s for k, f in ((start[arm.joint_index], np.sin(2 * t) ** 3),
            (0.0, 6 * np.sin(2 * t) ** 2 * np.cos(2 * t)),
            (0.0, 24 * np.sin(2 * t) * np.cos(2 * t) ** 2 - 12 * np.sin(2 * t) ** 3)))  # fmt: skip

    run = ls.simulate(arm, start, tau=ls.JointInversion(path, KP, KD), until=0.6, **TIGHT)
    want = np.array([path(t)[0] for t in run.t])
    assert np.abs(run.q[:, arm.joint_index] - want).max() < 1e-10


@pytest.mark.parametrize("seed", [5, 12])
def test_rigid_arms_have_computed_torque(seed):
    arm = random_arm(seed, 6)
    arm = arm.replace(
        links=[link.replace(joint=link.joint.replace(friction=0.0, actuated=True, elastic=None)) for link in arm.links]
    )
    goal = np.full(len(arm.joints), 0.2)
    runs = [
        ls.simulate(arm, goal + 0.1, tau=law(goal, KP, KD), until=0.2, method="rk4", dt=1e-3)
        for law in (ls.JointInversion, ls.ComputedTorque)
    ]
    assert np.abs(runs[0].tau - runs[1].tau).max() < 1e-9 * np.abs(runs[1].tau).max()


def test_ensembles_limits_and_integrators():
    arm = ls.load("two_link_flexible")
    starts = np.array([[0.05, 0.0], [0.0, -0.04], [0.1, 0.1]])
    law = ls.JointInversion([0.0, 0.0], [[100.0], [64.0], [100.0]], [[20.0], [16.0], [20.0]])
    runs = ls.simulate(arm, starts, tau=law, until=0.4, rtol=1e-9)
    for k, rate in enumerate((10.0, 8.0, 10.0)):
        want = starts[k] * ((1 + rate * runs.t) * np.exp(-rate * runs.t))[:, None]
        assert np.abs(runs.q[k][:, arm.joint_index] - want).max() < 1e-7
    implicit = ls.simulate(
        arm, starts[0], tau=ls.JointInversion([0.0, 0.0], KP, KD), until=0.4, method="radau", rtol=1e-9
    )
    assert np.abs(implicit.q[-1] - runs.q[0, -1]).max() < 1e-6
    weak = ls.simulate(arm, starts[2], tau=ls.JointInversion([0.0, 0.0], KP, KD, limit=0.2), until=0.1)
    assert np.abs(weak.tau).max() <= 0.2 * (1 + 1e-12)


def test_what_it_neglects_and_refuses():
    rough = ls.load("two_link").with_joint("fore", friction=0.1)
    run = ls.simulate(rough, [0.1, 0.0], tau=ls.JointInversion([0.0, 0.0], KP, KD), until=0.05)
    assert any("JointInversion neglects the Coulomb friction of joints (fore)" in note for note in run.report.notes)
    four_bar = ls.load("examples/four_bar.toml")
    q = ls.assemble(four_bar, [0.3, 0, 0], fixed=four_bar.joints[0].name).q
    with pytest.raises(ls.UnsupportedError, match="does not support the closed loops"):
        ls.simulate(four_bar, q, tau=ls.JointInversion(q, KP, KD), until=0.05)
