"""Calls in single precision: which functions have it, and their refusals by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError, shown
from lissom.kernels.arguments import as_arm, as_threads
from lissom.kernels.cache import functions_of
from lissom.kernels.loads import Applied, load_inputs

if TYPE_CHECKING:
    from lissom.dynamics.acting import Acting
    from lissom.kernels.single import SingleFunction
    from lissom.model.arm import Arm


def as_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    """The data type; raises InputError, which begins with `name`, for others than float64 and float32."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if dtype is None or found not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise InputError(f"{name}: dtype is {shown(dtype)}; expected float (the default) or numpy.float32.")
    return found


def single_function(arm: Arm, name: str, caller: str, acting: Acting | None = None) -> SingleFunction:
    """A function in single precision; raises UnsupportedError, which begins with `caller`, where there is none."""
    from lissom.kernels.verbs import VERBS

    verb, label = VERBS[name], name if caller == name else f"{caller}: {name}"
    if not verb.single:
        known = ", ".join(x for x in VERBS if VERBS[x].single)
        raise UnsupportedError(
            f"{label} is not available in single precision, where it may lose too many digits; available are {known}. "
            "Use dtype=float."
        )
    if arm.loops and verb.loops != "tree":
        raise UnsupportedError(
            f"{label} of arm {arm.name!r}, which has closed loops, is not available in single precision. Use "
            "dtype=float, or arm.replace(loops=()) for the open tree."
        )
    return functions_of(arm).single(verb, acting)


def call_single(arm: Any, name: str, state: Sequence[ArrayLike], applied: Applied, out: Any) -> Any:
    """Call a function of the arm in single precision; results are float32 arrays."""
    if applied.method is not None:
        raise UnsupportedError(f"{name}: method={applied.method!r} has no single precision; leave out method or dtype.")
    inputs = load_inputs(as_arm(arm, name), name, applied.loads, applied.base)
    function = single_function(arm, name, name, inputs.acting)
    threads = None if applied.threads is None else as_threads(applied.threads, name)
    if out is None:
        return function(*state, *inputs.values, threads=threads)
    function.into(*state, *inputs.values, out, threads=threads)
    return out
