"""Verification segment by segment: correct plans on all kinds of arms pass, plans of another arm do not."""

import dataclasses
import importlib
import pathlib
import re
from typing import Any

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar
from tests.motion.test_unactuated import elastic_arm, pendulum_on_a_cart

import lissom as ls
from lissom.motion.result.verification import side_by_side
from lissom.motion.result.verification.defects import defects
from lissom.motion.result.verification.growth import Growth
from lissom.simulation.controllers import per_joint, reference
from lissom.simulation.controllers.planned import planned_torques

NAN = np.nan


@pytest.fixture(scope="module")
def arm():
    return ls.load("two_link")


@pytest.fixture(scope="module")
def up(arm):
    """A slow motion upwards, along which small errors grow much."""
    task = {"start": [-1.57, 0], "goal": [1.57, 0.3], "duration": 3.0, "minimise": "torque_squared", "segments": 20}
    return ls.predict_motion(arm, **task, starts=1)


def test_the_whole_motion_is_replayed_without_steps_over_kinks_of_torques(arm):
    """Errors grow by less than ten here, so rtol = 1e-10 leaves 1e-9; a step over a kink once left 1e-6."""
    motion = ls.predict_motion(
        arm, start=[0, 0], goal=[1, 0.5], limits=ls.Limits(torque=[40, 15]), segments=20, starts=1
    )
    check = motion.verify()
    assert check.growth < 10
    assert np.abs(check.end_error).max() < 1e-10


def changed(motion, change=lambda motion, tau: tau, arm=None, **fields):
    """The same motion with other torques: changed ones, or those of another arm."""

    class Changed(ls.Motion):
        def required(self, s, q, qd, qdd, loads):
            other = self if arm is None else dataclasses.replace(motion, arm=arm)
            return change(self, ls.Motion.required(other, s, q, qd, qdd, loads))

    given = {field.name: getattr(motion, field.name) for field in dataclasses.fields(motion) if field.init}
    return Changed(**given | fields)


# ---- correct plans --------------------------------------------------------------------------------------


def test_a_plan_that_falls_over_without_feedback_is_verified(up):
    found = up.verify()
    assert found.status == "verified"
    assert found.growth > 1e3
    assert found.defects.shape == found.rate_defects.shape == (20, 2)
    assert np.abs(found.defects).max() < 1e-10
    assert np.all(found.deviation >= np.abs(found.defects).sum(axis=0))
    assert found.joint_error.max() > 5 * found.deviation.max()  # what the arm makes of it is information
    assert found.stability in found.describe().splitlines()
    assert "small errors grow up to" in found.stability
    assert found.stability.endswith("track the motion with feedback, for example ls.Follow(motion, kp=..., kd=...)")


def test_growth_of_a_pendulum_that_falls():
    """An upright pendulum held still for a time T: errors grow by exp(T sqrt(g / l)), known in closed form."""
    length, g, T = 0.7, 9.81, 3.0
    rod = ls.Link("rod", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=1.3, com=(0, length, 0))
    pendulum = ls.Arm("pendulum", [rod], gravity=(0, -g, 0))
    still = ls.predict_motion(pendulum, start=[0.0], goal=[0.0], duration=T, minimise="jerk")
    found = still.verify()
    w = np.sqrt(g / length)
    transition = np.array([[np.cosh(w * T), np.sinh(w * T) / (w * T)], [w * T * np.sinh(w * T), np.cosh(w * T)]])
    assert found.growth == pytest.approx(np.linalg.norm(transition, 2), rel=1e-4)
    tight = still.verify(tolerance=1e-18)
    assert tight.ok == (tight.deviation.max() <= 1e-18)


def test_growth_in_many_pieces():
    """Three swings of a pendulum upright for so long that no integrator holds it; one segment alone grows by 1e3."""
    rod = ls.Link("rod", joint=ls.Joint("revolute", axis=(0, 0, 1)), mass=1.3, com=(0, 0.1, 0))
    pendulum = ls.Arm("pendulum", [rod], gravity=(0, -9.81, 0))
    motion = ls.predict_motion(pendulum, start=[-0.3], goal=[0.3], duration=10.0, minimise="jerk", segments=14)
    found = motion.verify()
    assert found.ok, found.describe()
    assert found.growth > 1e30
    assert found.defects.shape == (14, 1)
    assert found.joint_error.max() > 1
    assert "the torques alone leave the plan does not make it wrong" in found.describe()


