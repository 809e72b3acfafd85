"""`lissom lift`: a coarse lifting, and refusals before the work."""

import json

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app


def lift(*words):
    return CliRunner().invoke(app, ["lift", *map(str, words)])


def test_a_box_is_lifted(tmp_path):
    target = tmp_path / "lift.nc"
    done = lift("--box", 8, "--segments", 6, "--quiet", "--json", "--output", target)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["ok"]
    motion = ls.load_motion(target)
    assert motion.duration == pytest.approx(1.4)
    grips = [ls.pose(motion.arm, motion.q[k], "grip_r")[2, 3] for k in (0, -1)]
    assert grips == pytest.approx([0.25, 1.25], abs=1e-3)
    weight = (73 + 8) * 9.81
    assert motion.contacts.forces[-1, :, 2].sum() == pytest.approx(weight, rel=0.2)  # at rest at the end


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--start", "0.4"), "--start is '0.4'; expected two numbers"),
        (("--goal", "a,b"), "--goal is 'a,b'; expected numbers"),
        (("--box", 200), "box is 200 kg; expected 0 to"),
        (("--joints", 13), "has no elbows"),
        (("--output", "lift.csv"), "lift.csv: a motion is written as .nc"),
        (("--film", "lift.xyz"), "lift.xyz has an unknown ending"),
    ],
)
def test_what_cannot_be_is_refused_before_the_search(words, message):
    done = lift(*words)
    assert done.exit_code == 1
    assert message in done.stderr.replace("\n", " ")
