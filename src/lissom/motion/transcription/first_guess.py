"""Where the search begins: straight lines, around obstacles, as slow as the limits ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.later import cached_property
from lissom.motion.splines.basis import Basis
from lissom.motion.splines.curves import Curves
from lissom.motion.task.criteria.criterion import Course
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array

LOOKS = 41
DURATIONS = 60  # that are compared
FACTOR = 1.05  # the guess is a little slower than what just meets the limits
TRIES, FURTHER = 48, (0.15, 0.3, 0.6, 1.0, 1.5)  # detours, and how far they go [rad or m]

MOST_VIA, STRAIGHT = 2, 0.3  # random positions between two places; how often there are none, where places are many
REST, CANDIDATES = (0.35, 0.65), 512  # fractions between which a start rests, and random postures to choose from
APART = 0.5  # rad or m that such postures differ, of the joint that holds most
SPEED = 0.95  # of the limits of velocity, at which random positions are reached and left
LONGER = (-0.3, 0.7)  # logarithms of factors of the duration of a random start
SHAPES, NOISE = 6, 0.3  # of random wiggles of closed loops [rad or m]

Line = tuple[Array, Array]


class FirstGuess:
    """Lines from start to goal that a search may begin with, and smooth motions along them."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec

    @cached_property
    def line(self) -> Line:
        """The straight line, around obstacles."""
        return self.waypoints()

    @cached_property
    def duration(self) -> float:
        """Duration of a smooth motion along that line [s]."""
        return self.duration_along(self.line)

    @cached_property
    def course(self) -> Course:
        """A smooth motion along that line."""
        return self._course(self.line, self.duration)

    def variables(self, curves: Curves, seed: int = 0, k: int = 0, near: bool = False) -> Array:
        """Variables to begin with: start 0 is a straight line, others are random ones far off it, or `near` it."""
        if k == 0:
            line, T = self.line, self.duration
        else:
            rng = np.random.default_rng([seed, k])
            line = self._wiggled(rng) if near else self.wide_line(seed, k, rng)
            T = self.duration_along(line) * float(np.exp(rng.uniform(*LONGER)))
        points = [control_points(space.basis, line)[:, list(space.coordinates)] for space in curves.spaces]
        return curves.fitted(points, T)

    def duration_along(self, line: Line) -> float:
        """Return the duration of the cheapest smooth motion along a line that meets the limits; a guess."""
        task = self.spec.task
        if task.fixed_duration is not None:
            return task.fixed_duration
        length = np.abs(np.diff(line[1], axis=0)).sum(axis=0)
        low, high = task.duration or (1e-3, 1e3)
        if not (length > 0).any():
            return float(np.clip(1.0, low, high))
        course, durations = self._courses(line), np.geomspace(low, high, DURATIONS)
        fits = durations[self._meets(course(durations[:, None, None]))]
        if not len(fits):
            return float(np.clip(self._plain(length), low, high))
        costs = [T * float(self.spec.cost.rate(course(T)).mean()) for T in fits]
        return float(np.clip(FACTOR * fits[int(np.argmin(costs))], low, high))

    def waypoints(self, rng: np.random.Generator | None = None) -> Line:
        """Fractions and positions (k, n) from start to goal; a joint that is free stays near where it is known.

        Of positions that reach the same place the nearest count; with a generator of random numbers, any.
        """
        n, places = self.spec.n, self.spec.places
        pick = [0 if rng is None else int(rng.integers(len(place.q))) for place in places]
        s = np.array([place.s for place in places]) if places else np.array([0.0, 1.0])
        table = (
            np.stack([place.q[k] for place, k in zip(places, pick, strict=True)]) if places else np.full((2, n), np.nan)
        )
        lower, upper = self.spec.bounds.lower["position"], self.spec.bounds.upper["position"]
        middle = np.clip(0.0, lower, upper)
        both = np.isfinite(lower) & np.isfinite(upper)
        middle[both] = (lower[both] + upper[both]) / 2
        for k in range(n):
            good = np.isfinite(table[:, k])
            table[:, k] = np.interp(s, s[good], table[good, k]) if good.any() else middle[k]
        if self.spec.task.periodic:  # on through the start to the first via point again
            s, table = np.append(s, s[0] + 1.0), np.append(table, table[:1], axis=0)
        line = self._around(s, table, rng)
        return line if self.spec.closing is None else self.spec.closing.closed(line, LOOKS)

    def _around(self, s: Array, table: Array, rng: np.random.Generator | None) -> Line:
        """The line with a detour around an obstacle: the shortest of some random ones that are clear."""
        if self.spec.clearance is None:
            return s, table
        x = self.spec.clearance.dense(lambda x: along((s, table), x), np.linspace(s[0], s[-1], LOOKS))
        gaps = self.spec.clearance.gaps(along((s, table), x)).min(axis=1)
        if gaps.min() >= 0:
            return s, table
        at = float(x[int(np.argmin(gaps))])
        if np.abs(s - at).min() < 1e-6:  # an end is inside; nothing goes around that
            return s, table
        rng = np.random.default_rng(0) if rng is None else rng
        here, place = along((s, table), np.array([at]))[0], int(np.searchsorted(s, at))
        lower, upper = self.spec.bounds.lower["position"], self.spec.bounds.upper["position"]
        best, found = -np.inf, (s, table)
        for size in FURTHER:
            corners = np.clip(here + size * rng.uniform(-1, 1, (TRIES, self.spec.n)), lower, upper)
            lines = [(np.insert(s, place, at), np.insert(table, place, corner, axis=0)) for corner in corners]
            q = np.concatenate([along(line, x) for line in lines])
            left = self.spec.clearance.gaps(q).min(axis=1).reshape(TRIES, len(x)).min(axis=1)
            if left.max() > 0:
                lengths = np.where(left > 0, np.linalg.norm(corners - here, axis=1), np.inf)
                return lines[int(np.argmin(lengths))]
            if left.max() > best:
                best, found = float(left.max()), lines[int(np.argmax(left))]
        return found

    def _course(self, line: Line, T: float) -> Course:
        """A smooth motion along the line, from rest to rest; corners are ignored."""
        x = np.linspace(0.0, 1.0, LOOKS)
        path = [x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - 3 * x + 2 * x**2),
                60 - 360 * x + 360 * x**2]  # fmt: skip
        s, table = line
        way = np.abs(np.diff(table, axis=0)).sum(axis=0)
        q = along(line, s[0] + path[0] * (s[-1] - s[0]))
        qd, qdd, jerk = (path[r][:, None] * way / T**r for r in (1, 2, 3))
        tau = self.spec.torques(q, qd, qdd, self.spec.loads_at(x))
        if self.spec.closing is not None:
            tau = self.spec.closing.least(q, tau).u
        return Course(q, qd, qdd, jerk, tau, np.gradient(tau, x * T, axis=0))

    def _courses(self, line: Line) -> Callable[[Any], Course]:
        """The same for any duration, or for durations (k, 1, 1), from three: torques are a + b / T + c / T^2, as
        friction knows signs only."""
        once = [self._course(line, 1 / u) for u in (1.0, 2.0, 3.0)]
        first, second, third = (at.tau for at in once)
        c = (third - 2 * second + first) / 2
        b = second - first - 3 * c
        a = first - b - c
        x = np.linspace(0.0, 1.0, len(a))
        rates = [np.gradient(part, x, axis=0) for part in (a, b, c)]

        def course(T: Any) -> Course:
            u, at = 1 / T, once[0]
            tau, rate = (p + u * (q + u * r) for p, q, r in ((a, b, c), rates))
            return Course(at.q, at.qd * u, at.qdd * u**2, at.jerk * u**3, tau, rate * u)

        return course

    def _meets(self, at: Course) -> NDArray[np.bool_]:
        """(k,) whether courses (k, N, n) are within all limits."""
        bounds, looked = (
            self.spec.bounds,
            {"velocity": at.qd, "acceleration": at.qdd, "jerk": at.jerk, "torque": at.tau},
        )
        if bounds.limited("power").any():
            looked["power"] = at.tau * at.qd
        fits = np.ones(len(at.qd), bool)
        for word, values in looked.items():
            least, most = values.min(axis=1), values.max(axis=1)
            fits &= ((least >= bounds.lower[word]) & (most <= bounds.upper[word])).all(axis=1)
        return fits

    def _plain(self, way: Array) -> float:
        """Where no duration meets the limits along the line: that at a moderate speed."""
        fastest = np.maximum(self.spec.bounds.upper["velocity"], -self.spec.bounds.lower["velocity"])
        moving = way > 0
        return float((2 * way[moving] / np.minimum(fastest[moving], 1.0)).max())

    def wide_line(self, seed: int, k: int, rng: np.random.Generator) -> Line:
        """A line between the places of the task that leads far away between them.

        Random wiggles about the straight line are not enough: interior-point methods smooth them away, and all starts
        end in the same optimum. So every other line rests where that costs little, each at another posture, and the
        others pass through random positions. What no motor moves stays on the line; closed loops are only wiggled, as
        they must close.
        """
        if self.spec.closing is not None:
            return self._wiggled(rng)
        s, table = self.waypoints(rng)
        fractions, rows = [s[0]], [table[0]]
        for i in range(len(s) - 1):
            at, via = np.zeros(0), np.zeros((0, self.spec.n))
            if len(s) == 2 or rng.uniform() > STRAIGHT:
                gap = s[i : i + 2], table[i : i + 2]
                at, via = self._resting(*gap, seed, k // 2) if k % 2 else self._passed(*gap, rng)
            fractions += [*at, s[i + 1]]
            rows += [*via, table[i + 1]]
        return np.array(fractions), np.array(rows)

    def _wiggled(self, rng: np.random.Generator) -> Line:
        """A line near the straight one."""
        s, table = self.waypoints(rng)
        noise = rng.normal(scale=NOISE, size=(SHAPES, self.spec.n))
        noise[:, self.spec.arm.mode_index] = 0.0  # links bend as the motion makes them
        noise[0] = noise[-1] = 0.0
        at = np.linspace(s[0], s[-1], SHAPES)
        x = np.union1d(s, at)
        return x, along((s, table), x) + np.stack([np.interp(x, at, noise[:, k]) for k in range(self.spec.n)], axis=1)

    def _passed(self, s: Array, ends: Array, rng: np.random.Generator) -> Line:
        """One or two random positions between two places."""
        count = int(rng.integers(1, MOST_VIA + 1))
        at = s[0] + (s[1] - s[0]) * np.arange(1, count + 1) / (count + 1)
        return at, np.concatenate([self._reachable(x, s, ends, 1, rng) for x in at])

    def _resting(self, s: Array, ends: Array, seed: int, which: int) -> Line:
        """Insert between two places a rest at a posture where it costs little; number `which` of those that differ."""
        early, late = s[0] + (s[1] - s[0]) * np.array(REST)
        q = self._reachable(early, s, ends, CANDIDATES, np.random.default_rng(seed))
        q = np.clip(q, *self._reach(late, s, ends))
        zero, x = np.zeros_like(q), np.full(len(q), (early + late) / 2)
        tau = self.spec.torques(q, zero, zero, self.spec.loads_at(x))
        cost = self.spec.cost.rate(Course(q, zero, zero, zero, tau, zero))
        # joints count by the torques that hold them: others make no other posture
        weight = np.sqrt(np.mean(tau**2, axis=0))
        weight = weight / weight.max() if weight.max() > 0 else np.ones(self.spec.n)
        left, best = np.argsort(cost, kind="stable"), q[int(np.argmin(cost))]
        for _ in range(which):
            left = left[(weight * np.abs(q[left] - best)).max(axis=1) > APART]
            if not len(left):
                break
            best = q[left[0]]
        return np.array([early, late]), np.stack([best, best])

    def _reachable(self, x: float, s: Array, ends: Array, count: int, rng: np.random.Generator) -> Array:
        """(count, n) random positions at a fraction x between two places; what no motor moves stays on the line."""
        low, high = self._reach(x, s, ends)
        here = ends[0] + (x - s[0]) / (s[1] - s[0]) * (ends[1] - ends[0])
        return np.where(self.spec.arm.actuated, rng.uniform(low, high, (count, self.spec.n)), here)

    def _reach(self, x: float, s: Array, ends: Array) -> tuple[Array, Array]:
        """Positions within the limits, half a turn from the line, and what a given duration lets a joint reach."""
        here = ends[0] + (x - s[0]) / (s[1] - s[0]) * (ends[1] - ends[0])
        low = np.maximum(self.spec.bounds.lower["position"], here - np.pi)
        high = np.minimum(self.spec.bounds.upper["position"], here + np.pi)
        T = self.spec.task.fixed_duration
        if T is not None:
            fastest = SPEED * np.minimum(self.spec.bounds.upper["velocity"], -self.spec.bounds.lower["velocity"])
            for end, way in ((ends[0], x - s[0]), (ends[1], s[1] - x)):
                low, high = np.maximum(low, end - fastest * way * T), np.minimum(high, end + fastest * way * T)
        return np.minimum(low, here), np.maximum(high, here)


def along(line: Line, s: Array) -> Array:
    """(N, n) positions on the line; one that closes goes on."""
    at, table = line
    period = s if at[-1] <= 1.0 else at[0] + (s - at[0]) % 1.0
    return np.stack([np.interp(period, at, table[:, k]) for k in range(table.shape[1])], axis=-1)


def control_points(basis: Basis, line: Line) -> Array:
    """(count, n) on the line."""
    return along(line, basis.greville if basis.periodic else np.clip(basis.greville, 0.0, 1.0))
