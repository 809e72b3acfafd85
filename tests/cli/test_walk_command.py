"""`lissom walk`: a coarse walk with all that can be written, and refusals before the work."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

COARSE = ("--step", 0.69, "--segments", "1,1,3,3", "--quiet")


def walk(*words):
    return CliRunner().invoke(app, ["walk", *map(str, words)])


def test_a_walk_with_its_page_curves_and_figure(tmp_path):
    out = {word: tmp_path / f"walk.{word}" for word in ("nc", "csv", "html", "png")}
    done = walk(*COARSE, "--output", out["nc"], "--csv", out["csv"], "--report", out["html"], "--figure", out["png"],
                "--kind", "stride", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["ok"]
    assert found["measures"]["step_length_right"]["value"] == pytest.approx(0.69, abs=1e-6)
    assert found["measures"]["speed"] == {"value": pytest.approx(1.33), "unit": "m/s"}
    motion = ls.load_motion(out["nc"])
    report = ls.gait_report(motion)
    assert report["cadence"] == pytest.approx(found["measures"]["cadence"]["value"])
    assert report["double_support"] == pytest.approx(25.0, abs=0.5)  # durations of the phases are those of people
    assert np.abs(report.right["vertical"]).max() < 1.3
    assert out["csv"].read_text().startswith("percent,right.hip")
    assert "vertical force, first peak" in out["html"].read_text(encoding="utf-8")
    assert out["png"].stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--speed", 4), "speed is 4 m/s; expected 0.3 to"),
        (("--step", 3), "step is 3 m"),
        (("--slope", 40), "slope is 0.698"),
        (("--limit", "knee_flexion_r=0"), "--limit is 'knee_flexion_r=0'; expected JOINT=LOW,HIGH in degrees"),
        (("--limit", "knee=0,10"), "knee"),
        (("--load", -3), "load of -3 kg"),
        (("--joints", 12), "joints"),
        (("--segments", "1.5,2,2,2"), "expected four whole numbers"),
        (("--reference", "walk.mot"), "expected two files, angles and forces"),
        (("--reference", "walk.mot,force.mot"), "walk.mot: it does not exist"),
        (("--report", "walk.pdf"), "walk.pdf: the page is written as .html"),
        (("--output", "walk.csv"), "walk.csv: a motion is written as .nc"),
        (("--figure", "walk.abc"), "a figure cannot be written as .abc"),
        (("--kind", "poses"), "expected one of curves, stride"),
    ],
)
def test_what_cannot_be_is_refused_before_the_search(words, message):
    done = walk(*words)
    assert done.exit_code == 1
    assert message in done.stderr.replace("\n", " ")
