"""Where an arm ends: what carries payloads by default, whose path is reported, what figures follow.

A branch ends at its last moving link and at what is fixed to that, followed outwards. Fingers are no ends: the branch
then ends at their hand. Links are fingers

- if several branches leave one link, and that is named a hand or they are short against the chain that carries it, or
- by their names, where the link that carries them has none of these, or
- if the last joint leaves a link beside a frame of a tool: one moving jaw.

Where several links end side by side, the end is the frame of a tool among them, known by its name (`model/tool_names`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from lissom.model.structure import AbstractTree
from lissom.model.tool_names import best_tool, names_finger, names_gripper, names_hand, names_sensor

FEWEST_CARRYING = 3  # bodies of a chain that takes a hand to a place
SHORT = 2  # branches with this factor fewer joints than the chain that carries them are fingers
NO_MASS = 1e-4  # of the arm's mass: frames in files often have a little


class End(NamedTuple):
    """The end of a branch: a link, the fingers that move there, and links fixed beside it that were not taken."""

    link: int
    fingers: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()


class Branches:
    """The moving links of an arm as a tree of their own; what is fixed to a moving link is part of it.

    carrier : for every link the moving link that it is fixed to (or itself), -1 on the base
    above : for every moving link the one that carries it
    branches : the moving links that a moving link carries
    chain : how many bodies move between the base and a moving link, itself included
    beyond : most joints in a row beyond a moving link
    """

    def __init__(self, arm: AbstractTree):
        self.arm, self.carrier = arm, carriers(arm)
        self.masses = [link.without_payload.mass for link in arm.links]  # a payload does not make a frame a body
        self.massless = NO_MASS * sum(self.masses)
        parts = [i for i in range(len(arm.links)) if self.carrier[i] == i]
        self.members: dict[int, list[int]] = {k: [] for k in (-1, *parts)}
        for i in range(len(arm.links)):
            self.members[self.carrier[i]].append(i)
        self.above = {k: self.carrier[int(arm.parent_index[k])] for k in parts}
        self.branches: dict[int, list[int]] = {k: [] for k in self.members}
        self.chain, self.beyond = {-1: 0}, dict.fromkeys(self.members, 0)
        for k in parts:
            self.branches[self.above[k]].append(k)
            self.chain[k] = self.chain[self.above[k]] + (not self.massless or any(map(self.heavy, self.members[k])))
        for k in reversed(parts):
            self.beyond[self.above[k]] = max(self.beyond[self.above[k]], self.beyond[k] + 1)
        self.inner = {int(parent) for parent in arm.parent_index}

    def heavy(self, i: int) -> bool:
        """Whether a link has mass, other than a frame."""
        return self.masses[i] > self.massless

    def ends(self) -> list[End]:
        """The ends of all branches, in the order of the links."""
        found: list[End] = []
        within = set()  # moving links that are fingers
        for k in self.above or self.members:
            if k in within or self.above.get(k) in within:
                within.add(k)
            elif fingers := self._fingers(k):
                within.update(fingers)
                found.append(self._end_at(k, fingers))
            elif not self.branches[k]:
                found += [self._end_at(k, []), *self._fixed_jaws(k)]
        return sorted(found)

    # ---- fingers ---------------------------------------------------------------------------------

    def _fingers(self, k: int) -> list[int]:
        """The moving links that a hand carries as fingers; none if the link is no hand."""
        out = self.branches[k]
        if k < 0 or not out:
            return []
        several = len(out) > 1 and self.chain[k] >= FEWEST_CARRYING
        short = self.chain[k] >= SHORT * self.beyond[k]
        known = several and (short or any(map(names_hand, self._frames_of(self._carrying(out)))))
        return out if known or all(map(self._named_finger, out)) or self._one_jaw(k) else []

    def _frames_of(self, i: int) -> list[str]:
        """Names of a link and of its tools: links that were merged are tools."""
        return [self.arm.links[i].name, *(tool.name for tool in self.arm.links[i].tools)]

    def _carrying(self, moving: list[int]) -> int:
        """The outermost link that carries some moving links."""
        return common(self.arm, [int(self.arm.parent_index[i]) for i in moving])

    def _one_jaw(self, k: int) -> bool:
        """Whether a moving link carries one joint more, and that moves the jaw of a gripper."""
        if len(self.branches[k]) > 1 or self.beyond[k] > 1:
            return False
        (jaw,) = self.branches[k]
        hand = int(self.arm.parent_index[jaw])
        frames = [self.arm.links[i].name for i in self._leaves(k, hand) if not self.heavy(i)]
        frames += self._frames_of(hand)[1:]
        return self._named_gripper(jaw) or best_tool(frames, flange=False) is not None

    def _named_finger(self, i: int) -> bool:
        """Whether a link is named after a finger and what carries it is not: the first link of a finger."""
        above = int(self.arm.parent_index[i])
        return above >= 0 and self._finger_word(i) and not self._finger_word(above)

    def _finger_word(self, i: int) -> bool:
        link = self.arm.links[i]
        return names_finger(link.name) or names_finger(link.joint.name)

    def _named_gripper(self, i: int) -> bool:
        """Whether a link and what carries it are parts of a gripper by their names, the lighter one moving."""
        link, hand = self.arm.links[i], int(self.arm.parent_index[i])
        named = names_gripper(link.name) or names_gripper(link.joint.name)
        carried = any(map(names_gripper, self._frames_of(hand)))
        before = int(self.arm.parent_index[self.carrier[hand]])
        everywhere = before >= 0 and names_gripper(self.arm.links[before].name)  # part of the robot's name
        return named and carried and not everywhere and self.masses[i] <= self.masses[hand]

    # ---- what is fixed to a moving link ----------------------------------------------------------

    def _leaves(self, k: int, top: int) -> list[int]:
        """The last links that are fixed, by way of others or not, to one that is part of the moving link k."""
        inside = {top}
        for i in self.members[k]:
            if int(self.arm.parent_index[i]) in inside:
                inside.add(i)
        leaves = (self._behind_sensors(i, top) for i in self.members[k] if i in inside and i not in self.inner)
        outer = dict.fromkeys(leaves)
        carrying = {above for i in outer for above in takewhile(inside.__contains__, ancestors(self.arm, i))}
        return [i for i in outer if i not in carrying]

    def _behind_sensors(self, i: int, top: int) -> int:
        """The link that carries a sensor, by way of others or not; other links as they are."""
        while i != top and names_sensor(self.arm.links[i].name):
            i = int(self.arm.parent_index[i])
        return i

    def _end_at(self, k: int, fingers: list[int]) -> End:
        """Where a branch ends that ends with the moving link k, or with its fingers."""
        links = self.arm.links
        hand = self._carrying(fingers) if fingers else self._locked_hand(k)
        leaves = self._leaves(k, k if hand is None else hand)
        bodies, frames = ([i for i in leaves if self.heavy(i) is heavy] for heavy in (True, False))
        tool = best_tool([links[i].name for i in frames])
        if tool is not None:
            link = self.arm.index(tool)
        elif hand is not None:
            link = hand
        else:
            (link,) = bodies or (frames if len(frames) == 1 else [common(self.arm, frames)])
        beside = () if fingers else tuple(i for i in leaves if i != link)
        return End(link, tuple(fingers), beside)

    def _locked_hand(self, k: int) -> int | None:
        """The link that carries several bodies fixed side by side, or a finger that does not move; None without."""
        bodies = [i for i in self._leaves(k, k) if self.heavy(i)]
        if len(bodies) > 1:
            return common(self.arm, bodies)
        for body in bodies:
            i = body
            while i != k and self._finger_word(i):
                i = int(self.arm.parent_index[i])
            if i != body and not self._finger_word(i):
                return i
            if body != k and names_gripper(self.arm.links[body].name) and self._named_gripper(body):
                return int(self.arm.parent_index[body])
        return None

    def _fixed_jaws(self, k: int) -> list[End]:
        """Bodies fixed beside the last joint on a link that is itself fixed: a jaw, a cover or a motor."""
        hand, part = int(self.arm.parent_index[k]), self.above.get(k, -1)
        if part < 0 or hand == part or len(self.branches[part]) > 1:
            return []
        return [End(i) for i in self._leaves(part, hand) if self.heavy(i)]


def carriers(arm: AbstractTree) -> dict[int, int]:
    """Index of the moving link that each link is fixed to (or itself), -1 on the base."""
    out = {-1: -1}
    for i, link in enumerate(arm.links):
        out[i] = i if link.joint.moves or link.mode_labels else out[int(arm.parent_index[i])]
    return out


def ancestors(arm: AbstractTree, i: int) -> Iterator[int]:
    while (i := int(arm.parent_index[i])) >= 0:
        yield i


def common(arm: AbstractTree, links: Sequence[int]) -> int:
    """The outermost link that carries all these links, -1 for the base."""
    wanted = set(links)
    carried = Counter(wanted)  # by every link: how many of them
    for i in range(max(links), -1, -1):  # parents come before children
        if carried[i] == len(wanted):
            return i
        carried[int(arm.parent_index[i])] += carried[i]
    return -1
