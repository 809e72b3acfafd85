"""`lissom identify`."""

import json

import pytest
from tests.identification.test_identify import recorded, wrong
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, arm = tmp_path_factory.mktemp("logs"), ls.load("two_link")
    ls.save(wrong(arm), folder / "arm.toml")
    recorded(arm, 0).save(folder / "run.csv")
    recorded(arm, 1).save(folder / "other.csv")
    recorded(arm.with_payload(ls.Payload(0.3)), 2).save(folder / "box.csv")
    return folder


def run(*words):
    return CliRunner().invoke(app, ["identify", *map(str, words)])


def test_it_identifies_checks_and_writes(files):
    done = run(files / "arm.toml", files / "run.csv", "--hold-out", files / "other.csv", "-o", files / "out.toml")
    assert done.exit_code == 0, done.output
    assert "held out: other.csv" in done.output
    assert ls.load(files / "out.toml").mass > 0


def test_repairs_and_axes_that_are_not_used_are_shown(files):
    lines = (files / "run.csv").read_text().splitlines()
    lines[50] = ",".join(["nan"] * len(lines[0].split(",")))
    rows = [f"{line},{'q_3' if k == 0 else k}" for k, line in enumerate(lines)]
    (files / "axes.csv").write_text("\n".join(rows))
    done = run(files / "arm.toml", files / "axes.csv", "--report", files / "page.html")
    for shown in (done.output, (files / "page.html").read_text()):
        text = " ".join(shown.split())
        assert "axes.csv: 1 row removed: values missing" in text
        assert "axes 3 are not used" in text


def test_json_has_the_numbers(files):
    words = (files / "arm.toml", files / "run.csv", "--loaded", files / "box.csv", "--friction", "none", "--json")
    found = json.loads(run(*words).output)
    assert {row["name"].split(" ")[0] for row in found["parameters"]} >= {"payload.m"}
    assert abs(found["payloads"]["payload"]["mass"] - 0.3) < 0.05
    assert found["errors"][0]["joints"] == ["upper", "fore"]


def test_refusals(files):
    assert "payload of --loaded" in run(files / "arm.toml", files / "run.csv", "--known-mass", "2").output
    assert "written as .toml" in run(files / "arm.toml", files / "run.csv", "-o", files / "x.urdf").output
