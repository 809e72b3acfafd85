"""The audit of dependencies, with a service that answers in every way."""

import json
import sys

import pytest
from tools import audit

RUNTIME = {"numpy": "2.0", "casadi": "3.6"}
WEAK = {"id": "PYSEC-1", "fix_versions": ["2.1"]}


def package(name, *vulns, skip=None):
    known = {"name": name, "version": "2.0", "vulns": list(vulns)}
    return known if skip is None else {"name": name, "skip_reason": skip}


def fake(tmp_path, said, status=0, complaint="", wait=0.0):
    """A command that behaves as pip-audit might."""
    path = tmp_path / "fake.py"
    path.write_text(
        f"import sys, time\ntime.sleep({wait})\nprint({said!r})\nprint({complaint!r}, file=sys.stderr)\n"
        f"sys.exit({status})\n"
    )
    return [sys.executable, str(path)]


def test_clean():
    fine, lines = audit.judged([package("numpy"), package("casadi")], RUNTIME)
    assert fine
    assert lines == ["all 2 packages that lissom needs were audited, no known vulnerability"]


def test_vulnerable():
    fine, lines = audit.judged([package("numpy", WEAK), package("casadi")], RUNTIME)
    assert not fine
    assert lines[0] == "numpy 2.0, which lissom needs: PYSEC-1, mended in 2.1"
    assert lines[-1] == "FAILED: 1 known vulnerabilities in packages that lissom needs."


def test_a_vulnerable_tool_is_reported_and_fails_nothing():
    fine, lines = audit.judged([package("numpy"), package("casadi"), package("pip", WEAK)], RUNTIME)
    assert fine
    assert lines[0].startswith("pip 2.0, a tool for building or testing: PYSEC-1")


def test_partly_audited():
    found = [package("numpy"), package("casadi", skip="not found")]
    fine, lines = audit.judged(found, RUNTIME)
    assert fine
    assert lines == ["NOT AUDITED: 1 of 2 packages that lissom needs: casadi."]
    fine, lines = audit.judged([package("numpy", WEAK), package("casadi", skip="not found")], RUNTIME)
    assert not fine
    assert any(line.startswith("NOT AUDITED: 1 of 2") for line in lines)


def test_nothing_is_known():
    fine, lines = audit.judged([package(name, skip="not found") for name in RUNTIME], RUNTIME)
    assert fine
    assert lines == ["NOT AUDITED: the advisory service knows none of the 2 packages that lissom needs."]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"said": "", "status": 1, "complaint": "ConnectionError: refused"}, "ConnectionError: refused"),
        ({"said": "<html>a proxy</html>"}, "pip-audit said nothing"),
        ({"said": "[]"}, "pip-audit said nothing"),
        ({"said": "{}"}, "pip-audit said nothing"),
    ],
    ids=["refused", "not JSON", "a list", "empty"],
)
def test_unreachable(tmp_path, capsys, command, why):
    assert audit.main(fake(tmp_path, **command)) == 0
    assert capsys.readouterr().out == f"NOT AUDITED: the advisory service could not be asked ({why}).\n"


def test_silent(tmp_path, capsys):
    assert audit.main(fake(tmp_path, "", wait=3600.0), patience=1.0) == 0
    assert capsys.readouterr().out == "NOT AUDITED: the advisory service could not be asked (no answer within 1 s).\n"


def test_not_installed(capsys):
    assert audit.main(["/no/such/pip-audit"]) == 0
    assert "NOT AUDITED" in capsys.readouterr().out


def test_a_vulnerability_fails_the_command(tmp_path, capsys):
    """pip-audit itself ends with 1 then, and its answer counts."""
    said = json.dumps({"dependencies": [package("numpy", WEAK)], "fixes": []})
    assert audit.main(fake(tmp_path, said, status=1)) == 1
    assert "numpy 2.0, which lissom needs: PYSEC-1" in capsys.readouterr().out


def test_what_lissom_needs():
    found = audit.closure()
    assert {"numpy", "casadi", "llvmlite", "scipy", "xarray", "contourpy"} <= set(found)  # the last by way of another
    assert not {"pytest", "sphinx", "pip-audit", "lissom"} & set(found)
    assert "numpy" in audit.closure(extras=())
