"""Logs: names of columns, units, repairs, refusals."""

import numpy as np
import pytest

import lissom as ls
from lissom.formats.columns.headers import meanings, time_factor, unit_factor
from lissom.identification.logs.plausible import check_units
from lissom.identification.logs.tables import read_text

JOINTS = ("shoulder_pan", "elbow", "wrist_1")
ARM = ls.Arm("three", [
    ls.Link(name, parent=parent, joint=ls.Joint("revolute", axis=(0, 1, 0)), mass=1.3, com=(0.2, 0.1, 0))
    for name, parent in zip(JOINTS, (None, *JOINTS[:2]), strict=True)
])  # fmt: skip
T = np.arange(0.0, 3.0, 0.004)


def motion(t=T):
    return np.column_stack([np.sin(1.3 * t + k) * (0.5 + 0.2 * k) for k in range(3)])


def signals(t=T):
    q = motion(t)
    return {"q": q, "qd": np.gradient(q, t, axis=0), "tau": 3.0 * np.cos(2.1 * t)[:, None] + q}


STYLES = {
    "native": ["q[{}]", "qd[{}]", "tau[{}]"],
    "dots": ["{}.position", "{}.velocity", "{}.effort"],
    "plotjuggler": ["/joint_states/{}/position", "/joint_states/{}/velocity", "/joint_states/{}/effort"],
    "words before": ["position_{}", "velocity_{}", "torque_{}"],
    "bare": ["{}", "qd_{}", "tau_{}"],
}
NUMBERED = {
    "UR": (0, ["actual_q_{}", "actual_qd_{}", "joint_torque_{}"]),
    "KUKA": (1, ["act_pos_mot_{}", "act_vel_mot_{}", "act_torque_abs_nm_{}"]),
    "short": (1, ["q{}", "dq{}", "tau{}"]),
    "brackets": (0, ["/joint_states/position[{}]", "/joint_states/velocity[{}]", "/joint_states/effort[{}]"]),
}


@pytest.mark.parametrize("style", [*STYLES, *NUMBERED])
def test_columns_are_recognised_by_their_names(style):
    first, words = NUMBERED.get(style, (None, STYLES.get(style)))
    labels = JOINTS if first is None else [k + first for k in range(3)]
    given, table = signals(), {"timestamp": T}
    for word, values in zip(words, given.values(), strict=True):
        table |= {word.format(label): values[:, k] for k, label in enumerate(labels)}
        table |= {f"target_{word.format(label)}": 0 * T for label in labels}
    log = ls.load_log(table, ARM)
    assert log.joints == JOINTS
    for word, values in given.items():
        np.testing.assert_allclose(getattr(log, word), values, atol=1e-12)


def test_units_and_times_of_names():
    assert unit_factor("pos[deg]_1") == pytest.approx(np.pi / 180)
    assert unit_factor("velocity_rpm_2") == pytest.approx(2 * np.pi / 60)
    assert unit_factor("slide (mm)") == 1e-3
    assert time_factor("time_ms") == 1e-3
    assert time_factor("t[s]") == 1.0
    assert time_factor("tau_1") is None
    assert time_factor("t1") is None
    found = meanings(["act_pos_se_deg_1", "act_vel_se_1", "ref_pos_1", "act_pos_mot_1"], ("a1",))
    assert {name: at.word for name, at in found.items()} == {"act_pos_se_deg_1": "second", "act_pos_mot_1": "q"}


def test_names_of_the_arm_win_over_numbers():
    """wrist_1 is a joint of this arm, not the first one."""
    found = meanings(["q_wrist_1", "q_elbow", "q_shoulder_pan"], JOINTS)
    assert [found[name].joint for name in ("q_shoulder_pan", "q_elbow", "q_wrist_1")] == [0, 1, 2]


def test_units_with_capitals_and_of_two_words():
    names = ("torque_Nmm_1", "torque [N mm] 1", "tau_kNm_1", "current_mA_2", "q_turns_1", "tau [N·m]")
    assert [unit_factor(name) for name in names] == [1e-3, 1e-3, 1e3, 1e-3, 2 * np.pi, 1.0]
    assert unit_factor("q_rev_1", ("rev_1",)) == 1.0  # a joint of that name


