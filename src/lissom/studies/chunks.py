"""Rows shared out in chunks that take about a second each, so that sending them costs little and losing one hurts
little."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
TARGET, LEAST = 1.0, 0.1  # seconds
GROWTH = 8  # a chunk is at most so many times as large as the one before
MOST = 100_000
LAST = 2  # chunks for every worker that the rest is at least divided into


class Chunks:
    """What is left to do.

    The first chunk is a single row: what is wrong with all of them shows there.
    """

    def __init__(self, rows: Rows):
        self._rows, self._at, self._size = rows, 0, 1
        self._again: list[Rows] = []
        self.pace = 0.0  # seconds of a row, as measured last

    def __bool__(self) -> bool:
        return bool(self._again) or self._at < len(self._rows)

    @property
    def left(self) -> int:
        """Rows not yet handed out."""
        return len(self._rows) - self._at + sum(map(len, self._again))

    def take(self, workers: int) -> Rows:
        """The next rows."""
        if self._again:
            return self._again.pop()
        rest = len(self._rows) - self._at
        share = max(-(-rest // (LAST * workers)), int(LEAST / self.pace) if self.pace else 1)
        self._at += min(self._size, share)
        return self._rows[self._at - min(self._size, share) : self._at]

    def done(self, rows: Rows, seconds: float) -> None:
        """So long they took."""
        self.pace = max(seconds, 1e-9) / len(rows)
        wanted = TARGET / self.pace
        self._size = int(max(1, min(wanted, GROWTH * max(len(rows), self._size), MOST)))

    def lost(self, rows: Rows) -> bool:
        """Try rows again that gave no answer, in halves; False for a single one, which is to blame."""
        if len(rows) == 1:
            return False
        middle = len(rows) // 2
        self._again += [rows[:middle], rows[middle:]]
        return True
