"""Motions of flexible arms: they stop without vibration, by simulations that know nothing of how they were found."""

import itertools

import numpy as np
import pytest
from benchmarks.flexible_motion import HANGING, MOVES, spatial, two_link

import lissom as ls
from lissom.errors import InputError, ModelError, UnsupportedError
from lissom.motion.result.verification.residual import residual_vibration
from lissom.motion.solve.assessment import mesh_of
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.ends import sagged
from lissom.motion.transcription.constraints.bending import BendingLimits
from lissom.motion.transcription.constraints.constraint import Look
from lissom.simulation.controllers.planned import planned_torques

LIMITS = ls.Limits(torque=[0.2, 0.1])
MOVE = {"start": [0.0, 0.0], "goal": [0.8, 0.8], "duration": 4.0, "minimise": "torque_squared", "limits": LIMITS}


def rings(motion, rtol=1e-10):
    """Residual vibration, its torques played through an adaptive simulation."""
    run = ls.simulate(motion.arm, motion.q[0], motion.qd[0], planned_torques(motion), motion.duration, method="dop853",
                      rtol=rtol, atol=1e-2 * rtol)  # fmt: skip
    return residual_vibration(run.arm, run.q[-1], run.qd[-1])


@pytest.fixture(scope="module")
def moved():
    return ls.predict_motion(two_link(), **MOVE, compare=True)


def test_it_stops_without_vibration_and_the_rigid_plan_does_not(moved):
    left, rigid = rings(moved), moved.compared["rigid plan"].residual
    assert moved.status == "solved"
    assert left <= 1e-4
    assert left <= 5e-3 * rigid
    assert rigid > 0.1
    # the report's figure, by steps of order 8, is the same as that of the adaptive simulation
    assert moved.report.residual_checks[-1].residual == pytest.approx(left, rel=1e-2)
    assert np.abs(moved.q[-1] - [0.8, 0, 0, 0.8, 0, 0]).max() < 1e-12
    assert np.abs(moved.qd[[0, -1]]).max() < 1e-12


def test_torques_are_of_motors_alone_and_within_limits(moved):
    driven = moved.arm.actuated
    assert np.all(moved.tau[:, ~driven] == 0)
    t = np.linspace(0, moved.duration, 4001)
    assert (np.abs(moved.torques(t)[:, driven]) / [0.2, 0.1]).max() < 1.001
    assert moved.cost == pytest.approx(np.trapezoid((moved.torques(t) ** 2).sum(axis=1), t), rel=1e-4)


def test_equations_of_motion_hold_between_the_points_where_they_were_asked_for(moved):
    """Count rule: as many rows as unknowns, so nothing is left that could hide between the points."""
    mesh = mesh_of(moved)
    points, rows = mesh.unactuated.count - 2, len(mesh.samples(3)[0])
    assert points == rows
    t = np.linspace(0, moved.duration, 5003)
    # modal forces are of the size of the torques, 0.2
    assert np.abs(moved.forces(t)[:, ~moved.arm.actuated]).max() < 1e-5


def test_shapers_beside_it(moved):
    table = moved.compared
    plans = {plan.name: plan for plan in table.plans}
    assert set(plans) == {"this motion", "this motion, joints tracked", "rigid plan", "rigid plan, joints tracked",
                          "rigid plan, ZV, joints tracked",
                          "rigid plan, ZVD, joints tracked"}  # fmt: skip
    assert plans["rigid plan, ZV, joints tracked"].residual < plans["rigid plan, joints tracked"].residual / 3
    for name in ("this motion", "this motion, joints tracked"):
        assert plans[name].residual < 1e-4
        for word in ("heavier", "lighter"):  # the payload is ten percent off
            assert getattr(plans[name], word) < getattr(plans["rigid plan, ZV, joints tracked"], word)
    assert all(plan.duration == pytest.approx(4.0) for plan in table.plans)
    assert "payload +10 %" in str(table)
    assert "ZVD" in moved.describe()


