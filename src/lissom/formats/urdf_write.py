"""Writing URDF. What URDF cannot represent raises an error, or is dropped and listed if requested."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape
from lissom.spatial.frames import is_identity, pose
from lissom.spatial.rotations import Array, to_rpy

# URDF demands effort and velocity limits; this stands for "none" (our reader knows it).
NO_LIMIT = 1e12
DRAWING = "lissom_drawing"  # the name of visual shapes that are drawings, by which our reader knows them
TYPES = ("revolute", "prismatic", "fixed")  # kinds of joints that URDF has under the same name
DEFAULT_GRAVITY = (0.0, 0.0, -9.81)


def write(arm: Arm, lossy: bool = False) -> str:
    """URDF text of an arm.

    URDF has no offset between joint and link frames: bodies, tools and children are moved into
    the joint frame. Payloads become part of their links, tools become massless links.
    """
    missing = unsayable(arm)
    if missing and not lossy:
        raise UnsupportedError(
            f"URDF cannot represent: {'; '.join(missing)}. Save as .toml to keep everything, "
            "or use lossy=True (--lossy) to drop these."
        )
    lines = ['<?xml version="1.0"?>', f"<robot name={_quoted(arm.name)}>"]
    taken = set(arm.frames) | {link.joint.name for link in arm.links}
    root = _root(arm)
    base = arm.links[0].name if root else _free("base", taken)
    if not root:
        lines += _element(base, _shapes(arm.shapes, pose()))
    for i, link in enumerate(arm.links):
        lines += _link(link, arm.shapes if root and i == 0 else ())
        if not (root and i == 0):
            parent = arm.links[arm.parent_index[i]] if link.parent is not None else None
            X = link.joint.placement if parent is None else parent.frame @ link.joint.placement
            lines += _joint(link.joint, link.parent or base, link.name, X)
        for tool in link.tools:
            lines.append(f"  <link name={_quoted(tool.name)}/>")
            fixed = Joint("fixed", name=_free(f"{tool.name}_fixed", taken))
            lines += _joint(fixed, link.name, tool.name, link.frame @ tool.placement)
    return "\n".join([*lines, "</robot>", ""])


def unsayable(arm: Arm) -> list[str]:
    """Parts of an arm that URDF cannot represent; raises an error for flexible ones."""
    if arm.flexible:
        names = [link.name for link in arm.links if link.flexible]
        raise UnsupportedError(
            f"URDF has no flexible links ({', '.join(names)}). Save as .toml; lossy=True (--lossy) does not drop them."
        )
    elastic = [joint.name for joint in arm.moving_joints if joint.elastic is not None]
    if elastic:
        raise UnsupportedError(
            f"URDF has no elastic joints ({', '.join(elastic)}). Save as .toml; lossy=True (--lossy) keeps none."
        )
    other = [joint for joint in arm.moving_joints if joint.kind not in TYPES]
    if other:
        listed = ", ".join(f"{joint.name}: {joint.kind}" for joint in other)
        raise UnsupportedError(
            f"URDF has revolute, continuous, prismatic and fixed joints only ({listed}). Save as .toml."
        )
    out = []
    if tuple(arm.gravity) != DEFAULT_GRAVITY:
        out.append(f"gravity {arm.gravity.tolist()}")
    out += ["loop closures"] if arm.loops else []
    out += ["standing loads"] if arm.loads else []
    out += ["contacts"] if arm.contacts else []
    out += ["the mirror"] if arm.mirror is not None else []
    out += ["the kinematics_only flag"] if arm.kinematics_only else []
    taken = [word for word in (*arm.frames, *(link.joint.name for link in arm.links)) if "${" in word]
    if taken:
        raise UnsupportedError(f"URDF readers interpret the name {taken[0]!r} as xacro. Rename it, or save as .toml.")
    words: dict[str, Callable[[Joint], bool]] = {
        "drive inertia": lambda j: j.reflected_inertia != 0.0 or j.gear_ratio != 1.0,
        "springs": lambda j: j.stiffness != 0.0 or j.rest != 0.0,
        "friction other than Coulomb and viscous": lambda j: bool(j.friction_laws.numbers),
        "actuators with lag": lambda j: j.actuator is not None and j.actuator.lag > 0.0,
        "passive joints": lambda j: not j.actuated,
        "limits beyond position, speed and effort": lambda j: _more_limits(j.limits),
    }
    for what, has in words.items():
        names = [joint.name for joint in arm.moving_joints if has(joint)]
        if names:
            out.append(f"{what} ({', '.join(names)})")
    return out


def _more_limits(limits: Limits) -> bool:
    if any(getattr(limits, word) is not None for word in ("acceleration", "jerk", "torque_rate", "power")):
        return True
    pairs = [pair for pair in (limits.velocity, limits.torque) if pair is not None]
    return any(lower != -upper or upper == 0.0 for lower, upper in pairs)  # URDF's 0 means "not given"


def _root(arm: Arm) -> bool:
    """Whether the first link can be URDF's root: alone on the base, fixed there, at the origin."""
    first = arm.links[0]
    alone = sum(link.parent is None for link in arm.links) == 1
    return alone and not first.joint.moves and is_identity(first.joint.placement)


