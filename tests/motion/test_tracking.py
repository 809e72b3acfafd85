"""Frames that follow a path: torques replayed by an independent simulation, other solutions, refusals."""

import warnings

import numpy as np
import pytest
from benchmarks.tracking import (
    beam_difference,
    line,
    replayed,
    replayed_precisely,
    smooth,
    spatial,
    spatial_motion,
    two_link,
    two_link_motion,
    ur10,
    ur10_motion,
    whole_state,
)
from scipy.interpolate import BSpline, CubicSpline, make_interp_spline
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.model.ends import tip_frame
from lissom.motion.result.replay import open_loop
from lissom.motion.tracking import resolution
from lissom.motion.tracking.corners import corners_of
from lissom.motion.tracking.given_functions import abrupt_ends, remedy_of
from lissom.motion.tracking.path import as_path
from lissom.motion.tracking.resolution import total_defects

START = [0.2, 1.2]


@pytest.fixture(scope="module")
def arm():
    return two_link(0.01)


@pytest.fixture(scope="module")
def begin(arm):
    return ls.pose(arm, arm.expanded(np.array(START)), "link2.tip")[:2, 3]


@pytest.fixture(scope="module")
def motion(arm):
    return two_link_motion(arm)


# ---- what is promised ----------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_tip_of_a_flexible_arm_follows_a_path_under_its_torques_alone(damping):
    """0.43 m in 2 s, link 1 bent by 76 mm; compiled steps of order 8, nothing of the search used."""
    motion = two_link_motion(two_link(damping))
    assert motion.status == "solved"
    assert 0 < motion.shift < 0.5
    assert motion.tracked.error < 1e-7
    assert replayed(motion) < 1e-7


def test_the_torque_is_that_of_the_exact_beam():
    """Euler and Bernoulli's beam without modes, inverted in the frequency domain."""
    assert beam_difference(3, 100) < 5e-5


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_tip_follows_in_a_precise_simulation(damping):
    assert replayed_precisely(two_link_motion(two_link(damping))) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_a_spatial_arm_with_two_flexible_links_and_gravity_follows(damping):
    assert replayed(spatial_motion(spatial(damping))) < 5e-7


@pytest.mark.slow
def test_with_a_wrong_payload_and_with_more_modes(arm, motion):
    load = arm.links[1].payload
    for part in (0.9, 1.1):
        other = arm.with_payload(ls.Payload(part * load.mass, inertia=part * load.inertia))
        assert replayed(motion, other) < 1e-2
        assert replayed(motion, other, ls.Follow(motion, kp=2.0, kd=0.4)) < 5e-3
        assert replayed(motion, other, whole_state(motion)) < 1.5e-3
    assert replayed(motion, two_link(0.01, 4)) < 1e-5


@pytest.mark.slow
def test_a_robot_with_a_flexible_forearm_draws_a_line(tmp_path):
    arm, rigid = ur10(tmp_path), ur10(tmp_path, flexible=False)
    if arm is None:
        pytest.skip("example-robot-data is not installed")
    q0 = ls.equilibrium(arm, [0.0, -1.2, 1.6, -0.4, 1.57, 0.0]).q
    assert 8 < ls.modes(arm, q0, "locked").frequencies_hz[0] < 12
    begin = ls.pose(arm, q0, "tool0")[:3, 3]
    motion = ur10_motion(arm, begin)
    assert replayed(motion) < 1e-4
    plan = open_loop(ur10_motion(rigid, begin), arm)  # the rigid plan leaves the path by centimetres
    assert np.abs(motion.path_error(plan)).max() > 1e-2


# ---- other kinds of arms and paths -----------------------------------------------------------------------


def test_elastic_joints_and_gravity():
    """Two joints with springs, in the vertical plane: outputs of relative degree four."""
    arm = ls.load("two_link").with_gravity((0, -9.81, 0))
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, elastic=ls.JointElasticity(60.0, damping=0.1), armature=0.01)
    start = ls.equilibrium(arm, [-1.2, 0.9]).q
    begin = ls.pose(arm, start, arm.tip_frame)[:2, 3]
    motion = ls.track_motion(arm, line(begin, [0.15, 0.2], 1.0), axes="xy", duration=1.0, start=[-1.2, 0.9])
    assert motion.ok
    assert replayed(motion) < 1e-6


