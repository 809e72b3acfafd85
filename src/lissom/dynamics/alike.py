"""Structural equality of arms: same links, joints, coordinates and frames, different numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lissom.dynamics.acting import standing_frames
from lissom.dynamics.planar.chain import plane_of
from lissom.dynamics.stations import station_name
from lissom.errors import InputError, UnsupportedError, shown
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.model.link import Link


def refuse_unlike(arm: Arm, other: Any, k: int) -> None:
    """Raise an error if arm number k differs from another in more than numbers."""
    if not isinstance(other, Arm):
        raise InputError(f"arms: arm {k} is {shown(other)}; expected an Arm.")
    if other.loops or arm.loops:
        raise UnsupportedError(
            f"arms: arm {k} has closed loops, which ensembles of different arms do not cover; simulate them one by one."
        )
    for where, field, have, want in _differences(arm, other):
        if have != want:
            raise InputError(
                f"arms: arm {k}{where}: {field} is {_said(have)}, but of {arm.name!r} it is {_said(want)}; arms may "
                "differ in numbers only."
            )
    if arm.flexible and MODELS[arm.flexibility].closed_form:
        _refuse_other_plane(arm, other, k)


def _refuse_other_plane(arm: Arm, other: Arm, k: int) -> None:
    """Raise an error if arm number k moves in another plane; the plane is part of the compiled function."""
    for body, (have, want) in enumerate(zip(plane_of(other), plane_of(arm), strict=True)):
        if have != want:
            axes = f"the axes of moving body {body}" if body else "world axes"
            raise InputError(
                f"arms: arm {k}: the normal of its plane is {_vector(have)} in {axes}, but of {arm.name!r} it is "
                f"{_vector(want)}; all arms of a batch must move in one plane, with the same normal in the axes of "
                "every body. Change the placement of its joints, or simulate it alone."
            )


def _differences(arm: Arm, other: Arm) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield (where, field, value of the other arm, value of the arm) of everything that must be equal."""
    yield "", "the number of links", len(other.links), len(arm.links)
    for mine, its in zip(arm.links, other.links, strict=True):
        if mine is its:
            continue
        where = f", link {mine.name!r}"
        yield where, "its name", its.name, mine.name
        wanted = _structure(mine)
        for field, value in _structure(its).items():
            yield where, field, value, wanted[field]
    shared = _shared_places(arm)
    for name, its_partner in _shared_places(other).items():
        yield f", link {name!r}", "the link at the same place along the beam (joint.at)", its_partner, shared[name]
    for field in ("flexibility", "kinematics_only"):
        yield "", field, getattr(other, field), getattr(arm, field)
    yield "", "the number of loads", len(other.loads), len(arm.loads)
    for mine_on, its_on in zip(standing_frames(arm), standing_frames(other), strict=True):
        yield "", "the place of a load", its_on, mine_on


def _shared_places(arm: Arm) -> dict[str, str]:
    """First link at the same place, of every link along a beam; links at one place share a body."""
    first: dict[str, str] = {}
    bends = {link.name for link in arm.links if link.flexible}
    placed = [(link, link.joint.at) for link in arm.links if link.parent in bends and link.joint.at is not None]
    return {link.name: first.setdefault(station_name(str(link.parent), at), link.name) for link, at in placed}


def _structure(link: Link) -> dict[str, Any]:
    joint = link.joint
    return {
        "parent": link.parent, "the joint's name": joint.name, "the joint's kind": joint.kind,
        "elastic": joint.elastic is not None, "actuated": joint.actuated, "mimic": joint.mimic,
        "lag of the actuator": joint.actuator is not None and joint.actuator.lag > 0.0,
        "the joint's limits": joint.limits, "flexible": link.flexible, "at": joint.at is not None,
        "its modes": link.beam.modes if link.beam is not None else link.mode_labels,
        "third_order": link.beam is not None and link.beam.third_order,
        "its tools": tuple(tool.name for tool in link.tools),
    }  # fmt: skip


def _vector(values: tuple[float, ...]) -> str:
    return f"({', '.join(f'{x:.6g}' for x in values)})"


def _said(value: Any) -> str:
    return value if isinstance(value, str) else shown(value)