def test_growth_of_a_closed_loop():
    """Against differences of two simulations from the neighbourhood of the start."""
    linkage = four_bar()
    begin = ls.assemble(linkage, [1.0, -0.5, 1.5], fixed="crank").q
    motion = ls.predict_motion(linkage, start=begin, goal=[1.4, NAN, NAN], duration=1.0, minimise="torque_squared",
                               segments=8)  # fmt: skip
    found = motion.verify()
    assert found.ok, found.describe()
    y, d, T = int(motion.closed.independent[0]), 1e-6, motion.duration
    ends = []
    for dq, dqd in ((0.0, 0.0), (d, 0.0), (0.0, d / T)):
        q, qd = motion.q[0].copy(), motion.qd[0].copy()
        q[y] += dq
        qd[y] += dqd
        near = ls.assemble(linkage, q, qd=qd, fixed=linkage.coordinates[y])
        run = ls.simulate(linkage, near.q, near.qd, planned_torques(motion), T, rtol=1e-9, atol=1e-11, method="dop853")
        ends.append([run.q[-1, y], T * run.qd[-1, y]])
    transition = (np.array(ends[1:]) - ends[0]).T / d
    assert found.growth == pytest.approx(np.linalg.norm(transition, 2), rel=1e-2)


def test_friction_that_sticks(arm):
    """Coulomb friction acts in the simulation as it is; torques jump where joints turn around."""
    links = [link.replace(joint=link.joint.replace(friction=0.6, damping=0.1)) for link in arm.links]
    rough = arm.replace(links=links)
    motion = ls.predict_motion(rough, start=[0, -2], goal=[1, -2], via=[ls.Via(0.5, [NAN, -1.7])], duration=0.9,
                               minimise="torque_squared")  # fmt: skip
    assert (np.diff(np.sign(motion.qd[2:-2, 1])) != 0).any()
    found = motion.verify()
    assert found.ok, found.describe()
    assert found.deviation.max() < 1e-7
    assert found.joint_error.max() < 1e-4


SPRUNG = {"start": [-1.5, 0.3], "goal": [-1.0, -0.2], "duration": 1.0, "minimise": "torque_squared", "segments": 12}
CRANE = {"start": [0, 0], "goal": [1, 0], "duration": 1.8, "minimise": "torque_squared", "segments": 10}
FLEXIBLE = {"start": [0, 0], "goal": [0.5, -0.3], "duration": 2.0, "minimise": "torque_squared", "segments": 8}


@pytest.mark.parametrize(
    ("make", "task"),
    [
        (elastic_arm, SPRUNG),
        (pendulum_on_a_cart, CRANE),
        pytest.param(lambda: ls.load("two_link_flexible"), FLEXIBLE, marks=pytest.mark.slow),
    ],
)
def test_coordinates_without_a_motor(make, task):
    """Also that wrong plans of these are found out: their equations of motion no longer hold."""
    motion = ls.predict_motion(make(), **task)
    found = motion.verify()
    assert found.ok, found.describe()
    loose = motion.unactuated._replace(control_points=1.02 * motion.unactuated.control_points)
    assert "equations of motion" in dataclasses.replace(motion, unactuated=loose).verify().status


ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf", "kinova": "kinova_description/robots/kinova.urdf",
    "panda": "panda_description/urdf/panda.urdf", "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf", "so101": "so_arm_description/urdf/so101.urdf",
}  # fmt: skip


def robot(name):
    pinocchio = pytest.importorskip("pinocchio")
    folder = pathlib.Path(pinocchio.__file__).resolve().parents[4] / "share/example-robot-data/robots"
    arm = ls.load(folder / ROBOTS[name], fixed="merge")
    held = {"kind": "fixed", "limits": ls.Limits(), "damping": 0.0, "friction": 0.0, "mimic": None}
    return arm.replace(links=[link.replace(joint=link.joint.replace(**held)) if "finger" in link.joint.name else link
                              for link in arm.links])  # fmt: skip


