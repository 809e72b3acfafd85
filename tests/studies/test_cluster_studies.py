"""Studies on a cluster of processes: the same rows, whatever ends meanwhile."""

import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet
import pytest
from tests.work.cluster_of_processes import SOURCE, scheduler

import lissom as ls
from lissom.studies.store.parts import parts
from lissom.studies.study_file import read_study_file
from lissom.work import cluster

pytest.importorskip("distributed")

STUDY = """
evaluate = "simulate"
arm = "two_link_flexible"
lanes = false
[arguments]
q0 = [0.0, 0.0]
until = {until}
dt = 1e-3
[sampling]
kind = "latin_hypercube"
count = {rows}
seed = 3
[parameters.start]
path = "q0[1]"
uniform = [-1.0, 1.0]
[parameters.payload]
path = "arm.links.link2.payload.mass"
uniform = [0.05, 0.2]
"""


def written(folder, rows, until):
    file = folder / "study.toml"
    file.write_text(STUDY.format(rows=rows, until=until))
    return file


def same(a, b):
    """Bit for bit."""
    assert list(a.table) == list(b.table)
    for name in a.table:
        assert np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f"), name


def begun(file, *words):
    command = [sys.executable, "-m", "lissom", "sweep", str(file), "--quiet", *words]
    environment = os.environ | {"PYTHONPATH": SOURCE}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def rows_on_disk(folder):
    """Rows of all files, as often as they are there."""
    tables = [pyarrow.parquet.read_table(part, columns=["row"]) for part in parts(folder)] if folder.is_dir() else []
    return [row for table in tables for row in table["row"].to_pylist()]


def until_there(folder, count, process, seconds=120.0):
    """So many rows, while the process lives."""
    end = time.monotonic() + seconds
    while len(rows_on_disk(folder)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_rows_of_a_cluster_are_those_of_this_process(tmp_path, monkeypatch):
    study = read_study_file(written(tmp_path, rows=6, until=0.02)).study
    with scheduler(tmp_path, workers=2) as it:
        found = study.run(tmp_path / "rows", scheduler=it.address)
    assert found.ok
    assert found.effort["place"] == f"cluster at {it.address}"
    same(found, study.run(workers=1))
    same(ls.load_study(tmp_path / "rows"), found)
    monkeypatch.setattr(cluster, "REACH", 0.5)  # nobody is there any more
    with pytest.raises(ls.InputError, match=rf"Study\.run: there is no scheduler at '{it.address}'"):
        study.run(tmp_path / "none", scheduler=it.address)
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_workers_and_drivers_that_are_killed_cost_no_row(tmp_path):
    file, folder = written(tmp_path, rows=600, until=0.2), tmp_path / "study"
    with scheduler(tmp_path, workers=2) as it:
        driver = begun(file, "--scheduler", it.address)
        until_there(folder, 40, driver)
        it.workers[0].kill()
        until_there(folder, len(rows_on_disk(folder)) + 60, driver)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        kept = rows_on_disk(folder)
        assert 100 <= len(kept) < 600
        it.worker()
        driver = begun(file, "--scheduler", it.address, "--resume")
        out, noise = driver.communicate(timeout=600)
    assert driver.returncode == 0, noise
    assert "600 of 600 rows; done" in out
    assert sorted(rows_on_disk(folder)) == list(range(600))
    assert set(kept) <= set(rows_on_disk(folder))
    same(ls.load_study(folder), read_study_file(file).study.run(workers=1))


@pytest.mark.slow
def test_a_scheduler_that_is_killed_costs_no_row(tmp_path):
    file, folder = written(tmp_path, rows=600, until=0.2), tmp_path / "study"
    with scheduler(tmp_path, workers=2) as it:
        driver = begun(file, "--scheduler", it.address)
        until_there(folder, 60, driver)
        it.process.kill()
        out, noise = driver.communicate(timeout=200)
    assert driver.returncode == 1
    sentence = noise.strip().splitlines()[-1]
    assert sentence.startswith(f"error: Study.run: the scheduler at {it.address} ")
    assert sentence.endswith("of 600 rows are done; continue with resume=True (--resume).")
    assert "Traceback" not in out + noise
    kept = ls.load_study(folder)
    assert 60 <= len(kept) < 600
    assert not len(kept.failures)
    study = read_study_file(file).study
    found = study.run(folder, workers=1, resume=True)
    assert found.ok
    assert sorted(rows_on_disk(folder)) == list(range(600))
    same(ls.load_study(folder), study.run(workers=1))


@pytest.mark.slow
def test_a_scheduler_that_begins_again_is_found_again(tmp_path):
    """Workers end with their scheduler; a new one at the same address, with new workers, gets the rest of the rows."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file, folder = written(tmp_path, rows=200, until=0.2), tmp_path / "study"
    with scheduler(tmp_path, workers=2, port=port) as it:
        driver = begun(file, "--scheduler", it.address)
        until_there(folder, 40, driver)
        it.process.kill()
        it.process.wait()
        (tmp_path / f"scheduler_{port}.json").unlink()
        with scheduler(tmp_path, workers=2, port=port):
            out, noise = driver.communicate(timeout=600)
    assert driver.returncode == 0, noise
    assert "200 of 200 rows; done" in out
    assert sorted(rows_on_disk(folder)) == list(range(200))
