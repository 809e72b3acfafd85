"""Ctrl-C is raised, once, wherever it is pressed: also while code is made, where C++ and finalisers would lose it."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import lissom as ls
from lissom.engine import kernel
from lissom.engine.interrupts import noted_interrupts, uninterrupted

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def press():
    signal.raise_signal(signal.SIGINT)


def region(*work):
    """Do all of it in a region; what was done, and whether the interrupt came out."""
    done = []
    try:
        with uninterrupted():
            for job in work:
                done.append(job())
    except KeyboardInterrupt:
        return done, True
    return done, False


def fail():
    raise ValueError


def test_an_interrupt_inside_is_raised_at_the_end():
    assert region(press, lambda: "the rest") == ([None, "the rest"], True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_does_not_wait():
    assert region(press, press, lambda: "the rest") == ([None], True)


def test_an_interrupt_is_not_lost_behind_an_error():
    assert region(press, fail) == ([None], True)


def test_regions_inside_regions_raise_at_the_end_of_the_outermost():
    assert region(lambda: region(press), lambda: "the rest") == ([([None], False), "the rest"], True)


def test_a_search_that_listens_keeps_its_signal():
    with noted_interrupts() as pressed:
        with uninterrupted():
            press()
        assert pressed == [signal.SIGINT]


def test_other_threads_leave_the_handler_alone():
    seen = []

    def elsewhere():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


class Pressing:
    """A finaliser in which an exception would be printed and forgotten."""

    def __del__(self):
        press()


def test_an_interrupt_in_a_finaliser_during_compilation(tmp_path, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))
    arm, made = ls.load("two_link").with_gravity((0.3, 0.0, -1.0)), kernel.graph_of

    def pressing(program):
        Pressing()
        return made(program)

    monkeypatch.setattr(kernel, "graph_of", pressing)
    with pytest.raises(KeyboardInterrupt):
        ls.mass_matrix(arm, np.zeros(2))
    monkeypatch.undo()
    assert ls.mass_matrix(arm, np.zeros(2)).shape == (2, 2)


STORM = """
import os, random, signal, sys, tempfile, threading, time
os.environ["LISSOM_CACHE"] = tempfile.mkdtemp()
import numpy as np, lissom as ls
arm = ls.load("{name}")
call = {call}
random_ = random.Random(7)
lost = 0
for trial in range({trials}):
    wait = random_.uniform(0.001, 0.3)
    try:
        threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
        ends = time.monotonic() + wait + 5
        k = 0
        while time.monotonic() < ends:
            k += 1
            call(arm.with_gravity((0, 0, -9 - 1e-3 * k - trial)))
        lost += 1
    except KeyboardInterrupt:
        pass
print("lost", lost)
"""
CALLS = {
    "mass": ("tree_demo", "lambda a: ls.mass_matrix(a, np.zeros(a.dof))"),
    "slopes": ("puma560", "lambda a: ls.inverse_dynamics_gradient(a, *np.zeros((3, a.dof)))"),
    "tape": ("puma560", "lambda a: ls.simulate(a, np.zeros(a.dof), until=0.01)"),
    "modes": ("two_link_flexible", "lambda a: ls.modes(a, np.zeros(a.dof))"),
    "linearise": ("two_link_flexible", "lambda a: ls.linearise(a, np.zeros(a.dof))"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CALLS)
def test_no_interrupt_is_lost_at_random_moments(what):
    name, call = CALLS[what]
    code = STORM.format(name=name, call=call, trials=60)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=900)
    assert done.stdout.split()[-2:] == ["lost", "0"], done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr
