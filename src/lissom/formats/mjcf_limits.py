"""What an MJCF file may ask of MuJoCo's compiler: files proper, and sizes that a robot has.

The compiler reads whatever file is named and makes as much room as it is told to; some sizes take it minutes or all
memory, and pipes stop it for ever. All of it is looked through before it is compiled.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lissom.errors import ModelError
from lissom.formats import xml
from lissom.formats.files import LARGEST_MATRIX, read_bytes, refuse_unreadable

DEEPEST = 1000  # bodies nest as deep as the chain is long
MOST_FILES = 100
MOST_COPIES = 10_000
MOST_NUMBERS = 2**24
MOST_MEMORY = 2**30
FOLDERS = ("meshdir", "texturedir", "assetdir")
# attributes whose product is the number of things that are made
SIZES = {
    "texture": ("width", "height"), "hfield": ("nrow", "ncol"), "user": ("dim",), "numeric": ("size",),
    "general": ("actdim", "nsample"), "mesh": ("params",),
}  # fmt: skip
COPIES = {"replicate": "count", "flexcomp": "count", "composite": "count"}
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}


def refuse_harmful(root: xml.Element, path: Path) -> None:
    """Raise a `ModelError` for what the compiler should not be asked, in the file and in those that it includes."""
    waiting, seen = [(root, path)], {path.resolve()}
    folders: list[str] = []
    named: list[tuple[str, Path, int]] = []
    while waiting:
        top, file = waiting.pop()
        for element, copies in _all(top):
            _refuse_large(element, copies, file)
            folders += [element.attributes[word] for word in FOLDERS if word in element.attributes]
            for word, value in element.attributes.items():
                if word.startswith("file"):
                    named.append((value, file, element.line))
            if element.tag == "include" and "file" in element.attributes:
                waiting += _included(element, file, path.parent, seen)
    for name, file, line in named:
        _refuse_odd_files(name, path.parent, folders, file, line)


def _all(root: xml.Element) -> Iterator[tuple[xml.Element, float]]:
    """Every element, with how often it is made; without recursion."""
    stack = [(root, 1.0)]
    while stack:
        element, copies = stack.pop()
        copies *= _product(element, (COPIES[element.tag],)) if element.tag in COPIES else 1.0
        yield element, copies
        stack += [(child, copies) for child in element.children]


def _product(element: xml.Element, words: tuple[str, ...]) -> float:
    """Of all numbers in some attributes; what is no number is for the compiler to refuse."""
    out = 1.0
    for word in words:
        for part in element.attributes.get(word, "").split():
            try:
                out *= max(abs(float(part)), 1.0)
            except ValueError:
                continue
    return out


def _refuse_large(element: xml.Element, copies: float, file: Path) -> None:
    numbers = copies * _product(element, SIZES.get(element.tag, ()))
    if copies > MOST_COPIES or not numbers <= MOST_NUMBERS:
        least = f"{MOST_COPIES} copies" if copies > MOST_COPIES else f"{MOST_NUMBERS} numbers"
        raise ModelError(f"<{element.tag}> is larger than {least}, too large for a robot.", "", str(file), element.line)
    if element.tag != "size":
        return
    for word, value in element.attributes.items():
        found = re.fullmatch(r"\s*(\d{1,20})\s*([KMGTPE]?)\s*", value)
        most = MOST_MEMORY if word in ("memory", "nstack") else 2**16
        if (found and int(found[1]) * UNITS[found[2]] > most) or len(value) > 40:
            raise ModelError(f"<size {word}={value[:30]!r}> is too large for a robot.", "", str(file), element.line)


def _included(element: xml.Element, file: Path, folder: Path, seen: set[Path]) -> list[tuple[xml.Element, Path]]:
    """The file that is included, where it is there and new; the compiler says what is missing."""
    found = []
    for place in {folder / element.attributes["file"], file.parent / element.attributes["file"]}:
        if not os.path.exists(place) or place.resolve() in seen:
            continue
        seen.add(place.resolve())
        if len(seen) > MOST_FILES:
            raise ModelError(f"it includes more than {MOST_FILES} files.", "", str(file), element.line)
        found.append((xml.parse(read_bytes(place), str(place), deepest=DEEPEST), place))
    return found


def _refuse_odd_files(name: str, folder: Path, folders: list[str], file: Path, line: int) -> None:
    for place in (folder / name, *(folder / inner / name for inner in folders), file.parent / name):
        if not os.path.exists(place) or (os.path.isdir(place) and not name):
            continue
        try:
            refuse_unreadable(place)
        except ModelError as error:
            raise ModelError(f"it names the file {name[:60]!r}: {error.problem}", "", str(file), line) from None
        if place.stat().st_size > LARGEST_MATRIX:
            raise ModelError(f"it names the file {name[:60]!r}, which is too large.", "", str(file), line)
