"""Coordinates without a motor by the same mechanism: elastic and passive joints, two masses and a spring."""

import numpy as np
import pytest
from tests.motion.test_program import check

import lissom as ls
from lissom.errors import InputError, MotionError, UnsupportedError
from lissom.motion import compare
from lissom.motion.result.variants import with_more_modes
from lissom.motion.task.task import Task, Via
from lissom.motion.transcription.problem import Problem
from lissom.simulation.controllers.planned import planned_torques

SHORTEST = 4.21787  # s, of two masses and a spring: closed form, six digits


def elastic_masses():
    """The motor's inertia is the first mass."""
    joint = ls.Joint("prismatic", axis=(1, 0, 0), armature=1.0, elastic=ls.JointElasticity(1.0))
    return ls.Arm("two masses", [ls.Link("mass", joint=joint, mass=1.0)], gravity=(0, 0, 0))


def passive_masses():
    """The second mass slides on the first, by a spring."""
    first = ls.Link("one", joint=ls.Joint("prismatic", axis=(1, 0, 0)), mass=1.0)
    joint = ls.Joint("prismatic", axis=(1, 0, 0), actuated=False, stiffness=1.0)
    return ls.Arm("two masses", [first, ls.Link("two", "one", joint, mass=1.0)], gravity=(0, 0, 0))


def elastic_arm(gravity=-9.81):
    """Two links behind springs, with drives."""
    return ls.Arm("elastic", [
        ls.Link("upper", joint=ls.Joint(armature=0.05, damping=0.1, elastic=ls.JointElasticity(80.0, 0.02)), mass=1.3,
                com=(0.2, 0, 0), inertia=0.02),
        ls.Link("fore", "upper", ls.Joint(placement=_at(0.4), armature=0.02, elastic=ls.JointElasticity(40.0)),
                mass=0.7, com=(0.15, 0, 0), inertia=0.008),
    ], gravity=(0, gravity, 0))  # fmt: skip


def pendulum_on_a_cart():
    cart = ls.Link("cart", joint=ls.Joint("prismatic", axis=(1, 0, 0)), mass=1.0)
    joint = ls.Joint(axis=(0, 1, 0), actuated=False)
    return ls.Arm("crane", [cart, ls.Link("rod", "cart", joint, mass=0.2, com=(0, 0, -0.35), inertia=[1e-3] * 3)])


def _at(x):
    X = np.eye(4)
    X[0, 3] = x
    return X


def played(motion):
    """Where the torques lead, and how far it is from where they should, at most."""
    run = ls.simulate(motion.arm, motion.q[0], motion.qd[0], planned_torques(motion), motion.duration, method="dop853",
                      rtol=1e-10, atol=1e-12)  # fmt: skip
    return run, np.abs(run.q - motion.at(np.minimum(run.t, motion.duration))[0]).max()


@pytest.mark.parametrize(("make", "goal"), [(elastic_masses, [1.0]), (passive_masses, [1.0, 0.0])])
def test_two_masses_and_a_spring_in_the_shortest_time(make, goal):
    times = [ls.predict_motion(make(), start=0 * np.array(goal), goal=goal, limits=ls.Limits(torque=1.0),
                               segments=segments).duration for segments in (20, 40, 80)]  # fmt: skip
    assert all(SHORTEST - 5e-6 < T for T in times)  # from above
    assert times[0] > times[1] > times[2]
    assert times[2] < SHORTEST * (1 + 5e-4)
    assert times[2] < SHORTEST * (1 + 1e-5)  # splines that may jump as the best torque does


def test_smooth_splines_approach_the_shortest_time_from_above_too():
    motion = ls.predict_motion(elastic_masses(), start=[0], goal=[1], limits=ls.Limits(torque=1.0), segments=80,
                               continuity=4)  # fmt: skip
    assert motion.continuity == 4
    assert SHORTEST < motion.duration < SHORTEST * (1 + 5e-4)
    run, error = played(motion)
    assert error < 1e-7
    assert np.abs(run.qd[-1]).max() < 1e-7


