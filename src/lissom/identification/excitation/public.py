"""`excite`: light to import; what it needs is loaded when it is first called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Never

from numpy.typing import ArrayLike

from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.limits import Limits
from lissom.motion.result.motion import Motion
from lissom.motion.result.report import Iteration


@without_unknown
def excite(
    arm: Arm,
    duration: float = 20.0,
    *,
    start: ArrayLike | None = None,
    limits: Limits | None = None,
    noise: ArrayLike | None = None,
    rate_hz: float = 100.0,
    ignore: str | Sequence[str] = (),
    friction: bool = True,
    torque_utilisation: float = 0.8,
    obstacles: Any = (),
    bodies: Any = None,
    margin: float = 0.0,
    constraints: Any = (),
    self_collision: bool = True,
    segments: int | None = None,
    starts: int = 2,
    seed: int = 0,
    progress: bool | Callable[[Iteration], object] | None = None,
    **unknown: Never,
) -> Motion:
    """Return the motion whose torques say most about the parameters of an arm.

    D-optimal: of all motions within the limits (quintic splines from rest to rest, which end where they begin) it makes
    the volume of the confidence ellipsoid of the base parameters smallest. The optimum is a local one, the best of a
    few starts; `Motion.information` compares it with random motions. Ctrl-C ends the search and returns the motion so
    far, with the status "interrupted".

    Parameters
    ----------
    arm : Arm                    rigid, every joint actuated, without closed loops; its numbers may be rough guesses
    duration : float             [s]
    start : (dof,) or None       where the motion begins and ends; None: `arm.home`, at least 5 % of the range of
                                 each joint away from its limits
    limits : Limits or None      of position, velocity, acceleration, torque and others; those of the joints hold too.
                                 Where neither has any: half a turn to both sides of the start, 1 rad/s or 0.25 m/s, and
                                 accelerations of 3 times the velocity limit per second; sliding joints need their range
    noise : number, (dof,) or None    standard deviation of each measured torque [N m or N], infinite: not measured;
                                 None: 1 % of the torque limit
    rate_hz : float              samples per second for which standard deviations are predicted
    ignore : str or sequence of str    links, joints or parameters (``"hand"``, ``"hand.Ixy"``) that are estimated as
                                 well, but whose precision does not count
    friction : bool              viscous and Coulomb friction and an offset of every joint are estimated as well; their
                                 precision does not count
    torque_utilisation : float   part of the arm's torque limits that is used, as its numbers are not known well; those
                                 of `limits` are used in full
    obstacles, bodies, margin, constraints    obstacles to avoid and heights of frames, as of `Task`
    self_collision : bool        links that a joint does not connect keep `margin` between them, where shapes with a
                                 thickness are known and where they are apart at the start
    segments : int or None       of the splines; None: one for every second, at least 8 and at most 40
    starts : int                 the best of the random motions that are improved; the best result is returned
    seed : int                   of the random motions; the same seed gives the same motion
    progress : bool or f(Iteration)    show a line, or call f after every iteration; default: a line after three seconds

    Returns
    -------
    Motion
        With `Motion.information`; it can be verified, saved, exported and viewed like any motion

    Examples
    --------
    >>> import lissom as ls
    >>> motion = ls.excite(ls.load("two_link"), duration=5, limits=ls.Limits(velocity=2.0), starts=1)
    >>> motion.ok, motion.information.gain > 1.5
    (True, True)
    >>> [name for name in motion.information.parameters if name.startswith("fore")]
    ['fore.mcx + 0.4 fore.m', 'fore.mcy', 'fore.Izz - 0.16 fore.m', 'fore.armature']
    """
    check_keywords(excite, unknown)
    from lissom.identification.excitation.best import excited
    from lissom.identification.excitation.experiment import Wishes

    wishes = Wishes(
        duration, start, limits, noise, rate_hz, ignore, friction, torque_utilisation, obstacles, bodies, margin,
        constraints, self_collision, segments, starts, seed,
    )  # fmt: skip
    return excited(arm, wishes, progress)
