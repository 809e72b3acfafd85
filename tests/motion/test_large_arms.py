"""Arms of many joints: derivatives from tapes against straight-line code, and a tree of thirty joints."""

import numpy as np
import pytest
from scipy import sparse
from tests.arms import random_arm

import lissom as ls
from lissom.errors import UnsupportedError
from lissom.motion.public import predict_motion
from lissom.motion.solve.banded import Banded
from lissom.motion.splines.basis import Basis
from lissom.motion.splines.curves import Curves
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.task import Task
from lissom.motion.transcription import problem as build
from lissom.motion.transcription.kernels import tape_sample as tapes
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

SAMPLES = 6


def generic_tree(parents, seed):
    """Revolute joints about generic axes, generic inertias, gravity."""
    rng = np.random.default_rng(seed)
    links = []
    for k, parent in enumerate(parents):
        axis, points, mass = rng.normal(size=3), 0.1 * rng.normal(size=(6, 3)), rng.uniform(0.2, 1.5)
        inertia = mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points - points.mean(axis=0))
        placement = pose(about_axis((1.0, 0.0, 0.0), rng.uniform(-1.0, 1.0)), rng.uniform(-0.2, 0.2, 3))
        joint = ls.Joint("revolute", placement, axis / np.linalg.norm(axis))
        links.append(
            ls.Link(f"l{k}", None if parent < 0 else f"l{parent}", joint, mass, rng.uniform(-0.1, 0.1, 3), inertia)
        )
    return ls.Arm("generic tree", tuple(links))


def rough(arm, friction):
    """With friction in every joint."""
    links = [link.replace(joint=link.joint.replace(friction=f)) for link, f in zip(arm.links, friction, strict=True)]
    return arm.replace(links=tuple(links))


def both(minimise, loads=(), seed=5):
    """Straight-line and tape sample of one problem, and states to try them at."""
    arm = rough(random_arm(seed, 4, kinds=("revolute", "prismatic"), drives=False), (0.3, 0.0, 0.5, 0.7))
    pushed = [ls.Load(arm.links[-1].name, force=(1.0, -2.0, 3.0), point=(0.1, 0.2, 0.3))] if loads else []
    power = ls.Limits(torque=50.0, power=[10.0, np.inf, 7.0, np.inf])
    task = Task(start=[0.0] * 4, goal=[0.3] * 4, minimise=minimise, duration=(0.1, 9.0), limits=power, loads=pushed)
    problem = build.Problem(arm, task, regularise=1e-3)
    straight = problem.expressions.sample()
    powers = np.flatnonzero(problem.spec.bounds.limited("power"))
    taped = tapes.TapeSample(
        arm,
        problem.spec.acting,
        powers,
        problem.spec.cost.tape,
        problem.expressions.squares,
        problem.friction_joints,
        problem.expressions.layout,
    )
    rng = np.random.default_rng(seed)
    given = [rng.normal(size=(SAMPLES, straight.orders * 4)), rng.uniform(0.5, 2.0, (SAMPLES, 1))]
    data = rng.normal(size=(SAMPLES, straight.data))
    data[:, straight.data - problem.expressions.layout.size :] = problem.expressions.width_data(soft=2.0)
    given += [data] * bool(straight.data)
    return straight, taped, given


def dense(places, values, shape):
    out = np.zeros((len(values), *shape))
    out[:, places[0], places[1]] = values
    return out


def apart(x, y):
    return float(np.abs(x - y).max() / np.abs(y).max())


MIXES = [
    {"time": 0.7},
    {"time": 1.0, "torque_squared": 0.01},
    {"time": 0.1, "energy": 0.3},
    {"jerk": 1e-3, "energy": 0.3, "torque_squared": 0.02},
]


