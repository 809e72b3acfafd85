"""Motions of closed loops: they stay closed between knots, torques stay in their limits, closure forces are true."""

import re
from pathlib import Path

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar

import lissom as ls
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.cache import closure_of
from lissom.motion.solve.search import Search
from lissom.motion.solve.solver import SolverLimits
from lissom.motion.transcription.problem import Problem

EXAMPLES = Path(__file__).parents[2] / "examples"
NAN = np.nan


def at(*p, turned=0.0):
    X = np.eye(4)
    X[:2, :2] = [[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]]
    X[:3, 3] = p
    return X


def rod(name, parent, length, mass, place, motor=True):
    joint = ls.Joint("revolute", at(*place), actuated=motor)
    return ls.Link(name, parent, joint, mass=mass, com=(0.47 * length, 0.01, 0), inertia=mass * length**2 / 11)


def five_bar(motors=False):
    """Upright, two motors at its shoulders; with `motors` four."""
    links = [
        rod("left", None, 0.4, 1.0, (-0.15, 0, 0)), rod("left_fore", "left", 0.5, 0.8, (0.4, 0, 0), motors),
        rod("right", None, 0.4, 1.1, (0.15, 0, 0)), rod("right_fore", "right", 0.5, 0.7, (0.4, 0, 0), motors),
    ]  # fmt: skip
    grip = ls.Loop(("left_fore", (0.5, 0, 0)), ("right_fore", (0.5, 0, 0)))
    return ls.Arm("five_bar", links, gravity=(0.7, -9.7, 0), loops=[grip])


TASK = {"start": [2.2, NAN, 0.9, NAN], "goal": [1.6, NAN, 0.4, NAN], "limits": ls.Limits(torque=12.0)}


@pytest.fixture(scope="module")
def swing():
    arm = five_bar()
    begin = ls.assemble(arm, [2.2, -1.2, 0.9, 1.2], fixed=["left", "right"]).q
    return ls.predict_motion(arm, **TASK | {"start": begin}, minimise={"time": 1.0, "torque_squared": 1e-4})


def test_as_a_reference_it_is_closed_and_holds_its_end(swing):
    """Its states are beside the splines, so that there are no polynomials."""
    assert swing.polynomials is None
    q, qd, *_ = ls.PD(swing, 400, 40).signals(swing.arm)
    for found, want in zip((q, qd), swing.at(0.37 * swing.duration), strict=False):
        assert np.array_equal(found.at(0.37 * swing.duration), want)
    assert np.array_equal(q.at(1.0), swing.q[-1])
    assert not qd.at(1.0).any()


def opening(motion, splines=True):
    """Largest distance between the ends of the first loop, on the splines or of the states of the motion."""
    s = np.linspace(0, 1, 1777)
    q = motion.basis.rows(s, 0) @ motion.control_points if splines else motion.at(s * motion.duration)[0]
    loop = motion.arm.loops[0]
    ends = [ls.pose(motion.arm, q, link, X[:3, 3])[:, :3, 3] for link, X in (loop.a, loop.b)]
    return np.linalg.norm(ends[0] - ends[1], axis=1).max()


def test_it_stays_closed_and_keeps_its_limits(swing):
    assert swing.status == "solved"
    assert opening(swing) < 1e-5
    tau = np.abs(swing.torques(np.linspace(0, swing.duration, 1777)))
    assert 11.9 < tau[:, [0, 2]].max() < 12.012
    assert not tau[:, [1, 3]].any()
    (peak,) = (peak for peak in swing.report.peaks if peak.quantity.startswith("closure"))
    assert peak.value == pytest.approx(opening(swing), rel=0.3)


def test_states_are_closed_and_true_derivatives(swing):
    """Splines close loops at the knots alone; states of the motion do so everywhere, and every verb takes them."""
    assert opening(swing) > 1e-7
    assert opening(swing, splines=False) < 1e-14
    t, h = np.linspace(0.013, 0.987, 97) * swing.duration, 1e-5 * swing.duration
    before, (q, qd, qdd), after = swing.at(t - h), swing.at(t), swing.at(t + h)
    assert np.abs((after[0] - before[0]) / (2 * h) - qd).max() < 1e-7 * np.abs(qd).max()
    assert np.abs((after[1] - before[1]) / (2 * h) - qdd).max() < 2e-4 * np.abs(qdd).max()  # jerk jumps at knots
    assert np.abs(ls.inverse_dynamics(swing.arm, q, qd, qdd) - swing.torques(t)).max() < 1e-10
    assert np.isfinite(ls.closure_forces(swing.arm, q, qd, qdd).force).all()
    assert np.abs(ls.forward_dynamics(swing.arm, q, qd, swing.torques(t)) - qdd).max() < 1e-9 * np.abs(qdd).max()


