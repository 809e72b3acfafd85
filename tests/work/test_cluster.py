"""A real cluster of dask: jobs survive its workers, and its end is told, not waited for."""

import os
import subprocess
import sys
import time
from concurrent.futures import wait
from contextlib import suppress
from itertools import pairwise

import pytest
from tests.work.cluster_of_processes import SOURCE, scheduler

import lissom as ls
from lissom.cores import cores
from lissom.errors import InputError, WorkerLost
from lissom.work import cluster
from lissom.work.choose import executor
from lissom.work.cluster import Cluster

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    with scheduler(tmp_path_factory.mktemp("cluster"), workers=2) as it:
        yield it


@pytest.fixture(scope="module")
def place(local):
    with executor(None, local.address, "sweep") as it:
        yield it


def fail(words):
    raise ls.ModelError(words, "link 'a'")


def pid_after(seconds):
    time.sleep(seconds)
    return os.getpid()


def reached(address):
    """Even where workers take longer to begin than they are waited for."""
    for _ in range(10):
        with suppress(InputError):
            return Cluster(address)
    return None


def until(true, seconds=10.0):
    """True, before so many seconds are over."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(true())


def test_results_and_errors(local, place):
    assert place.place == f"cluster at {local.address}"
    assert place.trouble == ""
    factor = 3
    assert list(place.map(lambda x: factor * x, range(5))) == [0, 3, 6, 9, 12]
    with pytest.raises(ls.ModelError, match="link 'a': too heavy") as caught:
        place.submit(fail, "too heavy").result()
    assert "in fail" in caught.value.__notes__[0]
    assert str(place.submit(sys.exit, 3).exception()) == "SystemExit: 3"
    assert isinstance(place.submit(lambda: (x for x in ())).exception(), InputError)
    assert len(place.submit(bytes, 12_000_000).result()) == 12_000_000
    assert place.submit(len, bytes(12_000_000)).result() == 12_000_000


def test_functions_that_workers_do_not_have(place, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def nine(): return 9")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    with pytest.raises(InputError, match=r"cannot load the function of a job.*No module named 'only_here'.*importable"):
        place.submit(only_here.nine).result()


def test_every_job_is_done(place):
    assert len({place.submit(os.urandom, 8).result() for _ in range(3)}) == 3  # equal jobs are different jobs
    assert until(lambda: place.count == 2)
    futures = [place.submit(pid_after, 0.3) for _ in range(4)]
    assert len({future.result() for future in futures}) == 2


@pytest.mark.slow
def test_a_worker_does_one_job_at_a_time_with_all_its_threads(tmp_path):
    with scheduler(tmp_path) as it:
        it.worker(threads=3)
        with Cluster(it.address) as place:
            assert place.count == 1
            spans = [place.submit(lambda: (time.time(), time.sleep(0.2), time.time())) for _ in range(3)]
            spans = sorted((begin, end) for begin, _, end in (span.result() for span in spans))
            assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
            assert place.submit(cores).result() == 3


@pytest.mark.slow
def test_motions_are_those_of_this_process(local):
    given = {"start": [0, -2], "goal": [0.4, -1.7], "segments": 6, "starts": 3, "minimise": "torque_squared"}
    one = ls.predict_motion(ls.load("two_link"), **given, workers=1)
    two = ls.predict_motion(ls.load("two_link"), **given, scheduler=local.address)
    assert one.report.starts == two.report.starts
    assert (one.control_points == two.control_points).all()


def test_jobs_outlive_a_worker_and_not_the_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "REACH", 2.0)
    monkeypatch.setattr(cluster, "LOOK", 0.1)
    with scheduler(tmp_path, workers=2) as it, reached(it.address) as place:
        assert until(lambda: place.count == 2)
        futures = [place.submit(pid_after, 0.4) for _ in range(6)]
        time.sleep(0.6)
        it.workers[0].kill()
        assert len([future.result(30) for future in futures]) == 6
        assert until(lambda: place.count == 1)
        assert place.trouble == ""
        future = place.submit(pid_after, 60)
        it.process.kill()
        assert isinstance(future.exception(20), WorkerLost)
        assert place.trouble == f"the connection to the scheduler at {it.address} is lost"
        assert isinstance(place.submit(pid_after, 0).exception(20), WorkerLost)


@pytest.mark.slow
def test_jobs_are_handed_in_again_where_a_scheduler_comes_back(tmp_path):
    with scheduler(tmp_path, workers=1) as it, Cluster(it.address) as place:
        future = place.submit(pid_after, 3.0)
        time.sleep(0.5)
        it.end()
        with scheduler(tmp_path, workers=1, port=int(it.address.split(":")[-1])) as again:
            assert future.result(40) == again.workers[0].pid
            assert place.trouble == ""


@pytest.mark.slow
def test_a_job_that_ends_every_worker(tmp_path):
    with scheduler(tmp_path, workers=4) as it, Cluster(it.address) as place:
        assert until(lambda: place.count == 4)
        error = place.submit(os._exit, 3).exception(30)
        assert isinstance(error, WorkerLost)
        assert "4 workers died during a job, the last at tcp://" in str(error)


@pytest.mark.slow
def test_no_workers_any_more(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1.5)
    monkeypatch.setattr(cluster, "LOOK", 0.1)
    with scheduler(tmp_path, workers=1) as it, Cluster(it.address) as place:
        future = place.submit(pid_after, 60)
        it.workers[0].kill()
        assert isinstance(future.exception(20), WorkerLost)
        assert place.trouble == f"the scheduler at {it.address} has no workers since 2 s"
        assert isinstance(place.submit(pid_after, 0).exception(20), WorkerLost)


LOST = """
import sys, time
from lissom.work import cluster
cluster.REACH, cluster.LOOK = 2.0, 0.2
with cluster.Cluster(sys.argv[1]) as place:
    futures = [place.submit(time.sleep, 60) for _ in range(3)]
    print("working", flush=True)
    print(*{f"{type(future.exception()).__name__}: {future.exception()}" for future in futures})
    print(place.trouble)
