"""Motions as records: verification by simulation, files, tables, figures, interruption."""

import dataclasses
import os
import signal
from contextlib import contextmanager

import casadi as ca
import numpy as np
import pytest

import lissom as ls
from lissom.formats.tables import read_table
from lissom.motion.result.files.read import from_dataset
from lissom.motion.transcription.peak import Peak

FALLING = ls.Load("fore", force=[(0, -10, 0), (3, -1, 0.5), (0, 2, 0)], point=(0.1, 0, 0))
LIFT = ls.Task(
    start=[1.32, -2.37], goal=[2.8, -2.37], minimise={"time": 0.99, "torque_squared": 0.01}, loads=[FALLING],
    via=[ls.Via(0.37, [np.nan, -2.6])], duration=(0.2, 3.0), goal_acceleration=[np.nan, 0.0],
    limits=ls.Limits(torque=[9.5, 10.0], velocity=(-20.0, None), power=80.0),
)  # fmt: skip


@pytest.fixture(scope="module")
def arm():
    return ls.load("two_link")


@pytest.fixture(scope="module")
def lift(arm):
    return ls.predict_motion(arm, LIFT)


def same(a, b):
    """Equal content, NaN equal to NaN."""
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, float | np.ndarray) else a == b


# ---- what it says ---------------------------------------------------------------------------------------


def test_the_report_is_whole(lift):
    report = lift.report
    assert report.optimality < 1e-6
    assert report.violation < 1e-8
    assert {peak.quantity for peak in report.peaks} == {"velocity", "torque", "power"}
    assert all(np.isfinite(step).all() for step in report.iterations)
    words = lift.describe()
    assert "solved" in words
    assert "torque" in words


@pytest.mark.parametrize(("utilisation", "remark"), [(1.0008, True), (1.00001, False), (0.9, False), (1.002, False)])
def test_an_excess_that_is_accepted_says_so(utilisation, remark):
    text = Peak("torque", "upper", 0.1, 10 * utilisation, 10.0, utilisation).describe()
    assert text.endswith("(accepted: limits hold within 0.1 %)") is remark


def test_states_between_samples_and_beyond(lift):
    q, _, _ = lift.at([[0.0], [lift.duration]])
    assert q.shape == (2, 1, 2)
    assert np.allclose(q[:, 0], [LIFT.start, LIFT.goal], atol=1e-12)
    with pytest.raises(ls.InputError, match="the motion lasts from 0 to"):
        lift.at(lift.duration + 0.1)


# ---- verification ---------------------------------------------------------------------------------------


def test_torques_lead_along_the_motion(lift):
    """Loads that change along the motion act in the simulation too."""
    found = lift.verify()
    assert found.ok, found.describe()
    assert found.joint_error.max() < 1e-6
    assert np.array_equal(found.end_error, found.error[-1])
    assert 0.999 < found.torque_utilisation < 1.001
    assert np.allclose(found.run.q[-1], LIFT.goal, atol=1e-6)
    assert "verified" in found.describe()


def test_a_wrong_motion_is_found_out(arm, lift):
    """The same profiles for a heavier arm: torques exceed their limits, and the plan is no longer the answer."""
    given = {f.name: getattr(lift, f.name) for f in dataclasses.fields(lift) if f.init}
    heavy = ls.Motion(**(given | {"arm": arm.with_payload(ls.Payload(0.4))}))
    found = heavy.verify()
    assert not found.ok
    assert "torque" in found.status
    assert found.torque_utilisation > 1.05


# ---- files ----------------------------------------------------------------------------------------------


def test_a_saved_motion_comes_back(lift, tmp_path):
    lift.save(tmp_path / "lift.nc")
    again = ls.load_motion(tmp_path / "lift.nc")
    assert again.task == lift.task
    assert again.arm == lift.arm
    assert same(again.report, lift.report)
    for word in ("breaks", "control_points", "t", "q", "qd", "qdd", "tau"):
        assert np.array_equal(getattr(again, word), getattr(lift, word)), word
    for word in ("duration", "cost", "status", "ok", "degree"):
        assert getattr(again, word) == getattr(lift, word)