def test_position_and_orientation_through_poses():
    """A rigid robot: both kinds of paths, a function and a table of poses to reach."""
    arm, q = ls.load("puma560"), [0.1, 0.6, -0.4, 0.3, 0.7, -0.2]
    X, s = ls.pose(arm, q, "flange"), smooth(6)

    def pose(t):
        turn = Rotation.from_rotvec(np.array([0.2, 0.1, 0.3]) * s(t / 1.5)).as_matrix()
        return ls.Reach("flange", X[:3, 3] + np.array([0.05, 0.1, 0.1]) * s(t / 1.5), turn @ X[:3, :3])

    motion = ls.track_motion(arm, pose, duration=1.5, start=q)
    half = motion.duration / 2
    there = ls.pose(arm, motion.at(half)[0], "flange")
    assert np.allclose(there[:3, 3], pose(half).position, atol=1e-7)
    assert np.allclose(there[:3, :3], pose(half).orientation, atol=1e-7)
    assert max(motion.tracked.error, motion.tracked.angle) < 1e-7
    t = [0.0, 0.7, 1.5]
    table = ls.track_motion(arm, (t, [pose(at) for at in t]), start=q)
    for at in t:
        assert np.allclose(ls.pose(arm, table.at(at)[0], "flange")[:3, 3], pose(at).position, atol=1e-7)


def _three_links():
    """Three links of 0.4, 0.3 and 0.2 m in a plane without gravity."""
    places, lengths = (0.0, 0.4, 0.3), (0.4, 0.3, 0.2)
    links, parent = [], None
    for k, (at, length) in enumerate(zip(places, lengths, strict=True)):
        X = np.eye(4)
        X[0, 3] = at
        links.append(ls.Link(f"l{k}", parent, ls.Joint("revolute", X), 1.0, (length / 2, 0, 0), [0.01] * 3))
        parent = f"l{k}"
    return ls.Arm("three", links, gravity=(0, 0, 0))


def test_redundancy_is_resolved_by_the_least_joint_accelerations():
    """A planar arm of three links: the same least value by another way, over the turn of the last link alone."""
    arm, T, start = _three_links(), 1.0, np.array([0.3, 0.8, 0.5])
    begin = ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3]
    path = line(begin, [-0.2, 0.15], T)
    motion = ls.track_motion(arm, path, "l2", "xy", T, start=start, point=(0.2, 0, 0))
    t = np.linspace(0.0, T, 1001)
    wanted = np.array([path(x) for x in t])
    knots = np.concatenate([np.zeros(6), np.linspace(0, T, 9), np.full(6, T)])

    def joints(c):
        """Joints (nt, 3) from the turn of the last link over time, at rest at both ends, free at the end."""
        turn = BSpline(knots, np.concatenate([[start.sum()] * 2, c, c[-1:]]), 6)(t)
        p = wanted - 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        elbow = np.arccos(((p**2).sum(axis=1) - 0.25) / 0.24)
        first = np.arctan2(p[:, 1], p[:, 0]) - np.arctan2(0.3 * np.sin(elbow), 0.4 + 0.3 * np.cos(elbow))
        return np.stack([first, elbow, turn - first - elbow], axis=1)

    def cost(c):
        qdd = np.diff(joints(c), 2, axis=0) / (t[1] - t[0]) ** 2
        return float((qdd**2).sum() * (t[1] - t[0]))

    count = len(knots) - 7 - 3
    least = minimize(cost, np.full(count, start.sum()), method="BFGS", options={"gtol": 1e-5})
    assert motion.tracked.error < 1e-7
    assert motion.cost == pytest.approx(least.fun, rel=2e-3)  # splines of eight segments there
    assert np.abs(motion.at(T / 2)[0] - joints(least.x)[500]).max() < 5e-3


