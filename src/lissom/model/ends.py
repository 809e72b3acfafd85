"""The end links of an arm: they carry the payload, and their paths are reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lissom.errors import ModelError

if TYPE_CHECKING:
    from lissom.model.arm import Arm

MOST_NAMED = 12
FINGERS = ("finger", "jaw", "claw", "thumb")  # in names, upper or lower case
GRIPPER = "gripper"
LEG_JOINTS = 2  # a branch with fewer joints is a wheel, a rotor or a jaw rather than a leg


def end_links(arm: Arm) -> tuple[str, ...]:
    """Names of the links at the ends of the branches, see `Arm.ends`."""
    carrier = _carriers(arm)
    inner = {carrier[int(arm.parent_index[i])] for i in range(len(arm.links)) if carrier[i] == i}
    parts: dict[int, list[int]] = {}  # of every outermost moving link: itself, and what is fixed to it
    for i, k in carrier.items():
        if k >= 0 and k not in inner:
            parts.setdefault(k, []).append(i)
    return tuple(arm.links[i].name for i in sorted(_end_of(arm, fixed) for fixed in parts.values())) or (
        arm.links[-1].name,
    )


def _end_of(arm: Arm, parts: list[int]) -> int:
    """Where a rigid part of the tree ends: its last link, or what carries its last bodies (a gripper's fingers)."""
    inner = {int(arm.parent_index[i]) for i in parts}
    bodies = [i for i in parts if i not in inner and arm.links[i].body.mass > 0]
    return parts[-1] if len(bodies) < 2 else _common(arm, bodies)


def _common(arm: Arm, links: Sequence[int]) -> int:
    """The outermost link that carries all these links, -1 for the base."""
    above = [{i, *_ancestors(arm, i)} for i in links]
    return max(set.intersection(*above), default=-1)


def only_end(arm: Arm, instead: str = "name the link") -> str:
    """The only end of an arm; raises an error that lists them if there are several."""
    ends = end_links(arm)
    if len(ends) == 1:
        return ends[0]
    shared = _common(arm, [arm.index(end) for end in ends])
    carrier = f", all carried by {arm.links[shared].name!r}" if _carriers(arm)[shared] >= 0 else ""
    raise ModelError(f"its tree has {len(ends)} ends ({_listed(ends)}){carrier}; {instead}.", f"arm {arm.name!r}")


def payload_link(arm: Arm, instead: str = "name the link") -> str:
    """The link that carries a payload by default: the only end of an arm, or the hand whose locked finger that is.

    Raises an error that names the hand if the end is a finger that moves: what a gripper holds is carried by the hand.
    """
    end = only_end(arm, instead)
    i = arm.index(end)
    carrier = _carriers(arm)[i]
    hand = int(arm.parent_index[carrier]) if carrier >= 0 else -1
    if i != carrier and _named_finger(arm, i):
        return arm.links[int(arm.parent_index[i])].name
    why = _moving_finger(arm, carrier, hand)
    if not why:
        return end
    name = arm.links[hand].name
    raise ModelError(
        f"its end {end!r} is {why} that {name!r} carries; {instead}: {name!r} for what the gripper holds.",
        f"arm {arm.name!r}",
    )


def _moving_finger(arm: Arm, i: int, hand: int) -> str:
    """What a moving link at the end of an arm is to the hand that carries it; empty if it is no finger."""
    carrier = _carriers(arm)
    if carrier[hand] < 0:
        return ""
    if _named_finger(arm, i) or _named_gripper(arm, i, hand):
        return "the moving finger of a gripper"
    inner = {int(p) for p in arm.parent_index}
    beside = [
        k for k in range(len(arm.links))
        if k not in inner and carrier[k] == carrier[hand] and arm.links[k].body.mass > 0 and hand in _ancestors(arm, k)
    ]  # fmt: skip
    # what is fixed to a moving link beside the next joint is a cover, not a finger
    return "one of several bodies" if beside and carrier[hand] != hand else ""


def _named_finger(arm: Arm, i: int) -> bool:
    """Whether a link is named after a finger, and the link that carries it is not: the first link of a finger."""
    above = int(arm.parent_index[i])
    return above >= 0 and _names(arm, i, FINGERS) and not _names(arm, above, FINGERS)


def _named_gripper(arm: Arm, i: int, hand: int) -> bool:
    """Whether two links are parts of a gripper by their names; merged links are tools of the link that took them."""
    frames = (arm.links[hand].name, *(tool.name for tool in arm.links[hand].tools))
    return _names(arm, i, (GRIPPER,)) and any(GRIPPER in name.lower() for name in frames)


def _names(arm: Arm, i: int, words: Sequence[str]) -> bool:
    """Whether the name of a link or of its joint contains one of some words."""
    link = arm.links[i]
    return any(word in name.lower() for word in words for name in (link.name, link.joint.name))


def last_flexible(arm: Arm) -> str | None:
    """The outermost flexible link, or None without any; raises an error if several branches have one."""
    bends = [i for i, link in enumerate(arm.links) if link.mode_labels]
    inner = {above for i in bends for above in _ancestors(arm, i)}
    outer = [arm.links[i].name for i in bends if i not in inner]
    if len(outer) > 1:
        raise ModelError(
            f"{len(outer)} branches end in flexible links ({_listed(outer)}); use run.deflection(link).",
            f"arm {arm.name!r}",
        )
    return outer[0] if outer else None


def fixed_base_note(arm: Arm) -> str:
    """A note about an arm whose base carries several branches, as that of a robot with legs; empty for others."""
    carrier = _carriers(arm)
    branch = {-1: -1}  # of every link: the first moving link between it and the base, -1 for what is fixed to the base
    for i in range(len(arm.links)):
        above = branch[int(arm.parent_index[i])]
        branch[i] = above if above >= 0 else carrier[i]
    joints = Counter(branch[i] for i, link in enumerate(arm.links) if link.joint.moves)
    legs = sum(count >= LEG_JOINTS for count in joints.values())
    if legs < 2:
        return ""
    return (
        f"the base is fixed in the world and carries {legs} branches. If the robot walks or flies, its base needs a "
        'floating joint: see "Robots that walk or fly" on the page about formats.'
    )


def longest_end(arm: Arm) -> str:
    """The end with most joints between it and the base, the first of several; pictures follow it."""
    carrier = _carriers(arm)
    joints: dict[int, int] = {-1: 0}
    for i in range(len(arm.links)):
        joints[i] = joints[int(arm.parent_index[i])] + (carrier[i] == i)
    return max(end_links(arm), key=lambda link: joints[arm.index(link)])


def _carriers(arm: Arm) -> dict[int, int]:
    """For every link the index of the moving link that it is fixed to (or itself), -1 on the base."""
    out = {-1: -1}
    for i, link in enumerate(arm.links):
        out[i] = i if link.joint.moves or link.mode_labels else out[int(arm.parent_index[i])]
    return out


def _ancestors(arm: Arm, i: int) -> Iterator[int]:
    while (i := int(arm.parent_index[i])) >= 0:
        yield i


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
