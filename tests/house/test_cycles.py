"""Inside a room: no import cycles, and arrows between its folders point one way."""

import ast
from pathlib import Path

import pytest
from tests.house.imports import imports_of

import lissom

SOURCE = Path(lissom.__file__).parent
# Folders of a room, and which others each of them may use; "" is the room itself.
FOLDERS = {
    "motion": {
        "splines": set(),
        "task": set(),
        "transcription": {"task", "splines"},
        "checks": {"task", "splines", "transcription"},
        "result": {"task", "splines", "transcription"},
        "solve": {"task", "splines", "transcription", "checks", "result"},
        "retiming": {"task", "splines", "transcription", "checks", "result", "solve"},
        "phased": {"task", "splines", "transcription", "checks", "result", "solve"},
        "tracking": {"task", "splines", "transcription", "checks", "result", "solve"},
    },
    "simulation": {
        "controllers": {""},
        "loop": {"", "controllers"},
        "integrators": {"", "loop"},
        "records": {"", "loop"},
    },
    "studies": {
        "plan": set(),
        "rows": {"", "plan"},
        "store": {"", "plan", "rows"},
    },
    "work": {},
    "control": {"sensors": set()},
    "views": {
        "figures": {""},
        "arms": {"", "figures"},
        "scene": {"", "figures", "arms"},
        "plots": {"", "figures", "arms", "scene"},
        "films": {"", "figures", "arms", "scene", "plots"},
        "playback": {"", "scene", "plots", "films"},
        "web": {"", "scene", "playback"},
        "viewer": {"", "figures", "scene", "playback", "web"},
    },
    "identification": {
        "logs": set(),
        "signals": {"logs"},
        "fit": set(),
        "columns": {"logs", "signals", "fit"},
        "result": {"logs", "signals", "fit", "columns"},
        "torque": {"logs", "signals", "fit", "columns", "result"},
        "excitation": {"", "columns", "fit"},
        "steps": {"", "logs", "signals", "result"},
        "encoders": {"", "logs", "signals", "result"},
        "vibration": {"", "logs", "steps", "result"},
    },
    "cli": {"commands": {""}},
}
ROOMS = sorted({path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()})


def imported(path):
    """Modules of lissom that a file imports, wherever the import stands, for types alone too."""
    for node in imports_of(path):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield node.module
        else:
            yield from (alias.name for alias in node.names)


def modules(room):
    """{module: modules of the same room that it imports}; a package stands for its __init__.py."""
    files = {}
    for path in (SOURCE / room).rglob("*.py"):
        name = ".".join(("lissom", *path.relative_to(SOURCE).with_suffix("").parts))
        files[name.removesuffix(".__init__")] = path
    return {name: {x for x in imported(path) if x in files and x != name} for name, path in files.items()}


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_imports_one_that_imports_it(room):
    graph = modules(room)
    # a package is loaded with any of its modules, which is no use of what it lists
    graph = {name: {x for x in uses if not name.startswith(f"{x}.")} for name, uses in graph.items()}
    done = set()
    while len(done) < len(graph):
        ready = {name for name, uses in graph.items() if uses <= done} - done
        assert ready, f"cycles among {sorted(set(graph) - done)}"
        done |= ready


@pytest.mark.parametrize("room", FOLDERS)
def test_arrows_between_folders(room):
    def folder(name):
        parts = name.split(".")[2:]
        return parts[0] if parts and (SOURCE / room / parts[0]).is_dir() else ""

    found = {path.name for path in (SOURCE / room).iterdir() if (path / "__init__.py").exists()}
    assert found == set(FOLDERS[room])
    wrong = []
    for name, uses in modules(room).items():
        own = folder(name)
        if own:
            allowed = FOLDERS[room][own] | {own}
            wrong += [f"{name} -> {other}" for other in uses if folder(other) not in allowed]
    assert not wrong
