"""Elimination of the coordinates of an element: H = L D L^T, for joints and for modes alike."""

from __future__ import annotations

from collections.abc import Sequence

from lissom.elements.pivots import AbstractPivot
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody
from lissom.spatial.motions import Twist, Wrench
from lissom.spatial.scalar import Coordinates, Scalar, mul, sub


@record
class Factor:
    """L below its diagonal of ones, row by row."""

    lower: Coordinates

    def entry(self, i: int, j: int) -> Scalar:
        """L[i, j], i > j."""
        return self.lower[i * (i - 1) // 2 + j]

    def solved_wrenches(self, rows: Sequence[Wrench]) -> list[Wrench]:
        """L^-1 of wrenches."""
        out = list(rows)
        for k in range(len(out)):
            for i in range(k + 1, len(out)):
                out[i] = out[i] - out[k] * self.entry(i, k)
        return out

    def solved(self, rows: Sequence[Scalar]) -> list[Scalar]:
        """L^-1 of numbers."""
        out = list(rows)
        for k in range(len(out)):
            for i in range(k + 1, len(out)):
                out[i] = sub(out[i], mul(self.entry(i, k), out[k]))
        return out

    def solved_transposed(self, rows: Sequence[Scalar]) -> list[Scalar]:
        """L^-T of numbers."""
        out = list(rows)
        for k in range(len(out) - 1, -1, -1):
            for l in range(k + 1, len(out)):
                out[k] = sub(out[k], mul(self.entry(l, k), out[l]))
        return out


@record
class Eliminated:
    """What is left of eliminated coordinates for the last outward pass.

    Of unit forces U and the forces u that are left to accelerate the coordinates: 1 / D, z = L^-1 u,
    U_D = D^-1 L^-1 U^T, and L; of a coordinate that may be held also U.
    """

    inverse: Coordinates
    z: Coordinates
    U_D: tuple[Wrench, ...]
    L: Factor
    U: tuple[Wrench, ...] = ()

    def accelerations(self, a: Twist) -> Coordinates:
        """H^-1 (u - U^T a), where the frame has acceleration `a` without the coordinates."""
        parts = zip(self.inverse, self.z, self.U_D, strict=True)
        rows = [sub(sub(mul(d, z), U.n.dot(a.w)), U.f.dot(a.v)) for d, z, U in parts]
        return tuple(self.L.solved_transposed(rows))


def eliminated(
    H: Sequence[Scalar], U: Sequence[Wrench], u: Sequence[Scalar], locked: Sequence[Scalar], pivot: AbstractPivot,
    free: Scalar | None, body: ArticulatedBody,
) -> tuple[Eliminated, ArticulatedBody]:  # fmt: skip
    """Coordinates with inertia H (upper triangle) eliminated from an articulated body (Featherstone 2008, table 7.1).

    locked : inertias that pivots are compared with; free : of a single coordinate that may be held
    """
    L, inverse = _factors(H, locked, pivot, free)
    Z, z = L.solved_wrenches(U), L.solved(u)
    U_D = tuple(force * d for force, d in zip(Z, inverse, strict=True))
    for force, scaled, rest in zip(Z, U_D, z, strict=True):
        body = body.without(force, scaled, rest)
    return Eliminated(tuple(inverse), tuple(z), U_D, L, () if free is None else tuple(U)), body


def _factors(
    H: Sequence[Scalar], locked: Sequence[Scalar], pivot: AbstractPivot, free: Scalar | None
) -> tuple[Factor, list[Scalar]]:
    """L and 1 / D of H = L D L^T."""
    m = len(locked)
    A = dict(zip([(l, k) for k in range(m) for l in range(k, m)], H, strict=True))
    L: dict[tuple[int, int], Scalar] = {}
    inverse = []
    for k in range(m):
        inverse.append(pivot.inverse(A[k, k], locked[k], free))
        for i in range(k + 1, m):
            L[i, k] = mul(A[i, k], inverse[k])
        for i in range(k + 1, m):
            for j in range(k + 1, i + 1):
                A[i, j] = sub(A[i, j], mul(L[i, k], A[j, k]))
    return Factor(tuple(L[i, j] for i in range(m) for j in range(i))), inverse
