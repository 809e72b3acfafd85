"""Writing the native format: the whole arm, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from lissom.formats.documents import VERSION
from lissom.formats.toml_text import table_lines
from lissom.model.arm import Arm
from lissom.model.beam import Beam
from lissom.model.contact import PAIRS
from lissom.model.friction import Friction
from lissom.model.joint import Joint
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape
from lissom.model.record import Record
from lissom.spatial.frames import is_identity
from lissom.spatial.rotations import Array

Table = dict[str, Any]


def write(arm: Arm) -> str:
    """TOML text that reads back as an equal arm."""
    head: Table = {"lissom": VERSION, "name": arm.name}
    if arm.source:
        head["source"] = arm.source
    if arm.notes:
        head["notes"] = list(arm.notes)
    head["gravity"] = arm.gravity
    if arm.flexibility != "second_order":
        head["flexibility"] = arm.flexibility
    if arm.kinematics_only:
        head["kinematics_only"] = True
    lines = table_lines("# An arm for lissom; SI units, angles in rad.", head)
    if arm.named_poses:
        lines += table_lines("[poses]", {pose.name: dict(pose.positions) for pose in arm.named_poses})
    lines += _shapes("[[shapes]]", arm.shapes)
    for link in arm.links:
        lines += _link(link)
    for loop in arm.loops:
        row = {word: _loop_end(getattr(loop, word)) for word in ("a", "b")}
        lines += table_lines("[[loops]]", {**row, "joint": loop.joint})
    for load in arm.loads:
        lines += table_lines("[[loads]]", _changed(load))
    for contact in arm.contacts:
        lines += table_lines("[[contacts]]", _changed(contact))
    if arm.mirror is not None:
        pairs = {word: dict(getattr(arm.mirror, word)) for word in (*PAIRS, "signs") if getattr(arm.mirror, word)}
        lines += table_lines("[mirror]", pairs | _changed(arm.mirror, without=(*PAIRS, "signs")))
    return "\n".join(lines)


def _link(link: Link) -> list[str]:
    row = _changed(link, without=("joint", "beam", "modes", "payload", "tools", "shapes", "frame"))
    if not is_identity(link.frame):
        row["frame"] = _placement(link.frame)
    if link.payload is not None:
        row["payload"] = _changed(link.payload)
    lines = table_lines("[[links]]", row)
    joint = _joint(link.joint, link.name)
    lines += table_lines("[links.joint]", joint) if joint else []
    if link.beam is not None:
        lines += table_lines("[links.beam]", _beam(link.beam))
    if link.modes is not None:
        lines += table_lines("[links.modal_integrals]", _changed(link.modes))
    for tool in link.tools:
        lines += table_lines("[[links.tools]]", {"name": tool.name, "placement": _placement(tool.placement)})
    return lines + _shapes("[[links.shapes]]", link.shapes)


def _shapes(header: str, shapes: Iterable[LinkShape]) -> list[str]:
    lines = []
    for shape in shapes:
        row = _changed(shape, without=("origin",))
        if not is_identity(shape.origin):
            row["origin"] = _placement(shape.origin)
        lines += table_lines(header, row)
    return lines


def _joint(joint: Joint, link: str) -> Table:
    row: Table = {"type": joint.kind}
    if joint.name != link:
        row["name"] = joint.name
    if not is_identity(joint.placement):
        row["placement"] = _placement(joint.placement)
    row |= _changed(joint, without=("kind", "name", "placement", "limits", "elastic", "mimic", "actuator"))
    if isinstance(joint.friction, Friction):
        row["friction"] = _changed(joint.friction)
    if joint.limits != Limits():
        row["limits"] = _changed(joint.limits)
    if joint.elastic is not None:
        row["elastic"] = _changed(joint.elastic)
    if joint.mimic is not None:
        row["mimic"] = _changed(joint.mimic)
    if joint.actuator is not None:
        row["actuator"] = _changed(joint.actuator)
    return row


def _beam(beam: Beam) -> Table:
    row = _changed(beam, without=("EI", "modes", "tip_pose"))
    for word in ("shapes", "tip"):
        if isinstance(row.get(word), Record):
            row[word] = _changed(row[word])
    if beam.tip_pose:
        row["tip_pose"] = dict(beam.tip_pose)
    row |= {word: value for word, value in zip(("EI_y", "EI_z"), beam.EI, strict=True) if value is not None}
    row["modes"] = {f.name: getattr(beam.modes, f.name) for f in fields(beam.modes)}
    return row


def _loop_end(end: tuple[str | None, Array]) -> Table:
    link, frame = end
    row: Table = {} if link is None else {"link": link}
    only_point = np.array_equal(frame[:3, :3], np.eye(3))
    return row | ({"point": frame[:3, 3]} if only_point else {"frame": _placement(frame)})


def _placement(X: Array) -> Table:
    row: Table = {"xyz": X[:3, 3]}
    if not np.array_equal(X[:3, :3], np.eye(3)):
        row["rotation"] = X[:3, :3]
    return row


def _changed(record: Record, without: tuple[str, ...] = ()) -> Table:
    """Fields of a record that differ from their defaults."""
    row = {}
    for f in fields(record):  # type: ignore[arg-type]
        value = getattr(record, f.name)
        if f.name not in without and value is not None and not _is_default(f.default, value):
            row[f.name] = value
    return row


def _is_default(default: Any, value: Any) -> bool:
    if isinstance(value, np.ndarray):
        same = isinstance(default, tuple | float) and np.array_equal(np.asarray(default), value)
        zero = default == 0.0 and not isinstance(default, tuple) and not value.any()
        return bool(same or zero)
    return bool(type(default) is type(value) and default == value)
