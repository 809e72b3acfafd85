"""`lissom excite`: the motion of the API, its files, and what it prints."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

GIVEN = ["two_link", "--duration", "4", "--velocity", "2,1.5", "--noise", "0.1", "--starts", "1", "-q"]


def excite(*arguments):
    return CliRunner().invoke(app, ["excite", *GIVEN, *map(str, arguments)])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One run of the command with all its files: what it printed, and the folder."""
    folder = tmp_path_factory.mktemp("excite")
    names = [folder / name for name in ("motion.nc", "motion.csv", "figure.png")]
    done = excite("--around", "1.5", "--q", "0.5,-0.5", "-o", names[0], "-o", names[1], "--figure", names[2],
                  "--kind", "information", "--verify", "--rate", 50)  # fmt: skip
    assert done.exit_code == 0, done.output
    return done.output, folder


def test_the_motion_is_that_of_the_function(files):
    start = np.array([0.5, -0.5])
    limits = ls.Limits(position=(start - 1.5, start + 1.5), velocity=[2.0, 1.5])
    want = ls.excite(ls.load("two_link"), 4.0, start=start, limits=limits, noise=0.1, starts=1, rate_hz=50.0)
    found = ls.load_motion(files[1] / "motion.nc")
    assert np.array_equal(found.control_points, want.control_points)
    assert found.information == want.information


def test_what_it_prints_and_writes(files):
    printed, folder = files
    for words in ("solved", "verified", "7 base parameters", "upper.mcx + 2 more", "No acceleration limit is known"):
        assert words in printed
    table = [line for line in (folder / "motion.csv").read_text().splitlines() if not line.startswith("#")]
    assert len(table) == 1 + 4 * 50 + 1
    assert (folder / "figure.png").stat().st_size > 10_000


def test_json_and_refusals():
    done = excite("--json", "--ignore", "fore")
    found = json.loads(done.stdout)
    assert found["status"] == "solved"
    assert found["information"]["parameters"][1] == "upper.mcy"
    assert len(found["information"]["std"]) == 3
    done = excite("--around", "1,2,3")
    assert done.exit_code == 1
    assert "--around has 3 numbers; expected one, or 2, one for each joint" in done.output
    assert "error: excite: ignore has 'elbow'" in excite("--ignore", "elbow").output
