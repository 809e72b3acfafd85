"""What is left ringing at the end of a motion, of arms whose tip is not the only thing that moves."""

import numpy as np
import pytest

import lissom as ls
from lissom.motion.result.verification.residual import residual_vibration, vibration


def branched():
    """A carriage with a flexible arm and, listed last, a rigid link beside it that hardly moves with it."""
    beam = ls.Beam(0.6, 0.3, EI=(None, 4.0), modes=ls.Modes(bending_z=1))
    return ls.Arm("branched", [
        ls.Link("carriage", joint=ls.Joint("prismatic", axis=(0, 1, 0)), mass=2.0),
        ls.Link("arm", "carriage", ls.Joint(), 0.1, inertia=1e-3, beam=beam, payload=ls.Payload(0.25, inertia=3e-4)),
        ls.Link("side", "carriage", ls.Joint(), mass=0.4, com=(0.1, 0, 0), inertia=2e-3),
    ], gravity=(0, 0, 0))  # fmt: skip


def wheel(**joint):
    """A disc on its own axis: its centre of mass does not move."""
    return ls.Arm("wheel", [ls.Link("disc", joint=ls.Joint(**joint), mass=1.3, inertia=0.02)], gravity=(0, 0, 0))


def test_every_tip_counts_not_the_last_one_that_is_listed():
    arm = branched()
    q, qd = np.array([0.3, 0.2, 0.013, -0.4]), np.array([0.0, 0.0, 0.05, 0.0])
    told = residual_vibration(arm, q, qd)
    held = {"carriage": 0.0, "arm": 0.0, "side": 0.0}
    run = ls.simulate(arm, q, qd, until=2.0, prescribed=held, every=2e-3, method="rk8", dt=1e-3)
    rest = ls.pose(arm, [0.3, 0.2, -0.4], "arm.tip")[:3, 3]
    seen = np.linalg.norm(ls.pose(arm, run.q, "arm.tip")[:, :3, 3] - rest, axis=1).max()
    assert told == pytest.approx(seen, rel=1e-2)  # the tip's path is bent a little
    assert told == pytest.approx(residual_vibration(arm, q, qd, frame="arm.tip"), rel=1e-12)
    longer = np.eye(4)
    longer[0, 3] = 0.2
    assert residual_vibration(arm.with_link("arm", tools={"probe": longer}), q, qd) > 1.2 * told


def upright():
    """A flexible link with a light one on top, both above their joints: unstable without feedback."""
    beam = ls.Beam(0.25, 0.9, EI=9.0, modes=ls.Modes(1))
    top = {"mass": 0.21, "com": (0.04, 0.01, 0), "inertia": np.diag([1e-4, 2e-4, 2.3e-4])}
    return ls.Arm("upright", [ls.Link("up", joint=ls.Joint(), beam=beam), ls.Link("top", "up", ls.Joint(), **top)],
                  gravity=(-9.81, 0.4, 0))  # fmt: skip


def test_an_arm_that_is_unstable_without_feedback_is_judged_with_its_joints_tracked():
    motion = ls.predict_motion(upright(), start=[-0.3, -0.2], goal=[0.5, 0.4], duration=3.0, segments=16,
                               minimise="torque_squared")  # fmt: skip
    last, found = motion.report.residual_checks[-1], motion.verify()
    assert motion.status == "solved"
    assert last.tracked
    assert last.residual < 1e-5
    assert last.deviation < 1e-4
    assert found.growth > 1e10  # so that no torques, however exact, hold it without feedback
    assert not found.joint_error.max() < 1e-3
    assert found.ok, found.status


def test_a_branched_arm_is_refined_until_its_flexible_branch_is_still():
    motion = ls.predict_motion(branched(), start=[0, 0, 0], goal=[0.4, 0.7, -0.5], duration=1.2, segments=6,
                               minimise="torque_squared")  # fmt: skip
    found = motion.verify()
    assert 0 < motion.report.residual_checks[-1].residual < 1e-5
    assert found.residual < 1e-5
    end = found.run.q[-1]
    assert residual_vibration(motion.arm, end, found.run.qd[-1], frame="arm.tip") < 1e-5


def test_a_body_that_only_turns_counts_at_its_radius_of_gyration():
    arm = wheel(armature=0.05, elastic=ls.JointElasticity(8.0))
    omega, rho = np.sqrt(8.0 / 0.02), np.sqrt(0.02 / 1.3)
    told = residual_vibration(arm, [0.2, 3e-3], [0.0, 4e-3 * omega])
    assert told == pytest.approx(5e-3 * rho, rel=1e-9)
    massless = arm.with_link("disc", mass=0.0)  # at 1 m
    assert residual_vibration(massless, [0.2, 3e-3], [0.0, 4e-3 * omega]) == pytest.approx(5e-3, rel=1e-9)


def test_a_link_between_others_counts_where_the_last_one_stands_still():
    """Two springs wind against each other: the last link keeps its angle, and its place on the common axis."""
    joint = ls.Joint(armature=0.1, elastic=ls.JointElasticity(5.0))
    arm = ls.Arm("two discs", [ls.Link("one", joint=joint, mass=0.5, inertia=0.01),
                               ls.Link("two", "one", joint, mass=0.5, inertia=0.01)], gravity=(0, 0, 0))  # fmt: skip
    assert residual_vibration(arm, [0, 1e-3, 0, -1e-3], np.zeros(4)) > 1e-4 * np.sqrt(0.02)


def test_what_nothing_pulls_back_counts_by_its_rate():
    arm = ls.Arm("spinning", [
        ls.Link("slide", joint=ls.Joint("prismatic"), mass=1.0),
        ls.Link("disc", "slide", ls.Joint(actuated=False), mass=1.3, inertia=0.02),
    ], gravity=(0, 0, 0))  # fmt: skip
    assert residual_vibration(arm, [0.1, 0.4], [0.0, 2.0]) == pytest.approx(10 * 2 * np.sqrt(0.02 / 1.3), rel=1e-9)
    assert residual_vibration(arm, [0.1, 0.4], [3.0, 0.0]) == 0.0  # brakes hold the slide


@pytest.mark.parametrize("damping", [0.0, 0.06, 0.8, 12.0])
def test_distances_from_rest_are_those_of_an_oscillator_damped_little_or_much(damping):
    """The disc behind its spring, against a simulation; 0.8 is critical."""
    arm = wheel(armature=0.05, elastic=ls.JointElasticity(8.0, damping))
    t = np.linspace(0, 0.9, 10)
    run = ls.simulate(arm, [0.0, 0.02], [0.0, -0.5], until=0.9, prescribed={"disc": 0.0}, every=0.1, method="dop853",
                      rtol=1e-11, atol=1e-14)  # fmt: skip
    told = vibration(arm, np.array([0.0, 0.02]), np.array([0.0, -0.5]), ()).distances(t)
    assert told == pytest.approx(np.abs(run.q[:, 1]) * np.sqrt(0.02 / 1.3), abs=1e-8)


def test_a_disc_behind_a_spring_is_brought_to_rest():
    arm = wheel(armature=0.05, elastic=ls.JointElasticity(8.0))
    motion = ls.predict_motion(arm, start=[0], goal=[1.0], duration=0.8, minimise="torque_squared", segments=5)
    found = motion.verify()
    assert 0 < motion.report.residual_checks[-1].residual < 1e-5
    assert np.abs(found.end_error).max() < 1e-4  # rad; 1e-5 m at the radius of gyration is 8e-5