def test_loads_act(arm, begin):
    path = line(begin, [-0.1, 0.1], 2.0)
    held = ls.track_motion(arm, path, duration=2.0, start=START, loads=ls.Load("link2.tip", force=[0.05, 0.1, 0]))
    assert replayed(held) < 1e-6


@pytest.mark.slow
def test_loads_change(arm, begin):
    """Along straight lines, whose kinks no smooth motion undoes completely."""
    path = line(begin, [-0.1, 0.1], 2.0)
    load = ls.Load("link2.tip", force=[[0, 0, 0], [0.02, 0.05, 0], [0, 0.02, 0]])
    changing = ls.track_motion(arm, path, duration=2.0, start=START, loads=load)
    assert changing.tracked.error < 1e-4
    assert replayed(changing) == pytest.approx(changing.tracked.error, rel=0.1)


def test_arms_choose_a_pose_where_none_is_given(arm, begin):
    motion = ls.track_motion(arm, line(begin, [-0.2, 0.2], 2.0), duration=2.0)
    assert motion.ok
    assert np.allclose(ls.pose(arm, motion.q[0], "link2.tip")[:2, 3], begin, atol=1e-8)


def test_a_table_is_a_smooth_path_through_its_rows(arm, begin):
    rows = begin + np.array([[0, 0], [-0.05, 0.1], [-0.15, 0.12]])
    motion = ls.track_motion(arm, ([0.0, 1.5, 3.0], rows), start=START)
    for t, row in zip((0.0, 1.5, 3.0), rows, strict=True):
        at = motion.at(motion.shift + t)[0]
        assert np.allclose(ls.pose(arm, at, "link2.tip")[:2, 3], row, atol=1e-6)
    spline = ls.track_motion(arm, BSpline(np.repeat([0.0, 2.0], 4), [begin, begin, rows[2], rows[2]], 3), duration=2.0,
                             start=START, tolerance=1e-3)  # fmt: skip
    assert spline.ok


@pytest.mark.slow
def test_comparison_with_the_rigid_plan(arm, begin):
    motion = ls.track_motion(arm, line(begin, [-0.2, 0.2], 2.0), duration=2.0, start=START, compare=True)
    plans = {plan.name: plan for plan in motion.compared.plans}
    assert plans["this motion"].path_error < 1e-6
    assert plans["rigid plan"].path_error > 5e-3
    assert "off the path [m]" in str(motion.compared)


def test_rigid_arms_have_no_comparison():
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    path = line(ls.pose(arm, [0.2, 1.2], arm.tip_frame)[:2, 3], [-0.1, 0.1], 1.0)
    with pytest.raises(ls.UnsupportedError, match="has no elastic parts"):
        ls.track_motion(arm, path, duration=1.0, start=[0.2, 1.2], compare=True)


# ---- limits ----------------------------------------------------------------------------------------------


def test_limits_that_act_are_kept(arm, begin):
    """Beside the free motion, whose torque is 0.74 N m and which bends link 1 by 76 mm."""
    path, given = line(begin, [-0.35, 0.25], 2.0), {"duration": 2.0, "start": START}
    weak = ls.track_motion(arm, path, limits=ls.Limits(torque=0.7), **given)
    assert np.abs(weak.torques(np.linspace(0, weak.duration, 3001))).max() < 0.7 * 1.001
    assert "since limits act: torque of 'joint1'" in weak.status
    assert 1e-6 < weak.tracked.error < 1e-4
    assert replayed(weak) == pytest.approx(weak.tracked.error, rel=0.1)
    stiff = ls.track_motion(arm, path, bending=ls.BendingLimit("link1", deflection=0.07), **given)
    assert np.abs(stiff.deflection("link1")).max() < 0.07 * 1.001
    assert stiff.tracked.error < 1e-3


@pytest.mark.slow
def test_limits_that_leave_no_motion_near_the_path_are_named(arm, begin):
    path, given = line(begin, [-0.35, 0.25], 2.0), {"duration": 2.0, "start": START}
    with pytest.raises(ls.MotionError, match=r"on the path the torque of 'joint1' is 2\.\d+ times its limit"):
        ls.track_motion(arm, path, limits=ls.Limits(torque=0.3), **given)