@pytest.mark.parametrize("duration", [pytest.param(None, marks=pytest.mark.slow), 4.0])
@pytest.mark.parametrize(
    "name", ["kinova", *(pytest.param(x, marks=pytest.mark.slow) for x in ROBOTS if x != "kinova")]
)
def test_plain_motions_of_robots(name, duration):
    """Fast and slow, as unstable (growth of 1e40) or stiff (poles at -15000 1/s) as robots are."""
    arm = robot(name)
    low, high = (np.clip(x, -3, 7) for x in arm.bounds("position"))
    middle, reach = (low + high) / 2, np.minimum(high - low, 2.0)
    way = 0.3 * reach * np.cos(np.arange(len(low)))
    task = {} if duration is None else {"duration": duration, "minimise": "torque_squared"}
    motion = ls.predict_motion(arm, start=middle - way, goal=middle + 0.7 * way, on_failure="return", **task)
    found = motion.verify()
    assert found.ok or not motion.ok, found.describe()
    assert found.deviation.max() < 1e-6
    assert np.isfinite(found.growth)


# ---- wrong plans ----------------------------------------------------------------------------------------


def test_wrong_torques_are_refused(arm, up):
    """A thousandth of the torques, a gram of payload: far less than any limit of the torques shows."""
    scaled = changed(up, lambda _, tau: 0.999 * tau).verify()
    assert not scaled.ok
    assert "does not obey the equations of motion" in scaled.status
    other = changed(up, arm=arm.with_payload(ls.Payload(1e-3))).verify()
    assert not other.ok
    assert "another arm, payload or load" in other.status


def test_torques_that_are_wrong_for_a_moment_are_refused(up):
    """In one segment of twenty, by a hundredth."""
    wrong = changed(up, lambda _, tau: tau)
    exact = ls.Motion.required

    class Moment(type(wrong)):
        def required(self, s, q, qd, qdd, loads):
            return exact(self, s, q, qd, qdd, loads) * (1 + 0.01 * ((s > 0.42) & (s < 0.45)))[:, None]

    given = {field.name: getattr(up, field.name) for field in dataclasses.fields(up) if field.init}
    found = Moment(**given).verify()
    assert not found.ok
    assert int(np.argmax(np.abs(found.rate_defects).max(axis=1))) == 8
    assert "begins at 1.2 s" in found.status


def test_wrong_torques_of_a_closed_loop_are_refused():
    linkage = four_bar()
    begin = ls.assemble(linkage, [1.0, -0.5, 1.5], fixed="crank").q
    motion = ls.predict_motion(linkage, start=begin, goal=[1.4, NAN, NAN], duration=1.0, minimise="torque_squared",
                               segments=8)  # fmt: skip
    assert "equations of motion" in changed(motion, lambda _, tau: 1.001 * tau).verify().status


def test_tolerances_beyond_the_integrator(up):
    found = up.verify(tolerance=1e-13)
    assert not found.ok
    assert "use a smaller rtol" in found.status


# ---- with feedback --------------------------------------------------------------------------------------


def test_feedback_holds_what_falls(arm, up):
    off = changed(up, lambda _, tau: (1 + 1e-6) * tau)  # small errors of torques grow some thousand times
    held = off.verify(feedback=ls.PD(0.0, 100.0, 20.0))
    assert held.joint_error.max() < 1e-3 * off.verify().joint_error.max()
    alone, held = up.verify(), up.verify(feedback=ls.PD(0.0, 100.0, 20.0))
    assert held.status == "verified"
    assert held.feedback == "PD"
    assert "with PD" in held.describe()
    assert np.array_equal(held.defects, alone.defects)


def test_a_controller_that_is_no_dataclass(up):
    class Planned(ls.Controller):
        def torque(self, t, q, qd):
            return up.torques(np.clip(t, 0.0, up.duration))

    assert up.verify(feedback=Planned()).ok


def test_controllers_that_follow(up):
    held = up.verify(feedback=ls.PD(0.0, 100.0, 20.0))
    gains = np.hstack([100 * np.eye(2), 20 * np.eye(2)])
    same = up.verify(feedback=ls.StateFeedback(gains, [0, 0]))
    assert np.allclose(same.run.q, held.run.q, atol=1e-10)
    assert held.tracked
    others = [ls.ComputedTorque(0.0, 100.0, 20.0), ls.Follow(up, kp=100.0, kd=20.0), ls.PID(0.0, 100.0, 50.0, 20.0)]
    for other in others:
        found = up.verify(feedback=other)
        assert (found.ok, found.tracked, found.feedback) == (True, True, type(other).__name__)
        assert found.joint_error.max() < 1e-8  # of an exact model, errors are those of the integrator


