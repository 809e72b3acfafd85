"""Statuses are sentences for people; code compares outcomes."""

import ast
from pathlib import Path

import pytest

import lissom
from lissom import MotionOutcome, RunOutcome, StudyOutcome, StudyRowOutcome

SOURCE = Path(lissom.__file__).parent
ROOMS = ("motion", "simulation", "control", "studies", "views", "pages", "papers", "cli")
OTHERS = {"solver"}  # SciPy's, whose status is a word to compare


def reads(node):
    """Expressions that a comparison or the call of a method looks into."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return [node.func.value] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []


@pytest.mark.parametrize("room", ROOMS)
def test_no_code_reads_statuses(room):
    wrong = []
    for path in (SOURCE / room).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if ".status" in text else "")):  # parsing takes time
            found = [part for part in reads(node) if isinstance(part, ast.Attribute) and part.attr == "status"]
            found = [part for part in found if getattr(part.value, "id", "") not in OTHERS]
            wrong += [f"{path.relative_to(SOURCE)}:{part.lineno}" for part in found]
    assert not wrong


@pytest.mark.parametrize("kind", [MotionOutcome, RunOutcome, StudyOutcome, StudyRowOutcome])
def test_sentences_of_outcomes_have_one_style(kind):
    """Statuses begin with them: a small letter, no full stop."""
    for outcome in kind:
        assert outcome.sentence[0].islower()
        assert not outcome.sentence.endswith(".")
