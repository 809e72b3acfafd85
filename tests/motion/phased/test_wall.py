"""An arm that reaches a wall, pushes against it and stays, by the contacts that walking machines have."""

import functools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion.result.verification.contacts import friction_at_rest

AHEAD, LEAST, MOST = 0.12, 40.0, 80.0
COST = {"effort_normalised": 1.0, "acceleration": 1e-4, "contact_force_rate": 1e-2}


def at_wall():
    """Return a UR5 with a wall in front of its tip."""
    arm = ls.load("ur5")
    tip = ls.pose(arm, arm.ready, arm.tip_frame)[:3, 3]
    palm = ls.Contact("palm", arm.tip_frame, friction=0.5, normal=(-1, 0, 0), height=-(tip[0] + AHEAD))
    return arm.replace(contacts=[palm])


def phases(**push):
    return [ls.Phase("reach", (), 0.5, 6), ls.Phase("push", ["palm"], 0.6, 6, **push)]


@functools.cache
def pushing():
    arm = at_wall()
    asked = phases(normal_force={"palm": (LEAST, MOST)})
    return ls.predict_motion(arm, start=arm.ready, goal=[np.nan] * 6, phases=asked, minimise=COST)


def test_an_arm_pushes_against_a_wall():
    motion = pushing()
    found = motion.verify()
    assert found.status == "verified"
    wall = -motion.arm.contacts[0].height
    pushes = motion.t >= 0.5
    normal = -motion.contacts.forces[:, 0, 0]
    assert normal[pushes].min() > LEAST - 0.2
    assert normal[pushes].max() < MOST + 0.2
    assert (normal[~pushes] == 0).all()
    assert np.abs(motion.contacts.points[pushes, 0, 0] - wall).max() < 1e-4
    assert motion.contacts.points[~pushes, 0, 0].max() < wall + 1e-6
    assert np.abs(motion.qd[[0, -1]]).max() < 1e-9
    # all joints have motors, so the torques are those of inverse dynamics with the force as a load
    load = ls.Load(motion.arm.tip_frame, force=motion.contacts.forces[:, 0])
    tau = ls.inverse_dynamics(motion.arm, motion.q, motion.qd, motion.qdd, loads=[load])
    assert np.allclose(tau, motion.tau, atol=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"payload": 0.1}, "verify: payload is not supported for motions with phases"),
        ({"stiffness": 0.1}, "verify: stiffness is not"),
        ({"modes": -3}, "verify: modes is not"),
        ({"feedback": "nonsense"}, "verify: feedback is not"),
        ({"rtol": 1e-6}, "verify: rtol is not"),
        ({"tolerance": 0}, "verify: tolerance is 0; expected a number above 0"),
        ({"per_segment": 2.5}, "verify: per_segment is 2.5; expected a whole number"),
    ],
)
def test_arguments_of_verify_that_do_not_count_are_refused(given, words):
    with pytest.raises(ls.LissomError, match=words):
        pushing().verify(**given)


def test_tables_hold_against_the_wall_at_the_end():
    motion = pushing()
    table = motion.table(999.0)  # the last sample is after the end of the motion
    assert table.t[-1] > motion.duration
    end = motion.contacts.forces[-1, 0]
    load = ls.Load(motion.arm.tip_frame, force=end)
    hold = ls.inverse_dynamics(motion.arm, motion.q[-1], 0 * motion.q[-1], 0 * motion.q[-1], loads=[load])
    assert np.allclose(table.tau[-1], hold, atol=1e-6)
    with pytest.raises(ls.UnsupportedError, match="motions with contacts"):
        motion.sensitivity()


def test_limits_of_acceleration_and_jerk_hold():
    """Those of the arm and of the task, everywhere in a phase, with durations that are free."""
    ends = {"start": at_wall().ready, "goal": [np.nan] * 6, "minimise": COST}
    asked = [ls.Phase("reach", (), (0.3, 0.9), 6), ls.Phase("push", ["palm"], (0.4, 0.8), 4)]
    free = ls.predict_motion(at_wall(), phases=asked, **ends)
    acceleration = 0.6 * np.abs(free.qdd[:, 2]).max()
    arm = at_wall().with_joint("elbow", limits=ls.Limits(acceleration=acceleration, torque=150))
    limits = ls.Limits(jerk=[np.inf, 25.0, np.inf, np.inf, np.inf, np.inf])
    motion = ls.predict_motion(arm, phases=asked, limits=limits, **ends)
    assert motion.verify().status == "verified"
    t = np.linspace(0.0, motion.duration, 2001)
    assert np.abs(motion.at(t)[2][:, 2]).max() == pytest.approx(acceleration, rel=1e-4)
    jerk = np.diff(motion.at(t)[2][:, 1]) / np.diff(t)
    begins = np.diff(t >= motion.contacts.phases[1].begin)
    assert np.abs(jerk[~begins]).max() == pytest.approx(25.0, rel=1e-3)
    assert {"acceleration", "jerk"} <= {peak.quantity for peak in motion.report.peaks}


def test_one_point_touches_two_planes_one_after_the_other():
    arm = at_wall()
    tip = ls.pose(arm, arm.ready, arm.tip_frame)[:3, 3]
    table = ls.Contact("table", arm.tip_frame, friction=0.5, height=tip[2] - 0.1)
    asked = [
        ls.Phase("down", (), 0.5, 5),
        ls.Phase("press", ["table"], 0.4, 4, normal_force={"table": (20, 60)}),
        ls.Phase("over", (), 0.5, 5),
        ls.Phase("push", ["palm"], 0.4, 4, normal_force={"palm": (LEAST, MOST)}),
    ]
    arm = arm.replace(contacts=[*arm.contacts, table])
    motion = ls.predict_motion(arm, start=arm.ready, goal=[np.nan] * 6, phases=asked, minimise=COST)
    assert motion.verify().status == "verified"
    place = motion.contacts.points[:, 0]
    assert place[:, 2].min() > table.height - 1e-4
    assert place[:, 0].max() < -arm.contacts[0].height + 1e-4


