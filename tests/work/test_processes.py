"""Processes: whatever jobs do, answers come, in order, and nothing stays behind."""

import gc
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import wait
from pathlib import Path

import psutil
import pytest

import lissom as ls
from lissom.cores import cores
from lissom.errors import InputError, WorkerLost
from lissom.work import processes
from lissom.work.here import Here
from lissom.work.processes import Processes

SOURCE = str(Path(ls.__file__).parents[1])
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="a promise of Linux")


class Unlucky(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")


@pytest.fixture(scope="module")
def two():
    with Processes(2) as place:
        yield place


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pids, seconds=60.0):
    """All of them have ended; the wait is only there so that the test ends."""
    until = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, pids))


def pids_of(place):
    """Of two processes; each is kept busy until the other has begun."""
    futures = [place.submit(lambda: (time.sleep(0.3), os.getpid())[1]) for _ in range(2)]
    return {future.result() for future in futures}


def slow_square(x):
    time.sleep(0.05)
    return x * x


# ---- what comes back -----------------------------------------------------------------------------


def test_words_of_workplaces():
    for place, count, words in [
        (Here(), 1, "this process"),
        (Processes(1), 1, "1 process on this machine"),
        (Processes(2), 2, "2 processes on this machine"),
    ]:
        with place:
            assert (place.count, place.place, place.trouble) == (count, words, "")


def test_results_are_those_of_this_process(two):
    factor = 3
    for place in (Here(), two):
        assert list(place.map(slow_square, range(6))) == [k * k for k in range(6)]
        assert place.submit(lambda x: factor * x, 5).result() == 15
        assert place.submit(sorted, [3, 1, 2], reverse=True).result() == [3, 2, 1]


def test_two_work_at_once(two):
    assert len(pids_of(two) - {os.getpid()}) == 2


def test_errors_arrive_as_they_are(two):
    for place in (Here(), two):
        with pytest.raises(ls.ModelError, match="link 'a': too heavy") as caught:
            place.submit(_raise_model_error).result()
        assert caught.value.subject == "link 'a'"
    assert "in _raise_model_error" in caught.value.__notes__[0]  # where, in the worker
    error = two.submit(sys.exit, 3).exception()
    assert (type(error), str(error)) == (RuntimeError, "SystemExit: 3")


def _raise_model_error():
    raise ls.ModelError("too heavy", "link 'a'")


def test_errors_that_cannot_be_read_are_named(two):
    def fail():
        raise Unlucky(1, 2)

    error = two.submit(fail).exception()
    assert (type(error), str(error)) == (RuntimeError, "Unlucky: 1 2")


def test_what_cannot_be_sent(two):
    with pytest.raises(InputError, match=r"cannot be sent to another process .*Use workers=1"):
        two.submit(len, (x for x in ()))
    error = two.submit(lambda: (x for x in ())).exception()
    assert isinstance(error, InputError)
    assert "cannot be pickled" in str(error)
    assert two.submit(slow_square, 3).result() == 9


def test_large_messages(two):
    assert two.submit(len, b"x" * 30_000_000).result() == 30_000_000
    assert two.submit(bytes, 30_000_000).result() == bytes(30_000_000)


def test_what_jobs_print_or_read_does_not_disturb(two):
    def noisy(k):
        print("noise" * 1000)
        os.write(1, b"more noise")
        os.system("echo and more")
        return k, sys.stdin.read()

    assert [two.submit(noisy, k).result() for k in range(3)] == [(k, "") for k in range(3)]


def test_classes_of_scripts_come_back_as_themselves(two):
    Point = type("Point", (), {"__module__": "__main__"})
    point = two.submit(lambda: Point()).result()
    assert type(point) is Point


# ---- how they are --------------------------------------------------------------------------------


def test_they_have_path_folder_and_environment_of_this_one(tmp_path, monkeypatch):
    (tmp_path / "my_module.py").write_text("def nine(): return 9")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("LISSOM_CACHE", "somewhere")
    import my_module

    with Processes(1) as place:
        assert place.submit(my_module.nine).result() == 9
        there = place.submit(lambda: (sys.path, os.getcwd(), os.environ["LISSOM_CACHE"])).result()
        assert there == (sys.path, os.getcwd(), "somewhere")


