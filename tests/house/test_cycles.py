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
    "cli": {"commands": {""}},
}
CYCLIC_IN_TYPES = {"engine"}  # only through imports for types
ROOMS = sorted({path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()})


def imported(path, types=True):
    """Modules of lissom that a file imports, wherever the import stands; `types`: also for types alone."""
    for node in imports_of(path) if types else imports_at_run_time(path):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield node.module
        else:
            yield from (alias.name for alias in node.names)


def imports_at_run_time(path):
    """Import nodes of a file outside of ``if TYPE_CHECKING``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    skipped = {id(inner) for node in guards for inner in ast.walk(node)}
    nodes = (node for node in ast.walk(tree) if id(node) not in skipped)
    yield from (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def modules(room, types=True):
    """{module: modules of the same room that it imports}; a package stands for its __init__.py."""
    files = {}
    for path in (SOURCE / room).rglob("*.py"):
        name = ".".join(("lissom", *path.relative_to(SOURCE).with_suffix("").parts))
        files[name.removesuffix(".__init__")] = path
    return {name: {x for x in imported(path, types) if x in files and x != name} for name, path in files.items()}


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_imports_one_that_imports_it(room):
    graph = modules(room, types=room not in CYCLIC_IN_TYPES)
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
