"""What `lissom torques` says beside its table: positions and torques beyond limits, rest, forces that hold beams."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.cli.torque_source import TorqueSource
from lissom.errors import listed
from lissom.model.arm import Arm
from lissom.model.positions import outside_limits
from lissom.model.units import units
from lissom.simulation.trajectory import Trajectory

OVER = 1 + 1e-3  # of a limit: planned motions use limits fully and may round above them
DEGREES = "convert these columns, tables have no degrees"


def warnings_of(source: TorqueSource, rows: list[dict[str, Any]]) -> list[str]:
    """Sentences about positions outside limits, or in degrees, and about the joints that are overloaded most."""
    beyond = outside_limits(source.arm, source.path.q, DEGREES)
    over = sorted((row for row in rows if row["of_limit"] > OVER), key=lambda row: -row["of_limit"])
    words = [
        f"{row['name']!r} at {row['t']:.4g} s ({abs(row['peak']):.4g} {row['unit']}, {100 * row['of_limit']:.4g} %)"
        for row in over
    ]
    overloaded = f"the motion needs more than the torque limit of joint {listed(words, 3)}." if over else ""
    return [sentence for sentence in (beyond, overloaded) if sentence]


def notes_of(source: TorqueSource) -> list[str]:
    """Sentences about rates that count as rest, and about forces that hold beams straight."""
    return [note for note in (_rest(source.arm, source.path), _beams(source.arm, source.path)) if note]


def _rest(arm: Arm, path: Trajectory) -> str:
    """Where friction is left out, as the direction of a joint is not known from its positions."""
    if path.stilled is None:
        return ""
    stilled = np.where(arm.expanded(arm.sticks.astype(float)) > 0, path.stilled, 0.0)
    if not stilled.any():
        return ""
    k = int(np.argmax(stilled))
    return (
        "the rates come from positions; those below their own error count as rest, without friction (up to "
        f"{stilled[k]:.2g} {units(arm, 'qd')[k]}, {arm.coordinates[k]}). Columns qd in the file are used as they are."
    )


def _beams(arm: Arm, path: Trajectory) -> str:
    """What a force of an elastic coordinate is in a motion whose beams stay straight."""
    if not len(arm.mode_index) or path.q[:, arm.mode_index].any():
        return ""
    first = arm.coordinates[int(arm.mode_index[0])]
    return (
        f"rows such as {first!r} are no motors: they are the forces that would hold the beams straight along this "
        "motion; `lissom simulate` lets them bend."
    )
