"""Kernels compiled by tests go to a cache of their own, which the processes of one run share."""

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


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A directory of this run, the same in all of its workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def private_cache(shared):
    folder = shared / "kernels"
    folder.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LISSOM_CACHE", str(folder))
        yield


@pytest.fixture(scope="session", autouse=True)
def bytecode(shared):
    """Where none may be left in the tree, the processes that tests start share it here: compiling takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode and sys.pycache_prefix is None:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "bytecode"))
        yield


@pytest.fixture(scope="session", autouse=True)
def interrupts():
    """Ctrl-C is heard, here and in processes that tests begin, also where the whole run is in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
