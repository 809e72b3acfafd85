"""Whether the parts of an arm fit together: unique names, a tree, and references to links and joints that exist."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lissom.errors import ModelError, suggest
from lissom.model.contact import refuse_wrong_contacts
from lissom.model.link import Link
from lissom.model.structure import AbstractTree

MOST_LINKS = 100_000
DEEPEST = 10_000


def refuse_inconsistent(arm: AbstractTree) -> None:
    """Raise an error that names the first part of an arm that does not fit to the others."""
    _refuse_duplicate_names(arm)
    _refuse_broken_tree(arm)
    _refuse_unknown_leaders(arm)
    _refuse_wrong_tip_poses(arm)
    _refuse_wrong_attachments(arm)
    _refuse_loose_ends(arm)
    refuse_wrong_contacts(arm.contacts, arm.mirror, arm.frames, arm.coordinates)


def _refuse_duplicate_names(arm: AbstractTree) -> None:
    frames: dict[str, str] = {}
    joints: dict[str, str] = {}
    for link in arm.links:
        for word in (link.name, *(tool.name for tool in link.tools)):
            if word in frames:
                raise ModelError(
                    f"the name {word!r} is used twice (also on link {frames[word]!r}); "
                    "links and tools need unique names.",
                    f"link {link.name!r}",
                )
            frames[word] = link.name
        if link.joint.name in joints:
            raise ModelError(
                f"its joint {link.joint.name!r} has the same name as the joint of link "
                f"{joints[link.joint.name]!r}; rename one.",
                f"link {link.name!r}",
            )
        joints[link.joint.name] = link.name


def _refuse_broken_tree(arm: AbstractTree) -> None:
    if not arm.links:
        raise ModelError("it has no links; give at least one Link.", f"arm {arm.name!r}")
    if len(arm.links) > MOST_LINKS:
        raise ModelError(f"it has {len(arm.links)} links; at most {MOST_LINKS} are accepted.", f"arm {arm.name!r}")
    depth: dict[str | None, int] = {None: 0}
    for link in arm.links:
        if link.parent not in depth:
            raise ModelError(_parent_problem(arm, link), f"link {link.name!r}")
        depth[link.name] = depth[link.parent] + 1
        if depth[link.name] > DEEPEST:
            raise ModelError(f"the tree is deeper than {DEEPEST} links.", f"link {link.name!r}")


def _parent_problem(arm: AbstractTree, link: Link) -> str:
    up = {other.name: other.parent for other in arm.links}
    if link.parent == link.name:
        return "it is its own parent; parents and children must form a tree."
    if link.parent not in up:
        return f"its parent {link.parent!r} does not exist; {suggest(str(link.parent), up)}"
    seen: set[str | None] = {link.name}
    word: str | None = link.parent
    while word is not None and word in up and word not in seen:
        seen.add(word)
        word = up[word]
    if word == link.name:
        return f"it is among its own ancestors (through {link.parent!r}); parents and children must form a tree."
    return f"it comes before its parent {link.parent!r}; list parents first."


def _refuse_unknown_leaders(arm: AbstractTree) -> None:
    """Raise an error for a joint that mimics none of the others that move, and for rings of such joints."""
    moving = {joint.name: None for joint in arm.moving_joints}  # ordered, and quick to look into
    for link in arm.links:
        mimic = link.joint.mimic
        if mimic is not None and (mimic.joint not in moving or mimic.joint == link.joint.name):
            raise ModelError(
                f"it mimics {mimic.joint!r}, which is not another moving joint; {suggest(mimic.joint, moving)} "
                "Load the arm with mimic='free' to make it an independent joint.",
                f"joint {link.joint.name!r}",
            )
    _ = arm.mimics  # refuses rings


def _refuse_wrong_tip_poses(arm: AbstractTree) -> None:
    """Raise an error if `tip_pose` names joints that the beam does not carry."""
    for i, link in enumerate(arm.links):
        if link.beam is None or not link.beam.tip_pose:
            continue
        carried = {i}
        for k in range(i + 1, len(arm.links)):
            if int(arm.parent_index[k]) in carried:
                carried.add(k)
        known = [arm.links[k].joint.name for k in sorted(carried - {i}) if arm.links[k].joint.independent]
        for joint, _ in link.beam.tip_pose:
            if joint not in known:
                raise ModelError(
                    f"tip_pose names {joint!r}, which is not an independent joint further out on the arm; "
                    f"{suggest(joint, known)}",
                    f"link {link.name!r} beam",
                )


def _refuse_wrong_attachments(arm: AbstractTree) -> None:
    """Raise an error for a joint with `at` whose parent is no beam, or is shorter."""
    for i, link in enumerate(arm.links):
        if link.joint.at is None:
            continue
        parent = arm.links[arm.parent_index[i]] if link.parent is not None else None
        problem = ""
        if parent is None or parent.beam is None:
            held = "the base" if parent is None else f"link {parent.name!r}"
            problem = f"at is for joints along a beam, and {held} has none; give the place in placement"
        elif link.joint.at > parent.beam.length:
            problem = (f"at is {link.joint.at:g}, beyond the beam of link {parent.name!r}, which is "
                       f"{parent.beam.length:g} m long; leave it out for the tip")  # fmt: skip
        elif arm.flexibility != "second_order":
            problem = f"at is not available with flexibility={arm.flexibility!r}; use 'second_order'"
        if problem:
            raise ModelError(f"{problem}.", f"joint {link.joint.name!r}")


def _refuse_loose_ends(arm: AbstractTree) -> None:
    """Raise an error for loops and loads on frames that do not exist, loops on one link, and batches of loads."""
    for word, what in _named(arm):
        if word is not None and word not in arm.frames:
            raise ModelError(f"there is no link or tool {word!r}; {suggest(word, arm.frames)}", what)
    for k, loop in enumerate(arm.loops):
        if loop.a[0] == loop.b[0]:  # two tools of a link are left: merging fixed joints makes such
            held = "the base" if loop.a[0] is None else repr(loop.a[0])
            raise ModelError(f"both ends are on {held}; a loop joins two different links.", f"loop {k + 1}")
    for load in arm.loads:
        if any(np.ndim(getattr(load, word)) != 1 for word in ("force", "moment", "point")):
            raise ModelError("a load that belongs to the arm cannot be a batch.", f"load on {load.link!r}")


def _named(arm: AbstractTree) -> Iterator[tuple[str | None, str]]:
    """Names of frames that loops and loads refer to, None for the base."""
    yield from ((end[0], "loop") for loop in arm.loops for end in (loop.a, loop.b))
    yield from ((load.link, "load") for load in arm.loads)
