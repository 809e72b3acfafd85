"""A person as solids for pictures: no number of the dynamics depends on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom.humans.body.build import Build
from lissom.humans.body.joints import SIDES
from lissom.humans.body.tables import proportion
from lissom.model.link import LinkShape
from lissom.spatial.frames import pose, turn

SKIN, SHIRT, TROUSERS, SHOES = "#d9a679", "#4f7ea8", "#3d444c", "#8a3324"
LEFT = {SHIRT: "#7fa6c9", TROUSERS: "#6b747d", SKIN: "#e3bd99", SHOES: "#b06a55"}  # lighter, to tell the sides apart


def shapes(build: Build, count: int, link: str) -> tuple[LinkShape, ...]:
    """Solids of a link; a point for those without a body, or they would be drawn as rods."""
    word, _, side = link.rpartition("_")
    limb = LIMBS.get(word) if side in SIDES else None
    found = limb(build, count < 31, SIDES[side]) if limb is not None else _midline(build, count, link) or [POINT]
    return tuple(shape.replace(colour=LEFT[shape.colour]) for shape in found) if side == "l" else tuple(found)


def _solid(
    kind: str, size: tuple[float, ...], at: tuple[float, float, float], colour: str, lying: bool = False
) -> LinkShape:
    """One solid; a cylinder stands, or lies along y."""
    origin = pose(p=at) @ turn("x", np.pi / 2) if lying else pose(p=at)
    return LinkShape(kind, size=size, origin=origin, role="drawing", colour=colour)


POINT = _solid("sphere", (1e-3,), (0.0, 0.0, 0.0), TROUSERS)


def _capsule(length: float, radius: float, y: float, colour: str, top: float = 0.0) -> list[LinkShape]:
    """A limb that hangs down from `top`, with round ends."""
    middle, end = top - length / 2, top - length
    return [
        _solid("cylinder", (radius, length), (0.0, y, middle), colour),
        _solid("sphere", (radius,), (0.0, y, top), colour),
        _solid("sphere", (radius,), (0.0, y, end), colour),
    ]


def _aside(build: Build, planar: bool, sign: float, name: str) -> float:
    """Distance from the plane at which a limb of a planar person is drawn."""
    return sign * build.length(name) if planar else 0.0


def _thigh(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    y = _aside(build, planar, sign, "hip")
    return _capsule(build.segment("thigh").length, 0.040 * build.height, y, TROUSERS)


def _shank(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    y = _aside(build, planar, sign, "hip")
    return _capsule(build.segment("shank").length, 0.027 * build.height, y, TROUSERS)


def _foot(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    y, ankle = _aside(build, planar, sign, "hip"), build.length("ankle")
    heel, ball, wide = (build.along_foot(name) for name in ("heel", "ball", "ball_half_width"))
    long = ball - heel
    return [
        _solid("box", (long, 2 * wide, 0.45 * ankle), (heel + long / 2, y, -0.775 * ankle), SHOES),
        _solid("box", (0.55 * long, 1.5 * wide, 0.6 * ankle), (heel + 0.3 * long, y, -0.4 * ankle), SHOES),
    ]


def _toes(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    y, ankle = _aside(build, planar, sign, "hip"), build.length("ankle")
    long, wide = build.along_foot("tip") - build.along_foot("ball"), build.along_foot("ball_half_width")
    return [_solid("box", (long, 1.9 * wide, 0.35 * ankle), (long / 2, y, 0.175 * ankle), SHOES)]


def _upper_arm(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    y = _aside(build, planar, sign, "shoulder")
    return _capsule(build.segment("upper_arm").length, 0.025 * build.height, y, SHIRT)


def _forearm(build: Build, planar: bool, sign: float, top: float = 0.0) -> list[LinkShape]:
    y = _aside(build, planar, sign, "shoulder")
    return _capsule(build.segment("forearm").length, 0.020 * build.height, y, SKIN, top)


def _hand(build: Build, planar: bool, sign: float, top: float = 0.0) -> list[LinkShape]:
    y, long = _aside(build, planar, sign, "shoulder"), 0.1 * build.height
    return [_solid("box", (0.045 * build.height, 0.018 * build.height, long), (0.0, y, top - long / 2), SKIN)]


def _forearm_and_hand(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    return _forearm(build, planar, sign) + _hand(build, planar, sign, -build.segment("forearm").length)


def _arm(build: Build, planar: bool, sign: float) -> list[LinkShape]:
    elbow = -build.segment("upper_arm").length
    wrist = elbow - build.segment("forearm").length
    return (_upper_arm(build, planar, sign) + _forearm(build, planar, sign, elbow)
            + _hand(build, planar, sign, wrist))  # fmt: skip


LIMBS: dict[str, Callable[[Build, bool, float], list[LinkShape]]] = {
    "thigh": _thigh, "shank": _shank, "foot": _foot, "toes": _toes, "arm": _arm, "upper_arm": _upper_arm,
    "forearm": _forearm_and_hand, "hand": _hand,
}  # fmt: skip


def _midline(build: Build, count: int, link: str) -> list[LinkShape]:
    """Pelvis, trunk and head."""
    joints = [part * build.trunk_length for part in proportion("of_trunk", "spine")]
    top, neck = build.shoulder_height, build.trunk_length
    if link == "pelvis":
        hips = [_solid("cylinder", (0.052 * build.height, 2.4 * build.length("hip")), (0.0, 0.0, 0.0), TROUSERS, True)]
        if count == 13:
            return hips + _torso(build, 0.0, top, 0.0) + _shoulders(build, top) + _head(build, neck)
        return hips + _torso(build, 0.0, joints[0], 0.0)
    if link == "chest":
        base = joints[0]
        return _torso(build, base, top, base) + _shoulders(build, top - base) + _head(build, neck - base)
    if link.startswith("spine") and link[5:].isdigit():
        k = int(link[5:]) - 1
        end = joints[k + 1] if k < 3 else top
        return _torso(build, joints[k], end, joints[k]) + (_shoulders(build, top - joints[k]) if k == 3 else [])
    return _head(build, -build.length("nod")) if link == "head" else []


def _torso(build: Build, low: float, high: float, joint: float) -> list[LinkShape]:
    """A part of the trunk between two heights above the hips, wider towards the shoulders."""
    wide = (0.082 + 0.03 * (low + high) / 2 / build.shoulder_height) * build.height
    deep, tall, middle = 0.056 * build.height, high - low, (low + high) / 2 - joint
    box = _solid("box", (2 * deep, 2 * (wide - deep), tall), (0.0, 0.0, middle), SHIRT)
    sides = [_solid("cylinder", (deep, tall), (0.0, s * (wide - deep), middle), SHIRT) for s in (-1.0, 1.0)]
    return [box, *sides]


def _shoulders(build: Build, at: float) -> list[LinkShape]:
    return [_solid("cylinder", (0.034 * build.height, 2 * build.length("shoulder")), (0.0, 0.0, at), SHIRT, True)]


def _head(build: Build, base: float) -> list[LinkShape]:
    """Neck and head above CERV at height `base` in the link."""
    long = build.segment("head").length
    radius = 0.38 * long
    return [
        _solid("cylinder", (0.028 * build.height, 0.45 * long), (0.0, 0.0, base + 0.1 * long), SKIN),
        _solid("sphere", (radius,), (0.0, 0.0, base + long - radius), SKIN),
        _solid("sphere", (0.12 * radius,), (0.97 * radius, 0.0, base + long - 1.1 * radius), SKIN),
    ]
