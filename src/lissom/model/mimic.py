"""Joints that follow others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lissom.errors import ModelError, about
from lissom.model.fields import name, number
from lissom.model.record import Record


@dataclass(frozen=True, eq=False)
class Mimic(Record):
    """A joint that follows another: its position is ``multiplier * q[joint] + offset``.

    It has no coordinate of its own. The joint that it follows may be a mimic joint too.

    Parameters
    ----------
    joint : str            name of the joint that it follows
    multiplier : float     how far it moves, per unit of the joint that it follows
    offset : float         where it is when the joint that it follows is at zero [rad or m]
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        with about("mimic"):
            self._check(joint=name, multiplier=number, offset=number)

    def through(self, above: Mimic) -> Mimic:
        """The combined mimic of a joint that follows, by this one, a joint that follows another by `above`."""
        m = self.multiplier
        return Mimic(above.joint, m * above.multiplier, m * above.offset + self.offset)


def resolved(mimics: Mapping[str, Mimic]) -> Mapping[str, Mimic]:
    """The mimics of joints by name, each to the joint that it follows in the end; an error for a cycle."""
    found: dict[str, Mimic] = {}
    for joint in mimics:
        for follower in reversed(_chain(mimics, found, joint)):
            mimic = mimics[follower]
            with about(f"joint {follower!r}"):
                found[follower] = mimic.through(found[mimic.joint]) if mimic.joint in found else mimic
    return MappingProxyType(found)


def _chain(mimics: Mapping[str, Mimic], found: Mapping[str, Mimic], joint: str) -> list[str]:
    """A mimic joint, the joint that it follows, and so on, up to a resolved one."""
    chain: dict[str, None] = {}
    while joint in mimics and joint not in found:
        if joint in chain:
            ring = list(chain)[list(chain).index(joint) :]
            names = ", ".join(repr(word) for word in mimics if word in ring)
            raise ModelError(f"the joints {names} mimic each other in a cycle; one of them must be independent.",
                             "mimic")  # fmt: skip
        chain[joint] = None
        joint = mimics[joint].joint
    return list(chain)
