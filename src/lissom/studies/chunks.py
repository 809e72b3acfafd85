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
    """The rows that remain to be evaluated, handed out in chunks.

    The first chunk is a single row, so that an error common to all rows shows early.
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
        """Return the next rows to evaluate."""
        if self._again:
            return self._again.pop()
        rest = len(self._rows) - self._at
        share = max(-(-rest // (LAST * workers)), int(LEAST / self.pace) if self.pace else 1)
        self._at += min(self._size, share)
        return self._rows[self._at - min(self._size, share) : self._at]

    def done(self, rows: Rows, seconds: float) -> None:
        """Record how long some rows took, which sets the size of the next chunks."""
        self.pace = max(seconds, 1e-9) / len(rows)
        wanted = TARGET / self.pace
        self._size = int(max(1, min(wanted, GROWTH * max(len(rows), self._size), MOST)))

    def lost(self, rows: Rows) -> bool:
        """Queue rows that gave no answer again, in halves; False for a single row, which caused the failure."""
        if len(rows) == 1:
            return False
        middle = len(rows) // 2
        self._again += [rows[:middle], rows[middle:]]
        return True
