"""README, docs and examples run, and say what they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lissom as ls

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


def run(script, folder, *arguments):
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def test_readme_code_prints_what_it_says(tmp_path):
    blocks = re.findall(r"```(python|text)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (kind, code), (other, output) = blocks[:2]
    assert (kind, other) == ("python", "text")
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    done = run(tmp_path / "readme.py", tmp_path)
    assert done.stdout == output, done.stderr


PAGES = sorted(path for path in (ROOT / "docs" / "formulations").glob("*.md") if path.stem != "nanoseconds")
WITH_CODE = [
    *PAGES,
    *(
        ROOT / "docs" / f"{name}.md"
        for name in ("engine", "simulation", "flexible", "motion", "loops", "viewer", "export-c")
    ),
]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda path: path.stem)
def test_pages_print_what_they_say(page, tmp_path):
    """Every piece of code is followed by what it prints; later pieces go on from earlier ones."""
    blocks = re.findall(r"```(python|text)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    kinds = [kind for kind, _ in blocks]
    assert kinds
    assert kinds == ["python", "text"] * (len(blocks) // 2)
    (tmp_path / "page.py").write_text("".join(code for _, code in blocks[0::2]), encoding="utf-8")
    done = run(tmp_path / "page.py", tmp_path)
    assert done.stdout == "".join(text for _, text in blocks[1::2]), done.stderr


def test_every_formulation_has_a_page():
    pages = {path.stem for path in PAGES}
    names = {re.sub(r"^(walker_orin)_\d$", r"\1", f.name) for f in ls.formulations()}
    assert names | {"index", "book"} == pages  # "book" is chosen with the arm


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(script, tmp_path):
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.slow
def test_demo_leaves_its_results(tmp_path):
    done = run(ROOT / "examples" / "demo.py", tmp_path, str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    names = {f"{name}.{kind}" for name in ("transfer", "lift") for kind in ("png", "gif", "nc", "csv")}
    names |= {f"still.{kind}" for kind in ("png", "gif", "nc")}
    assert names <= {path.name for path in (tmp_path / "out").iterdir()}
    assert done.stdout.count("its torques, played: verified") == 3


def test_every_file_in_the_format_page_loads(tmp_path):
    page = (ROOT / "docs" / "native-format.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for i, block in enumerate(blocks):
        text = block if "name = " in block.split("[")[0] else f'name = "dh"\n{block}'
        (tmp_path / f"{i}.toml").write_text(text, encoding="utf-8")
        assert ls.load(tmp_path / f"{i}.toml").dof == 1


def test_run_file_page(tmp_path):
    """The file on the page runs, and every key is named there."""
    from lissom.simulation import run_file

    page = (ROOT / "docs" / "run-file.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "reach.toml").write_text(block, encoding="utf-8")
    asked = run_file.read_run_file(tmp_path / "reach.toml")
    run = ls.simulate(asked.arm, **asked.arguments)
    assert run.status.startswith("stopped at t = ")
    for key in (*run_file.TOP, *run_file.CONTROLLERS):
        assert key in page or key == "lissom_run", key


def test_task_file_page(tmp_path):
    """The file on the page is read, and every key is named there."""
    from lissom.motion import task_file

    page = (ROOT / "docs" / "task-file.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "transfer.toml").write_text(block, encoding="utf-8")
    asked = task_file.read_task_file(tmp_path / "transfer.toml")
    assert asked.task.limits.acceleration[0][-1] == -80
    for key in task_file.TOP:
        assert key.removesuffix("_deg") in page or key == "lissom_task", key


def test_every_key_of_the_format_is_documented():
    page = (ROOT / "docs" / "native-format.md").read_text(encoding="utf-8")
    from dataclasses import fields

    for record in (ls.Link, ls.Joint, ls.Limits, ls.Beam, ls.Modes, ls.Loop, ls.Load, ls.Elastic, ls.Mimic, ls.Payload,
                   ls.ShapeTable, ls.Tip, ls.ModalIntegrals):  # fmt: skip
        for field in fields(record):
            word = {"kind": "type", "modes": "modal_integrals"}.get(field.name, field.name)
            assert word in page, f"{record.__name__}.{field.name}"


def test_shipped_arms_are_in_the_readme():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in ls.shipped())