def test_a_motion_of_two_splines_is_saved_without_loss(moved, tmp_path):
    moved.save(tmp_path / "motion.nc")
    again = ls.load_motion(tmp_path / "motion.nc")
    assert again.task == moved.task
    assert again.report == moved.report
    assert again.compared == moved.compared
    for word in ("t", "q", "qd", "qdd", "tau"):
        assert np.array_equal(getattr(again, word), getattr(moved, word))
    table = moved.table(rate_hz=100)
    assert table.q.shape == (401, 6)
    q, qd, _ = moved.at(1.23)
    assert np.abs(q - moved.at([1.23])[0][0]).max() == 0
    assert qd.shape == (6,)


@pytest.mark.slow
def test_it_is_tried_with_another_payload(moved):
    found = moved.verify(payload=0.1)
    assert found.status == "verified"
    assert found.residual < 1e-6
    assert [trial.what for trial in found.trials] == ["payload +10 %", "payload -10 %"]
    plan = moved.compared["this motion"]
    assert [trial.residual for trial in found.trials] == pytest.approx([plan.heavier, plan.lighter], rel=1e-6)
    assert "payload -10 %: residual tip vibration" in found.describe()
    for given, sentence in (({"payload": 2}, "0.1 for ten percent"), ({"modes": -1}, "additional modes")):
        with pytest.raises(InputError, match=sentence):
            moved.verify(**given)


@pytest.mark.slow
def test_it_is_tried_with_more_modes_and_another_stiffness(moved):
    more, *off = moved.verify(modes=1, stiffness=0.03).trials
    assert more.what == "1 more modes of every kind"
    assert more.residual < 1e-4  # the modes that were kept are enough
    assert [trial.what for trial in off] == ["stiffness +3 %", "stiffness -3 %"]
    assert all(1e-4 < trial.tracked_residual < 0.02 for trial in off)


@pytest.mark.slow
def test_the_vertical_plane_begins_and_ends_at_the_sag():
    start, goal, duration = MOVES["vertical"]["a"]
    arm = two_link("vertical")
    motion = ls.predict_motion(arm, start=start, goal=goal, duration=duration, minimise="torque_squared",
                               limits=ls.Limits(torque=[8.0, 4.0]))  # fmt: skip
    for q, joints in ((motion.q[0], start), (motion.q[-1], goal)):
        assert np.abs(q - ls.equilibrium(arm, joints).q).max() < 1e-9
    assert np.abs(motion.q[-1][arm.mode_index]).max() > 0.01
    assert motion.report.residual_checks[-1].residual < 1e-5


def test_deflection_and_strain_stay_within_limits(moved):
    free = np.abs(ls.deformation(moved.arm, moved.q, "link1", [0.5]).displacement[:, 0, 1]).max()
    fibres = {"half_height": 0.002, "youngs_modulus": 70e9}
    limits = [
        ls.BendingLimit("link1", deflection=0.6 * free),
        ls.BendingLimit("link2", strain=1e-4, stress=6.3e6, **fibres),
    ]
    motion = ls.predict_motion(moved.arm, **MOVE, bending=limits, residual=1e-3)
    q = motion.at(np.linspace(0, 4, 2001))[0]
    bent = np.abs(ls.deformation(motion.arm, q, "link1", [0.5]).displacement[:, 0, 1]).max()
    assert 0.995 * 0.6 * free < bent < 1.0005 * 0.6 * free  # reached, not exceeded
    strain = np.abs(ls.deformation(motion.arm, q, "link2", [0.0]).strain(0.002)[:, 0]).max()
    assert strain < 0.9e-4 * 1.0005
    assert motion.cost > moved.cost
    assert {"deflection", "strain", "stress"} <= {peak.quantity for peak in motion.report.peaks}
    assert motion.report.residual_checks[-1].residual < 1e-3


