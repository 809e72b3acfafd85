"""Logs as recorders of real robots write them: names, lists in cells, clocks, merged tables."""

import numpy as np
import pytest
from tests.identification.test_logs import ARM, JOINTS, T, motion, signals

import lissom as ls
from lissom.formats.columns.headers import meanings
from lissom.identification.logs.tables import read_text

SEVEN = tuple(f"panda_joint{k}" for k in range(1, 8))
OTHER = (2, 0, 1)  # the order in which a recorder has the joints


def table(*names, t="time", first=1):
    """Columns of positions, rates and torques whose names have one place for the number of the joint."""
    given = dict(zip(names, signals().values()))
    return {t: T} | {name.format(k + first): x[:, k] for name, x in given.items() for k in range(3)}


def test_of_several_columns_the_measured_one_is_taken():
    """Of libfranka, of the fast interface of KUKA, of the real-time interface of UR."""
    words = ["q[0]", "q_d[0]", "dq[0]", "tau_J[0]", "tau_J_d[0]", "dtau_J[0]", "tau_ext_hat_filtered[0]"]
    assert {name: at.word for name, at in meanings(words, SEVEN).items()} == {
        "q[0]": "q", "dq[0]": "qd", "tau_J[0]": "tau",
    }  # fmt: skip
    words = ["msrJntPos[0]", "cmdJntPos[0]", "msrJntTrq[0]", "estExtJntTrq[0]"]
    assert {name: at.word for name, at in meanings(words, SEVEN).items()} == {
        "msrJntPos[0]": "q",
        "msrJntTrq[0]": "tau",
    }
    ur = ["actual_q_0", "target_q_0", "actual_current_0", "target_moment_0", "actual_TCP_force_0", "actual_TCP_speed_0"]
    assert {name: at.word for name, at in meanings(ur, JOINTS).items()} == {
        "actual_q_0": "q", "actual_current_0": "current",
    }  # fmt: skip
    both = table("q_{}", "dq_{}", "tau_raw_{}") | table("q_{}", "dq_{}", "tau_{}")
    log = ls.load_log(both | {f"tau_raw_{k}": 5 * T for k in (1, 2, 3)}, ARM)
    np.testing.assert_array_equal(log.tau, signals()["tau"])
    assert log.notes == ("columns not used: tau_raw_*.",)


@pytest.mark.parametrize(("name", "word"), [
    ("current_position_1", "q"), ("theta_dot_1", "qd"), ("q_dot_1", "qd"), ("J1", "q"), ("A1 [deg]", "q"),
    ("A1 [deg/s]", "qd"), ("A1 [Nm]", "tau"), ("J1 [A]", "current"), ("A1 Drehmoment [Nm]", "tau"), ("i_1", "current"),
    ("Achse A1 Istposition [°]", "q"), ("A1_Sollposition", None), ("jointpos1", "q"), ("jointtorque_1", "tau"),
    ("Motormoment 1", "tau"), ("motor_temperature_1", None), ("a_1", None), ("tcp_pose_1", None),
])  # fmt: skip
def test_quantities_by_words_and_units(name, word):
    found = meanings([name], JOINTS)
    assert (found[name].word if name in found else None) == word


def test_the_letter_of_an_axis_is_no_unit():
    given = {f"A{k + 1} Position [°]": np.degrees(motion()[:, k]) for k in range(3)}
    np.testing.assert_allclose(ls.load_log({"t": T} | given, ARM).q, motion(), atol=1e-12)


def test_numbers_of_names_go_before_numbers_of_places():
    """An arm whose first joint has the number 2."""
    joints = ("arm_2_joint", "arm_3_joint", "arm_4_joint")
    assert [at.joint for at in meanings(["q_2", "q_3", "q_4"], joints).values()] == [0, 1, 2]
    assert [at.joint for at in meanings(["q_1", "q_2", "q_3"], joints).values()] == [0, 1, 2]
    assert [at.joint for at in meanings(["q_0", "q_1", "q_2"], joints).values()] == [0, 1, 2]
    assert [at.joint for at in meanings(["q_1", "q_3", "q_2"], ("joint3", "joint1", "joint2")).values()] == [1, 0, 2]


