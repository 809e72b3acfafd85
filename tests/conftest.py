"""Kernels compiled by tests go to a cache of their own, which the processes of one run share."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    before = os.environ.get("LISSOM_CACHE")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kernels"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ["LISSOM_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["LISSOM_CACHE"]
    else:
        os.environ["LISSOM_CACHE"] = before
