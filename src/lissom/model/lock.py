"""Arms with joints locked: see `Arm.lock`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lissom.errors import ModelError, shown, suggest
from lissom.model.fields import frozen, number
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.model.positions import joint_hint
from lissom.model.states import AbstractArm, AnyArm

ROUNDING = 1e-9  # relative, by which a position may lie outside the limits


def lock(arm: AnyArm, positions: Mapping[str, float]) -> AnyArm:
    """See `Arm.lock`."""
    if not isinstance(positions, Mapping):
        raise ModelError(f"lock: got {shown(positions)}; expected {{joint: position}}.", f"arm {arm.name!r}")
    at = {name: _position(arm, name, value) for name, value in positions.items()}
    for name, mimic in arm.mimics.items():
        if mimic.joint in at:
            at[name] = mimic.multiplier * at[mimic.joint] + mimic.offset
    for name in at:
        if arm.joint(name).elastic is not None:
            raise ModelError(
                "lock: it is elastic, and its spring would deflect although its motor stands still. Make it rigid "
                f"first: arm.with_joint({name!r}, elastic=None).",
                f"joint {name!r}",
            )
    links = [_locked(link, at) for link in arm.links]
    notes = [_note(link.joint, at[link.joint.name]) for link in arm.links if link.joint.name in at]
    mirror = arm.mirror
    if mirror is not None and any(name in mirror.named("coordinates") for name in at):
        mirror = None
        notes.append("the mirror names locked joints and was left out; give the arm another one.")
    return arm.replace(links=links, notes=(*arm.notes, *notes), mirror=mirror)


def _position(arm: AbstractArm, name: Any, value: Any) -> float:
    """The validated position at which a joint is locked."""
    subject, known = f"joint {name!r}", [joint.name for joint in arm.joints]
    if name not in known:
        raise ModelError(f"lock: {_why(arm, name, known)}", f"arm {arm.name!r}")
    try:
        x = number(value, "position")
    except ModelError as error:
        raise ModelError(f"lock: {error.problem}", subject) from None
    lower, upper = (float(bound[known.index(name)]) for bound in arm.bounds("position"))
    if not lower - ROUNDING * (1 + abs(lower)) <= x <= upper + ROUNDING * (1 + abs(upper)):
        unit, hint = arm.joint(name).unit, joint_hint(arm.joint(name), x, lower, upper)
        raise ModelError(
            f"lock: position {x:g} {unit} is outside its limits, {lower:g} to {upper:g} {unit}. "
            f"{hint or 'Give one inside.'}",
            subject,
        )
    return x


def _why(arm: AbstractArm, name: Any, known: list[str]) -> str:
    """The reason why a name does not refer to a joint that can be locked."""
    if name in arm.coordinates:
        return (
            f"{name!r} is an elastic coordinate, and only joints can be locked; a link without beam or modes, and a "
            "joint without elastic, is rigid."
        )
    if name in arm.mimics:
        return f"joint {name!r} follows {arm.mimics[name].joint!r}; lock that one, and it is locked with it."
    if any(link.joint.name == name for link in arm.links):
        return f"joint {name!r} is fixed already."
    return f"there is no joint {shown(name)}; {suggest(str(name)[:60], known)}"


def _locked(link: Link, at: Mapping[str, float]) -> Link:
    """The link with its joint fixed at its locked position, and locked joints removed from its tip pose."""
    if link.beam is not None and any(name in at for name, _ in link.beam.tip_pose):
        left = [(name, x) for name, x in link.beam.tip_pose if name not in at]
        link = link.replace(beam=link.beam.replace(tip_pose=left))
    joint = link.joint
    if joint.name not in at:
        return link
    placed = frozen(joint.placement @ joint.transform(at[joint.name]))
    return link.replace(joint=Joint("fixed", placed, joint.axis, joint.name, at=joint.at))


def _note(joint: Joint, x: float) -> str:
    dropped = joint.motion_data
    more = f"; its {', '.join(dropped)} dropped" if dropped else ""
    return f"joint {joint.name!r} locked at {x:g} {joint.unit}{more}."
