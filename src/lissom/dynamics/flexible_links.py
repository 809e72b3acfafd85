"""Constants of the flexible links of an arm; package `flexible` is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.errors import about
from lissom.model.arm import Arm
from lissom.model.slot import constants_stored

if TYPE_CHECKING:
    from lissom.flexible.body import FlexibleBody


def flexible_bodies(arm: Arm) -> dict[int, FlexibleBody]:
    """Constants of the flexible links, by link; stored with the arm."""
    return constants_stored(arm, "flexible links", lambda: _flexible_bodies(arm)) if arm.flexible else {}


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