def test_spare_motors_take_over_where_a_limit_acts():
    arm, start = _three_links(), [0.3, 0.8, 0.5]
    path = line(ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3], [-0.2, 0.15], 1.0)
    given = {"frame": "l2", "axes": "xy", "duration": 1.0, "start": start, "point": (0.2, 0, 0)}
    free = ls.track_motion(arm, path, **given)
    fastest = np.abs(free.qd).max(axis=0)
    k = int(np.argmax(fastest))
    slow = arm.with_joint(arm.joints[k].name, limits=ls.Limits(velocity=0.9 * fastest[k]))
    held = ls.track_motion(slow, path, **given)
    assert held.tracked.error < 1e-5
    assert np.abs(held.qd[:, k]).max() < 0.9 * fastest[k] * 1.001
    assert held.cost > free.cost


LIMITS_AT_REST = {
    "a joint begins at its lower limit": (1, {"position": (0.8, 2.0)}),
    "a joint begins at its upper limit": (2, {"position": (-2.0, 0.5)}),
    "a narrow range": (2, {"position": (0.499, 0.501)}),
    "one direction only": (2, {"velocity": (-np.inf, 0.0)}),
}


@pytest.mark.parametrize("name", LIMITS_AT_REST)
def test_joints_may_begin_at_their_limits(name):
    """Three links in a plane: the path can be followed with any of these limits."""
    k, limits = LIMITS_AT_REST[name]
    arm, start = _three_links(), [0.3, 0.8, 0.5]
    path = line(ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3], [-0.2, 0.15], 1.0)
    held = arm.with_joint(arm.joints[k].name, limits=ls.Limits(**limits))
    motion = ls.track_motion(held, path, "l2", "xy", 1.0, start=start, point=(0.2, 0, 0))
    assert motion.status == "solved"
    assert motion.tracked.error < 1e-7
    (word, (low, high)) = next(iter(limits.items()))
    values = (motion.q if word == "position" else motion.qd)[:, k]
    assert (values > low - 1e-3).all()
    assert (values < high + 1e-3).all()


@pytest.mark.parametrize("part", [0.9, 0.7])
def test_limits_of_torque_rates(part):
    """Of arms that do not bend: with spare motors the tip stays on the path, or near it."""
    arm, start = _three_links(), [0.3, 0.8, 0.5]
    path = line(ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3], [-0.2, 0.15], 1.0)
    given = {"frame": "l2", "axes": "xy", "duration": 1.0, "start": start, "point": (0.2, 0, 0)}
    t = np.linspace(0, 1, 4001)
    most = part * np.abs(np.diff(ls.track_motion(arm, path, **given).torques(t), axis=0)).max(axis=0) / t[1]
    limits = ls.Limits(torque_rate=most)
    motion = ls.track_motion(arm, path, limits=limits, **given)
    assert (np.abs(np.diff(motion.torques(t), axis=0)) / t[1] < 1.001 * most).all()
    assert "since limits act: torque rate of" in motion.status
    assert motion.tracked.error < 1e-3


def test_limits_hold_between_samples():
    """Accelerations that jump from limit to limit overshoot between samples; more is then kept free at these."""
    arm, start, most = _three_links(), [0.3, 0.8, 0.5], np.array([3.0, 5.0, 4.0])
    path = line(ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3], [-0.2, 0.15], 1.0)
    limits = ls.Limits(acceleration=most)
    motion = ls.track_motion(arm, path, "l2", "xy", 1.0, start=start, point=(0.2, 0, 0), limits=limits)
    assert (np.abs(motion.at(np.linspace(0, 1, 5001))[2]) < 1.001 * most).all()
    assert "since limits act: acceleration of" in motion.status


