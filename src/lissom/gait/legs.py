"""Legs of an arm: which joints are hip, knee and ankle of which side, and which contacts belong to which foot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, listed, shown, suggest
from lissom.gait.axes import Axes
from lissom.model.arm import Arm
from lissom.model.contact import Contact
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import poses

SIDES = ("right", "left")
SIDE_WORDS = {"right": "right", "r": "right", "left": "left", "l": "left"}
JOINTS = {"hip": ("hip",), "knee": ("knee",), "ankle": ("ankle", "subtalar")}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
SMALL = 1e-6  # rad or m, step of a difference


class LegJoint(NamedTuple):
    """Hip, knee or ankle of one leg.

    coordinates : (joints,)    the places of its joints in q
    above, below : int         the links that it connects
    flexion : int              the coordinate that bends it most
    sign : float               of flexion in that coordinate
    """

    coordinates: Array
    above: int
    below: int
    flexion: int
    sign: float


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters: "HipFlexion_r" has hip, flexion and r."""
    return [word.lower() for word in WORD.findall(name)]


def side_of(*names: str) -> str | None:
    """The side that the first name says that says one; None where none of them does."""
    for name in names:
        for word in words_of(name):
            if word in SIDE_WORDS:
                return SIDE_WORDS[word]
    return None


def feet_of(contacts: Sequence[Contact]) -> dict[str, list[int]]:
    """Places of the contacts of both feet; an error where a foot has none."""
    feet: dict[str, list[int]] = {side: [] for side in SIDES}
    for k, contact in enumerate(contacts):
        side = side_of(contact.name, contact.link)
        if side is not None:
            feet[side].append(k)
    for side, places in feet.items():
        if not places:
            names = listed([contact.name for contact in contacts], 8) or "none"
            raise InputError(
                f"gait_report: no contact belongs to the {side} foot; expected names as heel_{side} or heel_{side[0]}; "
                f"the contacts are: {names}."
            )
    return feet


def legs_of(arm: Arm, joints: Mapping[str, Any] | None, axes: Axes, neutral: Array) -> dict[str, dict[str, LegJoint]]:
    """{side: {"hip", "knee" or "ankle": joint}} of the joints that are found by their names, or given by them."""
    named = _found(arm) if joints is None else _given(arm, joints)
    X = poses(arm, neutral)
    return {side: {word: _joint(arm, names, axes, neutral, X) for word, names in some.items() if names}
            for side, some in named.items()}  # fmt: skip


def _found(arm: Arm) -> dict[str, dict[str, list[str]]]:
    out: dict[str, dict[str, list[str]]] = {side: {word: [] for word in JOINTS} for side in SIDES}
    for joint in arm.joints:
        side, own = side_of(joint.name), words_of(joint.name)
        word = next((word for word, known in JOINTS.items() if set(known) & set(own)), None)
        if side is not None and word is not None and joint.angular:
            out[side][word].append(joint.name)
    if not any(names for some in out.values() for names in some.values()):
        raise InputError(
            "gait_report: no joint is named after a hip, knee or ankle of a side, such as knee_right; say which "
            "they are with joints={'knee': ('right joint', 'left joint')}."
        )
    return out


def _given(arm: Arm, joints: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    known = [joint.name for joint in arm.joints]
    out: dict[str, dict[str, list[str]]] = {side: {} for side in SIDES}
    for word, pair in joints.items():
        if word not in JOINTS:
            raise InputError(f"gait_report: joints has {shown(word)}; expected {', '.join(JOINTS)}.")
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(f"gait_report: joints[{word!r}] is {shown(pair)}; expected a pair, right and left.")
        for side, names in zip(SIDES, pair, strict=True):
            out[side][word] = [names] if isinstance(names, str) else list(names)
            for name in out[side][word]:
                if name not in known:
                    raise InputError(f"gait_report: there is no joint {shown(name)}; {suggest(str(name), known)}")
    return out


def _joint(arm: Arm, names: Iterable[str], axes: Axes, neutral: Array, X: Array) -> LegJoint:
    place = {joint.name: int(k) for joint, k in zip(arm.joints, arm.joint_index, strict=True)}
    links = sorted(k for k, link in enumerate(arm.links) if link.joint.name in set(names))
    coordinates = np.array([place[arm.links[k].joint.name] for k in links])
    above, below = int(arm.parent_index[links[0]]), links[-1]
    slopes = []
    for k in coordinates:
        moved = np.array(neutral)
        moved[k] += SMALL
        turned = axes.turn(poses(arm, moved)[below], X[below])
        slopes.append(float(turned - (0.0 if above < 0 else axes.turn(poses(arm, moved)[above], X[above]))))
    best = int(np.argmax(np.abs(slopes)))
    return LegJoint(coordinates, above, below, int(coordinates[best]), float(np.sign(slopes[best])))
