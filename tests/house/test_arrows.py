"""Arrows between rooms point one way."""

import ast
from pathlib import Path

from tests.house.imports import imports_of

import lissom

SOURCE = Path(lissom.__file__).parent
# Each room may import from itself, from these files, and from the rooms in the table.
COMMON = {
    "arrays",
    "errors",
    "keywords",
    "later",
    "markup",
    "listing",
    "versions",
    "progress",
    "cores",
    "records",
    "outcome",
}
CORE = {"elements", "joints", "loops", "dynamics", "formulations", "flexible", "engine", "model", "spatial"}
OUTER = {"verbs", "kernels", "model", "spatial"}
MAY_USE = {
    "arrays": set(),
    "errors": set(),
    "keywords": {"errors"},
    "later": set(),
    "markup": set(),
    "listing": set(),
    "versions": set(),
    "progress": {"errors"},
    "cores": set(),
    "records": set(),
    "outcome": set(),
    "spatial": set(),
    "model": {"joints", "spatial"},
    "formats": {"joints", "model", "spatial"},
    "robots": set(),
    "work": set(),
    "engine": {"spatial"},
    "flexible": {"engine", "model", "spatial"},
    "joints": {"spatial"},
    "elements": {"joints", "spatial"},
    "dynamics": {"elements", "joints", "engine", "flexible", "model", "spatial"},
    "formulations": {"elements", "dynamics", "engine", "flexible", "model", "spatial"},
    "loops": {"dynamics", "engine", "flexible", "model", "spatial"},
    "planar": {"formulations", "dynamics", "engine", "flexible", "model", "spatial"},
    "kernels": CORE,
    "verbs": {*CORE, "kernels", "planar", "formats"},
    "simulation": {*OUTER, "elements", "loops", "dynamics", "engine", "formats"},
    "motion": {*OUTER, "work", "loops", "dynamics", "engine", "simulation", "control", "formats"},
    "control": {*OUTER, "loops", "dynamics", "engine", "simulation"},
    "export": {*OUTER, "dynamics", "engine", "formats"},
    "studies": {*OUTER, "work", "dynamics", "simulation", "motion", "control", "formats"},
    "identification": {*OUTER, "dynamics", "studies", "simulation", "motion", "control", "formats"},
    "gait": {*OUTER, "motion", "formats"},
    "views": {*OUTER, "gait", "identification", "studies", "simulation", "motion", "control", "formats"},
    "humans": {*OUTER, "simulation", "motion", "formats"},
    "papers": {
        "gait",
        "humans",
        "verbs",
        "formulations",
        "dynamics",
        "engine",
        "simulation",
        "motion",
        "views",
        "formats",
        "model",
        "spatial",
    },
    "pages": {"verbs", "gait", "identification", "simulation", "motion", "views", "papers", "formats", "model"},
    "diagnosis": {"engine", "verbs", "simulation", "motion", "formats", "model"},
}

MAY_USE["cli"] = set(MAY_USE) - {"cli", "engine", "kernels", "dynamics", "loops", "flexible", "formulations", "planar"}


def room_of(path):
    parts = path.relative_to(SOURCE).parts
    return parts[0].removesuffix(".py") if len(parts) == 1 else parts[0]


def imported_rooms(path):
    """Rooms of lissom that a file imports, wherever the import stands."""
    for node in imports_of(path):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" if node.module == "lissom" else node.module for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("lissom."))


def test_arrows_point_one_way():
    wrong = []
    for path in SOURCE.rglob("*.py"):
        room = room_of(path)
        if room in ("__init__", "__main__"):
            continue
        assert room in MAY_USE, f"{path}: a new room; say in this test what it may use"
        allowed = MAY_USE[room] | {room} | COMMON
        wrong += [f"{path.relative_to(SOURCE)} -> {other}" for other in imported_rooms(path) if other not in allowed]
    assert not wrong


def test_no_import_is_overlooked():
    """What is found in the text is what the parser finds."""
    for path in (SOURCE / "verbs").glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        want = {ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}
        assert want <= {ast.unparse(node) for node in imports_of(path)}


def test_the_table_has_no_cycle():
    done: set[str] = set()
    while len(done) < len(MAY_USE):
        ready = {room for room, uses in MAY_USE.items() if uses <= done} - done
        assert ready, f"a cycle among {set(MAY_USE) - done}"
        done |= ready


def test_init_holds_only_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    kinds = {type(node) for node in tree.body}
    assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign}
