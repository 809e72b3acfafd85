"""Equilibria: torques that hold a pose, and poses that need least torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, SolveError, UnsupportedError
from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.call import call_few
from lissom.kernels.loads import Applied
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range

ITERATIONS = 200
NEAR = 1e-7  # pull towards the given pose, relative to the torques there


class Equilibrium(NamedTuple):
    """A pose at rest.

    q : (dof,)           positions; unactuated coordinates (passive joints, springs) are in equilibrium
    tau : (dof,)         torques that hold it; zero at unactuated coordinates
    residual : float     largest torque that remains at an unactuated coordinate [N m or N]
    stable : bool        whether unactuated coordinates return after a disturbance (positive definite stiffness)
    """

    q: Array
    tau: Array
    residual: float
    stable: bool


@without_unknown
def equilibrium(
    arm: Arm,
    q: ArrayLike | None = None,
    loads: Sequence[Load] = (),
    *,
    least: bool = False,
    tolerance: float = 1e-9,
    **unknown: Never,
) -> Equilibrium:
    """Torques that hold a pose at rest, or the pose near `q` that needs least torque.

    Unactuated coordinates (passive joints, springs of elastic joints) move to where the torques on them vanish; the
    others keep their values in `q`. With `least`, all joints may move within their limits, and the sum of the squared
    torques is minimised locally (not with closed loops). With closed loops, the pose closes them, and the torques
    are the smallest that hold it.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or None           positions, None: `arm.home`; one entry per joint is accepted
    loads : sequence of Load     in addition to the arm's standing loads
    least : bool                 search for the pose that needs least torque
    tolerance : float            on the torques that must vanish [N m or N]

    Returns
    -------
    Equilibrium

    Warns
    -----
    LargeDeflection
        When a flexible link rests with a slope above 0.5 rad, where small-deflection modes lose accuracy.

    Raises
    ------
    SolveError
        When no equilibrium was found near `q`, or a flexible link would rest with a slope above 1 rad.

    Examples
    --------
    >>> import lissom as ls
    >>> held = ls.equilibrium(ls.load("two_link"), [0.0, 0.0])
    >>> held.tau.round(4)
    array([3.9225, 0.9806])
    >>> hanging = ls.equilibrium(ls.load("two_link"), [-1.2, 0.3], least=True)
    >>> bool(abs(hanging.tau).max() < 1e-6)
    True
    """
    check_keywords(equilibrium, unknown)
    found = at_rest(arm, q, loads, least=least, tolerance=tolerance)
    bending_range.warn_if_large(arm, found.q, "equilibrium")
    return found


def at_rest(
    arm: Arm, q: ArrayLike | None = None, loads: Sequence[Load] = (), *, least: bool = False, tolerance: float = 1e-9
) -> Equilibrium:
    """See `equilibrium`; without its warning, for searches that try several poses."""
    verb = "equilibrium"
    start = as_state(as_arm(arm, verb), arm.home if q is None else q, "q", verb)
    if start.ndim != 1:
        raise InputError(f"{verb}: q has shape {start.shape}; expected one state ({arm.dof},).")
    if not tolerance > 0:
        raise InputError(f"{verb}: tolerance is {tolerance!r}; expected a number above 0.")
    loads = [loads] if isinstance(loads, Load) else list(loads)
    drives = arm.actuated
    if arm.loops:
        return _looped(arm, start, loads, least, tolerance)
    moving = np.ones(arm.dof, bool) if least else ~drives
    found = _search(arm, start, moving, drives, loads, least, tolerance) if moving.any() else start
    tau = _held(arm, found, loads)
    residual = float(np.abs(tau[~drives]).max(initial=0.0))
    if residual > tolerance:
        worst = arm.coordinates[int(np.argmax(np.where(drives, 0.0, np.abs(tau))))]
        raise SolveError(
            f"{verb}: no equilibrium was found near the given pose: a residual of {residual:.3g} remains on "
            f"{worst!r}, which is not actuated. Start closer to the equilibrium, or give the joint a spring."
        )
    _check_deflection(arm, found)
    stiffness = _stiffness(arm, found, loads)[np.ix_(~drives, ~drives)]
    stable = not stiffness.size or bool(np.linalg.eigvalsh((stiffness + stiffness.T) / 2).min() > 0)
    return Equilibrium(found, np.where(drives, tau, 0.0), residual, stable)


def _check_deflection(arm: Arm, q: Array) -> None:
    """Reject an equilibrium beyond small deflections."""
    bend = bending_range.steepest(arm, q)
    if bend is not None and bend.slope > bending_range.MEANINGLESS:
        raise SolveError(
            f"equilibrium: link {bend.link!r} would be in equilibrium with a slope of {bend.slope:.2g} rad, "
            f"where small-deflection modes are not valid: {bending_range.FIX}."
        )


def _looped(arm: Arm, start: Array, loads: list[Load], least: bool, tolerance: float) -> Equilibrium:
    """Return the equilibrium of an arm with closed loops."""
    from lissom.control.closed import rest

    if least:
        raise UnsupportedError(
            f"equilibrium: arm {arm.name!r} has closed loops; least=True is for open arms. Leave it out."
        )
    found = rest(arm, start, loads, ITERATIONS)
    residual = float(np.abs(found.left).max())
    if residual > tolerance:
        worst = arm.coordinates[int(np.argmax(np.abs(found.left)))]
        raise SolveError(
            f"equilibrium: no equilibrium was found near the given pose: a residual of {residual:.3g} remains on "
            f"{worst!r}, which neither a motor nor a closure supports. Start closer to the equilibrium, from a pose of "
            "assemble."
        )
    _check_deflection(arm, found.q)
    return Equilibrium(found.q, found.tau, residual, found.stable)


def _held(arm: Arm, q: Array, loads: list[Load]) -> Array:
    """Torques at rest; friction does not act there."""
    rest = np.zeros(arm.dof)
    return np.asarray(call_few(arm, INVERSE_DYNAMICS, (q, rest, rest), Applied(loads)))


def _stiffness(arm: Arm, q: Array, loads: list[Load]) -> Array:
    rest = np.zeros(arm.dof)
    return np.asarray(call_few(arm, INVERSE_DYNAMICS_GRADIENT, (q, rest, rest), Applied(loads)).q)


def _search(
    arm: Arm, start: Array, moving: np.ndarray, drives: np.ndarray, loads: list[Load], least: bool, tolerance: float
) -> Array:
    """Solve for the equilibrium by least squares, over the coordinates that may move."""
    from scipy.optimize import least_squares

    lower, upper = np.full(arm.dof, -np.inf), np.full(arm.dof, np.inf)
    lower[arm.joint_index], upper[arm.joint_index] = arm.bounds("position")
    counted = np.ones(arm.dof, bool) if least else ~drives
    # what must vanish weighs more than what should be small
    weights = np.where(drives, 1.0, 1e3 if least else 1.0)[counted]

    def full(x: Array) -> Array:
        q = start.copy()
        q[moving] = x
        return q

    begin = np.clip(start[moving], lower[moving] + 1e-12, upper[moving] - 1e-12)
    # joints whose position changes no torque stay where they are
    near = NEAR * max(1.0, float(np.abs(_held(arm, start, loads)).max())) if least else 0.0
    pull = near * np.eye(len(begin))
    done = least_squares(
        lambda x: np.concatenate([weights * _held(arm, full(x), loads)[counted], near * (x - begin)]),
        begin,
        lambda x: np.vstack([weights[:, None] * _stiffness(arm, full(x), loads)[np.ix_(counted, moving)], pull]),
        bounds=(lower[moving], upper[moving]),
        xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=ITERATIONS, x_scale="jac",
    )  # fmt: skip
    return full(done.x)
