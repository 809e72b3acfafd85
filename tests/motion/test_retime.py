"""Timing of a given path."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid
from scipy.optimize import brentq

import lissom as ls
from lissom.errors import InputError, UnsupportedError
from lissom.motion.public import predict_motion, retime_motion
from lissom.motion.retiming.given_path import curve_of

POINTS = np.array([[0.0, 0.1], [0.5, 0.6], [1.1, 0.4]])
ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"


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


@pytest.mark.parametrize("damping", [0.1, 1.5])
def test_viscous_damping_against_the_closed_form(damping):
    """Speeds approach (F - f) / d exponentially, and fall towards -(F + f) / d."""
    mass, F, f, length = 2.0, 3.0, 0.2, 0.7
    up, down, tau = (F - f) / damping, (F + f) / damping, mass / damping

    def both(v):  # times of speeding up to v and of braking
        return -tau * np.log(1 - v / up), tau * np.log(1 + v / down)

    fastest = brentq(lambda v: up * both(v)[0] - down * both(v)[1] - length, 1e-9, up * (1 - 1e-12))
    motion = retime_motion(slide(friction=f, damping=damping), [[0.0], [length]], limits=ls.Limits(torque=F))
    assert 1.0 <= motion.duration / sum(both(fastest)) < 1.003
    coarse = retime_motion(
        slide(friction=f, damping=damping), [[0.0], [length]], limits=ls.Limits(torque=F), segments=50
    )
    assert coarse.duration > motion.duration


def pendulum():
    joint = ls.Joint("revolute", axis=(0, -1, 0))
    inertia = np.diag([1e-3, 0.02, 0.02])
    return ls.Arm("pendulum", [ls.Link("l", joint=joint, mass=1.3, com=(0.8, 0, 0), inertia=inertia)])


def test_lifting_a_pendulum_against_its_energy():
    """Full torque up to a point, then full torque back: kinetic energy is the work done, less the height gained."""
    arm, tau, start, goal = pendulum(), 14.0, -0.5, 1.1
    inertia, weight = ls.mass_matrix(arm, [0.0])[0, 0], ls.inverse_dynamics(arm, [0.0], [0.0], [0.0])[0]

    def up(q):  # squared rate
        return 2 / inertia * (tau * (q - start) - weight * (np.sin(q) - np.sin(start)))

    def down(q):
        return 2 / inertia * (tau * (goal - q) + weight * (np.sin(goal) - np.sin(q)))

    turn = brentq(lambda q: up(q) - down(q), start, goal)
    shortest = quad(lambda z: 2 * z / np.sqrt(up(start + z * z)), 0, np.sqrt(turn - start))[0]
    shortest += quad(lambda z: 2 * z / np.sqrt(down(goal - z * z)), 0, np.sqrt(goal - turn))[0]
    off = [retime_motion(arm, [[start], [goal]], limits=ls.Limits(torque=tau), segments=k).duration / shortest - 1
           for k in (100, 400)]  # fmt: skip
    assert 0 < off[1] < 1e-3
    assert off[1] < 0.3 * off[0]


def test_momentum_carries_an_arm_where_its_motor_cannot_hold_it():
    """It needs 10.2 N m to be held level; with 9.5 it swings through, with 8 no speed suffices."""
    motion = retime_motion(pendulum(), [[-1.3], [1.3]], limits=ls.Limits(torque=9.5))
    level = np.abs(motion.q[:, 0]) < 0.05
    assert np.abs(motion.tau).max() <= 9.5 * (1 + 1e-8)
    assert (motion.qd[level] > 1.0).all()
    with pytest.raises(InputError, match=r"at 0\.5 of the path joint 'l' needs 10\.2 to be held.* no speed within"):
        retime_motion(pendulum(), [[-1.3], [1.3]], limits=ls.Limits(torque=8.0))


def uses(motion, quantities, each=9):
    """(segments, each) largest use of symmetric limits, inside every segment."""
    b = motion.breaks * motion.duration
    t = b[:-1, None] + np.diff(b)[:, None] * np.linspace(1e-9, 1 - 1e-9, each)
    _, qd, qdd = motion.at(t)
    values = {"velocity": qd, "acceleration": qdd, "torque": motion.torques(t)}
    return np.max([(np.abs(values[word]) / limit).max(axis=2) for word, limit in quantities.items()], axis=0)


@pytest.mark.parametrize("seed", range(4))
def test_plain_paths_of_a_six_joint_arm(seed):
    """Velocity and acceleration limits: always solved, never exceeded, and one of them is reached all the time."""
    rng, puma = np.random.default_rng(seed), ls.load("puma560")
    points = [0.2, 0.8, -1.2, 0.2, 0.3, 0.1] + np.cumsum(rng.uniform(-0.4, 0.4, (5, 6)), axis=0)
    motion = retime_motion(puma, points, limits=ls.Limits(velocity=1.5, acceleration=6.0))
    assert motion.status == "solved"
    use = uses(motion, {"velocity": 1.5, "acceleration": 6.0}, 33)
    assert use.max() < 1 + 1e-5
    dt = np.diff(motion.breaks)
    assert dt[use.max(axis=1) > 0.99].sum() > 0.99
    assert np.abs(motion.qd[[0, -1]]).max() < 1e-12


def test_the_path_is_followed_in_its_shape(planar):
    """At its grid points exactly, between them to 1e-7."""
    motion, curve = retime_motion(planar, POINTS, limits=ls.Limits(torque=9.0)), curve_of(POINTS, planar)[0]
    s = np.linspace(0, 1, 400 + 1)
    breaks = motion.at(motion.breaks * motion.duration)[0]
    assert np.abs(breaks - curve(np.interp(breaks[:, 0], curve(s)[:, 0], s))).max() < 1e-5
    q, qd, _ = motion.at(np.linspace(0.01, 0.99, 500) * motion.duration)
    at = np.array([brentq(lambda s, x=x: curve(s)[0] - x, 0, 1, xtol=1e-14) for x in q[:, 0]])  # joint 1 only rises
    assert np.abs(q - curve(at)).max() < 1e-7
    slope = curve(at, 1)
    assert np.abs(qd[:, 0] * slope[:, 1] - qd[:, 1] * slope[:, 0]).max() < 1e-4


def test_joints_with_friction_that_stay_or_turn_around():
    """A joint that stays has a rate of exactly 0, so its friction has no side; where one turns, limits hold on both."""
    puma, tau = ls.load("puma560"), np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])
    path = np.deg2rad([[-50, 30, -20, 0, 40, 0], [0, 20, -20, 10, 20, 0], [-40, 20, -20, 20, -30, 0]])
    motion = retime_motion(puma, path, limits=ls.Limits(torque=list(tau), velocity=3.0))
    assert (motion.qd[:, [2, 5]] == 0).all()
    easy = puma.with_joint(puma.joints[2].name, friction=0.0)
    without = ls.inverse_dynamics(easy, motion.q, motion.qd, motion.qdd)
    assert motion.tau[1:-1, 2] == pytest.approx(without[1:-1, 2], abs=1e-9)
    assert motion.qd[:, 0].min() < -0.1 < 0.1 < motion.qd[:, 0].max()
    assert uses(motion, {"torque": tau, "velocity": 3.0}, 33).max() < 1 + 1e-4


@pytest.mark.parametrize("torque", [False, True])
def test_as_fast_as_toppra(torque):
    """The same path, grid and limits."""
    toppra = pytest.importorskip("toppra")
    from toppra import constraint
    from toppra.algorithm import TOPPRA

    arm = ls.load("puma560")
    for joint in arm.joints:
        own = ls.Limits(position=joint.limits.position)  # the motors' are left to the task
        arm = arm.with_joint(joint.name, friction=0.0, damping=0.0, limits=own)
    points = [0.2, 0.8, -1.2, 0.2, 0.3, 0.1] + np.cumsum(np.random.default_rng(5).uniform(-0.4, 0.4, (5, 6)), axis=0)
    tau, rate = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3]) / 2, np.full(6, 2.0)
    limits = ls.Limits(torque=list(tau), velocity=2.0) if torque else ls.Limits(acceleration=6.0, velocity=2.0)
    motion = retime_motion(arm, points, limits=limits)
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))

    def both(limit):
        return np.stack([-limit, limit], axis=1)

    second = (
        constraint.JointTorqueConstraint(
            lambda q, qd, qdd: ls.inverse_dynamics(arm, q, qd, qdd), both(tau), np.zeros(6),
            discretization_scheme=constraint.DiscretizationType.Interpolation,
        )
        if torque
        else constraint.JointAccelerationConstraint(both(np.full(6, 6.0)))
    )  # fmt: skip
    path = toppra.SplineInterpolator(length / length[-1], points)
    other = TOPPRA([constraint.JointVelocityConstraint(both(rate)), second], path, gridpoints=np.linspace(0, 1, 401))
    assert motion.duration == pytest.approx(other.compute_trajectory(0, 0).duration, rel=1e-3)


def test_what_nothing_limits_is_refused(planar):
    free = planar
    for joint in planar.joints:
        free = free.with_joint(joint.name, limits=ls.Limits())
    with pytest.raises(InputError, match="the speed is not limited"):
        retime_motion(free, [[0, 0], [0, 1]], limits=ls.Limits(acceleration=[2.0, np.inf]))
    motion = retime_motion(free, [[0, 0], [0, 1]], limits=ls.Limits(acceleration=[np.inf, 4.0]))
    assert motion.duration == pytest.approx(1.0, rel=1e-5)


def test_saved_and_loaded(planar, tmp_path):
    motion = retime_motion(planar, POINTS, limits=ls.Limits(torque=9.0), segments=40)
    motion.save(tmp_path / "motion.nc")
    again = ls.load_motion(tmp_path / "motion.nc")
    assert (again.tau == motion.tau).all()
    assert again.task == motion.task


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
    assert max(peak.utilisation for found in (fast, mild) for peak in found.report.peaks) < 1 + 1e-8


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
        (lambda x: [x**2, 0], {}, InputError, "has zero derivative at 0 of"),
        (POINTS, {"limits": ls.Limits(torque=9, position=0.8)}, InputError, "outside its position limits"),
        (POINTS, {"limits": ls.Limits(torque=9, jerk=5)}, UnsupportedError, "jerk limits are not supported"),
        (POINTS, {"minimise": "energy"}, UnsupportedError, "minimise"),
        (POINTS, {"loads": [ls.Load("fore", np.ones((3, 3)))]}, UnsupportedError, "constant"),
    ],
)
def test_wrong_paths_are_refused(planar, path, fields, kind, words):
    with pytest.raises(kind, match=words):
        retime_motion(planar, path, **({"limits": ls.Limits(torque=9.0)} | fields))


def test_friction_does_not_turn_around_where_a_path_ends():
    """The rate of a joint that stops is rounding, and has no side."""
    puma, tau = ls.load("puma560"), [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    path = np.deg2rad([[-50, 30, -20, 0, 40, 0], [60, 20, 10, 20, -30, 60]])
    motion = retime_motion(puma, path, limits=ls.Limits(torque=tau, velocity=3.0))
    assert motion.verify().ok
    assert (np.abs(motion.tau) / tau).max() < 1.001


def random_case(arms, seed):
    """An arm, perhaps with damping, friction and a payload, a random path, and limits that can hold it."""
    rng = np.random.default_rng(seed)
    arm = arms[seed % len(arms)]
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, damping=rng.choice([0.0, rng.uniform(0, 3)]), friction=rng.choice([0.0, 1.0]))
    lower, upper = (np.clip(side, -2.5, 2.5) for side in arm.bounds("position"))
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    walk = np.cumsum(rng.uniform(-0.5, 0.5, (rng.integers(2, 12), arm.dof)), axis=0)
    points = middle + 0.6 * half * np.tanh(walk / half)
    q = curve_of(points, arm)[0](np.linspace(0, 1, 101))
    held = np.abs(ls.inverse_dynamics(arm, q, 0 * q, 0 * q)).max(axis=0) + [joint.friction for joint in arm.joints]
    limits = {"torque": list(held * rng.uniform(1, 2.5) + rng.uniform(0.1, 5, arm.dof))}
    if rng.random() < 0.6:
        limits["acceleration"] = float(rng.uniform(1, 20))
    if rng.random() < 0.6:
        limits["velocity"] = float(rng.uniform(0.5, 4))
    return arm, points, limits


@pytest.mark.slow
def test_random_paths_arms_and_limits_are_all_solved():
    urdfs = ("ur_description/urdf/ur5_joint_limited_robot.urdf", "xarm_description/urdf/xarm7.urdf",
             "z1_description/urdf/z1.urdf")  # fmt: skip
    arms = [ls.load("puma560"), ls.load("two_link"), *(ls.load(ROBOTS / name, fixed="merge") for name in urdfs)]
    for seed in range(100):
        arm, points, limits = random_case(arms, seed)
        motion = retime_motion(arm, points, limits=ls.Limits(**limits))
        assert motion.status == "solved", seed
        t = np.linspace(0, 1, 20001)[1:-1] * motion.duration
        _, qd, qdd = motion.at(t)
        values = {"velocity": qd, "acceleration": qdd, "torque": motion.torques(t)}
        worst = max((np.abs(values[word]) / limit).max() for word, limit in limits.items())
        assert worst < 1 + 1e-4, (seed, worst)


@pytest.mark.slow
def test_eighty_paths_beside_toppra():
    """Five waypoints on a UR5 and a Panda, as the benchmark has them."""
    pytest.importorskip("toppra")
    import retiming

    for arm, begin in retiming.arms().values():
        for seed in range(40):
            found = retiming.compare(arm, retiming.waypoints(arm, begin, seed), 1)
            assert found.duration == pytest.approx(found.other, rel=3e-3)
            assert found.excess < 1e-5


def test_retimed_motions_are_verified():
    """Their torques, replayed in a simulation, lead along them."""
    puma = ls.load("puma560")
    points = [0.2, 0.8, -1.2, 0.2, 0.3, 0.1] + np.cumsum(np.random.default_rng(2).uniform(-0.4, 0.4, (4, 6)), axis=0)
    assert retime_motion(puma, points, limits=ls.Limits(velocity=2.0, acceleration=8.0), segments=100).verify().ok


def test_verification_of_a_retimed_motion_takes_a_step_per_segment(planar):
    """Torques jump at every knot, so no step reaches over one; the shortest segment does not limit all of them."""
    motion = retime_motion(planar, [[0.0, -2.0], [0.5, -1.2], [1.0, -1.0]], segments=40)
    found = motion.verify()
    assert found.ok, found.describe()
    assert found.run.report.steps <= 1.3 * motion.basis.segments


def test_intervals_must_be_given():
    with pytest.raises(ls.InputError, match="segments is None"):
        ls.retime_motion(ls.load("two_link"), [[0, 0], [0.5, 0.5]], segments=None)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([[0, 0], [np.nan, 0.5], [1, 0.5]], "waypoint 1 of the path has nan for joint"),
        (lambda x: [x, np.nan if x > 0.7 else x], r"at x = 0\.7 the path gives nan for joint 'fore'"),
        (lambda x: [x, x] if x < 0.5 else [x], r"at x = 0\.5 the path gives \[0\.5\]; expected 2 finite"),
        (lambda x: None, "at x = 0 the path gives None"),
    ],
)
def test_paths_that_are_no_numbers(path, message):
    with pytest.raises(ls.InputError, match=message):
        ls.retime_motion(ls.load("two_link"), path, limits=ls.Limits(torque=4.0))


def test_errors_of_a_path_function_surface():
    with pytest.raises(ZeroDivisionError):
        ls.retime_motion(ls.load("two_link"), lambda x: 1 / 0, limits=ls.Limits(torque=4.0))
