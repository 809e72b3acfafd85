"""README, docs and examples run, and say what they print."""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.house.pages import MARKDOWN, ROOT
from tools import example_log
from typer.main import get_command

import lissom as ls
from lissom.cli.main import app

EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
BLOCK = re.DOTALL | re.MULTILINE


def run(script, folder, *arguments):
    """A script in a fresh process."""
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """As `run`, in a child of a process that has imported everything; see `warm`."""
    if not hasattr(os, "fork"):
        yield run
        return
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    folder, count = tmp_path_factory.mktemp("warm"), itertools.count()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, Path(__file__).with_name("warm.py")], env=environment, **pipes) as process:

        def in_child(script, where, *arguments):
            out, err = (folder / f"{next(count)}.txt" for _ in range(2))
            asked = {"script": script, "folder": where, "out": out, "err": err, "arguments": arguments}
            print(json.dumps(asked, default=str), file=process.stdin, flush=True)
            code = int(process.stdout.readline())
            return subprocess.CompletedProcess(asked, code, out.read_text("utf-8"), err.read_text("utf-8"))

        yield in_child
        process.stdin.close()


class Block(NamedTuple):
    """A piece of Python on a page, and what stands directly below it as its output; "" where nothing does."""

    code: str
    output: str


def blocks(page):
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n*^```text\n(.*?)^```)?", page.read_text(encoding="utf-8"), BLOCK)
    return [Block(*one) for one in found]


def name_of(page):
    return page.relative_to(ROOT).with_suffix("").as_posix()


def marked(items, slow, name):
    """Those named run with -m slow."""
    assert slow <= {name(item) for item in items}
    return [pytest.param(i, id=name(i), marks=[pytest.mark.slow] if name(i) in slow else []) for i in items]


WITH_CODE = [page for page in MARKDOWN if blocks(page)]
FRAMEWORKS = {"torch", "jax"}  # pages about packages that need not be there
SLOW_PAGES = {"docs/motion", "docs/studies", "docs/tutorial/urdf-to-motion"}
SLOW_EXAMPLES = {"03_formulations", "04_simulation", "07_stop_without_vibration", "08_report", "09_robustness",
                 "10_tip_draws_a_curve", "11_identify_an_arm"}  # fmt: skip


@pytest.mark.parametrize("page", marked(WITH_CODE, SLOW_PAGES, name_of))
def test_pages_print_what_they_say(page, tmp_path, warm):
    """Later pieces of code go on from earlier ones; each prints exactly what stands below it."""
    if page.stem in FRAMEWORKS:
        pytest.importorskip(page.stem, reason=f"{page.stem} is not installed")
    pieces = blocks(page)
    code = "print(end='\\f', flush=True)\n".join(piece.code for piece in pieces)
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    done = (run if name_of(page) == "README" else warm)(tmp_path / "page.py", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\f") == [piece.output for piece in pieces]


def commands(page):
    """Arguments of every ``lissom ...`` in shell blocks."""
    shell = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), BLOCK)
    lines = [shlex.split(line, comments=True) for text in shell for line in text.splitlines()]
    return [words[1:] for words in lines if words[:1] == ["lissom"]]


@pytest.mark.parametrize("page", [page for page in MARKDOWN if commands(page)], ids=name_of)
def test_commands_on_pages_exist(page):
    """Every command, option and number of arguments is one that the tool takes; files need not be there."""
    tool = get_command(app)
    for verb, *words in commands(page):
        assert verb in tool.commands, f"lissom {verb}"
        _, command, _ = tool.resolve_command(None, [verb])
        context = command.context_class(command, info_name=verb)
        values, rest, _ = command.make_parser(context).parse_args(args=words)
        assert not rest, f"lissom {verb} {' '.join(words)}: {rest} is too much"
        needed = [p.name for p in command.params if p.required]
        assert all(values.get(name) for name in needed), f"lissom {verb} {' '.join(words)}: needs {needed}"


FILES = re.compile(r"[\w./-]+\.(?:toml|urdf|xml|nc|csv)$")
WRITTEN = {"--output", "-o", "--csv", "--figure", "--film"}
ANY = {
    "arm.urdf",
    "robot.urdf",
    "arm.toml",
    "motion.csv",
    "log.csv",
    "run.nc",
    "motion.nc",
    "loads.toml",
}  # of the reader


def missing(page):
    """Files in commands on a page that neither the repository has, nor the page writes or describes."""
    text = page.read_text(encoding="utf-8")
    described = re.sub(r"^```sh\n.*?^```", "", text, flags=BLOCK)
    known = set(ANY)
    for verb, *words in commands(page):
        after = list(zip(["", *words], words, strict=False))
        written = [word for before, word in after if before in WRITTEN]
        if verb == "convert":
            written.append(words[1])
        if verb == "simulate":
            written.append(re.sub(r"\.toml$", ".nc", words[0]))
        read = [word for _, word in after if FILES.fullmatch(word) and word not in {*known, *written}]
        for word in read:
            if not (ROOT / word).exists() and not re.search(rf"(?<![\w./]){re.escape(word)}", described):
                yield f"lissom {verb} {' '.join(words)}: {word}"
        known |= set(written)


@pytest.mark.parametrize("page", [page for page in MARKDOWN if commands(page)], ids=name_of)
def test_files_in_commands_are_there(page):
    """In the repository, written by the page, described on it, or plainly the reader's own (arm.urdf)."""
    assert not list(missing(page))