@dataclasses.dataclass(frozen=True, eq=False)
class Spring(ls.Controller):
    """A law of a user: pulls towards a reference, with or without feedforward torques."""

    q: Any = reference()
    qd: Any = reference(None)
    stiffness: float = 100.0

    def law(self, q, qd):
        return [self.stiffness * (x - p) + 20.0 * (v - r) for x, p, v, r in zip(self.q, q, self.qd, qd, strict=True)]


@dataclasses.dataclass(frozen=True, eq=False)
class SpringAroundTorques(Spring):
    tau: Any = per_joint(0.0)

    def law(self, q, qd):
        return [u + v for u, v in zip(super().law(q, qd), self.tau, strict=True)]


def test_controllers_of_a_user_follow(up):
    around = up.verify(feedback=SpringAroundTorques(0.0))
    assert around.tracked
    assert np.allclose(around.run.q, up.verify(feedback=ls.PD(0.0, 100.0, 20.0)).run.q, atol=1e-9)
    alone = up.verify(feedback=Spring(0.0))  # sags under gravity
    assert alone.ok
    assert not alone.tracked
    assert "with Spring joint" in alone.describe()
    follows = ls.simulate(up.arm, up.q[0], up.qd[0], tau=ls.PD(up, 100.0, 20.0), until=up.duration, rtol=1e-10)
    assert alone.end_error == pytest.approx(follows.q[-1] - up.q[-1], abs=1e-7)


@pytest.mark.slow
def test_feedback_on_flexible_links():
    soft = ls.load("two_link_flexible")
    task = {"duration": 1.5, "minimise": "torque_squared", "starts": 1, "segments": 10}
    motion = ls.predict_motion(soft, start=[0, 0], goal=[0.3, 0.2], **task)
    found = motion.verify(feedback=ls.Follow(motion, kp=20.0, kd=2.0), rtol=1e-7)
    assert (found.status, found.tracked) == ("verified", True)


def test_feedback_that_fails_leaves_the_verdict(arm, up):
    fallen = up.verify(feedback=lambda t, q, qd: np.zeros(2))
    assert fallen.ok  # the plan is right
    assert not fallen.tracked
    assert re.search(r"by \S+ rad, more than 0.0001 rad; check its gains", " ".join(fallen.describe().split()))
    assert fallen.deviation.max() < 1e-7


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"tolerance": 0}, "tolerance is 0"), ({"rtol": "x"}, "rtol is 'x'"), ({"per_segment": 1.5}, "whole number"),
        ({"feedback": ls.PD(0, 1, 1, gravity=True)}, "already contain gravity"),
        ({"feedback": "pd"}, "feedback is 'pd'"),
        ({"feedback": ls.PD}, "expected a controller such as PD"),
        ({"feedback": ls.PD(0, [[1, 1], [2, 2]], 1)}, "values for 2 runs"),
        ({"feedback": ls.PD(0, 1, -1)}, "a negative gain"),
    ],
)  # fmt: skip
def test_verify_refuses(up, wrong, sentence):
    with pytest.raises(ls.InputError, match=sentence):
        up.verify(**wrong)


