"""Local optima: starts that differ, finer meshes, guesses, smoothed energy; and what the status says of them."""

import os
import pathlib
import time

import numpy as np
import pytest

import lissom as ls
from lissom.errors import InputError, MotionError
from lissom.motion.public import predict_motion
from lissom.motion.solve.assessment import changing
from lissom.motion.solve.exploration import coarse_segments
from lissom.motion.task.task import Task
from lissom.motion.transcription.problem import Problem

EFFORT = {"duration": 2.0, "minimise": "torque_squared"}
UR5, SO101 = "ur_description/urdf/ur5_joint_limited_robot.urdf", "so_arm_description/urdf/so101.urdf"
START, GOAL = np.array([0, -1.2, 1, 0, 0, 0.0]), np.array([1.2, -1.6, 1.3, 0.5, 1, -1])


def robot(file):
    pinocchio = pytest.importorskip("pinocchio")
    folder = pathlib.Path(pinocchio.__file__).resolve().parents[4] / "share/example-robot-data/robots"
    return ls.load(folder / file, fixed="merge")


@pytest.fixture(scope="module")
def ur5():
    return robot(UR5)


@pytest.fixture(scope="module")
def swing():
    """A planar arm that can hang down or be folded: an effort with several optima."""
    return ls.load("two_link")


def test_a_folded_arm_is_found_on_every_mesh(ur5):
    """One start ends at twice the cost on 20 segments; the default does not."""
    coarse, fine = (predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=n) for n in (20, 30))
    assert coarse.ok
    assert coarse.cost == pytest.approx(fine.cost, rel=0.04)
    assert coarse.cost < 400 < predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=20, starts=1).cost
    rows = coarse.report.starts
    assert {row["segments"] for row in rows} == {10}
    assert len({round(row["cost"]) for row in rows}) > 1


def test_several_starts_differ(ur5):
    motion = predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=12, starts=8, workers=1)
    assert len({round(row["cost"], -1) for row in motion.report.starts}) > 1
    assert motion.cost == min(row["cost"] for row in motion.report.starts)


def test_wide_lines_stay_within_limits_and_reach(ur5):
    problem = Problem(ur5, Task(start=START, goal=GOAL, **EFFORT))
    lower, upper = ur5.bounds("position")
    lines = [problem.guess.wide_line(3, k, np.random.default_rng(k)) for k in range(1, 9)]
    for s, q in lines:
        assert (q >= lower - 1e-12).all()
        assert (q <= upper + 1e-12).all()
        assert np.array_equal(q[[0, -1]], [START, GOAL])
        rate = np.abs(np.diff(q, axis=0) / (2.0 * np.diff(s)[:, None]))
        assert (rate[[0, -1]] <= ur5.bounds("velocity")[1]).all()
    rests = np.array([q[1] for s, q in lines[::2]])  # every other line rests at a posture of its own
    assert np.ptp(rests, axis=0).max() > 0.5


def test_seeds_are_all_that_is_random(swing):
    task = Task(start=[0, -2], goal=[1, -1], duration=1.5, minimise="torque_squared")
    one, two, other = (predict_motion(swing, task, seed=seed) for seed in (0, 0, 5))
    assert np.array_equal(one.control_points, two.control_points)
    assert one.report.starts != other.report.starts
    assert one.cost == pytest.approx(other.cost, rel=1e-3)


def test_segments_are_halved_where_torques_change(swing):
    """By default the mesh becomes finer, and only where that helps; a number of segments that is given stays."""
    hard = Task(start=[0, -2], goal=[1.5, 0.5], duration=3.0, minimise="torque_squared")
    motion = predict_motion(swing, hard)
    assert motion.report.refinements[0][0] == 20
    assert predict_motion(swing, hard, segments=12).basis.segments == 12
    some = changing(predict_motion(swing, hard, segments=20, starts=1))
    assert 0 < some.sum() < 20


