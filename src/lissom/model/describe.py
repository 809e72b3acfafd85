"""Text and HTML descriptions of an arm, as shown by `print(arm)` and in notebooks."""

from __future__ import annotations

import math
import textwrap
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.listing import Listing
from lissom.markup import Markup, escape, folded, paragraphs, tag
from lissom.model.ends import derived_notes
from lissom.model.friction import Friction, friction_units

if TYPE_CHECKING:
    from lissom.model.beam import Beam
    from lissom.model.joint import Joint
    from lissom.model.link import Link
    from lissom.model.states import AbstractArm

INERTIAS = {"rad": "kg m^2", "m": "kg"}  # of drives, by the unit of the position
HEADS = ("link", "parent", "joint", "type", "axis", "joint at m", "limits", "max speed", "max effort", "kg")
OF_LINKS = ("link", "parent", "joint", "type", "kg")  # columns of a wide table that stay together
OF_JOINTS = ("joint", "axis", "joint at m", "limits", "max speed", "max effort")
MOST_ROWS = 60
WIDTH = 110
SAME_NAMES = "Joints have the names of their links."


def describe(arm: AbstractArm) -> str:
    """Describe an arm as text: head, table of links, flexible links, loops, source and notes."""
    lines = [_head(arm), "", *_table(arm)]
    if len(arm.links) > MOST_ROWS:
        lines.append(f"... and {len(arm.links) - MOST_ROWS} more links")
    if _same_names(arm):
        lines += ["", SAME_NAMES]
    for title, items in _sections(arm):
        lines += ["", f"{title}:", *(f"  {item}" for item in items)]
    lines += ["", *_wrapped("source: ", arm.source or "not given")]
    for note in (*arm.notes, *derived_notes(arm)):
        lines += _wrapped("note: ", note)
    return "\n".join(lines)


def _table(arm: AbstractArm) -> list[str]:
    """The table of the links, as two tables if it is wider than a page."""
    whole = listing(arm, MOST_ROWS)
    lines = whole.lines()
    if max(map(len, lines)) <= WIDTH:
        return lines
    whole = whole if "joint" in whole.heads else _full(arm, MOST_ROWS).telling()
    return [*whole.columns(OF_LINKS).lines(), "", *whole.columns(OF_JOINTS).lines()]


def listing(arm: AbstractArm, most: int | None = None) -> Listing:
    """Table of the links of an arm, limited to the first rows; without joints that have the names of their links."""
    whole = _full(arm, most)
    kept = [head for head in HEADS if head != "joint" or not _same_names(arm)]
    return whole.columns(kept).telling()


def _full(arm: AbstractArm, most: int | None) -> Listing:
    parents = [arm.links[p] if p >= 0 else None for p in arm.parent_index]
    rows = [_row(link, parent) for link, parent in zip(arm.links[:most], parents, strict=False)]
    return Listing.of(HEADS, rows)


def _same_names(arm: AbstractArm) -> bool:
    return all(link.joint.name == link.name for link in arm.links)


def to_html(arm: AbstractArm) -> Markup:
    """Describe an arm as HTML, for notebooks and pages."""
    sections = [
        tag("p", tag("b", title), *(part for item in items for part in (Markup("<br>"), item)))
        for title, items in _sections(arm)
    ]
    links = listing(arm).html()
    if len(arm.links) > MOST_ROWS:
        links = folded(f"{len(arm.links)} links", links)
    remarks = [f"source: {arm.source or 'not given'}", *(f"note: {note}" for note in (*arm.notes, *derived_notes(arm)))]
    return Markup(tag("p", tag("b", _head(arm))) + links + "".join(map(escape, sections)) + paragraphs(remarks))


def _wrapped(head: str, text: str) -> list[str]:
    """A wrapped paragraph, indented under its heading."""
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=" " * len(head), break_long_words=False)


def _head(arm: AbstractArm) -> str:
    parts = [f"{len(arm.links)} links", f"{len(arm.joints)} joints"]
    if arm.mimics:
        parts.append(f"{len(arm.mimics)} mimic joints" if len(arm.mimics) > 1 else "1 mimic joint")
    modes = sum(len(link.mode_labels) for link in arm.links)
    if modes:
        parts.append(f"{modes} modes ({arm.flexibility})")
    deflections = sum(link.joint.elastic is not None for link in arm.links)
    if deflections:
        parts.append(f"{deflections} elastic joints")
    parts += [f"{arm.dof} coordinates", f"{arm.mass:.4g} kg", f"gravity {_vector(arm.gravity)} m/s^2"]
    if arm.kinematics_only:
        parts.append("kinematics only")
    return f"{arm.name}: " + ", ".join(parts)


def _row(link: Link, parent: Link | None) -> list[str]:
    """A row of the table; the joint's position is given in the frame of the parent's joint."""
    X = (
        link.joint.placement
        if parent is None
        else parent.frame @ parent.attachment(link.joint.at) @ link.joint.placement
    )
    joint, limits = link.joint, link.joint.limits
    angle, turn = ("deg", 180.0 / math.pi) if joint.angular else (joint.unit, 1.0)
    mark = "" if joint.actuated or not joint.moves else " (passive)"
    return [
        link.name,
        link.parent or "base",
        joint.name,
        joint.kind + _own_numbers(joint) + mark,
        _axis(joint.axis) if joint.moves else "-",
        _vector(X[:3, 3]),
        _span(limits.position, turn, angle),
        _span(limits.velocity, turn, f"{angle}/s"),
        _span(limits.torque, 1.0, joint.effort_unit),
        f"{link.without_payload.mass:.4g}",
    ]