def test_the_command_finds_and_verifies_it(tmp_path):
    arm = at_wall()
    ls.save(arm, tmp_path / "arm.toml")
    goal = ", ".join(["nan"] * 6)
    (tmp_path / "push.toml").write_text(f"""
lissom_task = 1
arm = "arm.toml"
start = {arm.ready.tolist()}
goal = [{goal}]
minimise = {{ effort_normalised = 1.0, acceleration = 1e-4 }}

[[phases]]
name = "reach"
duration = 0.5
segments = 4

[[phases]]
name = "push"
contacts = ["palm"]
duration = 0.4
segments = 3
normal_force = {{ palm = [40, 80] }}
""")
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "push.toml"), "--verify", "--json"])
    found = json.loads(result.stdout)
    assert found["verification"]["ok"]
    assert found["verification"]["slip"] < 1e-3


def test_a_contact_that_holds_from_start_to_goal_stays():
    arm = at_wall()
    touch = pushing().q[-1]
    asked = [ls.Phase("push", ["palm"], 0.4, 4, normal_force={"palm": (20, 60)})]
    motion = ls.predict_motion(arm, start=touch, goal=touch, phases=asked, minimise=COST)
    found = motion.verify()
    assert found.ok
    assert found.slip < 1e-6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"phases": [ls.Phase("push", ["plam"])]}, "did you mean 'palm'"),
        ({"phases": [ls.Phase("push", ["palm"], 0.4)]}, "holds in phase 'push', but at the start it is"),
        ({"phases": phases(), "start": [np.pi, -0.4, 0.4, 0, 0, 0], "goal": [np.nan] * 6},
         r"'palm' is 0.\d* m beyond its plane at the start; expected it on the side"),
        ({"phases": [ls.Phase("reach", (), (0.2, 0.3))], "duration": (0.5, 1)},
         "the phases take 0.2 to 0.3 s, but duration is 0.5 to 1 s"),
        ({"phases": phases(), "contacts": ["fist"]}, "phase 'push' names contact 'palm'"),
        ({"phases": phases(), "via": [ls.Via(0.5, [0] * 6)]}, "via is not supported together with phases"),
        ({"phases": phases(), "margin": 0.1}, "margin is not supported together with phases"),
        ({"phases": phases(), "bodies": [ls.CollisionBody("wrist_3", (0, 0, 0), (0, 0, 0.1), 0.05)]},
         "bodies is not supported together with phases"),
        ({"phases": phases(), "minimise": "jerk"}, "jerk is not supported with phases"),
        ({"phases": phases(), "minimise": lambda q, qd, qdd, tau: q[0]}, "functions as criteria"),
        ({"phases": phases(), "limits": ls.Limits(torque_rate=3)}, "limits of torque_rate are not supported"),
        ({"phases": phases(), "goal": ls.Reach("wrist_3", (0.5, 0, 0.3))}, "goal is a Reach"),
        ({"phases": phases(), "refine": 1e-3}, "refine is not available"),
        ({"phases": phases(), "workers": 7}, "workers is not available for motions with phases"),
        ({"phases": phases(), "scheduler": "nonsense"}, "scheduler is not available for motions with phases"),
        ({"phases": phases(), "regularise": 0.01}, "regularise is not available for motions with phases"),
        ({"phases": phases(), "start": None, "goal": None, "periodic": True, "travel": ls.Travel("elbow")},
         "expected a prismatic coordinate"),
        ({"phases": phases(), "start": None, "goal": None, "mirror": True}, "has no mirror"),
        ({"minimise": {"contact_force_rate": 1.0}, "duration": 1.0}, "is for motions with contacts"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(changes, words):
    arm = at_wall()
    given = {"start": arm.ready, "goal": arm.ready, "minimise": "effort_normalised"} | changes
    with pytest.raises(ls.LissomError, match=words):
        ls.predict_motion(arm, **given)


def test_contacts_that_cannot_move_are_refused():
    stand = ls.Link("stand", joint=ls.Joint("fixed"))
    arm = at_wall()
    arm = arm.replace(links=[stand, *arm.links], contacts=[ls.Contact("foot", "stand")])
    asked = [ls.Phase("stay", ["foot"], 0.5)]
    with pytest.raises(ls.InputError, match="'foot' holds in phase 'stay', but its link 'stand' cannot move"):
        ls.predict_motion(arm, start=arm.ready, goal=arm.ready, phases=asked, minimise="energy")


def test_other_arms_are_refused():
    flexible = ls.load("two_link_flexible")
    with pytest.raises(ls.UnsupportedError, match="flexible links"):
        ls.predict_motion(flexible, start=[0, 0], goal=[1, 1], phases=[ls.Phase("fly", (), 1.0)], minimise="energy")


def test_friction_of_a_joint_that_hardly_moves_is_named():
    motion = pushing()
    still = motion.q.copy()
    defects = np.zeros((12, 6))
    assert friction_at_rest(motion, defects) == ""
    still[:, 0] = 0.3
    rough = motion.arm.with_joint(motion.arm.coordinates[0], friction=2.0)
    words = friction_at_rest(SimpleNamespace(arm=rough, q=still), defects)
    assert f"{rough.coordinates[0]!r} has Coulomb friction but hardly moves" in words
    assert "0.3}), or give it friction=0" in words
