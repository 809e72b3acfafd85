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


def test_checks_and_payloads_are_on_the_page(files):
    words = ("--hold-out", files / "other.csv", "--loaded", files / "box.csv", "--report", files / "check.html")
    assert run(files / "arm.toml", files / "run.csv", *words, "--friction", "none").exit_code == 0
    page = (files / "check.html").read_text()
    assert "Log other.csv." in page
    assert page.count("<figure") == 3
    assert "Payload: 0." in page


@pytest.mark.filterwarnings("ignore:slow.csv")
def test_advice_is_that_of_the_terminal(files):
    import numpy as np

    log = recorded(ls.load("two_link"), 0)
    for name, factor, advice in (("slow", 1e3, "give --scale t=1e-3"), ("turned", 1.0, "--column t=0 --column q=1,2")):
        head = "time,q1,q2,tau1,tau2" if name == "slow" else ""
        rows = np.column_stack([factor * log.t, log.q, log.tau])
        np.savetxt(files / f"{name}.csv", rows, delimiter=",", header=head, comments="")
        assert advice in " ".join(run("two_link", files / f"{name}.csv").output.split())


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


def test_columns_of_other_names_units_and_currents(files):
    """A log of motor currents, in degrees and milliseconds, without a word about either."""
    import numpy as np

    arm, log = ls.load("two_link"), recorded(ls.load("two_link"), 0)
    cells = np.column_stack([1e3 * log.t, np.degrees(log.q), log.tau / (5.0, 2.0)])
    np.savetxt(files / "odd.csv", cells, delimiter=",", header="clock,a,b,x0,x1", comments="")
    np.savetxt(files / "bare.csv", cells[:, 1:], delimiter=";")
    odd = ("--column", "t=clock", "--column", "q=a,b", "--column", "current=x{}", "--scale", "q=deg", "--scale", "t=ms")
    bare = ("--column", "q=0,1", "--column", "current=2,3", "--scale", "q=0.017453292519943295", "--rate", 100)
    known = ("--gains", "5,2", "--skew", "none", "--friction", "none", "--json")
    want = ls.identify(arm, log, friction=None, skew=None).table.values
    for words in (("odd.csv", *odd), ("bare.csv", *bare)):
        done = run("two_link", files / words[0], *words[1:], *known)
        assert done.exit_code == 0, done.output
        found = [row["value"] for row in json.loads(done.output[done.output.index("{") :])["parameters"]]
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-9)
    done = run("two_link", files / "odd.csv", *odd[:2], "--column", "q")
    assert "--column is 'q'; expected a quantity and what it is" in " ".join(done.output.split())


def test_refusals(files):
    assert "payload of --loaded" in run(files / "arm.toml", files / "run.csv", "--known-mass", "2").output
    assert "written as .toml" in run(files / "arm.toml", files / "run.csv", "-o", files / "x.urdf").output
