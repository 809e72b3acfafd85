"""From a public function's arguments to a compiled function of the arm.

A verb is given by its name, as the public functions know themselves; the registry is imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.function import check_count
from lissom.errors import UnsupportedError
from lissom.kernels.arguments import as_arm
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.loads import NOTHING, Applied
from lissom.kernels.tree_call import tree_call

if TYPE_CHECKING:
    from lissom.kernels.verb import Verb
    from lissom.model.arm import Arm


def first(arm: Any, name: str) -> Any:
    """Compile a function, and store its one-state entry where the next call finds it."""
    closed = _closed(arm, name) if as_arm(arm, name).loops else None
    entry = functions_of(arm).get(name).one if closed is None else lambda *state: closed(arm, state)
    setattr(cache_of(arm).one, name, entry)
    return entry


def first_into(arm: Any, name: str) -> Any:
    """Store the entry ``entry(*state, out)`` of a function for the next call; several results are one tuple."""
    closed = _closed(arm, name) if as_arm(arm, name).loops else None
    entries = cache_of(arm).into
    if not hasattr(entries, name):
        own = None if closed is None else lambda *arrays: closed(arm, arrays[:-1], out=arrays[-1])
        setattr(entries, name, own or functions_of(arm).get(name).into)
    return getattr(entries, name)


def _closed(arm: Arm, name: str) -> Any:
    """The function of the closed arm, None where that of its tree serves; raises an error where there is neither."""
    from lissom.kernels import closed_loops
    from lissom.kernels.verb import Refused
    from lissom.kernels.verbs import VERBS

    covers = VERBS[name].loops
    if isinstance(covers, Refused):
        raise UnsupportedError(f"{name}: arm {arm.name!r} has closed loops; {covers.because}.")
    if covers != "closed":
        return None
    found = getattr(closed_loops, name)

    def checked(arm: Arm, state: Sequence[ArrayLike], *rest: Any, **more: Any) -> Any:
        check_count(name, VERBS[name].arguments, state)
        return found(arm, state, *rest, **more)

    return checked


def call(
    arm: Any, name: str, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None, dtype: Any = None
) -> Any:
    """Call a function of the arm, that of the closed arm where it has loops; dtype None: in double precision."""
    if dtype is not None:
        from lissom.kernels.precision import as_dtype, call_single

        if as_dtype(dtype, name) == np.float32:
            return call_single(arm, name, state, applied, out)
    if as_arm(arm, name).loops:
        closed = _closed(arm, name)
        if closed is not None:
            return closed(arm, state, applied, out)
    elif out is not None and all(given is default for given, default in zip(applied, NOTHING, strict=True)):
        first_into(arm, name)(*state, out)
        return out
    return tree_call(arm, name, state, applied, out)


def call_few(arm: Arm, verb: Verb, state: Sequence[ArrayLike], applied: Applied = NOTHING) -> Any:
    """Call a function for some hundred states at most: on a tape, so that nothing is compiled for this arm alone."""
    from lissom.kernels.functions import compiler_present

    if arm.loops:
        return call(arm, verb.name, state, applied)
    return tree_call(arm, verb.name, state, applied, backend="tape" if compiler_present() else None)
