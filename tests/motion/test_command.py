"""Commands of motions for actuators with lag: planned torques act, through the lag, in an independent simulation."""

import dataclasses

import numpy as np
import pytest
from scipy.interpolate import make_lsq_spline
from scipy.signal import lfilter

import lissom as ls
from lissom.motion.result.report import UnactuatedSplines
from lissom.simulation.controllers.planned import planned_torques

LAG = 0.01
END = 0.8
SEGMENTS = 40


def lagging(arm, lag=LAG):
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, actuator=ls.Actuator(lag))
    return arm


def rod(friction=0.0):
    beam = ls.Beam(0.5, 0.2, EI=1.0, modes=ls.Modes(bending_z=2), damping=0.01)
    link = ls.Link("rod", joint=ls.Joint(friction=friction), inertia=0.1, beam=beam, payload=ls.Payload(0.1))
    return ls.Arm("rod", [link], gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def planned():
    """A motion of the rod, whose modal splines have one continuous derivative."""
    return ls.predict_motion(lagging(rod()), start=[0.0], goal=[0.4], duration=END, minimise="torque_squared")


def smooth(motion):
    """The same joint from rest to rest, with modes as a simulation finds them, on splines of four derivatives."""
    s = np.linspace(0, 1, 8001)
    rise = s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)
    knots = np.concatenate([np.zeros(6), np.linspace(0, 1, SEGMENTS + 1)[1:-1], np.ones(6)])
    joint = make_lsq_spline(s, 0.4 * rise, knots, 5)
    course = ls.Profile(END * s, joint.derivative(2)(s) / END**2, "cubic")
    run = ls.simulate(rod(), prescribed={"rod": course}, until=END, dt=END / 8000, every=END / 8000, method="rk8")
    modes = make_lsq_spline(s, run.q[:, 1:], knots, 5)
    breaks = np.linspace(0, 1, SEGMENTS + 1)
    return dataclasses.replace(
        motion, breaks=breaks, degree=5, continuity=4, control_points=joint.c[:, None],
        unactuated=UnactuatedSplines(breaks, 5, 4, modes.c),
    )  # fmt: skip


def tip_error(arm, motion, tau):
    """Largest distance of the tip from the plan [m], open loop."""
    run = ls.simulate(
        arm, motion.q[0], tau=tau, tau0=motion.tau[0], until=motion.duration, dt=1e-4, method="rk8", every=2e-3
    )
    plan = ls.pose(arm, motion.at(np.minimum(run.t, motion.duration))[0], "rod.tip")[:, :3, 3]
    return np.linalg.norm(run.tip - plan, axis=1).max()


def test_smooth_modes(planned):
    """Splines of all coordinates with two continuous derivatives: exact but for the splines."""
    motion = smooth(planned)
    command = motion.command()
    assert command.note == ""
    assert not len(set(command.jumps) - {motion.duration})
    late, ideal = lagging(rod()), rod()
    free = np.linalg.norm(
        ls.simulate(ideal, motion.q[0], tau=planned_torques(motion), until=END, dt=1e-4, method="rk8").tip[-1]
        - ls.pose(ideal, motion.q[-1], "rod.tip")[:3, 3]
    )
    assert free < 1e-6
    assert tip_error(late, motion, planned_torques(motion)) > 1e-3  # 1.6 mm without
    assert tip_error(late, motion, command) < 2e-6
    t = np.linspace(0.05, 0.75, 29)
    rate = (motion.torques(t + 1e-5) - motion.torques(t - 1e-5)) / 2e-5
    assert np.abs(command(t) - motion.torques(t) - LAG * rate).max() < 1e-7


def test_modes_with_kinks(planned):
    """Planned torques jump by little at the breaks of modal splines: blended, the tip stays within 0.02 mm."""
    command = planned.command()
    assert "The planned torque jumps at" in command.note
    late = lagging(rod())
    assert tip_error(late, planned, planned_torques(planned)) > 1e-3
    assert tip_error(late, planned, command) < 2e-5


def test_both_sides_meet_at_their_mean(planned):
    """What acts behind the lag is continuous and differs from the plan near jumps alone."""
    command, tau = planned.command(), planned_torques(planned)
    h = 2e-6
    t = np.arange(0, planned.duration, h)
    decay, begin = np.exp(-h / LAG), tau(t[:1])[0, 0]
    behind, _ = lfilter([1 - decay], [1, -decay], command(t[:-1] + h / 2)[:, 0], zi=[decay * begin])
    acting = np.append(begin, behind)
    size = np.abs(tau(t)[:, 0]).max()
    jumps = np.array([tau(x)[0] - tau(x, before=True)[0] for x in tau.jumps[:-1].tolist()])
    assert np.abs(acting - tau(t)[:, 0]).max() < 0.51 * np.abs(jumps).max() + 1e-6 * size


