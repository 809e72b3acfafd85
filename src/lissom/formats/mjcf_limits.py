"""Limits on what an MJCF file may request from MuJoCo's compiler: regular files, and plausible sizes.

The compiler reads whatever file is named and makes as much room as it is asked to; some sizes take it minutes or all
memory, pipes stop it for ever, and a model that names itself ends the process. All of it, and all that is included or
attached (`mjcf_files`), is looked through before it is compiled.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from lissom.errors import ModelError
from lissom.formats import xml
from lissom.formats.files import LARGEST_MATRIX, refuse_unreadable
from lissom.formats.mjcf_files import Source, Sources

MOST_COPIES = 10_000
MOST_ELEMENTS = 200_000  # after copying and attaching
MOST_NUMBERS = 2**24  # of one element
ALL_NUMBERS = 4 * MOST_NUMBERS
ALL_BYTES = 4 * LARGEST_MATRIX  # of the files that are named, each as often as it is
MOST_MEMORY = 2**30
# attributes whose product is the number of things that are made
SIZES = {
    "texture": ("width", "height", "nchannel"), "hfield": ("nrow", "ncol"), "user": ("dim",), "numeric": ("size",),
    "mesh": ("params",), "flexcomp": ("cellcount",), "flex": ("cellcount",),
}  # fmt: skip
EVERYWHERE = ("actdim", "nsample", "num")  # of actuators and sensors, of which there are many kinds
COPIES = {"replicate": "count", "flexcomp": "count", "composite": "count"}
PNG, PNG_HEAD = b"\x89PNG\r\n\x1a\n", struct.Struct(">8s8xII")
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}


def refuse_harmful(root: xml.Element, path: Path) -> None:
    """Raise `ModelError` if the file, or one that it names, would make the compiler use too much memory."""
    sources = Sources(root, path)
    numbers = size = 0.0
    for source in sources.all:
        for element, copies in _all(source.root):
            numbers += _refuse_large(element, copies, source.path)
            for word, value in element.attributes.items():
                if word.startswith("file"):
                    size += _refuse_odd_files(value, sources.places(value, source), source, element.line)
    if numbers > ALL_NUMBERS:
        raise ModelError(f"it has more than {ALL_NUMBERS} numbers in textures and tables.", file=str(path))
    if size > ALL_BYTES:
        raise ModelError(f"it names files of more than {ALL_BYTES // 2**20} MiB together.", file=str(path))
    _refuse_many(sources, path)


def _all(root: xml.Element) -> Iterator[tuple[xml.Element, float]]:
    """Yield every element with its number of copies; without recursion."""
    stack = [(root, 1.0)]
    while stack:
        element, copies = stack.pop()
        copies *= _copies(element)
        yield element, copies
        stack += [(child, copies) for child in element.children]


def _copies(element: xml.Element) -> float:
    return _product(element, (COPIES[element.tag],)) if element.tag in COPIES else 1.0


def _product(element: xml.Element, words: tuple[str, ...]) -> float:
    """Product of all numbers in some attributes; invalid ones are left to the compiler."""
    out = 1.0
    for word in words:
        for part in element.attributes.get(word, "").split():
            try:
                out *= max(abs(float(part)), 1.0)
            except ValueError:
                continue
    return out


def _refuse_large(element: xml.Element, copies: float, file: Path) -> float:
    """Raise an error if an element allocates too many numbers."""
    numbers = copies * _product(element, (*SIZES.get(element.tag, ()), *EVERYWHERE))
    if copies > MOST_COPIES or not numbers <= MOST_NUMBERS:
        least = f"{MOST_COPIES} copies" if copies > MOST_COPIES else f"{MOST_NUMBERS} numbers"
        raise ModelError(f"<{element.tag}> is larger than {least}, too large for a robot.", "", str(file), element.line)
    if element.tag == "size":
        _refuse_room(element, file)
    return numbers if numbers > copies else 0.0


def _refuse_room(element: xml.Element, file: Path) -> None:
    for word, value in element.attributes.items():
        found = re.fullmatch(r"\s*(\d{1,20})\s*([KMGTPE]?)\s*", value)
        most = MOST_MEMORY if word in ("memory", "nstack") else 2**16
        if (found and int(found[1]) * UNITS[found[2]] > most) or len(value) > 40:
            raise ModelError(f"<size {word}={value[:30]!r}> is too large for a robot.", "", str(file), element.line)


def _refuse_odd_files(name: str, places: list[Path], source: Source, line: int) -> int:
    """Size of the largest file that a name may refer to; raises an error for odd files."""
    sizes = [0]
    for place in places:
        if os.path.isdir(place) and not name:
            continue
        try:
            refuse_unreadable(place)
        except ModelError as error:
            raise ModelError(f"it names the file {name[:60]!r}: {error.problem}", "", str(source.path), line) from None
        sizes.append(place.stat().st_size)
        if sizes[-1] > LARGEST_MATRIX or _pixels(place) > MOST_NUMBERS:
            raise ModelError(f"it names the file {name[:60]!r}, which is too large.", "", str(source.path), line)
    return max(sizes)


def _pixels(place: Path) -> int:
    """Number of pixels of a PNG picture, which may unpack to far more than its size; 0 for other files."""
    with place.open("rb") as stream:
        head = stream.read(PNG_HEAD.size)
    if len(head) < PNG_HEAD.size:
        return 0
    mark, width, height = PNG_HEAD.unpack(head)
    return int(width) * int(height) if mark == PNG else 0


def _refuse_many(sources: Sources, path: Path) -> None:
    """Raise an error for too many elements, copies and attachments included; without recursion."""
    made: dict[int, float] = {}
    top = sources.all[0].root
    trail = [(top, iter(sources.below(top)))]
    above = {id(top)}
    while trail:
        element, rest = trail[-1]
        following = next(rest, None)
        if following is None:
            made[id(element)] = _copies(element) * (1.0 + sum(made[id(x)] for x in sources.below(element)))
            above.discard(id(element))
            trail.pop()
        elif id(following) in above:
            raise ModelError("a body is attached to itself.", "", str(path), element.line)
        elif id(following) not in made:
            above.add(id(following))
            trail.append((following, iter(sources.below(following))))
    written = sum(1 for source in sources.all for _ in _all(source.root))
    if not made[id(top)] <= max(MOST_ELEMENTS, written):
        raise ModelError(f"its copies and attachments make more than {MOST_ELEMENTS} elements.", file=str(path))
