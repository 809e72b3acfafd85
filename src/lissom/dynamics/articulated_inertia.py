"""Articulated inertias: inertia of a body and everything it carries, with the joints beyond free to move.

I (6), H (9), M (6) in N = I dw + H a, F = H^T dw + M a, about a body's origin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.dynamics.vectors import UPPER, add, cross, dot, full, scale, symmetric_times, times, transposed

SIZE = 31  # entries of what is carried: I, H, M, bias forces N and F, and of the composite first moment and trace


class Articulated(NamedTuple):
    """An articulated inertia."""

    I: list[Any]
    H: list[Any]
    M: list[Any]

    @property
    def entries(self) -> list[Any]:
        """All entries in one list."""
        return [*self.I, *self.H, *self.M]

    def plus(self, other: Articulated) -> Articulated:
        """Sum with the inertia of a body that moves with this one."""
        return Articulated(*(add(a, b) for a, b in zip(self, other, strict=True)))

    def less(self, U: Any, V: Any) -> Articulated:
        """This inertia minus the symmetric product U V^T, (N, F) each."""
        UN, UF, VN, VF = U[0:3], U[3:6], V[0:3], V[3:6]
        return Articulated(
            [self.I[k] - UN[a] * VN[b] for k, (a, b) in enumerate(UPPER)],
            [self.H[3 * a + b] - UN[a] * VF[b] for a in range(3) for b in range(3)],
            [self.M[k] - UF[a] * VF[b] for k, (a, b) in enumerate(UPPER)],
        )

    def times(self, motion: Any) -> list[Any]:
        """Force (N, F) that an acceleration (dw, a) requires."""
        dw, a = motion[0:3], motion[3:6]
        N = add(symmetric_times(self.I, dw), times(self.H, a))
        return [*N, *add(times(transposed(self.H), dw), symmetric_times(self.M, a))]

    def moved(self, r: Any) -> Articulated:
        """This inertia about a point r before its origin: H' = H + [r] M, I' = I - H' [r] + [r] H^T."""
        I, H, M = self
        Mf = full(M)
        columns = [cross(r, [Mf[c], Mf[3 + c], Mf[6 + c]]) for c in range(3)]
        H2 = [H[3 * a + b] + columns[b][a] for a in range(3) for b in range(3)]
        left = [cross(H2[3 * a : 3 * a + 3], r) for a in range(3)]  # row a of H' [r]
        right = [cross(r, H[3 * b : 3 * b + 3]) for b in range(3)]  # column b of [r] H^T
        return Articulated([I[k] - left[a][b] + right[b][a] for k, (a, b) in enumerate(UPPER)], H2, M)


def rigid(m: Any, h: Any, I: Any) -> Articulated:
    """The articulated inertia of a rigid body."""
    O = 0 * m
    return Articulated(list(I), [O, -h[2], h[1], h[2], O, -h[0], -h[1], h[0], O], [m, O, O, m, O, m])


class Carried(NamedTuple):
    """What carried bodies contribute to a body: inertia, bias forces (N, F), and h and trace of the composite."""

    inertia: Articulated
    p: list[Any]
    h: list[Any]
    trace: Any

    @classmethod
    def of(cls, entries: Any) -> Carried:
        """Make an instance from its entries."""
        inertia = Articulated(entries[0:6], entries[6:15], entries[15:21])
        return cls(inertia, entries[21:27], entries[27:30], entries[30])

    @property
    def entries(self) -> list[Any]:
        """All entries in one list."""
        return [*self.inertia.entries, *self.p, *self.h, self.trace]

    def plus(self, other: Carried) -> Carried:
        """Sum of two contributions."""
        p, h = add(self.p, other.p), add(self.h, other.h)
        return Carried(self.inertia.plus(other.inertia), p, h, self.trace + other.trace)

    def moved(self, r: Any, mass: Any) -> Carried:
        """The contribution about a point r before its origin."""
        N, F = self.p[0:3], self.p[3:6]
        lever = scale(mass, r)
        trace = self.trace + dot(r, add(scale(4, self.h), scale(2, lever)))
        return Carried(self.inertia.moved(r), [*add(N, cross(r, F)), *F], add(self.h, lever), trace)


def body_carried(body: Any) -> Carried:
    """The contribution of a rigid body (I, h, m, N, F) of sixteen entries."""
    inertia = rigid(body[9], body[6:9], body[0:6])
    return Carried(inertia, list(body[10:16]), list(body[6:9]), body[0] + body[3] + body[5])
