"""The lines of an arm: joints, links, and the deflected axes of flexible links."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.link import Link
from lissom.spatial.frames import inverse, pose as to
from lissom.spatial.rotations import Array
from lissom.verbs.deformation import amplitudes
from lissom.verbs.kinematics import pose, poses

SECTIONS = 21  # places along a beam
RIB = 0.04  # half the width of a beam that twists, of the arm's size


class Skeleton:
    """The lines of an arm for states (..., dof).

    X (..., n_links, 4, 4)       link frames
    tips (..., n_links, 4, 4)    where children and tools sit
    beams                        sections (..., SECTIONS, 4, 4) along the flexible links, by link
    """

    def __init__(self, arm: Arm, q: Array):
        self.arm, self.q = arm, q
        self.X = poses(arm, q)
        self.beams = {i: self._sections(i, link) for i, link in enumerate(arm.links) if link.flexible}
        self.tips = np.array(self.X)
        for i, sections in self.beams.items():
            self.tips[..., i, :, :] = sections[..., -1, :, :]

    def _sections(self, i: int, link: Link) -> Array:
        """(..., SECTIONS, 4, 4) along a flexible link."""
        share = np.linspace(0.0, 1.0, SECTIONS)
        if not self._bends(i):  # no need to ask for every place
            return self.X[..., i, None, :, :] @ np.array([to(p=s * link.tip[:3, 3]) for s in share])
        ask = partial(pose, self.arm, self.q)
        if link.beam is None:
            return _between(ask(link.name), ask(f"{link.name}.tip"), link.tip[:3, 3])
        return np.stack([ask(link.name, (s * link.beam.length, 0.0, 0.0)) for s in share], axis=-3)

    def _bends(self, i: int) -> bool:
        """Some amplitude of link i is not zero."""
        return bool(np.any(self.q[..., amplitudes(self.arm, self.arm.links[i].name)]))

    @cached_property
    def origins(self) -> Array:
        """(..., n_links, 3) each link's joint after its motion."""
        back = np.array([inverse(link.frame) for link in self.arm.links])
        return (self.X @ back)[..., :3, 3]

    @cached_property
    def starts(self) -> Array:
        """(..., n_links, 3) where each link hangs: the base's origin, or the tip of its parent or a place along it."""
        return np.stack([self.attachment(i)[..., :3, 3] for i in range(len(self.arm.links))], axis=-2)

    def attachment(self, i: int) -> Array:
        """(..., 4, 4) the frame in which the joint of link i is placed."""
        parent, at = int(self.arm.parent_index[i]), self.arm.links[i].joint.at
        if parent < 0:
            return np.broadcast_to(np.eye(4), (*self.q.shape[:-1], 4, 4))
        if at is None:
            return np.asarray(self.tips[..., parent, :, :])
        return pose(self.arm, self.q, self.arm.links[parent].name, (at, 0.0, 0.0))

    def to_joint(self, i: int) -> list[Array]:
        """Points (..., 3) from where link i hangs to its joint: of joints that slide also where they do so from."""
        joint = self.arm.links[i].joint
        seat = [(self.attachment(i) @ joint.placement)[..., :3, 3]] if joint.travel else []
        return [self.starts[..., i, :], *seat, self.origins[..., i, :]]

    @cached_property
    def centres(self) -> Array:
        """(..., n_links, 3) centres of mass; that of a flexible link moves with the section that it lies in."""
        out = [_carried(self.X[..., i, :, :], link.body.com) for i, link in enumerate(self.arm.links)]
        for i in filter(self._bends, self.beams):
            link = self.arm.links[i]
            com, length = link.body.com, link.tip[0, 3]
            if link.beam is not None and 0.0 <= com[0] < length:
                out[i] = pose(self.arm, self.q, link.name, com)[..., :3, 3]
            elif com[0] >= length:
                out[i] = _carried(self.tips[..., i, :, :], com - link.tip[:3, 3])
        return np.stack(out, axis=-2)

    @cached_property
    def closures(self) -> list[tuple[int, Array]]:
        """The two ends of every loop: the link (-1: the base) and where the end is (..., 3)."""
        out = []
        for loop in self.arm.loops:
            for name, frame in (loop.a, loop.b):
                if name is None:
                    out.append((-1, np.broadcast_to(frame[:3, 3], (*self.q.shape[:-1], 3))))
                else:
                    out.append((self.arm.frames[name].link, pose(self.arm, self.q, name, frame[:3, 3])[..., :3, 3]))
        return out

    def anchored(self, i: int, end: Array) -> Array:
        """(..., 2, 3) the line from link i (-1: the base) to an end of a loop."""
        root = np.zeros_like(end) if i < 0 else self.tips[..., i, :3, 3]
        return np.stack([root, end], axis=-2)

    @cached_property
    def joints(self) -> Array:
        """(..., joints, 3) those that move."""
        return self.origins[..., [i for i in range(len(self.arm.links)) if self.shows_joint(i)], :]

    @cached_property
    def hidden(self) -> set[int]:
        """Links of which nothing is drawn."""
        return hidden_links(self.arm)

    def shows_joint(self, i: int) -> bool:
        """The joint before link i moves, and is none of those that let an arm with contacts move freely."""
        return self.arm.links[i].joint.moves and not {i, int(self.arm.parent_index[i])} & self.hidden

    @cached_property
    def rigid(self) -> Array:
        """(..., points, 3) one line through everything that does not bend, broken by NaN."""
        pieces = []
        for i, link in enumerate(self.arm.links):
            if i in self.hidden:
                continue
            pieces.append([*self.to_joint(i), self.X[..., i, :3, 3]])
            tip = self.tips[..., i, :, :]
            pieces += [[tip[..., :3, 3], (tip @ tool.placement)[..., :3, 3]] for tool in link.tools]
            if i in twigs(self.arm):
                pieces.append([self.origins[..., i, :], self.centres[..., i, :]])
        lines = [np.stack(piece, axis=-2) for piece in pieces]
        return _broken(lines + [self.anchored(i, end) for i, end in self.closures])

    @cached_property
    def flexible(self) -> Array:
        """(..., points, 3) one line along all flexible links, broken by NaN."""
        return _broken([sections[..., :3, 3] for sections in self.beams.values()], self.X.shape[:-3])

    @cached_property
    def ribs(self) -> Array:
        """(..., points, 3) short lines across the beams that twist, which their axes do not show, broken by NaN."""
        half, pieces = RIB * self.size, []
        for i, sections in self.beams.items():
            beam = self.arm.links[i].beam
            if beam is not None and beam.modes.torsion:
                for k in range(0, SECTIONS, 2):
                    at, y = sections[..., k, :3, 3], half * sections[..., k, :3, 1]
                    pieces.append(np.stack([at - y, at + y], axis=-2))
        return _broken(pieces, self.X.shape[:-3])

    @cached_property
    def size(self) -> float:
        """Longest side of the box around the lines of the first state [m]."""
        lines = np.concatenate([self.rigid, self.flexible], axis=-2)
        first = lines.reshape(-1, *lines.shape[-2:])[0]
        return max(float(np.ptp(first[np.isfinite(first[:, 0])], axis=0).max()), 1e-3)

    @cached_property
    def points(self) -> Array:
        """(points, 3) every point of every line, for a view that holds them."""
        points = np.concatenate([self.rigid, self.flexible, self.ribs], axis=-2).reshape(-1, 3)
        return points[np.isfinite(points).all(axis=-1)]


