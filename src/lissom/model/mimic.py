"""Joints that follow others."""

from __future__ import annotations

from dataclasses import dataclass

from lissom.errors import about
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
            self._set(joint=name(self.joint, "joint"))
            self._set(multiplier=number(self.multiplier, "multiplier"))
            self._set(offset=number(self.offset, "offset"))