def test_status_names_a_much_better_mesh(ur5):
    quick = {"duration": 2.0, "minimise": "torque_squared"}
    motion = predict_motion(ur5, start=START, goal=GOAL, **quick, segments=5)
    assert motion.ok
    assert "segments the cost is" in motion.status
    assert "% lower" in motion.status


def test_the_shortest_time_has_one_start(swing):
    motion = predict_motion(swing, start=[0, -2], goal=[1, -1])
    assert motion.status == "solved"
    assert motion.report.starts == ()
    assert motion.basis.segments == 20


def test_coarse_meshes_leave_room_for_via_points(swing):
    via = [ls.Via(x, [0.1, -1.0]) for x in (0.3, 0.6)]
    task = {"start": [0, -2], "goal": [1, -1], "duration": 2.0, "minimise": "torque_squared"}
    counts = [coarse_segments(Problem(swing, Task(**task, **more))) for more in ({}, {"via": via}, {"segments": 15})]
    assert counts == [10, 20, 15]


# ---- guesses ---------------------------------------------------------------------------------------------


def test_a_guess_leads_to_its_own_optimum(ur5):
    folded = predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=24)
    again = predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=20, guess=folded)
    q = folded.at(np.linspace(0, 2, 9))[0]
    waypoints = predict_motion(ur5, start=START, goal=GOAL, **EFFORT, segments=20, guess=q)
    assert again.cost < 380
    assert waypoints.cost == pytest.approx(again.cost, rel=1e-6)
    assert again.report.starts == ()


def test_a_guess_of_another_duration(swing):
    slow = predict_motion(swing, start=[0, -2], goal=[1, -1], duration=2.0, minimise="torque_squared")
    fast = predict_motion(swing, start=[0, -2], goal=[1, -1], guess=slow)
    assert fast.duration == pytest.approx(predict_motion(swing, start=[0, -2], goal=[1, -1]).duration, rel=1e-6)


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ([[0.0, 0.0]], r"shape \(1, 2\); expected a Motion, or waypoints \(k, 2\)"),
        (np.zeros((4, 3)), r"shape \(4, 3\)"),
        ([[0.0, 0.0], [np.nan, 1.0]], "nan in row 1, column 0"),
        ("straight", "guess is 'straight'; expected a Motion"),
    ],
)
def test_wrong_guesses_are_refused(swing, guess, words):
    with pytest.raises(InputError, match=words):
        predict_motion(swing, start=[0, -2], goal=[1, -1], guess=guess)


def test_a_guess_of_other_joints_is_refused(swing):
    other = predict_motion(swing, start=[0, -2], goal=[1, -1])
    crane = ls.Arm("slide", [ls.Link("cart", joint=ls.Joint("prismatic", axis=(1, 0, 0)), mass=1.0)])
    with pytest.raises(InputError, match="which has no joint 'cart'"):
        predict_motion(crane, start=[0], goal=[1], limits=ls.Limits(torque=4.0), guess=other)


# ---- energy ----------------------------------------------------------------------------------------------


def true_energy(motion):
    """The integral of |power|, as defined."""
    t = np.linspace(0, motion.duration, 20001)
    q, qd, qdd = motion.at(t)
    return np.trapezoid(np.abs(ls.inverse_dynamics(motion.arm, q, qd, qdd) * qd).sum(axis=1), t)


def test_cost_of_energy_is_not_smoothed(swing):
    motion = predict_motion(swing, start=[0, -2], goal=[1, -1], duration=1.5, minimise="energy")
    assert motion.status.startswith("solved")
    assert motion.cost == pytest.approx(true_energy(motion), rel=1e-4)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 3))])
def test_energy_of_a_light_arm_is_solved(seed):
    """|power| has kinks; a start that knows nothing of them used to run out of iterations."""
    arm = robot(SO101)
    lower, upper = arm.bounds("position")
    rng = np.random.default_rng(seed)
    begin = (lower + upper) / 2 + (upper - lower) / 4 * rng.uniform(-1, 1, 6)
    end = np.clip(begin + rng.uniform(-1.5, 1.5, 6), lower + 0.05, upper - 0.05)
    motion = predict_motion(arm, start=begin, goal=end, duration=2.0, minimise="energy")
    assert motion.status.startswith("solved")
    assert motion.cost == pytest.approx(true_energy(motion), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["time", "torque_squared", "jerk"])
