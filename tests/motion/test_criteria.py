"""Criteria: values, expressions and kernels of each agree; the newest one, which is one file."""

import subprocess
import sys

import casadi as ca
import numpy as np
import pytest
from tests.motion.test_unactuated import soft_joint

import lissom as ls
from lissom.motion.task.cost import Cost
from lissom.motion.task.criteria.criterion import Course, Joints, State
from lissom.motion.task.criteria.known import CRITERIA
from lissom.motion.transcription.kernels import tape_sample
from lissom.motion.transcription.problem import Problem

TWO = ls.load("two_link")
MOVE = {"start": [0, -2], "goal": [1, -1]}
LIMITS = ls.Limits(torque=[10.0, 4.0])


@pytest.mark.parametrize("word", CRITERIA)
def test_values_and_expressions_agree(word):
    """But for kinks, which are rounded off within the width."""
    rng = np.random.default_rng(4)
    joints = Joints(("a", "b", "c"), np.array([True, False, True]), np.array([3.0, np.inf, 0.7]))
    at = Course(*(rng.normal(size=(5, 3)) * np.where(k > 2, joints.actuated, 1.0) for k in range(6)))
    cost = Cost({word: 0.7}, joints)
    symbols = [ca.SX.sym(x, 3) for x in Course._fields]
    tau = symbols[4]
    rate = cost.expression(State(*symbols, 1e-9), ca.dot(cost.squares, tau * tau))
    found = ca.Function("rate", symbols, [rate])(*(x.T for x in at))
    assert np.allclose(np.asarray(found).ravel(), cost.rate(at), rtol=1e-7)


def test_criteria_are_found_in_any_order_of_imports():
    text = "import lissom.motion.task.criteria.function; from lissom.motion.task.criteria.known import CRITERIA as C"
    done = subprocess.run([sys.executable, "-c", f"{text}; print(*C)"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(CRITERIA)


@pytest.mark.parametrize("word", CRITERIA)
def test_criteria_say_what_they_are(word):
    kind = CRITERIA[word]
    assert kind.name == word
    assert kind.title
    assert kind.meaning
    assert kind.unit


def test_normalised_effort_is_what_it_says():
    motion = ls.predict_motion(TWO, **MOVE, duration=1.2, minimise="effort_normalised", limits=LIMITS)
    share = motion.tau / [10.0, 4.0]
    assert motion.cost == pytest.approx(np.trapezoid((share**2).sum(axis=1), motion.t), rel=1e-3)
    plain = ls.predict_motion(TWO, **MOVE, duration=1.2, minimise="torque_squared", limits=LIMITS)
    other = np.trapezoid(((plain.tau / [10.0, 4.0]) ** 2).sum(axis=1), plain.t)
    assert motion.cost < other * (1 - 1e-4)  # another optimum


def test_equal_limits_make_it_the_squared_torque():
    same = ls.Limits(torque=8.0)
    found = [ls.predict_motion(TWO, **MOVE, duration=1.2, minimise=word, limits=same) for word in
             ("effort_normalised", "torque_squared")]  # fmt: skip
    assert found[0].cost == pytest.approx(found[1].cost / 64, rel=1e-7)


def test_normalised_effort_needs_limits():
    arm = ls.Arm("bar", [ls.Link("bar", mass=1.0, inertia=0.1, joint=ls.Joint(name="shoulder"))])
    with pytest.raises(ls.InputError, match=r"'shoulder' has none\. Give limits=Limits"):
        ls.predict_motion(arm, start=[0], goal=[1], duration=1.0, minimise="effort_normalised")


def test_normalised_effort_of_many_joints_comes_from_tapes(monkeypatch):
    task = ls.Task(**MOVE, limits=LIMITS, duration=1.2, minimise="effort_normalised", segments=6)
    costs = []
    for straight in (12, 0):
        monkeypatch.setattr(tape_sample, "STRAIGHT", straight)
        other = TWO.replace(name=f"arm {straight}")
        assert isinstance(Problem(other, task).expressions.sample(), tape_sample.TapeSample) == (straight == 0)
        costs.append(ls.predict_motion(other, task, starts=1).cost)
    assert costs[0] == pytest.approx(costs[1], rel=1e-7)


def test_a_path_is_retimed_with_normalised_effort():
    flat = TWO.with_gravity((0, 0, 0))
    path = [[0, 0], [0.4, 0.5], [1, 0.5]]
    weights = {"time": 1.0, "effort_normalised": 0.16}
    motion = ls.retime_motion(flat, path, limits=ls.Limits(torque=4.0), minimise=weights)
    plain = ls.retime_motion(flat, path, limits=ls.Limits(torque=4.0), minimise={"time": 1.0, "torque_squared": 0.01})
    assert motion.cost == pytest.approx(plain.cost, rel=1e-7)


def test_a_comparison_has_plans_without_limits():
    """The plan behind a shaper ignores torque limits, so its effort cannot be relative to them."""
    motion = ls.predict_motion(soft_joint(0.02), start=[0], goal=[0.3], duration=1.5, segments=6, compare=True,
                               limits=ls.Limits(torque=9.0), minimise="effort_normalised")  # fmt: skip
    assert motion.ok
    assert "not available" not in str(motion.compared)
    assert motion.compared["rigid plan, ZV, joints tracked"].residual < 1e-3
