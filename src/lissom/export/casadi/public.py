"""`casadi_function`: an arm's functions for optimisation with casadi."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.c99 import Real
from lissom.errors import InputError, UnsupportedError, shown, suggest
from lissom.export.export_c import EXPORTED
from lissom.export.functions import Request
from lissom.kernels.arguments import as_arm, as_frame, as_points
from lissom.kernels.cache import cache_of
from lissom.kernels.verb import Refused, Verb
from lissom.kernels.verbs import FORWARD_DYNAMICS, INVERSE_DYNAMICS, VERBS
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.ends import only_end, tip_frame
from lissom.verbs.kinematics import ORIGIN

NAME = "casadi_function"
NO_LOADS = "loads and base motion cannot be inputs here; give constant loads to the arm: Arm(loads=...)."
COMPILED = (INVERSE_DYNAMICS.name, FORWARD_DYNAMICS.name)
OFFERED = tuple(name for name in EXPORTED if not VERBS[name].composed_of and "gradient" not in name)


@without_unknown
def casadi_function(
    arm: Arm,
    verb: str,
    *,
    expand: bool | None = None,
    samples: int = 1,
    frame: str | None = None,
    point: ArrayLike = ORIGIN,
    **unknown: Never,
) -> Any:
    """Return a function of an arm as a `casadi.Function` with exact derivatives, for `casadi.Opti` and solvers.

    `inverse_dynamics` and `forward_dynamics` run lissom's compiled code, for values and for first and second
    derivatives. All functions are there as expressions too: casadi then sees every operation, which can be
    differentiated any number of times and written as C.

    Compiled functions stay in memory until the process ends, as casadi's expressions need them, and the same request
    gives the same function. States for which lissom has no result, such as singular inertia, give NaN: solvers then
    take a shorter step.

    Parameters
    ----------
    arm : Arm                     flexible links included; friction, payload and its own loads are part of the function
    verb : str                    "inverse_dynamics", "forward_dynamics", and as expressions only "mass_matrix",
                                  "bias_forces", "gravity_forces", "coriolis_matrix", "joint_reactions", "regressor",
                                  "kinetic_energy", "potential_energy", "momentum", "poses", "pose", "jacobian",
                                  "velocity", "acceleration", "inverse_dynamics_product"
    expand : bool or None         True: an expression; False: compiled code; None: compiled where it is available
    samples : int                 number of states, side by side: inputs (dof, samples), one column each. Compiled code
                                  then computes all of them in one call; results are side by side too
    frame : str or None           link or tool of "pose", "jacobian", "velocity", "acceleration"; None: the last one
    point : (3,)                  point in the axes of the frame [m]

    Returns
    -------
    casadi.Function
        Inputs are columns named as in lissom (`q`, `qd`, `qdd` or `tau`), in the same order; results have the shapes of
        lissom's, vectors as columns, and the matrices of "poses" and rows of links stand below each other

    Examples
    --------
    >>> import lissom as ls
    >>> f = ls.casadi_function(ls.load("two_link"), "inverse_dynamics")
    >>> f.name_in(), f.name_out()
    (['q', 'qd', 'qdd'], ['tau'])
    >>> f([0.3, 0.5], [1.0, 2.0], [3.0, 4.0])
    DM([5.13129, 1.64769])
    """
    check_keywords(casadi_function, unknown, {"loads": NO_LOADS, "base": NO_LOADS})
    entry = _entry(as_arm(arm, NAME), verb)
    fast = _compiled(entry, expand)
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise InputError(f"{NAME}: samples is {shown(samples)}; expected a whole number of states, 1 or more.")
    asked = _request(arm, entry, frame, point)
    key = entry.name, fast, int(samples), asked.frame, asked.point
    return cache_of(arm).stored(NAME, key, lambda: _made(arm, entry, fast, int(samples), asked))


def _made(arm: Arm, entry: Verb, fast: bool, samples: int, asked: Request) -> Any:
    if not fast:
        from lissom.export.casadi.expanded import expanded

        function = expanded(arm, entry, asked)
        return function if samples == 1 else function.map(samples)
    from lissom.export.casadi.callbacks import as_function
    from lissom.export.casadi.layers import Layers
    from lissom.export.casadi.smooth import SMOOTH

    layer = Layers(SMOOTH[entry.name](arm), samples).values()
    assert not isinstance(entry.outputs, Refused)
    return as_function(layer, entry.name, entry.arguments, [x.name for x in entry.outputs], arm.dof)


# ---- checks ---------------------------------------------------------------------------------------


def _entry(arm: Arm, verb: Any) -> Verb:
    """The entry of a verb; raises an error where it is not available for the arm."""
    if find_spec("casadi") is None:
        raise UnsupportedError(f"{NAME} needs casadi, which is not installed: pip install casadi.")
    if not isinstance(verb, str):
        raise InputError(f"{NAME}: verb is {shown(verb)}; expected the name of a function, such as {OFFERED[0]!r}.")
    of, _, ending = verb.rpartition("_")
    if of in OFFERED and ending in ("gradient", "hessian"):
        raise UnsupportedError(f"{NAME}: {verb} is not needed; casadi's own jacobian and hessian of {of} are exact.")
    if verb not in OFFERED:
        raise InputError(f"{NAME}: there is no function {verb!r} for casadi; {suggest(verb, OFFERED)}")
    if arm.dof == 0:
        raise UnsupportedError(f"{NAME}: arm {arm.name!r} has no coordinates; there is no function to make.")
    if arm.loops and VERBS[verb].loops != "tree":
        raise UnsupportedError(
            f"{NAME}: arm {arm.name!r} has closed loops, and {verb} of the closed arm is not available for casadi. "
            "mass_matrix, bias_forces, gravity_forces and kinematics are, of the tree without its closures."
        )
    return VERBS[verb]


def _compiled(entry: Verb, expand: Any) -> bool:
    """Whether compiled code is to be used."""
    if expand is not None and not isinstance(expand, bool):
        raise InputError(f"{NAME}: expand is {shown(expand)}; expected True, False or None.")
    available = entry.name in COMPILED
    if expand is False and not available:
        raise UnsupportedError(
            f"{NAME}: {entry.name} has no compiled derivatives ({' and '.join(COMPILED)} do); leave out expand=False "
            "for its expression."
        )
    return available and not expand


def _request(arm: Arm, entry: Verb, frame: Any, point: Any) -> Request:
    """The frame and point of kinematics; raises InputError where they are invalid."""
    at = as_points(point, "point", NAME)
    if at.ndim != 1:
        raise InputError(f"{NAME}: point has shape {at.shape}; expected (3,), one point.")
    if not entry.frame and (frame is not None or at.any()):
        raise InputError(f"{NAME}: a frame or point was given, but {entry.name} does not use one.")
    if frame is None:
        frame = tip_frame(arm, only_end(arm, f"give {NAME} the frame") if entry.frame else arm.ends[0])
    as_frame(arm, frame, NAME)
    return Request(entry.name, (), False, frame, tuple(map(float, at)), Real("double"), None)
