"""Loads and base motion of a call as inputs of compiled functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.dynamics.stations import on_frame
from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_frame
from lissom.model.loads import BaseMotion, Load
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.model.arm import Arm

Loads = Sequence[Load]
NO_LOADS: Loads = ()


class Applied(NamedTuple):
    """Loads, base motion, formulation and threads of a call, as the caller gave them."""

    loads: Any = NO_LOADS
    base: Any = None
    method: Any = None
    threads: Any = None


NOTHING = Applied()


class LoadInputs(NamedTuple):
    """What acts in a call, and its values, (..., 9) for the base and for every load."""

    acting: Acting
    values: list[Any]


def load_inputs(arm: Arm, name: str, loads: Any, base: Any) -> LoadInputs:
    """Loads and base motion as arguments of compiled functions; raises InputError if they are invalid."""
    found = [] if loads is NO_LOADS else as_loads(arm, loads, name)
    values: list[Any] = []
    if base is not None:
        if not isinstance(base, BaseMotion):
            raise InputError(f"{name}: base is {shown(base)}; expected BaseMotion(...).")
        values.append(_joined(base.angular_velocity, base.angular_acceleration, base.linear_acceleration))
    values += [_joined(load.force, load.moment, load.point) for _, load in found]
    return LoadInputs(Acting(tuple(frame for frame, _ in found), base is not None), values)


def as_loads(arm: Arm, loads: Any, name: str, what: str = "loads") -> list[tuple[str, Load]]:
    """Loads and their frames; raises InputError, which calls them `what`, if they are invalid."""
    if isinstance(loads, Load | str) or not isinstance(loads, Iterable):
        raise InputError(f"{name}: {what} is {shown(loads)}; expected a list of Load(link, force=..., ...).")
    loads = list(loads)
    for load in loads:
        if not isinstance(load, Load):
            raise InputError(f"{name}: {what} has {shown(load)}; expected Load(link, force=..., ...).")
        as_frame(arm, load.link, name)
    return [on_frame(arm, load, name) for load in loads]


def _joined(*parts: Array) -> Any:
    """Vectors (..., 3) concatenated, batches broadcast; large batches stay views until used."""
    if all(part.ndim == 1 for part in parts):
        return np.concatenate(parts)
    from lissom.engine.blocks import ROOM, Joined

    joined = Joined(parts)
    return joined if joined.nbytes > ROOM else joined.whole()
