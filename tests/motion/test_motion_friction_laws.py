"""Motions of arms with laws of friction: the torques are exact, the limits hold, a simulation follows."""

import numpy as np
import pytest

import lissom as ls
from lissom.motion.result.motion import Motion


def arm_with_laws():
    arm = ls.load("puma560")
    for joint in arm.joints:
        c = joint.friction
        law = ls.Friction(
            c, 0.5, 0.2 * c, -0.2, stribeck=0.4 * c, stribeck_rate=0.1, degressive=-0.05, degressive_rate=2.0
        )
        arm = arm.with_joint(joint.name, friction=law)
    return arm


@pytest.mark.parametrize(("criterion", "options"), [("torque_squared", {"duration": 1.2}), ("time", {})])
@pytest.mark.slow
def test_motions_have_the_exact_friction_and_are_verified(criterion, options):
    arm = arm_with_laws()
    motion: Motion = ls.predict_motion(
        arm, start=arm.home, goal=arm.home + [0.5, -0.4, 0.6, 0.3, 0.2, -0.5], minimise=criterion, **options
    )
    inside = slice(2, -2)
    exact = ls.inverse_dynamics(arm, motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(motion.tau[inside], exact[inside], rtol=1e-12)
    lower, upper = arm.bounds("torque")
    assert (motion.tau <= upper + 1e-4 * abs(upper)).all()
    assert (motion.tau >= lower - 1e-4 * abs(lower)).all()
    found = motion.verify()
    assert found.ok
    assert max(found.joint_error) < 1e-6
