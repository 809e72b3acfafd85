"""States of pandas and xarray, whose entries have names: they are put into the order of the arm."""

from __future__ import annotations

from typing import Any

from lissom.arrays import labelled
from lissom.errors import InputError, shown, suggest
from lissom.model.arm import Arm


def by_name(arm: Arm, value: Any, what: str, verb: str) -> Any:
    """Return the entries (..., dof) or (..., joints) of a labelled array in the order of the arm, others as they are.

    Names are those of all coordinates, or of all joints, in any order; "q[elbow]" is the elbow of an argument q.
    """
    names, values = labelled(value)
    if names is None:
        return value
    plain = [_inside(name, what) for name in names]
    joints = [joint.name for joint in arm.joints]
    for wanted in (list(arm.coordinates), joints):
        if sorted(plain) == sorted(wanted):
            return values[..., [plain.index(name) for name in wanted]]
    raise InputError(f"{verb}: {what} {_wrong(arm, joints, plain)}")


def _inside(name: str, what: str) -> str:
    """Return the coordinate in the name of a column of a table: q[elbow] -> elbow."""
    opened = f"{what}["
    return name[len(opened) : -1] if name.startswith(opened) and name.endswith("]") else name


def _wrong(arm: Arm, joints: list[str], names: list[str]) -> str:
    """Say which names do not fit the arm."""
    known = list(dict.fromkeys([*arm.coordinates, *joints]))
    for name in names:
        if name not in known:
            return f"has a column {shown(name)}, which arm {arm.name!r} has not; {suggest(name, known)}"
        if names.count(name) > 1:
            return f"has the column {shown(name)} more than once; expected each joint of arm {arm.name!r} once."
    missing = ", ".join(name for name in joints if name not in names) or "some elastic coordinates"
    return f"has no column for {missing}; expected one for each joint of arm {arm.name!r}, or for each coordinate."
