"""`lissom track`: a table, its motion, its files, and tables that are refused."""

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

TABLE = "t,x,y\n0,0.575,0.592\n1,0.5,0.65\n2,0.4,0.7\n"


def track(*arguments):
    return CliRunner().invoke(app, ["track", *map(str, arguments)])


def test_a_table_becomes_a_motion_with_its_files(tmp_path):
    (tmp_path / "path.csv").write_text(TABLE)
    files = {word: tmp_path / f"m.{word}" for word in ("nc", "csv", "png")}
    written = ("-o", files["nc"], "-o", files["csv"], "--figure", files["png"], "--kind", "path")
    given = ("--start", "0.2,1.2", "--before", "0.2", "--quiet")
    done = track("two_link_flexible", tmp_path / "path.csv", *given, *written)
    assert done.exit_code == 0, done.output
    assert "followed within" in done.output
    assert all(path.stat().st_size for path in files.values())
    motion = ls.load_motion(files["nc"])
    assert motion.shift == 0.2
    assert motion.tracked.axes == ("x", "y")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,x,q\n0,1,2\n1,1,2\n", "its columns are t, x, q; expected t and some of x, y, z"),
        ("x,y\n0,1\n1,1\n", "expected t and some of"),
        ("t,x,y\n0,a,2\n", "it is no table of numbers"),
        ("t,x,y\n0,5,5\n1,5,6\n", "begins out of reach"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tmp_path, text, sentence):
    (tmp_path / "path.csv").write_text(text)
    done = track("two_link_flexible", tmp_path / "path.csv")
    assert done.exit_code == 1
    assert sentence in " ".join(done.stderr.split())


def test_other_files_are_refused(tmp_path):
    assert "does not exist" in track("two_link_flexible", tmp_path / "none.csv").stderr
    assert "is no table" in " ".join(track("two_link_flexible", "examples/lift.toml").stderr.split())


def test_messages_name_the_option_for_the_start(tmp_path):
    (tmp_path / "path.csv").write_text(TABLE)
    done = track("two_link_flexible", tmp_path / "path.csv", "--start", "0.2")
    assert "--start has 1 number, arm 'two_link_flexible' has 2 joints" in " ".join(done.stderr.split())


def test_a_column_of_time_may_have_another_name(tmp_path):
    from lissom.motion.path_task import read_path_table

    (tmp_path / "path.csv").write_text("time_ms,x,y\n0,0.5,0.6\n1500,0.4,0.7\n")
    t, values, axes = read_path_table(tmp_path / "path.csv")
    assert (t.tolist(), values.tolist(), axes) == ([0, 1.5], [[0.5, 0.6], [0.4, 0.7]], ["x", "y"])
