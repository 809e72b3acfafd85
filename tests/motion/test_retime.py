"""Timing of a given path."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import lissom as ls
from lissom.errors import InputError, UnsupportedError
from lissom.motion.given_path import curve_of
from lissom.motion.public import predict_motion, retime_motion

POINTS = np.array([[0.0, 0.1], [0.5, 0.6], [1.1, 0.4]])


@pytest.fixture(scope="module")
def planar():
    return ls.load("two_link")


def slide(**options):
    return ls.Arm("slide", [ls.Link("l", joint=ls.Joint("prismatic", axis=(1, 0, 0), **options), mass=2.0)])


def test_one_joint_against_the_closed_form():
    """Full force, half way; with a limit of speed, a trapezium. The splines come from above, by a few per mille."""
    free = retime_motion(slide(), [[0.0], [0.7]], limits=ls.Limits(torque=3.0))
    assert 1.0 <= free.duration / (2 * np.sqrt(0.7 / 1.5)) < 1.001
    limited = retime_motion(slide(), [[0.0], [0.7]], limits=ls.Limits(torque=3.0, velocity=0.5))
    assert 1.0 <= limited.duration / (0.7 / 0.5 + 0.5 / 1.5) < 1.003
    assert np.abs(limited.qd).max() < 0.5 * 1.001


def test_friction_helps_to_stop():
    """Up with (F - f) / m, down with (F + f) / m."""
    motion = retime_motion(slide(friction=0.6), [[0.0], [0.7]], limits=ls.Limits(torque=3.0))
    up, down = 2.4 / 2, 3.6 / 2
    assert 1.0 <= motion.duration / np.sqrt(2 * 0.7 * (1 / up + 1 / down)) < 1.001


def test_the_path_is_kept_and_a_motor_is_always_at_its_limit(planar):
    motion = retime_motion(planar, POINTS, limits=ls.Limits(torque=9.0))
    dense = curve_of(POINTS, planar)[0](np.linspace(0, 1, 4001))
    off = [np.linalg.norm(dense - q, axis=1).min() for q in motion.q]
    assert max(off) < 1e-3  # the distance of the dense points
    use = np.abs(motion.tau).max(axis=1) / 9.0
    assert use.max() < 1 + 1e-8
    assert np.mean(use > 0.99) > 0.99  # on an interval of the grid it reaches the limit at one end
    assert np.abs(motion.qd[[0, -1]]).max() < 1e-9


def test_no_timing_of_the_same_path_is_faster(planar):
    """A scaled quintic along the path, as slow as the limits ask for, takes longer; freedom of the path takes less."""
    limits = ls.Limits(torque=9.0)
    motion = retime_motion(planar, POINTS[[0, 2]], limits=limits)
    x = np.linspace(0, 1, 401)
    profile = [x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - 3 * x + 2 * x**2)]
    way = POINTS[2] - POINTS[0]

    def most(T):
        q, qd, qdd = (p[:, None] * way / T**r for r, p in enumerate(profile))
        return np.abs(ls.inverse_dynamics(planar, POINTS[0] + q, qd, qdd)).max()

    slow = next(T for T in np.linspace(0.1, 3, 400) if most(T) <= 9.0)
    free = predict_motion(planar, start=POINTS[0], goal=POINTS[2], limits=limits)
    assert free.duration * 0.999 < motion.duration < slow


def test_finer_profiles_come_from_above(planar):
    times = [retime_motion(planar, POINTS, limits=ls.Limits(torque=9.0), segments=k).duration for k in (10, 20, 40)]
    assert times[0] > times[1] > times[2]
    assert times[1] - times[2] < times[0] - times[1]


def test_a_function_as_path_and_a_mixed_criterion(planar):
    def path(x):
        return [1.2 * x, 0.5 * np.sin(3 * x)]

    limits = ls.Limits(torque=10.0, acceleration=30.0)
    fast = retime_motion(planar, path, limits=limits)
    mild = retime_motion(planar, path, limits=limits, minimise={"time": 1.0, "torque_squared": 0.02})
    assert mild.duration > fast.duration
    assert mild.cost == pytest.approx(mild.duration + 0.02 * trapezoid((mild.tau**2).sum(axis=1), mild.t), rel=3e-3)
    assert np.abs(fast.qdd).max() < 30.0 * 1.001


def test_a_path_that_cannot_be_held_is_refused_with_the_joint_and_the_torque():
    lift = ls.Arm("lift", [ls.Link("l", joint=ls.Joint("prismatic", axis=(0, 0, 1)), mass=2.0)])
    with pytest.raises(InputError, match=r"joint 'l' needs 19\.6\d* to be held, its torque limits are -9 to 9"):
        retime_motion(lift, [[0.0], [0.5]], limits=ls.Limits(torque=9.0))


@pytest.mark.parametrize(
    ("path", "fields", "kind", "words"),
    [
        ([[0, 0]], {}, InputError, "two or more"),
        ([[0, 0], [0, 0], [1, 1]], {}, InputError, "waypoints 0 and 1 are the same"),
        ([[0, 0, 0], [1, 1, 1]], {}, InputError, "shape"),
        (lambda x: [x**2, 0], {}, InputError, "stands still at 0 of"),
        (POINTS, {"limits": ls.Limits(torque=9, position=0.8)}, InputError, "outside its position limits"),
        (POINTS, {"limits": ls.Limits(torque=9, jerk=5)}, UnsupportedError, "jerk is limited"),
        (POINTS, {"minimise": "energy"}, UnsupportedError, "minimise"),
        (POINTS, {"loads": [ls.Load("fore", np.ones((3, 3)))]}, UnsupportedError, "constant"),
    ],
)
def test_wrong_paths_are_refused(planar, path, fields, kind, words):
    with pytest.raises(kind, match=words):
        retime_motion(planar, path, **({"limits": ls.Limits(torque=9.0)} | fields))


@pytest.mark.slow
def test_friction_does_not_turn_around_where_a_path_ends():
    """The rate of a joint that stops is rounding, and has no side."""
    puma, tau = ls.load("puma560"), [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    path = np.deg2rad([[-50, 30, -20, 0, 40, 0], [60, 20, 10, 20, -30, 60]])
    motion = retime_motion(puma, path, limits=ls.Limits(torque=tau, velocity=3.0))
    assert motion.verify().ok
    assert (np.abs(motion.tau) / tau).max() < 1.001
