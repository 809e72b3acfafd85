"""Gradient, Jacobian and Hessian of whole programs against central differences."""

import numpy as np
import pytest
from scipy import sparse
from tests.arms import random_arm

import lissom as ls
from lissom.motion.task.obstacles import Capsule, CollisionBody, Sphere
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Task, Via
from lissom.motion.transcription.problem import Problem

LIMITS = ls.Limits(torque=9.0, velocity=4.0, acceleration=60.0)
FREE = {"start": [0.1, -0.2], "goal": [0.9, 0.5]}


def turning(q, qd, qdd, tau):
    return (q[0] * qd[1]) ** 2 + tau[0] * tau[1] / (2 + qdd[1] ** 2)


TASKS = {
    "time": Task(**FREE, limits=LIMITS),
    "all limits": Task(**FREE, limits=LIMITS.replace(jerk=900.0, torque_rate=300.0, power=40.0)),
    "mix": Task(**FREE, minimise={"time": 1.0, "torque_squared": 0.02, "energy": 0.3, "jerk": 1e-4,
                                  "torque_rate": 1e-3, turning: 0.4}),
    "given duration": Task(**FREE, duration=0.7, minimise={"torque_squared": 1.0, "jerk": 1e-3}, limits=LIMITS),
    "moving ends": Task([np.nan, -0.2], [0.9, np.nan], LIMITS, start_velocity=[0.4, -0.6], goal_velocity=[0.3, 0.2],
                        start_acceleration=[0.0, 2.0], goal_acceleration=[-1.0, 0.0]),
    "via": Task(**FREE, limits=LIMITS, via=[Via(0.3, [0.7, np.nan]), Via(0.61, velocity=[np.nan, 0.8])]),
    "periodic": Task(limits=LIMITS, periodic=True, via=[Via(0.2, [0.4, 0.1]), Via(0.7, [-0.3, 0.6])]),
    "quintic": Task(**FREE, degree=5, minimise={"time": 1.0, "torque_rate": 1e-3}, limits=LIMITS),
    "reach": Task(Reach("fore", (0.6, 0.3, 0.0)), Reach("fore", (0.4, None, None), [(1, 0, 0), (0.6, 0.8, 0)]), LIMITS,
                  via=[Via(0.5, Reach("fore", orientation=np.eye(3)))]),
    "obstacles": Task(**FREE, limits=LIMITS, margin=0.01, obstacles=[Sphere((0.5, 0.4, 0), 0.1),
                      Capsule((0.1, 0.6, -0.2), (0.3, 0.5, 0.3), 0.1)],
                      bodies=[CollisionBody("fore", (0, 0, 0), (-0.3, 0.02, 0), 0.03),
                              CollisionBody("upper", (0, 0, 0), (0, 0, 0), 0.2)]),
    "loads": Task(**FREE, limits=LIMITS, loads=[ls.Load("fore", [[0, 0, 0], [3, -5, 1], [2, 1, 0]])],
                  minimise={"time": 1.0, "torque_squared": 1e-2}),
}  # fmt: skip


def whole(pattern, values):
    return sparse.coo_array((values, (pattern.rows, pattern.columns)), shape=pattern.shape).toarray()


def slopes(f, x, h=3e-5):
    """Central differences of fourth order, (..., size): their error is rounding over h, about 1e-11 of f."""
    out = []
    for e in h * np.eye(len(x)):
        near, far = (np.array(f(x + k * e)) - f(x - k * e) for k in (1, 2))
        out.append((8 * near - far) / (12 * h))
    return np.stack(out, axis=-1)


def check(problem, segments=6, finer=1):
    program = problem.program(problem.mesh(finer, segments), np.array([0.33]))
    rng = np.random.default_rng(1)
    x = problem.guess.variables(program.curves) + 0.03 * rng.normal(size=program.size)
    lam, sigma = rng.normal(size=program.count), 0.7

    def lagrangian(y):
        return sigma * program.gradient(y) + whole(program.jacobian_pattern, program.jacobian(y)).T @ lam

    J = whole(program.jacobian_pattern, program.jacobian(x))
    H = whole(program.hessian_pattern, program.hessian(x, sigma, lam))
    H = H + np.triu(H, 1).T
    gradient = program.gradient(x).copy()
    differences = [slopes(program.f, x), slopes(program.g, x), slopes(lagrangian, x)]
    for found, want in zip((gradient, J, H), differences, strict=True):
        assert np.abs(found - want).max() < 1e-7 * (1 + np.abs(want).max())


@pytest.mark.parametrize("word", TASKS)
def test_derivatives_of_the_program(word):
    problem = Problem(ls.load("two_link"), TASKS[word])
    check(problem)
    if word == "obstacles":
        assert problem.spec.clearance._watched.all()


def test_derivatives_for_a_tree_with_drives_and_friction():
    arm = random_arm(11, 4, kinds=("revolute", "revolute", "prismatic"))
    arm = ls.Arm(
        arm.name, [link.replace(joint=link.joint.replace(elastic=None)) for link in arm.links], gravity=arm.gravity
    )
    n = arm.dof
    task = Task(np.zeros(n), np.full(n, 0.4), ls.Limits(torque=50.0), minimise={"time": 1.0, "torque_squared": 1e-3})
    check(Problem(arm, task), 4)


@pytest.mark.parametrize("T", [0.013, 0.7, 40.0])
def test_courses_of_any_duration_follow_from_three(T):
    """Torques of a guess scale as a + b / T + c / T^2, with viscous and Coulomb friction and loads along the motion."""
    arm = random_arm(5, 5)
    arm = arm.with_joint(arm.joints[1].name, friction=0.8, damping=0.3)
    load = ls.Load(arm.links[-1].name, [[0, 0, 0], [3, -5, 1], [2, 1, 0]])
    guess = Problem(arm, Task(np.linspace(-0.4, 0.3, arm.dof), np.linspace(0.9, -0.7, arm.dof), loads=[load])).guess
    for scaled, exact in zip(guess._courses(guess.line)(T), guess._course(guess.line, T), strict=True):
        assert scaled == pytest.approx(exact, rel=1e-9, abs=1e-10 * np.abs(exact).max())


def test_programs_on_the_same_mesh_share_their_patterns():
    """Another goal, payload or limit of the same kind: the same matrices; another mesh or kind of limit: others."""
    arm = random_arm(3, 3)
    heavy = arm.with_link(arm.links[-1].name, mass=arm.links[-1].mass + 0.7)

    def program(arm, goal=0.5, segments=6, **limits):
        task = Task(np.zeros(arm.dof), np.full(arm.dof, goal), limits=ls.Limits(**{"torque": 40.0, **limits}))
        problem = Problem(arm, task.replace(segments=segments))
        return problem.program(problem.mesh(), np.zeros(0))

    first = program(arm)
    for same in (program(arm, 0.9), program(heavy, 0.2), program(arm, torque=30.0)):
        assert same.structure is first.structure
        assert (
            same.curves.points.c.tolist() != first.curves.points.c.tolist()
            or same.upper.tolist() != first.upper.tolist()
        )
    for other in (program(arm, segments=7), program(arm, velocity=3.0)):
        assert other.structure is not first.structure
