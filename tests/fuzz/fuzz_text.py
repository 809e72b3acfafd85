"""Broken text: mutants of TOML, XML, tables and anything else that is made of words, numbers and lines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, str], str]

HUGE = "9" * 400
ODD_NUMBERS = (
    "nan", "-nan", "inf", "-inf", "1e400", "1e308", "-1e308", "-1", "0", "-0", "-0.0", "1", "2", HUGE, "9" * 5000,
    "1e-320", "1e-200", "1e29", "-1e29", "1e300", "0x1F", "1_000", "1000000000000", "9223372036854775807", "2147483648",
    "true", "\u0661\u0662", "1,5", "1.5.2", "", " ", "text",
)  # fmt: skip
ODD_TOML = (
    *ODD_NUMBERS, '"text"', '""', "false", "[]", "{}", "[1.0, 2.0]", "[[1.0, [2.0]], 3.0]", "[[1.0, 2.0], [3.0, 4.0]]",
    "[nan, 1.0, 2.0]", '["a", "b", "c"]', "[true, false, true]", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z",
    "[[[[[[1]]]]]]", "{ a = { b = { c = 1 } } }", "[[], []]", "[{}, {}]", f"[{HUGE}, 1, 2]", '"\\u0000"',
    '"../../x.toml"',     '"line\\nbreak"', "[inf, inf]", "[-inf, inf]",
    "[0.0, 0.0]", "[0.0, 0.0, 0.0, 0.0]", '"/dev/zero"', '"\U0001f600"',
    "[" + "1.0, " * 3000 + "1.0]", "'''\n'''", '"' + "\u0301" * 300 + '"',
)  # fmt: skip
ODD_XML = (
    *ODD_NUMBERS, "0 0", "0 0 0", "1 2 3 4", "1,2,3", "nan nan nan", "inf 0 0", "1e-320 0 0", "1e29 1e29 1e29",
    "${x}", "&#10;", "&lt;", "&#0;", "&#x1F600;", "world", "arm", "shoulder", "floating", "planar", "fixed",
    "continuous", "1e-9 1e-9 1e-9", "infinity", "+.5e1", "/dev/zero", "../../../etc/passwd", "http://localhost:1/x.stl",
    "hinge", "free", "0 " * 3000,
)  # fmt: skip
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
WORD = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r'"[^"\n]*"')
TOML_VALUE = re.compile(r"(?<== )[^\n,}]+")
BRACKETED = re.compile(r"\[[^\[\]\n]*\]|<[^<>\n]*>")
CELL = re.compile(r"[^,\n]+")
MARKS = "[]{}\"=#<>/&.,;%\n\r\t\\ '\u00e4\u2028\u0085\x00\x0b\x1a\x7f\ufeff\u202e\ud7ff"


def replaced(pattern: re.Pattern[str], new: Callable[[random.Random, str], str]) -> Mutation:
    """One match of a pattern becomes something else."""

    def mutate(rng: random.Random, text: str) -> str:
        matches = list(pattern.finditer(text))
        if not matches:
            return text
        hit = rng.choice(matches)
        return text[: hit.start()] + new(rng, hit.group()) + text[hit.end() :]

    return mutate


def swapped(pattern: re.Pattern[str]) -> Mutation:
    """Two matches of a pattern change places."""

    def mutate(rng: random.Random, text: str) -> str:
        matches = list(pattern.finditer(text))
        if len(matches) < 2:
            return text
        a, b = sorted(rng.sample(matches, 2), key=lambda hit: hit.start())
        return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]

    return mutate


def one_of(choices: Sequence[str]) -> Callable[[random.Random, str], str]:
    return lambda rng, _: rng.choice(choices)


def quoted_one_of(choices: Sequence[str]) -> Callable[[random.Random, str], str]:
    return lambda rng, _: f'"{rng.choice(choices)}"'


def renamed(rng: random.Random, word: str) -> str:
    """A slip of the finger: a letter lost, doubled, changed, or all of them turned around."""
    i = rng.randrange(len(word))
    slips = (
        word[:i] + word[i + 1 :],
        word[: i + 1] + word[i:],
        word[:i] + "q" + word[i + 1 :],
        word[::-1],
        word.upper(),
    )
    return rng.choice(slips)


def lines_edited(rng: random.Random, text: str) -> str:
    """A block of lines is repeated, lost, moved, or repeated many times."""
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    j = min(len(lines), i + rng.choice((1, 1, 1, 2, 5, 12)))
    block, k = lines[i:j], rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        return "\n".join(lines[:k] + block + lines[k:])
    if kind == 1:
        return "\n".join(lines[:i] + lines[j:])
    if kind == 2:
        rest = lines[:i] + lines[j:]
        return "\n".join(rest[:k] + block + rest[k:])
    return "\n".join(lines[:j] + block * rng.choice((1, 3, 40)) + lines[j:])


def truncated(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def letters_edited(rng: random.Random, text: str) -> str:
    """A run of letters is lost, repeated, or overwritten with marks that mean something."""
    i = rng.randrange(len(text) + 1)
    j = min(len(text), i + rng.choice((1, 1, 2, 8, 60)))
    new = rng.choice(("", text[i:j] * 2, rng.choice(MARKS), rng.choice(MARKS)))
    return text[:i] + new + text[j:]


def nested(rng: random.Random, text: str) -> str:
    """A value or tag goes several levels deeper, or very many."""
    depth = rng.choice((1, 2, 30, 30, 2000))

    def deeper(_: random.Random, word: str) -> str:
        if word.startswith("<"):
            return "<a>" * depth + word + "</a>" * depth
        return "[" * depth + word + "]" * depth

    return replaced(BRACKETED, deeper)(rng, text)


SHARED: tuple[Mutation, ...] = (
    lines_edited, lines_edited, truncated, letters_edited, nested, replaced(WORD, renamed), swapped(WORD),
    swapped(NUMBER), swapped(QUOTED), swapped(BRACKETED),
)  # fmt: skip
TOML: tuple[Mutation, ...] = (
    *SHARED, replaced(NUMBER, one_of(ODD_TOML)), replaced(NUMBER, one_of(ODD_TOML)),
    replaced(TOML_VALUE, one_of(ODD_TOML)), replaced(TOML_VALUE, one_of(ODD_TOML)),
    replaced(BRACKETED, one_of(ODD_TOML)), swapped(TOML_VALUE),
)  # fmt: skip
XML: tuple[Mutation, ...] = (
    *SHARED, replaced(NUMBER, one_of(ODD_XML)), replaced(QUOTED, quoted_one_of(ODD_XML)),
    replaced(QUOTED, quoted_one_of(ODD_XML)), replaced(QUOTED, quoted_one_of(ODD_XML)),
    swapped(re.compile(r"<(?:link|joint|body|geom)\b[^>]*>")),
)  # fmt: skip
TABLE: tuple[Mutation, ...] = (
    lines_edited, lines_edited, truncated, letters_edited, replaced(CELL, one_of(ODD_NUMBERS)),
    replaced(NUMBER, one_of(ODD_NUMBERS)), replaced(NUMBER, one_of(ODD_NUMBERS)), swapped(CELL), swapped(NUMBER),
    replaced(WORD, renamed), swapped(WORD),
)  # fmt: skip


def broken_text(rng: random.Random, text: str, others: Sequence[str], mutations: Sequence[Mutation]) -> str:
    """One to four mutations, sometimes of a text whose second half is another's."""
    if others and rng.random() < 0.05:
        other = rng.choice(others)
        text = text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        text = rng.choice(mutations)(rng, text)
    return text
