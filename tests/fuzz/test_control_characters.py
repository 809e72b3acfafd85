"""Text of a stranger's file never commands the terminal, nor a spreadsheet."""

import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import common
from lissom.cli.main import app
from lissom.errors import CONTROL, printable
from lissom.formats.tables import cell_text, read_table, text_cell, write_table
from lissom.formats.typed import fits
from lissom.listing import Listing

RED, BELL, CSI, REVERSED = "\x1b[31m", "\x07", "\x9b31m", "\u202e"
LINK = '[[links]]\nname = "a"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n'
STUDY = 'evaluate = "modes"\narm = "two_link_flexible"\n{0}[parameters.p]\npath = "arm.links.link2.payload.mass"\n'
STUDY += 'values = [0.1]\n[outputs.f]\nof = "frequencies_hz"\n{1}'
FILES = {
    "source": ("info", f'name = "n"\nsource = "{{}}"\n{LINK}'),
    "notes": ("check", f'name = "n"\nnotes = ["{{}}"]\n{LINK}'),
    "key": ("info", f'"{{}}" = 1\nname = "n"\n{LINK}'),
    "key of a link": ("info", f'name = "n"\n{LINK}"{{}}" = 2\n'),
    "name": ("info", f'name = "{{}}"\n{LINK}'),
    "title": ("sweep", STUDY.format('title = "{}"\n', "")),
    "unit": ("sweep", STUDY.format("", 'unit = "{}"\n')),
    "evaluate": ("sweep", 'evaluate = "{}"\n'),
    "arm of a run": ("simulate", 'arm = "{}"\nuntil = 0.1\n'),
    "key of a task": ("predict", 'arm = "two_link"\n"{}" = 1\n'),
}


def asked(*words):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})


@pytest.mark.parametrize("nasty", [RED, BELL, CSI, REVERSED], ids=["ESC", "BEL", "CSI", "RLO"])
@pytest.mark.parametrize("what", FILES)
def test_files_do_not_command_the_terminal(what, nasty, tmp_path):
    verb, text = FILES[what]
    written = "".join(f"\\u{ord(char):04x}" if CONTROL.match(char) else char for char in nasty)
    (tmp_path / "file.toml").write_text(text.replace("{}", written), encoding="utf-8")
    done = asked(verb, str(tmp_path / "file.toml"))
    assert not CONTROL.search(done.output)
    assert done.exit_code == 1
    assert "error:" in done.output


def test_messages_write_control_characters_out():
    for error in (ls.ModelError(RED, RED, RED, 1), ls.InputError(RED), ls.SimulationError(RED), ls.LissomError(RED)):
        assert not CONTROL.search(str(error))
        assert r"\x1b[31m" in str(error)
    assert printable("two\nlines\tand an umlaut: ä") == "two\nlines\tand an umlaut: ä"


def test_the_terminal_and_json_write_them_out(capsys, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(common, "out", common.Terminal(file=shown))
    common.out.print(RED + CSI, markup=False)
    common.print_listing(Listing(RED, [RED], [[RED]]))
    assert not CONTROL.search(shown.getvalue())
    common.print_json({RED: CSI})
    said = capsys.readouterr().out
    assert not CONTROL.search(said)
    assert json.loads(said) == {RED: CSI}


def test_records_of_files_hold_no_control_characters():
    assert fits("done", str)
    assert not fits(RED, str)


# ---- spreadsheets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@SUM(A1)", "'=x", "''=x", "\t=x", "it's", "'quoted'", "elbow"])
def test_names_are_no_formulas_and_come_back(name):
    assert text_cell(name)[0] not in "=+-@\t\r"
    assert cell_text(text_cell(name)) == name


def test_a_table_with_such_names_comes_back():
    columns = {"t": np.array([0.0, 1.0]), "=cmd|' /C calc'!A0": np.array([-1.0, 2.0]), "@x": np.array([1e-300, 3.0])}
    stream = io.StringIO()
    write_table(stream, columns)
    assert stream.getvalue().splitlines()[1] == "0,-1,1e-300"
    again = read_table(stream.getvalue())
    assert list(again) == list(columns)
    assert all(np.array_equal(again[name], columns[name]) for name in columns)


def test_a_motion_of_such_joints_is_written_and_read(tmp_path):
    arm = ls.load("two_link")
    arm = arm.with_joint(arm.joints[0].name, name="=HYPERLINK(1)")
    run = ls.simulate(arm, [0.1, 0.2], until=0.01, dt=1e-3)
    run.save(tmp_path / "run.csv")
    head = next(line for line in (tmp_path / "run.csv").read_text().splitlines() if not line.startswith("#"))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in head.split(","))
    assert np.array_equal(ls.load_run(tmp_path / "run.csv").q, run.q)
