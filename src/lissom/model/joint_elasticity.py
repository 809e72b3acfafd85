"""Elastic joints: a spring between motor and link."""

from __future__ import annotations

from dataclasses import dataclass

from lissom.errors import about
from lissom.model.fields import above_zero, at_least_zero
from lissom.model.record import Record


@dataclass(frozen=True, eq=False)
class JointElasticity(Record):
    """The spring between motor side and link side of an elastic joint.

    The joint then has two coordinates: its position on the motor side, and the
    deflection of the spring (link side minus motor side), zero when unloaded.

    Parameters
    ----------
    stiffness : float     [N m/rad or N/m], more than zero
    damping : float       [N m s/rad or N s/m] of the spring
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        with about("elastic joint"):
            self._check(stiffness=above_zero, damping=at_least_zero)
