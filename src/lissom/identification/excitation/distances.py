"""Distances of an arm from obstacles and between its own links, and heights of frames, with derivatives."""

from __future__ import annotations

import numpy as np

from lissom.identification.excitation.gaps import Gap, Segment, height_gaps, link_gaps, obstacle_gaps
from lissom.identification.fit.masks import Indices
from lissom.model.arm import Arm
from lissom.motion.task.obstacles import bodies_of
from lissom.motion.task.task import Task
from lissom.motion.transcription.peak import Peak
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import jacobian, pose

TINY = 1e-12  # m^2, of a segment without length


class Distances:
    """All gaps of an arm in a task.

    Parameters
    ----------
    self_collision : bool      links keep clear of each other, where their shapes have a thickness and where they do so
                               at the start
    """

    def __init__(self, arm: Arm, task: Task, start: Array, self_collision: bool) -> None:
        self.arm = arm
        bodies = bodies_of(arm) if task.bodies is None else task.bodies
        self.gaps = [*obstacle_gaps(bodies, task), *height_gaps(task)]
        self.of_obstacles = len(self.gaps)
        if self_collision:
            own = link_gaps(arm, bodies, task.margin)
            clear = self._values(start[None], own)[0] > 0 if own else ()
            self.gaps += [gap for gap, free in zip(own, clear, strict=True) if free]

    def __bool__(self) -> bool:
        return bool(self.gaps)

    def values(self, q: Array) -> Array:
        """(N, gaps): 0 at the limit, -1 a whole size beyond it."""
        return self._values(q, self.gaps)

    def _values(self, q: Array, gaps: list[Gap]) -> Array:
        frames = self._frames(q, gaps)
        return np.stack([self._gap(frames, gap)[0] / gap.size for gap in gaps], axis=1)

    def _frames(self, q: Array, gaps: list[Gap]) -> dict[str | None, Array]:
        links = {part.link for gap in gaps for part in (gap.first, gap.second) if part is not None}
        world = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        return {link: world if link is None else pose(self.arm, q, link) for link in links}

    def _gap(self, frames: dict[str | None, Array], gap: Gap) -> tuple[Array, Array, Array, Array]:
        """The distance left [m], its direction (N, 3), and where along both segments it is."""
        a, b = _ends(frames, gap.first)
        if gap.second is None:
            up = np.broadcast_to([0.0, 0.0, float(gap.side)], a.shape)
            return gap.side * (a[:, 2] - gap.least), up, np.zeros(len(a)), np.zeros(len(a))
        c, d = _ends(frames, gap.second)
        s, t = nearest(a, b, c, d)
        apart = a + s[:, None] * (b - a) - c - t[:, None] * (d - c)
        length = np.linalg.norm(apart, axis=1)
        return length - gap.least, apart / np.maximum(length, 1e-9)[:, None], s, t

    def excess(self, q: Array, room: float) -> tuple[Indices, Array, Array]:
        """Rows (k,) of positions at which less than a part of a size is left, by how much (negative), and its
        derivatives (k, dof)."""
        frames = self._frames(q, self.gaps)
        found = [self._excess(q, gap, self._gap(frames, gap), room) for gap in self.gaps]
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))  # type: ignore[return-value]

    def _excess(
        self, q: Array, gap: Gap, at: tuple[Array, Array, Array, Array], room: float
    ) -> tuple[Indices, Array, Array]:
        left, direction, s, t = at
        rows = np.flatnonzero(left < room * gap.size)
        slope = self._moved(q[rows], gap, direction[rows], s[rows], t[rows]) if len(rows) else q[:0]
        return rows, left[rows] / gap.size - room, slope / gap.size

    def _moved(self, q: Array, gap: Gap, direction: Array, s: Array, t: Array) -> Array:
        """(N, dof) derivatives of a distance."""
        out = np.zeros_like(q)
        for part, at, sign in ((gap.first, s, 1.0), (gap.second, t, -1.0)):
            if part is not None and part.link is not None:
                J = jacobian(self.arm, q, part.link, part.a + at[:, None] * (part.b - part.a))
                out += sign * np.einsum("ij,ijk->ik", direction, J[:, :3])
        return out

    def peaks(self, t: Array, q: Array) -> list[Peak]:
        """Where links come nearest to each other; a verification finds obstacles and heights by itself."""
        own = self.gaps[self.of_obstacles :]
        if not own:
            return []
        use = 1 - self._values(q, own)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        if use[row, k] < 0:  # farther away than they are thick
            return []
        gap = own[int(k)]
        distance = (1 - use[row, k]) * gap.size + gap.margin
        return [Peak(gap.what, gap.who, float(t[row]), float(distance), gap.margin, float(use[row, k]))]


def _ends(frames: dict[str | None, Array], part: Segment) -> tuple[Array, Array]:
    X = frames[part.link]
    a, b = (X[:, :3, 3] + X[:, :3, :3] @ end for end in (part.a, part.b))
    return a, b


def nearest(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Where the segments from a to b and from c to d (N, 3) are nearest, as fractions of both."""
    u, v, w = b - a, d - c, a - c
    uu, vv, uv, uw, vw = (np.sum(x * y, axis=1) for x, y in ((u, u), (v, v), (u, v), (u, w), (v, w)))
    safe_u, safe_v, area = np.maximum(uu, TINY), np.maximum(vv, TINY), uu * vv - uv * uv
    free = area > 1e-12 * np.maximum(uu * vv, TINY)
    s = _clipped(np.where(free, (uv * vw - uw * vv) / np.where(free, area, 1.0), 0.0))
    t = _clipped((uv * s + vw) / safe_v)
    s = _clipped((uv * t - uw) / safe_u)
    return s, _clipped((uv * s + vw) / safe_v)


def _clipped(x: Array) -> Array:
    return np.clip(x, 0.0, 1.0)
