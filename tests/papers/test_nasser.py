"""Nasser: verdicts of `lissom reproduce nasser`."""

import pytest
from tests.papers.checks import check_claims, check_drawings

from lissom.papers import nasser
from lissom.papers.claims import FAILED


@pytest.mark.slow
def test_claims():
    found = nasser.reproduce(timed=False)
    check_claims(found, FAILED)
    check_drawings(found)
