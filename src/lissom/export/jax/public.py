"""`jax_function`: an arm's functions for automatic differentiation with JAX."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Never

from numpy.typing import ArrayLike

from lissom.errors import install_extra
from lissom.export.smooth.offered import NO_LOADS, refuse_without
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.verbs.kinematics import ORIGIN

if TYPE_CHECKING:
    from lissom.export.jax.traced import JaxFunction

NAME = "jax_function"


@without_unknown
def jax_function(
    arm: Arm, verb: str, *, frame: str | None = None, point: ArrayLike = ORIGIN, **unknown: Never
) -> JaxFunction:
    """Return a function of an arm on JAX arrays, with exact first and second derivatives.

    Values and derivatives are computed by lissom's compiled code on the CPU, through `jax.pure_callback`, all states of
    a batch in one call. `jit`, `grad`, `jvp`, `vjp`, `jacfwd`, `jacrev`, `hessian` and `vmap` work. Third derivatives
    do not exist and are refused.

    JAX rounds all numbers to single precision unless ``jax.config.update("jax_enable_x64", True)`` is called before its
    first use. Without it a warning follows, and results are those of rounded states.

    Parameters
    ----------
    arm : Arm                     flexible links included; friction, payload and its own loads are part of the function
    verb : str                    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces",
                                  "gravity_forces", "coriolis_matrix", "joint_reactions", "regressor", "kinetic_energy",
                                  "potential_energy", "momentum", "centre_of_mass", "poses", "pose", "jacobian",
                                  "velocity", "acceleration"
    frame : str or None           link or tool of "pose", "jacobian", "velocity", "acceleration"; None: the last one
    point : (3,)                  point in the axes of the frame [m]

    Returns
    -------
    callable
        ``f(*state)`` takes arrays (..., dof), in the order of lissom's function, whose leading axes are broadcast, and
        returns an array. float32 is computed in double precision and rounded

    Examples
    --------
    >>> import lissom as ls, jax  # doctest: +SKIP
    >>> jax.config.update("jax_enable_x64", True)  # doctest: +SKIP
    >>> energy = ls.jax_function(ls.load("two_link"), "potential_energy")  # doctest: +SKIP
    >>> jax.jit(jax.grad(energy))(jax.numpy.array([0.3, 0.5])).round(4)  # doctest: +SKIP
    Array([3.4937, 0.6832], dtype=float64)
    """
    check_keywords(jax_function, unknown, {"loads": NO_LOADS, "base": NO_LOADS})
    refuse_without("jax", NAME, install_extra("jax"))
    import jax

    if not jax.config.jax_enable_x64:
        warnings.warn(
            f'{NAME}: JAX computes in single precision here; call jax.config.update("jax_enable_x64", True) before '
            "anything else for double precision.", RuntimeWarning, stacklevel=2,
        )  # fmt: skip
    from lissom.export.jax.traced import JaxFunction

    return JaxFunction.of(arm, verb, frame, point)