def test_bending_that_cannot_be():
    with pytest.raises(ModelError, match="half_height"):
        ls.BendingLimit("link1", strain=1e-4)
    with pytest.raises(ModelError, match="youngs_modulus"):
        ls.BendingLimit("link1", stress=1e6, half_height=0.01)
    with pytest.raises(ModelError, match="nothing is limited"):
        ls.BendingLimit("link1")
    with pytest.raises(InputError, match="rigid"):
        ls.predict_motion(
            ls.load("two_link"), start=[0, 0], goal=[1, 1], bending=ls.BendingLimit("fore", deflection=0.1)
        )
    with pytest.raises(InputError, match=r"at the goal the deflection of link 'link1' is 0\.1"):
        ls.predict_motion(two_link("vertical"), start=[HANGING, 0], goal=[HANGING + 0.5, 0], duration=4.0,
                          minimise="torque_squared", bending=ls.BendingLimit("link1", deflection=0.05))  # fmt: skip


def test_strain_limits_look_at_every_corner_where_a_link_stretches():
    """Bent and stretched at once, opposite corners differ: the largest of all four counts, here and in `verify`."""
    for kept, corners in ((ls.Modes(bending_z=1, stretch=1), 2), (ls.Modes(bending_z=1, bending_y=1, stretch=1), 4),
                          (ls.Modes(bending_z=1, bending_y=1), 2), (ls.Modes(bending_z=2), 1)):  # fmt: skip
        beam = ls.Beam(0.7, 0.4, EI=(5.0, 3.0), EA=2e3, modes=kept)
        arm = ls.Arm("bar", [ls.Link("bar", mass=0.2, inertia=1e-3, beam=beam)])
        limit = ls.BendingLimit("bar", strain=1e-3, half_height=(0.01, 0.006))
        limits = BendingLimits(arm, [limit], "test")
        assert len(limits.measures[0].rows) == corners
        for signs in itertools.product((1, -1), repeat=kept.count):
            q = np.array([0.3, *(1e-3 * np.array(signs) * [1.0, 0.7, 0.4][: kept.count])])
            bent = ls.deformation(arm, q, "bar", [0.0])
            strain = [abs(bent.strain(y, z)[0]) for y in (0.01, -0.01) for z in (0.006, -0.006)]
            (peak,) = limits.peaks(Look(None, None, np.zeros(1), 1.0, [q[None]], None, None))
            assert peak.utilisation == pytest.approx(max(strain) / 1e-3, rel=1e-12)


def test_what_is_refused_says_why():
    arm = two_link()
    with pytest.raises(UnsupportedError, match="torque-rate limits and criteria"):
        ls.predict_motion(arm, **MOVE | {"limits": ls.Limits(torque=1.0, torque_rate=5.0)})
    with pytest.raises(UnsupportedError, match="cannot follow a given path"):
        ls.retime_motion(arm, [[0, 0], [1, 1]], limits=LIMITS)
    with pytest.raises(InputError, match="or 6, one per coordinate"):
        ls.predict_motion(arm, **MOVE | {"goal": [1, 1, 1]})
    with pytest.raises(InputError, match=r"arm 'two_link' has no unactuated coordinates"):
        ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[1, 1], residual=1e-4)
    with pytest.raises(UnsupportedError, match="arm 'two_link' has no elastic parts"):
        ls.predict_motion(ls.load("two_link"), start=[0, 0], goal=[1, 1], compare=True)
    with pytest.raises(UnsupportedError, match="from rest to rest"):
        ls.predict_motion(arm, **MOVE, start_velocity=[0.1, 0.0], compare=True)
    with pytest.raises(InputError, match=r"slope of 1\.1 rad"):
        ls.predict_motion(two_link("vertical"), **MOVE | {"limits": ls.Limits(torque=20.0)})
    with pytest.raises(InputError, match="start_acceleration is given for an unactuated coordinate"):
        ls.predict_motion(arm, **MOVE, start_acceleration=np.zeros(6))


