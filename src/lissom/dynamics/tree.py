"""The tree that recursions run on: elements in the order of their coordinates, parents first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from lissom.dynamics.body import BASE
from lissom.elements.base import (
    AbstractArticulated,
    AbstractComposite,
    AbstractElement,
    AbstractLink,
    AbstractStretching,
)
from lissom.engine.run import AbstractRun
from lissom.joints.base import AbstractJoint
from lissom.joints.drive import Drive
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody
from lissom.spatial.motions import Pose, Wrench
from lissom.spatial.scalar import Coordinates

A = TypeVar("A", Wrench, ArticulatedBody)
TOGETHER = 4  # sines and cosines are long chains of dependent operations; four at a time keep the processor busy
Position = Any  # what the methods of an element take: the pose of a joint, the amplitudes of a beam


@record
class Node:
    """An element in the tree.

    parent : number of the element that carries it, or BASE
    first, width : its coordinates
    owner : number of the element whose coordinates these are: its own, or that of the beam along which it is a place
    carries : whether it has mass or carries other elements; other places along beams are there for loads and outputs
    drive : of its joint
    mass, field_mass : of the body on its frame, and of the beam between parent and frame; masses that are inputs of a
        program are not counted
    """

    element: AbstractElement[Any, Any, Any, Any, Any]
    parent: int
    first: int
    width: int
    owner: int
    carries: int
    drive: Drive | None
    mass: float
    field_mass: float

    def part(self, vector: Any) -> Any:
        """The entries of a vector of coordinates that are the element's."""
        return vector[self.first : self.first + self.width]

    @property
    def coordinates(self) -> range:
        """Indices of the coordinates of the element."""
        return range(self.first, self.first + self.width)

    @property
    def articulated(self) -> AbstractArticulated[Any]:
        """The element, of a tree that does not stretch."""
        assert isinstance(self.element, AbstractArticulated)
        return self.element

    @property
    def composite(self) -> AbstractComposite[Any, Any, Any]:
        """The element, of a tree that `has_composites`."""
        assert isinstance(self.element, AbstractComposite)
        return self.element


@record
class Tree:
    """The elements of an arm."""

    nodes: tuple[Node, ...]

    @property
    def dof(self) -> int:
        """Number of coordinates."""
        return sum(node.width for _, node in self.own())

    def outward(self) -> Iterator[tuple[int, Node]]:
        """Elements with mass from the base to the tips."""
        return ((i, node) for i, node in enumerate(self.nodes) if node.carries)

    def own(self) -> Iterator[tuple[int, Node]]:
        """Elements with coordinates of their own, from the base to the tips."""
        return ((i, node) for i, node in enumerate(self.nodes) if node.owner == i)

    def inward(self) -> Iterator[tuple[int, Node]]:
        """All elements from the tips to the base, places along a beam before its tip."""
        return reversed(list(enumerate(self.nodes)))

    def path(self, i: int) -> list[int]:
        """Elements from the base to element i."""
        found = []
        while i != BASE:
            found.append(i)
            i = self.nodes[i].parent
        return found[::-1]

    @property
    def stretches(self) -> bool:
        """Whether frames need not stay orthonormal, so that there are no twists and wrenches in world axes."""
        return any(isinstance(node.element, AbstractStretching) for node in self.nodes)

    @property
    def has_composites(self) -> bool:
        """Whether composite bodies are there in body axes."""
        return all(isinstance(node.element, AbstractComposite) for _, node in self.own())

    @property
    def carried_mass(self) -> list[float]:
        """Mass of the body on every frame and of all that it carries."""
        total = [node.mass for node in self.nodes]
        for i, node in self.inward():
            if node.parent != BASE:
                total[node.parent] += total[i] + node.field_mass
        return total

    @property
    def chain(self) -> list[int]:
        """Coordinate before each coordinate on its branch, or BASE."""
        last = {BASE: BASE} | {i: node.first + node.width - 1 for i, node in enumerate(self.nodes)}
        out = [BASE] * self.dof
        for _, node in self.own():
            before = last[node.parent]
            for k in range(node.first, node.first + node.width):
                out[k], before = before, k
        return out

    def joined(self, parts: Mapping[int, Coordinates]) -> list[Any]:
        """Vectors of one entry by coordinate, from vectors by element."""
        out: list[Any] = [None] * self.dof
        for i, part in parts.items():
            for k in range(self.nodes[i].width):
                out[self.nodes[i].first + k] = part[k : k + 1]
        return out

    def positions(self, run: AbstractRun, q: Any, wanted: Sequence[int] | None = None) -> dict[int, Position]:
        """Positions of elements: the poses of joints, the amplitudes of beams, with frames where these stretch."""
        numbers = range(len(self.nodes)) if wanted is None else wanted
        out: dict[int, Position] = {i: self.nodes[i].part(q) for i in numbers}
        links = ((i, self.nodes[i].element) for i in numbers)
        joints = {i: link.joint for i, link in links if isinstance(link, AbstractLink)}
        for _, group in groupby(sorted(joints, key=lambda i: joints[i].kind), lambda i: joints[i].kind):
            left = list(group)
            alone = left[0]  # so that an arm uses the steps of both sizes, and the next one finds them compiled
            while left:
                first = [self.nodes[i].first for i in left[:TOGETHER]]
                together = left[0] != alone and first == list(range(first[0], first[0] + TOGETHER))
                some = left[:TOGETHER] if together else left[:1]
                coordinates = q[first[0] : first[0] + sum(self.nodes[i].width for i in some)]
                found = run.call(poses, tuple(joints[i] for i in some), coordinates)
                out |= dict(zip(some, found, strict=True))
                del left[: len(some)]
        for i in numbers:  # parents first
            element = self.nodes[i].element
            if isinstance(element, AbstractStretching):
                out[i] = run.call(element.located, out.get(self.nodes[i].parent), out[i])
        return out


def poses(joints: tuple[AbstractJoint, ...], q: Coordinates) -> tuple[Pose, ...]:
    """Poses of joints with coordinates side by side."""
    out, at = [], 0
    for joint in joints:
        out.append(joint.pose(q[at : at + joint.nq]))
        at += joint.nq
    return tuple(out)


def add_to(run: AbstractRun, sums: dict[int, A], i: int, more: A | None) -> None:
    """Add to the sum of an element; nothing is kept for the base."""
    if more is not None and i != BASE:
        sums[i] = run.call(_sum, sums[i], more) if i in sums else more


def _sum(a: A, b: A) -> A:
    return a + b
