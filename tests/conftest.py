"""Kernels compiled by tests go to a cache of their own, which the processes of all runs share."""

import os
import signal
import sys
from itertools import groupby

import pytest

# Before NumPy is imported: a run has a process per core, and threads of linear algebra that wait for each other spin.
# Tests of what threads change begin processes of their own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test marked ``some(n)``, n of its many cases run by default, spread over all; the others with -m slow."""
    for _, cases in groupby(items, lambda item: item.nodeid.split("[")[0]):
        cases = list(cases)
        mark = cases[0].get_closest_marker("some")
        if mark is not None:
            kept = {round(k * (len(cases) - 1) / max(mark.args[0] - 1, 1)) for k in range(mark.args[0])}
            for k, case in enumerate(cases):
                if k not in kept:
                    case.add_marker(pytest.mark.slow)


def pytest_configure(config):
    """Where no bytecode may be left in the tree, it is kept beside the kernels: reading modules anew takes longest."""
    if sys.dont_write_bytecode and sys.pycache_prefix is None and hasattr(config, "cache"):
        sys.dont_write_bytecode, sys.pycache_prefix = False, str(config.cache.mkdir("bytecode"))


@pytest.fixture(scope="session", autouse=True)
def private_cache(request, tmp_path_factory):
    """Kernels in pytest's cache, which ``--cache-clear`` empties: their keys hold everything that they depend on."""
    kept = hasattr(request.config, "cache")
    folder = request.config.cache.mkdir("kernels") if kept else tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LISSOM_CACHE", str(folder))
        yield


@pytest.fixture(scope="session", autouse=True)
def bytecode():
    """Processes that tests start use the same bytecode as this one."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.pycache_prefix is not None:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", sys.pycache_prefix)
        yield


@pytest.fixture(scope="session", autouse=True)
def interrupts():
    """Ctrl-C is heard, here and in processes that tests begin, also where the whole run is in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
