"""Closed loops at the terminal."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

FOUR_BAR = Path(__file__).parents[2] / "examples" / "four_bar.toml"


def lissom(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_check_says_what_loops_leave(tmp_path):
    done = lissom("check", FOUR_BAR)
    assert done.exit_code == 0
    words = " ".join(done.output.split())
    assert "its loops close, and leave 1 of 3 coordinates free" in words
    assert "shift along z" in words
    arm = ls.load(FOUR_BAR)
    ls.save(arm.replace(loops=[ls.Loop(("coupler", (9, 0, 0)), ("rocker", (0.6, 0, 0)))]), tmp_path / "open.toml")
    done = lissom("check", "--strict", tmp_path / "open.toml")
    assert done.exit_code == 1
    assert "no position was found that closes" in " ".join(done.output.split())


def test_run_file_assembles_its_start(tmp_path):
    file = tmp_path / "fall.toml"
    start = "q = [1.0, -0.5, 1.5]\nqd = [1.0, 0.0, 0.0]\n"
    file.write_text(f'arm = "{FOUR_BAR}"\nuntil = 0.2\n[start]\n{start}assemble = ["crank"]\n')
    done = lissom("simulate", file, "--quiet")
    assert done.exit_code == 0, done.output
    run = ls.load_run(tmp_path / "fall.nc")
    assert run.q[0, 0] == pytest.approx(1.0, abs=1e-12)
    assert run.qd[0, 0] == pytest.approx(1.0, abs=1e-12)
    assert np.abs(run.closure_error).max() < 1e-12
    file.write_text(f'arm = "{FOUR_BAR}"\nuntil = 0.2\n[start]\n{start}')
    done = lissom("simulate", file, "--quiet")
    assert done.exit_code == 1
    assert "q0 leaves open loop 1" in " ".join(done.output.split())
    file.write_text(f'arm = "{FOUR_BAR}"\nuntil = 0.2\n[start]\n{start}assemble = "crank"\n')
    assert "expected a list of joints" in " ".join(lissom("simulate", file, "--quiet").output.split())


def test_linear_models_and_modes():
    q = ",".join(map(repr, ls.assemble(ls.load(FOUR_BAR), [1.0, -0.5, 1.5], fixed="crank").q.tolist()))
    assert "crank.rate" in lissom("linearise", FOUR_BAR, "--q", q, "--json").output


def test_typed_positions_are_closed_nearby(tmp_path):
    """Four digits leave a gap of 2e-5 m."""
    q = ls.assemble(ls.load(FOUR_BAR), [1.0, -0.5, 1.5], fixed="crank").q
    typed = ",".join(f"{x:.4f}" for x in q)
    done = lissom("linearise", FOUR_BAR, "--q", typed, "--json")
    assert done.exit_code == 0, done.output
    assert "the nearest position that closes them is --q" in done.stderr
    exact = lissom("modes", FOUR_BAR, "--joints", "free", "--q", ",".join(map(repr, q.tolist())))
    assert exact.exit_code == 0
    assert exact.stderr == ""
