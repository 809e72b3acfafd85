"""The counts that Nasser prints."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Counts(NamedTuple):
    """Printed polynomials, constant first, and their values for N = 6."""

    multiplications: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]
    six: tuple[int, int]


COUNTS = Counts((Fraction(-119), Fraction(258)), (Fraction(-83), Fraction(191)), (1429, 1063))