def _sections(arm: AbstractArm) -> list[tuple[str, list[str]]]:
    """Sections that only some arms have: flexible links, drives, payloads, tools, loops and loads."""
    flexible = []
    for link in arm.links:
        if link.beam is not None:
            beam, kept = link.beam, ", ".join(link.mode_labels) or "none"
            kind = "uniform" if beam.stations is None else f"tabulated at {beam.stations.size} stations"
            flexible.append(
                f"{link.name}: beam {beam.length:g} m, {beam.mass:.4g} kg, {kind}; modes {kept}{_choice(beam)}"
            )
        elif link.modes is not None:
            stiffening = "geometric stiffening as given" if link.modes.stiffens else "no geometric stiffening"
            flexible.append(
                f"{link.name}: given integrals, {link.modes.mass:.4g} kg, {link.modes.count} modes; {stiffening}"
            )
    joints = []
    for joint in arm.moving_joints:
        words = _joint_words(joint)
        if words:
            joints.append(f"{joint.name}: {words}")
    payloads = [
        f"{link.name}: {link.payload.mass:g} kg at {_vector(link.payload.com)}" for link in arm.links if link.payload
    ]
    tools = [f"{tool.name} on {link.name}" for link in arm.links for tool in link.tools]
    loops = [f"{loop.joint}: {loop.a[0] or 'base'} - {loop.b[0] or 'base'}" for loop in arm.loops]
    loads = [f"{load.link}: force {_vector(load.force)} N, moment {_vector(load.moment)} N m" for load in arm.loads]
    sections = [
        ("flexible links", flexible), ("drives and springs", joints), ("payloads", payloads),
        ("tools", tools), ("loops", loops), ("standing loads", loads),
    ]  # fmt: skip
    return [(title, items) for title, items in sections if items]


def _choice(beam: Beam) -> str:
    """The choice of shapes and tip of a beam, where it differs from the default."""
    words = []
    if beam.shapes != "natural":
        words.append(f"{beam.shapes if isinstance(beam.shapes, str) else 'tabulated'} shapes")
    if beam.tip != "auto":
        words.append("assumed with a free tip" if beam.tip == "free" else "assumed with a given tip")
    if beam.tip_pose:
        words.append("tip pose " + ", ".join(f"{joint} = {at:g}" for joint, at in beam.tip_pose))
    if not beam.third_order:
        words.append("no third-order completion")
    return "; " + ", ".join(words) if words else ""


def _own_numbers(joint: Joint) -> str:
    """Numbers that only joints of its kind have."""
    made = joint.mechanism
    words = (f"{getattr(made, word):.4g} {unit}" for word, unit in zip(made.names(), made.units, strict=True))
    return "".join(f" {word}" for word in words)


def _joint_words(joint: Joint) -> str:
    """Drive, friction and springs of a joint, where they are not zero."""
    unit, friction = joint.unit, joint.effort_unit
    words = []
    damping, stiffness = f"{friction} s/{unit}", f"{friction}/{unit}"
    if joint.reflected_inertia:
        words.append(f"drive inertia {joint.reflected_inertia:.4g} {INERTIAS[unit]}")
    if joint.damping:
        words.append(f"damping {joint.damping:.4g} {damping}")
    if joint.friction:
        words.append(_friction_words(joint))
    if joint.stiffness:
        words.append(f"spring {joint.stiffness:.4g} {stiffness} at rest {joint.rest:g} {unit}")
    if joint.elastic is not None:
        damped = f", damping {joint.elastic.damping:.4g} {damping}" if joint.elastic.damping else ""
        words.append(f"elastic, {joint.elastic.stiffness:.4g} {stiffness} between motor and link{damped}")
    if joint.actuator is not None and joint.actuator.lag:
        words.append(f"actuator lag {joint.actuator.lag:.4g} s")
    if joint.mimic is not None:
        words.append(f"follows {joint.mimic.multiplier:g} x {joint.mimic.joint} + {joint.mimic.offset:g}")
    return ", ".join(words)


def _friction_words(joint: Joint) -> str:
    """Coulomb friction, or every coefficient of the laws that there are."""
    own = joint.friction
    if not isinstance(own, Friction):
        return f"friction {own:.4g} {joint.effort_unit}"
    units = friction_units(joint.unit, joint.effort_unit)
    found = (f.name for f in fields(own) if getattr(own, f.name))
    return f"friction ({', '.join(f'{word} {getattr(own, word):.4g} {units[word]}'.rstrip() for word in found)})"


def _span(pair: Any, scale: float, unit: str) -> str:
    if pair is None:
        return "-"
    lower, upper = (float(side) * scale for side in pair)
    if lower == -upper:
        return f"+-{upper:.4g} {unit}"
    return f"{lower:.4g} .. {upper:.4g} {unit}"


def _axis(axis: np.ndarray) -> str:
    for i, letter in enumerate("xyz"):
        if abs(axis[i]) == 1.0:
            return letter if axis[i] > 0 else f"-{letter}"
    return _vector(axis)


def _vector(v: np.ndarray) -> str:
    return "(" + ", ".join(f"{0.0 if abs(value) < 1e-12 else value:.4g}" for value in v) + ")"