TASKS = {
    "flexible": (ls.load("two_link_flexible"), {"start": [0.1, -0.2], "goal": [0.9, 0.5]}),
    "linear field": (ls.load("two_link_flexible").replace(flexibility="linear", gravity=(0, -1.0, 0)),
                     {"start": [-1.5, -0.2], "goal": [-1.2, 0.5]}),
    "closed form": (ls.load("two_link_flexible").replace(flexibility="de_luca_siciliano", gravity=(0, -1.0, 0)),
                    {"start": [-1.5, -0.2], "goal": [-1.2, 0.5]}),
    "elastic": (elastic_arm(), {"start": [-1.5, 0.3], "goal": [-1.0, -0.2], "via": [Via(0.4, [-1.3, np.nan])]}),
    "passive": (pendulum_on_a_cart(), {"start": [0.0, 0.0], "goal": [1.0, np.nan]}),
}  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        "flexible",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("linear field", "closed form")),
        "elastic",
        "passive",
    ],
)
def test_derivatives_of_programs_with_two_kinds_of_splines(word):
    arm, fields = TASKS[word]
    bending = [ls.BendingLimit("link1", deflection=0.1)] if arm.flexible else []
    # of "energy", |power| is rounded off within a fraction of what is expected: too sharp a bend for differences here
    mix = {"time": 1.0, "torque_squared": 0.02, "jerk": 1e-4}
    task = Task(**fields, limits=ls.Limits(torque=9.0, power=30.0), minimise=mix, bending=bending)
    check(Problem(arm, task), segments=2, finer=2)


def test_derivatives_of_rough_splines():
    arm, fields = TASKS["elastic"]
    check(Problem(arm, Task(**fields, limits=ls.Limits(torque=9.0), continuity=1), regularise=1e-3), segments=3)


@pytest.mark.slow
def test_an_arm_with_elastic_joints():
    arm = elastic_arm()
    motion = ls.predict_motion(arm, start=[-1.5, 0.3], goal=[0.2, -0.6], limits=ls.Limits(torque=[12.0, 5.0]),
                               minimise={"time": 1.0, "torque_squared": 1e-3}, compare=True,
                               via=[Via(0.5, [np.nan, np.nan, 0.1, np.nan])])  # fmt: skip
    assert motion.ok
    assert abs(motion.at(0.5 * motion.duration)[0][2] - 0.1) < 1e-9
    assert np.abs(motion.q[-1] - ls.equilibrium(arm, [0.2, -0.6]).q).max() < 1e-9
    assert abs(motion.q[-1, 1]) > 0.01  # the spring sags
    assert played(motion)[1] < 1e-5
    assert motion.report.residual_checks[-1].residual < 1e-5
    assert motion.compared["rigid plan"].residual > 1e-2
    found = motion.verify(stiffness=0.05)
    assert found.status == "verified"
    assert [trial.what for trial in found.trials] == ["stiffness +5 %", "stiffness -5 %"]
    assert all(1e-4 < trial.tracked_residual < 0.1 for trial in found.trials)
    assert "stiffness -5 %: residual tip vibration" in found.describe()
    for given, sentence in (({"payload": 2}, "0.1 for ten percent"), ({"modes": -1}, "additional modes"),
                            ({"payload": 0.1}, "has no payload")):  # fmt: skip
        with pytest.raises(InputError, match=sentence):
            motion.verify(**given)
    assert (np.abs(motion.tau).max(axis=0)[[0, 2]] < [12.012, 5.005]).all()