def test_limits_of_torque_with_coulomb_friction():
    """Where joints rest, rounding would decide the sign of their friction; with torques within limits all the same."""
    arm, start = _three_links(), [0.3, 0.8, 0.5]
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, friction=0.4)
    path = line(ls.pose(arm, start, "l2", (0.2, 0, 0))[:2, 3], [-0.2, 0.15], 1.0)
    given = {"frame": "l2", "axes": "xy", "duration": 1.0, "start": start, "point": (0.2, 0, 0)}
    free = ls.track_motion(arm, path, **given)
    most = 0.9 * np.abs(free.tau[:, 0]).max()
    held = ls.track_motion(arm, path, limits=ls.Limits(torque=[most, 9.0, 9.0]), **given)
    assert held.tracked.error < 1e-5
    assert np.abs(held.torques(np.linspace(0, 1, 2001))[:, 0]).max() < most * 1.001


def test_a_pose_that_exceeds_limits_at_rest_is_refused():
    """Before any search: a longer duration would not help."""
    arm = ls.load("two_link").with_gravity((0, -9.81, 0))
    arm = arm.with_joint("fore", limits=ls.Limits(position=(0.1, 2.5)))  # of the other elbow the torques are less
    begin = ls.pose(arm, [0.2, 1.2], arm.tip_frame)[:2, 3]
    given = {"axes": "xy", "duration": 1.0, "start": [0.2, 1.2]}
    with pytest.raises(ls.InputError, match=r"at rest where the path begins, the torque of 'upper' is .* N m, beyond"):
        ls.track_motion(arm, line(begin, [0.0, -0.2], 1.0), limits=ls.Limits(torque=0.5), **given)
    by = [0.05, -0.1]  # towards where the arm is stretched
    needs = [ls.equilibrium(arm, q).tau[0] for q in ls.track_motion(arm, line(begin, by, 1.0), **given).q[[0, -1]]]
    assert needs[0] < needs[1]
    with pytest.raises(ls.InputError, match="at rest where the path ends, the torque of 'upper'"):
        ls.track_motion(arm, line(begin, by, 1.0), limits=ls.Limits(torque=sum(needs) / 2), **given)


def test_a_branch_is_chosen_whose_joints_keep_their_limits():
    """Without start: the elbow that is nearer to home would leave its range on the way."""
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    arm = arm.with_joint("upper", limits=ls.Limits(position=(-0.9, 3.0)))
    arm = arm.with_joint("fore", limits=ls.Limits(position=(-2.5, 2.5)))
    path = line(ls.pose(arm, [-0.2, 0.9], arm.tip_frame)[:2, 3], [-0.25, -0.35], 1.0)
    motion = ls.track_motion(arm, path, axes="xy", duration=1.0)
    assert motion.ok
    assert motion.q[:, 0].min() > -0.9


# ---- the motion as a record ------------------------------------------------------------------------------


def test_the_motion_keeps_its_path(motion, tmp_path):
    motion.save(tmp_path / "m.nc")
    again = ls.load_motion(tmp_path / "m.nc")
    assert again.shift == motion.shift
    assert again.status == motion.status
    assert again.tracked.axes == ("x", "y")
    assert np.array_equal(again.path_error(), motion.path_error())
    assert np.abs(again.path_error()).max() < 1e-7
    assert again.tracked.describe() in again.describe().replace("Path", "path")


def test_errors_of_an_ensemble_of_arms(arm, motion):
    """Each run with its own arm."""
    load = arm.links[1].payload
    arms = [arm.with_payload(ls.Payload(part * load.mass, inertia=part * load.inertia)) for part in (1.0, 1.1)]
    follow, until = ls.Follow(motion, kp=2.0, kd=0.4), 0.5 * motion.duration
    runs = ls.simulate(arm, motion.q[0], arms=arms, tau=follow, until=until, every=0.05)
    found = motion.path_error(runs)
    assert found.shape == (2, len(runs.t), 2)
    alone = ls.simulate(arms[1], motion.q[0], tau=follow, until=until, every=0.05)
    assert np.abs(found[1] - motion.path_error(alone)).max() < 1e-6
    assert np.abs(found[0]).max() < 1e-5 < np.abs(found[1]).max()


def test_verification_says_how_far_the_frame_is_off(motion):
    found = motion.verify(rtol=1e-8)
    assert found.ok
    assert found.path_error < 1e-6
    assert "off its path by at most" in found.describe()


