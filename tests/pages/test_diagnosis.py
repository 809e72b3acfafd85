"""`lissom doctor`."""

import json

import numpy as np
from typer.testing import CliRunner

import lissom as ls
from lissom import diagnosis
from lissom.cli.main import app


def test_a_failure_is_a_finding(monkeypatch):
    def broken():
        raise RuntimeError("no luck")

    monkeypatch.setattr(diagnosis, "_trials", lambda: [("cache of compiled code", diagnosis._cache), ("luck", broken)])
    found = ls.doctor()
    assert not found.ok
    assert found.checks[-1] == ("luck", False, "RuntimeError: no luck")
    assert "1 of 2 checks failed: luck" in found.describe()
    assert CliRunner().invoke(app, ["doctor"]).exit_code == 1


def test_a_broken_engine_is_told(monkeypatch):
    def broken(*_arguments, **_keywords):
        raise OSError("no compiler")

    monkeypatch.setattr(diagnosis, "inverse_dynamics", broken)
    monkeypatch.setattr(diagnosis.compiler, "host", broken)
    monkeypatch.setattr(diagnosis, "_trials", lambda: [("forward undoes inverse dynamics", diagnosis._undone)])
    found = ls.doctor()
    assert found.checks == (("forward undoes inverse dynamics", False, "OSError: no compiler"),)
    assert found.nanoseconds == {}
    assert "1 of 1 checks failed" in found.describe()


def test_it_names_versions_and_speed(monkeypatch):
    monkeypatch.setattr(diagnosis, "_trials", lambda: [("cache of compiled code", diagnosis._cache)])
    told = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert told["ok"]
    assert told["versions"]["lissom"] == ls.__version__
    assert all(0 < ns < 1e6 for ns in told["nanoseconds"].values())
    assert "ns per state" in ls.doctor()._repr_html_()


def test_a_cache_that_is_turned_off_is_in_order(monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", "")
    assert diagnosis._cache() == (True, "turned off")


def test_numbers_of_numpy_become_json(monkeypatch):
    monkeypatch.setattr(diagnosis, "_trials", lambda: [("energy", lambda: (np.bool_(True), "fine"))])
    assert json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)["checks"][0]["ok"] is True