def test_residual_vibration_is_what_a_simulation_with_locked_joints_shows():
    arm, pose = two_link(), np.array([0.3, 0.02, -0.001, -0.7, 0.01, 0.002])
    rates = np.array([0.0, 0.05, 0.02, 0.0, -0.04, 0.01])
    told = residual_vibration(arm, pose, rates)
    held = {"joint1": 0.0, "joint2": 0.0}
    run = ls.simulate(arm, pose, rates, until=40.0, prescribed=held, every=0.02, method="rk8", dt=2e-3)
    seen = np.linalg.norm(run.tip - ls.pose(arm, [0.3, -0.7], "link2.tip")[:3, 3], axis=1).max()
    assert 0.9 * told < seen < 1.02 * told  # forty seconds are long enough for the modes nearly to meet


def test_a_mesh_keeps_the_count_rule_when_it_is_refined(moved):
    mesh = mesh_of(moved)
    finer, points = mesh.with_finer_unactuated([P for _, _, P in moved.splines])
    assert finer.finer == 2 * mesh.finer
    assert finer.unactuated.count - 2 == len(finer.samples(3)[0])
    s = np.linspace(0, 1, 777)
    assert (
        np.abs(finer.unactuated.rows(s) @ points[1] - mesh.unactuated.rows(s) @ moved.unactuated.control_points).max()
        < 1e-12
    )
    both, _ = mesh.refined([P for _, _, P in moved.splines])
    assert isinstance(both, Mesh)
    assert both.actuated.segments == 2 * mesh.actuated.segments


@pytest.mark.slow
def test_a_place_in_space_is_reached_by_the_bent_arm():
    arm = two_link("vertical")
    goal = ls.Reach("link2.tip", position=(0.45, -0.75, None))
    motion = ls.predict_motion(arm, start=[HANGING, 0], goal=goal, limits=ls.Limits(torque=[8.0, 4.0]), duration=4.0,
                               minimise="torque_squared", residual=1e-3)  # fmt: skip
    assert np.abs(motion.tip[-1, :2] - [0.45, -0.75]).max() < 1e-6
    end = motion.q[-1]
    assert np.abs(ls.equilibrium(arm, end[[0, 3]]).q - end).max() < 1e-6  # at the sag there
    assert abs(end[1]) > 0.1


def test_poses_that_a_search_only_tries_do_not_warn():
    arm = two_link("vertical")
    with pytest.warns(ls.LargeDeflection, match="equilibrium: link 'link1' bends to a slope of 0.6 rad"):
        held = ls.equilibrium(arm, [-0.5243, -1.0122])
    q = np.full(arm.dof, np.nan)
    q[arm.joint_index] = -0.5243, -1.0122
    assert np.array_equal(sagged(arm, q, (), "the goal"), held.q)


@pytest.mark.slow
def test_other_models_of_flexible_links_loads_and_limits():
    arm = ls.load("two_link_flexible").replace(flexibility="linear")
    motion = ls.predict_motion(arm, start=[0, 0], goal=[0.4, 0.3], duration=3.0, residual=1e-3,
                               limits=ls.Limits(torque=[0.2, 0.1], velocity=0.2),
                               minimise={"energy": 1.0, "torque_squared": 0.1},
                               loads=[ls.Load("link2.tip", force=(0.0, 0.02, 0.0))])  # fmt: skip
    assert motion.ok
    assert np.abs(motion.q[-1] - ls.equilibrium(arm, [0.4, 0.3], motion.task.loads).q).max() < 1e-9
    assert abs(motion.q[-1, 1]) > 1e-3  # the load bends it
    assert np.abs(motion.qd[:, [0, 3]]).max() < 0.2002


def test_a_free_joint_ends_where_the_rest_hangs_still():
    arm = two_link("vertical")
    motion = ls.predict_motion(arm, start=[HANGING, 0], goal=[HANGING + 0.4, np.nan], duration=4.0, residual=1e-3,
                               limits=ls.Limits(torque=[8.0, 4.0]), minimise="torque_squared")  # fmt: skip
    end = motion.q[-1]
    assert np.abs(ls.equilibrium(arm, end[[0, 3]]).q - end).max() < 1e-6


