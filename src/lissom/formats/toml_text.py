"""TOML text: writing values so that they read back bit for bit, and finding the line of a table."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np


def value_text(value: Any) -> str:
    """One TOML value on one line. Floats are written with the digits that identify them."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _float(float(value))
    if isinstance(value, str):
        # JSON strings are TOML basic strings, but for DEL
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {value_text(item)}" for key, item in value.items()) + " }"
    return "[" + ", ".join(value_text(item) for item in value) + "]"


def _key(word: str) -> str:
    """A key, in quotes where it is not plain."""
    return word if re.fullmatch(r"[A-Za-z0-9_-]+", word) else value_text(word)


def _float(value: float) -> str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}.0"
    return repr(value)


def table_lines(header: str, table: dict[str, Any]) -> list[str]:
    """A table header and its keys."""
    return [header, *(f"{_key(key)} = {value_text(value)}" for key, value in table.items()), ""]


def find_line(text: str, path: Iterable[str | int], key: str = "") -> int | None:
    """Line (from 1) of a table such as ``("links", 3, "joint")``, or of a key inside it.

    Knows tables with headers of their own and the lines where others begin; falls back to the nearest enclosing header.
    """
    steps = list(path)
    lines = text.split("\n")
    start, stop, line = 0, len(lines), None
    if not steps:  # a key of the file itself stands before the first table
        stop = next((n for n, text_line in enumerate(lines) if text_line.lstrip().startswith("[")), stop)
    while steps:
        name = str(steps.pop(0))
        count = int(steps.pop(0)) if steps and isinstance(steps[0], int) else None
        opening = re.compile(rf"\s*\[\[?\s*(\w+\s*\.\s*)*\"?{re.escape(name)}\"?\s*\]\]?")
        found = [n for n in range(start, stop) if opening.match(lines[n])]
        index = 0 if count is None else count
        if count is None and not found and steps:  # [outer.inner] without an [outer] of its own
            continue
        if index >= len(found):
            line = _inline(lines, range(start, stop), name) or line
            break
        line = found[index] + 1
        start, stop = found[index] + 1, found[index + 1] if index + 1 < len(found) else stop
    if key:
        own = re.compile(rf"\s*{re.escape(key)}\s*=")
        hits = [n for n in range(start, stop) if own.match(lines[n])]
        if not hits:  # it may be a table of its own
            header = re.compile(rf"\s*\[\[?\s*(\w+\s*\.\s*)*\"?{re.escape(key)}\"?\s*[\].]")
            hits = [n for n in range(start, stop if line else len(lines)) if header.match(lines[n])]
        if hits:
            return hits[0] + 1
    return line


def _inline(lines: list[str], within: range, name: str) -> int | None:
    """Line (from 1) of a table or list that is written as a value, before the next header."""
    own = re.compile(rf"\s*\"?{re.escape(name)}\"?\s*=")
    for n in within:
        if lines[n].lstrip().startswith("["):
            return None
        if own.match(lines[n]):
            return n + 1
    return None