@pytest.mark.parametrize("module", ["defects", "whole"])
def test_ctrl_c_gives_no_verdict(up, monkeypatch, module):
    """Half a replay agrees with half a motion, which says nothing of the other half."""
    place = importlib.import_module(f"lissom.motion.result.verification.{module}")
    exact = place.simulate
    monkeypatch.setattr(side_by_side, "available", lambda arm, loads: False)
    monkeypatch.setattr(place, "simulate", lambda *a, **k: dataclasses.replace(exact(*a, **k), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        up.verify()


@pytest.mark.parametrize("name", ["two_link", "two_link_flexible"])
def test_pieces_side_by_side_are_those_of_simulations(name, monkeypatch):
    """Fixed steps of all pieces at once, and a simulation of each: the same defects, of a motion that has some."""
    arm = ls.load(name).with_gravity((0, 0, 0))
    ends = {"start": [0, -1], "goal": [0.3, -0.6], "duration": 2.0, "minimise": "torque_squared"}
    motion = ls.predict_motion(arm, **ends, segments=6, starts=1, residual=None, on_failure="return")
    other = changed(motion, lambda motion, tau: 1.01 * tau)
    growth = Growth(other)
    together = defects(other, growth, 1e-10)
    assert max(np.abs(part.q).max() for part in together) > 1e-6
    monkeypatch.setattr(side_by_side, "available", lambda arm, loads: False)
    for one, many in zip(defects(other, growth, 1e-10), together, strict=True):
        assert not one.failure
        assert np.abs(one.q - many.q).max() < 1e-9
        assert np.abs(one.qd - many.qd).max() < 1e-7


def test_pieces_with_friction_are_replayed_side_by_side_unless_a_joint_turns_around(monkeypatch):
    arm = ls.load("two_link").with_joint("upper", friction=0.4).with_joint("fore", friction=0.2)
    path = [[0.0, -2.0], [0.5, -1.0], [0.9, -1.6], [1.2, -1.8]]  # the second joint turns around once
    motion = ls.retime_motion(arm, path, limits=ls.Limits(velocity=2.0, acceleration=8.0), segments=40)
    other = changed(motion, lambda motion, tau: 1.001 * tau)
    place, alone = importlib.import_module("lissom.motion.result.verification.defects"), []
    exact = place.simulate
    monkeypatch.setattr(place, "simulate", lambda *a, **k: alone.append(1) or exact(*a, **k))
    growth = Growth(other)
    together = defects(other, growth, 1e-10)
    count = sum(len(part.q) for part in together)
    assert 2 <= len(alone) < 0.2 * count  # from rest, to rest, around the turn
    assert max(np.abs(part.q).max() for part in together) > 1e-8
    monkeypatch.setattr(side_by_side, "available", lambda arm, loads: False)
    for one, many in zip(defects(other, growth, 1e-10), together, strict=True):
        assert not one.failure
        assert np.abs(one.q - many.q).max() < 1e-9
        assert np.abs(one.qd - many.qd).max() < 1e-7
    assert motion.verify().status == "verified"


def test_a_piece_that_stops_one_kind_of_steps_is_replayed_by_the_other(monkeypatch):
    """Joints with friction that come to rest can alternate between sticking and slipping under one integrator only."""
    arm = ls.load("two_link").with_joint("upper", friction=0.4)
    motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1], starts=1)
    place, methods = importlib.import_module("lissom.motion.result.verification.defects"), []
    exact = place.simulate

    def fails_first(*given, method, **named):
        methods.append(method)
        run = exact(*given, method=method, **named)
        return dataclasses.replace(run, failures={0: "joints alternate"}) if len(methods) == 1 else run

    monkeypatch.setattr(place, "simulate", fails_first)
    assert motion.verify().status == "verified"
    assert methods[:2] == ["dop853", "radau"]
    methods.clear()
    monkeypatch.setattr(place, "simulate", lambda *given, method, **named: dataclasses.replace(
        exact(*given, method=method, **named), failures={0: "joints alternate"}))  # fmt: skip
    assert "could not be replayed" in motion.verify().status


def test_many_stable_steps_are_compared_too():
    """Fast vibrations need many steps; such pieces used to be simulated one by one."""
    arm = ls.load("two_link")
    q, many, few = [0.3, -0.4, 0.5, 0.6], np.array([side_by_side.MOST_STEPS]), np.array([1])
    given = [np.array([0.0, 0.1])], np.array([q]), lambda t: np.ones((len(t), 2)), ()
    found, known = (side_by_side.final_states(arm, *given, fewest, 1e-10) for fewest in (many, few))
    assert np.abs(found - known).max() < 1e-9


def test_pieces_of_too_many_steps_are_left_to_simulations(monkeypatch):
    """They are not integrated first."""
    monkeypatch.setattr(side_by_side, "_integrated", lambda *_: pytest.fail("integrated in vain"))
    stops, y, fewest = [np.array([0.0, 0.1])], np.zeros((1, 4)), np.array([side_by_side.LARGEST + 1])
    found = side_by_side.final_states(ls.load("two_link"), stops, y, lambda t: np.zeros((len(t), 2)), (), fewest, 1e-8)
    assert np.isnan(found).all()


def test_a_singular_state_costs_its_own_piece_alone():
    turn = lambda name, parent, axis: ls.Link(name, parent, ls.Joint("revolute", axis=axis))  # noqa: E731
    ball = ls.Link("ball", "b", ls.Joint(axis=(0, 0, 1)), mass=1.0, inertia=(0.1, 0.1, 0.1))
    arm = ls.Arm("gimbal", [turn("a", None, (0, 0, 1)), turn("b", "a", (0, 1, 0)), ball])
    y = np.full((2, 6), 0.4)
    y[1, 1] = 0.0  # two axes in line
    found = side_by_side._slope(arm, y, np.zeros((2, 3)), (), np.zeros((2, 0)))
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()