@pytest.mark.parametrize("file", [UR5, SO101])
def test_random_tasks_end_near_the_best_of_nine_starts(file, criterion):
    """Two of the tasks of `benchmarks/random_tasks.py`; the reference is on 40 segments."""
    arm = robot(file)
    lower, upper = arm.bounds("position")
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        begin = (lower + upper) / 2 + (upper - lower) / 4 * rng.uniform(-1, 1, arm.dof)
        end = np.clip(begin + rng.uniform(-1.5, 1.5, arm.dof), lower + 0.05, upper - 0.05)
        task = {"start": begin, "goal": end, "minimise": criterion}
        task |= {} if criterion == "time" else {"duration": 2.0}
        motion, best = predict_motion(arm, **task), predict_motion(arm, **task, starts=9, segments=40, workers=1)
        assert motion.status.startswith("solved")
        assert motion.cost < 1.03 * best.cost


# ---- limits of the search --------------------------------------------------------------------------------


def test_iterations_that_run_out_are_named(swing):
    with pytest.raises(MotionError, match=r"iterations ran out.*raise `iterations` \(3\)") as caught:
        predict_motion(swing, start=[0, -2], goal=[1, -1], duration=1.5, minimise="torque_squared", iterations=3)
    assert not caught.value.motion.ok


def test_seconds_bound_compilation_too(swing):
    """With no time at all nothing is compiled; what comes back says so."""
    fresh = swing.with_gravity((0.123, -9.0, 0.4))  # an arm that no other test has compiled
    task = {"start": [0, -2], "goal": [1, -1], "duration": 1.5, "minimise": "torque_squared"}
    motion = predict_motion(fresh, **task, seconds=1e-9, on_failure="return")
    assert not motion.ok
    assert "time ran out during compilation; raise `seconds` (1e-09)" in motion.status
    assert motion.q[0] == pytest.approx([0, -2])
    assert motion.q[-1] == pytest.approx([1, -1])


@pytest.mark.slow
def test_seconds_bound_the_search_for_a_large_new_arm():
    """Thirty joints, nothing compiled: the CPU time is about that of the allowed seconds on all cores."""
    rng, n = np.random.default_rng(31), 30
    rows = [
        ls.DH(a=0.13, alpha=alpha, d=0.04, mass=0.7, com=(0.03, 0.01, -0.02), inertia=np.diag([0.011, 0.013, 0.017]))
        for alpha in rng.uniform(-1.5, 1.5, n)
    ]
    arm = ls.Arm.from_dh(rows, convention="standard", name="thirty")
    limits, clock = ls.Limits(torque=2000.0, velocity=3.0), time.process_time()
    motion = predict_motion(
        arm, start=np.zeros(n), goal=np.full(n, 0.3), limits=limits, seconds=2.0, on_failure="return"
    )
    assert motion.outcome is ls.MotionOutcome.OUT_OF_TIME
    assert "raise `seconds` (2)" in motion.status
    assert time.process_time() - clock < 2.0 * (os.cpu_count() or 1) + 2.0


def test_seconds_end_an_exploration(ur5, monkeypatch):
    """The best so far comes back, on the coarse mesh, with how long it was allowed."""
    predict_motion(ur5, start=START, goal=GOAL, **EFFORT, starts=1)  # compiled
    motion = predict_motion(ur5, start=START, goal=GOAL, **EFFORT, seconds=0.05, on_failure="return")
    assert not motion.ok
    assert "time ran out" in motion.status
    assert "raise `seconds` (0.05)" in motion.status


