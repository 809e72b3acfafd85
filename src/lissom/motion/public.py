"""`predict_motion`, `retime_motion`, `track_motion`, `load_motion`: light to import; the rest is loaded at a call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Never

from numpy.typing import ArrayLike

from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.limits import Limits
from lissom.model.loads import Load
from lissom.motion.result.motion import Motion
from lissom.motion.result.report import Iteration
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Task


def predict_motion(
    arm: Arm,
    task: Task | ArrayLike | Reach | None = None,
    goal: ArrayLike | Reach | None = None,
    *,
    tolerance: float = 1e-8,
    iterations: int = 500,
    seconds: float | None = None,
    starts: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    scheduler: str | None = None,
    refine: float | None = None,
    residual: float | None = None,
    compare: bool = False,
    regularise: float = 1e-5,
    progress: bool | Callable[[Iteration], object] | None = None,
    on_failure: str = "raise",
    guess: Motion | ArrayLike | None = None,
    **fields: Any,
) -> Motion:
    """Return the optimal motion for a task.

    Ctrl-C ends the search and returns the motion so far, with the status "interrupted"; a second one ends it at once.

    Parameters
    ----------
    arm : Arm                    rigid or flexible, with elastic and passive joints; closed loops where all is rigid
    task : Task or None          or its fields: ``predict_motion(arm, start, goal, ...)``, or all of them as keywords
    goal : (joints,) or Reach    of the task
    tolerance : float            optimality tolerance of the solver; with phases at least 1e-6
    iterations : int             largest number of iterations in each run of the solver
    seconds : float or None      largest duration of the whole call, including compilation
    starts : int or None         the first is a straight line, the others go through random positions; the best solution
                                 is returned. If every start fails, up to three extra starts are tried. None: as many as
                                 the criterion asks for, compared on half the segments; see "Local optima" in the docs
    seed : int                   of the random starts
    workers : int or None        processes for the starts; None: one per core, if there is enough work
    scheduler : str or None      address of a dask scheduler, whose workers do the starts instead of processes here
    refine : float or None       double the segments until the cost changes by less than this, relative
    residual : float or None     for arms with unactuated coordinates: largest residual tip vibration [m] when the
                                 torques are simulated open loop, see `residual_vibration`; passive joints must end
                                 equally close to the goal [rad or m]. The mesh of unactuated coordinates is refined
                                 until this holds. None: 1e-5
    compare : bool               compare with other plans: `Motion.compared` has the plan for rigid links, with and
                                 without input shapers, beside this one
    regularise : float           where time alone is minimised: weight of the mean squared torque, each relative to its
                                 limit. It makes the motion of joints that do not determine the duration unique and
                                 smooth. The duration grows by at most this fraction, in practice by 1e-9; `cost` does
                                 not contain it. 0: none
    progress : bool or f(Iteration)     show a line with the stage of the search, or call f after every iteration;
                                        default: a line after three seconds (where nobody watches, plain lines after
                                        3, 10, 20, 40 ... s)
    on_failure : "raise" or "return"    what to do if no motion was found; the error has the last one as `.motion`
    guess : Motion, (k, joints) or None    initial guess instead of a straight line: an earlier motion on any mesh, of
                                 any duration, of an arm with the same joints; or waypoints, equally spaced in time. By
                                 default it is then the only start. With phases, an earlier motion whose phases have
                                 the same names also gives their durations and the contact forces
    fields                       of the task, with those of `task` replaced; see `Task`

    Returns
    -------
    Motion

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.predict_motion(arm, start=[0, 0], goal=[1, 0.5], limits=ls.Limits(torque=4.0))
    >>> motion.status, bool(abs(motion.tau).max() < 4.004)
    ('solved', True)
    """
    began = time.perf_counter()
    from lissom.motion import predict
    from lissom.motion.progress import reporting
    from lissom.motion.task.options import SearchOptions

    asked = {} if goal is None else {"goal": goal}
    options = SearchOptions(
        tolerance, iterations, seconds, starts, seed, workers, scheduler, refine, residual, compare, regularise,
        on_failure,
    )  # fmt: skip
    with reporting(progress) as report:
        return predict.predict_motion(arm, task, fields | asked, options, report, guess, began)


@without_unknown
def retime_motion(
    arm: Arm,
    path: ArrayLike | Callable[[float], ArrayLike],
    *,
    limits: Limits | None = None,
    loads: Load | Sequence[Load] = (),
    minimise: Any = "time",
    segments: int = 400,
    tolerance: float = 1e-8,
    iterations: int = 500,
    on_failure: str = "raise",
    **unknown: Never,
) -> Motion:
    """Return the best timing of a given path, from rest to rest.

    The shortest time is found by reachability analysis (Pham and Pham 2018): one backward and one forward pass over the
    path, without local optima and without an initial guess. Limits that are exceeded between grid points are tightened
    there, and the passes repeated.

    Parameters
    ----------
    arm : Arm                      rigid, every joint actuated
    path : (k, dof) or f(x) -> (dof,)    waypoints, joined by a cubic spline over the length between them (straight
                                   lines for two); or positions as a smooth function of x from 0 to 1
    limits : Limits                of torque, velocity and acceleration; those of the joints hold too
    loads : Load or sequence of Load    that act, the same all the time
    minimise : str or {str: weight}    "time", "torque_squared", "effort_normalised", or a weighted sum
    segments : int                 intervals of the path, on each of which its acceleration d^2s/dt^2 is constant; knots
                                   of the path, and places where joints with friction turn around, are added. With
                                   "torque_squared", the search uses a tenth as many
    tolerance, iterations          of the search, where "torque_squared" is minimised
    on_failure : "raise" or "return"    what to do where this search fails; the error has the last motion as `.motion`

    Returns
    -------
    Motion
        Quintic splines with continuous rates, which meet the path with its rates and accelerations at all grid points;
        accelerations jump between intervals. Every limit is checked at 9 points of every interval, and holds to 1e-9 of
        its size.

    Raises
    ------
    InputError
        Where no speed satisfies the limits: it names the place on the path and the limit.

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.retime_motion(arm, [[0, 0], [0.4, 0.5], [1, 0.5]], limits=ls.Limits(torque=4.0))
    >>> motion.status, bool(abs(motion.tau).max() < 4.004)
    ('solved', True)
    """
    check_keywords(retime_motion, unknown)
    from lissom.motion.retiming import retime

    fields = {"limits": limits, "loads": loads, "minimise": minimise, "segments": segments}
    return retime.retime_motion(arm, path, fields, tolerance, iterations, on_failure)


@without_unknown
def track_motion(
    arm: Arm,
    path: Any,
    frame: str | None = None,
    axes: str | Sequence[str] | None = None,
    duration: float | None = None,
    before: float | None = None,
    after: float | None = None,
    segments: int = 40,
    *,
    start: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    limits: Limits | None = None,
    loads: Load | Sequence[Load] = (),
    bending: Any = (),
    tolerance: float = 1e-6,
    iterations: int = 20,
    compare: bool = False,
    progress: bool | Callable[[str], object] | None = None,
    on_failure: str = "raise",
    **unknown: Never,
) -> Motion:
    """Return the motion that makes a frame follow a path exactly, from rest to rest.

    Also of arms whose links bend: the joints then move so that the deflected tip is on the path at all times. The
    motors begin before the path does and end after it, since the tip of a flexible link first answers in the wrong
    direction (it is non-minimum phase). Rigid, flexible, elastic and passive parts, gravity and damping count in full:
    the torques of the motion, replayed without feedback, keep the frame on the path.

    Parameters
    ----------
    arm : Arm                      rigid or flexible, with elastic and passive joints; without closed loops
    path : f(t), (times, values) or (times, [Reach, ...])
        where the frame should be: a function of the time t from 0 to `duration` that gives one value for each of
        `axes` (a `Profile` or a SciPy spline, for example), or a `Reach`; or a table, through whose rows a smooth
        spline from rest to rest is laid
    frame : str or None            a link's or tool's name; "link.tip" is the end of a flexible link. None: the tip of
                                   the arm, or the frame of the poses
    axes : str, sequence of str or None    coordinates that follow the path, in the order of its values: letters of
                                   "xyz" [m], or a list with rx, ry, rz too, the rotation vector of the frame in world
                                   axes [rad]. None: by the number of values, 2 "xy", 3 "xyz", 6 all
    duration : float or None       of the path [s]; None: that of a table
    before, after : float or None  time before and after the path in which the motors move [s]; None: as long as the
                                   slowest zero of the arm takes to decay; 0 for arms that do not bend
    segments : int                 of the splines over the whole motion; modes have twice as many. Doubled, at most
                                   twice, while the frame is off by more than `tolerance` and this brings it closer;
                                   of arms with unactuated coordinates also, at most three times, until the segments,
                                   replayed, end where planned, within the tolerance of `verify`; the status says
                                   where they do not
    start : (joints,) or None      near which pose to begin: it decides elbow up or down. None: home
    point : (3,)                   in the frame's axes, that follows instead of its origin [m]
    limits : Limits                of position, velocity, acceleration, torque and, for rigid arms, torque rate, beside
                                   the arm's own. Where one acts, the motion stays within it as near to the path as it
                                   can. Jerk and power are checked
    loads : Load or sequence of Load    that act; samples change along the motion, as in `Task`
    bending : BendingLimit, one or several    limits of deflection, strain and stress of flexible links
    tolerance : float              largest distance from the path of a motion that counts as solved [m, rad]; `status`
                                   has the distance of others
    iterations : int               steps of the search, at most, before accelerations weigh more
    compare : bool                 for flexible arms: `Motion.compared` has this motion beside the plan for rigid links
    progress : bool or f(text)     show a line with the steps of the search, or call f after every step; default: a line
                                   after three seconds
    on_failure : "raise" or "return"    what to do where no motion was found; the error has the last one as `.motion`

    Returns
    -------
    Motion
        `motion.shift` is the time in it at which the path begins, `motion.tracked` the path, `motion.path_error()`
        how far the frame is off. Where the arm has more motors than the path has axes, the integral of the squared
        accelerations of the joints is least, which `motion.cost` is.

    Warns
    -----
    RoughPath
        Where the path has a corner: it says what that costs.

    Raises
    ------
    InputError
        Where the path is out of reach, or leads through a singular pose: it names the time and the joint.
    MotionError
        Where links bend too far for their model, limits are exceeded, or the search does not converge.

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> arm = ls.load("two_link_flexible")
    >>> def path(t):
    ...     x = t / 2.0
    ...     s = x**4 * (35 - 84 * x + 70 * x**2 - 20 * x**3)
    ...     return [0.66 - 0.2 * s, 0.59 + 0.15 * s]
    >>> motion = ls.track_motion(arm, path, "link2.tip", "xy", duration=2.0)
    >>> motion.status, bool(motion.tracked.error < 1e-6)
    ('solved', True)
    """
    check_keywords(track_motion, unknown)
    from lissom.motion.tracking import track
    from lissom.motion.tracking.options import TrackingOptions

    several = (loads,) if isinstance(loads, Load) else loads
    options = TrackingOptions(
        frame, axes, duration, before, after, segments, start, point, limits, several, bending, tolerance, iterations,
        progress, on_failure,
    )  # fmt: skip
    if not compare:
        return track.track_motion(arm, path, options)
    from lissom.motion.compare_tracking import refuse_no_comparison, tracking_comparison

    refuse_no_comparison(arm)
    motion = track.track_motion(arm, path, options)
    return motion if not motion.ok else motion.with_verdict(compared=tracking_comparison(motion, path, options))


def load_motion(path: str | os.PathLike[str]) -> Motion:
    """Load a motion from a file that `Motion.save` wrote.

    Parameters
    ----------
    path : .nc

    Returns
    -------
    Motion

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "motion.nc"
    >>> motion = ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1])
    >>> motion.save(file)
    >>> again = ls.load_motion(file)
    >>> again.task == motion.task, again.arm == motion.arm, bool((again.tau == motion.tau).all())
    (True, True, True)
    """
    from lissom.motion.result.files.read import read

    return read(path)
