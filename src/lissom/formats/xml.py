"""A strict XML tree with line numbers: no DOCTYPE, no custom entities, no deep nesting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from lissom.errors import ModelError


@dataclass
class Element:
    """A tag, its attributes, its children, the line where it starts and the bytes from there to its end."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    size: int = 0

    def all(self, tag: str) -> Iterator[Element]:
        """Children with a tag."""
        return (child for child in self.children if child.tag == tag)


def parse(data: bytes, file: str, deepest: int = 100) -> Element:
    """Parse the root element; raises `ModelError` with the line for anything that is not plain XML."""
    top = Element("", {}, 0)
    stack = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber, size=-parser.CurrentByteIndex)
        if len(stack) > deepest:
            raise ModelError(f"tags are nested deeper than {deepest}.", "XML", file, element.line)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop().size += parser.CurrentByteIndex

    def doctype(*_args: object) -> None:
        raise ModelError(
            "it has a DOCTYPE, which robot files do not need and which can do harm. Remove that line.",
            "XML", file, parser.CurrentLineNumber,
        )  # fmt: skip

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except ModelError:
        raise
    except expat.ExpatError as error:
        words = expat.ErrorString(error.code)
        raise ModelError(f"not well-formed ({words}, column {error.offset}).", "XML", file, error.lineno) from None
    except (ValueError, LookupError) as error:
        raise ModelError(f"cannot be decoded ({error}). Save it as UTF-8.", "XML", file) from None
    return top.children[0]
