"""A table of words and numbers, as aligned text and as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lissom.markup import Markup, tag

# one number or several, with at most two short words behind them: "3", "+-171.9 deg/s", "0 .. 143.2 deg", "1.5 N m"
_ONE = r"[-+±<]{0,2} ?(\d[\d.]*(e[-+]?\d+)?|\.\d+|inf|nan)"
NUMBER = re.compile(rf"{_ONE}((,| \.\.|) {_ONE})*( ?[^\s\d,;:]\S{{0,7}}){{0,2}}")
NOTHING = ("", "-")
# notebooks have no style sheet of ours, so the side is written out
RIGHT = {"kind": "number", "style": "text-align:right"}


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

    def columns(self, heads: Iterable[str]) -> Listing:
        """The table with the columns that have these heads, in this order; heads that it does not have are left out."""
        kept = [self.heads.index(head) for head in heads if head in self.heads]
        return Listing.of(_picked(self.heads, kept), (_picked(row, kept) for row in self.rows), self.title)

    def lines(self) -> list[str]:
        """Aligned columns with a rule under the heads."""
        rows = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [lines[0], "-" * (sum(widths) + 2 * (len(widths) - 1)), *lines[1:]]

    def numeric(self, column: int) -> bool:
        """Whether all cells of a column are numbers, with or without units; such columns are right-aligned."""
        cells = [row[column] for row in self.rows if row[column] not in NOTHING]
        return bool(cells) and not any(isinstance(cell, Markup) or not NUMBER.fullmatch(cell) for cell in cells)

    def html(self) -> Markup:
        """The table as HTML; columns of numbers are right-aligned, with their heads."""
        sides = [RIGHT if self.numeric(column) else {} for column in range(len(self.heads))]
        head = tag("thead", _row("th", self.heads, sides))
        body = tag("tbody", *(_row("td", row, sides) for row in self.rows))
        return tag("table", *([tag("caption", self.title)] if self.title else []), head, body)


def _row(name: str, cells: Sequence[str], sides: Sequence[dict[str, str]]) -> Markup:
    return tag("tr", *(tag(name, cell, **side) for cell, side in zip(cells, sides, strict=True)))


def _picked(row: Sequence[str], columns: Sequence[int]) -> list[str]:
    return [row[c] for c in columns]
