"""Identification from torques: truth is found on synthetic logs, and what it cannot do is refused by name."""

import numpy as np
import pytest

import lissom as ls
from lissom.identification.result.friction import joint_friction
from lissom.identification.signals.samples import samples_of

RATE = 100.0


def recorded(arm, seed=0, duration=20.0, level=0.01, load=""):
    """A log of a motion of eight harmonics, with noise of the torques that is not white."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, duration, 1 / RATE)[:, None]
    q, qd, qdd = np.zeros((len(t), arm.dof)) + arm.home, 0.0, 0.0
    for k in range(1, 9):
        w, a, p = 2 * np.pi * k / 10, rng.normal(size=arm.dof) * 0.5 / k, rng.uniform(0, 6, arm.dof)
        q, qd, qdd = q + a * np.sin(w * t + p), qd + a * w * np.cos(w * t + p), qdd - a * w**2 * np.sin(w * t + p)
    tau = ls.inverse_dynamics(arm, q, qd, qdd)
    noise = rng.normal(size=tau.shape)
    for k in range(1, len(noise)):
        noise[k] += 0.9 * noise[k - 1]
    tau = tau + level * np.abs(tau).std(axis=0) * noise
    return ls.Log(t=t[:, 0], q=q, tau=tau, joints=tuple(joint.name for joint in arm.joints), load=load)


def wrong(arm):
    """The arm with other masses and without friction, as a URDF would have it."""
    for k, link in enumerate(arm.links):
        arm = arm.with_link(link.name, mass=link.mass * (1.3 if k % 2 else 0.8))
        if link.joint.moves:
            arm = arm.with_joint(link.joint.name, damping=0.0, friction=0.0)
    return arm


@pytest.fixture(scope="module")
def puma():
    arm = ls.load("puma560")
    return arm, ls.identify(wrong(arm), recorded(arm))


def test_the_identified_arm_predicts_other_motions(puma):
    arm, found = puma
    check = found.check(recorded(arm, seed=5, level=0.0))
    assert (check.relative < 0.02).all()
    assert (check.rmse < 0.4 * check.rmse_before).all()
    assert found.friction == ("viscous", "coulomb", "offset")
    q = np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8])
    near = ls.inverse_dynamics(found.arm, q, q, q) - ls.inverse_dynamics(arm, q, q, q)
    assert (np.abs(near) < 0.03 * check.measured.std(axis=0)).all()


def test_standard_deviations_hold(puma):
    """The truth is the prior of the true arm, in the same combinations."""
    arm, found = puma
    truth = ls.identify(arm, recorded(arm)).table
    assert truth.names == found.table.names
    z = (found.table.values - truth.prior) / found.table.std
    assert found.table.names[0].startswith("waist.Iyy - 0.1865 shoulder.m")
    assert np.mean(np.abs(z) < 2) > 0.85
    assert 0.7 < z.std() < 1.3


def test_links_can_exist_and_drives_take_power(puma):
    _, found = puma
    for link in found.arm.links:
        second = np.trace(link.inertia) / 2 * np.eye(3) - link.inertia
        assert link.mass > 0
        assert np.linalg.eigvalsh(second)[0] > 0
        assert min(link.joint.friction, link.joint.damping, link.joint.reflected_inertia) >= 0
    assert found.arm.notes[-1].startswith("identified from log (19.99 s at 100 Hz)")


def test_inertia_of_drives_does_not_become_mass_of_links():
    """Drives of joints 1 and 2 turn about the same axes as links: given without any, they take what links do not."""
    arm = machine = ls.load("ur5e")
    for k, joint in enumerate(arm.joints, 1):
        machine = machine.with_joint(joint.name, armature=0.4 / k)
    log = recorded(machine, duration=10.0, level=0.005)
    found = ls.identify(arm, log, friction=None, skew=None)
    assert found.arm.link("upper_arm").mass == pytest.approx(arm.link("upper_arm").mass, rel=0.1)
    armatures = [joint.reflected_inertia for joint in found.arm.joints[:2]]
    np.testing.assert_allclose(armatures, (0.4, 0.2), atol=0.08)
    assert not any("masses of" in note for note in found.notes)
    light = arm.with_link("upper_arm", mass=2.0)
    notes = ls.identify(light, log, friction=None, skew=None).notes
    assert any("the masses of upper_arm (2 to" in note for note in notes)


def test_delays_of_torques_are_found_and_taken_out():
    arm = ls.load("two_link")
    log = recorded(arm, level=0.002)
    late = np.column_stack([np.interp(log.t - delay, log.t, log.tau[:, k]) for k, delay in enumerate((0.012, 0.004))])
    found = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=late))
    np.testing.assert_allclose(found.skew, (0.012, 0.004), atol=1e-3)
    assert (np.abs(found.skew - (0.012, 0.004)) < 4 * found.skew_std).all()
    as_given = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=late), skew=[0.012, 0.004])
    assert (as_given.rmse < 1.1 * found.rmse).all()


def test_trees_and_sliding_joints():
    arm = ls.load("tree_demo")
    found = ls.identify(wrong(arm), recorded(arm, level=0.003), friction="viscous+coulomb")
    assert (found.check(recorded(arm, seed=3, level=0.0)).relative < 0.03).all()


def test_friction_laws_are_chosen_and_held_by_the_arm():
    """Degressive friction, and friction that grows with the load, as real gears have it."""
    arm = ls.load("two_link")
    law = ls.Friction(coulomb=0.8, viscous=1.2, degressive=-0.25, degressive_rate=4.0, load=0.06)
    rough = arm.with_joint("upper", friction=law).with_joint("fore", friction=0.3)
    found = ls.identify(arm, recorded(rough, duration=30.0, level=0.002))
    assert found.friction == ("viscous", "coulomb", "degressive", "load")
    assert abs(found.arm.joint("upper").friction.load - 0.06) < 4 * found.table["upper.load"].std
    check = found.check(recorded(rough, seed=4, level=0.0))
    assert (check.relative < 0.02).all()
    q, qd = np.array([0.2, 0.5]), np.array([1.5, -0.7])
    own, true = (ls.inverse_dynamics(one, q, qd, q) for one in (found.arm, rough))
    np.testing.assert_allclose(own, true, atol=0.03 * np.abs(check.measured).std())


def test_friction_that_would_drive_is_cut_off():
    fields = joint_friction({"coulomb": 1.0, "viscous": 0.5, "degressive": -3.0, "viscous_asymmetry": 0.8}, 2.0)
    assert fields["damping"] == 0.0
    rates = np.linspace(-4.0, 4.0, 101)
    assert (fields["friction"].torque(rates) * rates >= -1e-6).all()
    assert joint_friction({"coulomb": 1.0, "viscous": 0.5}, 2.0) == {"damping": 0.5, "friction": 1.0}


def test_extra_columns_are_functions_or_arrays():
    arm = ls.load("two_link")
    log = recorded(arm, level=0.002)

    def spring(q, qd, qdd):
        return np.stack([np.sin(2 * q[:, 0]), 0 * q[:, 0]], axis=-1)

    log = ls.Log(t=log.t, q=log.q, tau=log.tau + 3.0 * spring(log.q, None, None))
    for given in (spring, spring(log.q, None, None)):
        found = ls.identify(arm, log, extra={"spring": given}, friction=None)
        row = found.table["spring"]
        assert row.identifiable
        assert abs(row.value - 3.0) < 4 * row.std
        assert "no field for spring" in found.notes[-1]
    assert found.check(log, extra={"spring": spring(log.q, None, None)}).ok
    with pytest.raises(ls.InputError, match=r"extra\['spring'\] has shape \(3, 2\)"):
        ls.identify(arm, log, extra={"spring": np.zeros((3, 2))})


def test_extra_columns_and_gains_that_cannot_be_are_refused():
    arm = ls.load("two_link")
    log = recorded(arm, duration=8.0)
    column = np.sin(log.q)
    for extra, words in (
        ({"upper.viscous": column}, r"extra has 'upper\.viscous', which is a parameter of arm 'two_link'"),
        ({"fore.m": column}, "give the column another name"),
        ({"payload.m": column}, "give the column another name"),
        ({"own": lambda q: q}, r"is a function of \(q\); expected \(q, qd, qdd\)"),
        ({"own": lambda q, qd, qdd: "none"}, "returns 'none'; expected torques like q"),
    ):
        with pytest.raises(ls.InputError, match=words):
            ls.identify(arm, log, extra=extra, friction=None)
    found = ls.identify(arm, log, extra={"own": column}, friction=None)
    with pytest.raises(ls.InputError, match=r"extra own was given as an array.*or identify with a function"):
        found.check(recorded(arm, seed=1, duration=8.0))
    currents = ls.Log(t=log.t, q=log.q, current=log.tau)
    for gains in ([10.0] * 3, "ten", [10.0, np.nan], 0.0):
        with pytest.raises(ls.InputError, match="expected 2 torques per current"):
            ls.identify(arm, currents, gains=gains, friction=None)


def test_payloads_and_currents():
    arm = ls.load("ur5e")
    for link in arm.links:
        arm = arm.with_joint(link.joint.name, damping=2.0, friction=1.0, armature=0.3) if link.joint.moves else arm
    carried = ls.Payload(1.5, (0.02, -0.01, 0.08), np.diag([0.004, 0.004, 0.003]))
    free = recorded(arm, 0, duration=12.0, level=0.002)
    disc = recorded(arm.with_payload(carried), 1, duration=12.0, level=0.002, load="disc")
    found = ls.identify(arm, [free, disc], friction="viscous+coulomb")
    assert abs(found.payload.mass - 1.5) < 4 * found.table["payload.m"].std
    np.testing.assert_allclose(found.payload.com, carried.com, atol=0.01)
    gains = np.array([11.0, 12.0, 10.0, 9.0, 9.5, 10.5])
    logs = [ls.Log(t=log.t, q=log.q, current=log.tau / gains, load=log.load) for log in (free, disc)]
    by_mass = ls.identify(arm, logs, payload=1.5, friction="viscous+coulomb", skew=None)
    assert (np.abs(by_mass.gains - gains) < 4 * by_mass.gain_std).all()
    np.testing.assert_allclose(by_mass.gains[:4], gains[:4], rtol=0.03)
    with pytest.raises(ls.InputError, match="currents and no torques"):
        ls.identify(arm, logs)
    alone = ls.identify(arm, disc, payload=arm.tip_frame, friction="viscous+coulomb")
    assert abs(alone.payload.mass - 1.5) < 4 * alone.table["payload.m"].std
    assert alone.arm.mass == pytest.approx(arm.mass)


# ---- refusals and doubts -----------------------------------------------------------------------


def test_what_a_log_does_not_show_is_named_and_kept():
    arm = ls.load("two_link")
    log = recorded(arm, level=0.002)
    still = np.column_stack([log.q[:, 0], np.full(len(log.t), 0.4)])
    qd = np.gradient(still, log.t, axis=0)
    log = ls.Log(t=log.t, q=still, tau=ls.inverse_dynamics(arm, still, qd, np.gradient(qd, log.t, axis=0)))
    found = ls.identify(arm, log)
    assert not found.table["fore.armature"].identifiable
    assert any("do not excite" in note and "fore." in note for note in found.notes)
    assert found.arm.joints[1].armature == arm.joints[1].armature
    assert found.arm.joints[1].friction == arm.joints[1].friction


def test_a_log_of_another_robot_is_doubted():
    arm = ls.load("puma560")
    log = recorded(arm, duration=10.0)

    def notes(arm, **changes):
        other = ls.Log(**({"t": log.t, "q": log.q, "tau": log.tau} | changes))
        return " ".join(ls.identify(arm, other, friction="viscous+coulomb", skew=None).notes)

    assert "another robot" in notes(arm, q=log.q[:, [1, 0, 2, 3, 4, 5]])
    assert "torques of shoulder run against" in notes(arm, tau=log.tau * (1, -1, 1, 1, 1, 1))
    assert "masses that cannot exist" in notes(arm.with_gravity((0, 0, 9.81)))


def test_a_log_of_a_lighter_or_slower_robot_is_doubted():
    """Torques of a Puma, and motions in degrees that are within the limits, fit an arm with other masses well."""
    arm, other = ls.load("ur10"), ls.load("puma560")
    log = recorded(other, duration=10.0)
    notes = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=log.tau), friction="viscous+coulomb", skew=None).notes
    assert any("far from those given; the log may be of another robot, or in other units" in note for note in notes)
    q = 0.05 * (log.q - log.q[0]) + arm.home
    rates = np.gradient(q, log.t, axis=0)
    tau = ls.inverse_dynamics(arm, q, rates, np.gradient(rates, log.t, axis=0))
    notes = ls.identify(arm, ls.Log(t=log.t, q=np.degrees(q), tau=tau), friction="viscous", skew=None).notes
    assert any("the log may be of another robot, or in other units" in note for note in notes)


def test_errors_of_masses_are_no_other_robot():
    """Masses that a log hardly shows wander off; the arm that was given predicts most of the torques all the same."""
    arm = ls.load("xarm7")
    notes = ls.identify(wrong(arm), recorded(arm, duration=10.0, level=0.02), friction="viscous+coulomb").notes
    assert not any("another robot" in note for note in notes)


def test_an_arm_at_rest_is_refused_and_joints_at_rest_are_named():
    arm, rng = ls.load("ur5e"), np.random.default_rng(0)
    log = recorded(arm, duration=10.0)
    still = log.q[0] + 1e-5 * rng.normal(size=log.q.shape)
    held = ls.Log(t=log.t, q=still, tau=ls.gravity_forces(arm, still) + 0.1 * rng.normal(size=still.shape))
    with pytest.raises(ls.InputError, match=r"no joint moves by more than 0\.1 % of its range"):
        ls.identify(arm, held)
    q = np.column_stack([log.q[:, :3], still[:, 3:]])
    rates = np.gradient(q, log.t, axis=0) * (1, 1, 1, 0, 0, 0)
    sticking = np.array([0, 0, 0, 1.5, 1.0, -0.7])
    tau = ls.inverse_dynamics(arm, q, rates, np.gradient(rates, log.t, axis=0)) + sticking * np.sin(log.t)[:, None]
    found = ls.identify(arm, ls.Log(t=log.t, q=q, tau=tau), skew=None)
    assert found.notes[0].startswith("wrist_1, wrist_2, wrist_3 rest in these logs")
    assert not any("another robot" in note for note in found.notes)


def test_missing_torques_are_looked_for_among_the_columns():
    arm = ls.load("two_link")
    log = recorded(arm, duration=5.0)
    table = {"t": log.t} | {f"{word}_{k + 1}": log.q[:, k] for k in range(2) for word in ("q", "target_moment")}
    with pytest.raises(ls.InputError, match=r"no torques.*It has columns not used: target_moment_\*"):
        ls.identify(arm, ls.load_log(table, arm))


def test_torques_that_are_filtered_already_are_noticed():
    arm = ls.load("puma560")
    log = recorded(arm)
    mean = np.apply_along_axis(np.convolve, 0, log.tau, np.full(30, 1 / 30), "same")
    for tau, late in ((mean, True), (log.tau, False)):
        notes = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=tau), friction="viscous+coulomb").notes
        assert any("they seem to be filtered already" in note for note in notes) == late


@pytest.mark.parametrize("step", [0.0, 2e-3])
def test_deviations_hold_with_coarse_encoders(step):
    """Noise or steps of 0.1 degrees are no motion: the filter stays where the motion is."""
    arm, z = ls.load("ur5e"), []
    for seed in range(2):
        log = recorded(arm, seed, level=0.02)
        noise = 1e-3 * np.random.default_rng(seed).normal(size=log.q.shape)
        q = np.round(log.q / step) * step if step else log.q + noise
        found = ls.identify(arm, ls.Log(t=log.t, q=q, tau=log.tau), friction="viscous+coulomb", skew=None)
        assert found.predictor.cutoff_hz < 6.0
        z.append((found.table.values - found.table.prior) / found.table.std)
    z = np.concatenate(z)
    assert 0.8 < z.std() < 1.25


def test_noise_of_joints_that_bear_little_is_no_doubt():
    arm = ls.load("ur5e")
    log = recorded(arm, duration=10.0, level=0.0)
    noise = 0.05 * np.random.default_rng(0).normal(size=log.tau.shape)
    found = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=log.tau + noise), friction=None, skew=None)
    fit = found.fits[0]
    assert (fit.rmse > 0.5 * fit.measured.std(axis=0)).any()
    assert not any("another robot" in note for note in found.notes)


def test_refusals_name_what_is_not_covered():
    arm, log = ls.load("two_link"), recorded(ls.load("two_link"))
    elastic = arm.with_joint("fore", armature=0.1, elastic=ls.JointElasticity(1e3))
    for other, words in (
        (ls.load("two_link_flexible"), "flexible"),
        (elastic, "joints fore of arm 'two_link' are elastic"),
    ):
        with pytest.raises(ls.UnsupportedError, match=words):
            ls.identify(other, ls.Log(t=log.t, q=log.q, tau=log.tau))
    with pytest.raises(ls.InputError, match="those of arm 'two_link' are upper, fore"):
        ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=log.tau, joints=("a", "b")))
    with pytest.raises(ls.InputError, match="look like degrees"):
        ls.identify(arm, ls.Log(t=log.t, q=np.degrees(log.q), tau=log.tau))
    for options, words in (
        ({"friction": "viscos"}, "did you mean 'viscous'"),
        ({"strength": -1}, "expected a number above 0"),
        ({"cutoff_hz": 90.0}, "between 0 and 50 Hz"),
        ({"skew": "none"}, "expected 'auto'"),
        ({"method": "tork"}, "did you mean 'torque'"),
        ({"payload": -2.0}, "its known mass"),
        ({"payload": "gripper"}, "no link or tool"),
    ):
        with pytest.raises(ls.LissomError, match=words):
            ls.identify(arm, log, **options)
    with pytest.raises(ls.InputError, match="no torques"):
        ls.identify(arm, ls.Log(t=log.t, q=log.q))


# ---- what people see ---------------------------------------------------------------------------


def test_the_arm_is_saved_with_where_its_numbers_come_from(puma, tmp_path):
    _, found = puma
    found.save(tmp_path / "arm.toml")
    again = ls.load(tmp_path / "arm.toml")
    assert again == found.arm
    assert "prior of strength 1" in again.notes[-1]
    with pytest.raises(ls.InputError, match=r"written as \.toml"):
        found.save(tmp_path / "arm.urdf")


def test_identified_numbers_go_back_into_a_urdf(puma, tmp_path):
    _, found = puma
    dropped = ls.save(found.arm, tmp_path / "arm.urdf", lossy=True)
    assert any("drive inertia" in loss for loss in dropped)
    again = ls.load(tmp_path / "arm.urdf")
    q, qd = np.random.default_rng(4).normal(size=(2, 5, again.dof))
    for function, state in ((ls.gravity_forces, (q,)), (ls.coriolis_matrix, (q, qd))):  # drive inertia is in neither
        want = function(found.arm, *state)
        assert np.abs(function(again, *state) - want).max() < 1e-12 * np.abs(want).max()


def test_the_table_prints_and_is_searched(puma):
    _, found = puma
    text = str(found.table)
    assert text.splitlines()[0].split() == ["parameter", "value", "std", "prior", "used", "unit", "identifiable"]
    assert found.table["elbow.coulomb"].prior == 0.0
    with pytest.raises(ls.InputError, match=r"did you mean 'elbow\.coulomb'"):
        found.table["elbow.coulom"]


@pytest.mark.parametrize("kind", ["torques", "spectrum"])
def test_figures_and_page(puma, kind, tmp_path):
    _, found = puma
    figure = ls.plot(found, kind)
    assert [ax.get_title().split(":")[0] for ax in figure.axes] == list(found.joints)
    if kind == "torques":
        page = found.report(tmp_path / "id.html").read_text(encoding="utf-8")
        assert "shoulder.mcy" in page
        assert page.count("<figure") == 2


@pytest.mark.parametrize(("factor", "word"), [(0.01, "100 times smaller"), (1000.0, "1000 times larger"), (1.0, "")])
def test_torques_of_another_unit_are_noticed(factor, word):
    arm = ls.load("two_link")
    log = recorded(arm)
    found = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=factor * log.tau), friction="viscous", skew=None)
    said = [note for note in found.notes if "check their unit" in note]
    assert (word in said[0]) if word else not said


def test_torques_of_motors_are_noticed_where_small_joints_have_friction():
    """The friction of wrists exceeds what the given arm says, also in a unit that is 100 times too large."""
    arm = rough = ls.load("ur10")
    for joint in arm.joints:
        rough = rough.with_joint(joint.name, friction=3.0, damping=3.0)
    log = recorded(rough, duration=10.0)
    notes = ls.identify(arm, ls.Log(t=log.t, q=log.q, tau=0.01 * log.tau), skew=None).notes
    assert any("times smaller than those of the arm given: check their unit" in note for note in notes)


def test_long_logs_have_fewer_samples_per_period():
    arm, t = ls.load("two_link"), np.arange(0.0, 3000.0, 0.01)
    q = np.sin(np.outer(t, (1.3, 2.1)))
    log = ls.Log(t=t, q=q, tau=q)
    assert len(samples_of(log, 4.0, arm).t) == 150_000
    assert len(samples_of(log.between(0.0, 100.0), 2.0, arm).t) == 10_001


def test_times_of_dead_sensors_are_left_out():
    """Torques that are held for 4 s of 20 s leave the result as good as without these times."""
    arm = ls.load("two_link")
    log = recorded(arm, level=0.002)
    tau = log.tau.copy()
    tau[800:1200, 1] = tau[800, 1]
    held = ls.Log(t=log.t, q=log.q, tau=tau, joints=log.joints)
    assert held.dead == ((log.t[800], log.t[1199]),)
    found = ls.identify(wrong(arm), held)
    assert (found.check(recorded(arm, seed=5, level=0.0)).relative < 0.01).all()
    assert any("fits of torques leave out 3.99 s" in note for note in found.notes)
