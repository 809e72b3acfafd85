"""Friction as a linear function of its coefficients, and the loads of gears that some of it depends on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from lissom.kernels.arguments import as_arm, as_state
from lissom.kernels.loads import NO_LOADS, Loads
from lissom.model.arm import Arm
from lissom.model.friction import Friction
from lissom.model.joint import Joint
from lissom.model.loads import BaseMotion
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.parameters import documented


def friction_parameters(arm: Arm) -> dict[str, float]:
    """The coefficients that `friction_regressor` multiplies, by name: all that are not zero.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    dict
        By ``joint.coefficient``, such as ``"elbow.coulomb"``, in the order of the columns. Damping of joints counts as
        viscous friction, that of mimic joints as friction of those that they follow.

    Examples
    --------
    >>> import lissom as ls
    >>> ls.friction_parameters(ls.load("puma560"))["waist.coulomb"]
    25.983607
    """
    return {f"{joint.name}.{word}": value for joint, _, own in _laws(arm) for word, value in zip(
        own.names, own.coefficients.tolist(), strict=True)}  # fmt: skip


@documented
def friction_regressor(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, loads: Loads = NO_LOADS, base: BaseMotion | None = None,
    *, direction: ArrayLike | None = None, threads: int | None = None,
) -> Array:  # fmt: skip
    """Torques of friction as a linear function of its coefficients.

    Parameters
    ----------
    arm, q, qd, qdd, loads, base : ...
    direction : (..., n_joints) or None    of the motion of every joint, 1 or -1, 0 at rest; default: the sign of `qd`.
                                    A smooth function of the rates, such as ``tanh(qd / 0.01)``, suits measured rates
    threads : ...

    Returns
    -------
    F : (..., dof, k)
        ``F @ list(friction_parameters(arm).values())`` is the torque of damping and friction in `inverse_dynamics`

    Examples
    --------
    >>> import lissom as ls
    >>> F = ls.friction_regressor(ls.load("puma560"), [0.0] * 6, [-0.5] * 6, [0.0] * 6)
    >>> F[0, :3].tolist(), F.shape
    ([-1.0, -0.5, 0.0], (6, 12))
    """
    verb = "friction_regressor"
    q, qd, qdd = (as_state(as_arm(arm, verb), x, word, verb) for x, word in ((q, "q"), (qd, "qd"), (qdd, "qdd")))
    rates = qd[..., arm.joint_index]
    own = list(_laws(arm))
    some = any(laws.load for _, _, laws in own)
    transmitted = gear_loads(arm, q, qd, qdd, loads, base, threads=threads) if some else np.zeros(rates.shape)
    shape = np.broadcast_shapes(*(x.shape[:-1] for x in (q, qd, qdd)))
    out, at = np.zeros((*shape, arm.dof, sum(len(laws.names) for _, _, laws in own))), 0
    for _, k, laws in own:
        way = None if direction is None else np.asarray(direction, float)[..., k]
        columns = laws.columns(rates[..., k], transmitted[..., k], way)
        out[..., arm.joint_index[k], at : at + columns.shape[-1]] = columns
        at += columns.shape[-1]
    return out


@documented
def gear_loads(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, loads: Loads = NO_LOADS, base: BaseMotion | None = None,
    *, threads: int | None = None,
) -> Array:  # fmt: skip
    """Torques between gear and link of every joint, which load-dependent friction is proportional to.

    What the links need, with gravity and loads, and the spring of the joint; without the inertia of the drive and
    without friction.

    Parameters
    ----------
    arm, q, qd, qdd, loads, base, threads : ...

    Returns
    -------
    (..., n_joints)

    Examples
    --------
    >>> import lissom as ls
    >>> ls.gear_loads(ls.load("two_link"), [0.0, 0.5], [0.1, 0.2], [0.0, 0.0]).round(3)
    array([3.801, 0.861])
    """
    verb = "gear_loads"
    q, qd, qdd = (as_state(as_arm(arm, verb), x, word, verb) for x, word in ((q, "q"), (qd, "qd"), (qdd, "qdd")))
    plain = with_plain_friction(arm)
    tau = inverse_dynamics(plain, q, qd, qdd, loads=loads, base=base, threads=threads)[..., arm.joint_index]
    rate, acceleration = qd[..., arm.joint_index], qdd[..., arm.joint_index]
    armature = np.array([joint.reflected_inertia for joint in arm.joints])
    return np.asarray(tau - armature * acceleration - arm.damping * rate - arm.friction * np.sign(rate))


def with_plain_friction(arm: Arm) -> Arm:
    """The arm without other friction than Coulomb and viscous; the arm itself where there is none."""
    links = tuple(
        link.replace(joint=link.joint.replace(friction=link.joint.coulomb, damping=link.joint.viscous))
        if isinstance(link.joint.friction, Friction) else link
        for link in arm.links
    )  # fmt: skip
    return arm if all(a is b for a, b in zip(links, arm.links, strict=True)) else arm.replace(links=links)


def _laws(arm: Arm) -> Iterator[tuple[Joint, int, Friction]]:
    """Every joint, its number, and its friction with its damping and that of the joints that follow it."""
    for k, joint in enumerate(as_arm(arm, "friction_parameters").joints):
        whole = joint.friction_laws.replace(coulomb=float(arm.friction[k]), viscous=float(arm.damping[k]))
        yield joint, k, whole
