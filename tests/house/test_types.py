"""The algebra, joints and elements are typed without Any, but for scalars themselves and the arrays of beams."""

import ast
from pathlib import Path

import lissom

SOURCE = Path(lissom.__file__).parent
ALLOWED = {"spatial/scalar.py": "the protocol of scalars", "elements/arrays.py": "object arrays of a beam's modes"}


def uses_any(text):
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(text)))


def test_uses_are_seen():
    assert uses_any("def f(x: list[Any]) -> None: ...")
    assert not uses_any("from typing import Any")


def test_algebra_joints_and_elements_know_their_types():
    found = set()
    for room in ("spatial", "joints", "elements"):
        for path in (SOURCE / room).rglob("*.py"):
            if uses_any(path.read_text(encoding="utf-8")):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == set(ALLOWED)
