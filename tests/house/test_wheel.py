"""What users install: built, put into a fresh environment, and tried there."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def called(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1500, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_two_wheels_of_one_commit_are_the_same(tmp_path):
    dated = {**os.environ, "SOURCE_DATE_EPOCH": "1795046400"}
    made = []
    for name in ("first", "second"):
        folder = tmp_path / name
        called(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, env=dated)
        (wheel,) = folder.glob("*.whl")
        made.append(wheel.read_bytes())
    assert made[0] == made[1]


@pytest.mark.slow
def test_the_wheel_works_in_a_fresh_environment(tmp_path):
    called(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "fresh", with_pip=True)
    commands = tmp_path / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    called(commands / "python", "-m", "pip", "install", "--quiet", wheel)
    private = {**os.environ, "LISSOM_CACHE": str(tmp_path / "kernels")}
    assert "checks passed" in called(commands / "lissom", "doctor", cwd=tmp_path, env=private)
