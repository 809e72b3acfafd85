"""Pivots of an elimination: guards against small pivots, and held coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.spatial.scalar import absolute, sign

NEGLIGIBLE = 1e-13


class Held(NamedTuple):
    """A coordinate that may be held: free (1, or 0 when it is), and the acceleration it then follows (else 0)."""

    free: Any
    acceleration: Any


def reciprocal(D: Any, locked: Any, free: Any = None) -> Any:
    """1 / D, infinite where D is negligible beside `locked`; zero where it is not free."""
    guarded = D * (0.5 + 0.5 * sign(D - NEGLIGIBLE * locked))
    return 1 / guarded if free is None else free / (free * guarded + (1 - free))


def either_sign(D: Any, locked: Any, free: Any = None) -> Any:
    """1 / D where D may be negative, for matrices that are not positive definite."""
    guarded = D * (0.5 + 0.5 * sign(absolute(D) - NEGLIGIBLE * absolute(locked)))
    return 1 / guarded if free is None else free / (free * guarded + (1 - free))


def unguarded(D: Any, _locked: Any, _free: Any = None) -> Any:
    """1 / D without a guard."""
    return 1 / D
