"""Distances between an arm and obstacles: rows of samples, and a look at them."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.dynamics.bodies import Bodies
from lissom.errors import InputError
from lissom.kernels.arguments import as_frame
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.keys import fingerprint
from lissom.model.arm import Arm
from lissom.model.limits import exceeded
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.obstacles import MORE, CollisionBody, apart, bodies_of, count_of, widened
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look, Positions
from lissom.motion.transcription.kernels.sample import Sample
from lissom.motion.transcription.kernels.torques import placed
from lissom.motion.transcription.peak import DISTANCE, Peak
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

SLACK = 1e-9  # m
TINY = 1e-12  # m^2, of a segment without length
LARGE = 0.1  # m
STEP, MOST = 0.2, 50  # of the size of a pair that the arm goes between looks, and how many looks that may take
NEAR, CLOSER = 0.03, 9  # of its size, how near to the margin a pair is looked at closer, and at how many places
WINDOW, APART = 0.5, 1.0  # of its size: where a pair that came too near gets more samples, and how far apart they are

NEAR_GUESS = 2.0  # obstacles nearer to the first guess than so many sizes of a pair have rows from the start


class _Pair(NamedTuple):
    """A part of the arm and an obstacle."""

    body: CollisionBody
    obstacle: Any
    place: int  # of the obstacle among all
    points: int
    of_body: bool  # the body is covered by points, else the obstacle
    D: float  # least distance of the segments
    wide: float  # what is asked of points

    @property
    def size(self) -> float:
        """What distances of the pair are measured by [m]: walls may be huge balls."""
        return min(self.D, LARGE)

    @property
    def kind(self) -> tuple[str, bool]:
        """Pairs of one kind have the same rows, with other data."""
        return self.body.link, self.of_body

    @property
    def data(self) -> Array:
        """(points, 10) of every point that covers one segment: itself, the other segment's ends, `wide`."""
        own, other = (self.body.a, self.body.b), self.obstacle.ends
        covered, whole = (own, other) if self.of_body else (other, own)
        points = np.linspace(covered[0], covered[1], self.points)
        return np.concatenate([points, np.tile([*whole[0], *whole[1], self.wide], (self.points, 1))], axis=1)


def clearance_of(arm: Arm, task: Task, verb: str) -> Clearance | None:
    """Return the clearance of a task; None where nothing is in the way, or nothing of the arm could touch it."""
    if not task.obstacles:
        return None
    parts = bodies_of(arm) if task.bodies is None else task.bodies
    return Clearance(arm, parts, task.obstacles, task.margin, verb) if parts else None