def test_a_fast_motion_keeps_its_limits_with_its_loops_closed():
    """On few segments closing the loops adds 3 % to the torques that the splines need: limits are tightened by that."""
    arm, task = fast_task()
    found = ls.predict_motion(arm, **task).verify()
    assert found.ok, found.describe()
    assert 0.98 < found.torque_utilisation < 1.001


def fast_task():
    arm = ls.load(EXAMPLES / "five_bar.toml")
    begin = ls.assemble(arm, [2.3549, -1.0, 1.4126, 1.0], fixed=["left", "right"]).q
    return arm, {"start": begin, "goal": [1.8808, NAN, 1.9092, NAN], "limits": ls.Limits(torque=2.0), "segments": 4}


@pytest.mark.parametrize("how", ["interrupted", "failed"])
def test_a_motion_whose_limits_could_not_be_tightened_is_not_called_solved(how, monkeypatch):
    """Ctrl-C while limits are tightened, or no solution with tighter limits."""
    arm, task = fast_task()
    moved = Search.moved
    outcome = {"interrupted": ls.MotionOutcome.INTERRUPTED, "failed": ls.MotionOutcome.STALLED}[how]

    def unlucky(self, *given, near=False):
        found = moved(self, *given, near=near)
        return found.with_verdict(ok=False, outcome=outcome, status=outcome.sentence) if near else found

    monkeypatch.setattr(Search, "moved", unlucky)
    motion = ls.predict_motion(arm, **task, on_failure="return")
    assert not motion.ok
    assert motion.interrupted == (how == "interrupted")
    exceeded = re.search(r"torque of '\w+' exceeds its limit by 3 % with closed loops", motion.status)
    assert bool(exceeded) == (how == "failed")


def test_verified_with_a_growth(swing):
    found = swing.verify()
    assert found.ok, found.describe()
    assert found.deviation.max() < 1e-8
    assert 1 < found.growth < 100


def test_finer_splines_close_better():
    gaps = []
    for segments in (10, 20):
        motion = ls.predict_motion(five_bar(), **TASK | {"start": [2.2, NAN, 0.9, NAN]}, segments=segments,
                                   duration=0.5, minimise="torque_squared")  # fmt: skip
        gaps.append(opening(motion))
    assert gaps[1] < gaps[0] / 4


def test_more_motors_than_freedoms():
    """The torques are shared: less of them, squared, than without the motors at the elbows."""
    task = TASK | {"duration": 0.6, "minimise": "torque_squared", "segments": 12}
    two, four = (ls.predict_motion(five_bar(motors), **task) for motors in (False, True))
    assert four.cost < 0.95 * two.cost
    assert opening(four) < 1e-5
    assert four.verify().ok


def test_tried_with_another_payload():
    """Loops need not be closed where the joints of the arm are at home."""
    arm = four_bar().with_payload(ls.Payload(0.3, com=(0.57, 0, 0)), link="rocker")
    begin = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q
    motion = ls.predict_motion(arm, start=begin, goal=[1.4, NAN, NAN], limits=ls.Limits(torque=60.0), duration=0.8,
                               minimise="torque_squared", segments=10)  # fmt: skip
    heavier, lighter = motion.verify(payload=0.1).trials
    assert 1e-4 < heavier.joint_error < 0.2
    assert lighter.joint_error == pytest.approx(heavier.joint_error, rel=0.3)
    assert heavier.residual == heavier.tracked_residual == 0.0


