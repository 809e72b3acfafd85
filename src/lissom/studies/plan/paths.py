"""Where in a record a number sits, written as ``arm.links.fore.beam.EI[1]``.

Words are fields of records, keys of tables, and names in lists of named things (links, joints, loads); numbers in
brackets count entries; ``*`` is every entry that has what follows. A word with dots or blanks stands in quotes:
``arm.links."link.1".mass``. Records are frozen: `replaced` gives another one, validated anew.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown, suggest
from lissom.model.arm import Arm
from lissom.model.link import Link
from lissom.model.loads import Payload

TOKEN = re.compile(r'\.?(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s."\[\]]+))|\[(?P<index>[^\[\]]*)\]')
ALL = "*"
LONGEST = 1000  # characters
EXAMPLE = "arm.links.fore.mass"
Change = Callable[[Any], Any]


class NoSuchPath(InputError):
    """A path that leads to nothing."""


class Where(NamedTuple):
    """A path, as it was written and step by step: words, and whole numbers."""

    text: str
    steps: tuple[str | int, ...]

    @classmethod
    def of(cls, text: str) -> Where:
        """Return a path from its text.

        Examples
        --------
        >>> Where.of("arm.links.fore.beam.EI[1]").steps
        ('arm', 'links', 'fore', 'beam', 'EI', 1)
        """
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"a path is {shown(text)}; expected a string such as {EXAMPLE}.")
        if len(text) > LONGEST:
            raise InputError(f"a path has {len(text)} characters; expected at most {LONGEST}.")
        steps: list[str | int] = []
        at = 0
        for token in TOKEN.finditer(text):
            if token.start() != at:
                break
            at = token.end()
            steps.append(_step(token, text))
        if at != len(text) or text.startswith("."):
            raise InputError(f"path {text!r} cannot be parsed at {text[at : at + 12]!r}; expected the form {EXAMPLE}.")
        return cls(text, tuple(steps))

    @property
    def root(self) -> str:
        """The first word of the path."""
        return str(self.steps[0])


def _step(token: re.Match[str], text: str) -> str | int:
    index = token["index"]
    if index is None:
        return token["word"] if token["quoted"] is None else token["quoted"]
    if not re.fullmatch(r"\s*-?\d{1,9}\s*", index):
        raise InputError(f"path {text!r} has [{index}]; expected a whole number in brackets.")
    return int(index)


def refuse_name(name: Any, what: str) -> None:
    """Raise an error for a name that is not short printable text."""
    if not isinstance(name, str) or not name.isprintable() or not name.strip() or len(name) > 120:
        raise InputError(f"{what} is named {shown(name)}; expected a short printable name.")


def found(subject: Any, where: Where) -> list[Any]:
    """Return the values at a path: one, or several where the path has a ``*``."""
    got: list[Any] = []

    def look(value: Any) -> Any:
        got.append(value)
        return value

    replaced(subject, where, look)
    return got


def replaced(subject: Any, where: Where, change: Change) -> Any:
    """Return the subject with the value at the path changed."""
    return _Walk(where, change).through(subject, where.steps, "")


class _Walk:
    """Down a path and back, each record on the way replaced by one with the changed entry."""

    def __init__(self, where: Where, change: Change):
        self.where, self.change = where, change

    def through(self, value: Any, steps: tuple[str | int, ...], so_far: str) -> Any:
        if not steps:
            return self.change(value)
        step, rest = steps[0], steps[1:]
        if isinstance(value, Arm) and step == "joints":
            return self._joints(value, rest, so_far)
        if step == ALL:
            return self._all(value, rest, so_far)
        key = self._key(value, step, so_far)
        inner = _get(value, key)
        if inner is None and rest and isinstance(value, Link) and key == "payload":
            inner = Payload(0.0)  # a link that carries nothing can be given something to carry
        return _put(value, key, self.through(inner, rest, _longer(so_far, step)))

    def _joints(self, arm: Arm, rest: tuple[str | int, ...], so_far: str) -> Arm:
        """Go on at the joints, by name, on the links that they carry."""
        carried = {link.joint.name: i for i, link in enumerate(arm.links) if link.joint.moves}
        joints = {name: arm.links[i].joint for name, i in carried.items()}
        changed = self.through(joints, rest or ("",), _longer(so_far, "joints"))
        links = list(arm.links)
        for name, i in carried.items():
            if changed[name] is not joints[name]:
                links[i] = links[i].replace(joint=changed[name])
        return arm.replace(links=links)

    def _all(self, value: Any, rest: tuple[str | int, ...], so_far: str) -> Any:
        """Go on at every entry that has what follows."""
        hit = False
        for key in _keys(value):
            try:
                new = self.through(_get(value, key), rest, _longer(so_far, key))
            except NoSuchPath:
                continue
            value, hit = _put(value, key, new), True
        if not hit:
            what = ".".join(map(str, rest)) or "a value"
            raise NoSuchPath(f"path {self.where.text!r}: no entry of {so_far or 'it'} has {what}.")
        return value

    def _key(self, value: Any, step: str | int, so_far: str) -> Any:
        """Return the key of a step; raise an error where there is none."""
        if value is None:
            raise self._missing(f"{so_far} is None, so it has no {step!r}. Give it a value first")
        if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
            return self._place(value, step, so_far)
        if isinstance(value, np.ndarray) and value.ndim:
            return self._place(value, step, so_far)
        known = list(value) if isinstance(value, dict) else _fields(value)
        if step in known:
            return step
        if not known:
            raise self._missing(f"{so_far} is {shown(value)}, which has no {step!r}")
        words = [str(word) for word in known]
        what = f"there is no {step!r}" if step != "" else "a name is missing"
        raise self._missing(f"{what} in {so_far or 'the arguments'}; {suggest(str(step), words)}".rstrip("."))

    def _place(self, value: Any, step: str | int, so_far: str) -> int:
        """Return the index of a step in a list, given by number or by name."""
        if isinstance(step, str):
            names = [getattr(item, "name", None) or getattr(item, "link", None) for item in value]
            if step in names:
                return names.index(step)
            known = [name for name in names if isinstance(name, str)]
            raise self._missing(f"there is no {step!r} in {so_far}; {suggest(step, known)}".rstrip("."))
        if not -len(value) <= step < len(value):
            raise self._missing(f"{so_far} has {len(value)} entries, so there is no [{step}]")
        return step % len(value)

    def _missing(self, words: str) -> NoSuchPath:
        return NoSuchPath(f"path {self.where.text!r}: {words}{'' if words.endswith('?') else '.'}")


def _longer(so_far: str, step: Any) -> str:
    if isinstance(step, int):
        return f"{so_far}[{step}]"
    return f"{so_far}.{step}" if so_far else str(step)


def _fields(value: Any) -> list[str]:
    """Return the fields that a record can be given."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [f.name for f in dataclasses.fields(value) if f.init]
    return []


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        return list(range(len(value)))
    return _fields(value)


def _get(value: Any, key: Any) -> Any:
    return getattr(value, key) if dataclasses.is_dataclass(value) else value[key]


def _put(value: Any, key: Any, new: Any) -> Any:
    """Return a copy with another entry."""
    if isinstance(value, dict):
        return value | {key: new}
    if isinstance(value, np.ndarray):
        copy = np.array(value, float)
        copy[key] = new
        return copy
    if isinstance(value, list | tuple):
        items = list(value)
        items[key] = new
        return type(value)(items)
    return dataclasses.replace(value, **{key: new})
