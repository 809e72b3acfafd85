"""Hollerbach 1980: verdicts of `lissom reproduce hollerbach1980`."""

import pytest
from tests.papers.checks import check_claims, check_drawings

from lissom.papers import hollerbach1980
from lissom.papers.claims import FAILED


@pytest.mark.slow
def test_claims():
    found = hollerbach1980.reproduce(timed=False)
    check_claims(found, FAILED)
    check_drawings(found)
