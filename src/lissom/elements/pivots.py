"""Pivots of an elimination: how they are inverted, and coordinates that may be held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

from lissom.records import record
from lissom.spatial.scalar import Scalar, absolute, sign

NEGLIGIBLE = 1e-13


class AbstractPivot(ABC):
    """A rule for 1 / D."""

    def inverse(self, D: Scalar, locked: Scalar, free: Scalar | None = None) -> Scalar:
        """1 / D; zero where a coordinate that may be held is not free (free = 0).

        locked : the inertia with all other coordinates locked, which D is compared with
        """
        pivot = self.guarded(D, locked)
        return 1 / pivot if free is None else free / (free * pivot + (1 - free))

    @abstractmethod
    def guarded(self, D: Scalar, locked: Scalar) -> Scalar:
        """D, or zero where it is negligible, which makes the result infinite."""


@final
@record
class Guarded(AbstractPivot):
    """Pivots of inertias that are positive definite."""

    def guarded(self, D: Scalar, locked: Scalar) -> Scalar:
        found: Scalar = D * (0.5 + 0.5 * sign(D - NEGLIGIBLE * locked))
        return found


@final
@record
class EitherSign(AbstractPivot):
    """Pivots of truncated inertias, which may be negative."""

    def guarded(self, D: Scalar, locked: Scalar) -> Scalar:
        found: Scalar = D * (0.5 + 0.5 * sign(absolute(D) - NEGLIGIBLE * absolute(locked)))
        return found


@final
@record
class Unguarded(AbstractPivot):
    """Pivots as they are, without a guard."""

    def guarded(self, D: Scalar, locked: Scalar) -> Scalar:
        return D


@record
class Held:
    """A coordinate that may be held: free (1, or 0 when it is), and the acceleration that it then follows (else 0)."""

    free: Scalar
    acceleration: Scalar