def test_they_use_one_thread_each(two):
    words = ("LISSOM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    assert two.submit(lambda: [os.environ[word] for word in words]).result() == ["1"] * 4
    assert two.submit(cores).result() == 1
    assert "LISSOM_THREADS" not in os.environ


def test_each_shows_a_warning_once(tmp_path):
    done = _script(
        tmp_path,
        """
        import warnings
        from lissom.work.processes import Processes
        def job(k):
            warnings.warn("careful")
            return k
        with Processes(2) as place:
            print(sum(place.map(job, range(40))))
        """,
    )
    assert done.stdout == "780\n"
    assert 1 <= done.stderr.count("UserWarning: careful") <= 2


def test_scripts_need_no_guard(tmp_path):
    done = _script(
        tmp_path,
        """
        from lissom.work.processes import Processes
        print("begin")
        class Case:
            def __init__(self, x): self.x = x
        def job(case): return Case(helper(case.x))
        def helper(x): return x + 1
        with Processes(2) as place:
            found = place.submit(job, Case(4)).result()
            print(found.x, isinstance(found, Case))
        """,
    )
    assert (done.stdout, done.stderr) == ("begin\n5 True\n", "")


def _script(folder, text, **given):
    lines = text.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    (folder / "script.py").write_text("\n".join(line[indent:] for line in lines))
    return subprocess.run(
        [sys.executable, folder / "script.py"], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PYTHONPATH": SOURCE}, **given,
    )  # fmt: skip


# ---- deaths --------------------------------------------------------------------------------------


def test_a_job_whose_process_is_killed_is_done_by_another(tmp_path):
    def first_dies(k):
        file = tmp_path / str(k)
        if not file.exists():
            file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return k

    with Processes(2) as place:
        assert list(place.map(first_dies, range(4))) == [0, 1, 2, 3]


def test_a_process_that_is_killed_from_outside(two):
    pids = pids_of(two)
    futures = [two.submit(slow_square, k) for k in range(20)]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert [future.result() for future in futures] == [k * k for k in range(20)]


def test_a_job_that_ends_every_process_is_given_up(two):
    bad, good = two.submit(os._exit, 7), two.submit(slow_square, 3)
    error = bad.exception()
    assert isinstance(error, WorkerLost)
    assert str(error).startswith("3 worker processes died during a job (exit codes 7, 7, 7;")
    assert good.result() == 9
    assert two.trouble == ""


def test_processes_that_cannot_begin(monkeypatch):
    monkeypatch.setattr(processes, "SERVE", "raise SystemExit(3)")
    with Processes(2) as place:
        errors = [place.submit(slow_square, k).exception() for k in range(50)]
        assert "exit while starting (exit codes 3, 3, 3)" in place.trouble
    assert {type(error) for error in errors} == {WorkerLost}


def test_leaving_at_once():
    place = Processes(2)
    pids = pids_of(place)
    futures = [place.submit(time.sleep, 3600) for _ in range(4)]
    while not all(future.running() for future in futures[:2]):
        time.sleep(0.01)
    place.shutdown(wait=False, cancel_futures=True)
    assert gone(pids)
    assert not wait(futures, 60.0).not_done
    assert [type(future.exception()) for future in futures[:2]] == [WorkerLost, WorkerLost]
    assert [future.cancelled() for future in futures[2:]] == [True, True]
    with pytest.raises(RuntimeError, match="after shutdown"):
        place.submit(slow_square, 1)


def test_leaving_slowly():
    place = Processes(1)
    futures = [place.submit(slow_square, k) for k in range(4)]
    place.shutdown(wait=False)
    assert [future.result() for future in futures] == [0, 1, 4, 9]
    place.shutdown()
    with Processes(1) as place:
        futures = [place.submit(slow_square, k) for k in range(4)]
    assert all(future.done() for future in futures)


def test_processes_that_nobody_can_ask_any_more():
    place = Processes(2)
    pids, future = pids_of(place), place.submit(slow_square, 3)
    del place
    gc.collect()
    assert future.result() == 9
    assert gone(pids)


def test_errors_inside_with_end_the_work():
    with pytest.raises(KeyboardInterrupt), Processes(1) as place:  # noqa: PT012
        future = place.submit(time.sleep, 3600)
        raise KeyboardInterrupt
    assert future.done()
    assert future.cancelled() or isinstance(future.exception(), WorkerLost)


DRIVER = """
import ctypes, os, time
from lissom.work.processes import Processes
def pid(): time.sleep(0.2); return os.getpid()
def busy(): BUSY
with Processes(2) as place:
    pids = [f.result() for f in [place.submit(pid) for _ in range(2)]]
    futures = [place.submit(busy) for _ in range(5)]
    time.sleep(0.3)
    print(*pids, flush=True)
    futures[0].result()
"""


@pytest.mark.some(3)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(
    "busy",
    [
        pytest.param("time.sleep(60)", id="python"),
        pytest.param("ctypes.CDLL(None).sleep(60)", id="compiled", marks=needs_linux),
        pytest.param("ctypes.PyDLL(None).sleep(60)", id="compiled, GIL held", marks=needs_linux),
    ],
)
def test_workers_end_with_the_process_they_work_for(how, busy):
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER.replace("BUSY", busy)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=os.environ | {"PYTHONPATH": SOURCE},
    )  # fmt: skip
    pids = [int(word) for word in driver.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(alive, pids))
    driver.send_signal(how)
    driver.wait(20)
    driver.stdout.close()
    assert gone(pids)


# ---- fork and spawn ------------------------------------------------------------------------------

KERNELS = """
        import os, sys
        import numpy as np
        import lissom as ls
        from lissom.work.processes import Processes
        arm = ls.load("two_link")
        q = np.linspace(0, 1, 2 * 4096).reshape(-1, 2)
        def torques(threads=2): return ls.inverse_dynamics(arm, q, q, q, threads=threads)
        def through_others():
            with Processes(2) as place:
                return place.submit(torques, 1).result()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_processes_can_use_all(tmp_path):
    done = _script(
        tmp_path,
        KERNELS
        + """
        before = torques()
        place = Processes(1)
        assert (place.submit(torques).result() == before).all()
        pid = os.fork()
        if pid == 0:
            try:
                assert (torques() == before).all() and (through_others() == before).all()
                try:
                    place.submit(torques)
                except ls.InputError as error:
                    print(error, flush=True)
                    os._exit(0)
            finally:
                os._exit(1)
        print(os.waitpid(pid, 0)[1])
        place.shutdown()
        """,
    )
    assert done.stdout.splitlines() == [
        "these workers belong to the parent of this forked process; create new ones.", "0",
    ], done.stderr  # fmt: skip


def test_spawned_processes_can_use_all(tmp_path):
    done = _script(
        tmp_path,
        KERNELS
        + """
        def same(before): return bool((torques() == before).all() and (through_others() == before).all())
        if __name__ == "__main__":
            import multiprocessing
            before = torques()
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.apply(same, (before,)))
        """,
    )
    assert done.stdout == "True\n", done.stderr