@pytest.mark.parametrize("mix", MIXES, ids=lambda mix: "+".join(mix))
def test_tapes_give_what_straight_line_code_gives(mix):
    straight, taped, given = both(mix, loads="energy" in mix)
    assert (taped.m, taped.orders, taped.data) == (straight.m, straight.orders, straight.data)
    for ours, want in zip(taped.value(given), straight.value(given), strict=True):
        assert apart(ours, want) < 1e-13
    width = straight.orders * 4 + 1
    ours, want = taped.first(given), straight.first(given)
    J = [dense(s.jacobian, x[0], (straight.m, width)) for s, x in ((taped, ours), (straight, want))]
    assert apart(*J) < 1e-12
    assert apart(ours[1], want[1]) < 1e-12
    rng = np.random.default_rng(1)
    lam, w = rng.normal(size=(SAMPLES, straight.m)), rng.uniform(size=(SAMPLES, 1))
    H = [dense(s.hessian, s.second(given, lam, w), (width, width)) for s in (taped, straight)]
    assert apart(*H) < 1e-12


@pytest.mark.parametrize("joints", [2, 4], ids=["squares compiled", "squares apart"])
@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.some(2)
def test_programs_against_differences(joints, taped, monkeypatch):
    monkeypatch.setattr(tapes, "STRAIGHT", 0 if taped else 7)
    arm = rough(generic_tree([-1, 0, 1, 1][:joints], 4), [0.4, 0.0, 0.2, 0.3][:joints])
    limits = ls.Limits(torque=9.0, velocity=3.0, power=20.0)
    mix = {"time": 0.5, "torque_squared": 0.02}
    task = Task(start=[0.1] * joints, goal=[0.6] * joints, minimise=mix, limits=limits, segments=4)
    problem = build.Problem(arm, task)
    program = problem.program(Mesh(Basis(4)), np.array([0.13, 0.61]))
    rng = np.random.default_rng(6)
    x, lam = rng.uniform(0.3, 1.0, program.size), rng.normal(size=program.count)

    def matrix(pattern, values):
        return sparse.coo_array((values, (pattern.rows, pattern.columns)), shape=pattern.shape).toarray()

    def lagrangian_slope(y):
        return 0.7 * program.gradient(y) + lam @ matrix(program.jacobian_pattern, program.jacobian(y))

    h = 1e-6
    steps = h * np.eye(program.size)
    J = np.stack([(program.g(x + e) - program.g(x - e)) / (2 * h) for e in steps], axis=1)
    slope = np.array([(program.f(x + e) - program.f(x - e)) / (2 * h) for e in steps])
    H = np.stack([(lagrangian_slope(x + e) - lagrangian_slope(x - e)) / (2 * h) for e in steps], axis=1)
    assert apart(matrix(program.jacobian_pattern, program.jacobian(x)), J) < 1e-7
    assert apart(program.gradient(x), slope) < 1e-7
    upper = matrix(program.hessian_pattern, program.hessian(x, 0.7, lam))
    assert apart(upper + np.triu(upper, 1).T, H) < 1e-7


ENDS = {"start": [0.1] * 4, "goal": [0.6] * 4}
MOVING = {"start_velocity": [0.3, -0.2, 0.1, 0.4], "goal_velocity": [np.nan, 0.1, 0.0, -0.3]}
TASKS = {
    "given duration": {**ENDS, "minimise": "torque_squared", "duration": 0.7},
    "free duration, moving ends": {**ENDS, "minimise": {"time": 1.0, "torque_squared": 0.01}, **MOVING},
    "periodic": {"via": [ls.Via(0.3, [0.4] * 4)], "minimise": "energy", "duration": 0.7, "periodic": True},
    "jerk": {**ENDS, "minimise": {"jerk": 1e-3, "energy": 0.1}, "duration": (0.2, 2.0)},
}


