"""The same machine and versions give the same bits, whatever is around the computation."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("deterministic.py")
PLAIN = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


FEW = ("inverse", "forward slopes", "modes", "linear", "radau", "ensemble")


def fingerprints(order, batch, threads, *names, **environment):
    command = [sys.executable, str(SCRIPT), order, str(batch), str(threads), *names]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def want():
    return fingerprints("forward", 3000, 1, **PLAIN)


OTHER = {"PYTHONHASHSEED": "77", "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}


def test_two_processes_that_differ_in_all_that_must_not_matter(tmp_path):
    """Seed of hashes, threads of kernels and of linear algebra, size of batches, order, a cold cache and a warm one."""
    cache = {"LISSOM_CACHE": str(tmp_path / "cache")}
    cold = fingerprints("forward", 3000, 1, *FEW, **PLAIN, **cache)
    assert fingerprints("backward", 700, 2, *FEW, **OTHER, **cache) == cold


@pytest.mark.slow
def test_everything_in_two_processes_that_differ(want):
    assert fingerprints("backward", 700, 2, **OTHER) == want


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "batch", "threads", "environment"),
    [
        ("forward", 3000, 1, {"PYTHONHASHSEED": "1"}),
        ("backward", 3000, 1, {}),
        ("forward", 1, 1, {}),
        ("forward", 64, 2, {}),
        ("forward", 3000, 2, {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}),
        ("forward", 3000, 1, {"LISSOM_CACHE": ""}),
    ],
    ids=["seed", "order", "one by one", "small batches", "threads", "no cache"],
)
def test_one_difference_at_a_time(want, order, batch, threads, environment):
    assert fingerprints(order, batch, threads, **(PLAIN | environment)) == want
