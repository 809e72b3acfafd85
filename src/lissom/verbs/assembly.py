"""Public functions for closed loops: positions that close them, and the forces in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import InputError, SolveError, listed, shown, suggest
from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.loads import NO_LOADS, Loads
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion
from lissom.model.plausibility import ModelFinding
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.kernels.closures import Closure

STEPS = 100  # of one search
TRIES = 24  # searches from guesses around the one given
SLACK = 1e-9  # rad or m beyond a limit that is none


class Assembly(NamedTuple):
    """A state that closes all loops.

    q, qd, qdd : (dof,)        consistent positions, rates and accelerations that satisfy the closures
    error : float              largest residual of the closures [m or rad]
    rank : int                 closure rows that are independent there
    mobility : int             coordinates that stay free, dof - rank; modes and springs count
    redundant : tuple of str   names of closure rows that depend on the others
    steps : int                iterations of the solver
    """

    q: Array
    qd: Array
    qdd: Array
    error: float
    rank: int
    mobility: int
    redundant: tuple[str, ...]
    steps: int


@without_unknown
def assemble(
    arm: Arm,
    guess: ArrayLike | None = None,
    fixed: str | Iterable[str] = (),
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    bend: bool = False,
    tolerance: float = 1e-10,
    **unknown: Never,
) -> Assembly:
    """Positions near a guess that close all loops, with rates and accelerations that keep them closed.

    Damped Gauss-Newton from the guess; where that does not close within the joints' limits, from guesses around it;
    the solution nearest to the guess is returned, one within the limits if there is any. Rates and accelerations change
    as little as possible (least squares).

    Parameters
    ----------
    arm : Arm                  with loops
    guess : (dof,) or None     positions, None: `arm.home`; one entry per joint is accepted
    fixed : str or names       joints (or other coordinates) that keep the values of the guess, `qd` and `qdd`
    qd : (dof,) or None        rates to approximate, None: zero
    qdd : (dof,) or None       accelerations to approximate, None: zero
    bend : bool                let flexible links and elastic joints deflect to close the loops
    tolerance : float          largest residual of a solution [m or rad]

    Returns
    -------
    Assembly

    Examples
    --------
    >>> import lissom as ls
    >>> rod = dict(mass=1.0, com=(0.5, 0, 0), inertia=0.1)
    >>> arm = ls.Arm("triangle", [ls.Link("a", **rod), ls.Link("b", **rod)],
    ...              loops=[ls.Loop(("a", (1, 0, 0)), ("b", (1, 0, 0)))])
    >>> ls.assemble(arm, [0.3, 0.5], fixed="a").q.round(6)
    array([0.3, 0.3])
    """
    check_keywords(assemble, unknown)
    verb = "assemble"
    if not as_arm(arm, verb).loops:
        raise InputError(f"{verb}: arm {arm.name!r} has no loops; there is nothing to assemble.")
    if not isinstance(tolerance, int | float | np.floating) or isinstance(tolerance, bool) or not tolerance > 0:
        raise InputError(f"{verb}: tolerance is {shown(tolerance)}; expected a number above 0.")
    if not isinstance(bend, bool):
        raise InputError(f"{verb}: bend is {shown(bend)}; expected True or False.")
    from lissom.kernels.cache import closure_of
    from lissom.loops.search import nearest

    begin = _one(arm, arm.home if guess is None else guess, "guess")
    v, a = (np.zeros(arm.dof) if x is None else _one(arm, x, word) for x, word in ((qd, "qd"), (qdd, "qdd")))
    free = _free(arm, fixed, bend)
    close = closure_of(arm)
    search = partial(nearest, lambda q: close(q)[:2], begin, free, STEPS, TRIES)
    inside = within_limits(arm)
    found, good = search(lambda q: bool(close.faces(q).all()) and inside(q), tolerance)
    if not good:  # it may still close outside of them
        found, good = search(lambda q: bool(close.faces(q).all()), tolerance)
    if not good:
        raise SolveError(_unclosed(close, found.q, found.phi, free, tolerance), found)
    return _fitted(close, found.q, v, a, free, found.steps)


def within_limits(arm: Arm) -> Callable[[Array], bool]:
    """Whether positions are within the limits of the joints."""
    lower, upper = arm.bounds("position")
    at = arm.joint_index
    return lambda q: bool(((q[at] >= lower - SLACK) & (q[at] <= upper + SLACK)).all())


def _fitted(close: Closure, q: Array, qd: Array, qdd: Array, free: NDArray[np.bool_], steps: int) -> Assembly:
    """Return the assembly at closed positions, with the nearest consistent rates and accelerations."""
    from lissom.loops.algebra import independent_rows, split
    from lissom.loops.words import row_names

    gaps = close(q)
    moves = split(gaps.G[:, free])
    v = qd.copy()
    v[free] -= moves.least_motion(gaps.G @ qd)
    _refuse_held(close, gaps.G @ v, 1.0 + float(np.abs(qd).max()), "rates", "qd", "/s")
    drift = close(q, v).drift
    a = qdd.copy()
    a[free] -= moves.least_motion(gaps.G @ qdd + drift)
    size = 1.0 + float(np.abs(qdd).max() + np.abs(drift).max())
    _refuse_held(close, gaps.G @ a + drift, size, "accelerations", "qdd", "/s^2")
    rank = int(split(gaps.G).rank)
    kept, names = independent_rows(gaps.G, rank), row_names(close.arm)
    redundant = tuple(name for k, name in enumerate(names) if k not in kept)
    error = float(np.abs(gaps.phi).max())
    return Assembly(q, v, a, error, rank, close.arm.dof - rank, redundant, steps)


def _refuse_held(close: Closure, rows: Array, size: float, what: str, word: str, per: str) -> None:
    """Raise an error if fixed coordinates leave the loops no consistent rates or accelerations."""
    from lissom.loops.words import largest

    if float(np.abs(rows).max()) > 1e-9 * size:
        raise InputError(
            f"assemble: no {what} of the other joints are compatible with the fixed ones: {word} opens "
            f"{largest(close.arm, rows, per)}. Hold fewer joints in fixed, or give {word} that are compatible."
        )


def _unclosed(close: Closure, q: Array, phi: Array, free: NDArray[np.bool_], tolerance: float) -> str:
    """The message that explains why no closed position was found."""
    from lissom.loops.words import largest

    arm = close.arm
    names = [arm.coordinates[k] for k in arm.joint_index if not free[k]]
    held = f" with {listed(names, 6)} held" if names else ""
    if float(np.abs(phi).max()) <= tolerance:
        return (
            f"assemble: arm {arm.name!r} closes{held} only with an axis reversed (z of both frames must point the "
            "same way). Turn one of the loop's frames by 180 degrees, or start from another guess."
        )
    bend = " or bend=True" if arm.mode_index.size and not free[arm.mode_index].all() else ""
    return (
        f"assemble: no position was found that closes arm {arm.name!r}{held}. The best attempt leaves open "
        f"{largest(arm, phi)}. Check lengths and the frames of the loop, start nearer, or hold fewer joints{bend}."
    )


def _one(arm: Arm, value: ArrayLike, word: str) -> Array:
    state = as_state(arm, value, word, "assemble")
    if state.ndim != 1:
        raise InputError(f"assemble: {word} has shape {state.shape}; expected one state ({arm.dof},).")
    return state.copy()


def _free(arm: Arm, fixed: Any, bend: bool) -> NDArray[np.bool_]:
    """(dof,) mask of the coordinates that are not fixed."""
    free = np.ones(arm.dof, bool)
    free[arm.mode_index] = bend
    by_link = {link.name: link.joint.name for link in arm.links if link.joint.independent}
    names = [fixed] if isinstance(fixed, str) else fixed
    if not isinstance(names, Iterable):
        raise InputError(f"assemble: fixed is {shown(fixed)}; expected names of joints.")
    for word in names:
        name = by_link.get(word, word)
        if name not in arm.coordinates:
            raise InputError(f"assemble: fixed has {shown(word)}; {suggest(str(word), arm.coordinates)}")
        free[arm.coordinates.index(name)] = False
    return free


class ClosureForces(NamedTuple):
    """Forces and moments of the closures on link b of every loop, at its point.

    Link a receives the opposite force and moment, at the same point (that of b, also in planar loops, where the points
    of the two frames differ).

    force, moment : (..., loops, 3)   world axes [N, N m]
    rows : (..., m)                   the same by closure row, in axes of frame a
    tau : (..., dof)                  torques of the motors
    qdd : (..., dof)                  accelerations
    loops : tuple of str              names of the loops
    """

    force: Array
    moment: Array
    rows: Array
    tau: Array
    qdd: Array
    loops: tuple[str, ...]


def closure_forces(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
) -> ClosureForces:
    """Forces and moments that hold the loops closed.

    Give the motion, or the torques of the motors. Where closures are redundant their forces are not unique; those
    with the least sum of squares over the closure rows are returned.

    Parameters
    ----------
    arm : Arm                               with loops
    q, qd : (dof,) or (..., dof)            positions and rates that satisfy the closures
    qdd : (dof,), (..., dof) or None        accelerations; the torques are then those of `inverse_dynamics`
    tau : (dof,), (..., dof) or None        torques; the accelerations are then those of `forward_dynamics`
    loads : sequence of Load                in addition to the arm's standing loads
    base : BaseMotion or None               prescribed motion of the base

    Returns
    -------
    ClosureForces

    Examples
    --------
    >>> import lissom as ls
    >>> rod = dict(mass=1.0, com=(0.5, 0, 0), inertia=0.1)
    >>> arm = ls.Arm("triangle", [ls.Link("a", **rod), ls.Link("b", **rod)], gravity=(0, -9.81, 0),
    ...              loops=[ls.Loop(("a", (1, 0, 0)), ("b", (1, 0, 0)))])
    >>> ls.closure_forces(arm, [0.0, 0.0], [0.0, 0.0], tau=[9.81, 0.0]).force[0].round(3)
    array([0.   , 4.905, 0.   ])
    """
    verb = "closure_forces"
    if not as_arm(arm, verb).loops:
        raise InputError(f"{verb}: arm {arm.name!r} has no loops.")
    if (qdd is None) == (tau is None):
        raise InputError(f"{verb}: give qdd (the motion) or tau (the torques of the motors), one of them.")
    from lissom.kernels.cache import closure_of
    from lissom.kernels.closed_loops import accelerated, required
    from lissom.kernels.loads import Applied
    from lissom.loops.words import loop_names

    applied = Applied(loads, base)
    if qdd is not None:
        found = required(arm, (q, qd, qdd), applied, verb)
        rows, torques = found.force, found.u
        motion = np.broadcast_to(as_state(arm, qdd, "qdd", verb), torques.shape)
    else:
        motion, rows = accelerated(arm, (q, qd, tau), applied, verb)  # type: ignore[arg-type]
        torques = np.broadcast_to(as_state(arm, tau, "tau", verb), motion.shape)  # type: ignore[arg-type]
    place = np.ascontiguousarray(np.broadcast_to(as_state(arm, q, "q", verb), motion.shape))
    force, moment = closure_of(arm).wrenches(place, rows)
    return ClosureForces(force, moment, rows, torques, motion, loop_names(arm))


def loop_findings(arm: Arm) -> list[ModelFinding]:
    """Findings about an arm's closed loops: whether they close, their mobility, and redundant rows."""
    if not arm.loops:
        return []
    subject = f"arm {arm.name!r}"
    try:
        found = assemble(arm)
    except SolveError as error:
        return [ModelFinding("warning", subject, str(error).removeprefix("assemble: "))]
    notes = [
        ModelFinding("note", subject, f"its loops close, and leave {found.mobility} of {arm.dof} coordinates free.")
    ]
    if found.redundant:
        listed = "; ".join(found.redundant[:4]) + (" ..." if len(found.redundant) > 4 else "")
        notes.append(ModelFinding("note", subject, f"redundant closure rows: {listed}."))
    return notes