def test_the_task_file_of_the_tutorial_is_read(tmp_path):
    from lissom.motion.task_file import read_task_file

    page = (ROOT / "docs" / "tutorial" / "urdf-to-motion.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    links = [ls.Link(name, above, mass=1.0, com=(0.2, 0, 0), inertia=[0.1] * 3) for name, above in
             (("turn", None), ("shoulder", "turn"), ("elbow", "shoulder"))]  # fmt: skip
    ls.save(ls.Arm("slim_arm", links), tmp_path / "slim_arm.toml")
    (tmp_path / "move.toml").write_text(block, encoding="utf-8")
    asked = read_task_file(tmp_path / "move.toml")
    assert (asked.task.duration, asked.task.minimise) == (1.0, {"torque_squared": 1.0})


def test_every_formulation_has_a_page():
    pages = {path.stem for path in (ROOT / "docs" / "formulations").glob("*.md")} - {"nanoseconds"}
    names = {re.sub(r"^(walker_orin)_\d$", r"\1", f.name) for f in ls.formulations()}
    assert names | {"index", "book"} == pages  # "book" is chosen with the arm


@pytest.mark.parametrize("script", marked(EXAMPLES, SLOW_EXAMPLES, lambda path: path.stem))
def test_examples_run(script, tmp_path, warm):
    """They print something and leave a picture for the gallery."""
    fewer = ["64"] if script.stem == "09_robustness" else []  # of its ten thousand arms
    done = warm(script, tmp_path, *fewer)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.glob("*.png"))


@pytest.mark.slow
def test_demo_leaves_its_results(tmp_path):
    done = run(ROOT / "examples" / "demo.py", tmp_path, str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    names = {f"{name}.{kind}" for name in ("transfer", "still", "slim_puma") for kind in ("nc", "csv")}
    assert names | {"index.html"} == {path.name for path in (tmp_path / "out").iterdir()}
    assert done.stdout.count("; verified") == 3
    swings = re.findall(r"the tip swings by (<?) ?([\d.]+) mm", done.stdout)
    assert [sign for sign, _ in swings] == ["", "<", "", "<"]  # the plan for rigid links and lissom's, of both arms
    assert min(float(swings[0][1]), float(swings[2][1])) > 3.0
    assert done.stdout.splitlines()[-1] == f"Open {tmp_path / 'out' / 'index.html'} in a browser."
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count('<div class="player">') == 3
    assert len(page) < 8e6


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
    from lissom.motion import run_file

    page = (ROOT / "docs" / "run-file.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "reach.toml").write_text(block, encoding="utf-8")
    asked = run_file.read_run_file(tmp_path / "reach.toml")
    run = ls.simulate(asked.arm, **asked.arguments)
    assert run.status.startswith("stopped at t = ")
    for key in (*run_file.TOP, *run_file.KINDS):
        assert key in page or key == "lissom_run", key


def test_task_file_page(tmp_path):
    """The files on the page are read, and every key is named there."""
    from lissom.motion import path_task, task_file

    page = (ROOT / "docs" / "task-file.md").read_text(encoding="utf-8")
    transfer, draw = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "transfer.toml").write_text(transfer, encoding="utf-8")
    asked = task_file.read_task_file(tmp_path / "transfer.toml")
    assert asked.task.limits.acceleration[0][-1] == -80
    (tmp_path / "draw.toml").write_text(draw, encoding="utf-8")
    assert task_file.read_task_file(tmp_path / "draw.toml").planned().ok
    for key in (*task_file.TOP, *path_task.KEYS, *path_task.OF_PATH):
        assert key.removesuffix("_deg") in page or key == "lissom_task", key


def test_study_file_page(tmp_path):
    """The file on the page is read, and every key is named there."""
    from lissom.studies import study_file

    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "payloads.toml").write_text(block, encoding="utf-8")
    asked = study_file.read_study_file(tmp_path / "payloads.toml")
    assert asked.study.rows == 64
    for key in study_file.TOP:
        assert key in page or key == "lissom_study", key


def test_every_key_of_the_format_is_documented():
    page = (ROOT / "docs" / "native-format.md").read_text(encoding="utf-8")
    from dataclasses import fields

    for record in (ls.Link, ls.Joint, ls.Limits, ls.Beam, ls.Modes, ls.Loop, ls.Load, ls.JointElasticity, ls.Mimic,
                   ls.Payload, ls.ShapeTable, ls.Tip, ls.ModalIntegrals):  # fmt: skip
        for field in fields(record):
            word = {"kind": "type", "modes": "modal_integrals"}.get(field.name, field.name)
            assert word in page, f"{record.__name__}.{field.name}"


def test_shipped_arms_are_in_the_readme():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in ls.shipped())


def test_the_example_log_is_what_its_script_writes(tmp_path):
    example_log.main(tmp_path / "log.csv")
    made, shipped = (np.loadtxt(file, delimiter=",", skiprows=1) for file in (tmp_path / "log.csv", example_log.FILE))
    assert np.abs(made - shipped).max() < 2e-3  # of rounding to three digits
    log = ls.load_log(example_log.FILE, ls.load("ur5e"))
    assert log.q.shape == log.tau.shape == (1000, 6)
