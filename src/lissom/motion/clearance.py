"""Distances between an arm and obstacles: rows of samples, and a look at them."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.dynamics.bodies import Bodies
from lissom.model.arm import Arm
from lissom.motion.obstacles import Body, apart, count_of, widened
from lissom.motion.program import Block
from lissom.motion.sample import Sample
from lissom.motion.torques import placed
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.kinematics import pose
from lissom.verbs.library import digest
from lissom.verbs.states import as_frame

TINY = 1e-12  # m^2, of a segment without length


class _Pair(NamedTuple):
    """A part of the arm and an obstacle."""

    body: Body
    obstacle: Any
    place: int  # of the obstacle among all
    points: int
    of_body: bool  # the body is covered by points, else the obstacle
    D: float  # least distance of the segments
    wide: float  # what is asked of points

    @property
    def data(self) -> Array:
        return np.concatenate([self.body.a, self.body.b, *self.obstacle.ends, [self.wide]])

    @property
    def structure(self) -> str:
        return f"{self.body.link},{self.points},{self.of_body}"


class Clearance:
    """All pairs of an arm's parts and obstacles.

    Parameters
    ----------
    parts, obstacles : sequences of Body, of Sphere and Capsule
    margin : float     to be left between them [m]
    """

    def __init__(self, arm: Arm, parts: Any, obstacles: Any, margin: float, verb: str) -> None:
        self.arm, self.margin = arm, margin
        for part in parts:
            as_frame(arm, part.link, f"{verb}: bodies")
        self.pairs = [_pair(body, thing, k, margin) for body in parts for k, thing in enumerate(obstacles)]
        self.data = np.concatenate([pair.data for pair in self.pairs])
        bodies = library_of(arm).bodies
        key = f"clearance|{digest(bodies)}|{';'.join(pair.structure for pair in self.pairs)}"
        made: dict[str, Sample] = arm.__dict__.setdefault("_samples", {})
        if key not in made:
            made[key] = Sample(key, arm.dof, lambda z: (self._rows(bodies, z.q, z.data), 0.0), 3, len(self.data))
        self.sample = made[key]
        self._watched = np.zeros(len(self.pairs), bool)

    def watch(self, q: Array, near: float = 0.0) -> bool:
        """Have rows for the pairs that come nearer than `near`, in parts of their least distance; whether some are new.

        Most parts of an arm never come near most obstacles, and rows cost time.
        """
        found = self.use(self.gaps(q)).max(axis=0) > 1 - near
        new = bool((found & ~self._watched).any())
        self._watched |= found
        return new

    def _rows(self, bodies: Bodies, q: Any, data: Any) -> Any:
        """(d^2 - wide^2) / (2 wide) of every point: near the limit it is how much further than that it is."""
        rows, frames = [], {}
        for k, pair in enumerate(self.pairs):
            at = data[13 * k : 13 * k + 13]
            if pair.body.link not in frames:
                frames[pair.body.link] = placed(bodies, pair.body.link, q, ca.SX.zeros(3))
            R, p = frames[pair.body.link]
            own = [p + ca.mtimes(R, at[0:3]), p + ca.mtimes(R, at[3:6])]
            other = [at[6:9], at[9:12]]
            covered, whole = (own, other) if pair.of_body else (other, own)
            for t in np.linspace(0.0, 1.0, pair.points):
                square = _squared(covered[0] + float(t) * (covered[1] - covered[0]), *whole)
                rows.append((square - at[12] * at[12]) / (2 * at[12]))
        return ca.vertcat(*rows)

    def block(self, s: Array) -> Block:
        """Rows of a program at fractions s."""
        N, m = len(s), self.sample.m
        owner = np.repeat(np.arange(len(self.pairs)), [pair.points for pair in self.pairs])
        some = np.flatnonzero(self._watched[owner])
        names = [(*self.names(owner[k]), float(x)) for x in s for k in some]
        rows = (np.arange(N)[:, None] * m + some).ravel()
        zero, far = np.zeros(len(rows)), np.full(len(rows), np.inf)
        combine = sparse.csr_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), N * m))
        return Block(self.sample, s, np.zeros(N), combine, zero, far, zero, names, np.tile(self.data, (N, 1)))

    def gaps(self, q: Array) -> Array:
        """(N, pairs) distance that is left beyond the margin, at positions (N, n)."""
        frames = {pair.body.link: pose(self.arm, q, pair.body.link) for pair in self.pairs}
        out = np.empty((len(q), len(self.pairs)))
        for k, pair in enumerate(self.pairs):
            X = frames[pair.body.link]
            a, b = (X[:, :3, 3] + X[:, :3, :3] @ end for end in (pair.body.a, pair.body.b))
            c, d = (np.broadcast_to(end, a.shape) for end in pair.obstacle.ends)
            out[:, k] = apart(a, b, c, d) - pair.D
        return out

    def use(self, gaps: Array) -> Array:
        """1 where the margin is just kept, more where it is not, in parts of the least distance of the axes."""
        return 1 - gaps / np.array([pair.D for pair in self.pairs])

    def names(self, k: int) -> tuple[str, str]:
        """What keeps clear of what, of a pair."""
        pair = self.pairs[k]
        return f"distance from {type(pair.obstacle).__name__.lower()} {pair.place}", pair.body.link


def _pair(body: Body, thing: Any, place: int, margin: float) -> _Pair:
    """Covered is the one that needs fewer points."""
    D = body.radius + thing.radius + margin
    own, other = (float(np.linalg.norm(b - a)) for a, b in ((body.a, body.b), thing.ends))
    counts = [count_of(length, D) for length in (own, other)]
    of_body = counts[0] < counts[1]
    points, length = (counts[0], own) if of_body else (counts[1], other)
    return _Pair(body, thing, place, points, of_body, D, widened(length, points, D))


def _squared(p: Any, a: Any, b: Any) -> Any:
    """Square of the distance of a point from a segment."""
    w, e = p - a, b - a
    x = ca.dot(w, e) / (ca.dot(e, e) + TINY)
    t = (ca.fabs(x) - ca.fabs(x - 1) + 1) / 2  # between 0 and 1
    return ca.sumsqr(w - t * e)
