"""Help, its groups and its speed; the same options at every verb."""

import json
import os
import re
import resource
import subprocess
import sys

import pytest
from tools.robots_index import INDEX, rows
from typer.testing import CliRunner

from lissom.cli.group import VERBS, loaded
from lissom.cli.main import app
from lissom.model.beam import PLANES
from lissom.views.plots import motions, plants, runs, studies

SECONDS = 0.4  # of CPU, user and system, of a command that computes nothing
ENVIRONMENT = {**os.environ, "COLUMNS": "120", "OPENBLAS_NUM_THREADS": "1"}


def asked(*words):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "120"})


def test_verbs_are_listed_in_groups_and_in_order():
    text = asked("--help").output
    titles = re.findall(r"─ ([A-Z][a-z ]+) ─", text)
    assert titles == ["Options", "Describe an arm", "Compute", "Show results", "Test the installation and the papers"]
    places = [re.search(rf"^│ {verb.name} +{re.escape(verb.line[:30])}", text, re.MULTILINE) for verb in VERBS]
    assert all(places)
    assert [place.start() for place in places] == sorted(place.start() for place in places)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help_of_every_verb(verb):
    """The same in all spellings, without types of flags, and with the line of the list."""
    done = asked(verb.name, "--help")
    assert done.exit_code == 0
    assert asked("help", verb.name).output == done.output
    assert "<bool>" not in done.output
    assert "unless said" not in done.output
    function = verb.function
    assert function.__doc__.splitlines()[0] == verb.line


def test_help_and_wrong_verbs():
    assert asked("help").output == asked("--help").output
    assert "<bool>" not in asked("--help").output
    wrong = asked("help", "simulat")
    assert wrong.exit_code == 2
    assert "Did you mean 'simulate'?" in wrong.output
    assert asked("simulat").exit_code == 2


def options(verb):
    return {name: param for param in loaded(verb).params for name in param.opts if param.param_type_name == "option"}


def test_options_have_the_same_names_everywhere():
    found = {verb.name: options(verb) for verb in VERBS}
    gone = {"--save", "--store", "--into", "--export", "--force", "--plot", "--animate"}
    assert not gone & {name for named in found.values() for name in named}
    for named in found.values():
        assert ("--output" in named) == ("-o" in named)
        assert ("--quiet" in named) == ("-q" in named)
        assert "--q" not in named or "--deg" in named
    arms = ("info", "check", "convert", "torques", "modes", "linearise", "export-c", "draw", "view")
    for name in arms:
        assert {"--flexible", "--mimic", "--repair", "--as-written"} <= set(found[name]), name
    for name in ("info", "check", "convert", "torques", "modes", "linearise", "export-c", "view"):
        assert "--payload" in found[name]


def test_the_planes_of_the_help_are_those_of_beams():
    from lissom.cli.commands.compute import modes

    assert modes.PLANES == PLANES


@pytest.mark.parametrize(
    ("verb", "drawn"),
    [
        ("simulate", [runs]),
        ("predict", [motions]),
        ("excite", [motions]),
        ("sweep", [studies]),
        ("linearise", [plants]),
        ("plot", [runs, motions, studies]),
    ],
)
def test_the_kinds_of_figures_in_the_help_are_those_that_are_drawn(verb, drawn):
    (command,) = [each for each in VERBS if each.name == verb]
    lists = re.findall(r": ([a-z]+ \(default\)[a-z, ]+)\.", options(command)["--kind"].help)
    found = [re.split(r", | or ", text.replace(" (default)", "")) for text in lists]
    assert found == [list(module.KINDS) for module in drawn]


def test_the_index_of_robots_is_that_of_the_arms():
    assert json.loads(INDEX.read_text(encoding="utf-8")) == rows(), "run python -m tools.robots_index"


def seconds(code_or_module, extra):
    """CPU time of a command in a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(code_or_module, capture_output=True, text=True, check=False, env=ENVIRONMENT | extra)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("words", ["--version", "--help", "robots", "complete info pu", "complete sim"])
def test_commands_that_compute_nothing_are_quick(words):
    extra, rest = {}, words
    if words.startswith("complete "):
        line, rest = words.replace("complete", "lissom", 1), ""
        extra = {"_LISSOM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    command = [sys.executable, "-m", "lissom", *rest.split()]
    assert min(seconds(command, extra) for _ in range(5)) < SECONDS


def test_what_computes_nothing_loads_nothing_heavy():
    code = (
        "import sys\nfrom lissom.cli.main import app\n"
        "try:\n    app(['robots'], prog_name='lissom')\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'scipy', 'matplotlib', 'pydantic') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_verbs_are_completed_without_numpy(verb):
    code = f"import sys, {verb.module}; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
