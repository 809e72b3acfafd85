"""States at the ends of a motion: one entry per coordinate, elastic parts where they come to rest.

Given for every joint, elastic coordinates (amplitudes of flexible links, deflections of elastic joints) follow: at an
end they are where gravity, loads and springs let them rest with the joints held, the static sag, and still. Passive
joints are given like others; at rest they must be where nothing moves them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.control.equilibrium import at_rest
from lissom.errors import InputError, SolveError
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array


def spread(arm: Arm, value: Array, elastic: float) -> Array:
    """Return entries (n,) from one per joint or all; `elastic` for the elastic coordinates that are not given."""
    if len(value) == arm.dof:
        return np.array(value, float)
    out = np.full(arm.dof, elastic)
    out[arm.joint_index] = value
    return out


def rates_at(arm: Arm, task: Task, word: str) -> Array:
    """Return the rates (n,) at "start" or "goal": at rest where none are given, NaN where free."""
    value = getattr(task, f"{word}_velocity")
    return np.zeros(arm.dof) if value is None else spread(arm, value, 0.0)


def held(arm: Arm) -> Arm:
    """Return the arm with its passive joints held too."""
    passive = [joint.name for joint in arm.joints if not joint.actuated]
    for name in passive:
        arm = arm.with_joint(name, actuated=True)
    return arm


def sagged(arm: Arm, q: Array, loads: Sequence[Load], what: str) -> Array:
    """Return positions (n,) of joints with the elastic coordinates at rest; NaN there while a joint is free."""
    elastic = arm.mode_index
    if not len(elastic) or np.isfinite(q[elastic]).all():
        return q
    if np.isnan(q[arm.joint_index]).any():
        return q
    start = np.nan_to_num(q)
    try:
        return at_rest(held(arm), start, loads).q
    except SolveError as error:
        raise InputError(f"{what}: {str(error).removeprefix('equilibrium: ')}") from None
