"""Inside `motion`: sub-rooms depend one way and no file is imported from below it."""

import ast
from pathlib import Path

from tests.house.imports import imports_of

import lissom

SOURCE = Path(lissom.__file__).parent
MOTION = SOURCE / "motion"
# Files of `motion` itself may use all sub-rooms.
MAY_USE = {
    "splines": set(),
    "task": set(),
    "transcription": {"task", "splines"},
    "checks": {"task", "splines", "transcription"},
    "result": {"task", "splines", "transcription"},
    "solve": {"task", "splines", "transcription", "checks", "result"},
    "retiming": {"task", "splines", "transcription", "checks", "result", "solve"},
}


def name_of(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in MOTION.rglob("*.py")}


def imported(path):
    """Modules of the room that a file imports, wherever the import stands, for types too."""
    out = set()
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            out |= {alias.name for alias in node.names}
        else:
            out |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return (out & set(MODULES)) - {name_of(path)}


USES = {name: imported(path) for name, path in MODULES.items()}


def subroom(module):
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and (MOTION / parts[2]).is_dir() else ""


def test_arrows_between_subrooms_point_one_way():
    assert {path.name for path in MOTION.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(MAY_USE)
    wrong = [
        f"{name} -> {other}"
        for name, uses in USES.items()
        for other in uses
        if subroom(name) and other != "lissom.motion" and subroom(other) not in MAY_USE[subroom(name)] | {subroom(name)}
    ]
    assert not wrong


def test_no_module_imports_itself_through_others():
    """Modules that use no other left are taken away, again and again: what stays is on a cycle, or uses one."""
    left = {name: set(uses) for name, uses in USES.items()}
    while free := [name for name, uses in left.items() if not uses & set(left)]:
        for name in free:
            del left[name]
    assert not left, f"a cycle among {sorted(left)}"
