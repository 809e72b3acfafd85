"""Book 1983: verdicts of `lissom reproduce book1983`."""

import pytest
from tests.papers.checks import check_claims, check_drawings, verdicts

from lissom.papers import book1983
from lissom.papers.claims import FAILED, REPRODUCED


@pytest.mark.slow
def test_claims_that_take_no_time():
    found = book1983.reproduce(timed=False)
    check_claims(found, FAILED)
    check_drawings(found)
    assert verdicts(found) == [REPRODUCED] * 3 + [FAILED] * 4 + [REPRODUCED, FAILED]
    assert [drawing.name for drawing in found.drawings] == ["definiteness"]


@pytest.mark.slow
def test_in_motion():
    found = book1983.reproduce()
    by_place = {claim.where: claim for claim in found.claims}
    assert by_place["(36)-(39)"].verdict == REPRODUCED  # energy is conserved to 1e-8
    assert by_place["(37), (72), (73)"].verdict == FAILED
    assert by_place["(4)-(7)"].verdict == FAILED  # no geometric stiffening
    assert len(found.drawings) == 3
