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
LOOSE = re.compile(r"[a-z_]+(, [a-z_]+)* : \S")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
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


def one_name(lines: list[str]) -> Iterator[str]:
    """The same docstring, attributes that share an entry each with one of their own: napoleon takes only the last."""
    inside, names, body = False, [], []

    def entries() -> Iterator[str]:
        for name in names:
            yield from (name, *body)

    for k, line in enumerate([*lines, ""]):
        below = lines[k + 1] if k + 1 < len(lines) else ""
        if below and set(below.strip()) == {"-"}:
            yield from entries()
            inside, names, body = line == "Attributes", [], []
        elif inside and line[:1].strip() and set(line) != {"-"}:
            yield from entries()
            head, colon, kind = line.partition(" : ")
            names, body = [f"{name}{colon}{kind}" for name in head.split(", ")], []
            continue
        if names:
            body.append(line)
        else:
            yield line
    yield from entries()


def headed(lines: list[str]) -> list[str]:
    """The same docstring, with a heading above entries that small records have without one."""
    first = next((k for k, line in enumerate(lines) if LOOSE.match(line)), None)
    if first is None or any(SECTION.match(line) for line in lines):
        return lines
    return [*lines[:first], "Attributes", "----------", *lines[first:]]


def process(app, what, name, obj, options, lines: list[str]) -> None:
    lines[:] = list(one_name(list(two_lines(headed(lines)))))


def skip(app, what, name, obj, skip, options) -> bool | None:
    """Fields of named tuples say nothing but their number; the class tells what they are."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def plain(app, what, name, obj, options, signature: str | None, returns: str | None) -> tuple[str | None, str | None]:
    """Signatures with ``Array | None``, where autodoc writes ``TypeAliasForwardRef('Array') | None``."""
    return tuple(text and ALIAS.sub(r"\1", text) for text in (signature, returns))


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", plain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
