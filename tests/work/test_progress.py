"""Progress of long work: when it is shown, what it says, and who does not see it."""

import threading
import time

import pytest

from lissom import progress


def wait_for(condition, seconds=5.0):
    """Wait until a condition holds; the display has a thread of its own."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.005)
    assert condition()


class Log:
    """What was written to standard error, which is no terminal here."""

    def __init__(self, capsys):
        self._capsys, self._text = capsys, ""

    @property
    def text(self):
        self._text += self._capsys.readouterr().err
        return self._text


@pytest.fixture
def log(monkeypatch, capsys):
    monkeypatch.setattr(progress, "FIRST_NOTICE", 0.01)
    monkeypatch.setattr(progress, "NOTICE", 0.01)
    return Log(capsys)


def test_logs_get_plain_lines_at_growing_intervals(log, monkeypatch):
    waits = []
    monkeypatch.setattr(progress.Display, "seconds", property(lambda _: 0.0))  # so that each wait is the whole interval
    whole = threading.Event.wait
    monkeypatch.setattr(threading.Event, "wait", lambda event, s=None: waits.append(s) or whole(event, s))
    with progress.line("searching") as show:
        show("iteration 7")
        wait_for(lambda: log.text.count("\n") >= 3)
    assert log.text.splitlines()[-1].startswith("lissom: searching: iteration 7, after ")
    growing = [s for s in waits if s]
    assert {0.01, 0.02, 0.04} <= set(growing)


def test_a_log_hears_of_long_work_when_a_person_at_a_terminal_would():
    """Not after ten silent seconds."""
    assert progress.FIRST_NOTICE <= progress.PATIENCE < progress.NOTICE


def test_short_work_shows_nothing(log):
    with progress.line_if_long("searching") as show:
        show("iteration 1")
    with progress.bar_if_long("simulating", 2.0) as show:
        show(1.0)
    assert not log.text


def test_work_inside_other_work_is_a_detail_of_it(log):
    with progress.line("searching"):
        progress.stage("checking")
        with progress.bar("simulating", 2.0) as show:
            show(0.5)
            wait_for(lambda: "checking: simulating, 25 %" in log.text)


def test_stages_of_a_whole_stage_are_its_details(log):
    with progress.line("compiling"):
        with progress.whole_stage("comparing"):
            progress.stage("solving")
            wait_for(lambda: "comparing: solving" in log.text)
        progress.stage("checking")
        wait_for(lambda: "lissom: checking, after" in log.text)
    progress.stage("nothing is shown here")


def test_bars_count(log):
    with progress.bar("evaluating", 4, "rows") as show:
        show(1)
        show(3)
        wait_for(lambda: "evaluating 3 of 4 rows" in log.text)


def test_other_threads_and_worker_processes_show_nothing_by_default(log, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e-3)

    def work():
        with progress.line_if_long("searching"):
            time.sleep(0.2)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not log.text
    with progress.line_if_long("searching"):
        wait_for(lambda: log.text)
    shown = log.text
    monkeypatch.setitem(progress._switch, "on", False)
    work()
    assert log.text == shown
