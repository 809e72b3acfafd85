"""What an ensemble takes: its record, the states it was made from, and a constant."""

import json
import subprocess
import sys

import numpy as np
import pytest

import lissom as ls
from lissom.simulation.integrators import fixed

CODE = """
import json, sys, tracemalloc
import numpy as np, lissom as ls
from lissom.simulation.integrators import fixed
name, method, runs, fixed.ROOM = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
arm = ls.load(name)
start = np.random.default_rng(0).uniform(-0.5, 0.5, (runs, 2))
steps = {"every": 0.001} if method == "dop853" else {"dt": 0.001, "every": 0.001}
go = lambda n: ls.simulate(arm, start[:n], until=0.1, method=method, on_failure="return", **steps)
go(8)
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
run = go(runs)
kept, peak = tracemalloc.get_traced_memory()
print(json.dumps([arm.dof, run.q.shape[1], kept - before, peak - before]))
"""


@pytest.mark.parametrize(
    ("name", "method", "runs", "room"),
    [
        pytest.param("two_link", "rk4", 6000, 2**28, marks=pytest.mark.slow),
        ("two_link", "rk4", 6000, 2**21),
        pytest.param("two_link_flexible", "rk4", 6000, 2**22, marks=pytest.mark.slow),
        pytest.param("two_link", "dop853", 400, 2**28, marks=pytest.mark.slow),
    ],
    ids=["at once", "in blocks", "flexible", "adaptive"],
)
def test_working_memory_of_an_ensemble(name, method, runs, room):
    """Per sample the record holds 4 dof + 8 numbers; states of 2 dof + 3 more are there while it is made."""
    command = [sys.executable, "-c", CODE, name, method, str(runs), str(room)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    dof, samples, kept, peak = json.loads(done.stdout)
    record, states = (8 * runs * samples * n for n in (4 * dof + 8, 2 * dof + 3))
    assert abs(kept - record) < 2**20 + 2000 * runs
    block = min(room, states) if room < states else 0
    assert peak < record + states + 1.2 * block + 32 * 2**20


def test_blocks_of_runs_do_not_change_a_bit(monkeypatch):
    arm = ls.load("two_link")
    start = np.random.default_rng(1).uniform(-1, 1, (50, 2))
    whole = ls.simulate(arm, start, until=0.1, dt=0.001)
    monkeypatch.setattr(fixed, "ROOM", 1)
    parts = ls.simulate(arm, start, until=0.1, dt=0.001)
    for word in ("q", "qd", "qdd", "tau", "kinetic", "potential", "power", "work"):
        assert np.array_equal(getattr(whole, word), getattr(parts, word)), word
    assert np.array_equal(whole.balance_error, parts.balance_error)
