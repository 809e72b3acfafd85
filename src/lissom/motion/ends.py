"""States at the ends of a motion: one entry per coordinate, elastic parts where they come to rest.

Given for every joint, elastic coordinates (amplitudes of flexible links, deflections of elastic joints) follow: at an
end they are where gravity, loads and springs let them rest with the joints held, the static sag, and still. Passive
joints are given like others; at rest they must be where nothing moves them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.control.equilibrium import equilibrium
from lissom.errors import InputError, SolveError
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.model.units import units
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

BALANCED = 1e-6  # of the largest torque that holds the arm, or of 1: torques on passive joints below it are none


def spread(arm: Arm, value: Array, elastic: float) -> Array:
    """(n,) of one entry per joint, or of all; `elastic` for the elastic coordinates that are not given."""
    if len(value) == arm.dof:
        return np.array(value, float)
    out = np.full(arm.dof, elastic)
    out[arm.joint_index] = value
    return out


def held(arm: Arm) -> Arm:
    """The arm with its passive joints held too."""
    passive = [joint.name for joint in arm.joints if not joint.actuated]
    for name in passive:
        arm = arm.with_joint(name, actuated=True)
    return arm


def sagged(arm: Arm, q: Array, loads: Sequence[Load], what: str) -> Array:
    """(n,) positions of joints with the elastic coordinates at rest; NaN there while a joint is free."""
    elastic = arm.mode_index
    if not len(elastic) or np.isfinite(q[elastic]).all():
        return q
    if np.isnan(q[arm.joint_index]).any():
        return q
    start = np.nan_to_num(q)
    try:
        return equilibrium(held(arm), start, loads).q
    except SolveError as error:
        raise InputError(f"{what}: {str(error).removeprefix('equilibrium: ')}") from None


def refuse_unbalanced(arm: Arm, q: Array, loads: Sequence[Load], what: str) -> None:
    """At rest nothing pulls at what no motor holds."""
    loose = np.flatnonzero(~arm.actuated)
    if not len(loose) or np.isnan(q).any():
        return
    tau = inverse_dynamics(arm, q, 0 * q, 0 * q, loads=loads)
    k = int(loose[np.argmax(np.abs(tau[loose]))])
    if abs(tau[k]) > BALANCED * max(1.0, float(np.abs(tau).max())):
        raise InputError(
            f"{what} is at rest, but {arm.coordinates[k]!r} is unactuated and not in equilibrium: a generalized force "
            f"of {abs(tau[k]):.3g} {units(arm, 'tau')[k]} acts on it. Give an equilibrium position, NaN to "
            "leave it free, or a rate."
        )
