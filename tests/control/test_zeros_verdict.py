"""Where along a link the motion of a point is non-minimum phase, in words."""

import numpy as np
import pytest

import lissom as ls

WORDS = [
    (("yes", "yes", "yes"), "no zero in the right half plane"),
    (("no", "no", "no"), "non-minimum phase everywhere"),
    (("yes", "no", "no"), "non-minimum phase from 0.2 m on"),
    (("no", "yes", "no"), "non-minimum phase from 0.1 m on, with gaps"),
]


@pytest.mark.parametrize(("phases", "verdict"), WORDS)
def test_words(phases, verdict):
    zeros = tuple(np.array([1.0 + 0j]) for _ in phases)
    found = ls.ZerosAlongLink("rod", "y", np.array([0.1, 0.2, 0.3]), zeros, phases)
    assert found.verdict == verdict
