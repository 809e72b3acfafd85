"""Every test file has a name of its own: pytest imports them side by side, and a namesake stops the whole run."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_test_files_share_a_name():
    counts = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert not [name for name, count in counts.items() if count > 1]
