"""Every command refuses what it cannot do before it works: a table of commands, their files, and where work begins."""

import importlib
import os
import pkgutil

import pytest
import typer
from typer.testing import CliRunner

import lissom
from lissom.cli.group import VERBS, loaded
from lissom.cli.main import app

RUN = 'arm = "two_link"\nuntil = 0.1\n'
TASK = 'arm = "two_link"\nstart = [0, 0]\ngoal = [0.5, 0.3]\n'
STUDY = """
evaluate = "modes"
arm = "two_link_flexible"
[arguments]
q = [0.0, 0.5]
[parameters.mass]
path = "arm.links.link2.payload.mass"
grid = [0.0, 0.2, 3]
"""
PATH = "t,q[upper],q[fore]\n0,0,0\n0.1,0,0\n0.2,0,0\n"
TIP = "t,x,y\n0,0.5,0.3\n0.5,0.5,0.35\n1,0.5,0.4\n"
# command: its arguments, the function in which its work begins
COMMANDS = {
    "simulate": (["run.toml"], "lissom.simulation.simulate.simulate"),
    "predict": (["task.toml"], "lissom.motion.public.predict_motion"),
    "identify": (["two_link", "path.csv"], "lissom.identification.identify.identify"),
    "excite": (["two_link"], "lissom.identification.excitation.public.excite"),
    "sweep": (["study.toml"], "lissom.studies.study.Study.run"),
    "track": (["two_link", "tip.csv"], "lissom.motion.public.track_motion"),
    "torques": (["two_link", "path.csv"], "lissom.verbs.dynamics.inverse_dynamics"),
    "modes": (["two_link_flexible"], "lissom.verbs.modes.modes"),
    "linearise": (["two_link"], "lissom.control.linearise.linearise"),
    "draw": (["two_link"], "lissom.views.scene.draw.draw"),
    "view": (["two_link"], "lissom.views.viewer.viewer.view"),
    "plot": (["run.nc"], "lissom.motion.result.files.read.load_record"),
    "report": (["two_link"], "lissom.pages.report._subject"),
    "count": ([], "lissom.papers.hollerbach1980.counts.count_table"),
    "reproduce": (["book1983"], "lissom.cli.commands.prove.reproduce._tried"),
    "export-c": (["two_link", "inverse_dynamics"], "lissom.export.export_c.export_c"),
    "convert": (["two_link"], "lissom.formats.load.save"),
    "lift": ([], "lissom.humans.lift.predict.predict_lift"),
    "walk": ([], "lissom.humans.walk.predict.predict_walk"),
}
PRINT_ONLY = {"info", "check", "robots", "doctor"}
# what commands write: option ("" is an argument), and an ending that fits; "" is a folder
FILES = [
    ("simulate", "--output", ".nc"), ("simulate", "--figure", ".png"), ("simulate", "--film", ".gif"),
    ("predict", "--output", ".nc"), ("predict", "--csv", ".csv"), ("predict", "--figure", ".png"),
    ("predict", "--film", ".gif"), ("excite", "--output", ".nc"), ("excite", "--figure", ".png"),
    ("excite", "--film", ".gif"), ("track", "--output", ".nc"), ("track", "--csv", ".csv"),
    ("track", "--figure", ".png"), ("track", "--film", ".gif"),
    ("identify", "--output", ".toml"), ("identify", "--figure", ".png"),
    ("sweep", "--output", ""), ("sweep", "--csv", ".csv"), ("sweep", "--figure", ".png"),
    ("torques", "--output", ".csv"), ("torques", "--figure", ".png"), ("modes", "--figure", ".png"),
    ("modes", "--film", ".gif"), ("linearise", "--figure", ".png"), ("count", "--figure", ".png"),
    ("draw", "--output", ".png"), ("plot", "--output", ".png"), ("plot", "--film", ".gif"),
    ("view", "--output", ".html"), ("report", "--output", ".html"), ("reproduce", "--output", ""),
    ("export-c", "--output", ""), ("convert", "", ".urdf"),
    ("walk", "--output", ".nc"), ("walk", "--csv", ".csv"), ("walk", "--figure", ".png"), ("walk", "--film", ".gif"),
    ("lift", "--output", ".nc"), ("lift", "--figure", ".png"), ("lift", "--film", ".gif"),
]  # fmt: skip
OUTPUTS = {"output", "figure", "film", "csv"}


