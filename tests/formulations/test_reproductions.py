"""The claims of the papers, except those about time (`lissom reproduce` tries them all)."""

import pytest

from lissom.papers import book1983, hollerbach1980, nasser
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


def test_book():
    found = book1983.reproduce(timed=False)
    assert [claim.verdict for claim in found.claims] == [REPRODUCED] * 3 + [DIFFERS] * 4 + [REPRODUCED, DIFFERS]
    assert all(claim.why for claim in found.claims if claim.verdict == DIFFERS)
    assert [drawing.name for drawing in found.drawings] == ["definiteness"]


@pytest.mark.slow
def test_book_in_motion():
    found = book1983.reproduce()
    by_place = {claim.where: claim for claim in found.claims}
    assert by_place["(36)-(39)"].verdict == REPRODUCED  # energy is conserved to 1e-8
    assert by_place["(37), (72), (73)"].verdict == DIFFERS
    assert by_place["(4)-(7)"].verdict == DIFFERS  # no geometric stiffening
    assert len(found.drawings) == 3


@pytest.mark.slow
@pytest.mark.parametrize("paper", [hollerbach1980, nasser, book1983])
def test_claims_about_time(paper):
    found = paper.reproduce()
    assert len(found.claims) > len(paper.reproduce(timed=False).claims)
