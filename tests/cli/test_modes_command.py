"""`lissom modes`: its numbers are the API's, its files are made, its errors are one sentence."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

ARM = ls.load("two_link_flexible")


def modes(*arguments):
    return CliRunner().invoke(app, ["modes", *(str(argument) for argument in arguments)])


def test_the_table_is_that_of_the_record():
    done = modes("two_link_flexible", "--q", "0.2,0.3", "--count", 3)
    assert done.exit_code == 0, done.output
    assert done.output == ls.modes(ARM, [0.2, 0.3], count=3).describe() + "\n"
    done = modes("two_link_flexible", "--q", "10,30", "--deg", "--joints", "free")
    assert done.output == str(ls.modes(ARM, np.radians([10, 30]), "free")) + "\n"
    assert "2 motions without restoring force (frequency zero)" in done.output


def test_what_the_table_says():
    found = ls.modes(ARM, [0.2, 0.7])
    rows = [line.split() for line in str(found).splitlines()[4:]]
    assert [float(row[1]) for row in rows] == pytest.approx(found.frequencies_hz, rel=1e-4)
    assert [float(row[2]) for row in rows] == pytest.approx(1 / found.frequencies_hz, rel=1e-3)
    assert rows[0][5] == "link1.bending_z1"
    assert np.allclose(found.shares.sum(axis=0), 1.0)
    assert "no vibration modes" in str(ls.modes(ls.load("two_link"), [np.pi / 2, 0], "free"))
    assert "2 unstable motions" in str(ls.modes(ls.load("two_link"), [np.pi / 2, 0], "free"))


def test_json():
    found = ls.modes(ARM, [0.0, 0.5], count=2)
    data = json.loads(modes("two_link_flexible", "--q", "0,0.5", "--count", 2, "--json").output)
    assert data["frequencies_hz"] == found.frequencies_hz.tolist()
    assert data["shapes"][1]["link2.bending_z1"] == found.shapes[4, 1]
    assert data["rigid"] == 0
    told = json.loads(modes("two_link_flexible", "--convergence", "--most", 2, "--count", 3, "--json").output)
    assert told["modes"] == [1, 2]
    assert told["frequencies_hz"][0][2] is None  # one mode of each link: there are two
    alone = json.loads(modes("two_link_flexible", "--beam", "link2", "--count", 2, "--json").output)
    assert alone["frequencies_hz"] == ls.beam_modes(ARM.link("link2").beam, count=2).frequencies_hz.tolist()
    assert alone["tip"]["mass"] == 0.0


def test_a_beam_and_what_it_carries():
    """With the payload at its tip, the numbers of De Luca and Siciliano; alone, those of a free tip."""
    carrying = modes("two_link_flexible", "--beam", "link2", "--carrying", "--count", 2)
    assert carrying.output == str(ls.beam_modes(ARM.link("link2").beam, ls.Tip(0.1, 0.0005, polar=0.00025), 2)) + "\n"
    free = modes("two_link_flexible", "--beam", "link2").output
    # 1.8751^2 / 0.5^2 sqrt(1 / 0.2) / 2 pi
    assert "5.0051" in free
    assert "tip: free" in free


def test_convergence():
    done = modes("two_link_flexible", "--q", "0,0.5", "--convergence", "--most", 3, "--count", 2)
    assert done.output == str(ls.mode_convergence(ARM, [0, 0.5], count=2, most=3)) + "\n"
    assert "last change" in done.output


@pytest.mark.parametrize("options", [("--convergence", "--most", 2), ("--beam", "link1"), ("--joints", "free")])
def test_figures(options, tmp_path):
    done = modes("two_link_flexible", *options, "--figure", tmp_path / "a.png")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert "wrote" in done.stderr


@pytest.mark.slow
def test_films(tmp_path):
    done = modes("two_link_flexible", "--film", tmp_path / "a.gif", "--mode", 2, "--figure", tmp_path / "a.svg")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF89a")
    assert (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("puma560",), "arm 'puma560' has no vibration modes with its joints locked: it has no elastic parts."),
        (("puma560", "--convergence"), "has no flexible beams"),
        (("puma560", "--beam", "elbow"), "link 'elbow' has no beam; no link has."),
        (("two_link_flexible", "--q", "1"), "--q has 1 number, arm 'two_link_flexible' has 2 joints"),
        (("two_link_flexible", "--q", "1,x"), "expected numbers separated by commas"),
        (("two_link_flexible", "--joints", "open"), "joints is 'open'; expected 'locked' or 'free'"),
        (("two_link_flexible", "--count", "0"), "count is 0"),
        (("two_link_flexible", "--beam", "link3"), "there is no link 'link3'; did you mean 'link2'?"),
        (("two_link_flexible", "--beam", "link1", "--plane", "twist"), "expected one of bending_z, bending_y"),
        (("two_link_flexible", "--beam", "link1", "--plane", "torsion"), "the beam has no GJ"),
        (("two_link_flexible", "--beam", "link1", "--count", "201"), "from 1 to 200"),
        (("two_link_flexible", "--beam", "link1", "--q", "0,0"), "--q describes the whole arm"),
        (("two_link_flexible", "--beam", "link1", "--film", "a.gif"), "--film describes the whole arm"),
        (("two_link_flexible", "--plane", "torsion"), "--plane describes one beam; name its link with --beam"),
        (("two_link_flexible", "--carrying"), "--carrying describes one beam"),
        (
            ("two_link_flexible", "--convergence", "--film", "a.gif"),
            "--film shows one mode and cannot show --convergence",
        ),
        (("two_link_flexible", "--convergence", "--most", "13"), "most is 13; expected a whole number from 1 to 12"),
        (("two_link_flexible", "--convergence", "--most", "0"), "most is 0"),
        (("two_link_flexible", "--most", "3"), "--most needs --convergence"),
        (("two_link_flexible", "--mode", "0"), "--mode needs --film FILE"),
        (("two_link_flexible", "--film", "a.avi"), "unknown ending"),
        (("two_link_flexible", "--film", "no/such/a.gif"), "there is no folder"),
        (("two_link_flexible", "--figure", "no/such/a.png"), "there is no folder"),
    ],
)
def test_wrong_questions(arguments, message):
    done = modes(*arguments)
    assert done.exit_code == 1
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.output + done.stderr


def test_a_mode_that_is_not_there(tmp_path):
    done = modes("two_link_flexible", "--film", tmp_path / "a.gif", "--mode", 9)
    assert done.exit_code == 1
    assert "mode is 9; expected a whole number from 1 to 4" in done.stderr
