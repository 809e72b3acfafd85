"""Plausibility checks: findings of `lissom check` about models that are valid but unlikely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.model.ends import derived_notes
from lissom.model.following import without_room
from lissom.model.slot import constants_stored
from lissom.spatial.inertia import principal_moments

if TYPE_CHECKING:
    from lissom.model.link import Link
    from lissom.model.states import AbstractArm

# A compact body of iron at this radius of gyration is about as dense as matter in a machine gets.
IRON = 7870.0
VERY_LONG = 60.0  # m; longer than the longest cranes and space arms
COUNTED_FROM_ROOT = 0.25  # of a beam's length: brackets beyond its tip are shorter
LONG_LEAD = 2.0  # m of travel per turn; threads are far finer
MOST_FRICTION = 0.5  # of a torque limit, that Coulomb friction usually takes
MANY_TURNS = 8 * np.pi  # rad; few joints are limited and turn more than four times


class ModelFinding(NamedTuple):
    """One finding about a model: level, subject and message."""

    level: str  # "warning" or "note"
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.level}: {self.subject}: {self.message}"


def check(arm: AbstractArm) -> list[ModelFinding]:
    """Findings about parts of the arm that are unlikely to be intended.

    Impossible models are refused when the arm is made; these are the ones that are
    merely unlikely.
    """
    reach = reach_of(arm)
    return [
        *(finding for link in arm.links for finding in _link(link, reach)), *_without_room(arm), *_beyond_tips(arm),
        *_cannot_move(arm), *_held_by_friction(arm), *(_of_note(arm.name, note) for note in arm.notes),
        *(ModelFinding(level, f"arm {arm.name!r}", message) for level, message in _whole(arm, reach)),
    ]  # fmt: skip


def _whole(arm: AbstractArm, reach: float) -> Iterator[tuple[str, str]]:
    """Levels and messages of findings about the arm as a whole."""
    yield from (("note", note) for note in derived_notes(arm))
    if reach > VERY_LONG:
        yield "warning", f"it is {reach:.3g} m long from base to tip. Check the unit of its lengths (mm?)."
    if arm.joints and not any(joint.actuated for joint in arm.joints):
        yield "note", "no joint is actuated; it can only swing freely."
    if arm.kinematics_only:
        yield "note", "it is marked kinematics_only; dynamics functions reject it."
    if not np.any(arm.gravity):
        yield "note", "gravity is zero."
    if not arm.source:
        yield "note", "no source is given for its numbers."


def _without_room(arm: AbstractArm) -> Iterator[ModelFinding]:
    """Findings about mimic joints whose limits are ignored."""
    for joint in without_room(arm):
        message = (
            f"its position limits allow no motion of joint {arm.mimics[joint.name].joint!r}, which it mimics, and are "
            "ignored. Check the limits and the mimic."
        )
        yield ModelFinding("warning", f"joint {joint.name!r}", message)


def _cannot_move(arm: AbstractArm) -> Iterator[ModelFinding]:
    """Findings about joints whose position limits are equal."""
    lower, upper = arm.bounds("position")
    for joint, low, high in zip(arm.joints, lower, upper, strict=True):
        if low == high:
            unit = joint.unit
            free = "give it other limits, or" if joint.period is None else "continuous in the URDF, or"
            yield ModelFinding(
                "warning", f"joint {joint.name!r}",
                f"its position limits are both {low:g} {unit}, so it cannot move. If it should, make it {free} "
                f"arm.with_joint({joint.name!r}, limits=...); if not, lock it: --lock {joint.name}={low:g}.",
            )  # fmt: skip


def _held_by_friction(arm: AbstractArm) -> Iterator[ModelFinding]:
    """Findings about motors that are not stronger than the Coulomb friction of their joints, or hardly so."""
    lower, upper = arm.bounds("torque")
    for joint, low, high in zip(arm.joints, lower, upper, strict=True):
        unit = joint.effort_unit
        friction = joint.coulomb
        if joint.actuated and friction and friction >= min(-low, high):
            part = "" if friction >= max(-low, high) else " in one direction"
            yield ModelFinding(
                "warning", f"joint {joint.name!r}",
                f"its Coulomb friction is {friction:g} {unit}, and its torque limits are {low:g} and {high:g} "
                f"{unit}: its motor cannot move it{part}. Correct one of them in the file, or lock "
                f"the joint: --lock {joint.name}=POSITION, or arm.lock({{{joint.name!r}: position}}).",
            )  # fmt: skip
        elif joint.actuated and friction > MOST_FRICTION * min(-low, high):
            yield ModelFinding(
                "warning", f"joint {joint.name!r}",
                f"its Coulomb friction, {friction:g} {unit}, takes {100 * friction / min(-low, high):.0f} % of its "
                f"torque limit, {min(-low, high):g} {unit}: little is left for motion. Check both in the file.",
            )  # fmt: skip


def _of_note(name: str, note: str) -> ModelFinding:
    """A finding from a reader's note; a warning if it reports unphysical or repaired inertias."""
    grave = any(words in note for words in (" repaired to ", " taken as written"))
    return ModelFinding("warning" if grave else "note", f"arm {name!r}", note)


