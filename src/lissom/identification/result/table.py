"""The table of what was identified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.errors import InputError, suggest
from lissom.identification.fit.masks import Mask
from lissom.listing import Listing
from lissom.markup import Markup
from lissom.spatial.rotations import Array

WIDEST = 56  # characters of a name that are shown
CERTAIN = 2.0  # standard deviations
PRECISE = 0.3  # of the size that the prior suggests


class Row(NamedTuple):
    """One parameter: the value of the fit alone, its standard deviation, the given value, and that of the new arm."""

    name: str
    unit: str
    value: float
    std: float
    prior: float
    used: float
    identifiable: bool


@dataclass(frozen=True, eq=False, repr=False)
class ParameterTable:
    """Parameters that the log can show: values, standard deviations, and whether they are identifiable.

    Inertias of links act in combinations; each row is one, named by its terms. `values` are those of the fit without
    constraints, with standard deviations that hold for coloured residuals; `used` are those of `Identification.arm`,
    which is physically consistent. A parameter is identifiable if it is larger than two standard deviations, or its
    standard deviation is below 30 % of what the given arm suggests as its size; the others come from the given arm as
    far as physical consistency allows.

    Parameters
    ----------
    names, units : sequences of str (k,)
    values, std, prior, used : (k,)
    identifiable : (k,)
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    std: Array
    prior: Array
    used: Array
    identifiable: Mask

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Row]:
        columns = (self.names, self.units, self.values, self.std, self.prior, self.used, self.identifiable)
        for name, unit, value, std, prior, used, known in zip(*columns, strict=True):
            yield Row(name, unit, float(value), float(std), float(prior), float(used), bool(known))

    def __getitem__(self, name: str | int) -> Row:
        """The row of a parameter, by its name, the name of its first term, or its number."""
        rows = list(self)
        if isinstance(name, int | np.integer):
            return rows[name]
        for row in rows:
            if name in (row.name, row.name.split(" ")[0]):
                return row
        raise InputError(f"the table has no parameter {name!r}; {suggest(name, [r.name.split(' ')[0] for r in rows])}")

    def listing(self) -> Listing:
        """Return the table as text and HTML can show it."""
        heads = ("parameter", "value", "std", "prior", "used", "unit", "identifiable")
        return Listing.of(heads, map(_cells, self))

    def __str__(self) -> str:
        return "\n".join(self.listing().lines())

    def _repr_html_(self) -> Markup:
        return self.listing().html()

    def __repr__(self) -> str:
        return f"<ParameterTable: {len(self)} parameters, {int(self.identifiable.sum())} identifiable>"


def _cells(row: Row) -> list[str]:
    name = row.name if len(row.name) <= WIDEST else f"{row.name[: WIDEST - 4]} ..."
    std = f"{row.std:.2g}" if np.isfinite(row.std) else "-"
    numbers = (f"{row.value:.4g}", std, f"{row.prior:.4g}", f"{row.used:.4g}")
    return [name, *numbers, row.unit, "yes" if row.identifiable else "no"]


def identifiable(values: Array, std: Array, sizes: Array) -> Mask:
    """Whether parameters (k,) are known well enough to say so."""
    return np.asarray(np.isfinite(std) & ((np.abs(values) > CERTAIN * std) | (std < PRECISE * sizes)))