def test_rigid_arms_and_verification():
    """Cubic splines have two continuous derivatives; `verify` and `Follow` command what acts."""
    arm = lagging(ls.load("two_link"), 0.02)
    motion = ls.predict_motion(arm, start=[0, 0], goal=[1.0, 0.5], duration=1.0, minimise="torque_squared")
    checked = motion.verify()
    assert checked.ok
    assert checked.joint_error.max() < 1e-6
    assert checked.run.report.provenance["controller_states"] == ["applied[upper]", "applied[fore]"]
    given = {"tau0": motion.tau[0], "until": 1.0, "every": 0.01, "rtol": 1e-10, "atol": 1e-12}
    plain = ls.simulate(arm, motion.q[0], tau=planned_torques(motion), **given)
    assert np.abs(plain.q[-1] - motion.q[-1]).max() > 1e-3
    followed = ls.simulate(arm, motion.q[0], tau=ls.Follow(motion, kp=0.0, kd=0.0), **given)
    assert np.abs(followed.q - motion.at(followed.t)[0]).max() < 1e-6
    assert motion.verify(feedback=ls.PD(0.0, 30.0, 3.0)).joint_error.max() < 1e-6
    one = motion.command([0.02, 0.0])(np.array([0.3]))
    assert one[0, 0] == motion.command()(np.array([0.3]))[0, 0]
    assert one[0, 1] == pytest.approx(motion.torques(0.3)[1], abs=1e-12)


def test_friction_that_changes_its_direction():
    arm = lagging(ls.load("two_link").with_joint("upper", friction=0.3))
    motion = ls.predict_motion(arm, start=[0, 0], goal=[0.0, 0.8], duration=0.8, minimise="torque_squared")
    command = motion.command()
    assert "at 'upper' at t = " in command.note
    assert "which no actuator with lag follows" in command.note
    follow = ls.simulate(arm, motion.q[0], tau=ls.Follow(motion, kp=50.0, kd=5.0), until=0.8, every=0.01)
    assert any("no actuator with lag follows" in note for note in follow.report.notes)


@pytest.mark.slow
def test_tip_of_the_two_link_arm_behind_a_lag_of_10_ms():
    """0.43 m in 2 s: within 0.02 mm with the command; 6.3 mm off with the planned torques alone."""
    arm = ls.load("two_link_flexible")
    for link in arm.links:
        arm = arm.with_link(link.name, beam=link.beam.replace(damping=0.01))
    begin, by = ls.pose(arm, arm.expanded(np.array([0.2, 1.2])), "link2.tip")[:2, 3], np.array([-0.35, 0.25])

    def path(t):
        s = min(max(t / 2.0, 0.0), 1.0)
        return begin + by * s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)

    motion = ls.track_motion(arm, path, "link2.tip", "xy", 2.0, start=[0.2, 1.2])
    off = {}
    for name, tau in (("torques", planned_torques(motion)), ("command", motion.command(LAG))):
        run = ls.simulate(
            lagging(arm), motion.q[0], tau=tau, tau0=motion.tau[0], until=motion.duration, dt=2.5e-4, every=5e-3
        )
        want = np.array([path(t - motion.shift) for t in run.t])
        off[name] = np.linalg.norm(run.tip[:, :2] - want, axis=1).max()
    assert off["command"] < 2e-6
    assert 4e-3 < off["torques"] < 9e-3


def test_refusals(planned):
    with pytest.raises(ls.InputError, match="lag is -1; expected one number of at least 0"):
        planned.command(-1)
    with pytest.raises(ls.InputError, match=r"lag is .*; expected one number of at least 0 \[s\], or 1, one per joint"):
        planned.command([0.1, 0.2])


def test_tables_have_commands_beside_the_torques_that_act(planned, tmp_path):
    table = planned.table(rate_hz=100)
    assert np.array_equal(table.command, planned.command()(table.t))
    assert "command[rod]" in table.columns
    table.to_csv(tmp_path / "rod.csv")
    text = (tmp_path / "rod.csv").read_text()
    assert "command is what to send to the motors" in text
    assert dataclasses.replace(table, command=None).header == table.header.rpartition(", command")[0]