def test_a_crane_sets_its_load_down_still():
    crane = pendulum_on_a_cart()
    motion = ls.predict_motion(crane, start=[0, 0], goal=[1.0, 0.0], limits=ls.Limits(torque=4.0))
    run, error = played(motion)
    assert error < 1e-5
    assert np.abs(run.q[-1] - [1, 0]).max() < 1e-5
    assert np.abs(run.qd[-1]).max() < 1e-4
    assert np.all(motion.tau[:, 1] == 0)
    free = ls.predict_motion(crane, start=[0, 0], goal=[1.0, np.nan], limits=ls.Limits(torque=4.0))
    assert abs(np.sin(free.q[-1, 1])) < 1e-6  # left free, it ends where it hangs
    with pytest.raises(InputError, match="'rod' is unactuated and not in equilibrium"):
        ls.predict_motion(crane, start=[0, 0], goal=[1.0, 0.5], limits=ls.Limits(torque=4.0))
    with pytest.raises(UnsupportedError, match="'rod' is passive"):
        ls.predict_motion(crane, start=[0, 0], goal=[1.0, 0.0], limits=ls.Limits(torque=4.0), compare=True)
    with pytest.raises(UnsupportedError, match="no joint of arm"):
        ls.predict_motion(crane.with_joint("cart", actuated=False), start=[0, 0], goal=[1.0, 0.0], duration=1.0,
                          minimise="torque_squared")  # fmt: skip


def test_passing_a_place_with_a_rate():
    """A passive joint that is thrown: its rate at the end is given, and it is not at rest there."""
    crane = pendulum_on_a_cart()
    motion = ls.predict_motion(crane, start=[0, 0], goal=[np.nan, 0.8], goal_velocity=[np.nan, 0.0], duration=1.5,
                               minimise="torque_squared")  # fmt: skip
    assert motion.q[-1, 1] == pytest.approx(0.8)
    assert played(motion)[1] < 1e-4


def test_a_periodic_motion_of_an_elastic_arm():
    """As many rows as unknowns here too; it does not end at rest, so what differs from it at its end is looked at."""
    arm = elastic_arm()
    motion = ls.predict_motion(arm, periodic=True, via=[Via(0.2, [-1.5, 0.3]), Via(0.7, [-1.0, 0.0])], duration=1.5,
                               limits=ls.Limits(torque=[12.0, 5.0]), minimise="torque_squared")  # fmt: skip
    assert motion.ok
    assert motion.report.residual_checks[-1].residual < 1e-5
    for rows in (motion.q, motion.qd):
        assert np.abs(rows[0] - rows[-1]).max() < 1e-9
    assert played(motion)[1] < 1e-4  # rad; the residual is in metres


def test_a_search_of_many_starts_and_meshes():
    """Motions of two kinds of splines come back from other processes, and are refined."""
    mix = {"time": 1.0, "torque_squared": 1e-3}
    task = Task([-1.5, 0.3], [0.2, -0.6], ls.Limits(torque=[12.0, 5.0]), minimise=mix, segments=5)
    motion = ls.predict_motion(elastic_arm(), task, starts=2, workers=2, refine=1e-2)
    assert motion.ok
    assert len(motion.report.starts) == 2
    assert len(motion.report.refinements) > 2
    assert motion.unactuated.control_points.shape[1] == 2


def stiff_joint():
    """One link behind a spring so stiff that eight segments do not resolve its vibration: durations are walked."""
    joint = ls.Joint(armature=0.05, elastic=ls.JointElasticity(8000.0, 0.02))
    return ls.Arm("stiff", [ls.Link("upper", joint=joint, mass=1.3, com=(0.2, 0, 0), inertia=0.02)], gravity=(0, 0, 0))


def test_a_walk_keeps_to_the_durations_that_are_allowed():
    task = {"start": [0], "goal": [1], "limits": ls.Limits(torque=3.0), "segments": 8}
    slow = ls.predict_motion(stiff_joint(), **task, duration=(0.9, 3.0))
    assert slow.status == "solved"
    assert slow.duration == pytest.approx(0.9, rel=1e-12)  # it could be done in 0.47 s
    with pytest.raises(MotionError, match=r"no motion of at most 0\.3 s was found; .* torque of 'upper' is violated"):
        ls.predict_motion(stiff_joint(), **task, duration=(0.05, 0.3))


def soft_joint(damping, gravity=0.0):
    joint = ls.Joint(armature=0.05, damping=0.1, elastic=ls.JointElasticity(80.0, damping))
    link = ls.Link("upper", joint=joint, mass=1.3, com=(0.2, 0, 0), inertia=0.02)
    return ls.Arm("soft", [link], gravity=(0, gravity, 0))