# ---- lists in cells, and rows that name their joints ---------------------------------------------


def messages(brackets="[{}]", names=True):
    """A table of joint states, one message per row, with lists in its cells."""
    given = {"position": signals()["q"], "velocity": signals()["qd"], "effort": signals()["tau"]}
    words = brackets.format(", ".join(repr(JOINTS[k]) for k in OTHER))
    rows = [",".join(["time", *(["name"] if names else []), *given])]
    for k, t in enumerate(T):
        order = OTHER if names else range(3)
        lists = [brackets.format(", ".join(f"{x[k, j]:.9f}" for j in order)) for x in given.values()]
        rows.append(",".join([f"{t:.3f}", *(f'"{cell}"' for cell in [*([words] if names else []), *lists])]))
    return "\n".join(rows)


@pytest.mark.parametrize("brackets", ["[{}]", "({})", "array('d', [{}])"])
@pytest.mark.parametrize("names", [True, False])
def test_lists_in_cells(brackets, names):
    log = ls.load_log(read_text(messages(brackets, names)), ARM)
    for word, values in signals().items():
        np.testing.assert_allclose(getattr(log, word), values, atol=1e-8)


def echoed(names):
    """A table of joint states as `rostopic echo -p` writes it; `names` of each row."""
    heads = [f"field.{word}{k}" for word in ("name", "position", "effort") for k in range(3)]
    rows = [",".join(["%time", "field.header.stamp", *heads])]
    for k, t in enumerate(T):
        stamp = str(1_600_000_000_000_000_000 + round(1e9 * t))
        numbers = [f"{signals_[k, j]:.9f}" for signals_ in (signals()["q"], signals()["tau"]) for j in OTHER]
        rows.append(",".join([stamp, stamp, *names(k), *numbers]))
    return "\n".join(rows)


def test_columns_that_name_their_joints():
    log = ls.load_log(read_text(echoed(lambda k: [JOINTS[j] for j in OTHER])), ARM)
    np.testing.assert_allclose(log.q, motion(log.t), atol=1e-4)  # times of 256 ns
    assert log.rate == pytest.approx(250.0)
    assert "nanoseconds since 1970" in log.notes[-2]
    with pytest.raises(ValueError, match=r"'field.name0' names different joints in .* \(gripper, wrist_1\)"):
        read_text(echoed(lambda k: ["gripper" if k % 2 else "wrist_1", "shoulder_pan", "elbow"]))


def test_datasets_name_their_joints(tmp_path):
    import xarray

    given = {word: (("time", "joint"), values[:, OTHER]) for word, values in signals().items()}
    data = xarray.Dataset(given, {"time": T, "joint": [JOINTS[k] for k in OTHER]})
    data.to_netcdf(tmp_path / "log.nc", engine="h5netcdf")
    for source in (data, tmp_path / "log.nc"):
        np.testing.assert_array_equal(ls.load_log(source, ARM).q, signals()["q"])


# ---- tables without names, and with more lines ---------------------------------------------------


def test_tables_without_names(tmp_path):
    rows = np.column_stack([T, *signals().values()])
    np.savetxt(tmp_path / "bare.csv", rows, delimiter=",")
    columns = {"t": 0, "q": range(1, 4), "qd": [4, 5, 6], "tau": [7, 8, 9]}
    for source in (tmp_path / "bare.csv", rows):
        log = ls.load_log(source, ARM, columns=columns)
        np.testing.assert_array_equal(log.tau, signals()["tau"])
        assert log.notes == ()
        with pytest.raises(ls.ModelError, match=r"by their numbers from 0: columns=\{'t': 0, 'q': \[1, 2\]"):
            ls.load_log(source, ARM)
    np.savetxt(tmp_path / "named.txt", rows[:, :4], header="t q1 q2 q3")
    np.testing.assert_array_equal(ls.load_log(tmp_path / "named.txt", ARM).q, motion())


