"""Claims of Hollerbach 1980 about tables beside recursions: which takes fewer operations, and what tables must read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise

from lissom.formulations.counting import at
from lissom.papers.claims import Claim, limited
from lissom.papers.hollerbach1980.printed import NAMES, PRINTED
from lissom.verbs.count import count_operations

TABLE, RECURSION, SIX = "horn_raibert", "newton_euler_link", 6
Cost = Callable[[str, int], tuple[int, int]]  # multiplications and additions of a formulation for n joints


def claims() -> list[Claim]:
    """The rank of all formulations for six joints, and from how many joints on a table costs more."""
    return [_ranks(), _crossing()]


def printed(method: str, n: int) -> tuple[int, int]:
    """Multiplications and additions by the printed polynomials."""
    return int(at(PRINTED[method].multiplications, n)), int(at(PRINTED[method].additions, n))


def ours(method: str, n: int) -> tuple[int, int]:
    """Multiplications and additions by our dense rule."""
    found = count_operations(method, n)
    return found.multiplications, found.additions


def read(n: int) -> int:
    """Coefficients G, J and C that a table gives for one state of n joints."""
    return n + n**2 + n**3


def _ranks() -> Claim:
    """Table II by our counts, and the price of a coefficient read at which the table is no longer the cheapest."""
    operations = {method: sum(ours(method, SIX)) for method in PRINTED}
    spared = operations[RECURSION] - operations[TABLE]
    price = spared / read(SIX)
    return limited(
        "Table II",
        "for n = 6 the formulations rank as listed, tables being the cheapest",
        "operations by our dense rule: "
        + ", ".join(f"{NAMES[method]} {number:,}" for method, number in operations.items()),
        all(a > b for a, b in pairwise(operations.values())) and price < 2**SIX,
        f"a table takes {spared:,} operations less than Newton-Euler and reads {read(SIX)} coefficients: it is cheaper "
        f"while each of them costs less than {price:.1f} operations; interpolated, {2**SIX} times as many are read",
        "reading is not counted in Tables I and II; what it costs depends on the machine, see the measured times",
    )


def first(cost: Callable[[str, int], float]) -> int:
    """The least n for which a table costs more than the recursion."""
    return next(n for n in count(1) if cost(TABLE, n) > cost(RECURSION, n))


def crossings(cost: Cost) -> tuple[int, int, int, int]:
    """The least n by multiplications, additions, their sum, and their sum with a coefficient read as an operation."""

    def with_reading(method: str, n: int) -> int:
        return sum(cost(method, n)) + (read(n) if method == TABLE else 0)

    return (
        first(lambda method, n: cost(method, n)[0]), first(lambda method, n: cost(method, n)[1]),
        first(lambda method, n: sum(cost(method, n))), first(with_reading),
    )  # fmt: skip


def _crossing() -> Claim:
    """Number of joints from which on a table costs more than Newton-Euler."""
    theirs, own = crossings(printed), crossings(ours)
    return limited(
        "Configuration space",
        "for n >= 9 tables are less efficient than Newton-Euler",
        f"by the printed polynomials multiplications cross at {theirs[0]}, additions at {theirs[1]}, their sum at "
        f"{theirs[2]}; in ours at {own[0]}, {own[1]} and {own[2]}. With every coefficient that is read as one "
        f"operation more the sums cross at {theirs[3]} and {own[3]}",
        theirs[0] == 9 < min(theirs[1:3]) and max(theirs[3], own[3]) <= 9,
        f"9 is for multiplications alone; all operations together cross at {theirs[2]} in print",
        "a table takes fewer sums than products",
    )