def test_a_criterion_of_the_users_own_travels(arm, tmp_path):
    def gentle(q, qd, qdd, tau):
        return 1 + 0.3 * ca.sumsqr(qdd - q)

    motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1], duration=1.1, minimise={gentle: 2.0, "time": 0.1})
    motion.save(tmp_path / "own.nc")
    again = ls.load_motion(tmp_path / "own.nc")
    (criterion,) = [word for word in again.task.minimise if not isinstance(word, str)]
    x = [np.array(v) for v in ([0.2, 0.3], [0.1, 0.5], [1.0, -2.0], [0.0, 0.4])]
    assert float(criterion(*x)) == pytest.approx(1 + 0.3 * (0.8**2 + 2.3**2))
    again.save(tmp_path / "twice.nc")
    assert ls.load_motion(tmp_path / "twice.nc").cost == motion.cost


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("m.csv", "to_csv"), ("m", "unknown ending"), ("none/m.nc", "cannot be written")],
)
def test_files_that_cannot_be_written(lift, tmp_path, name, sentence):
    with pytest.raises(ls.LissomError, match=sentence):
        lift.save(tmp_path / name)


def test_files_that_cannot_be_read(lift, tmp_path):
    (tmp_path / "noise.nc").write_bytes(b"no such thing")
    run = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1)
    run.save(tmp_path / "run.nc")
    lift.to_xarray().assign(record=((), "{}")).to_netcdf(tmp_path / "torn.nc", engine="h5netcdf")
    for name, sentence in (("noise.nc", "cannot be read"), ("run.nc", "not a motion"), ("torn.nc", "damaged"),
                           ("gone.nc", "does not exist")):  # fmt: skip
        with pytest.raises(ls.ModelError, match=sentence):
            ls.load_motion(tmp_path / name)


START = {"start": 0, "status": "solved", "cost": 1.5, "duration": 0.4, "iterations": 12, "same": True}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"starts": (START | {"cost": "1.5"},)}, r"its report\.starts\[0\]\.cost is '1\.5'; expected a number"),
        ({"starts": (START, 3)}, r"its report\.starts\[1\] is 3; expected a table"),
        ({"starts": ({"start": 0},)}, r"its report\.starts\[0\]\.cost is missing; expected a number"),
        ({"starts": (START | {"segments": 2.5},)}, r"its report\.starts\[0\]\.segments is 2\.5; expected a whole"),
        ({"starts": (START | {"status": "\x1b[2J"},)}, r"its report\.starts\[0\]\.status is .* expected text without"),
        ({"refinements": ((20, 1.0, 2.0),)}, r"its report\.refinements\[0\]\[2\] is 2\.0; expected nothing"),
        ({"seconds": {"solve": None}}, r"its report\.seconds\.solve is None; expected a number"),
        ({"iterations": (1,)}, r"its report\.iterations\[0\] is 1; expected the record Iteration"),
    ],
)
def test_every_part_of_a_report_has_its_type(lift, change, sentence):
    given = dataclasses.replace(lift, report=dataclasses.replace(lift.report, starts=(START,)))
    assert from_dataset(given.to_xarray()).report.starts == (START,)
    damaged = dataclasses.replace(lift, report=dataclasses.replace(lift.report, **change))
    with pytest.raises(ls.ModelError, match=rf"^lift\.nc: {sentence}"):
        from_dataset(damaged.to_xarray(), "lift.nc")


# ---- tables ---------------------------------------------------------------------------------------------


