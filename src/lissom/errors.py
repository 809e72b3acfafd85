"""Every exception lissom raises on purpose, and its warnings.

A message states what happened, where, what was expected and what to do. Catch
`LissomError` to catch them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

# What a terminal obeys instead of showing it, what turns the direction of writing, and what no encoding has.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """Text that can be printed safely: control characters are escaped.

    Examples
    --------
    >>> print(printable("red: \\x1b[31m"))
    red: \\x1b[31m
    """
    return CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


class LissomError(Exception):
    """Base class of all errors raised by lissom; control characters in its message are written out."""

    def __str__(self) -> str:
        return printable(self._sentence)

    @property
    def _sentence(self) -> str:
        """The message without escapes."""
        return super().__str__()


class ModelError(LissomError, ValueError):
    """A description of an arm that cannot be physical, or a file that cannot be understood.

    Parameters
    ----------
    problem : str
        The message: value, expectation, fix.
    subject : str
        What the message is about, e.g. ``link 'forearm'``.
    file, line : str, int or None
        Where it was read, when it came from a file.
    """

    def __init__(self, problem: str, subject: str = "", file: str = "", line: int | None = None):
        super().__init__(problem, subject, file, line)
        self.problem, self.subject, self.file, self.line = problem, subject, file, line

    @property
    def _sentence(self) -> str:
        """The message: place, subject and problem."""
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        head = " ".join(part for part in (place, self.subject) if part)
        return f"{head}: {self.problem}" if head else self.problem


class InputError(LissomError, ValueError):
    """An argument of a public function has the wrong shape, type or value."""


class EntryError(InputError):
    """An entry of one of several tables is wrong; `place` has the names of the table and of the entry."""

    def __init__(self, verb: str, subject: str, problem: str, place: tuple[str, str]):
        super().__init__(": ".join(part for part in (verb, subject, problem) if part))
        self.subject, self.problem, self.place = subject, problem, place


class KeywordError(InputError, TypeError):
    """An unknown keyword argument; also a `TypeError`, as Python raises."""


class UnsupportedError(LissomError, NotImplementedError):
    """A valid request that is not supported; the message names what is."""


class SolveError(LissomError, RuntimeError):
    """A numerical solver did not converge; `result` holds its last result."""

    def __init__(self, message: str, result: Any = None):
        super().__init__(message, result)
        self.result = result

    @property
    def _sentence(self) -> str:
        """The message, without the result."""
        return str(self.args[0])


class IndefiniteInertia(UserWarning):
    """An inertia matrix that is not positive definite: equations were truncated, and deflections are not small."""


class LargeDeflection(UserWarning):
    """A flexible link deflects beyond the range of small-deflection modes: results lose accuracy."""


class OutsideLimits(UserWarning):
    """A simulation begins with a joint outside its position limits, or with an angle that looks like degrees."""


class RoughPath(UserWarning):
    """A path with a corner, where its velocity jumps: no arm follows it exactly."""


class UnstableLoop(UserWarning):
    """Feedback makes the arm unstable at the start of a simulation: small errors grow many times until its end."""


class SimulationError(SolveError):
    """A simulation ended early; `run` holds what was computed until then."""

    @property
    def run(self) -> Any:
        """The run up to the last good state."""
        return self.result


class MotionError(SolveError):
    """No motion was found for a task; `motion` holds where the search ended."""

    @property
    def motion(self) -> Any:
        """The last motion of the search."""
        return self.result


class WorkerLost(LissomError, RuntimeError):
    """A job was not done: the processes that worked on it ended, or all workers are gone."""


class StudyError(SolveError):
    """A study ended early; `result` holds the rows that are done."""


# ---- raised and caught inside a room -------------------------------------------------------------


class PlacedError(ModelError):
    """A `ModelError` with the table that it came from; readers turn it into one with a file and a line."""

    path: tuple[str | int, ...] = ()


class DependentShapes(ModelError):
    """Shapes of a beam are numerically dependent."""


class DivergedError(SolveError):
    """A state of a simulation grew beyond all bounds."""

    outcome = "diverged"


class CollapsedError(SolveError):
    """Steps of a simulation became too short to advance."""

    outcome = "collapsed"


class RunStopped(Exception):
    """An event ends a simulation; the message says which."""


class NoSpeed(Exception):
    """No speed at a grid point lets the arm reach the end at rest, or 0 is not among those at the first one."""

    def __init__(self, point: int) -> None:
        super().__init__(point)
        self.point = point


class OutOfTimeError(Exception):
    """The time of a search ended before its functions were compiled."""


class NoSuchPath(InputError):
    """A path into a record leads to nothing."""


class NoSuchOutput(InputError):
    """The requested output of a study does not exist in the result of any row."""


class NotStackable(Exception):
    """Values cannot be stacked into one array."""


class Unreadable(Exception):
    """A mesh cannot be shown; the message says why."""


class Unfinished(LissomError):
    """A command has printed and written what it could, and that is not all; `interrupted`: by Ctrl-C."""

    def __init__(self, message: str, interrupted: bool = False):
        super().__init__(message)
        self.exit_code = 130 if interrupted else 1


# ---- sentences -----------------------------------------------------------------------------------


@contextmanager
def about(subject: str) -> Iterator[None]:
    """Context that puts `subject` before the subject of a `ModelError` raised inside."""
    try:
        yield
    except ModelError as error:
        if not error.subject.startswith(subject):
            error.subject = f"{subject} {error.subject}".strip()
            error.args = (error.problem, error.subject, error.file, error.line)
        raise


def shown(value: Any) -> str:
    """A value as it appears in an error: short, on one line."""
    try:
        words = " ".join(repr(value).split())
    except RecursionError:
        return f"a deeply nested {type(value).__name__}"
    return words if len(words) <= 60 else words[:57] + "..."


def _closest(word: str, known: list[str], cutoff: float) -> list[str]:
    import difflib  # only when something went wrong

    return difflib.get_close_matches(word, known, n=1, cutoff=cutoff)


@lru_cache(maxsize=1000)  # files repeat themselves
def misspelt(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that `word` most likely misspells, or None."""
    if len(word) > 2 * max(map(len, known), default=0):
        return None
    cutoff = 0.8 if len(word) > 5 else 0.7  # one slip is a larger part of a short word
    near = _closest(word, list(known), cutoff)
    return near[0] if near else None


def listed(names: Iterable[str], most: int) -> str:
    """The first names, and how many more there are.

    Examples
    --------
    >>> listed("abcde", 3), listed("abc", 3)
    ('a, b, c and 2 more', 'a, b, c')
    """
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def differing(these: Sequence[str], those: Sequence[str], one: str, other: str, most: int = 8) -> str:
    """Where two lists of names, of things called `one` and `other`, differ: the names that only one of them has.

    Examples
    --------
    >>> differing(["turn", "lift"], ["turn", "wrist"], "arm 'a'", "arm 'b'")
    "only arm 'a' has lift; only arm 'b' has wrist"
    >>> differing(["turn", "lift"], ["lift", "turn"], "arm 'a'", "arm 'b'")
    "the same names in another order: arm 'a' has turn first, arm 'b' has lift"
    """
    parts = [
        f"only {whose} has {listed(names, most)}"
        for whose, names in (
            (one, [name for name in these if name not in those]),
            (other, [name for name in those if name not in these]),
        )
        if names
    ]
    if parts:
        return "; ".join(parts)
    k = next(k for k, (a, b) in enumerate(zip(these, those, strict=True)) if a != b)
    return f"the same names in another order: {one} has {these[k]} {_place(k)}, {other} has {those[k]}"


def _place(k: int) -> str:
    return "first" if k == 0 else f"in place {k + 1}"


def suggest(word: str, known: Iterable[str], most: int = 12) -> str:
    """``did you mean 'x'?`` when a known word is close or begins with it, else a list of `most` known words."""
    known = list(known)
    begun = [whole for whole in known if len(word) > 1 and whole.startswith(word)]
    near = _closest(str(word), known, 0.6) or (begun if len(begun) == 1 else []) or _in_small_letters(word, known)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {listed(known, most)}." if known else "there are none."


def _in_small_letters(word: str, known: list[str]) -> list[str]:
    """Return the known word that is closest where capitals do not count; a list, empty without one."""
    small = {name.lower(): name for name in reversed(known)}
    return [small[name] for name in _closest(str(word).lower(), list(small), 0.6)]


def install_extra(extra: str) -> str:
    """Return the command that brings an optional package, as it works in a clone."""
    return f"pip install '.[{extra}]' in your clone of lissom"
