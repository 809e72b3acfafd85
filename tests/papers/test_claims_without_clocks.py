"""No verdict depends on measured times: it is the same where every clock is wrong."""

import time

import numpy as np
import pytest

from lissom.papers import book1983, hollerbach1980, nasser, xiang2008
from lissom.papers.claims import FAILED


@pytest.mark.slow
@pytest.mark.parametrize("paper", [hollerbach1980, nasser, book1983, xiang2008], ids=lambda paper: paper.__name__[14:])
def test_verdicts_with_a_wrong_clock(paper, monkeypatch):
    """Every reading of the clock is later than the one before by 10 us to 10 s."""
    rng, now = np.random.default_rng(1980), [time.process_time()]

    def wrong():
        now[0] += 10 ** rng.uniform(-5.0, 1.0)
        return now[0]

    monkeypatch.setattr(time, "process_time", wrong)
    found = paper.reproduce()
    assert [claim for claim in found.claims if claim.verdict == FAILED] == []
