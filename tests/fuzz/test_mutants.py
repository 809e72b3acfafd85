"""Bad files never hurt: every mutant of a good file loads, or is refused with a sentence.

No other exception, no lost process, no file left behind, at most 20 s and 512 MiB for each. Some mutants per
format run by default; ten thousand of each with

    pytest tests/fuzz -m slow -s            # or -k run_nc for one format

Mutant k of a format is the same wherever the same libraries are; `python -m tests.fuzz.fuzz_child` reads it again.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.fuzz.fuzz_formats import FORMATS, keep_seeds
from tests.fuzz.fuzz_parent import Outcome, tried, tried_together

FEW, MANY = 20, 10_000

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds")
    keep_seeds(folder)
    return folder


def assert_harmless(outcome: Outcome, count: int) -> None:
    stories = "\n".join(f"---- mutant {k}\n{story}" for k, story in outcome.failures[:5])
    kinds = Counter(story.strip().splitlines()[-1][:100] for _, story in outcome.failures)
    assert not outcome.failures, f"{outcome}\n{kinds}\n{stories}"
    # a fuzzer that only makes rubbish, or changes nothing that matters, tests nothing; of few, few load
    assert 0.02 * count - 3 < outcome.loaded < 0.7 * count, str(outcome)


def test_some_mutants_load_or_are_refused(seeds: Path, tmp_path: Path) -> None:
    for name, outcome in tried_together(FORMATS, seeds, tmp_path, FEW).items():
        print(f"{name:12} {outcome}")
        assert_harmless(outcome, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_mutants_load_or_are_refused(name: str, seeds: Path, tmp_path: Path) -> None:
    """Those that end a process are kept in the folder that LISSOM_FUZZ_KEEP names."""
    keep = os.environ.get("LISSOM_FUZZ_KEEP")
    outcome = tried(name, seeds, tmp_path, 0, MANY, Path(keep) if keep else None)
    print(f"{name:12} {outcome}")
    assert_harmless(outcome, MANY)
