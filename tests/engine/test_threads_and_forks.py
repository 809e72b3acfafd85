"""Many threads and processes at once: the same bits, first compilation included."""

import hashlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.arms import random_arm, random_states

import lissom as ls
from lissom.engine import native
from lissom.kernels.functions import Functions
from lissom.later import cached_property, importing

VERBS = {
    "inverse": lambda arm, *state: ls.inverse_dynamics(arm, *state),
    "forward": lambda arm, *state: ls.forward_dynamics(arm, *state),
    "mass": lambda arm, q, *_: ls.mass_matrix(arm, q),
    "poses": lambda arm, q, *_: ls.poses(arm, q),
    "slopes": lambda arm, *state: np.stack(ls.inverse_dynamics_gradient(arm, *state)),
    "forward slopes": lambda arm, *state: np.stack(ls.forward_dynamics_gradient(arm, *state)),
    "energy": lambda arm, q, qd, _: ls.kinetic_energy(arm, q, qd),
    "end": lambda arm, q, *_: ls.jacobian(arm, q, arm.links[-1].name),
}


def bits(verb, arm, rows, seed=0):
    state = random_states(arm, rows, seed)
    return hashlib.sha256(np.ascontiguousarray(VERBS[verb](arm, *state)).tobytes()).hexdigest()


def together(jobs, workers=8):
    """Jobs that begin at the same moment."""
    start = threading.Barrier(workers)

    def begin(job):
        return job()

    with ThreadPoolExecutor(workers, initializer=start.wait) as pool:
        return list(pool.map(begin, jobs))


def test_threads_compile_and_call_everything_at_once(tmp_path, monkeypatch):
    """One new arm, all verbs, one state and batches, a cache that is empty: as one thread after another."""
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))
    arm = random_arm(31, 4)
    work = [(verb, rows) for rows in (1, 5, 3000) for verb in VERBS] * 2
    found = together([lambda verb=verb, rows=rows: bits(verb, arm, rows) for verb, rows in work])
    alone = random_arm(31, 4)
    want = {job: bits(*job[:1], alone, job[1]) for job in set(work)}
    assert found == [want[job] for job in work]


def test_threads_with_arms_of_their_own():
    """The same arm made many times, and different ones."""
    work = [(seed, 300) for seed in (41, 42, 41, 43) for _ in range(4)]
    found = together([lambda seed=seed, rows=rows: bits("inverse", random_arm(seed, 3), rows) for seed, rows in work])
    want = {seed: bits("inverse", random_arm(seed, 3), 300) for seed in (41, 42, 43)}
    assert found == [want[seed] for seed, _ in work]


def test_threads_that_call_one_state_again_and_again():
    """The one-state entry has one workspace: no thread sees another's numbers."""
    arm = ls.load("puma560")
    states = random_states(arm, 8)
    want = [ls.inverse_dynamics(arm, *states[:, k]) for k in range(8)]

    def again(k):
        return all(np.array_equal(ls.inverse_dynamics(arm, *states[:, k]), want[k]) for _ in range(3000))

    assert all(together([lambda k=k: again(k) for k in range(8)]))


def test_other_threads_go_on_during_a_long_batch():
    """The kernels release the GIL: within one call another thread has its turn many times."""
    arm, rows = ls.load("puma560"), 2_000_000
    state = [np.broadcast_to(x, (rows, 6)) for x in random_states(arm, 1)[:, 0]]
    out = np.empty((rows, 6))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.perf_counter()
    ls.inverse_dynamics(arm, *state, out=out, threads=1)
    ended = time.perf_counter()
    stop.set()
    ticker.join()
    assert sum(began < t < ended for t in ticks) >= 5


def test_threads_that_make_a_builtin_at_once_share_it(monkeypatch):
    """Nobody may hold a definition, or the code it names, that another thread's has replaced."""
    shim, both = native._shim, threading.Barrier(2)
    monkeypatch.setattr(native, "_definitions", {})
    monkeypatch.setattr(native, "_shim", lambda name: (both.wait(), shim(name))[1])
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(native._definition, ["rows", "rows"])
    assert one is other
    definition, loaded = native._definitions["rows"]
    assert definition is one
    assert definition.code == loaded.address("rows")


# ---- processes -----------------------------------------------------------------------------------


def in_a_process(verb, rows):
    return bits(verb, ls.load("puma560"), rows)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_fork_after_threads_computes_the_same_bits():
    """The child has none of its parent's threads; it makes its own."""
    code = """
import os, sys, warnings
import numpy as np, lissom as ls
warnings.simplefilter("ignore")  # newer Pythons warn of forks after threads
arm = ls.load("puma560")
state = np.random.default_rng(0).uniform(-1, 1, (3, 50_000, 6))
want = ls.inverse_dynamics(arm, *state, threads=2)
want_slopes = ls.forward_dynamics_gradient(arm, *(x[:5000] for x in state), threads=2)
child = os.fork()
if child == 0:
    same = np.array_equal(ls.inverse_dynamics(arm, *state, threads=2), want)
    slopes = ls.forward_dynamics_gradient(arm, *(x[:5000] for x in state), threads=2)
    same &= all(np.array_equal(a, b) for a, b in zip(slopes, want_slopes))
    fresh = ls.load("two_link")  # compiled in the child
    same &= ls.mass_matrix(fresh, [0.3, 0.2]).shape == (2, 2)
    os._exit(0 if same else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert np.array_equal(ls.inverse_dynamics(arm, *state, threads=2), want)  # the parent goes on
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


FORKS = """
import os, signal, sys, tempfile, threading, time
os.environ["LISSOM_CACHE"] = tempfile.mkdtemp()
import numpy as np, lissom as ls
arm = ls.load("tree_demo")
q = np.zeros(arm.dof)

