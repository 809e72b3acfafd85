"""Tables I and II of Hollerbach 1980."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Printed(NamedTuple):
    """A row of Tables I and II: polynomials, constant first, and the numbers for n = 6."""

    multiplications: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]
    six: tuple[int, int]


def _p(*coefficients: str) -> tuple[Fraction, ...]:
    """Polynomial from coefficients with the highest power first, as printed."""
    return tuple(sum((Fraction(part) for part in c.split()), Fraction(0)) for c in reversed(coefficients))


PRINTED = {
    "uicker_kahn": Printed(_p("32 1/2", "86 5/12", "171 1/2", "53 1/2", "-128"),
                           _p("25", "66 1/2", "129 1/2", "42 1/2", "-96"), (66271, 51548)),
    "waters": Printed(_p("106 1/2", "620 1/2", "-512"), _p("82", "514", "-384"), (7051, 5652)),
    "hollerbach_4x4": Printed(_p("830", "-592"), _p("675", "-464"), (4388, 3586)),
    "hollerbach_3x3": Printed(_p("412", "-277"), _p("320", "-201"), (2195, 1719)),
    "newton_euler_link": Printed(_p("150", "-48"), _p("131", "-48"), (852, 738)),
    "horn_raibert": Printed(_p("2", "1", "0", "0"), _p("1", "1", "2", "0"), (468, 264)),
}  # fmt: skip
ORDERS = {"uicker_kahn": 4, "waters": 2, "hollerbach_4x4": 1, "hollerbach_3x3": 1, "newton_euler_link": 1,
          "horn_raibert": 3, "newton_euler_base": 1}  # fmt: skip
NAMES = {
    "uicker_kahn": "Uicker/Kahn", "waters": "Waters", "hollerbach_4x4": "Hollerbach (4x4)",
    "hollerbach_3x3": "Hollerbach (3x3)", "newton_euler_link": "Newton-Euler", "horn_raibert": "Horn, Raibert",
    "newton_euler_base": "Newton-Euler in base coordinates", "horn_raibert_table": "Horn, Raibert (table)",
}  # fmt: skip
