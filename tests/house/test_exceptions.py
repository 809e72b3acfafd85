"""Every exception and warning of lissom is defined in errors.py."""

import ast
import re
from pathlib import Path

import lissom
from lissom import errors

SOURCE = Path(lissom.__file__).parent
BASE = re.compile(r"^\s*class \w+\(.*(Error|Exception|Warning|" + "|".join(vars(errors)) + ")", re.M)
KNOWN = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}


def exceptions_of(text):
    """Names of the classes of a file that are exceptions, as far as their bases tell."""
    found = []
    for node in ast.walk(ast.parse(text if BASE.search(text) else "")):  # parsing takes time
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).split(".")[-1] for base in node.bases}
            if any(base in {*KNOWN, *found} or base.endswith(("Error", "Exception", "Warning")) for base in bases):
                found.append(node.name)
    return found


def test_exceptions_are_found():
    text = "class A(ValueError): ...\nclass B(A): ...\nclass C(errors.StudyError): ...\nclass D(IndefiniteInertia): ..."
    assert exceptions_of(f"{text}\nclass E(Arm): ...") == ["A", "B", "C", "D"]


def test_exceptions_are_defined_in_one_file():
    found = {path.relative_to(SOURCE).as_posix(): exceptions_of(path.read_text()) for path in SOURCE.rglob("*.py")}
    assert set(found.pop("errors.py")) == KNOWN
    assert not {path: names for path, names in found.items() if names}, "move them to errors.py"
