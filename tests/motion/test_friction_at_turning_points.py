"""Coulomb friction in torque limits: on the safe side of its jump."""

import numpy as np
import pytest

import lissom as ls
from lissom.motion.public import predict_motion
from lissom.motion.result.report import Iteration
from lissom.motion.solve.assessment import progressed
from lissom.motion.transcription.kernels.friction import SLOW, WIDE, excess, slopes, slow_rates, width
from lissom.motion.transcription.problem import Problem

SPEEDS = np.concatenate([-np.geomspace(50.0, 1e-6, 400), [0.0], np.geomspace(1e-6, 50.0, 400)])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_on_the_safe_side(side):
    bound = excess(SPEEDS, side, WIDE, SLOW) + SPEEDS / np.sqrt(SPEEDS**2 + SLOW**2)
    assert (side * (bound - np.sign(SPEEDS)) >= -1e-15).all()
    assert np.abs(bound).max() < 1.01
    far = np.abs(SPEEDS) > 0.5
    assert np.abs(bound - np.sign(SPEEDS))[far].max() < 0.1


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_slopes(side):
    v, h = np.linspace(-0.8, 0.9, 57), 1e-6
    first, second = slopes(v, side, WIDE, SLOW)
    assert (
        np.abs((excess(v + h, side, WIDE, SLOW) - excess(v - h, side, WIDE, SLOW)) / (2 * h) - first).max()
        < 1e-6 * np.abs(first).max()
    )
    other = (slopes(v + h, side, WIDE, SLOW)[0] - slopes(v - h, side, WIDE, SLOW)[0]) / (2 * h)
    assert np.abs(other - second).max() < 1e-6 * np.abs(second).max()


def test_a_joint_at_rest_but_for_rounding_has_no_narrow_turn():
    """Or the solver sees a jump: a goal with two axes in line was not reached, after 500 iterations."""
    found = slow_rates(np.array([1.3, 0.1, 5e-11, 0.0]))
    assert found[2] == found[3] > 1e-5
    assert found[1] == width(0.1, SLOW, 0.05)
    assert slow_rates(np.zeros(2)) == pytest.approx(width(0.0, SLOW))


def test_turns_are_as_wide_as_the_motion_is_fast():
    """Never wider than WIDE, never more than a share of the rate; the same width for rates that are nearly the same."""
    fastest = np.geomspace(1e-3, 1e2, 200)
    found = np.array([width(x) for x in fastest])
    assert (found <= np.minimum(WIDE, 0.025 * fastest) * (1 + 1e-9)).all()
    assert (found > np.minimum(WIDE, 0.025 * fastest) / 1.8).all()
    assert len(np.unique(found)) < 20
    assert width(0.0) == pytest.approx(WIDE)


def test_a_joint_that_turns_keeps_its_limit():
    """The goal of the fore arm is its start, so it turns on the way; a quarter of its torque is friction."""
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    links = [link.replace(joint=link.joint.replace(friction=0.25)) if link.joint.moves else link for link in arm.links]
    motion = predict_motion(
        arm.replace(links=tuple(links)), start=[0, 0.3], goal=[1.5, 0.3], limits=ls.Limits(torque=1.0)
    )
    assert motion.ok
    turns = np.flatnonzero(np.diff(np.sign(motion.qd[1:-1, 1])))
    assert len(turns)
    t = np.linspace(0.0, motion.duration, 4001)
    assert np.abs(motion.torques(t)).max() < 1.002  # ten times as fine as was looked at


# ---- rounded off less and less ---------------------------------------------------------------------------


def _with_friction(name):
    arm = ls.load(name)
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, friction=0.3)
    ends = {"start": [0.0, 0.0], "goal": [0.8, 0.8], "duration": 4.0, "minimise": "torque_squared"}
    return arm, ls.Task(**ends)


def test_only_with_unactuated_coordinates_friction_is_rounded_off_less_and_less():
    """A Z1 with two flexible links took 410 iterations from sharp friction, and 250 in all with twice a wider one."""
    for name, graduated in (("two_link_flexible", True), ("two_link", False)):
        problem = Problem(*_with_friction(name))
        sharp, soft = (problem.expressions.width_data(factor) for factor in (1.0, 4.0))
        assert problem.graduated == graduated
        assert soft[0] == sharp[0]  # in limits, where it stays on the safe side
        assert soft[1:] == pytest.approx((4.0 if graduated else 1.0) * sharp[1:])


@pytest.mark.slow
def test_a_flexible_arm_with_friction_is_solved_in_few_iterations():
    motion = ls.predict_motion(*_with_friction("two_link_flexible"))
    assert motion.ok
    assert len(motion.report.iterations) < 300


# ---- advice where iterations ran out ----------------------------------------------------------------------


def _steps(violations, costs):
    return [Iteration(k, *step, 1.0, 1.0) for k, step in enumerate(zip(costs, violations, strict=True))]


@pytest.mark.parametrize(
    ("violations", "costs", "progress"),
    [
        (np.geomspace(10, 1e-3, 60), np.ones(60), True),
        (np.full(60, 0.3), np.linspace(2, 1, 60), False),  # a lower cost is worth nothing where limits are exceeded
        (np.full(60, 1e-9), np.linspace(2, 1, 60), True),
        (np.full(60, 1e-9), np.ones(60), False),
        ([5.0, 5.0, 5.0], [1.0, 1.0, 1.0], True),  # too few to tell
    ],
)
def test_more_iterations_are_advised_only_where_the_last_ones_gained_something(violations, costs, progress):
    assert progressed(_steps(violations, costs)) == progress
