"""Runs as records: derived quantities, parts, files, provenance, parts on disk."""

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.events import EventHit
from lissom.simulation.files import from_dataset

ARM = ls.load("stanford")
Q0 = np.array([0.2, -0.4, 0.5, 0.3, 0.4, 0.1])


@pytest.fixture(scope="module")
def run():
    return ls.simulate(ARM, Q0, tau=ls.PD(Q0 + 0.1, 20.0, 5.0), until=0.5, every=0.005)


@pytest.fixture(scope="module")
def runs():
    starts = Q0 + np.random.default_rng(0).uniform(-0.1, 0.1, (5, 6))
    return ls.simulate(ARM, starts, until=0.2, dt=1e-3, every=0.01)


def test_derived_quantities(run):
    assert run.energy.shape == (101,)
    assert run.energy[3] == pytest.approx(
        ls.kinetic_energy(ARM, run.q[3], run.qd[3]) + ls.potential_energy(ARM, run.q[3]), rel=1e-12
    )
    assert run.tip.shape == (101, 3)
    assert np.allclose(run.tip[7], ls.pose(ARM, run.q[7], run.tip_frame)[:3, 3])
    # the velocity is the slope of the path
    slope = np.gradient(run.tip, run.t, axis=0, edge_order=2)
    assert np.abs(slope - run.tip_velocity).max() < 2e-2 * np.abs(slope).max()
    assert run.joint_power.sum(axis=1) == pytest.approx(run.power[:, 0], abs=1e-9)
    assert np.allclose(run.qdd[5], ls.forward_dynamics(ARM, run.q[5], run.qd[5], run.tau[5]), atol=1e-8)
    with pytest.raises(ls.InputError, match="no flexible links"):
        _ = run.tip_deflection


def test_work_is_the_integral_of_power(run):
    from scipy.integrate import cumulative_simpson

    for k in range(3):
        total = cumulative_simpson(run.power[:, k], x=run.t, initial=0.0)
        assert run.work[:, k] == pytest.approx(total, abs=1e-4 * max(1.0, np.abs(total).max()))


def test_slices_and_resampling(run):
    part = run[10:20]
    assert (part.q == run.q[10:20]).all()
    between = run.between(0.1, 0.2)
    assert between.t[0] >= 0.1
    assert between.t[-1] <= 0.2
    fine = ls.simulate(ARM, Q0, tau=ls.PD(Q0 + 0.1, 20.0, 5.0), until=0.5, every=0.001)
    again = run.at(fine.t)
    assert np.abs(again.q - fine.q).max() < 1e-7
    assert np.abs(again.qd - fine.qd).max() < 1e-4
    with pytest.raises(ls.InputError, match=r"at: the run has 0 to 0.5 s"):
        run.at([0.6])
    with pytest.raises(ls.InputError, match="use a slice"):
        run[3]
    with pytest.raises(ls.InputError, match="single run"):
        run.member(0)
    with pytest.raises(ls.InputError, match="no samples from 3"):
        run.between(3, 4)


def test_members(runs):
    one = runs.member(-1)
    assert (one.q == runs.q[4]).all()
    assert one.count is None
    with pytest.raises(ls.InputError, match="there is no run 9; there are 5"):
        runs.member(9)


@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
@pytest.mark.parametrize("which", ["run", "runs"])
def test_files_hold_everything(which, ending, request, tmp_path):
    made = request.getfixturevalue(which)
    made.save(tmp_path / f"a{ending}")
    again = ls.load_run(tmp_path / f"a{ending}")
    for word in ("t", "q", "qd", "qdd", "tau", "kinetic", "potential", "power", "work"):
        assert np.array_equal(getattr(again, word), getattr(made, word), equal_nan=True), word
    assert again.arm == made.arm
    assert again.report == made.report
    assert again.status == made.status
    assert len(again.events) == len(made.events)
    assert os.listdir(tmp_path) == [f"a{ending}"]


def test_datasets_have_names_and_units(run):
    data = run.to_xarray()
    assert data.q.sel(coordinate="waist").shape == (101,)
    assert data.q.attrs["units"] == "rad or m"
    assert str(data.unit.sel(coordinate=ARM.coordinates[2]).values) == "m"
    assert (from_dataset(data).q == run.q).all()


def test_provenance(run):
    made = run.report.provenance
    assert made["arm"] == ARM.digest
    assert made["lissom"] == ls.__version__
    assert made["options"]["until"] == 0.5
    assert run.report.cpu > 0
    assert run.report.wall > 0