def test_percent_is_refused_unless_the_caller_says_of_what():
    table = {"t": T} | {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    table |= {f"torque_percent_{k + 1}": signals()["tau"][:, k] for k in range(3)}
    with pytest.raises(ls.InputError, match=r"column 'torque_percent_1' is in per cent.*scale=\{'tau'"):
        ls.load_log(table, ARM)
    np.testing.assert_allclose(ls.load_log(table, ARM, scale={"tau": [2, 3, 4]}).tau, signals()["tau"] * [2, 3, 4])


def test_names_without_the_word_joint():
    joints = ("shoulder_pan_joint", "elbow_joint", "wrist_1_joint")
    found = meanings(["wrist_1_position", "elbow_position", "shoulder_pan_position", "q_joint_1"], joints)
    assert [found[name].joint for name in found] == [2, 1, 0, 0]


@pytest.mark.parametrize(("name", "message"), [
    ("abs_position_{}", "were taken for second encoders.*columns={'q': \\['abs_position_1'"),
    ("arm_pos_{}", "were taken for second encoders"),
    ("q[fred{}]", r"no positions. Columns 'q\[fredA\]'.*name no joint of the arm; its joints are 'shoulder_pan'"),
])  # fmt: skip
def test_columns_that_are_no_positions_are_explained(name, message):
    labels = "ABC" if "[" in name else "123"
    with pytest.raises(ls.InputError, match=message):
        ls.load_log({"t": T} | {name.format(label): motion()[:, k] for k, label in enumerate(labels)}, ARM)


def test_axes_that_the_arm_has_not_are_named():
    log = ls.load_log({"t": T} | {f"q_{k + 1}": motion()[:, k % 3] for k in range(4)}, ARM)
    assert "the arm, which has 3 joints: axes 4 are not used" in log.notes[-1]


def test_a_log_survives_a_file(tmp_path):
    given = signals()
    second = given["q"] + 1e-4
    second[:, 1] = np.nan
    log = ls.Log(t=T, **given, second=second, joints=JOINTS)
    log.save(tmp_path / "run.csv")
    read = ls.load_log(tmp_path / "run.csv", ARM)
    for word in ("t", *log.channels):
        np.testing.assert_allclose(getattr(read, word), getattr(log, word), rtol=1e-15, atol=0)
    assert np.isnan(read.second[:, 1]).all()


def test_tables_of_other_kinds(tmp_path):
    import pandas
    import xarray

    given = signals()
    frame = pandas.DataFrame({f"{word}[{name}]": values[:, k] for word, values in given.items()
                              for k, name in enumerate(JOINTS)}, index=pandas.Index(T, name="time"))  # fmt: skip
    np.testing.assert_array_equal(ls.load_log(frame, ARM).tau, given["tau"])
    data = xarray.Dataset({word: (("time", "joint"), values) for word, values in given.items()}, {"time": T})
    np.testing.assert_array_equal(ls.load_log(data, ARM).qd, given["qd"])
    data.to_netcdf(tmp_path / "log.nc", engine="h5netcdf")
    np.testing.assert_array_equal(ls.load_log(tmp_path / "log.nc", ARM).q, given["q"])
    german = "Zeit;q 1 [deg];q 2 [deg];q 3 [deg]\n" + "".join(
        f"{t:.3f};{a:.6f};{b:.6f};{c:.6f}\n".replace(".", ",") for t, (a, b, c) in zip(T, np.degrees(given["q"]))
    )
    (tmp_path / "log.csv").write_text(german)
    np.testing.assert_allclose(ls.load_log(tmp_path / "log.csv", ARM).q, given["q"], atol=1e-8)


def test_a_run_and_its_file(tmp_path):
    arm = ls.load("two_link")
    run = ls.simulate(arm, [0.3, 0.1], until=0.5)
    run.save(tmp_path / "run.nc")
    for source in (run, tmp_path / "run.nc"):
        np.testing.assert_allclose(ls.load_log(source, arm).tau, run.tau, atol=1e-12)


def test_the_second_encoder_of_an_elastic_joint_is_that_of_the_link():
    joint = ls.Joint("revolute", axis=(0, 1, 0), armature=0.1, elastic=ls.JointElasticity(300.0, 1.0))
    arm = ls.Arm("soft", [ls.Link("rod", joint=joint, mass=2.0, com=(0.3, 0, 0))])
    run = ls.simulate(arm, [0.4, 0.0], until=0.3)
    log = ls.load_log(run, arm)
    np.testing.assert_allclose(log.second[:, 0], run.q.sum(1), atol=1e-12)
    assert np.abs(log.second - log.q).max() > 1e-3


def test_columns_scale_and_shift_of_the_callers_own():
    given = signals()
    table = {"clock": T} | {f"m{k + 1}": given["q"][:, k] for k in range(3)}
    table |= {f"i_{name}": values for name, values in zip("abc", given["tau"].T)}
    log = ls.load_log(table, ARM, columns={"t": "clock", "q": "m{}", "tau": ["i_a", "i_b", "i_c"]},
                      scale={"tau": [100, 80, -50]}, shift={"q": [0.1, 0, 0]})  # fmt: skip
    np.testing.assert_allclose(log.tau, given["tau"] * [100, 80, -50])
    np.testing.assert_allclose(log.q[:, 0], given["q"][:, 0] + 0.1)
    with pytest.raises(ls.InputError, match=r"columns\['q'\] has 2 names; expected 3"):
        ls.load_log(table, ARM, columns={"t": "clock", "q": ["m1", "m2"]})
    with pytest.raises(ls.InputError, match="no column 'm4'"):
        ls.load_log(table, ARM, columns={"t": "clock", "q": ["m1", "m2", "m4"]})


@pytest.mark.parametrize(("name", "options"), [
    ("robot_time_ms", {}), ("elapsed_ms", {}), ("robot_time_ms", {"columns": {"t": "robot_time_ms"}}),
    ("clock_ms", {"columns": {"t": "clock_ms"}}), ("time", {"scale": {"t": 1e-3}}),
])  # fmt: skip
def test_milliseconds_are_read_from_the_name_or_the_scale(name, options):
    table = {name: 1e3 * T} | {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    assert ls.load_log(table, ARM, **options).rate == pytest.approx(250.0)


def test_seconds_and_nanoseconds_of_a_stamp_are_added():
    table = {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    table |= {"header.stamp.sec": 1.7e9 + np.floor(T), "header.stamp.nanosec": np.rint(1e9 * (T % 1.0))}
    assert ls.load_log(table, ARM).rate == pytest.approx(250.0)
    assert time_factor("header.stamp.nanosec") == 1e-9


def test_milliseconds_taken_for_seconds_are_noticed():
    table = {"time": 1e3 * T} | {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    with pytest.warns(UserWarning, match=r"sampled at 0\.25 Hz.*give scale=\{'t': 1e-3\}"):
        log = ls.load_log(table, ARM)
    assert "milliseconds" in log.notes[0]
    with pytest.raises(ls.InputError, match=r"scale\['t'\] is 'ms'"):
        ls.load_log(table, ARM, scale={"t": "ms"})


def test_a_shift_of_one_of_two_encoders_is_refused():
    table = {"t": T} | {f"{word}_{k + 1}": motion()[:, k] for k in range(3) for word in ("q", "second")}
    with pytest.raises(ls.InputError, match="shift has 'q', and the table has second encoders"):
        ls.load_log(table, ARM, shift={"q": np.pi / 2})
    log = ls.load_log(table, ARM, shift={"q": 1.0, "second": 1.0})
    np.testing.assert_array_equal(log.q, log.second)


# ---- repairs -------------------------------------------------------------------------------------


def test_bad_rows_are_removed_and_interpolated():
    given = signals()
    given["qd"][100] = 1e293
    given["tau"][200, 1] = np.nan
    t = T.copy()
    t[300] = 2.7e154
    log = ls.Log(t=t, **given)
    assert "3 rows removed: values missing, not finite or absurd." in log.notes
    assert len(log.t) == len(T)
    np.testing.assert_allclose(log.q, motion(), atol=1e-6)  # cubic through the neighbours
    given["tau"][::50] = np.inf
    with pytest.raises(ls.InputError, match=r"of 750 rows are bad, more than 1 %"):
        ls.Log(t=T, **given)


def test_missing_numbers_are_placed():
    given = signals()
    given["tau"][:, 1] = np.nan
    with pytest.raises(ls.InputError, match="tau of joint 'elbow' has no number in any row"):
        ls.Log(t=T, **given, joints=JOINTS)
    given = signals()
    given["q"][300:400, 2] = np.nan
    with pytest.raises(ls.InputError, match=r"most in q of joint 'wrist_1', from t = 1\.2 to 1\.596 s"):
        ls.Log(t=T, **given, joints=JOINTS)
    text = "time,q_1,q_2,q_3\n" + "".join(f"2024-05-01T12:00:{k:02},0.{k},1,2\n" for k in range(30))
    with pytest.raises(ls.InputError, match="time stamps in words, such as 2024-05-01T12:00:00, are not read"):
        ls.load_log(read_text(text), ARM)


def test_repeated_rows_and_held_measurements_are_removed():
    twice = np.repeat(np.arange(len(T)), np.isin(np.arange(len(T)), [10, 11]) + 1)
    log = ls.Log(t=T[twice], q=motion()[twice])
    assert log.notes == ("2 rows removed: times that do not increase.",)
    q = np.repeat(motion(T[::2]), 2, axis=0)
    log = ls.Log(t=T, q=q)  # 125 Hz logged at 250 Hz
    assert log.rate == pytest.approx(125.0)
    np.testing.assert_allclose(log.q, motion(T[::2]), atol=1e-12)


def test_outliers_are_interpolated_and_jumps_refused():
    q = motion()
    q[400, 2] += 0.7
    log = ls.Log(t=T, q=q, joints=JOINTS)
    assert log.notes == ("1 outlier in q of joint 'wrist_1' interpolated.",)
    np.testing.assert_allclose(log.q, motion(), atol=1e-5)
    q[500:, 0] += 0.4
    with pytest.raises(ls.InputError, match=r"joint 'shoulder_pan' jumps by 0\.3978 at t = 2 s and stays there"):
        ls.Log(t=T, q=q, joints=JOINTS)


def test_angles_are_unwrapped():
    q = 4.0 * motion()
    log = ls.Log(t=T, q=(q + np.pi) % (2 * np.pi) - np.pi)
    np.testing.assert_allclose(log.q - log.q[0], q - q[0], atol=1e-12)
    assert "unwrapped" in log.notes[0]


def test_gaps_are_interpolated_or_refused():
    few, many = np.ones(len(T), bool), np.ones(len(T), bool)
    few[[50, 51, 52, 400]], many[100:110] = False, False
    log = ls.Log(t=T[few], q=motion()[few])
    np.testing.assert_allclose(log.q, motion(), atol=1e-7)
    assert log.notes[0] == "4 missing samples interpolated, in 2 places."
    with pytest.raises(ls.InputError, match=r"10 samples are missing from t = 0\.396 to 0\.44 s"):
        ls.Log(t=T[many], q=motion()[many])


def test_uneven_times_are_resampled():
    uneven = T + np.random.default_rng(3).uniform(-1, 1, len(T)) * 4e-4
    log = ls.Log(t=uneven, q=motion(uneven))
    assert np.ptp(np.diff(log.t)) < 1e-12
    np.testing.assert_allclose(log.q, motion(log.t), atol=1e-9)


def test_a_clock_that_runs_back_is_refused():
    with pytest.raises(ls.InputError, match=r"374 rows have earlier times than a row before, first row 376"):
        ls.Log(t=np.concatenate([T[:375], T[:375]]), q=motion())


def test_dead_channels():
    given = signals()
    given["tau"][:100, 0] = 0.0
    log = ls.Log(t=T, **given)
    assert log.t[0] == pytest.approx(T[100])
    given["tau"][:, 0] = 0.3
    with pytest.raises(ls.InputError, match=r"tau of joint 'shoulder_pan' is constant \(0\.3\) while the joint moves"):
        ls.Log(t=T, **given, joints=JOINTS)
    given = signals()
    given["tau"][300:400, 1] = 1.5
    assert "tau of joint 'elbow' stays at 1.5 from t = 1.2 to 1.596 s" in ls.Log(t=T, **given, joints=JOINTS).notes[0]
    given["q"][:, 1] = 0.0
    given["qd"][:, 1] = 0.0
    assert ls.Log(t=T, **given, joints=JOINTS).notes == ("joint 'elbow' does not move in this log.",)


# ---- bad input -----------------------------------------------------------------------------------


def test_degrees_are_noticed():
    limited = ARM.with_joint("elbow", limits=ls.Limits(position=(-2.0, 2.0)))
    table = {"t": T} | {f"q_{k + 1}": np.degrees(motion()[:, k]) for k in range(3)}
    for arm in (limited, ARM):
        with pytest.raises(ls.InputError, match=r"expected radians.*They look like degrees"):
            ls.load_log(table, arm)
    rates = {"t": T} | {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    rates |= {f"qd_{k + 1}": np.degrees(signals()["qd"][:, k]) for k in range(3)}
    with pytest.raises(ls.InputError, match=r"57\.\d+ times the slope of its positions.*that of degrees"):
        ls.load_log(rates, ARM)
    fine = {name.replace("_", "_deg_") if name != "t" else name: values for name, values in table.items()}
    np.testing.assert_allclose(ls.load_log(fine, limited).q, motion(), atol=1e-12)


@pytest.mark.parametrize(("change", "message"), [
    ({"q_2": None, "q_elbo": 1}, r"q of joint 'elbow' is missing.*Expected columns such as q\[shoulder_pan\]"),
    ({"t": None}, "there is no column of times"),
    ({"position_1": 1}, "columns 'q_1' and 'position_1' both look like q of the same joint"),
    ({"q_1": None, "q_2": None, "q_3": None}, "there are no positions"),
])  # fmt: skip
def test_names_that_do_not_fit_are_named(change, message):
    table = {"t": T} | {f"q_{k + 1}": motion()[:, k] for k in range(3)}
    for name, value in change.items():
        table = {word: values for word, values in table.items() if word != name} if value is None else table | {name: T}
    with pytest.raises(ls.InputError, match=message):
        ls.load_log(table, ARM)


def test_shapes_and_files_are_checked(tmp_path):
    with pytest.raises(ls.InputError, match=r"tau has shape \(750, 2\), q has \(750, 3\)"):
        ls.Log(t=T, q=motion(), tau=motion()[:, :2])
    with pytest.raises(ls.InputError, match="10 samples are too few"):
        ls.Log(t=T[:10], q=motion()[:10])
    with pytest.raises(ls.InputError, match="it has 2 joints, arm 'three' has 3"):
        check_units(ls.Log(t=T, q=motion()[:, :2]), ARM)
    (tmp_path / "bare.csv").write_text("0.0,1.0,2.0\n0.1,1.0,2.0\n")
    with pytest.raises(ls.ModelError, match="its first line has numbers"):
        ls.load_log(tmp_path / "bare.csv", ARM)
    with pytest.raises(ls.InputError, match="a log is a table"):
        ls.load_log(tmp_path / "log.xlsx", ARM)
    with pytest.raises(ls.InputError, match="did you mean 'columns'"):
        ls.load_log({}, ARM, colums={})


def test_short_rows_and_words_become_missing_numbers():
    table = read_text("t q_1 q_2\n0 1 2\n0.1 1 -\n0.2 1\n# done\n")
    np.testing.assert_array_equal(table["q_2"], [2, np.nan, np.nan])


def test_parts_and_torques_of_a_log():
    given = signals()
    log = ls.Log(t=T, q=given["q"], current=given["tau"])
    np.testing.assert_allclose(log.with_torque([10, 11, 12]).tau, given["tau"] * [10, 11, 12])
    assert log.between(1.0, 2.0).duration == pytest.approx(1.0, abs=0.005)
    with pytest.raises(ls.InputError, match="the log has no currents"):
        ls.Log(t=T, q=given["q"]).with_torque(1.0)
    assert "greatest position" in log.describe()
    assert "<table>" in log._repr_html_()
