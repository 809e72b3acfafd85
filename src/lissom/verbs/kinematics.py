"""Kinematics for one state or a batch: poses, Jacobians, velocities and accelerations."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lissom.kernels.arguments import ORIGIN as ORIGIN, as_arm
from lissom.kernels.cache import functions_of
from lissom.kernels.call import first
from lissom.kernels.tree_call import call_at_point, run
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.parameters import documented


@documented
def poses(arm: Arm, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """Poses of all link frames in the world.

    Parameters
    ----------
    arm, q : ...
    out : (..., n_links, 4, 4) ...
    threads : ...

    Returns
    -------
    (..., n_links, 4, 4)         in the order of `arm.links`

    Examples
    --------
    >>> import lissom as ls
    >>> ls.poses(ls.load("two_link"), [0.0, 0.0])[-1, :3, 3]
    array([0.8, 0. , 0. ])
    """
    if type(arm) is Arm and out is None and threads is None:
        try:
            entry = arm._compiled.one.poses
        except AttributeError:
            entry = first(arm, "poses")
        return entry(q)
    return run(functions_of(as_arm(arm, "poses")).get("poses"), (q,), out, threads, "poses")


@documented
def pose(
    arm: Arm,
    q: ArrayLike,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Pose of a link or tool in the world, with its origin moved to a point on it.

    Parameters
    ----------
    arm, q : ...
    link : str or None    a link's or tool's name; None: the end of the arm, `Arm.tip_frame`
    point : ...
    out : (..., 4, 4) ...
    threads : ...

    Returns
    -------
    (..., 4, 4)

    Examples
    --------
    >>> import lissom as ls
    >>> ls.pose(ls.load("puma560"), [0, 0, 0, 0, 0, 0], "flange")[:3, 3].round(5)
    array([ 0.4521 , -0.15005,  0.4318 ])
    """
    return call_at_point(arm, "pose", link, point, (q,), out, threads)


@documented
def jacobian(
    arm: Arm,
    q: ArrayLike,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Jacobian of a point on a link or tool, in world axes.

    Parameters
    ----------
    arm, q : ...
    link : str or None    a link's or tool's name; None: the end of the arm, `Arm.tip_frame`
    point : ...
    out : (..., 6, dof) ...
    threads : ...

    Returns
    -------
    (..., 6, dof)                rows: linear velocity of the point, then angular velocity

    Examples
    --------
    >>> import lissom as ls
    >>> ls.jacobian(ls.load("two_link"), [0.0, 0.0], "fore")[1]
    array([0.8, 0.4])
    """
    return call_at_point(arm, "jacobian", link, point, (q,), out, threads)


@documented
def velocity(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Velocity of a point on a link or tool, in world axes.

    Parameters
    ----------
    arm, q, qd : ...
    link : str or None    a link's or tool's name; None: the end of the arm, `Arm.tip_frame`
    point : ...
    out : (..., 6) ...
    threads : ...

    Returns
    -------
    (..., 6)                       linear [m/s], then angular [rad/s]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.velocity(ls.load("two_link"), [0.0, 0.0], [1.0, 2.0], "fore")
    array([0. , 1.6, 0. , 0. , 0. , 3. ])
    """
    return call_at_point(arm, "velocity", link, point, (q, qd), out, threads)


@documented
def acceleration(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    link: str | None = None,
    point: ArrayLike = ORIGIN,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Acceleration of a point on a link or tool, in world axes; gravity is not part of it.

    Parameters
    ----------
    arm, q, qd, qdd : ...
    link : str or None    a link's or tool's name; None: the end of the arm, `Arm.tip_frame`
    point : ...
    out : (..., 6) ...
    threads : ...

    Returns
    -------
    (..., 6)                            linear (classical) [m/s^2], then angular [rad/s^2]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.acceleration(ls.load("two_link"), [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "fore")
    array([-0.8,  0. ,  0. ,  0. ,  0. ,  0. ])
    """
    return call_at_point(arm, "acceleration", link, point, (q, qd, qdd), out, threads)