@pytest.mark.parametrize("crank", [5.0, 1 + 2 * np.pi, -4.0])
def test_long_moves_of_the_motors_alone(crank):
    """Others arrive on the branch and the winding to which the crank leads them; once jumps led elsewhere."""
    arm = four_bar()
    begin = ls.assemble(arm, [1.0, -0.5, 1.5], fixed="crank").q
    task = {"limits": ls.Limits(torque=60.0), "duration": 1.5, "minimise": "torque_squared", "segments": 12}
    motion = ls.predict_motion(arm, start=begin, goal=[crank, NAN, NAN], **task)
    led = begin
    for q in np.linspace(1.0, crank, 200):
        led = ls.assemble(arm, [q, *led[1:]], fixed="crank").q
    assert motion.ok
    assert np.abs(motion.q[-1] - led).max() < 1e-8


def test_rates_that_are_not_given_follow():
    arm = five_bar()
    problem = Problem(arm, ls.Task(**TASK, start_velocity=[0.5, NAN, 0.1, NAN], goal_velocity=[NAN, NAN, 0.3, NAN]))
    begin = problem.spec.given("start")
    want = ls.assemble(arm, begin, ["left", "right"], qd=[0.5, 0, 0.1, 0]).qd
    assert np.abs(problem.spec.rates("start") - want).max() < 1e-9
    end = problem.spec.rates("goal")
    assert end[2] == 0.3
    assert np.abs(closure_of(arm)(problem.spec.given("goal")).G @ end).max() < 1e-12
    motion = ls.predict_motion(arm, **TASK, start_velocity=[0.5, NAN, 0.1, NAN], duration=0.6, segments=12,
                               minimise="torque_squared")  # fmt: skip
    assert motion.ok
    assert np.abs(motion.qd[0] - want).max() < 1e-9


def across():
    """A task of the five-bar with a goal on another winding: forearms come in line on the way, twice."""
    arm = five_bar()
    begin = ls.assemble(arm, [2.2, -1.2, 0.9, 1.2], fixed=["left", "right"]).q
    goal = ls.assemble(arm, [0.2, begin[1], 2.9, begin[3]], fixed=["left", "right"]).q
    return arm, TASK | {"start": begin, "goal": goal, "duration": 1.5, "minimise": "torque_squared"}


def lined_up(q):
    """Sine of the angle between the forearms, which the motors no longer hold where it is zero."""
    return np.sin(q[..., 2] + q[..., 3] - q[..., 0] - q[..., 1])


def test_a_singular_configuration_on_the_way_is_told():
    """Between samples torques have no bounds there; once it was called solved, and its torques in their limits."""
    arm, task = across()
    motion = Search(arm, ls.Task(**task, segments=12), SolverLimits(1e-8, 500, None), 0, 0.0).start(0)
    assert not motion.ok
    told = re.match(
        r"the path passes through a singular configuration at (\S+) s, where the actuators no longer control every "
        r"degree of freedom of loop 1 \(left_fore - right_fore, spherical\)",
        motion.status,
    )
    assert told, motion.status
    assert abs(lined_up(motion.at(float(told[1]))[0])) < 0.05  # of loops that are not closed quite yet there
    (torque,) = (peak for peak in motion.report.peaks if peak.quantity == "torque")
    assert torque.utilisation > 10


def test_the_motors_alone_choose_a_way_that_is_not_singular():
    """The same goal of the motors, the others by continuation."""
    arm, task = across()
    motion = ls.predict_motion(arm, **task | {"goal": [0.2, NAN, 2.9, NAN]}, segments=30)
    assert motion.ok
    assert lined_up(motion.q).min() > 0.1


def test_singular_ends_are_refused():
    flat = four_bar(sizes={"crank": 0.5, "coupler": 0.9, "rocker": 0.5, "ground": 0.9})
    with pytest.raises(InputError, match=r"the goal is a singular configuration, where loop 1 .* no longer constrains"):
        ls.predict_motion(flat, start=[1.0, -1.0, 1.0], goal=[0.0, 0.0, 0.0], duration=1.0, minimise="torque_squared")


@pytest.mark.slow
def test_ways_through_singular_configurations_raise():
    arm, task = across()
    with pytest.raises(ls.MotionError, match="the path passes through a singular configuration at"):
        ls.predict_motion(arm, **task)
    flat = four_bar(sizes={"crank": 0.5, "coupler": 0.9, "rocker": 0.5, "ground": 0.9})
    task = {"start": [1.0, -1.0, 1.0], "goal": [-1.0, 1.0, -1.0], "minimise": "torque_squared"}
    with pytest.raises(
        ls.MotionError, match=r"singular configuration at \S+ s, where loop 1 .* no longer constrains all"
    ):
        ls.predict_motion(flat, **task, duration=1.0)