class Clearance(AbstractConstraint):
    """All pairs of an arm's parts and obstacles.

    A row is compiled once for a link, and for all points and obstacles: these are samples with other data.

    Parameters
    ----------
    parts, obstacles : sequences of Body, of Sphere and Capsule
    margin : float     to be left between them [m]
    """

    def __init__(self, arm: Arm, parts: Any, obstacles: Any, margin: float, verb: str) -> None:
        self.arm, self.margin = arm, margin
        for part in parts:
            as_frame(arm, part.link, f"{verb}: bodies")
        self._things = [(body, thing, k) for body in parts for k, thing in enumerate(obstacles)]
        self.pairs = [_pair(*things, margin) for things in self._things]
        self._watched = np.zeros(len(self.pairs), bool)
        self._samples = np.zeros(0)  # fractions at which rows are needed beside those of the program

    def leave_room(self, q: Array) -> None:
        """Have points so close that rows ask for no more than is left at positions (N, n) which are given."""
        left = self.gaps(q).min(axis=0) / [pair.D for pair in self.pairs]
        more = np.where(left > 0, np.minimum(left / 2, MORE), MORE)
        self.pairs = [_pair(*things, self.margin, float(x)) for things, x in zip(self._things, more, strict=True)]

    def dense(self, at: Positions, s: Array) -> Array:
        """s, and more between where parts of the arm would go further than STEP of a size unseen."""
        counts = np.clip(np.ceil(self._travel(at, s) / STEP), 1, MOST).astype(int)
        parts = [a + (b - a) * np.arange(n) / n for a, b, n in zip(s[:-1], s[1:], counts, strict=True)]
        return np.concatenate([*parts, s[-1:]])

    def _travel(self, at: Positions, s: Array) -> Array:
        """(N - 1,) how far parts of the arm go between fractions s, in sizes of their pairs, at most."""
        way, q = np.zeros(len(s) - 1), at(s)
        for link in {pair.body.link for pair in self.pairs}:
            X, some = pose(self.arm, q, link), [pair for pair in self.pairs if pair.body.link == link]
            for end in {tuple(end) for pair in some for end in (pair.body.a, pair.body.b)}:
                step = np.linalg.norm(np.diff(X[:, :3, 3] + X[:, :3, :3] @ end, axis=0), axis=1)
                way = np.maximum(way, step / min(pair.size for pair in some))
        return way

    def looks(self, at: Positions, s: Array) -> tuple[Array, Array]:
        """Fractions (N,), s and more between, and the use (N, pairs) there; closer where a pair is nearest."""
        s = self.dense(at, s)
        use = self.use(self.gaps(at(s)))
        top = (use[1:-1] >= use[:-2]) & (use[1:-1] >= use[2:]) & (use[1:-1] > 1 - NEAR)
        rows = np.flatnonzero(top.any(axis=1))
        if not len(rows):
            return s, use
        s = np.union1d(s, np.linspace(s[rows], s[rows + 2], CLOSER).ravel())
        return s, self.use(self.gaps(at(s)))

    def anticipate(self, at: Positions, s: Array) -> None:
        """Have rows for the pairs that the first guess comes near to."""
        self._watch(at, s, NEAR_GUESS, np.inf)

    def watch(self, at: Positions, s: Array, excess: float) -> bool:
        """Have rows for the pairs that come too near; whether some are new."""
        return self._watch(at, s, 0.0, excess)

    def _watch(self, at: Positions, s: Array, near: float, excess: float) -> bool:
        """Have rows for the pairs that come nearer than `near`, in parts of their sizes; whether some are new.

        Most parts of an arm never come near most obstacles, and rows cost time. Where a pair with rows comes too near
        by more than `excess`, between samples, there are samples where it does so most and in its vicinity, so close
        that no thin obstacle fits between two.
        """
        looks, use = self.looks(at, s)
        found, over = use.max(axis=0) > 1 - near, use.max(axis=0) > 1 + excess
        new = bool((found & ~self._watched).any())
        self._watched |= found
        before = len(self._samples)
        if over.any():
            step = np.floor(np.append(0.0, np.cumsum(self._travel(at, looks))) / APART)
            apart = np.append(True, np.diff(step) > 0) & (use[:, over].max(axis=1) > 1 - WINDOW)
            self._samples = np.union1d(self._samples, [*looks[apart], *exceeded(use, looks, excess)])
        return new or len(self._samples) > before

    def sample(self, link: str, of_body: bool) -> Sample:
        """The row of a point and a link; compiled when it is first asked for."""
        bodies = functions_of(self.arm).bodies
        key = f"clearance|{fingerprint(bodies)}|{link}|{of_body}"
        rows = lambda z: (_row(bodies, link, of_body, z.q, z.data), 0.0)  # noqa: E731
        return cache_of(self.arm).stored("sample", key, lambda: Sample(key, self.arm.dof, rows, 3, 10))

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """Return the rows of a program at fractions s, and at more where thin obstacles need them, for active pairs."""
        s = np.union1d(s, self._samples)
        kinds: dict[tuple[str, bool], list[int]] = {}
        for k in np.flatnonzero(self._watched):
            kinds.setdefault(self.pairs[k].kind, []).append(int(k))
        return [self._block(self.sample(*kind), some, s) for kind, some in kinds.items()]

    def _block(self, sample: Sample, some: list[int], s: Array) -> Block:
        """Every point of every pair, at all s."""
        data = np.concatenate([self.pairs[k].data for k in some])
        owner = np.repeat(some, [self.pairs[k].points for k in some])
        names = [(*self.names(int(k)), float(x)) for k in owner for x in s]
        N = len(owner) * len(s)
        zero, far = np.zeros(N), np.full(N, np.inf)
        combine = sparse.csr_array(sparse.eye(N))
        return Block(sample, np.tile(s, len(owner)), zero, combine, zero, far, names, data.repeat(len(s), axis=0))

    def peaks(self, look: Look) -> list[Peak]:
        """The smallest distance from an obstacle."""
        s, use = self.looks(look.at, look.grid)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        gap = self.gaps(look.at(s[[row]]))[0, k]
        what, who = self.names(int(k))
        return [Peak(what, who, float(s[row] * look.T), float(gap + self.margin), self.margin, float(use[row, k]))]

    def refuse_place(self, word: str, q: Array, s: float, verb: str) -> None:
        """Refuse positions inside an obstacle or its margin."""
        gaps = self.gaps(q[None])[0]
        k = int(np.argmin(gaps))
        if gaps[k] < -SLACK:
            what, who = self.names(k)
            raise InputError(
                f"{verb}: at the {word} the {what} of {who!r} is {gaps[k] + self.margin:.4g} m"
                + (
                    f": less than the margin of {self.margin:g} m"
                    if gaps[k] + self.margin >= 0
                    else ", so that it is inside it"
                )
                + f". Move the {word} or the obstacle, or use smaller bodies for the arm."
            )

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
        """1 where the margin is just kept, more where it is not, in parts of the sizes of the pairs."""
        return 1 - gaps / np.array([pair.size for pair in self.pairs])

    def names(self, k: int) -> tuple[str, str]:
        """What keeps clear of what, of a pair."""
        pair = self.pairs[k]
        return f"{DISTANCE} {type(pair.obstacle).__name__.lower()} {pair.place}", pair.body.link


def _pair(body: CollisionBody, thing: Any, place: int, margin: float, more: float = MORE) -> _Pair:
    """Covered is the one that needs fewer points, of which `more` than the least distance may be asked, relative."""
    D = body.radius + thing.radius + margin
    own, other = (float(np.linalg.norm(b - a)) for a, b in ((body.a, body.b), thing.ends))
    counts = [count_of(length, D, more) for length in (own, other)]
    of_body = counts[0] < counts[1]
    points, length = (counts[0], own) if of_body else (counts[1], other)
    return _Pair(body, thing, place, points, of_body, D, widened(length, points, D))


def _row(bodies: Bodies, link: str, of_body: bool, q: Any, data: Any) -> Any:
    """(d^2 - wide^2) / (2 wide) of a point: near the limit it is how much further than that it is."""
    R, p = placed(bodies, link, q, ca.SX.zeros(3))
    point, ends, wide = data[0:3], (data[3:6], data[6:9]), data[9]
    if of_body:
        point = p + ca.mtimes(R, point)
    else:
        ends = (p + ca.mtimes(R, ends[0]), p + ca.mtimes(R, ends[1]))
    return (_squared(point, *ends) - wide * wide) / (2 * wide)


def _squared(p: Any, a: Any, b: Any) -> Any:
    """Square of the distance of a point from a segment."""
    w, e = p - a, b - a
    x = ca.dot(w, e) / (ca.dot(e, e) + TINY)
    t = (ca.fabs(x) - ca.fabs(x - 1) + 1) / 2  # between 0 and 1
    return ca.sumsqr(w - t * e)
