"""From a public function's arguments to a compiled function of the arm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.bending import on_frame
from lissom.errors import InputError, shown
from lissom.later import importing
from lissom.model.loads import BaseMotion, Load
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm, as_frame, as_threads

if TYPE_CHECKING:
    from lissom.engine.function import Function
    from lissom.model.arm import Arm
    from lissom.verbs.library import Library

Loads = Sequence[Load]
NO_LOADS: Loads = ()


def library_of(arm: Arm) -> Library:
    """The arm's compiled functions; the engine is imported on first use."""
    made: Library | None = arm.__dict__.get("_library")
    if made is None:
        with importing:
            from lissom.verbs.library import library

        made = library(arm)
    return made


def short_lived(arm: Arm) -> Arm:
    """Mark an arm as used for a few calls only, so that no code is compiled for it alone."""
    arm.__dict__["_short_lived"] = True
    return arm


def is_short_lived(arm: Arm) -> bool:
    """Whether an arm was marked by `short_lived`."""
    return "_short_lived" in arm.__dict__


def first(arm: Any, name: str) -> Any:
    """Compile a function, and store its one-state entry where the next call finds it."""
    entry = _looped_entry(arm, name) if as_arm(arm, name).loops else None
    if entry is None:
        entry = library_of(arm).get(name).one
    arm.__dict__[f"_one_{name}"] = entry
    return entry


def _looped_entry(arm: Arm, name: str) -> Any:
    """The one-state entry of an arm with closed loops, None where it is that of the tree."""
    from lissom.verbs.looped import Acting, looped

    function = looped(arm, name)
    return None if function is None else lambda *state: function(arm, state, Acting())


def call(
    arm: Any,
    name: str,
    state: Sequence[ArrayLike],
    *,
    loads: Loads = NO_LOADS,
    base: Any = None,
    method: Any = None,
    out: Any = None,
    threads: Any = None,
) -> Any:
    """Call a function of the arm with any combination of loads, base motion, `out` and `threads`."""
    if as_arm(arm, name).loops:
        from lissom.verbs.looped import Acting, looped

        function = looped(arm, name)
        if function is not None:
            return function(arm, state, Acting(loads, base, method, threads), out)
    elif out is not None and loads is NO_LOADS and base is None and method is None and threads is None:
        return into(arm, name, state, out)
    return tree_call(arm, name, state, loads=loads, base=base, method=method, out=out, threads=threads)


def into(arm: Any, name: str, state: Sequence[ArrayLike], out: Any) -> Any:
    """Call a function without loads and base motion; write its results to `out`, an array or a tuple."""
    if as_arm(arm, name).loops:
        return call(arm, name, state, out=out)
    if isinstance(out, tuple) and len(out) > 1:
        first_into(arm, name)(*state, *out)
    else:
        first_into(arm, name)(*state, out)
    return out


def first_into(arm: Any, name: str) -> Any:
    """Store the entry ``entry(*state, result)`` of a function for the next call; closed loops have none."""
    if as_arm(arm, name).loops:
        return lambda *arrays: call(arm, name, arrays[:-1], out=arrays[-1])
    entry = arm.__dict__.get(f"_into_{name}")
    if entry is None:
        entry = arm.__dict__.setdefault(f"_into_{name}", library_of(arm).get(name).into)
    return entry


def tree_call(
    arm: Any,
    name: str,
    state: Sequence[ArrayLike],
    *,
    loads: Loads = NO_LOADS,
    base: Any = None,
    method: Any = None,
    out: Any = None,
    threads: Any = None,
) -> Any:
    """Call a function of the open tree that remains when closures are cut."""
    known = library_of(as_arm(arm, name))
    if method is not None and not isinstance(method, str):
        raise InputError(
            f"{name}: method is {shown(method)}; expected None or a formulation's name, see formulations()."
        )
    pushed = acting(arm, name, loads, base)
    setting = known.setting(pushed.frames, base is not None) if pushed.values else None
    function = known.get(name, setting, method=method)
    return run(function, (*state, *pushed.values), out, threads, name)


class Pushed(NamedTuple):
    """Loads and base motion: frames of the loads, and (..., 9) for the base and for every load."""

    frames: list[str]
    values: list[Any]


def acting(arm: Arm, name: str, loads: Any, base: Any) -> Pushed:
    """Loads and base motion as arguments of compiled functions; raises InputError if they are invalid."""
    pushes = [] if loads is NO_LOADS else as_loads(arm, loads, name)
    extra: list[Any] = []
    if base is not None:
        if not isinstance(base, BaseMotion):
            raise InputError(f"{name}: base is {shown(base)}; expected BaseMotion(...).")
        extra.append(_joined(base.angular_velocity, base.angular_acceleration, base.linear_acceleration))
    extra += [_joined(load.force, load.moment, load.point) for _, load in pushes]
    return Pushed([frame for frame, _ in pushes], extra)


def run(function: Function, arguments: Sequence[ArrayLike], out: Any, threads: Any, name: str) -> Any:
    """Run a compiled function; a single state uses the one-state entry."""
    if out is None and threads is None:
        return function.one(*arguments)
    return function(*arguments, out=out, threads=as_threads(threads, name))


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