def test_lines_above_the_names_and_units_below_them():
    body = "\n".join(f"{1e3 * t:.3f};{a:.9f};{b:.9f};{c:.9f}" for t, (a, b, c) in zip(T, np.degrees(motion())))
    text = f"Robot: R1\nDate: 2024-05-01\n\nZeit;A1;A2;A3\n[ms];[deg];[deg];[deg]\n{body}".replace(".", ",")
    log = ls.load_log(read_text(text), ARM)
    np.testing.assert_allclose(log.q, motion(), atol=1e-9)
    assert log.rate == pytest.approx(250.0)


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "cp1252"])
def test_degree_signs_in_any_code(tmp_path, code):
    body = "\n".join(",".join(f"{x:.9f}" for x in row) for row in np.column_stack([T, np.degrees(motion())]))
    (tmp_path / "log.csv").write_text(f"t,q1 [°],q2 [°],q3 [°]\n{body}", encoding=code)
    np.testing.assert_allclose(ls.load_log(tmp_path / "log.csv", ARM).q, motion(), atol=1e-9)


def test_a_rate_in_place_of_times():
    given = {name: values for name, values in table("q_{}").items() if name != "time"}
    assert ls.load_log(given, ARM, rate_hz=250).duration == pytest.approx(T[-1])
    with pytest.raises(ls.InputError, match="for rows at a constant rate give rate_hz="):
        ls.load_log(given, ARM)
    with pytest.raises(ls.InputError, match="rate_hz is -1"):
        ls.load_log(given, ARM, rate_hz=-1)


def test_patterns_count_from_zero_where_the_table_does():
    given = table("moment_target_{}", first=0) | table("q_{}", first=0)
    log = ls.load_log(given, ARM, columns={"tau": "moment_target_{}"})
    np.testing.assert_array_equal(log.tau, motion())


def test_arrays_of_joints_by_samples():
    given = {"t": T[None], "q": signals()["q"].T, "tau": signals()["tau"].T}
    np.testing.assert_array_equal(ls.load_log(given, ARM).tau, signals()["tau"])


def test_a_joint_that_the_log_has_not_is_to_be_locked():
    given = {name: values for name, values in table("q_{}").items() if name != "q_3"}
    with pytest.raises(ls.InputError, match=r"q of joint 'wrist_1' is missing.*arm\.lock\(\{'wrist_1': 0\.0\}\)"):
        ls.load_log(given, ARM)


# ---- clocks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "word"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")])
def test_units_of_times_show_in_their_size_and_in_rates(factor, word):
    since = table("q_{}") | {"time": factor * (1.7e9 + T)}
    log = ls.load_log(since, ARM)
    assert log.rate == pytest.approx(250.0, rel=1e-3)
    assert f"times are {word} since 1970" in log.notes[0]
    log = ls.load_log(table("q_{}", "qd_{}") | {"time": factor * T}, ARM)
    assert log.rate == pytest.approx(250.0)
    assert f"times are taken for {word}" in log.notes[0]


def test_dates_of_frames_are_times():
    pandas = pytest.importorskip("pandas")
    for times in (pandas.to_datetime(1.7e9 + T, unit="s"), pandas.to_timedelta(T, unit="s")):
        frame = pandas.DataFrame(table("q_{}") | {"time": times})
        assert ls.load_log(frame, ARM).rate == pytest.approx(250.0, rel=1e-6)


def test_the_clock_that_runs_is_taken():
    log = ls.load_log({"execution_time": 0.001 + 1e-5 * np.cos(200 * T)} | table("q_{}"), ARM)
    assert log.duration == pytest.approx(T[-1])


def test_rows_in_another_order_are_sorted():
    order = np.random.default_rng(0).permutation(len(T))
    log = ls.Log(t=T[order], q=motion()[order])
    np.testing.assert_array_equal(log.q, motion())
    assert "brought into the order of the times" in log.notes[0]