def test_motions_without_a_path_say_so():
    arm = ls.load("two_link")
    other = ls.predict_motion(arm, start=[0, 0], goal=[0.3, 0.2], duration=1.0, minimise="torque_squared")
    assert other.shift == 0.0
    with pytest.raises(ls.InputError, match="follows no path"):
        other.path_error()
    with pytest.raises(ls.InputError, match="needs a motion whose frame follows a path"):
        ls.plot(other, "path")


def test_a_figure_of_the_path(motion):
    assert len(ls.plot(motion, "path").axes) == 3


# ---- what is refused -------------------------------------------------------------------------------------

REFUSED = [
    (lambda b: line([2, 2], [0.1, 0], 2.0), {}, "begins out of reach: 'link2.tip' comes no closer than 1.8"),
    (lambda b: line(b, [0.5, 0.5], 2.0), {}, "from t = 0.81.* s on the path is out of reach.*'joint2'"),
    (lambda b: line([0.3, 0.0], [-0.6, 0.0], 2.0), {}, "at t = 1 s the path leads through a singular pose"),
    (lambda b: lambda t: [*b, 0.0], {"axes": ["x", "y", "rz"]}, "3 axes .* but arm 'two_link_flexible' has 2 motors"),
    (lambda b: lambda t: [0.1], {}, "has 1 values and axes is None"),
    (lambda b: lambda t: [0.1, 0.2, 0.3], {"axes": "xy"}, "3 values, but axes names 2"),
    (lambda b: lambda t: [0.1, np.nan], {}, "at t = 0 s the path gives .* finite numbers"),
    (lambda b: lambda t: [*b, 0.0][1:], {"axes": "yz"}, "no joint of arm .* moves 'link2.tip' along 'z'.*nan"),
    (lambda b: lambda t: b + 0.1 * (t > 1), {}, "at t = 1 s the path jumps by 0.141 m"),
    (lambda b: line(b, [0.1, 0], 2.0), {"limits": ls.Limits(torque_rate=5.0)}, "torque-rate limits.*not supported"),
    (lambda b: line(b, [0.1, 0], 2.0), {"axes": "xq"}, "axes has 'q'"),
    (lambda b: line(b, [0.1, 0], 2.0), {"frame": "lnk2.tip"}, "did you mean 'link2.tip'"),
    (lambda b: line(b, [0.1, 0], 2.0), {"duration": None}, "duration is None"),
    (lambda b: line(b, [0.1, 0], 2.0), {"before": -1.0}, "before is -1"),
    (lambda b: line(b, [0.1, 0], 2.0), {"segments": 2}, "segments is 2"),
    (lambda b: line(b, [0.1, 0], 2.0), {"start": [0.1]}, "start has 1 entries"),
    (lambda b: "circle", {}, "path is 'circle'; expected a function of time, a table"),
    (lambda b: ([0, 1, 1], [b, b, b]), {"duration": None}, "expected two or more that rise"),
    (lambda b: ([0, 1], [b, b]), {}, "the table of the path lasts 1 s"),
    (lambda b: lambda t: object(), {}, "at t = 0 s the path gives"),
]


@pytest.mark.parametrize(("path", "options", "sentence"), REFUSED)
def test_bad_input_is_refused_in_a_sentence(arm, begin, path, options, sentence):
    with pytest.raises(ls.LissomError, match=sentence):
        ls.track_motion(arm, path(begin), **{"duration": 2.0, **options})


def test_slopes_beyond_the_model_are_refused(arm, begin):
    with pytest.raises(ls.MotionError, match=r"bends to a slope of .* longer duration"):
        ls.track_motion(arm, line(begin, [-0.35, 0.25], 0.7), duration=0.7, start=START)


def test_closed_loops_are_refused():
    from lissom.formats.load import load

    with pytest.raises(ls.UnsupportedError, match="closed loops"):
        ls.track_motion(load("examples/four_bar.toml"), lambda t: [0.1, 0.2], duration=1.0)


