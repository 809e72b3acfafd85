"""Only the room of joints decides by the kind of a joint; all others ask the joint.

A kind that is added in `joints/` then works, or is refused by name, everywhere.
"""

import ast
from dataclasses import fields
from pathlib import Path

import lissom
import lissom as ls
from lissom.joints import JOINTS

SOURCE = Path(lissom.__file__).parent
MOVING = {"revolute", "prismatic", "helical"}
# where names of kinds are compared or looked up, and why
ALLOWED = {
    "joints": "the room of joints",
    "formats": "words of other formats, by which joints are read and written",
    "formulations": "published equations of revolute and prismatic joints; others are refused there",
    "dynamics/planar": "De Luca and Siciliano's equations of revolute joints, likewise",
    "loops": "joints that close loops are another table of their own",
    "model/loads.py": "likewise",
}


def decides_by_kind(node):
    """Whether a node compares with the name of a kind, or reads an attribute `prismatic`."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("prismatic", "revolute")
    parts = []
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        parts = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.MatchValue):
        parts = [node.value]
    found = [value for part in parts for value in ast.walk(part) if isinstance(value, ast.Constant)]
    return any(isinstance(value.value, str) and value.value in MOVING for value in found)


def test_decisions_are_seen():
    seen = ["joint.prismatic", "kind == 'revolute'", "kind in ('helical', 'x')", "{'prismatic': 1}"]
    for text in seen:
        assert any(map(decides_by_kind, ast.walk(ast.parse(text)))), text
    assert not any(map(decides_by_kind, ast.walk(ast.parse("ls.Joint('revolute')"))))


def allowed(path):
    text = path.relative_to(SOURCE).as_posix()
    return any(text == place or text.startswith(f"{place}/") for place in ALLOWED)


def test_no_other_room_decides_by_the_kind_of_a_joint():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not allowed(path) and any(kind in text for kind in MOVING):  # parsing takes time
            tree = ast.parse(text)
            lines = sorted({node.lineno for node in ast.walk(tree) if decides_by_kind(node)})
            wrong += [f"{path.relative_to(SOURCE)}:{line}" for line in lines]
    assert not wrong, f"ask the joint (unit, period, rotation, travel, transform) instead: {wrong}"


def test_scripts_of_pages_do_not_either():
    for path in SOURCE.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not [kind for kind in MOVING if f'"{kind}"' in text], path


def test_the_list_is_short_and_used():
    for place in ALLOWED:
        assert (SOURCE / place).exists(), place


def test_every_kind_says_what_it_is():
    """All that other rooms may ask for is there, and models have a field for every number of a kind."""
    for kind in (*MOVING, "fixed"):
        made = JOINTS[kind]
        assert made.unit in ("rad", "m")
        assert len(made.names()) == len(made.units)
        known = {field.name for field in fields(ls.Joint)} & {field.name for field in fields(ls.DH)}
        assert set(made.names()) <= known
        assert f"{kind.capitalize()} joint" in (SOURCE / "joints" / f"{kind}.py").read_text(encoding="utf-8")