def heavier(k):
    return arm.with_gravity((0, 0, -9 - 1e-3 * k))

def compile_on():
    ls.mass_matrix(arm, q)
    for k in range(10**6):
        ls.mass_matrix(heavier(k), q)

threading.Thread(target=compile_on, daemon=True).start()
hung = 0
for k in range({forks}):
    time.sleep({wait} * (k % 7))
    child = os.fork()
    if child == 0:
        ls.mass_matrix(arm, q)  # the arm that another thread of the parent compiles, or has compiled
        ls.mass_matrix(heavier(-1 - k), q)
        os._exit(0)
    for _ in range(1200):
        if os.waitpid(child, os.WNOHANG)[0]:
            break
        time.sleep(0.05)
    else:
        hung += 1
        os.kill(child, signal.SIGKILL)
print("hung", hung, flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
@pytest.mark.parametrize("forks", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_a_fork_while_another_thread_compiles(forks):
    """From the first import on: locks of imports, of the arm and of LLVM are free in the child."""
    code = FORKS.format(forks=forks, wait=0.04)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=900)
    assert (done.stdout, done.stderr) == ("hung 0\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_fork_by_the_thread_that_compiles():
    """Parent and child finish what was begun, and compile more."""
    code = """
import os, tempfile
os.environ["LISSOM_CACHE"] = tempfile.mkdtemp()
import numpy as np, lissom as ls
from lissom.engine import kernel
made, forked = kernel.graph_of, []
def forking(program):
    if not forked:
        forked.append(os.fork())
    return made(program)
kernel.graph_of = forking
arm = ls.load("two_link")
M = ls.mass_matrix(arm, np.zeros(2))
assert M.shape == (2, 2) and ls.inverse_dynamics(arm, *np.zeros((3, 2))).shape == (2,)
if forked[0] == 0:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1]) == 0
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", [w for w in ("spawn", "forkserver") if w in multiprocessing.get_all_start_methods()])
def test_worker_processes_compute_the_same_bits(way):
    jobs = [("inverse", 5000), ("forward slopes", 300)]
    with multiprocessing.get_context(way).Pool(2) as pool:
        assert pool.starmap(in_a_process, jobs) == [in_a_process(*job) for job in jobs]


FORK_WHILE_IMPORTING = """
import os, threading, time
from lissom.engine.compile import llvm
from lissom.later import cached_property, importing

binding, begun = llvm(), threading.Event()

def first_call():  # of another thread: LLVM is used while the lock of imports is held
    with importing:
        begun.set()
        time.sleep(0.3)  # the fork waits by then
        binding.get_default_triple()

thread = threading.Thread(target=first_call, daemon=True)
thread.start()
begun.wait()
child = os.fork()
if not child:
    binding.get_default_triple()
    os._exit(0 if importing.acquire(timeout=60) else 1)
thread.join()
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_and_a_thread_that_imports_do_not_wait_for_each_other():
    """Both take the lock of imports first, then that of LLVM."""
    found = subprocess.run([sys.executable, "-c", FORK_WHILE_IMPORTING], capture_output=True, text=True, timeout=120)
    assert (found.stdout.strip(), found.stderr) == ("0", "")


def test_the_lock_of_an_arm_is_taken_before_that_of_imports(monkeypatch):
    """In the other order two threads that compile could wait for each other."""
    making, seen = Functions._making, []

    def noting(self):
        lock = making(self)
        seen.append(lock._is_owned() or not importing._is_owned())
        return lock

    monkeypatch.setattr(Functions, "_making", noting)
    arm, model = (ls.load("two_link").with_gravity((0, 0, -g)) for g in (9.7, 9.6))
    ls.simulate(arm, [0, 0], tau=ls.ComputedTorque([0.1, 0.1], 9, 6, model=model), until=1e-3, method="radau")
    assert len(seen) > 1
    assert all(seen)


def test_cached_properties_hold_no_lock():
    """A fork would copy it, held for ever: while one object computes, another one of its class does not wait."""
    computing, go_on = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, waits):
            self.waits = waits

        @cached_property
        def value(self):
            if self.waits:
                computing.set()
                go_on.wait(60)
            return object()

    slow = Slow(True)
    other = threading.Thread(target=lambda: slow.value)
    other.start()
    computing.wait(60)
    done = threading.Thread(target=lambda: Slow(False).value, daemon=True)
    done.start()
    done.join(20)
    waited = done.is_alive()
    go_on.set()
    other.join()
    assert not waited
    assert slow.value is slow.value