def test_a_mode_that_does_not_ring_needs_no_shaper():
    """A damper so strong that the mode creeps back: the motion and the comparison are there, with a note."""
    motion = ls.predict_motion(soft_joint(8.0, -9.81), start=[0], goal=[1], duration=1.0, segments=6, compare=True,
                               minimise="torque_squared")  # fmt: skip
    shaped = motion.compared["rigid plan, ZV, joints tracked"]
    assert shaped.duration == pytest.approx(1.0)
    assert shaped.residual == pytest.approx(motion.compared["rigid plan, joints tracked"].residual, rel=1e-3)
    assert "behind an input shaper for no mode" in str(motion.compared)
    assert "Strongly damped modes are skipped: 1" in str(motion.compared)


def test_a_comparison_tells_what_it_left_out(monkeypatch):
    """No rigid plan within the motors' limits, a shaper that takes longer than the motion, and one that fails."""

    def failing(arm, q, kind, count, shaper=compare.shaper):
        if kind == "zvd":
            raise InputError("shaper: made to fail.")
        return shaper(arm, q, kind, count)

    def solved(search, arm, task, found=compare.solved_motion):
        if task.limits.torque is not None:
            raise MotionError("too weak", None)
        return found(search, arm, task)

    monkeypatch.setattr(compare, "shaper", failing)
    monkeypatch.setattr(compare, "solved_motion", solved)
    arm = soft_joint(0.02).with_joint("upper", elastic=ls.JointElasticity(1.5))
    motion = ls.predict_motion(arm, start=[0], goal=[0.3], duration=0.5, segments=6, compare=True,
                               limits=ls.Limits(torque=9.0), minimise="torque_squared")  # fmt: skip
    told = str(motion.compared)
    assert motion.ok
    assert "rigid plan: no solution of 0.5 s within the velocity and torque limits" in told
    assert "rigid plan, ZVD: not available, shaper: made to fail." in told
    assert "behind an input shaper for the first mode at the goal" in told
    late = motion.compared["rigid plan, ZV, joints tracked"].duration
    assert late > 0.5
    assert f"It takes {late:.3g} s, longer than this motion" in told


def test_other_springs_are_tried_and_modes_only_where_there_are_more():
    motion = ls.predict_motion(passive_masses(), start=[0, 0], goal=[1, 0], duration=6.0, minimise="torque_squared",
                               segments=6)  # fmt: skip
    stiff, soft = motion.verify(stiffness=0.05).trials
    assert (stiff.what, soft.what) == ("stiffness +5 %", "stiffness -5 %")
    assert (
        min(stiff.tracked_residual, soft.tracked_residual) > 1e-3
    )  # the spring between the masses is off, so they ring
    with pytest.raises(InputError, match="no link of arm 'two masses' is a beam with more modes"):
        motion.verify(modes=2)
    elastic = ls.predict_motion(soft_joint(0.02), start=[0], goal=[1], duration=1.0, segments=6,
                                minimise="torque_squared")  # fmt: skip
    with pytest.raises(InputError, match="no link of arm 'soft' is a beam"):
        elastic.verify(modes=2)
    rigid = ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[1, 1], duration=1.0, minimise="torque_squared")
    with pytest.raises(InputError, match="arm 'two_link' has no flexible links and no joint springs"):
        rigid.verify(stiffness=0.1)


def test_more_modes_are_no_more_than_a_table_of_shapes_has():
    s = np.linspace(0, 0.5, 9)
    table = ls.ShapeTable(s, bending_z=np.stack([s**2, s**3], axis=1))
    beam = ls.Beam(0.5, 0.2, EI=1.0, shapes=table, modes=ls.Modes(bending_z=1))
    arm = ls.Arm("bar", [ls.Link("bar", inertia=1e-3, beam=beam)])
    assert with_more_modes(arm, 4, "test").link("bar").beam.modes.bending_z == 2
    assert with_more_modes(with_more_modes(arm, 4, "test"), 1, "test") is None
