"""Inverse kinematics: the given start first, further ones only for targets that it does not lead to."""

import numpy as np
import pytest

import lissom as ls
from lissom.dynamics import inverse_kinematics as search_module

Q = np.array([0.1, 0.6, -0.4, 0.3, 0.5, -0.2])


@pytest.fixture
def evaluations(monkeypatch):
    """How many states the pose was asked for."""
    counted = []
    evaluate = search_module.Problem.evaluate

    def count(problem, q, target):
        counted.append(len(q))
        return evaluate(problem, q, target)

    monkeypatch.setattr(search_module.Problem, "evaluate", count)
    return counted


def test_a_tracking_step_needs_one_start_and_few_steps(evaluations):
    arm = ls.load("puma560")
    goal = ls.pose(arm, Q, "flange")
    goal[0, 3] += 0.005
    found = ls.inverse_kinematics(arm, goal, "flange", q0=Q)
    assert (found.starts, found.starts_solved, found.status) == (1, 1, "target reached.")
    assert np.abs(found.q - Q).max() < 0.1
    assert sum(evaluations) <= 5


def test_only_targets_that_the_first_start_misses_are_tried_again():
    arm = ls.load("two_link").with_joint("fore", limits=ls.Limits(position=(-2.0, 2.0)))
    far = np.eye(4)
    far[0, 3] = 5.0
    goals = [ls.pose(arm, [0.3, 1.1], "fore"), far]
    found = ls.inverse_kinematics(arm, goals, "fore", match="position", starts=40, on_failure="return")
    assert found.starts.tolist() == [1, 40]
    assert found.starts_solved.tolist() == [1, 0]
    assert found.status.startswith("1 of 2 targets (first: 1) were not reached from 40 starts")


def test_random_starts_help_where_the_given_one_is_stuck():
    """From this start the wrist runs into its limits."""
    arm = ls.load("puma560")
    rng = np.random.default_rng(5)
    goals = ls.pose(arm, rng.uniform(*arm.bounds("position"), (12, 6)), "flange")
    alone = ls.inverse_kinematics(arm, goals, "flange", q0=Q, starts=1, on_failure="return")
    found = ls.inverse_kinematics(arm, goals, "flange", q0=Q)
    assert not alone.solved.all()
    assert found.solved.all()
    assert np.array_equal(found.starts == 1, alone.solved)
    assert np.array_equal(found.q[alone.solved], alone.q[alone.solved])


def test_a_single_start_is_enough_to_ask_for():
    arm = ls.load("puma560")
    found = ls.inverse_kinematics(arm, ls.pose(arm, Q + 0.02, "flange"), "flange", q0=Q, starts=1)
    assert found.starts == 1


def test_positions_are_targets_where_no_rotation_counts():
    arm = ls.load("two_link")
    places = np.array([[0.5, 0.2, 0.0], [0.3, -0.4, 0.0], [0.6, 0.1, 0.0]])
    found = ls.inverse_kinematics(arm, places, "fore", match="position")
    assert found.solved.shape == (3,)
    assert ls.pose(arm, found.q, "fore")[:, :3, 3] == pytest.approx(places, abs=1e-8)
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = places
    assert np.array_equal(found.q, ls.inverse_kinematics(arm, poses, "fore", match="position").q)
    one = ls.inverse_kinematics(arm, places[0], "fore", match=[1, 1, 0, 0, 0, 0])
    assert one.q.shape == (2,)
    with pytest.raises(ls.InputError, match=r'\(3,\); expected \(4, 4\).* need match="position"'):
        ls.inverse_kinematics(arm, places[0], "fore")
    with pytest.raises(ls.InputError, match=r"shape \(2,\); expected .* or positions \(3,\)"):
        ls.inverse_kinematics(arm, [0.1, 0.2], "fore", match="position")
    with pytest.raises(ls.SolveError, match=r"the nearest is 1\.2 m away"):
        ls.inverse_kinematics(arm, [2.0, 0.0, 0.0], "fore", match="position", starts=1)