@pytest.mark.slow
def test_obstacles_are_kept_clear_of_by_parts_that_are_named(moved):
    arm, post = moved.arm, ls.Sphere((1.0, 0.3, 0.0), 0.1)
    with pytest.raises(UnsupportedError, match=r"'name\.tip'"):
        ls.predict_motion(arm, **MOVE, obstacles=[post])
    part = ls.CollisionBody("link2.tip", (0, 0, 0), (0, 0, 0), 0.02)
    wide = MOVE | {"limits": ls.Limits(torque=1.0)}
    clear = ls.predict_motion(arm, **wide, obstacles=[post], residual=1e-2, bodies=[part])
    far = [np.linalg.norm(motion.tip - post.centre, axis=1).min() for motion in (moved, clear)]
    assert far[0] < 0.12 < far[1] + 1e-4


@pytest.mark.slow
def test_a_spatial_arm_that_bends_in_two_planes():
    motion = ls.predict_motion(spatial(modes=1), start=[0, 0.4, -0.8], goal=[0.8, 0.1, 0.3], duration=1.5, compare=True,
                               minimise="torque_squared", limits=ls.Limits(torque=[20, 40, 20]))  # fmt: skip
    bent = np.abs(motion.q[:, motion.arm.mode_index]).max(axis=0)
    assert (bent > 1e-3).all()  # both planes
    left, rigid = rings(motion), motion.compared["rigid plan"].residual
    assert left < 1e-5
    assert left < 5e-3 * rigid


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize(("plane", "move"), [(plane, k) for plane in MOVES for k in "abc"])
def test_every_move_stops_without_vibration(plane, move, damping):
    start, goal, duration = MOVES[plane][move]
    limits = ls.Limits(torque=[0.2, 0.1] if plane == "horizontal" else [8.0, 3.0])
    motion = ls.predict_motion(two_link(plane, damping), start=start, goal=goal, duration=duration, limits=limits,
                               minimise="torque_squared", compare=True)  # fmt: skip
    left, rigid = rings(motion, 1e-11), motion.compared["rigid plan"].residual
    assert left <= 1e-4
    assert left <= 5e-3 * rigid
    assert motion.verify().status == "verified"


@pytest.mark.slow
def test_shortest_time_of_the_flexible_arm():
    """Walked to: rigid links would take 3.497 s; the links' vibration costs a few percent of that, not more."""
    motion = ls.predict_motion(two_link(), start=[0, 0], goal=[0.8, 0.8], limits=LIMITS)
    assert motion.status == "solved"
    assert 3.497 < motion.duration < 3.7
    assert rings(motion) < 1e-5
    assert motion.verify().status == "verified"


@pytest.mark.slow
def test_time_and_effort_together():
    motion = ls.predict_motion(two_link(), start=[0, 0], goal=[0.8, 0.8], limits=LIMITS,
                               minimise={"time": 1.0, "torque_squared": 10.0})  # fmt: skip
    assert motion.status == "solved"
    assert motion.cost < 5.3
    assert rings(motion) < 1e-5


def test_dependent_equality_rows_do_not_stop_the_solver():
    """Modes at rest at both ends: IPOPT ran out of iterations for one in ten of such goals, whatever their digits."""
    arm, rng = ls.load("two_link_flexible"), np.random.default_rng(1)
    fields = {"start": [0, 0], "duration": 4.0, "minimise": "torque_squared", "limits": ls.Limits(torque=[0.2, 0.1]),
              "start_acceleration": [0, 0], "goal_acceleration": [0, 0]}  # fmt: skip
    for goal in ([0.8, 0.8], *([0.8, 0.8] + 1e-8 * rng.normal(size=(3, 2)))):
        motion = ls.predict_motion(arm, goal=goal, **fields, starts=1, iterations=60)
        assert motion.ok
        assert motion.cost == pytest.approx(0.102557, rel=1e-5)
