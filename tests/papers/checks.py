"""What holds of every reproduction: reasons, numbers, figures that can be read."""

import numpy as np

from lissom.papers.claims import BETTER, CORRECTED, FAILED, LIMIT, OPEN, REFUTED, REPRODUCED, SLIP, VERDICTS


def verdicts(found):
    """Verdicts in the order of the claims."""
    return [claim.verdict for claim in found.claims]


def check_claims(found):
    """No check has failed; every verdict has a number behind it and, where it needs one, a reason."""
    for claim in found.claims:
        assert claim.verdict in VERDICTS, claim
        assert any(letter.isdigit() for letter in claim.ours), claim
        assert claim.detail or claim.verdict not in (CORRECTED, SLIP, REFUTED, LIMIT), claim
        assert claim.why or claim.verdict not in (BETTER, OPEN), claim
        assert claim.verdict != FAILED, claim


def check_bars(claims):
    """What is reproduced says what it had to reach; no defect is told twice."""
    for claim in claims:
        assert claim.tolerance or claim.verdict not in (REPRODUCED, CORRECTED), claim
    assert len({claim.claim for claim in claims}) == len(claims)


def check_drawings(found):
    """Axes have names, several curves have a legend, and no value is unsaid that a panel does not show."""
    for drawing in found.drawings:
        assert drawing.caption
        for panel in drawing.panels:
            where = f"{drawing.name}: {panel.title}"
            assert panel.xlabel, where
            assert panel.ylabel, where
            named = [curve.label for curve in panel.curves if curve.label]
            assert named or len(panel.curves) == 1, where
            assert all(len(np.atleast_1d(curve.x)) == len(np.atleast_1d(curve.y)) for curve in panel.curves), where
