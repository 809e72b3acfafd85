"""Docstrings as napoleon wants them.

Ours have an argument, its type and its meaning on one line, with spaces between them::

    q, qd : (dof,)        positions and rates,
                          in tree order

which becomes the two lines of numpydoc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SECTION = re.compile(r"(Parameters|Returns|Attributes)$")
ENTRY = re.compile(r"(?P<head>\S.*?(?: : .*?)?)(?: {2,}| (?=\[))(?P<meaning>\S.*)$")


def two_lines(lines: list[str]) -> Iterator[str]:
    """The same docstring, every entry of a section with its meaning below."""
    inside, column = False, None
    for k, line in enumerate(lines):
        below = lines[k + 1] if k + 1 < len(lines) else ""
        if below and set(below.strip()) == {"-"}:
            inside = SECTION.match(line) is not None
        elif inside and line[:1].strip():  # an entry begins
            found = ENTRY.match(line)
            column = found.start("meaning") if found else None
            if found:
                yield found["head"]
                line = f"    {found['meaning']}"
        elif column and line.strip():  # it goes on below its meaning
            line = f"    {line[min(column, len(line) - len(line.lstrip())) :]}"
        else:
            column = None
        yield line


def process(app, what, name, obj, options, lines: list[str]) -> None:
    lines[:] = list(two_lines(lines))


def skip(app, what, name, obj, skip, options) -> bool | None:
    """Fields of named tuples say nothing but their number; the class tells what they are."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