@pytest.mark.parametrize("word", TASKS)
def test_hessians_by_control_points_are_those_by_samples(word, monkeypatch):
    monkeypatch.setattr(tapes, "STRAIGHT", 0)
    arm = rough(generic_tree([-1, 0, 1, 0], 4), [0.4, 0.0, 0.2, 0.3])
    limits = ls.Limits(torque=9.0, velocity=3.0, power=[20.0, np.inf, 5.0, np.inf])
    problem = build.Problem(arm, Task(limits=limits, **TASKS[word]), regularise=1e-4)
    rng = np.random.default_rng(6)

    def hessian(by_points):
        monkeypatch.setattr(Curves, "shared", by_points)
        program = problem.program(problem.mesh(segments=6), np.array([0.13, 0.61, 0.11]))
        assert (program.blocks[0].points is not None) == by_points
        pattern, (x, lam) = program.hessian_pattern, (np.resize(y, k) for k in (program.size, program.count))
        entries = (program.hessian(x, 0.7, lam), (pattern.rows, pattern.columns))
        return sparse.coo_array(entries, shape=pattern.shape).toarray()

    y = rng.uniform(0.3, 1.0, 997)
    assert apart(hessian(True), hessian(False)) < 1e-13


def test_added_samples_have_rows_for_limits_that_were_exceeded():
    arm = generic_tree([-1, 0, 1], 4)
    task = Task(start=[0.1] * 3, goal=[0.6] * 3, duration=0.7, minimise="torque_squared", limits=ls.Limits(torque=9.0))
    problem = build.Problem(arm, task)
    mesh, at = problem.mesh(segments=4), np.array([0.13, 0.61])
    plain, second = problem.program(mesh, np.zeros(0)), problem.spec.names[1]
    few = problem.program(mesh, at, only={0.13: {("torque", second)}, 0.61: {("power", second)}})
    assert problem.program(mesh, at).count == plain.count + 6
    assert [name for name in few.names if name not in plain.names] == [("torque", second, 0.13)]


def test_corners_keep_all_their_rows():
    """Where accelerations jump there are samples anyway, also where a sample is added for one limit."""
    arm = generic_tree([-1, 0, 1], 4)
    task = Task(start=[0.1] * 3, goal=[0.6] * 3, minimise="time", limits=ls.Limits(torque=9.0), continuity=1)
    problem = build.Problem(arm, task)
    mesh, at = problem.mesh(segments=4), np.array([0.25])
    assert 0.25 in mesh.corners
    names = problem.program(mesh, at, only={0.25: {("torque", problem.spec.names[1])}}).names
    assert set(problem.program(mesh, np.zeros(0)).names) <= set(names)


def limited(arm, goal, T, factor, velocity):
    """Limits of torque that a quintic polynomial to the goal uses but for a factor: a motion has to heed some."""
    u = np.linspace(0.0, 1.0, 41)[:, None]
    profile = (10 * u**3 - 15 * u**4 + 6 * u**5, 30 * u**2 * (1 - u) ** 2 / T, 60 * u * (1 - u) * (1 - 2 * u) / T**2)
    most = np.abs(ls.inverse_dynamics(arm, *(goal * part for part in profile))).max(axis=0)
    return ls.Limits(torque=(factor * most).tolist(), velocity=velocity)


def counted(monkeypatch):
    """A list that grows by the iterations of every solution."""
    counts = []

    solve = Banded.__call__

    def counted(self, *given, **more):
        found = solve(self, *given, **more)
        counts.append(len(found.iterations) - 1)
        return found

    monkeypatch.setattr(Banded, "__call__", counted)
    return counts


def test_the_exchange_continues_from_the_solution_before(monkeypatch):
    """Where limits are exceeded between samples, later rounds take a fraction of the iterations of the first."""
    arm, goal = generic_tree([-1, 0, 1, 1, 3, 0, 5, 6], 3), np.random.default_rng(0).uniform(-1.0, 1.0, 8)
    limits, counts = limited(arm, goal, 1.5, 1.2, 3.0), counted(monkeypatch)
    task = Task(start=np.zeros(8), goal=goal, duration=1.5, minimise="torque_squared", segments=8, limits=limits)
    motion = predict_motion(arm, task, starts=1)
    assert motion.report.exchange_iterations == len(counts) > 2
    assert max(counts[1:]) < counts[0] / 2
    assert max(peak.utilisation for peak in motion.report.peaks) < 1 + 1e-3


