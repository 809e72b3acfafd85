"""MJCF files that name other MJCF files: by ``<include>``, and by ``<asset><model>`` whose bodies are attached."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from lissom.errors import ModelError
from lissom.formats import xml
from lissom.formats.files import LARGEST_FILE, read_bytes

DEEPEST = 1000  # bodies nest as deep as the chain is long
MOST_FILES = 100  # each as often as it is read
ALL_BYTES = 2 * LARGEST_FILE  # of all of them
MOST_FOLDERS = 10  # in which names are looked for
MOST_NAMES = 10_000  # of files of any kind
FOLDERS = ("meshdir", "texturedir", "assetdir")


@dataclass(eq=False)
class Source:
    """A file, its elements, and the files that they name."""

    root: xml.Element
    path: Path
    named: list[tuple[xml.Element, Path]] = field(default_factory=list)


class Sources:
    """A file and all files that it includes or takes models from; cycles are rejected.

    Where a name may mean several files, all of them count.
    """

    def __init__(self, root: xml.Element, path: Path):
        self.all: list[Source] = []
        self._left, self._names = ALL_BYTES, 0
        self._folders: dict[str, None] = {"": None}  # what elements say about where assets are
        self._parents: dict[Path, None] = {}  # names are meant from the folder of a model, or of an included file
        self._known: dict[Path, Source] = {}
        self._read(root, path)
        self._roots = {
            id(element): [self._known[place].root for other, place in source.named if other is element]
            for source in self.all
            for element, _ in source.named
        }
        elements = [element for source in self.all for element in _elements(source.root)]
        self._models: dict[str, list[xml.Element]] = {}
        for element in (x for x in elements if x.tag == "model"):
            self._models.setdefault(element.attributes.get("name", ""), []).extend(self._roots.get(id(element), []))
        self._bodies: dict[str, list[xml.Element]] = {}
        for element in (x for x in elements if x.tag in ("body", "frame") and "name" in x.attributes):
            self._bodies.setdefault(element.attributes["name"], []).append(element)

    def places(self, name: str, source: Source) -> list[Path]:
        """Existing files that a name in a file may refer to."""
        self._names += 1
        if self._names > MOST_NAMES:
            raise ModelError(f"it names files more than {MOST_NAMES} times.", file=str(source.path))
        tried = [folder / inner / name for folder in self._parents for inner in self._folders]
        return [place for place in dict.fromkeys(tried) if os.path.exists(place)]

    def below(self, element: xml.Element) -> list[xml.Element]:
        """Elements that an element contains, includes or attaches."""
        if element.tag == "include":
            return self._roots.get(id(element), [])
        if element.tag != "attach":
            return element.children
        words = element.attributes
        if "model" in words:
            named = self._models.get(words["model"], []) or self._models.get("", [])
            return named or [root for roots in self._models.values() for root in roots]
        return [body for word in ("body", "frame") for body in self._bodies.get(words.get(word, ""), [])]

    def _read(self, root: xml.Element, path: Path) -> None:
        """Read all files, each once, but count how often each is read."""
        reads: dict[Path, int] = {}
        first = self._add(root, path)
        trail = [(first, iter(first.named))]
        above = {path.resolve()}
        while trail:
            source, rest = trail[-1]
            element, place = next(rest, (None, None))
            if element is None or place is None:
                reads[source.path.resolve()] = 1 + sum(reads[inner] for _, inner in source.named)
                if reads[source.path.resolve()] > MOST_FILES:
                    raise ModelError(f"it includes more than {MOST_FILES} files.", file=str(source.path))
                above.discard(source.path.resolve())
                trail.pop()
            elif place in above:
                raise ModelError(
                    f"<{element.tag}> names the file {place.name[:60]!r}, which includes itself.",
                    "", str(source.path), element.line,
                )  # fmt: skip
            elif place not in reads:
                above.add(place)
                following = self._parsed(place, source, element)
                trail.append((following, iter(following.named)))

    def _parsed(self, place: Path, source: Source, element: xml.Element) -> Source:
        try:
            data = read_bytes(place)
        except ModelError as error:
            problem = f"it names the file {element.attributes['file'][:60]!r}: {error.problem}"
            raise ModelError(problem, "", str(source.path), element.line) from None
        self._left -= len(data)
        if self._left < 0:
            raise ModelError(f"its files are larger than {ALL_BYTES // 2**20} MiB together.", file=str(source.path))
        return self._add(xml.parse(data, str(place), deepest=DEEPEST), place)

    def _add(self, root: xml.Element, path: Path) -> Source:
        source = Source(root, path)
        elements = list(_elements(root))
        self._parents[path.parent] = None
        for element in elements:
            self._folders |= {element.attributes[word]: None for word in FOLDERS if word in element.attributes}
        if max(len(self._parents), len(self._folders)) > MOST_FOLDERS:
            raise ModelError(f"its files are in more than {MOST_FOLDERS} folders.", file=str(path))
        for element in elements:
            if element.tag in ("include", "model") and "file" in element.attributes:
                found = {place.resolve(): None for place in self.places(element.attributes["file"], source)}
                source.named += [(element, place) for place in found if not os.path.isdir(place)]
        self.all.append(source)
        self._known[path.resolve()] = source
        if len(self.all) > MOST_FILES:
            raise ModelError(f"it includes more than {MOST_FILES} files.", file=str(path))
        return source


def _elements(root: xml.Element) -> list[xml.Element]:
    """An element and all inside it."""
    out = [root]
    for element in out:
        out += element.children
    return out
