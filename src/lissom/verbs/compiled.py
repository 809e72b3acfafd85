"""Functions bound to an arm, for loops that call one of them again and again."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lissom.engine.function import check_count, check_out
from lissom.errors import InputError, shown, suggest
from lissom.kernels.arguments import as_arm
from lissom.kernels.cache import functions_of
from lissom.kernels.call import first, first_into
from lissom.kernels.precision import as_dtype, single_function
from lissom.model.arm import Arm
from lissom.verbs import dynamics, energy, kinematics, reactions, sensitivity

PUBLIC: dict[str, Callable[..., Any]] = {
    name: function
    for module in (dynamics, sensitivity, energy, reactions, kinematics)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
}


class CompiledFunction(functools.partial[Any]):
    """A public function bound to an arm, see `compiled`.

    Attributes
    ----------
    arm : Arm
    name : str                      of the public function
    into : callable                 ``into(*state, out)`` computes into given arrays and returns None
    dtype : numpy.dtype             of its results
    """

    arm: Arm
    name: str
    into: Callable[..., None]
    dtype: np.dtype[Any]

    def __repr__(self) -> str:
        return f"<{self.name} of arm {self.arm.name!r}, {self.dtype}>"

    def __reduce__(self) -> Any:
        return compiled, (self.arm, self.name, self.dtype)


def compiled(arm: Arm, verb: str, dtype: DTypeLike = float) -> CompiledFunction:
    """A function of dynamics bound to an arm, compiled, with the least overhead per call.

    ``f = compiled(arm, "inverse_dynamics")`` gives the same numbers as ``inverse_dynamics(arm, ...)``, for one state or
    a batch, and the same errors; it has no options (loads, base motion, threads) and takes its arguments by their
    order, not by keywords. ``f.into(q, qd, qdd, out)`` writes the result to an existing array. Single states in float64
    arrays go straight to machine code; other types are converted, which costs some ten microseconds.

    Parameters
    ----------
    arm : Arm
    verb : str                      name of a public function of an arm and its state, such as ``"mass_matrix"``
    dtype : data type               float (the default), or ``numpy.float32`` for single precision: results are float32
                                    arrays, and a batch is computed eight states at a time. `inverse_dynamics`, its
                                    gradient, `mass_matrix`, `bias_forces`, `gravity_forces`, `coriolis_matrix` have it

    Returns
    -------
    CompiledFunction
        ``f(*state)`` returns what the public function returns; ``f.into(*state, out)`` writes that to `out`, an array,
        or a tuple of arrays where the function has several results

    Examples
    --------
    >>> import lissom as ls
    >>> import numpy as np
    >>> f = ls.compiled(ls.load("two_link"), "inverse_dynamics")
    >>> q, tau = np.zeros(2), np.empty(2)
    >>> f(q, q, q).round(4)
    array([3.9225, 0.9806])
    >>> f.into(q, q, q, tau)
    >>> tau.round(4)
    array([3.9225, 0.9806])
    """
    name, kind = _checked(as_arm(arm, "compiled"), verb), as_dtype(dtype, "compiled")
    public = PUBLIC[name]
    if kind == np.float32:
        function = single_function(arm, name, "compiled")
        made = CompiledFunction(function)
        made.into = function.into
    elif "out" in inspect.signature(public).parameters:
        made = CompiledFunction(first(arm, name))
        made.into = first_into(arm, name)
        if not arm.loops:
            functions_of(arm).get(name).prepare()
    else:  # it is computed from the result of the compiled one
        made = CompiledFunction(public, arm)
        made.into = functools.partial(_into, arm, name)
    made.arm, made.name, made.dtype = arm, name, kind
    return made


def _into(arm: Arm, name: str, *arrays: Any) -> None:
    """Write the result of a public function to the last argument."""
    from lissom.kernels.verbs import VERBS

    check_count(name, (*VERBS[name].arguments, "out"), arrays)
    found = np.asarray(PUBLIC[name](arm, *arrays[:-1]))
    [out] = check_out(name, (arrays[-1],), [found.shape])
    out[...] = found


def _checked(arm: Arm, verb: Any) -> str:
    """The name of a function that can be bound; raises InputError for others."""
    from lissom.kernels.verbs import VERBS

    known = [name for name, entry in VERBS.items() if name in PUBLIC and not entry.frame]
    if not isinstance(verb, str):
        raise InputError(f"compiled: verb is {shown(verb)}; expected the name of a function, such as {known[0]!r}.")
    if verb in VERBS and VERBS[verb].frame:
        raise InputError(f"compiled: {verb} is about a frame of the arm and cannot be bound; call lissom.{verb}.")
    if verb not in known:
        raise InputError(f"compiled: there is no function {verb!r} of an arm and its state; {suggest(verb, known)}")
    return verb
