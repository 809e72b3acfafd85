"""What a motion says of itself is true: costs, torques, rates, limits, whatever units and weights it is given in."""

from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, MotionError
from lissom.motion.task.obstacles import bodies_of

STILL = (0, 0, 0)


def one(friction=0.0, gravity=STILL):
    joint = ls.Joint("revolute", friction=friction)
    return ls.Arm("one", [ls.Link("a", joint=joint, mass=1.0, com=(0.2, 0, 0), inertia=0.01)], gravity=gravity)


def two(size=1.0):
    """Two links of 0.4 m, or smaller ones of the same stuff."""
    place = np.eye(4)
    place[0, 3] = 0.4 * size
    mass = size**3
    rod = {"mass": mass, "com": (0.2 * size, 0, 0), "inertia": mass * size**2 / 75}
    links = [ls.Link("upper", **rod), ls.Link("fore", "upper", ls.Joint("revolute", place), **rod)]
    return ls.Arm("two", links, gravity=STILL)


def integral(motion, rate):
    """Of a rate of cost over fine times."""
    t = np.linspace(0, motion.duration, 20001)
    return np.trapezoid(rate(t), t) if hasattr(np, "trapezoid") else np.trapz(rate(t), t)


@pytest.mark.parametrize("weight", [1e-8, 1e5])
def test_weights_only_weigh(weight):
    arm = ls.load("two_link")
    plain, weighed = (
        ls.predict_motion(arm, start=[0, -2], goal=[1, -1], minimise={"time": w}, starts=1) for w in (1.0, weight)
    )
    assert weighed.duration == pytest.approx(plain.duration, rel=1e-7)
    plain, weighed = (
        ls.predict_motion(arm, start=[0, -2], goal=[1, -1], duration=1.5, minimise={"torque_squared": w}, starts=1)
        for w in (1.0, weight)
    )
    assert weighed.cost == pytest.approx(weight * plain.cost, rel=1e-9)


def test_small_arms_move_like_large_ones():
    """Lengths 400 times smaller, masses by the cube: torques by the fifth power, times the same."""
    size, task = 1 / 400, {"start": [0, -2], "goal": [1, -1]}
    large, small = (
        ls.predict_motion(two(s), **task, limits=ls.Limits(torque=5.0 * s**5), minimise="time") for s in (1.0, size)
    )
    assert small.duration == pytest.approx(large.duration, rel=1e-6)
    large, small = (ls.predict_motion(two(s), **task, duration=1.0, minimise="torque_squared") for s in (1.0, size))
    assert small.cost == pytest.approx(large.cost * size**10, rel=1e-7)


def test_the_cost_has_all_of_the_friction():
    motion = ls.predict_motion(one(2.0), start=[0], goal=[0.1], duration=2.0, minimise="torque_squared")
    assert motion.cost == pytest.approx(integral(motion, lambda t: (motion.torques(t) ** 2).sum(axis=1)), rel=1e-3)
    assert motion.cost > 2.0 * 2.0**2


def test_slow_joints_feel_friction_in_their_limits():
    motion = ls.predict_motion(one(2.0), start=[0], goal=[0.1], limits=ls.Limits(velocity=0.05, torque=2.5))
    found = motion.verify()
    assert found.ok
    (peak,) = (peak for peak in found.peaks if peak.quantity == "torque")
    assert peak.value == pytest.approx(np.abs(motion.tau).max(), rel=1e-3)
    weaker = motion.task.replace(limits=ls.Limits(velocity=0.05, torque=1.6))
    assert not replace(motion, task=weaker).verify().ok
    assert ls.predict_motion(one(2.0), start=[0], goal=[0.1], limits=ls.Limits(power=0.1, torque=5.0)).ok


def test_torques_of_a_table_begin_with_friction():
    motion = ls.predict_motion(one(2.0), start=[0], goal=[0.5], duration=1.0, minimise="torque_squared")
    tau = motion.table(1000).tau[:, 0]
    assert abs(tau[0] - tau[1]) < 0.05
    assert tau[0] > 2.0