def test_provenance_tells_the_gains(tmp_path):
    """In plain numbers, also of every run and after a file; of what varies only what it is."""
    two = ls.load("two_link")
    kp = [[20.5, 30.25], [21.5, 31.25]]
    goal = ls.Profile([0.0, 0.05, 0.1], [[0.1, 0.2], [0.2, 0.1], [0.3, 0.0]], "cubic")
    runs = ls.simulate(two, [0.1, 0.2], tau=ls.PD(goal, kp, 4, gravity=True, limit=True, model=two), until=0.1)
    runs.save(tmp_path / "a.nc")
    made = ls.load_run(tmp_path / "a.nc").report.provenance
    assert made["controller"] == "PD"
    assert made["settings"] == {
        "q": "cubic profile of 3 samples, 0 to 0.1 s", "kp": kp, "kd": 4, "qd": None, "tau": None, "gravity": True,
        "limit": True, "model": two.digest,
    }  # fmt: skip
    made = ls.simulate(two, [0.1, 0.2], tau=[0.5, -0.25], until=0.1).report.provenance
    assert made["settings"] == {"tau": [0.5, -0.25]}
    made = ls.simulate(two, [0.1, 0.2], tau=lambda t, q, qd: [0.5, -0.25], until=0.1).report.provenance
    assert (made["controller"], made["settings"]) == ("function", {})


@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
def test_damaged_files(run, ending, tmp_path):
    file = tmp_path / f"a{ending}"
    run.save(file)
    whole = file.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 20):
        file.write_bytes(whole[:cut])
        with pytest.raises(ls.LissomError, match="a" + ending.replace(".", r"\.")):
            ls.load_run(file)
    file.write_bytes(os.urandom(2000))
    with pytest.raises(ls.LissomError):
        ls.load_run(file)


def with_provenance(run, **more):
    made = run.report.provenance | more
    return dataclasses.replace(run, report=dataclasses.replace(run.report, provenance=made))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"settings": 3}, r"its report\.provenance\.settings is 3; expected a table"),
        ({"run_file": ["until = 1"]}, r"its report\.provenance\.run_file is .*; expected text"),
        ({"loads": [{"link": 3}]}, r"its report\.provenance\.loads\[0\]\.link is 3; expected text"),
        ({"loads": [{"varies": True}]}, r"its report\.provenance\.loads\[0\]\.link is missing"),
        ({"loads": [{"link": "link2", "force": ["a"]}]}, r"its report\.provenance\.loads\[0\]\.force\[0\] is 'a'"),
        ({"loads": [{"link": "link2", "force": [1.0]}]}, "force"),
    ],
)
def test_every_part_of_the_provenance_has_its_type(run, change, sentence):
    with pytest.raises(ls.ModelError, match=rf"^run\.nc: .*{sentence}"):
        from_dataset(with_provenance(run, **change).to_xarray(), "run.nc")


def test_provenance_of_any_text_comes_back(run, tmp_path):
    noted = with_provenance(run, run_file="# \u202b\u05d0\u05d1\u202c\nuntil = 1", mine={"a": [1, None, "b"]})
    noted.save(tmp_path / "a.nc")
    made = ls.load_run(tmp_path / "a.nc").report.provenance
    assert made["run_file"] == "# \\u202b\u05d0\u05d1\\u202c\nuntil = 1"
    assert made["mine"] == {"a": [1, None, "b"]}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"run": 1}, r"its events\[0\]\.run names run 1; there are 1 runs"),
        ({"run": "0"}, r"its events\[0\]\.run is '0'; expected a whole number"),
        ({"q": np.zeros(3)}, r"its events\[0\] has states of another size than the arm's 6"),
    ],
)
def test_events_are_of_runs_that_are_there(run, change, sentence):
    hit = EventHit(0.1, "a", Q0, Q0, 0)
    assert from_dataset(dataclasses.replace(run, events=(hit,)).to_xarray()).events[0].run == 0
    damaged = dataclasses.replace(run, events=(hit._replace(**change),)).to_xarray()
    with pytest.raises(ls.ModelError, match=rf"^run\.nc: {sentence}"):
        from_dataset(damaged, "run.nc")


def test_what_is_not_a_run(tmp_path):
    import xarray

    (tmp_path / "a.csv").write_text("t,q\n0,1\n")
    with pytest.raises(ls.LissomError, match="not a run"):
        ls.load_run(tmp_path / "a.csv")
    xarray.Dataset({"x": ("time", [1.0])}).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with pytest.raises(ls.LissomError, match="not a run: it has no q"):
        ls.load_run(tmp_path / "a.nc")
    with pytest.raises(ls.LissomError, match="does not exist"):
        ls.load_run(tmp_path / "b.nc")
    with pytest.raises(ls.InputError, match="unknown ending"):
        ls.load_run(__file__)


def test_saving_where_one_cannot(run, tmp_path):
    with pytest.raises(ls.LissomError, match="cannot be written"):
        run.save(tmp_path / "no" / "a.nc")
    with pytest.raises(ls.InputError, match=r"unknown ending; expected \.nc, \.csv, \.parquet"):
        run.save(tmp_path / "a.xlsx")


