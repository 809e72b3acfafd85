"""Names of an arm as identifiers and comments of C."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from lissom.errors import InputError, shown

# words of C99 and of C++, where the files compile as well, and a prefix of what is inside the files
RESERVED = frozenset((
    "alignas", "alignof", "and", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "const", "constexpr", "continue", "decltype", "default", "delete", "do", "double", "else",
    "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or", "private", "protected",
    "public", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "while", "xor", "main", "math", "step",
))  # fmt: skip
LONGEST = 60
TEST = "_test"  # how the name of a test program ends


def identifier(words: str) -> str:
    """A C identifier made from a name.

    Examples
    --------
    >>> identifier("two-link arm"), identifier("6R (späte)"), identifier("float"), identifier("a test")
    ('two_link_arm', 'arm_6R_spate', 'arm_float', 'a_test_arm')
    """
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_")[:LONGEST].rstrip("_")
    if not name:
        return "arm"
    if name.lower().endswith(TEST):  # its source would be the test program of another
        name = f"{name[: LONGEST - 4]}_arm"
    return f"arm_{name}" if name[0].isdigit() or name in RESERVED else name


def as_identifier(name: Any, verb: str) -> str:
    """A validated identifier; raises InputError if it is invalid."""
    if not isinstance(name, str) or identifier(name) != name:
        better = f", for example {identifier(name)!r}" if isinstance(name, str) else ""
        raise InputError(
            f"{verb}: name is {shown(name)}; expected a C identifier of at most {LONGEST} letters, digits and inner "
            f"underscores, not a C keyword and not ending in {TEST}{better}."
        )
    return name


def distinct(names: list[str]) -> list[str]:
    """The names, with numbers appended to repeated ones.

    Examples
    --------
    >>> distinct(["load_a", "load_b", "load_a"])
    ['load_a', 'load_b', 'load_a_2']
    """
    out: list[str] = []
    for name in names:
        new, k = name, 2
        while new in out:
            new, k = f"{name}_{k}", k + 1
        out.append(new)
    return out


def comment(words: str) -> str:
    """Text that is safe inside a C comment: ASCII, on one line, without end marks.

    Examples
    --------
    >>> comment("arm */ of\\nsteel")
    'arm * / of steel'
    """
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "replace").decode()
    text = " ".join("".join(x if x.isprintable() else " " for x in plain).split())
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace("\\", "/")
