"""Which workplace is chosen, and how many cores there are."""

import os

import numpy as np
import pytest

import lissom as ls
from lissom import cores as cores_of
from lissom.cores import cores
from lissom.errors import InputError
from lissom.work.choose import executor
from lissom.work.here import Here
from lissom.work.processes import Processes


def test_what_is_asked_for(monkeypatch):
    assert isinstance(executor(1, None, "sweep"), Here)
    assert executor(np.int64(3), None, "sweep").count == 3
    monkeypatch.setenv("LISSOM_THREADS", "1")
    assert isinstance(executor(None, None, "sweep"), Here)
    monkeypatch.setenv("LISSOM_THREADS", "5")
    many = executor(None, None, "sweep")
    assert isinstance(many, Processes)
    assert many.count == 5


@pytest.mark.parametrize(
    ("workers", "scheduler", "sentence"),
    [
        (0, None, "sweep: workers is 0; expected a whole number above 0, or None"),
        (-2, None, "sweep: workers is -2; expected"),
        (1.5, None, "sweep: workers is 1.5; expected"),
        (True, None, "sweep: workers is True; expected"),
        ("2", None, "sweep: workers is '2'; expected"),
        (None, 8786, "sweep: scheduler is 8786; expected the address of a dask scheduler, such as 'tcp://"),
        (None, " ", "sweep: scheduler is ' '; expected"),
        (
            2,
            "tcp://127.0.0.1:8786",
            "sweep: workers is 2 and scheduler is 'tcp://127.0.0.1:8786'; give only one of them",
        ),
    ],
)
def test_what_cannot_be_asked_for(workers, scheduler, sentence):
    with pytest.raises(InputError) as caught:
        executor(workers, scheduler, "sweep")
    assert str(caught.value).startswith(sentence)


def test_motions_refuse_the_same():
    with pytest.raises(InputError, match="predict_motion: workers is 2 and scheduler is 'x'; give only one of them"):
        ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1], workers=2, scheduler="x")


def test_cores_are_those_of_this_process(monkeypatch):
    monkeypatch.delenv("LISSOM_THREADS", raising=False)
    assert 1 <= cores() <= os.cpu_count()
    if hasattr(os, "sched_setaffinity"):
        before = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(before)})
            assert cores() == 1
        finally:
            os.sched_setaffinity(0, before)


def test_cores_that_a_container_allows(monkeypatch, tmp_path):
    monkeypatch.delenv("LISSOM_THREADS", raising=False)
    monkeypatch.setattr(cores_of, "GROUPS", tmp_path)
    monkeypatch.setattr(cores_of, "_open_to_us", lambda: 64)
    for text, expected in [("max 100000", 64), ("150000 100000", 2), ("50000 100000", 1), ("nonsense", 64)]:
        (tmp_path / "cpu.max").write_text(text + "\n")
        cores_of._quota.cache_clear()
        assert cores() == expected
    cores_of._quota.cache_clear()


@pytest.mark.parametrize("words", ["0", "-1", "two", "1.5"])
def test_threads_that_are_no_number(monkeypatch, words):
    monkeypatch.setenv("LISSOM_THREADS", words)
    with pytest.raises(InputError, match=rf"LISSOM_THREADS='{words}'; expected a whole number above 0"):
        cores()


def test_kernels_use_that_many_threads(monkeypatch):
    from lissom.engine import kernel

    asked = []

    def refused():
        asked.append(1)
        raise AssertionError("one thread needs no others")

    arm, q = ls.load("puma560"), np.linspace(0, 1, 6 * 8192).reshape(-1, 6)
    right = ls.inverse_dynamics(arm, q, q, q)
    monkeypatch.setattr(kernel, "pool", refused)
    monkeypatch.setenv("LISSOM_THREADS", "1")
    assert (ls.inverse_dynamics(arm, q, q, q) == right).all()
    monkeypatch.setenv("LISSOM_THREADS", "2")
    with pytest.raises(AssertionError, match="needs no others"):
        ls.inverse_dynamics(arm, q, q, q)
