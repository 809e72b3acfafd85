"""`lissom sweep`: what it prints, writes and refuses, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.work import cluster

PAYLOADS = """\
title = "payloads"
evaluate = "modes"
arm = "two_link_flexible"
[arguments]
count = 2
[parameters.payload]
path = "arm.links.link2.payload.mass"
grid = [0.0, 0.2, 3]
[parameters.stiffness]
path = "arm.links.*.beam.EI"
how = "scale"
values = [0.8, 1.2]
"""
CODE = """\
evaluate = "mine.py:square"
[parameters.x]
grid = [0, 9, 10]
"""
MINE = "def square(case):\n    return {'y': case['x'] ** 2}\n"
SLOW = "import time\ndef square(case):\n    time.sleep(0.02)\n    return {'y': case['x'] ** 2}\n"


def lissom(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def study(tmp_path):
    file = tmp_path / "payloads.toml"
    file.write_text(PAYLOADS)
    return file


@pytest.fixture
def code(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    file = tmp_path / "code.toml"
    file.write_text(CODE)
    return file


def refused(done):
    """Exit 1 and a sentence."""
    assert done.exit_code == 1, done.output
    assert "Traceback" not in done.output + done.stderr
    return done.stderr


def test_the_table_is_printed_and_rows_are_kept(study):
    done = lissom("sweep", study, "-w", 1)
    assert done.exit_code == 0, done.stderr
    found = ls.load_study(study.with_suffix(""))
    assert done.stdout == found.describe() + "\n"
    assert "payloads: 6 of 6 rows; done" in done.stdout
    assert f"rows are in {study.with_suffix('')}" in done.stderr


def test_json_csv_and_another_store(study, tmp_path):
    done = lissom("sweep", study, "-w", 1, "--json", "--csv", tmp_path / "rows.csv", "-o", tmp_path / "elsewhere")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["status"], told["rows"], told["done"], told["failed"]) == ("done", 6, 6, [])
    found = ls.load_study(tmp_path / "elsewhere")
    head, *lines = (tmp_path / "rows.csv").read_text().splitlines()
    column = head.split(",").index("payload")
    assert [float(line.split(",")[column]) for line in lines] == found["payload"].tolist()
    assert not study.with_suffix("").exists()


@pytest.mark.parametrize("kind", ["scatter", "distribution", "map", "sensitivity", "pareto"])
def test_figures(study, tmp_path, kind):
    done = lissom("sweep", study, "-w", 1, "--figure", tmp_path / "x.png", "--kind", kind)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_figures_that_cannot_be_are_refused_before_any_work(study, tmp_path):
    assert "cannot be written as .x" in refused(lissom("sweep", study, "--figure", tmp_path / "a.x"))
    assert "kind" in refused(lissom("sweep", study, "-w", 1, "--figure", tmp_path / "a.png", "--kind", "pie"))
    assert not study.with_suffix("").exists()


def test_a_store_is_gone_on_with_only_where_asked(study):
    assert lissom("sweep", study, "-w", 1).exit_code == 0
    folder = study.with_suffix("")
    assert "it already has 6 rows of a study. Continue with resume=True (--resume)" in refused(lissom("sweep", study))
    sorted(folder.glob("rows-*"))[-1].unlink()
    assert not ls.load_study(folder).complete
    done = lissom("sweep", study, "-w", 1, "--resume")
    assert done.exit_code == 0
    assert ls.load_study(folder).complete
    study.write_text(PAYLOADS.replace("0.8", "0.7"))
    assert "it has rows of a different study (parameters differ)" in refused(lissom("sweep", study, "--resume"))
    assert "exclude each other" in refused(lissom("sweep", study, "--resume", "--overwrite"))


def test_a_store_is_replaced(study):
    assert lissom("sweep", study, "-w", 1).exit_code == 0
    folder = study.with_suffix("")
    before = ls.load_study(folder)["stiffness"]
    study.write_text(PAYLOADS.replace("0.8", "0.7"))
    assert lissom("sweep", study, "-w", 1, "--overwrite").exit_code == 0
    after = ls.load_study(folder)
    assert after.complete
    assert (after["stiffness"].min(), before.min()) == (0.7, 0.8)
    (folder / "mine.txt").write_text("kept")
    assert lissom("sweep", study, "-w", 1, "--overwrite").exit_code == 0
    assert (folder / "mine.txt").read_text() == "kept"


def test_a_sweep_that_ends_before_its_first_row_replaces_nothing(study, code):
    assert lissom("sweep", study, "-w", 1).exit_code == 0
    folder = study.with_suffix("")
    (folder / "notes.txt").write_text("kept")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    study.write_text(PAYLOADS + '[outputs]\nf = "frequencies"\n')
    assert "frequencies" in refused(lissom("sweep", study, "-w", 1, "--overwrite"))
    (code.parent / "mine.py").write_text("def square(case):\n    raise KeyboardInterrupt\n")
    done = lissom("sweep", code, "--allow-code", "-w", 1, "-o", folder, "--overwrite")
    assert done.exit_code == 130, done.stderr
    assert "0 of 10 rows are evaluated; the store still has its earlier rows" in done.stderr
    assert "the rows are in" not in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_folder_of_something_else_is_never_emptied(study, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "rows-0-000001.parquet").write_text("mine")
    assert "it has files that are not of a study" in refused(lissom("sweep", study, "-o", other, "--overwrite"))
    assert (other / "rows-0-000001.parquet").read_text() == "mine"


def test_tables_that_cannot_be_written_are_refused_before_any_work(study, tmp_path):
    assert "written as .csv" in refused(lissom("sweep", study, "--csv", tmp_path / "a.txt"))
    assert "there is no folder" in refused(lissom("sweep", study, "--csv", tmp_path / "no" / "a.csv"))
    assert "there is no folder" in refused(lissom("sweep", study, "-o", tmp_path / "no" / "a"))
    assert not study.with_suffix("").exists()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("link2.payload", "link7.payload", ":7 parameter 'payload': path 'arm.links.link7.payload.mass': there is no"),
        ("[0.0, 0.2, 3]", "[0.0, 0.2, 1e12]", ":8 parameter 'payload': grid is"),
        (
            "[0.0, 0.2, 3]",
            "[0.0, 0.2, 9_000_000]",
            "study would have 18,000,000 rows; at most 10,000,000 are",
        ),
        ('how = "scale"', 'how = "times"', ":11 parameter 'stiffness': how is 'times'; expected one of"),
        ("count = 2", "coun = 2", "modes has no argument 'coun'; did you mean 'count'?"),
        ('"modes"', '"mode"', ":2: evaluate is 'mode'; did you mean 'modes'?"),
    ],
)
def test_files_that_are_wrong_are_refused_with_their_place(study, old, new, sentence):
    study.write_text(PAYLOADS.replace(old, new))
    assert sentence in refused(lissom("sweep", study))
    assert not study.with_suffix("").exists()


def test_no_file_and_wrong_usage(tmp_path):
    assert "does not exist" in refused(lissom("sweep", tmp_path / "none.toml"))
    assert lissom("sweep").exit_code == 2
    assert lissom("sweep", tmp_path / "none.toml", "--resum").exit_code == 2


def test_no_scheduler(study, monkeypatch):
    monkeypatch.setattr(cluster, "REACH", 0.3)
    assert "there is no scheduler at 'tcp://127.0.0.1:9'" in refused(
        lissom("sweep", study, "--scheduler", "tcp://127.0.0.1:9")
    )
    assert "give only one of them" in refused(lissom("sweep", study, "-w", 2, "--scheduler", "tcp://127.0.0.1:9"))
    assert not study.with_suffix("").exists()


def test_code_is_run_only_where_it_is_allowed(code):
    assert "--allow-code" in refused(lissom("sweep", code))
    assert not code.with_suffix("").exists()
    assert lissom("sweep", code, "--allow-code", "-w", 2).exit_code == 0
    assert np.array_equal(ls.load_study(code.with_suffix(""))["y"], np.arange(10.0) ** 2)
    assert lissom("sweep", code, "--allow-code", "-w", 1, "--resume").exit_code == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def cube(case): pass", "has no function 'square'"),
        ("1 / 0", "raised ZeroDivisionError"),
        ("import sys; sys.exit(0)", "raised SystemExit"),
    ],
)
def test_code_that_cannot_be_loaded(code, text, sentence):
    (code.parent / "mine.py").write_text(text)
    assert sentence in refused(lissom("sweep", code, "--allow-code"))


def test_rows_that_fail_are_told_and_are_no_failure_of_the_command(code):
    (code.parent / "mine.py").write_text("def square(case):\n    return {'y': 1 / int(case['x'])}\n")
    done = lissom("sweep", code, "--allow-code", "-w", 1)
    assert done.exit_code == 0
    assert "1 failed" in done.stdout
    assert "row 0: ZeroDivisionError" in done.stdout


def test_ctrl_c_keeps_what_is_done(code):
    (code.parent / "mine.py").write_text(SLOW)
    code.write_text(CODE.replace("[0, 9, 10]", "[0, 199, 200]"))
    command = [sys.executable, "-m", "lissom", "sweep", str(code), "--allow-code", "-w", "1"]
    source = os.path.dirname(os.path.dirname(ls.__file__))
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": source}
    )
    folder = code.with_suffix("")
    for _ in range(600):
        if len(list(folder.glob("rows-*"))) > 1:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, noise = process.communicate(timeout=60)
    assert process.returncode == 130, noise
    assert "of 200 rows are evaluated; continue with resume=True (--resume)" in noise
    assert "Traceback" not in out + noise
    kept = ls.load_study(folder)
    assert 0 < len(kept) < 200
    (code.parent / "mine.py").write_text(SLOW)
    assert lissom("sweep", code, "--allow-code", "-w", 1, "--resume").exit_code == 0
    assert np.array_equal(ls.load_study(folder)["y"], np.arange(200.0) ** 2)
