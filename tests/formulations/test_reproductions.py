"""The claims of the papers, except those about time (`lissom reproduce` tries them all)."""

import pytest

from lissom.papers import hollerbach1980, nasser
from lissom.papers.claims import DIFFERS, OPEN, REPRODUCED


def verdicts(found):
    return {claim.claim: claim.verdict for claim in found.claims}


@pytest.mark.slow
def test_hollerbach():
    found = hollerbach1980.reproduce(timed=False)
    by_claim = verdicts(found)
    sure = (
        "all formulations give the same torques",
        "uicker_kahn: grows with power 4 of n",
        "waters: grows with power 2 of n",
        "tables become useless if the load changes",
    )
    for claim in sure:
        assert by_claim[claim] == REPRODUCED
    assert by_claim["Table II is Table I at n = 6"] == DIFFERS
    assert all(claim.why for claim in found.claims if claim.verdict == DIFFERS)


def test_nasser():
    found = nasser.reproduce(timed=False)
    kinds = [claim.verdict for claim in found.claims]
    assert kinds.count(REPRODUCED) == 4
    assert kinds.count(OPEN) == 1
    assert all(claim.why for claim in found.claims if claim.verdict == DIFFERS)


@pytest.mark.slow
@pytest.mark.parametrize("paper", [hollerbach1980, nasser])
def test_claims_about_time(paper):
    found = paper.reproduce()
    assert len(found.claims) > len(paper.reproduce(timed=False).claims)