# ---- parts ---------------------------------------------------------------------------------------


def starts(count):
    return Q0 + np.random.default_rng(1).uniform(-0.1, 0.1, (count, 6))


@pytest.mark.parametrize("every", [1, 2, 3, 100])
@pytest.mark.some(2)
def test_parts_do_not_change_a_bit(every, tmp_path):
    run = {"until": 0.1, "tau": ls.PD(starts(5), 20.0, 5.0)}
    whole = ls.simulate(ARM, starts(5), **run)
    parts = ls.simulate(ARM, starts(5), **run, save=tmp_path / "a.nc", save_every=every)
    assert (whole.q == parts.q).all()
    assert (whole.work == parts.work).all()
    assert os.listdir(tmp_path) == ["a.nc"]
    assert (ls.load_run(tmp_path / "a.nc").q == whole.q).all()


def test_interrupted_ensembles_resume(tmp_path):
    file = tmp_path / "a.nc"

    def progress(fraction):
        if fraction > 0.5:
            raise KeyboardInterrupt

    options = {"until": 0.1, "dt": 1e-3, "save": file, "save_every": 4}
    with pytest.raises(KeyboardInterrupt):
        ls.simulate(ARM, starts(20), **options, progress=progress)
    finished = ls.load_run(tmp_path / "a.nc.parts")
    assert 4 <= finished.count < 20
    with pytest.raises(ls.InputError, match="has runs of an earlier simulation; continue with resume=True, or remove"):
        ls.simulate(ARM, starts(20), **options)
    with pytest.raises(ls.InputError, match="belongs to a different simulation"):
        ls.simulate(ARM, starts(20) + 1e-9, **options, resume=True)
    run = ls.simulate(ARM, starts(20), **options, resume=True)
    whole = ls.simulate(ARM, starts(20), until=0.1, dt=1e-3)
    assert (run.q == whole.q).all()
    assert (finished.q == whole.q[: finished.count]).all()
    assert os.listdir(tmp_path) == ["a.nc"]


def test_a_run_that_had_not_begun_has_no_member():
    """As in the file of an interrupted ensemble: all samples of one run are missing."""
    runs = ls.simulate(ARM, starts(3), until=0.1, dt=1e-2)
    arrays = {word: getattr(runs, word).copy() for word in runs.over_time}
    for array in arrays.values():
        array[1] = np.nan
    partly = dataclasses.replace(runs, **arrays)
    assert repr(partly.member(0))
    with pytest.raises(ls.InputError, match="run 1 has no samples; it had not begun"):
        partly.member(1)


@pytest.mark.parametrize("word", ["potential", "work"])
def test_infinite_energies_of_a_file_are_no_warning(word):
    runs = ls.simulate(ARM, starts(2), until=0.1, dt=1e-2)
    array = getattr(runs, word).copy()
    array[0] = np.inf
    lasting = dataclasses.replace(runs, **{word: array})
    assert repr(lasting.member(0))
    assert lasting.balance_error.shape == (2,)


@pytest.mark.slow
def test_a_killed_process_leaves_finished_runs(tmp_path):
    """The bar: SIGKILL in the middle; finished runs are readable, resuming gives the numbers of an unbroken run."""
    (tmp_path / "run.toml").write_text(
        textwrap.dedent("""
        arm = "stanford"
        until = 2.0
        dt = 2e-5
        every = 0.1
        output = "a.nc"
        [start]
        q = [0.2, -0.4, 0.5, 0.3, 0.4, 0.1]
        [controller]
        kind = "pd"
        q = [0.3, -0.3, 0.6, 0.4, 0.5, 0.2]
        kp = 20.0
        kd = 5.0
        [ensemble]
        runs = 24
        q = 0.1
        """)
    )
    command = [
        sys.executable,
        "-c",
        "from lissom.cli.main import app; app()",
        "simulate",
        "run.toml",
        "--save-every",
        "4",
    ]
    process = subprocess.Popen(
        [*command, "--threads", "1"], cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    folder = tmp_path / "a.nc.parts"
    for _ in range(1200):
        time.sleep(0.05)
        if len(list(folder.glob("part-*.nc"))) >= 2 or process.poll() is not None:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert folder.is_dir(), "it finished before it could be killed"
    finished = ls.load_run(folder)
    assert 8 <= finished.count < 24
    done = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    resumed = ls.load_run(tmp_path / "a.nc")
    whole = subprocess.run([*command[:-2], "-o", "b.nc"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert whole.returncode == 0, whole.stderr
    assert (resumed.q == ls.load_run(tmp_path / "b.nc").q).all()
    assert (finished.q == resumed.q[: finished.count]).all()