def reach_of(arm: AbstractArm) -> float:
    """Sum of the lengths from joint to joint along the longest branch [m]."""
    return constants_stored(arm, "reach", lambda: _longest_branch(arm))


def _longest_branch(arm: AbstractArm) -> float:
    far = np.zeros(len(arm.links))
    for i, link in enumerate(arm.links):
        parent = arm.parent_index[i]
        step = np.linalg.norm(link.joint.placement[:3, 3]) + np.linalg.norm((link.frame @ link.tip)[:3, 3])
        if link.joint.travel and link.joint.limits.position is not None:
            ends = (abs(link.joint.travel * side) for side in link.joint.limits.position if np.isfinite(side))
            step += max(ends, default=0.0)
        far[i] = step + (far[parent] if parent >= 0 else 0.0)
    return float(far.max())


def _link(link: Link, reach: float) -> Iterator[ModelFinding]:
    body, joint, subject = link.body, link.joint, f"link {link.name!r}"
    high = float(principal_moments(body.moment)[-1])
    away = float(np.linalg.norm(body.com))
    if body.mass == 0.0 and high > 0.0:
        yield ModelFinding(
            "note", subject, "it has inertia but no mass: right only for a body turning about a fixed axis."
        )
    if body.mass > 0.0 and high == 0.0 and joint.moves:
        yield ModelFinding("note", subject, "its mass is a point (zero inertia about its centre of mass).")
    if reach > 0.0 and away > 2.0 * reach:
        message = f"its centre of mass is {away:.3g} m from its frame, but the arm is only {reach:.3g} m long. "
        yield ModelFinding("warning", subject, message + "Check the unit (mm instead of m?).")
    if body.mass > 0.0 and high > 0.0:
        yield from _size(subject, body.mass, high, reach)
    if joint.period is not None and joint.limits.position is not None:
        far = max(abs(side) for side in joint.limits.position if np.isfinite(side))
        if far > MANY_TURNS:
            message = f"the limits of its joint {joint.name!r} reach {far:.4g} rad, {far / (2 * np.pi):.3g} turns. "
            yield ModelFinding("warning", subject, message + "Check the unit (degrees instead of rad?).")
    lead = 2 * np.pi * abs(joint.travel)
    if joint.rotation and lead > LONG_LEAD:
        message = f"its joint {joint.name!r} travels {lead:.3g} m per turn (pitch {joint.travel:g} m/rad). "
        yield ModelFinding("warning", subject, message + "Check the unit of the pitch (mm instead of m?).")
    if joint.limits.torque is not None and not np.any(joint.limits.torque):
        yield ModelFinding(
            "warning", subject, f"its joint {joint.name!r} has a torque limit of 0: it cannot be driven."
        )


def _beyond_tips(arm: AbstractArm) -> Iterator[ModelFinding]:
    """Findings about joints placed beyond a beam's tip as if counted from its root."""
    for i, link in enumerate(arm.links):
        beam = arm.links[arm.parent_index[i]].beam if link.parent is not None else None
        x = float(link.joint.placement[0, 3])
        if beam is not None and link.joint.at is None and COUNTED_FROM_ROOT * beam.length <= x <= beam.length:
            message = (
                f"its joint {link.joint.name!r} sits {x:.4g} m beyond the tip of {link.parent!r}, a beam of "
                f"{beam.length:.4g} m: placements count from the tip. For a place {x:.4g} m from the root give the "
                f"joint at={x:.4g} and take the offset out of its placement."
            )
            yield ModelFinding("warning", f"link {link.name!r}", message)


def _size(subject: str, mass: float, moment: float, reach: float) -> Iterator[ModelFinding]:
    """Findings about radii of gyration that do not fit the arm or any material."""
    radius = np.sqrt(moment / mass)
    if reach > 0.0 and radius > 2.0 * reach:
        message = f"its radius of gyration is {radius:.3g} m, but the arm is only {reach:.3g} m long. "
        yield ModelFinding("warning", subject, message + "Check the inertia's unit (kg mm^2?) and reference point.")
    elif mass > 10.0 * IRON * (2.0 * radius) ** 3:
        message = f"its inertia {moment:.3g} kg m^2 is tiny for {mass:.3g} kg (radius of gyration {radius:.3g} m): "
        yield ModelFinding("warning", subject, message + "denser than any metal. Check the unit of the inertia.")
