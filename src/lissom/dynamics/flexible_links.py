"""Constants of the flexible links of an arm; package `flexible` is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.errors import about
from lissom.model.arm import Arm

if TYPE_CHECKING:
    from lissom.flexible.body import FlexibleBody


def flexible_bodies(arm: Arm) -> dict[int, FlexibleBody]:
    """Constants of the flexible links, by link; cached with the arm."""
    made: dict[int, FlexibleBody] | None = arm.__dict__.get("_flexible_bodies")
    if made is None:
        made = arm.__dict__["_flexible_bodies"] = _flexible_bodies(arm) if arm.flexible else {}
    return made


def with_shapes_of(arm: Arm, other: Arm) -> Arm:
    """The arm with the mode shapes of another arm that differs in payloads only."""
    arm.__dict__["_flexible_bodies"] = flexible_bodies(other)
    return arm


def _flexible_bodies(arm: Arm) -> dict[int, FlexibleBody]:
    from lissom.flexible.body import beam_body, given_body
    from lissom.flexible.tips import hanging, tips

    beyond, made = hanging(arm), {}
    for i, link in enumerate(arm.links):
        with about(f"link {link.name!r}"):
            if link.modes is not None:
                made[i] = given_body(link.modes)
            elif link.beam is not None and link.beam.modes.count:
                made[i] = beam_body(link.beam, *tips(beyond[i]))
    return made if arm.flexibility == "second_order" else {i: body.linear for i, body in made.items()}
