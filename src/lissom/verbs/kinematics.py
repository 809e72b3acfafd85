"""Where things are and how they move."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics import kinematics as k
from lissom.errors import UnsupportedError
from lissom.model.arm import Arm, Frame
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm, as_frame, as_points, as_state, same_batch

ORIGIN = (0.0, 0.0, 0.0)


def poses(arm: Arm, q: ArrayLike) -> Array:
    """Poses of all link frames in the world.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions [rad or m]; one entry per joint is accepted

    Returns
    -------
    (..., n_links, 4, 4)         in the order of `arm.links`

    Examples
    --------
    >>> import lissom as ls
    >>> ls.poses(ls.load("two_link"), [0.0, 0.0])[-1, :3, 3]
    array([0.8, 0. , 0. ])
    """
    state = as_state(as_arm(arm, "poses"), q, "q", "poses")
    inner = sorted({int(i) for i in arm.parent_index if i >= 0})
    k.refuse_bending(arm, inner, state)
    out = np.zeros((*state.shape[:-1], len(arm.links), 4, 4))
    out[..., 3, 3] = 1.0
    for i, pose_i in k.link_poses(arm, state, range(len(arm.links))).items():
        out[..., i, :3, :3], out[..., i, :3, 3] = pose_i.R, pose_i.p
    return out


def pose(arm: Arm, q: ArrayLike, link: str, point: ArrayLike = ORIGIN) -> Array:
    """Pose of a link or tool in the world, with its origin moved to a point on it.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions [rad or m]
    link : str                   a link's or tool's name
    point : (3,) or (..., 3)     in that frame's axes [m]

    Returns
    -------
    (..., 4, 4)

    Examples
    --------
    >>> import lissom as ls
    >>> ls.pose(ls.load("puma560"), [0, 0, 0, 0, 0, 0], "flange")[:3, 3].round(5)
    array([ 0.4521 , -0.15005,  0.4318 ])
    """
    frame, _, P, at = _reach(arm, q, link, point, "pose")
    out = np.zeros((*P.shape[:-1], 4, 4))
    out[..., :3, :3] = at[frame.link].R @ frame.offset[:3, :3]
    out[..., :3, 3] = P
    out[..., 3, 3] = 1.0
    return out


def jacobian(arm: Arm, q: ArrayLike, link: str, point: ArrayLike = ORIGIN) -> Array:
    """Jacobian of a point on a link or tool, in world axes.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions [rad or m]
    link : str                   a link's or tool's name
    point : (3,) or (..., 3)     in that frame's axes [m]

    Returns
    -------
    (..., 6, dof)                rows: linear velocity of the point, then angular velocity

    Examples
    --------
    >>> import lissom as ls
    >>> ls.jacobian(ls.load("two_link"), [0.0, 0.0], "fore")[1]
    array([0.8, 0.4])
    """
    frame, _, P, at = _reach(arm, q, link, point, "jacobian")
    bent = k.bent_links(arm, at, frame, np.asarray(point, float))
    if bent:
        names = ", ".join(arm.links[i].name for i in bent)
        raise UnsupportedError(
            f"jacobian: {link!r} moves with the modes of {names}, whose shapes are not available yet. "
            "Ask for a link before them, or use velocity with modal rates zero."
        )
    return k.joint_columns(arm, at, P)


def velocity(arm: Arm, q: ArrayLike, qd: ArrayLike, link: str, point: ArrayLike = ORIGIN) -> Array:
    """Velocity of a point on a link or tool, in world axes.

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,) or (..., dof)   positions and rates
    link : str                     a link's or tool's name
    point : (3,) or (..., 3)       in that frame's axes [m]

    Returns
    -------
    (..., 6)                       linear [m/s], then angular [rad/s]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.velocity(ls.load("two_link"), [0.0, 0.0], [1.0, 2.0], "fore")
    array([0. , 1.6, 0. , 0. , 0. , 3. ])
    """
    frame, state, P, at = _reach(arm, q, link, point, "velocity")
    rates, _, P = same_batch("velocity", qd=(as_state(arm, qd, "qd", "velocity"), 1), q=(state, 1), point=(P, 1))
    k.refuse_bending(arm, k.bent_links(arm, at, frame, np.asarray(point, float)), rates)
    return (k.joint_columns(arm, at, P) @ rates[..., None])[..., 0]


def acceleration(arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, link: str, point: ArrayLike = ORIGIN) -> Array:
    """Acceleration of a point on a link or tool, in world axes; gravity is not part of it.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : (dof,) or (..., dof)   positions, rates and accelerations
    link : str                          a link's or tool's name
    point : (3,) or (..., 3)            in that frame's axes [m]

    Returns
    -------
    (..., 6)                            linear (classical) [m/s^2], then angular [rad/s^2]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.acceleration(ls.load("two_link"), [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "fore")
    array([-0.8,  0. ,  0. ,  0. ,  0. ,  0. ])
    """
    verb = "acceleration"
    frame, state, P, at = _reach(arm, q, link, point, verb)
    given = {word: (as_state(arm, value, word, verb), 1) for word, value in (("qd", qd), ("qdd", qdd))}
    rates, accelerations, _, P = same_batch(verb, **given, q=(state, 1), point=(P, 1))
    k.refuse_bending(arm, k.bent_links(arm, at, frame, np.asarray(point, float)), rates, accelerations)
    motion = k.point_motion(arm, at, P, rates, accelerations)
    return np.concatenate([np.broadcast_to(motion.a, P.shape), np.broadcast_to(motion.wd, P.shape)], axis=-1)


def _reach(
    arm: Arm, q: ArrayLike, link: str, point: ArrayLike, verb: str
) -> tuple[Frame, Array, Array, dict[int, k.LinkPose]]:
    """Frame, coordinates, world position of the point, and poses along the path to it."""
    state = as_state(as_arm(arm, verb), q, "q", verb)
    frame = as_frame(arm, link, verb)
    state, local = same_batch(verb, q=(state, 1), point=(as_points(point, "point", verb), 1))
    path = k.path_to(arm, frame.link)
    k.refuse_bending(arm, k.bent_links(arm, path, frame, local), state)
    at = k.link_poses(arm, state, path)
    return frame, state, k.point_on(at[frame.link], frame, local), at