def test_a_corner_is_warned_of_with_what_it_costs(arm, begin):
    def corner(t):
        return begin + np.array([-0.05, 0]) * np.clip(t - 0.5, 0, 1) + np.array([0, 0.05]) * np.clip(t - 1.5, 0, 1)

    with pytest.warns(ls.RoughPath, match=r"corners at t = 0\.5, 1\.5, 2\.5 s.*leaves the path by up to .* m.*torque"):
        motion = ls.track_motion(arm, corner, duration=3.0, start=START)
    assert motion.outcome is ls.MotionOutcome.ACCEPTABLE
    assert "since it has corners at t = 0.5, 1.5, 2.5 s" in motion.status


def test_tables_that_begin_at_full_speed_are_warned_of():
    t = np.linspace(0.0, 3.0, 31)
    turn = 2 * np.pi * t / 3.0
    even = t, np.column_stack([0.4 + 0.1 * np.cos(turn), 0.3 + 0.1 * np.sin(turn)])
    with pytest.warns(ls.RoughPath, match=r"table begins and ends at speed \(0\.209 per second\).*in 0\.1 s"):
        ls.track_motion(ls.load("two_link"), even, start=[0.2, 1.2])
    assert abrupt_ends(circle()) == ""
    assert abrupt_ends((t[:5], even[1][:5])) == ""


def test_smooth_paths_are_not_warned_of(arm, begin):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.track_motion(arm, line(begin, [-0.1, 0.1], 2.0, 3), duration=2.0, start=START)


def test_a_path_that_stands_still_has_no_corner(begin):
    assert corners_of(as_path(lambda t: begin, "xy", 1.0)) == ()


def test_all_corners_are_found_the_sharpest_first():
    def zigzag(t):
        return [0.5 + 0.1 * abs(t - 0.3) + 0.2 * abs(t - 0.61), 0.2]

    found = corners_of(as_path(zigzag, "xy", 1.0))
    inside = [one for one in found if 0.1 < one.t < 0.9]
    assert np.allclose([one.t for one in inside], [0.61, 0.3], atol=1e-4)
    assert np.allclose([one.jump for one in inside], [0.4, 0.2], rtol=1e-3)
    assert len(found) == 4  # with both ends


def test_profiles_and_splines_know_their_end(begin):
    t = np.linspace(0.0, 1.5, 30)
    rows = begin + t[:, None] * [0.1, 0.1]
    for path in (ls.Profile(t, rows), CubicSpline(t, rows), make_interp_spline(t, rows, 5)):
        assert as_path(path, "xy", None).duration == 1.5
    assert "kind='cubic'" in remedy_of(ls.Profile(t, rows))


CIRCLE = np.linspace(0.0, 3.0, 31)


def circle():
    """A circle of radius 0.1 m, from rest to rest, as a table with five digits."""
    x = CIRCLE / 3.0
    turn = 2 * np.pi * x**5 * (126 - 420 * x + 540 * x**2 - 315 * x**3 + 70 * x**4)
    return CIRCLE, np.round(np.column_stack([0.6 + 0.1 * np.cos(turn), 0.4 + 0.1 * np.sin(turn)]), 5)


def test_segments_are_refined_until_they_obey_the_equations_of_motion(monkeypatch):
    flexible = ls.load("two_link_flexible")
    motion = ls.track_motion(flexible, circle(), segments=160)
    assert motion.basis.segments == 320
    assert "replayed" not in motion.status
    assert total_defects(motion) < 1e-4
    monkeypatch.setattr(resolution, "REFINEMENTS", 0)
    monkeypatch.setattr(resolution, "TOLERANCE", 1e-9)
    noted = resolution.refined(motion, lambda segments: motion)
    assert "its segments, replayed, differ from the plan by" in noted.status
    assert "use segments=640 or more" in noted.status


def test_limits_that_are_only_checked_are_said_to_be():
    rigid = ls.load("two_link")
    start = ls.pose(rigid, [0.2, 1.2], tip_frame(rigid, "fore"))[:2, 3]
    path = line(start, [-0.2, 0.1], 1.0)
    with pytest.raises(ls.MotionError, match=r"jerk of .* is .* times its limit .* checked, not planned for"):
        ls.track_motion(rigid, path, None, "xy", duration=1.0, start=[0.2, 1.2], limits=ls.Limits(jerk=1.0))
