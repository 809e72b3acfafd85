"""Kernels compiled by tests go to a cache of their own."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    before = os.environ.get("LISSOM_CACHE")
    os.environ["LISSOM_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["LISSOM_CACHE"]
    else:
        os.environ["LISSOM_CACHE"] = before