@pytest.mark.parametrize("kind", ["coarse", "jitter"])
def test_coarse_and_late_clocks_are_evened_out(kind):
    t = np.round(T, 2) if kind == "coarse" else np.sort(T + 1.5e-3 * np.random.default_rng(0).normal(size=len(T)))
    log = ls.Log(t=t, q=motion())
    assert len(log.t) == len(T)
    np.testing.assert_allclose(log.q, motion(), atol=1e-12)
    assert log.rate == pytest.approx(250.0, rel=2e-3)
    assert "the motion is smoother at the uniform times" in log.notes[0]


def test_times_that_are_uneven_indeed_are_kept():
    t = T + np.random.default_rng(1).uniform(-1.9e-3, 1.9e-3, len(T))
    log = ls.Log(t=t, q=motion(t))
    np.testing.assert_allclose(log.q, motion(log.t), atol=1e-4)


# ---- tables that merge channels ------------------------------------------------------------------


def test_channels_with_times_of_their_own_are_interpolated():
    given = signals()
    given["tau"][1::2] = np.nan
    log = ls.Log(t=T, **given)
    np.testing.assert_allclose(log.tau, signals()["tau"][: len(log.t)], atol=1e-3)
    assert log.notes == ("tau has times of its own, at 125 Hz: interpolated to those of the positions.",)
    given = signals()
    for word in ("q", "qd"):
        given[word][1::2] = np.nan
    log = ls.Log(t=T, **given)
    assert log.rate == pytest.approx(125.0)
    np.testing.assert_allclose(log.tau, signals()["tau"][::2], atol=1e-12)


def test_values_that_miss_here_and_there_count_by_channel():
    given, rng = signals(), np.random.default_rng(0)
    for values in given.values():
        for column in values.T:
            column[rng.choice(len(T), 5, replace=False)] = np.nan
    log = ls.Log(t=T, **given)
    assert "rows removed: values missing" in log.notes[0]
    np.testing.assert_allclose(log.q, motion(), atol=1e-5)


def test_a_gap_is_named_before_the_jump_that_it_makes():
    here = (T < 1.0) | (T > 2.0)
    with pytest.raises(ls.InputError, match=r"samples are missing from t = 0\.996 to 2\.004 s"):
        ls.Log(t=T[here], q=motion()[here])


def test_a_good_part_of_a_log_is_taken():
    here = (T < 1.0) | (T > 2.0)
    given = {name: values[here] for name, values in table("q_{}", "qd_{}", "tau_{}").items()}
    with pytest.raises(ls.InputError, match=r"between=\(0, 0\.996\)\) and \(2\.004, 2\.996\)"):
        ls.load_log(given, ARM)
    log = ls.load_log(given, ARM, between=(2.004, 2.996))
    np.testing.assert_array_equal(log.tau, signals()["tau"][T > 2.0])
    for between, words in (((5, 6), "0 samples lie from 5 to 6 s; the log has 0 to 2.996 s"), (3, "two times")):
        with pytest.raises(ls.InputError, match=words):
            ls.load_log(given, ARM, between=between)


def test_a_short_motion_after_a_long_rest_is_no_jump():
    q = 1e-5 * np.random.default_rng(0).normal(size=(len(T), 3))
    q += np.clip((T[:, None] - 2.0) / 0.08, 0.0, 1.0) ** 2 * (3 - 2 * np.clip((T[:, None] - 2.0) / 0.08, 0.0, 1.0))
    np.testing.assert_array_equal(ls.Log(t=T, q=q).q, q)


def test_turns_in_degrees_are_noticed():
    q = np.degrees(4.0 * motion()) % 360.0
    with pytest.raises(ls.InputError, match="That is a turn in degrees, expected radians: give scale="):
        ls.load_log({"t": T} | {f"q_{k + 1}": q[:, k] for k in range(3)}, ARM)