@pytest.fixture(scope="module")
def everything():
    """All modules, loaded before functions are replaced: one loaded meanwhile would keep the replacement."""
    for module in pkgutil.walk_packages(lissom.__path__, "lissom."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as missing:
                if missing.name not in ("torch", "jax"):  # frameworks that need not be installed
                    raise


@pytest.fixture
def refused(everything, tmp_path, monkeypatch):
    """A command line that must be refused with one sentence, before its work begins."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("run.toml", RUN), ("task.toml", TASK), ("study.toml", STUDY), ("path.csv", PATH),
                       ("tip.csv", TIP)):  # fmt: skip
        (tmp_path / name).write_text(text)

    def run(command, *options):
        arguments, work = COMMANDS[command]
        monkeypatch.setattr(work, lambda *_, **__: pytest.fail(f"{command} began its work"))
        done = CliRunner().invoke(app, [command, *arguments, *map(str, options)])
        assert done.exit_code == 1, done.stderr
        assert done.stderr.startswith("error: ")
        return " ".join(done.stderr.split())

    return run


def test_the_table_has_every_command_and_every_file():
    assert {verb.name for verb in VERBS} == set(COMMANDS) | PRINT_ONLY
    for verb in VERBS:
        options = {param.name for param in loaded(verb).params if isinstance(param, typer.core.TyperOption)}
        listed = {option.removeprefix("--") for name, option, _ in FILES if name == verb.name and option}
        assert options & OUTPUTS == listed


def test_the_same_thing_has_the_same_name():
    """The flags of an option are the same wherever it occurs; commands whose result is a figure take --figure too."""
    flags = {}
    for verb in VERBS:
        for param in loaded(verb).params:
            if isinstance(param, typer.core.TyperOption):
                flags.setdefault(param.name, set()).add(tuple(sorted(set(param.opts) - {"--figure"})))
    assert {name: found for name, found in flags.items() if len(found) > 1} == {}


@pytest.mark.parametrize(("command", "option", "ending"), FILES)
def test_files_that_cannot_be_written(refused, tmp_path, monkeypatch, command, option, ending):
    given = [option] if option else []
    (tmp_path / "file").write_text("")
    if not ending:
        assert "it is a file" in refused(command, *given, "file")
    else:
        assert "there is no folder nowhere" in refused(command, *given, f"nowhere/a{ending}")
        refused(command, *given, "a.nonsense")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    message = refused(command, *given, f"a{ending}")
    assert "is protected" in message or "nothing can be written" in message


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("simulate", "--kind nonsense --figure a.png", "--kind is 'nonsense'; expected one of motion, tip"),
        ("predict", "--kind nonsense --figure a.png", "--kind is 'nonsense'"),
        ("predict", "--kind deflection --figure a.png", "has no flexible links"),
        ("predict", "--kind residual --figure a.png", "needs a comparison"),
        ("predict", "--film a.gif --speed 0", "--speed is 0"),
        ("predict", "--csv a.csv --rate -1", "--rate is -1"),
        ("predict", "--kind information --figure a.png", "needs a motion of lissom.excite"),
        ("excite", "--kind deflection --figure a.png", "has no flexible links"),
        ("excite", "--noise x", "--noise is 'x'"),
        ("excite", "--rate 0", "--rate is 0"),
        ("sweep", "--kind nonsense --figure a.png", "--kind is 'nonsense'"),
        ("sweep", "--kind map --figure a.png", "a map needs two numeric parameters"),
        ("sweep", "--overwrite --resume", "exclude each other"),
        ("torques", "--loads nowhere.toml", "does not exist"),
        ("modes", "--mode 2", "needs --film"),
        ("draw", "--payload x", "--payload is 'x'"),
        ("report", "--repair --as-written", "exclude each other"),
        ("linearise", "--lock nonsense=1", "nonsense"),
    ],
)
def test_options_that_do_not_fit(refused, command, options, sentence):
    assert sentence in refused(command, *options.split())


@pytest.mark.parametrize(
    ("kind", "study", "sentence"),
    [
        ("sensitivity", STUDY.replace("0.2, 3", "0.2, 2"), "needs 3 rows at least; this study has 2"),
        ("pareto", STUDY + "[outputs.first]\nof = 'frequencies_hz[0]'\n", "a Pareto front needs two outputs"),
        (
            "map",
            STUDY + "[parameters.method]\npath = 'joints'\nvalues = ['locked', 'free']\n",
            "a map needs two numeric parameters",
        ),
    ],
)
def test_kinds_of_figures_that_a_study_cannot_have(refused, tmp_path, kind, study, sentence):
    (tmp_path / "study.toml").write_text(study.replace("q = [0.0, 0.5]", 'q = [0.0, 0.5]\njoints = "locked"'))
    assert sentence in refused("sweep", "--kind", kind, "--figure", "a.png")