def test_saved_and_loaded(swing, tmp_path):
    swing.save(tmp_path / "swing.nc")
    again = ls.load_motion(tmp_path / "swing.nc")
    assert np.array_equal(again.tau, swing.tau)
    assert np.array_equal(again.closures.forces, swing.closures.forces)
    table = swing.table(2000)
    assert np.abs(table.tau).max() < 12.012


def test_the_program_against_differences():
    problem = Problem(five_bar(True), ls.Task(**TASK, minimise={"time": 1.0, "torque_squared": 1e-3}, segments=4))
    program = problem.program(problem.mesh(), np.array([0.37]))
    rng = np.random.default_rng(3)
    x = rng.normal(scale=0.3, size=program.size)
    x[-1] = 0.8
    lam, h = rng.normal(size=program.count), 1e-6

    def sparse(pattern, values):
        out = np.zeros(pattern.shape)
        out[pattern.rows, pattern.columns] = values
        return out

    def slopes(f):
        return np.array([(np.asarray(f(x + h * e)) - f(x - h * e)) / (2 * h) for e in np.eye(program.size)]).T

    J = sparse(program.jacobian_pattern, program.jacobian(x))
    assert np.abs(slopes(program.g) - J).max() < 1e-7 * np.abs(J).max()
    assert np.abs(slopes(program.f) - program.gradient(x)).max() < 1e-7 * np.abs(program.gradient(x)).max()
    upper = sparse(program.hessian_pattern, program.hessian(x, 0.7, lam))
    H = upper + np.triu(upper, 1).T

    def lagrangian(x):
        return 0.7 * program.gradient(x) + sparse(program.jacobian_pattern, program.jacobian(x)).T @ lam

    assert np.abs(slopes(lagrangian) - H).max() < 1e-7 * np.abs(H).max()


def test_places_on_the_way(swing):
    """A place in space as the goal, via points between knots, round and round."""
    arm, begin = swing.arm, swing.q[0]
    tip = ls.pose(arm, begin, "left_fore", (0.5, 0, 0))[:3, 3]
    there = ls.Reach("left_fore", (tip[0] + 0.1, tip[1] - 0.15, None), point=(0.5, 0, 0))
    limits, minimise = ls.Limits(torque=12.0), {"time": 1.0, "torque_squared": 1e-4}
    motion = ls.predict_motion(arm, start=begin, goal=there, limits=limits, minimise=minimise)
    reached = ls.pose(arm, motion.q[-1], "left_fore", (0.5, 0, 0))[:2, 3]
    assert np.abs(reached - tip[:2] - [0.1, -0.15]).max() < 1e-6
    assert opening(motion) < 1e-5
    via = [ls.Via(0.23, [2.0, NAN, 0.5, NAN]), ls.Via(0.71, [2.2, NAN, 0.9, NAN])]
    round_trip = ls.predict_motion(arm, via=via, periodic=True, limits=ls.Limits(torque=20.0), minimise=minimise)
    assert np.allclose(round_trip.at(0.23 * round_trip.duration)[0][[0, 2]], [2.0, 0.5], atol=1e-9)
    assert opening(round_trip) < 1e-5


def test_a_slider_crank_with_redundant_rows():
    """A planar loop closed by a spatial revolute: three of its five rows say nothing, and are left out."""
    crank, rodded = rod("crank", None, 0.2, 0.5, (0, 0, 0)), rod("rod", "crank", 0.6, 0.4, (0.2, 0, 0), False)
    slide = ls.Joint("prismatic", at(0, 0.03, 0), axis=(1, 0, 0), actuated=False)
    links = [crank, rodded, ls.Link("piston", joint=slide, mass=0.8)]
    loop = ls.Loop(("rod", (0.6, 0, 0)), ("piston", (0, 0, 0)), "revolute")
    arm = ls.Arm("crank", links, gravity=(0, 0, -9.81), loops=[loop])
    begin = ls.assemble(arm, [0.6, -0.8, 0.7], fixed="crank").q
    motion = ls.predict_motion(arm, start=begin, goal=[2.0, NAN, NAN], limits=ls.Limits(torque=1.5), minimise="time")
    assert opening(motion) < 1e-5
    assert 1.49 < np.abs(motion.tau[:, 0]).max() < 1.5015
    assert motion.verify().ok