@pytest.mark.slow
def test_forty_four_joints_with_limits(monkeypatch):
    """A torso of 3, two arms of 11 and 10, two legs of 10: the whole search takes less than thrice the iterations."""
    parents = [-1, 0, 1]
    for root, count in ((2, 11), (2, 10), (0, 10), (0, 10)):
        parents += [root, *range(len(parents), len(parents) + count - 1)]
    arm, goal = generic_tree(parents, 3), np.random.default_rng(0).uniform(-1.0, 1.0, 44)
    limits, counts = limited(arm, goal, 1.5, 1.2, 6.0), counted(monkeypatch)
    task = Task(start=np.zeros(44), goal=goal, duration=1.5, minimise="torque_squared", segments=20, limits=limits)
    motion = predict_motion(arm, task, starts=1)
    assert motion.ok
    assert sum(counts) < 3 * counts[0]
    assert max(peak.utilisation for peak in motion.report.peaks) < 1 + 1e-3


def test_joints_of_other_branches_are_not_related():
    related = tapes.related(generic_tree([-1, 0, 1, 0, 3], 1))
    assert np.array_equal(np.flatnonzero(~related[1]), [3, 4])
    assert related[0].all()
    assert np.array_equal(related, related.T)


def test_the_same_motion_either_way(monkeypatch):
    arm = generic_tree([-1, 0, 1, 1], 3)
    task = Task(start=[0.0] * 4, goal=[0.5, -0.4, 0.3, 0.6], duration=0.8, minimise="torque_squared", segments=8)
    straight = predict_motion(arm, task, starts=1)
    monkeypatch.setattr(tapes, "STRAIGHT", 0)
    taped = predict_motion(arm.replace(name="again"), task, starts=1)
    assert taped.cost == pytest.approx(straight.cost, rel=1e-9)
    assert np.abs(taped.q - straight.q).max() < 1e-6


def test_what_tapes_cannot_do_is_said():
    arm = generic_tree(range(-1, tapes.LONGEST), 2)
    task = Task(start=np.zeros(arm.dof), goal=np.ones(arm.dof), duration=1.0, minimise="torque_rate")
    with pytest.raises(UnsupportedError, match=r"torque_rate: not supported for arms with more than 12 joints"):
        predict_motion(arm, task)


@pytest.mark.slow
def test_thirty_joints():
    """Torso of 3, two arms of 7, legs of 6 and 7; minimum torque from rest to rest."""
    parents = [-1, 0, 1]
    for root, count in ((2, 7), (2, 7), (0, 6), (0, 7)):
        parents += [root, *range(len(parents), len(parents) + count - 1)]
    arm = generic_tree(parents, 1)
    goal = np.random.default_rng(0).uniform(-1.0, 1.0, 30)
    motion = predict_motion(arm, start=np.zeros(30), goal=goal, duration=1.5, minimise="torque_squared", segments=20)
    assert motion.ok
    assert len(motion.report.iterations) < 300
    assert np.abs(motion.q[-1] - goal).max() < 1e-12
    # the cost is what the torques say: Simpson's rule on knots and midpoints, ten points per segment are at hand
    squares = (motion.tau**2).sum(axis=1)[::5]
    weights = np.tile([2.0, 4.0], 20)
    weights = np.append(weights, 1.0) - np.eye(1, 41)[0]
    assert motion.cost == pytest.approx(1.5 / 120 * (weights @ squares), rel=1e-9)
    # no nearby motion with the same ends is better
    rng = np.random.default_rng(2)
    basis, P = motion.basis, motion.control_points
    s = np.linspace(0.0, 1.0, 41)
    for _ in range(3):
        bump = np.zeros_like(P)
        bump[2:-2] = 1e-3 * rng.normal(size=bump[2:-2].shape)
        q, qd, qdd = (basis.rows(s, r) @ (P + bump) / 1.5**r for r in range(3))
        other = 1.5 / 120 * (weights @ (ls.inverse_dynamics(arm, q, qd, qdd) ** 2).sum(axis=1))
        assert other > motion.cost
