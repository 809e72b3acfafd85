"""Inside a room: no import cycles, arrows between its folders point one way, no folder is crowded."""

import ast
from pathlib import Path

import pytest

import lissom

SOURCE = Path(lissom.__file__).parent
MOST_FILES = 15
# Folders of a room, and which others each of them may use; "" is the room itself.
FOLDERS = {
    "simulation": {
        "controllers": {""},
        "loop": {"", "controllers"},
        "integrators": {"", "loop"},
        "records": {"", "loop"},
    },
}
# Rooms without folders of their own, or with folders that are mere parts of them.
ROOMS = (*FOLDERS, "dynamics", "elements", "joints", "kernels", "loops")


def imported(path):
    """Modules of lissom that a file imports when it runs, wherever the import stands."""
    pending = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        pending += ast.iter_child_nodes(node)


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

    wrong = []
    for name, uses in modules(room).items():
        own = folder(name)
        if own:
            allowed = FOLDERS[room][own] | {own}
            wrong += [f"{name} -> {other}" for other in uses if folder(other) not in allowed]
    assert not wrong


@pytest.mark.parametrize("room", FOLDERS)
def test_folders_are_not_crowded(room):
    for folder in (SOURCE / room, *(path for path in (SOURCE / room).rglob("*") if path.is_dir())):
        assert len(list(folder.glob("*.py"))) <= MOST_FILES, folder
