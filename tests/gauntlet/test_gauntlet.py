"""Every robot of the test extra through everyday work; what it finds is on docs/robots.md."""

import json
import subprocess

import pytest

import gauntlet


@pytest.fixture(scope="module")
def finger(tmp_path_factory):
    return gauntlet.run("finger_edu", folder=tmp_path_factory.mktemp("gauntlet"))


@pytest.mark.slow
def test_one_robot_passes_every_trial(finger):
    expected = {("load", "load")} | {(room, name) for room, trials in gauntlet.ROOMS.items() for name in trials}
    assert {(row["room"], row["trial"]) for row in finger} == expected
    assert [row for row in finger if row["how"] != "succeeded"] == []


@pytest.mark.slow
def test_tables_count_every_trial(finger):
    table = gauntlet.summary(finger)
    assert sum(row[table.columns.index("succeeded")] for row in table.rows) == len(finger)
    assert gauntlet.misses(finger).rows == []


def test_a_crash_costs_one_trial(tmp_path, monkeypatch):
    """The process that was in the trial has ended; another one does the rest."""
    calls = []
    loaded = {"file": "robot.urdf", "robot": "robot", "room": "load", "trial": "load", "how": "succeeded"}
    started = loaded | {"room": "motion", "trial": "time", "how": "started"}

    def process(command, **_):
        calls.append(command)
        if len(calls) > 1:
            return subprocess.CompletedProcess(command, 0, "", "")
        (tmp_path / "robot.urdf.jsonl").write_text(f"{json.dumps(loaded)}\n{json.dumps(started)}\n")
        return subprocess.CompletedProcess(command, -11, "", "")

    monkeypatch.setattr(gauntlet.subprocess, "run", process)
    rows = gauntlet.try_robot("robot.urdf", 0, tmp_path)
    assert [row["how"] for row in rows] == ["succeeded", "crash"]
    assert len(calls) == 2


@pytest.mark.slow
def test_nothing_but_results_and_refusals(tmp_path):
    """All robots: no exception that is not lissom's, no crash, no hang."""
    rows = gauntlet.run(folder=tmp_path)
    assert len({row["file"] for row in rows}) >= 65
    assert [row for row in rows if row["how"] in gauntlet.FAULTS] == []
    held = [row for row in rows if row["trial"].startswith("PD") or row["trial"] == "ensemble of 64"]
    assert [row for row in held if row["how"] != "succeeded"] == []