def test_rates_of_torques_see_loads_that_change():
    force = np.zeros((11, 3))
    force[5:, 1] = -8.0
    arm = two()
    motion = ls.predict_motion(
        arm, start=[0, 0], goal=[1, 0.5], duration=1.0, minimise="torque_rate",
        loads=[ls.Load("fore", force=force, point=(0.4, 0, 0))],
    )  # fmt: skip

    def squared(t):
        rate = np.gradient(motion.torques(t), t, axis=0)
        return (rate**2).sum(axis=1)

    assert motion.cost == pytest.approx(integral(motion, squared), rel=2e-3)


def test_limits_of_rates_of_torque_hold_on_both_sides_of_a_knot():
    motion = ls.predict_motion(two(), start=[0, 0], goal=[1, 0.5], limits=ls.Limits(torque_rate=100.0))
    assert motion.ok
    t, h = motion.breaks * motion.duration, 1e-6
    right = (motion.torques(t[:-1] + h) - motion.torques(t[:-1])) / h
    left = (motion.torques(t[1:]) - motion.torques(t[1:] - h)) / h
    assert 99.0 < max(np.abs(right).max(), np.abs(left).max()) < 100.2
    assert motion.verify().ok


def test_what_takes_no_time_is_said():
    with pytest.raises(MotionError, match="no limit of this task bounds its duration"):
        ls.predict_motion(two(), start=[0, 0], goal=[1e-9, 0], limits=ls.Limits(torque=5.0))


def test_ends_must_be_held():
    with pytest.raises(InputError, match=r"joint 'a' needs 1\.962 N m to hold the start at rest"):
        ls.predict_motion(one(0.0, (0, -9.81, 0)), start=[0], goal=[0.1], limits=ls.Limits(torque=1.0))
    rough = one(1.5, (0, -9.81, 0))  # friction holds it
    assert ls.predict_motion(rough, start=[0], goal=[0.1], limits=ls.Limits(torque=4.0)).ok


def test_rates_of_torques_that_jump_are_refused():
    with pytest.raises(InputError, match="joint 'a' has Coulomb friction, so its torque jumps"):
        ls.predict_motion(one(2.0), start=[0], goal=[1], limits=ls.Limits(torque_rate=100.0, torque=10.0))


def wall(radius, x=0.66, y=0.15):
    return ls.Sphere((x + radius, y, 0), radius)


BODIES = [
    ls.CollisionBody("upper", (0, 0, 0), (0.4, 0, 0), 0.03),
    ls.CollisionBody("fore", (0, 0, 0), (0.4, 0, 0), 0.03),
]


@pytest.mark.parametrize("radius", [1.0, 1000.0])
def test_a_wall_is_a_wall(radius):
    """However large the ball is that stands for it."""
    motion = ls.predict_motion(two(), start=[-1.3, 0.2], goal=[1.3, -0.2], limits=ls.Limits(torque=[10, 3]),
                               obstacles=wall(radius), bodies=BODIES)  # fmt: skip
    peak = next(p for p in motion.report.peaks if p.quantity.startswith("distance"))
    assert peak.value > -1e-4


def test_the_last_link_ends_at_its_frame():
    arm = ls.load("two_link")
    (body,) = (body for body in bodies_of(arm) if body.link == "fore")
    assert np.allclose(body.a, (-0.4, 0, 0))
    assert np.allclose(body.b, 0.0)


def test_a_start_that_is_just_clear_is_clear():
    arm = two()
    X = ls.pose(arm, [-0.6, 0.2], "fore")
    beside = -X[:3, 1] * 0.233
    pole = ls.Capsule(X[:3, 3] + beside, X[:3, 3] + X[:3, 0] * 0.4 + beside, 0.2)
    motion = ls.predict_motion(arm, start=[-0.6, 0.2], goal=[0.9, 0.2], bodies=BODIES, obstacles=pole,
                               limits=ls.Limits(torque=5.0), segments=10, starts=1)  # fmt: skip
    assert motion.verify().ok