@pytest.mark.slow
def test_two_arms_lift_a_bar():
    """Twelve motors, six freedoms, spatial: the grip is fixed."""
    arm = ls.load(EXAMPLES / "two_arms.toml")
    side = [0.276, -0.275, 0.056]
    begin = ls.assemble(arm, [*side, 2.859, 1.36, 0.061, *side, -0.283, -1.36, -3.081]).q
    up = begin.copy()
    up[:3] += [0.1, 0.08, -0.05]
    end = ls.assemble(arm, up, fixed=arm.coordinates[:6]).q
    torque = [97.6, 186.4, 89.4, 24.2, 20.1, 21.3] * 2
    motion = ls.predict_motion(arm, start=begin, goal=end, limits=ls.Limits(torque=torque), segments=12,
                               minimise={"time": 1.0, "torque_squared": 1e-5})  # fmt: skip
    assert motion.ok
    assert opening(motion) < 1e-5
    assert (np.abs(motion.tau) / torque).max() < 1.001


@pytest.mark.slow
def test_a_platform_on_six_legs():
    arm = ls.load(EXAMPLES / "stewart.toml")
    guess = np.where(arm.actuated, 0.9, 0.0)
    begin = ls.assemble(arm, guess).q
    goal = np.where(arm.actuated, begin, NAN)
    goal[arm.actuated] += [0.05, 0.03, -0.02, 0.04, 0.0, 0.06]
    motion = ls.predict_motion(arm, start=begin, goal=goal, limits=ls.Limits(torque=300.0), segments=12,
                               minimise={"time": 1.0, "torque_squared": 1e-5})  # fmt: skip
    assert motion.ok
    assert (np.abs(motion.tau) / 300).max() < 1.001
    assert max(p.utilisation for p in motion.report.peaks if p.quantity.startswith("closure")) < 1


def test_wrong_tasks_are_refused():
    arm = five_bar()
    with pytest.raises(InputError, match=r"the goal leaves open loop 1 .* by .* m; ls.assemble\(arm, q\)"):
        ls.predict_motion(arm, **TASK | {"goal": [1.6, -1.0, 0.4, 1.3]})
    with pytest.raises(InputError, match=r"the goal: no position was found that closes"):
        ls.predict_motion(arm, **TASK | {"goal": [3.0, NAN, 0.0, NAN]})
    with pytest.raises(InputError, match=r"start_velocity opens loop 1 .* ls.assemble\(arm, q, qd=qd\)"):
        ls.predict_motion(arm, **TASK, start_velocity=[0.5, 0, 0, 0])
    lame = arm.with_joint("right", actuated=False)
    with pytest.raises(UnsupportedError, match="has 2 degrees of freedom, and its 1 actuators do not control"):
        ls.predict_motion(lame, **TASK, duration=1.0, minimise="torque_squared")
    with pytest.raises(UnsupportedError, match="torque-rate limits and criteria are not supported"):
        ls.predict_motion(arm, **TASK | {"limits": ls.Limits(torque=12.0, torque_rate=100.0)})
    with pytest.raises(UnsupportedError, match="closed loops"):
        ls.retime_motion(arm, [[2.2, -1.5, 0.9, 1.6], [1.6, -1.2, 0.4, 1.6]], limits=ls.Limits(torque=12.0))


def test_periodic_motions_of_loops_are_played_from_a_closed_state():
    """Splines close loops to what the search allows; a simulation wants it exactly."""
    arm = five_bar()
    begin = ls.assemble(arm, [2.2, -1.2, 0.9, 1.2]).q
    via = [ls.Via(0.1, begin), ls.Via(0.5, [begin[0] - 0.3, NAN, begin[2] + 0.2, NAN])]
    motion = ls.predict_motion(arm, via=via, periodic=True, duration=1.0, minimise="torque_squared")
    assert motion.ok
    found = motion.verify()
    assert found.ok, found.describe()
    assert found.run.ok
    assert found.joint_error.max() < 1e-6
