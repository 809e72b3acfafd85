"""The mirror image of a person: right and left trade places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lissom.humans.body.joints import ODD_ROOT, SIDES
from lissom.model.contact import Contact, Mirror
from lissom.model.link import Link


def mirror(links: Sequence[Link], contacts: Iterable[Contact]) -> Mirror:
    """Return what trades places in the mirror image of a person, by the sides in the names.

    Joints of the limbs have mirrored axes, so only the midline changes signs.
    """
    joints = [link.joint.name for link in links]
    names = [link.name for link in links]
    odd = [name for name in joints if name in ODD_ROOT or name.endswith(("_bend", "_rotation"))]
    return Mirror(_pairs(joints), dict.fromkeys(odd, -1.0), _pairs(names), _pairs([one.name for one in contacts]))


def _pairs(names: Sequence[str]) -> dict[str, str]:
    """Names of the right side with those of the left."""
    right, left = SIDES
    pairs = {}
    for name in names:
        parts = name.split("_")
        if right in parts[1:]:
            parts[parts.index(right, 1)] = left
            pairs[name] = "_".join(parts)
    return pairs
