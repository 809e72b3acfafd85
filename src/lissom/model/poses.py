"""Named poses of an arm: positions of joints, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lissom.errors import ModelError, about, shown
from lissom.model.fields import joint_positions, name, records
from lissom.model.record import Record

READY = "ready"  # the pose that figures and the viewer show


@dataclass(frozen=True, eq=False)
class NamedPose(Record):
    """Positions of some joints under a name.

    Parameters
    ----------
    name : str
    positions : mapping joint -> position      [rad or m]; joints that it does not name are at home

    Examples
    --------
    >>> NamedPose("ready", {"elbow": -1.2}).positions
    (('elbow', -1.2),)
    """

    name: str
    positions: Any = field(default=())

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "name of a pose"))
        with about(f"pose {self.name!r}"):
            self._set(positions=joint_positions(self.positions, "positions"))

    def with_joint_renamed(self, before: str, after: str) -> NamedPose:
        """The same pose after a joint got another name."""
        return self.replace(positions=[(after if joint == before else joint, at) for joint, at in self.positions])


def named_poses(value: Any, what: str) -> tuple[NamedPose, ...]:
    """Poses from a mapping name -> positions, or from a sequence of NamedPoses; names are unique."""
    if isinstance(value, Mapping):
        return tuple(NamedPose(word, positions) for word, positions in value.items())
    poses: tuple[NamedPose, ...] = records(value, what, NamedPose)
    words = [pose.name for pose in poses]
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise ModelError(f"the name of a pose, {shown(twice)}, is used twice; give each pose a name of its own.")
    return poses