def test_a_table_is_even_and_holds_the_goal(lift, tmp_path):
    table = lift.table(rate_hz=730)
    assert np.allclose(np.diff(table.t), 1 / 730, rtol=1e-12)
    assert table.t[-2] < lift.duration <= table.t[-1]
    assert np.allclose(table.q[-1], LIFT.goal)
    assert not table.qd[-1].any()
    hold = ls.inverse_dynamics(lift.arm, lift.q[-1], [0, 0], [0, 0], loads=[FALLING.replace(force=(0, 2, 0))])
    assert np.allclose(table.tau[-1], hold)
    k = len(table) // 3
    assert np.allclose(table.qdd[k], lift.at(table.t[k])[2])
    table.to_csv(tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    assert text.startswith("# two_link, 730 samples per second; units: t [s], q [rad, rad]")
    columns = read_table(text)
    assert np.array_equal(columns["tau[fore]"], table.tau[:, 1])


def test_a_motion_that_ends_moving_has_no_row_after_it(arm):
    motion = ls.predict_motion(arm, start=[0, -2], goal=[1, -1], goal_velocity=[1, 0.5], duration=0.9995,
                               minimise="torque_squared")  # fmt: skip
    assert motion.table(1000).t[-1] == pytest.approx(0.999)
    assert len(motion.table(2000)) == 2000  # it ends on a tick


@pytest.mark.parametrize("rate", [0, -1, True, np.inf, "1000", 1e12])
def test_rates_that_are_refused(lift, rate):
    with pytest.raises(ls.InputError, match="rate_hz"):
        lift.table(rate)


# ---- views ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [None, "motion", "joints", "torques", "poses", "convergence"])
def test_figures(lift, kind, tmp_path):
    figure = ls.plot(lift, kind)
    figure.savefig(tmp_path / "m.png", dpi=40)
    assert "two_link" in figure.get_suptitle()


def test_torques_are_drawn_with_their_limits(lift):
    """Limits that differ: a panel for each joint, with the regions beyond its own limits shaded."""
    levels = []
    for ax in ls.plot(lift, "torques").axes:
        curve, *edges = ax.lines
        assert np.allclose(np.interp(lift.t, *curve.get_data()), lift.tau[:, len(levels)], atol=0.02)
        levels.append([float(line.get_ydata()[0]) for line in edges])
    assert levels == [[-9.5, 9.5], [-10.0, 10.0]]


def test_an_arm_that_slides_and_turns_is_drawn(tmp_path):
    start = np.array([0.1, 0.9, 0.4, 0.1, 0.2, 0.0])
    motion = ls.predict_motion(ls.load("stanford"), start=start, goal=start + 0.2, duration=1.0, segments=8,
                               minimise="torque_squared")  # fmt: skip
    labels = [ax.get_ylabel() for ax in ls.plot(motion).axes]
    assert {"position [m]", "force [N]", "torque [N m]"} <= set(labels)
    assert "rad, rad, m, rad" in motion.table().header


def test_kinds_that_are_not(lift):
    with pytest.raises(ls.InputError, match="joints, torques, poses"):
        ls.plot(lift, "energy")


def test_film(lift, tmp_path):
    ls.animate(lift, tmp_path / "m.gif", fps=10)
    assert (tmp_path / "m.gif").stat().st_size > 1000


# ---- progress and interruption ----------------------------------------------------------------------------


@pytest.fixture
def listening():
    """Ctrl-C is heard, also where the tests run in the background, which begins with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupted_searches_give_the_motion_so_far(arm, listening):
    seen = []

    def watch(step):
        seen.append(step)
        if step.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    motion = ls.predict_motion(arm, LIFT, progress=watch)
    assert motion.interrupted
    assert not motion.ok
    assert motion.status == "interrupted"
    assert 5 <= len(motion.report.iterations) < 10
    assert motion.q.shape == (201, 2)
    assert signal.getsignal(signal.SIGINT) is usual
    assert seen[0].cost > 0


def test_errors_in_the_users_function_are_not_lost(arm):
    def broken(step):
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine"):
        ls.predict_motion(arm, LIFT, progress=broken)


def test_a_long_search_shows_a_line_to_a_person(arm, monkeypatch):
    seen = []

    @contextmanager
    def line(words, after=0.0):
        seen.append((words, after))
        yield seen.append

    monkeypatch.setattr("lissom.motion.progress.line", line)
    ls.predict_motion(arm, LIFT, progress=False)
    assert not seen
    ls.predict_motion(arm, LIFT)
    assert seen[0] == ("compiling", 3.0)
    assert len(seen) > 3
    assert "iteration" in seen[-1]
    monkeypatch.undo()
    seen.clear()
    ls.predict_motion(arm, LIFT)
    assert not seen


def test_progress_is_shown(arm, capsys):
    ls.predict_motion(arm, LIFT, progress=True)
    with pytest.raises(ls.InputError, match="progress is 3"):
        ls.predict_motion(arm, LIFT, progress=3)


def test_failures_carry_the_motion(arm):
    with pytest.raises(ls.MotionError) as caught:
        ls.predict_motion(arm, LIFT, iterations=3)
    assert caught.value.motion.status.startswith("iterations ran out: ")
    returned = ls.predict_motion(arm, LIFT, iterations=3, on_failure="return")
    assert returned.status == caught.value.motion.status
