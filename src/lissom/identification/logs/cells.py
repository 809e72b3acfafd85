"""Lines of text as cells: a header above numbers, cells that hold lists, and rows that name their joints.

Recorders of ROS write a message per row: ``name`` has the joints and ``position`` their values, as lists in one cell
each or as numbered columns (``field.name0``, ``field.position0``), in an order that is not the arm's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lissom.formats.columns.headers import tokens
from lissom.formats.tables import cell_text
from lissom.spatial.rotations import Array

NUMBER = re.compile(r"\s*[\"']?\s*[-+]?(\d|[.,]\d|nan|inf)", re.IGNORECASE)
LIST = re.compile(r"\s*(?:array\s*\(\s*)?(?:'\w'\s*,\s*)?[\[(](.*?)[\])]\s*\)?\s*(?:,\s*dtype=\w+\s*\))?\s*")
NAMES = {"name", "names"}
LINES = 60  # in which the first row of numbers is looked for
MARKS = (";", "\t", ",")


def fields(line: str, separator: str | None) -> list[str]:
    """The cells of a line; separators inside quotes and brackets do not count."""
    if not any(mark in line for mark in '"[('):
        return line.split(separator)
    out, depth, quoted, cell = [], 0, False, ""
    for letter in line:
        if letter == '"':
            quoted = not quoted
            continue
        depth += (letter in "[(") - (letter in "])")
        if not quoted and depth <= 0 and (letter.isspace() if separator is None else letter == separator):
            if cell or separator is not None:
                out.append(cell)
            cell, depth = "", 0
        else:
            cell += letter
    return [*out, cell] if cell or separator is not None else out


def separator_of(line: str) -> str | None:
    """What separates the cells of a line: the mark that is in it outside of lists; None for spaces."""
    plain = re.sub(r"\"[^\"]*\"|\[[^\]]*\]", "", line)
    return next((mark for mark in MARKS if mark in plain), None)


def first_row(lines: Sequence[str]) -> int | None:
    """The first line most of whose cells are numbers, lists or empty; None where there is none."""
    for k, line in enumerate(lines[:LINES]):
        cells = [cell for cell in fields(line, separator_of(line)) if cell.strip()]
        if cells and 2 * sum(bool(NUMBER.match(cell) or _list(cell)) for cell in cells) > len(cells):
            return k
    return None


def _list(cell: str) -> list[str] | None:
    """The items of a cell that holds a list of numbers or of words in quotes; None for other cells, such as [deg]."""
    found = LIST.fullmatch(cell)
    text = found.group(1) if found else ""
    if not (NUMBER.match(text) or "'" in text or "," in text):
        return None
    parts = re.split(r"[,;]" if "," in text or ";" in text else r"\s+", text.strip())
    return [part.strip().strip("'\"") for part in parts if part.strip()]


def header(lines: Sequence[str], separator: str | None, count: int) -> list[str]:
    """Names of `count` columns from the lines above the first row: the last of names, and one of units below it."""
    rows = [fields(line.lstrip("#"), separator) for line in lines]
    full = [[cell_text(cell.strip().strip('"')) for cell in row] for row in rows if len(row) >= max(count, 2)]
    if not full:
        return []
    names, above = full[-1], full[-2] if len(full) > 1 else None
    if above is not None and len(above) == len(names) and all(_is_unit(cell) for cell in names):
        return [f"{name} {unit}" for name, unit in zip(above, names, strict=True)]
    return names


def _is_unit(cell: str) -> bool:
    """Whether a cell below a name can be a unit: in brackets, or empty."""
    return not cell or (cell[0] in "[(" and cell[-1] in "])")


def spread_lists(names: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Names and rows with the numbers of lists in cells as columns of their own, ``position[0]``."""
    first = [*rows[0], *[""] * (len(names) - len(rows[0]))]
    lists = [_list(cell) for cell in first[: len(names)]]
    if not any(lists):
        return names, rows
    counts = [1 if found is None else len(found) for found in lists]
    wide = [name if found is None else f"{name}[{k}]" for name, found, n in zip(names, lists, counts, strict=True)
            for k in range(n)]  # fmt: skip
    return wide, [_widened(row, [found is not None for found in lists], counts) for row in rows]


def _widened(row: list[str], lists: list[bool], counts: list[int]) -> list[str]:
    """A row with one cell per number of its lists."""
    out: list[str] = []
    for k, (is_list, count) in enumerate(zip(lists, counts, strict=True)):
        cell = row[k] if k < len(row) else ""
        items = (_list(cell) or []) if is_list else [cell]
        out += (items + [""] * count)[:count]
    return out


def named(names: list[str], rows: list[list[str]]) -> list[str]:
    """Names of columns with the joints that columns of words beside them name: ``position[0]`` is that of name[0]."""
    labels = {}
    for k, name in enumerate(names):
        place = _place(name)
        if place is None or place[1] not in NAMES or NUMBER.match(rows[0][k]):
            continue
        found = {row[k].strip() for row in rows if k < len(row)}
        if len(found) > 1:
            raise ValueError(
                f"column {name!r} names different joints in different rows ({', '.join(sorted(found)[:3])}): several "
                "machines write to it; keep the rows of one"
            )
        labels[(place[0], place[2])] = found.pop()
    return [_labelled(name, labels) for name in names]


def _place(name: str) -> tuple[tuple[str, ...], str, str] | None:
    """Where a column is: the words before, its own word, its number; None for columns without a number at the end."""
    words = tokens(name)
    return (tuple(words[:-2]), words[-2], words[-1]) if len(words) > 1 and words[-1].isdigit() else None


def _labelled(name: str, labels: dict[tuple[tuple[str, ...], str], str]) -> str:
    place = _place(name)
    label = None if place is None or place[1] in NAMES else labels.get((place[0], place[2]))
    return name if label is None else f"{re.sub(r'[0-9]+[^0-9]*$', '', name).rstrip('[_.')}[{label}]"


def parsed(rows: list[list[str]], count: int) -> Array:
    """Rows of numbers (rows, count); NaN for what is none."""
    return np.array([[_number(row[k]) if k < len(row) else np.nan for k in range(count)] for row in rows])


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan
