"""A table of words and numbers, as aligned text and as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lissom.markup import Markup, tag

NUMBER = re.compile(r"[-+]{0,2}(\d|\.\d|inf|nan)")
NOTHING = ("", "-", "=")


class Listing(NamedTuple):
    """A table of text: title, column heads and rows."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, heads: Iterable[str], rows: Iterable[Iterable[str]], title: str = "") -> Listing:
        """Make a table from any sequences."""
        return cls(title, tuple(heads), tuple(tuple(row) for row in rows))

    def telling(self) -> Listing:
        """The table without empty columns."""
        used = [c for c in range(len(self.heads)) if any(row[c] not in NOTHING for row in self.rows)]
        return Listing.of(_picked(self.heads, used), (_picked(row, used) for row in self.rows), self.title)

    def lines(self) -> list[str]:
        """Aligned columns with a rule under the heads."""
        rows = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [lines[0], "-" * (sum(widths) + 2 * (len(widths) - 1)), *lines[1:]]

    def numeric(self, column: int) -> bool:
        """Whether all cells of a column begin like a number; such columns are right-aligned."""
        return all(NUMBER.match(row[column]) for row in self.rows)

    def html(self) -> Markup:
        """The table as HTML; columns of numbers are right-aligned."""
        head = tag("thead", tag("tr", *(tag("th", word) for word in self.heads)))
        body = tag("tbody", *(tag("tr", *map(_cell, row)) for row in self.rows))
        return tag("table", *([tag("caption", self.title)] if self.title else []), head, body)


def _picked(row: Sequence[str], columns: Sequence[int]) -> list[str]:
    return [row[c] for c in columns]


def _cell(text: str) -> Markup:
    side = "right" if NUMBER.match(text) and not isinstance(text, Markup) else "left"
    return tag("td", text, style=f"text-align:{side}")
