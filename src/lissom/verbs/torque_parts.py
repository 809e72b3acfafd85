"""The joint torques of a motion, split by their causes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError
from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.loads import NO_LOADS, Loads
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import bias_forces, coriolis_matrix, gravity_forces, inverse_dynamics, mass_matrix
from lissom.verbs.friction import with_plain_friction
from lissom.verbs.parameters import documented


class TorqueParts(NamedTuple):
    """Parts of the joint torques, each (..., dof) [N m or N]; `total` is their sum.

    inertia : ``M qdd``, with the inertia of the drives
    velocity : Coriolis and centrifugal forces, ``C qd``
    gravity : what holds the weight
    elastic : springs of joints, and bending and torsion of flexible links
    dissipation : damping and friction
    loads : what holds external loads, the arm's standing ones included, ``-J^T f``
    base : what a prescribed motion of the base adds
    """

    inertia: Array
    velocity: Array
    gravity: Array
    elastic: Array
    dissipation: Array
    loads: Array
    base: Array

    @property
    def total(self) -> Array:
        """The torques of `inverse_dynamics`, up to rounding errors of the largest part."""
        return sum(self[1:], self[0])


@documented
def inverse_dynamics_parts(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    *,
    threads: int | None = None,
) -> TorqueParts:
    """Joint torques that produce given accelerations, as inertial, velocity, gravity and other parts.

    It shows what each effect costs, and what a simplified model leaves out. Arms with closed loops are refused:
    accelerations that keep loops closed depend on the rates, so inertial and velocity parts of independent
    coordinates are not those of the joints.

    Parameters
    ----------
    arm, q, qd, qdd, loads, base, threads : ...

    Returns
    -------
    TorqueParts
        `.inertia`, `.velocity`, `.gravity`, `.elastic`, `.dissipation`, `.loads`, `.base`, each (..., dof), and
        their sum `.total`

    Examples
    --------
    >>> import lissom as ls
    >>> parts = ls.inverse_dynamics_parts(ls.load("two_link"), [0.0, 1.0], [2.0, 1.0], [1.0, 0.0])
    >>> parts.velocity.round(4), parts.gravity.round(4)
    (array([-0.1683,  0.1346]), array([3.4717, 0.5298]))
    >>> parts.total.round(4)
    array([3.6666, 0.8061])
    """
    verb = "inverse_dynamics_parts"
    if as_arm(arm, verb).loops:
        raise UnsupportedError(
            f"{verb}: arm {arm.name!r} has closed loops, where inertial and velocity parts are not apart: "
            "accelerations that keep loops closed depend on the rates. For the open tree, use arm.replace(loops=())."
        )
    q, qd, qdd = state = _state(arm, (q, qd, qdd), verb)
    rough, arm = arm, with_plain_friction(arm)
    bare = arm.replace(loads=()) if arm.loads else arm
    weightless = bare.with_gravity((0.0, 0.0, 0.0)) if np.any(arm.gravity) else bare
    elastic = gravity_forces(weightless, q, threads=threads)
    onward, back = (bias_forces(weightless, q, rate, threads=threads) for rate in (qd, -qd))
    moving, still = _pushed(arm, state, loads, base, threads)
    lost = (onward - back) / 2  # velocity forces are even in the rates, damping and Coulomb friction odd
    if rough is not arm:
        whole, plain = (inverse_dynamics(x, *state, loads=loads, base=base, threads=threads) for x in (rough, arm))
        lost = lost + (whole - plain)
    return TorqueParts(
        np.einsum("...ij,...j->...i", mass_matrix(bare, q, threads=threads), qdd),
        np.einsum("...ij,...j->...i", coriolis_matrix(bare, q, qd, threads=threads), qd),
        gravity_forces(bare, q, threads=threads) - elastic,
        elastic,
        lost,
        still,
        moving,
    )


def _state(arm: Arm, state: tuple[ArrayLike, ...], verb: str) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations with all coordinates, in one batch."""
    words = ("q", "qd", "qdd")
    rows = [as_state(arm, x, word, verb) for x, word in zip(state, words, strict=True)]
    try:
        q, qd, qdd = (np.ascontiguousarray(x) for x in np.broadcast_arrays(*rows))
    except ValueError:
        shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(words, rows, strict=True))
        raise InputError(f"{verb}: the batches do not fit together: {shapes}.") from None
    return q, qd, qdd


def _pushed(
    arm: Arm, state: tuple[Array, Array, Array], loads: Loads, base: BaseMotion | None, threads: int | None
) -> tuple[Array, Array]:
    """Parts of the base's motion and of the loads; zero without them."""
    q, qd, qdd = state
    nothing = np.zeros(q.shape)
    if base is None and not len(loads) and not arm.loads:
        return nothing, nothing
    bare = arm.replace(loads=()) if arm.loads else arm
    plain = inverse_dynamics(bare, q, qd, qdd, threads=threads)
    held = inverse_dynamics(arm, q, qd, qdd, loads=loads, threads=threads)
    if base is None:
        return nothing, held - plain
    moved = inverse_dynamics(arm, q, qd, qdd, loads=loads, base=base, threads=threads)
    return moved - held, held - plain
