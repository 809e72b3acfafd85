"""Forces and moments in the joints."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lissom.errors import InputError, shown
from lissom.kernels.call import call
from lissom.kernels.loads import NO_LOADS, Applied, Loads
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion
from lissom.spatial.rotations import Array
from lissom.verbs.parameters import documented

AXES = ("world", "link")


@documented
def joint_reactions(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    frame: str = "world",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Forces and moments that the joints transmit.

    Row k is what the parent of link k (or the base) exerts on it through its joint: force, then moment about the
    origin of the joint, which moves with the link. Along the axis of a joint that moves it is what the link needs: the
    torque of `inverse_dynamics` less drive inertia, damping, friction and spring. Of a fixed joint it is what the weld
    carries. All mass of a flexible link hangs on its joint.

    With closed loops the motion must keep them closed, and the forces of the closures act on their links (see
    `closure_forces`; where closures are redundant, those with the least sum of squares).

    With ``flexibility="linear"`` or ``"book"`` frames beyond a tip stretch by the square of its slope. Force and moment
    balance the momentum of all that is beyond the joint there too (for "book" as far as its truncated equations do);
    along the axis they differ from the torque by the squares of slopes, and the axes of a link are those of `poses`,
    as little of unit length. ``"de_luca_siciliano"`` has no forces between links and is refused.

    Parameters
    ----------
    arm, q, qd, qdd, loads, base : ...
    frame : str                         axes of the result: "world", or "link", those of each link's frame
    out : (..., links, 6) ...
    threads : ...

    Returns
    -------
    reactions : (..., links, 6)         in the order of ``arm.links`` [N, N m]

    Examples
    --------
    Two bars of 0.5 kg at rest:

    >>> import lissom as ls
    >>> ls.joint_reactions(ls.load("two_link"), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([[0.   , 9.806, 0.   , 0.   , 0.   , 3.922],
           [0.   , 4.903, 0.   , 0.   , 0.   , 0.981]])
    """
    if frame not in AXES:
        raise InputError(f"joint_reactions: frame is {shown(frame)}; expected 'world' or 'link'.")
    name = "joint_reactions_in_link_axes" if frame == "link" else "joint_reactions"
    return call(arm, name, (q, qd, qdd), Applied(loads, base, threads=threads), out)
