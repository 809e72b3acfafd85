"""Exchange between samples: where limits are exceeded, they get samples of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.motion.transcription.peaks import Excess
from lissom.spatial.rotations import Array


class AddedSamples:
    """Samples that the exchange adds: fractions, and the limits that were exceeded there, which have rows there.

    With closed loops all limits have: a sample has forces of its own there, which the others have to hold.
    """

    def __init__(self, few: bool) -> None:
        self._few, self._limits = few, dict[float, set[tuple[str, str]]]()

    def add(self, over: Sequence[Excess]) -> None:
        """Add samples where limits are exceeded."""
        for s, quantity, coordinate, _ in sorted(over):
            self._limits.setdefault(s, set()).add((quantity, coordinate))

    @property
    def more(self) -> Array:
        return np.array(list(self._limits))

    @property
    def only(self) -> dict[float, set[tuple[str, str]]] | None:
        return self._limits if self._few else None
