"""Calls of compiled functions of an arm's tree: what is left of a closed arm when its closures are cut.

A verb is given by its name, as the public functions know themselves; the engine is imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_arm, as_threads
from lissom.kernels.cache import functions_of
from lissom.kernels.loads import NO_LOADS, NOTHING, Applied, load_inputs
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.engine.function import Function
    from lissom.model.arm import Arm


def tree_call(
    arm: Any, name: str, state: Sequence[ArrayLike], applied: Applied = NOTHING, out: Any = None,
    backend: str | None = None,
) -> Any:  # fmt: skip
    """Call a function of the open tree that remains when closures are cut; `backend`: see `Functions.get`."""
    functions, (loads, base, method, threads) = functions_of(as_arm(arm, name)), applied
    if method is not None and not isinstance(method, str):
        raise InputError(
            f"{name}: method is {shown(method)}; expected None or a formulation's name, see formulations()."
        )
    if loads is NO_LOADS and base is None:
        return run(functions.get(name, None, backend, method), state, out, threads, name)
    inputs = load_inputs(arm, name, loads, base)
    function = functions.get(name, inputs.acting, backend, method)
    return run(function, (*state, *inputs.values), out, threads, name)


def call_at_point(
    arm: Arm,
    name: str,
    link: str | None,
    point: ArrayLike,
    state: tuple[ArrayLike, ...],
    out: Array | None,
    threads: Any,
) -> Array:
    """Call a kinematic function for a point of a link or tool; None: the end of the arm."""
    frame = as_arm(arm, name).tip_frame if link is None else link
    function, place = functions_of(arm).at_point(name, frame, point)
    return run(function, (*state, place), out, threads, name)


def run(function: Function, arguments: Sequence[ArrayLike], out: Any, threads: Any, name: str) -> Any:
    """Run a compiled function; a single state uses the one-state entry."""
    if out is None and threads is None:
        return function.one(*arguments)
    return function(*arguments, out=out, threads=as_threads(threads, name))
