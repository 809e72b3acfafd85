"""Counting the multiplications and additions of a formulation.

Two rules, stated and never tuned:

dense
    As the papers count. Every product and every sum of two numbers counts once, whatever their values;
    a difference is a sum, a division a product; a change of sign, sines, cosines and the entries of A_i
    and its derivatives are free. Values that begin a recursion (W_0 = 1, w_0 = 0, nothing beyond the last
    link) are not computed with; zeros and ones that a formulation writes down count when they meet a number,
    not when they meet each other. Loads are left out, and of the drives all but the inertia in forward dynamics.
folded
    The same program on a given arm, where a product with 0 or 1, a sum with 0, and anything between
    constants (known before the arm moves) is free.

A configuration-space formulation, and a closed form, counts only what is done with its table: of the closed form of
planar arms the entries that are not zero. What the programs keep and what
they make again decides the coefficients: the trace of a product costs the whole product, as in the papers'
counts; `uicker_kahn` keeps the kW_j and the derivatives (5) and makes dW J anew for every (i, j, k, l);
`waters` makes iW_j anew for every i; W dA is made once per link; p*_i in axes of frame i is geometry, as
the entries of A_i are; `newton_euler_link` and `walker_orin` write z = (0, 0, 1) out, the others multiply
with it. Polynomials hold from n = 2 on: the first link of a recursion that begins with nothing is cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from lissom.dynamics.planar.equations import Equations
from lissom.formulations import horn_raibert
from lissom.formulations.catalogue import Formulation
from lissom.formulations.linkage import Frames, Linkage, Member, State, frames_of
from lissom.formulations.matrices import ONE


class Tally:
    """Counters and the counting rule, shared by counting numbers."""

    def __init__(self, folded: bool):
        self.folded = folded
        self.multiplications = self.additions = 0
        self.counting = True


class Number:
    """A number that counts operations on it; `known` is its value if it is constant."""

    __slots__ = ("known", "tally")

    def __init__(self, tally: Tally, known: float | None = None):
        self.tally, self.known = tally, known if tally.folded else None

    def _of(self, other: Any) -> Number:
        return other if isinstance(other, Number) else Number(self.tally, float(other))

    def _result(self, value: float | None = None) -> Number:
        return Number(self.tally, value)

    def __mul__(self, other: Any) -> Number:
        other = self._of(other)
        if self.known is not None and other.known is not None:
            return self._result(self.known * other.known)
        for a, b in ((self, other), (other, self)):
            if a.known == 0.0:
                return self._result(0.0)
            if a.known in (1.0, -1.0):
                return b
        self.tally.multiplications += self.tally.counting
        return self._result()

    def __add__(self, other: Any) -> Number:
        return self._sum(self._of(other), 1.0)

    def __sub__(self, other: Any) -> Number:
        return self._sum(self._of(other), -1.0)

    def __rsub__(self, other: Any) -> Number:
        return self._of(other)._sum(self, -1.0)

    def _sum(self, other: Number, sign: float) -> Number:
        if self.known is not None and other.known is not None:
            return self._result(self.known + sign * other.known)
        if self.known == 0.0:
            return other
        if other.known == 0.0:
            return self
        self.tally.additions += self.tally.counting
        return self._result()

    def __neg__(self) -> Number:
        return self._result(None if self.known is None else -self.known)

    def __truediv__(self, other: Any) -> Number:
        other = self._of(other)
        if self.known is not None and other.known is not None:
            return self._result(self.known / other.known)
        if self.known == 0.0 or other.known in (1.0, -1.0):
            return self
        self.tally.multiplications += self.tally.counting
        return self._result()

    def __rtruediv__(self, other: Any) -> Number:
        return self._of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def sin(self) -> Number:
        return self._result()

    def cos(self) -> Number:
        return self._result()


class Count(NamedTuple):
    """Multiplications and additions."""

    multiplications: int
    additions: int


def count(f: Formulation, linkage: Linkage, folded: bool) -> Count:
    """Operations of a formulation on an arm, by one of the two rules."""
    tally = Tally(folded)
    n = len(linkage)

    def unknown(k: int) -> list[Any]:
        return [Number(tally) for _ in range(k)]

    if f.name == "horn_raibert":
        table = horn_raibert.Coefficients(
            unknown(n), [unknown(n) for _ in range(n)], [[unknown(n) for _ in range(n)] for _ in range(n)]
        )
        horn_raibert.combined(table, unknown(n), unknown(n))
        return Count(tally.multiplications, tally.additions)
    state = counted_state(linkage, tally)
    if f.direction == "inverse":
        f.function(state)
    else:
        f.function(state._replace(qdd=[0.0] * n), unknown(n))
    return Count(tally.multiplications, tally.additions)


def counted_state(linkage: Linkage, tally: Tally) -> State:
    """A state of numbers that count, of an arm whose constants are known."""
    n = len(linkage)
    q, qd, qdd = ([Number(tally) for _ in range(n)] for _ in range(3))
    members = [_counted(member, tally) for member in linkage.members]
    tally.counting = False  # the entries of A_i are free
    frames = Frames(*(_wrapped(part, tally) for part in frames_of(members, q)))
    gravity = [Number(tally, float(g)) for g in linkage.in_frame_0(linkage.bodies.arm.gravity)]
    tally.counting = True
    return State(members, frames, qd, qdd, gravity)


def count_planar(f: Formulation, equations: Equations, folded: bool) -> Count:
    """Operations of the inverse dynamics of a planar closed form, by one of the two rules."""
    tally = Tally(folded)
    q, qd, qdd = ([Number(tally) for _ in range(equations.dof)] for _ in range(3))
    f.function(equations.mapped(lambda x: Number(tally, float(x))), q, qd, qdd)
    return Count(tally.multiplications, tally.additions)


def _counted(member: Member, tally: Tally) -> Member:
    """The member with every constant a counting number."""

    words = ("B", "mass", "com", "moment", "inertia", "second", "pseudo")
    constants = {word: _wrapped(getattr(member, word), tally) for word in words}
    O = ONE if member.O is ONE else _wrapped(member.O, tally)
    return member._replace(O=O, armature=Number(tally, member.armature), **constants)


def _wrapped(x: Any, tally: Tally) -> Any:
    """Values wrapped as lists of counting numbers."""
    if isinstance(x, list):
        return [_wrapped(entry, tally) for entry in x]
    return x if isinstance(x, Number) else Number(tally, float(x))


# ---- polynomials ---------------------------------------------------------------------------------


def polynomial(values: dict[int, int], degree: int) -> list[Fraction]:
    """Exact coefficients, constant first, of the polynomial through (n, count); more values than it needs check it."""
    points = sorted(values.items())
    matrix = [[Fraction(n) ** k for k in range(degree + 1)] for n, _ in points[: degree + 1]]
    solution = _solve(matrix, [Fraction(count) for _, count in points[: degree + 1]])
    for n, count in points:
        if at(solution, n) != count:
            raise ValueError(f"no polynomial of degree {degree} goes through {points}")
    return solution


def at(coefficients: Sequence[Fraction], n: int) -> Fraction:
    """A polynomial's value; coefficients constant first."""
    return sum((c * Fraction(n) ** k for k, c in enumerate(coefficients)), Fraction(0))


def degree_of(values: dict[int, int]) -> int:
    """The lowest degree of a polynomial through all the counts."""
    for degree in range(len(values) - 1):
        try:
            if polynomial(values, degree)[-1] != 0 or degree == 0:
                return degree
        except ValueError:
            continue
    raise ValueError(f"no polynomial of a degree below {len(values) - 1} goes through {values}")


def _solve(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction]:
    n = len(b)
    rows = [[*row, x] for row, x in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next(r for r in range(k, n) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(n):
            if r != k:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


def written(coefficients: list[Fraction]) -> str:
    """A polynomial in n, highest power first."""
    terms = []
    for k in range(len(coefficients) - 1, -1, -1):
        c = coefficients[k]
        if c == 0:
            continue
        power = "" if k == 0 else "n" if k == 1 else f"n^{k}"
        size = abs(c)
        whole, rest = divmod(size.numerator, size.denominator)
        number = f"{whole}" if rest == 0 else f"{whole} {rest}/{size.denominator}" if whole else f"{size}"
        factors = [*([] if power and size == 1 else [number]), *([power] if power else [])]
        terms.append((" - " if c < 0 else " + ") + " ".join(factors))
    text = "".join(terms)
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" - ") else text.removeprefix(" + ")