def _free(word: str, taken: set[str]) -> str:
    while word in taken:
        word += "_"
    taken.add(word)
    return word


def _link(link: Link, of_base: Iterable[LinkShape] = ()) -> list[str]:
    body = link.body.in_frame(link.frame) if not is_identity(link.frame) else link.body
    lines = []
    if body.mass != 0.0 or body.moment.any():
        I = body.moment
        six = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
        tensor = " ".join(f'{word}="{float(I[r, c])!r}"' for word, r, c in six)
        lines = ["    <inertial>", f"      {_origin(pose(p=body.com))}", f'      <mass value="{body.mass!r}"/>',
                 f"      <inertia {tensor}/>", "    </inertial>"]  # fmt: skip
    return _element(link.name, lines + _shapes(of_base, pose()) + _shapes(link.shapes, link.frame))


def _element(name: str, inside: list[str]) -> list[str]:
    """A link with its contents."""
    if not inside:
        return [f"  <link name={_quoted(name)}/>"]
    return [f"  <link name={_quoted(name)}>", *inside, "  </link>"]


def _shapes(shapes: Iterable[LinkShape], frame: Array) -> list[str]:
    return [line for shape in shapes for line in _shape(shape, frame @ shape.origin)]


def _shape(shape: LinkShape, X: Array) -> list[str]:
    size = [repr(float(value)) for value in shape.size]
    solid = {
        "mesh": lambda: f'<mesh filename={_quoted(shape.file)} scale="{" ".join(size)}"/>',
        "box": lambda: f'<box size="{" ".join(size)}"/>',
        "cylinder": lambda: f'<cylinder radius="{size[0]}" length="{size[1]}"/>',
        "sphere": lambda: f'<sphere radius="{size[0]}"/>',
    }[shape.kind]()
    role = "collision" if shape.role == "collision" else "visual"
    named = f' name="{DRAWING}"' if shape.role == "drawing" else ""
    lines = [f"    <{role}{named}>", f"      {_origin(X)}", f"      <geometry>{solid}</geometry>"]
    if shape.colour and role == "visual":
        parts = " ".join(repr(int(shape.colour[k : k + 2], 16) / 255) for k in (1, 3, 5))
        lines.append(f'      <material name="{shape.colour}"><color rgba="{parts} 1.0"/></material>')
    return [*lines, f"    </{role}>"]


def _joint(joint: Joint, parent: str, child: str, X: Array) -> list[str]:
    limits = joint.limits
    kind = "continuous" if joint.kind == "revolute" and limits.position is None else joint.kind
    lines = [
        f'  <joint name={_quoted(joint.name)} type="{kind}">',
        f"    {_origin(X)}",
        f"    <parent link={_quoted(parent)}/>",
        f"    <child link={_quoted(child)}/>",
    ]
    if joint.moves:
        lines += [f'    <axis xyz="{_numbers(joint.axis)}"/>', f"    {_limit(joint, kind)}"]
        if joint.viscous or joint.coulomb:
            lines.append(f'    <dynamics damping="{joint.viscous!r}" friction="{joint.coulomb!r}"/>')
        if joint.mimic is not None:
            m = joint.mimic
            lines.append(f'    <mimic joint={_quoted(m.joint)} multiplier="{m.multiplier!r}" offset="{m.offset!r}"/>')
    return [*lines, "  </joint>"]


def _limit(joint: Joint, kind: str) -> str:
    words = {}
    if kind != "continuous":
        lower, upper = joint.limits.bounds("position", 1)
        words = {"lower": max(float(lower[0]), -NO_LIMIT), "upper": min(float(upper[0]), NO_LIMIT)}
    words |= {"effort": _symmetric(joint.limits.torque), "velocity": _symmetric(joint.limits.velocity)}
    return "<limit " + " ".join(f'{word}="{value!r}"' for word, value in words.items()) + "/>"


def _quoted(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return f'"{text}"'


def _symmetric(pair: Any) -> float:
    """One number for a bound; the wider side of an asymmetric one."""
    return NO_LIMIT if pair is None else min(max(abs(float(pair[0])), abs(float(pair[1]))), NO_LIMIT)


def _origin(X: Array) -> str:
    rpy = to_rpy(X[:3, :3]) if not np.array_equal(X[:3, :3], np.eye(3)) else np.zeros(3)
    return f'<origin xyz="{_numbers(X[:3, 3])}" rpy="{_numbers(rpy)}"/>'


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
