"""The ends of an arm, by name: where payloads, tips and figures are by default, and notes about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lissom.errors import ModelError
from lissom.model.branches import Branches, End, ancestors, carriers, common
from lissom.model.slot import constants_stored
from lissom.model.structure import AbstractTree
from lissom.model.tool_names import names_finger, names_sensor

MOST_NAMED = 12
LEG_JOINTS = 2  # a branch with fewer joints is a wheel, a rotor or a jaw rather than a leg


def ends_of(arm: AbstractTree) -> tuple[End, ...]:
    """The ends of all branches, found once for an arm."""
    found: tuple[End, ...] = constants_stored(arm, "ends", lambda: tuple(Branches(arm).ends()))
    return found


def end_links(arm: AbstractTree) -> tuple[str, ...]:
    """Names of the links at the ends of the branches, see `Arm.ends`."""
    return tuple(arm.links[end.link].name for end in ends_of(arm))


def only_end(arm: AbstractTree, instead: str = "name the link") -> str:
    """The only end of an arm; raises an error that lists them if there are several."""
    ends = end_links(arm)
    if len(ends) == 1:
        return ends[0]
    shared = common(arm, [arm.index(end) for end in ends])
    carrier = f", all carried by {arm.links[shared].name!r}" if carriers(arm)[shared] >= 0 else ""
    raise ModelError(f"its tree has {len(ends)} ends ({_listed(ends)}){carrier}; {instead}.", f"arm {arm.name!r}")


def tip_frame(arm: AbstractTree, end: str | None = None) -> str:
    """The frame at an end of an arm: the last tool of its end link, or that link (its tip, where it is flexible).

    end : one of `arm.ends`; None: the only one
    """
    link = arm.link(only_end(arm) if end is None else end)
    tools = [
        tool.name for tool in link.tools
        if not names_sensor(tool.name) and (names_finger(link.name) or not names_finger(tool.name))
    ]  # fmt: skip
    if tools:
        return tools[-1]
    return f"{link.name}.tip" if link.flexible else link.name


def longest_end(arm: AbstractTree) -> str:
    """The end with most joints between it and the base, the first of several; figures follow it."""
    carrier = carriers(arm)
    joints: dict[int, int] = {-1: 0}
    for i in range(len(arm.links)):
        joints[i] = joints[int(arm.parent_index[i])] + (carrier[i] == i)
    return max(end_links(arm), key=lambda link: joints[arm.index(link)])


def derived_notes(arm: AbstractTree) -> list[str]:
    """Notes that follow from the structure of an arm: what its base is, and where it ends if that was a choice."""
    return [note for note in (fixed_base_note(arm), end_note(arm)) if note]


def end_note(arm: AbstractTree) -> str:
    """A note about the end of an arm where it was chosen among several links; empty where there was no choice."""
    ends = ends_of(arm)
    if len(ends) != 1 or not (ends[0].fingers or ends[0].beside):
        return ""
    end, fingers, beside = ends[0].link, *([arm.links[i].name for i in some] for some in ends[0][1:])
    what = f"the hand with {_listed(fingers)}" if fingers else f"and not at {_listed(beside)}"
    return (
        f"the arm ends at {tip_frame(arm, arm.links[end].name)!r}, {what}. Payloads, tips and paths refer to it unless "
        "another link is named."
    )


def last_flexible(arm: AbstractTree) -> str | None:
    """The outermost flexible link, or None without any; raises an error if several branches have one."""
    bends = [i for i, link in enumerate(arm.links) if link.mode_labels]
    inner = {above for i in bends for above in ancestors(arm, i)}
    outer = [arm.links[i].name for i in bends if i not in inner]
    if len(outer) > 1:
        raise ModelError(
            f"{len(outer)} branches end in flexible links ({_listed(outer)}); use run.deflection(link).",
            f"arm {arm.name!r}",
        )
    return outer[0] if outer else None


def fixed_base_note(arm: AbstractTree) -> str:
    """A note about an arm whose base carries several branches, as that of a robot with legs; empty for others."""
    carrier = carriers(arm)
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


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