def test_an_interrupted_exploration_returns_what_it_has(swing):
    seen = []

    def watch(step):
        seen.append(step)
        if sum(s.number == 0 for s in seen) == 2:
            raise KeyboardInterrupt

    task = {"start": [0, -2], "goal": [1, -1], "duration": 1.5, "minimise": "torque_squared"}
    motion = predict_motion(swing, **task, progress=watch)
    assert motion.status == "interrupted"
    assert len(motion.report.starts) == 2
    assert np.isfinite(motion.cost)


@pytest.mark.parametrize("minimise", ["time", "torque_squared", "energy"])
def test_an_interruption_at_any_stage_is_reported(swing, minimise):
    """Ctrl-C in the first start, in the coarse comparison, on a finer mesh: never a motion that counts as solved."""
    task = {"start": [0, -2], "goal": [1.5, 0.5], "minimise": minimise}
    task |= {} if minimise == "time" else {"duration": 3.0}

    def interrupted(stage):
        begun = []

        def listen(step):
            begun.extend([step] * (step.number == 0))
            if len(begun) == stage:
                raise KeyboardInterrupt

        return predict_motion(swing, **task, progress=listen), len(begun)

    runs = interrupted(0)[1]
    assert runs > 1
    for stage in {1, 2, runs - 1, runs}:
        motion, _ = interrupted(stage)
        assert motion.status == "interrupted"
        assert not motion.ok
        assert np.isfinite(motion.control_points).all()


def test_limits_that_are_left_out_on_finer_meshes_hold(swing, monkeypatch):
    """Rows of torques that a coarse solution hardly uses are left out, and come back where a look finds them."""
    task = Task(start=[0, -2], goal=[1.5, 0.5], duration=1.2, minimise="torque_squared")
    free = predict_motion(swing, task)
    limits = ls.Limits(torque=list(np.abs(free.tau).max(axis=0) * [0.9, 2.0]))
    problem = Problem(swing, task.replace(limits=limits))
    program = problem.program(problem.mesh(), np.zeros(0))
    assert problem.samples.leave_out_slack(program, np.zeros(program.count))
    assert problem.samples.left_out == {("torque", name) for name in swing.coordinates}
    assert problem.program(problem.mesh(), np.zeros(0)).count == program.count - 2 * 41
    assert problem.samples.restore({("torque", swing.coordinates[0])})
    assert not problem.samples.restore({("torque", swing.coordinates[0])})
    motion = predict_motion(swing, task, limits=limits)
    assert motion.ok
    assert (np.abs(motion.tau).max(axis=0) <= 1.001 * limits.torque[1]).all()
    # all rows are left out, and those that are needed come back
    monkeypatch.setattr("lissom.motion.transcription.constraints.torque.SLACK", 10.0)
    assert predict_motion(swing, task, limits=limits).cost == pytest.approx(motion.cost, rel=1e-6)


# ---- ends of motions with limited jerk -------------------------------------------------------------------


def test_limited_jerk_holds_at_the_ends(ur5):
    """The double-S profile of 1.2 rad with 10 rad/s^2 and 100 rad/s^3 takes 0.8 s."""
    limits = ls.Limits(acceleration=10.0, jerk=100.0)
    motion = predict_motion(ur5, start=START, goal=GOAL, limits=limits)
    assert motion.duration == pytest.approx(0.8, abs=0.01)
    assert np.abs(motion.qdd[[0, -1]]).max() < 1e-9
    given = predict_motion(ur5, start=START, goal=GOAL, limits=limits, start_acceleration=[np.nan] * 6,
                           goal_acceleration=[np.nan] * 6)  # fmt: skip
    assert given.duration < 0.75


def test_limited_rates_of_torque_hold_at_the_ends(swing):
    limits = ls.Limits(torque_rate=200.0)
    motion = predict_motion(swing, start=[0, -2], goal=[1, -1], limits=limits)
    assert np.abs(motion.qdd[[0, -1]]).max() < 1e-9
    still = ls.inverse_dynamics(swing, motion.q[0], 0 * motion.q[0], 0 * motion.q[0])
    assert motion.tau[0] == pytest.approx(still, abs=1e-9)