"""


@pytest.mark.slow
def test_a_lost_scheduler_is_told_without_noise(tmp_path):
    with scheduler(tmp_path, workers=1) as it:
        until(lambda: False, 0.5)
        with subprocess.Popen(
            [sys.executable, "-c", LOST, it.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": SOURCE},
        ) as driver:  # fmt: skip
            assert driver.stdout.readline() == "working\n"
            time.sleep(0.5)
            it.process.kill()
            out, noise = driver.communicate(timeout=120)
        gone = f"the connection to the scheduler at {it.address} is lost"
        assert (out, noise, driver.returncode) == (f"WorkerLost: {gone}.\n{gone}\n", "", 0)


def test_leaving_at_once(local):
    place = Cluster(local.address)
    futures = [place.submit(pid_after, 1.0) for _ in range(3)]
    place.shutdown(wait=False, cancel_futures=True)
    assert not wait(futures, 1.0).not_done
    with pytest.raises(RuntimeError, match="after shutdown"):
        place.submit(pid_after, 0)


# ---- refused before any work ---------------------------------------------------------------------


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr(cluster, "REACH", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:99999999"):
        with pytest.raises(InputError, match=rf"sweep: there is no scheduler at '{address}' .*`dask scheduler` prints"):
            executor(None, address, "sweep")


@pytest.mark.slow
def test_no_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "REACH", 1.0)
    with scheduler(tmp_path) as it, pytest.raises(InputError, match=r"has no workers. Start some: dask worker tcp://"):
        Cluster(it.address)


@pytest.mark.slow
def test_workers_without_lissom(tmp_path):
    with scheduler(tmp_path) as it:
        it.worker(path=it.without)
        with pytest.raises(InputError, match=r"cannot use lissom \(ImportError: there is none\). Install lissom"):
            Cluster(it.address)


@pytest.mark.slow
def test_workers_with_another_lissom(tmp_path):
    other = tmp_path / "other" / "lissom"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text(f"__path__.append({SOURCE + '/lissom'!r})\n__version__ = '0.0.9'\n")
    with scheduler(tmp_path, workers=1) as it:
        with Cluster(it.address) as place:
            it.worker(path=str(other.parent))
            it.workers[0].kill()  # the other one came later
            with pytest.raises(InputError, match=r"has lissom 0.0.9, this process has .*Install the same versions"):
                place.submit(pow, 2, 3).result(30)
        with pytest.raises(InputError, match=r"has lissom 0.0.9, this process has .*Install the same versions"):
            Cluster(it.address)


def test_other_versions_are_refused(local, monkeypatch):
    own = cluster.versions()
    monkeypatch.setattr(cluster, "versions", lambda: own | {"numpy": "1.0"})
    with pytest.raises(InputError, match=r"has numpy \S+, this process has 1.0"):
        Cluster(local.address)
    monkeypatch.setattr(cluster.platform, "python_version", lambda: "3.9.1")
    with pytest.raises(InputError, match=r"has python 3.1\d, this process has 3.9"):
        Cluster(local.address)


def test_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install '\.\[cluster\]' in your clone"):
        Cluster("tcp://127.0.0.1:8786")
