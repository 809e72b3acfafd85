"""`casadi_function`: an arm's functions for optimisation with casadi."""

from __future__ import annotations

from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.c99 import Real
from lissom.errors import InputError, UnsupportedError, shown
from lissom.export.export_c import EXPORTED
from lissom.export.functions import Request
from lissom.export.smooth.offered import COMPOSED, NO_LOADS, as_place, as_verb, refuse_without
from lissom.kernels.cache import cache_of
from lissom.kernels.verb import Refused, Verb
from lissom.kernels.verbs import VERBS
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.verbs.kinematics import ORIGIN

NAME = "casadi_function"
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
    refuse_without("casadi", NAME, "pip install casadi")
    entry = as_verb(arm, verb, OFFERED, NAME, "casadi's own jacobian and hessian")
    fast = _compiled(entry, expand)
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise InputError(f"{NAME}: samples is {shown(samples)}; expected a whole number of states, 1 or more.")
    place = as_place(arm, entry, frame, point, NAME)
    asked = Request(entry.name, (), False, *place, Real("double"), None)
    key = entry.name, fast, int(samples), asked.frame, asked.point
    return cache_of(arm).stored(NAME, key, lambda: _made(arm, entry, fast, int(samples), asked))


def _made(arm: Arm, entry: Verb, fast: bool, samples: int, asked: Request) -> Any:
    if not fast:
        from lissom.export.casadi.expanded import expanded

        function = expanded(arm, entry, asked)
        return function if samples == 1 else function.map(samples)
    from lissom.export.casadi.callbacks import as_function
    from lissom.export.casadi.layers import Layers

    layer = Layers(COMPOSED[entry.name](arm), samples).values()
    assert not isinstance(entry.outputs, Refused)
    return as_function(layer, entry.name, entry.arguments, [x.name for x in entry.outputs], arm.dof)


# ---- checks ---------------------------------------------------------------------------------------


def _compiled(entry: Verb, expand: Any) -> bool:
    """Whether compiled code is to be used."""
    if expand is not None and not isinstance(expand, bool):
        raise InputError(f"{NAME}: expand is {shown(expand)}; expected True, False or None.")
    available = entry.name in COMPOSED
    if expand is False and not available:
        raise UnsupportedError(
            f"{NAME}: {entry.name} has no compiled derivatives ({' and '.join(COMPOSED)} do); leave out expand=False "
            "for its expression."
        )
    return available and not expand