def moving(arm: Arm) -> NDArray[np.intp]:
    """Links behind joints that move."""
    return np.flatnonzero([link.joint.moves for link in arm.links])


def hidden_links(arm: Arm) -> set[int]:
    """Links without mass that let an arm with contacts move freely: there is nothing to see of them."""
    out: set[int] = set()
    for i, link in enumerate(arm.links if arm.contacts else ()):
        free = int(arm.parent_index[i]) < 0 or int(arm.parent_index[i]) in out
        if free and link.joint.moves and not link.joint.actuated and link.body.mass == 0.0 and not link.flexible:
            out.add(i)
    return out


def twigs(arm: Arm) -> set[int]:
    """Rigid links at the ends of branches, whose mass shows where they are; links in loops show by these."""
    carrying = {int(i) for i in arm.parent_index}
    carrying |= {arm.frames[name].link for loop in arm.loops for name, _ in (loop.a, loop.b) if name is not None}
    ends = set(range(len(arm.links))) - carrying
    return {i for i in ends if not arm.links[i].flexible and arm.links[i].body.mass > 0.0}


def _between(root: Array, tip: Array, straight: Array) -> Array:
    """A link that is known by its tip alone: the cubic that leaves the root and meets the tip as they stand."""
    t = np.linspace(0.0, 1.0, SECTIONS)[:, None]
    out = np.repeat(root[..., None, :, :], SECTIONS, axis=-3)
    out[..., -1, :, :] = tip
    a, b = root[..., None, :3, 3], tip[..., None, :3, 3]
    leaving, meeting = ((X[..., :3, :3] @ straight)[..., None, :] for X in (root, tip))
    out[..., :3, 3] = (
        a * (1 - 3 * t**2 + 2 * t**3) + leaving * (t - 2 * t**2 + t**3) + b * (3 * t**2 - 2 * t**3)
        + meeting * (t**3 - t**2)
    )  # fmt: skip
    return out


def _carried(X: Array, point: Array) -> Array:
    """A point of frames (..., 4, 4) in the world."""
    return (X[..., :3, :3] @ point) + X[..., :3, 3]


def _broken(pieces: list[Array], batch: tuple[int, ...] = ()) -> Array:
    """Lines (..., points, 3) as one, with NaN after each."""
    if not pieces:
        return np.full((*batch, 1, 3), np.nan)
    gap = np.full((*pieces[0].shape[:-2], 1, 3), np.nan)
    return np.concatenate([part for piece in pieces for part in (piece, gap)], axis=-2)
