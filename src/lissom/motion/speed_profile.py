"""Speed profiles of a given path: the fastest one within limits of velocity, acceleration and torque.

Limits of acceleration and torque are affine in (u, x), see `given_path`, but for viscous damping, which grows with
sqrt(x). It is replaced by a line through its value at the last profile, and the profile found again until the two agree:
first by chords from 0, which never make standing still impossible and halve the error of log x each time, then by tangents,
which converge quadratically.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lissom.errors import InputError
from lissom.motion.given_path import VERB, GivenPath
from lissom.motion.reachability import UNLIMITED, NoSpeed, Rows, fastest_profile, lines_of
from lissom.spatial.rotations import Array

AFFINE = ("acceleration", "torque")
MARGIN = 1e-6  # of a limit, that passes stay below it
CHORDS = 4  # of the first profiles with viscous damping
MOST_PROFILES = 40
AGREED = 1e-8  # of the largest torque limit: error of the lines that replace viscous damping


class Excess(NamedTuple):
    """By how much limits are exceeded on every interval: (N, n) for each word, at most 0 where they hold; and the
    largest ratio of velocities to their limits (N,)."""

    lower: dict[str, Array]
    upper: dict[str, Array]
    velocity: Array


class SpeedProfile:
    """The fastest profile on a grid; `tighten` makes its limits stricter where a closer look found them exceeded.

    Parameters
    ----------
    path : GivenPath
    s : (N + 1,)              grid over [0, 1]
    ceiling : (N + 1,) or None    x that may not be exceeded
    """

    def __init__(self, path: GivenPath, s: Array, ceiling: Array | None = None) -> None:
        self.path, self.s, self.h = path, s, np.diff(s)
        self.at = path.coefficients(s)
        self.direction = path.directions((s[:-1] + s[1:]) / 2)
        self.x: Array | None = ceiling
        self._ceiling = self._fastest() if ceiling is None else np.minimum(ceiling, self._fastest())
        self._lower, self._upper, self._joints = {}, {}, {}
        for word in AFFINE:
            self._joints[word] = np.flatnonzero(path.bounds.limited(word))
            lower, upper = path.bounds.lower[word], path.bounds.upper[word]
            margin = np.where(upper > lower, MARGIN * size_of(lower, upper), 0.0)
            self._lower[word], self._upper[word] = (
                np.tile(side, (len(self.h), 1)) for side in (lower + margin, upper - margin)
            )

    def _fastest(self) -> Array:
        """(N + 1,) the largest x within the limits of velocity."""
        p1, bounds = self.at.p1, self.path.bounds
        limit = np.where(p1 > 0, bounds.upper["velocity"], -bounds.lower["velocity"])
        moving = self.path.directions(self.s) != 0
        most = np.divide(limit, np.abs(p1), out=np.full(p1.shape, np.inf), where=moving)
        return np.asarray((most.min(axis=1) * (1 - MARGIN)) ** 2)

    def tighten(self, excess: Excess) -> None:
        """Lower every limit that was exceeded by as much, and a little more."""
        for word in self._joints:
            extra = MARGIN * size_of(self.path.bounds.lower[word], self.path.bounds.upper[word])
            self._lower[word] += np.where(excess.lower[word] > 0, excess.lower[word] + extra, 0.0)
            self._upper[word] -= np.where(excess.upper[word] > 0, excess.upper[word] + extra, 0.0)
        ratio = np.where(excess.velocity > 1, excess.velocity * (1 + MARGIN), 1.0)
        self._ceiling = self._ceiling / np.maximum(np.append(ratio, 1.0), np.append(1.0, ratio)) ** 2

    # ---- profiles -------------------------------------------------------------------------------------

    def fastest(self) -> Array:
        """x (N + 1,) at the grid points; raises InputError with the reason where there is none."""
        for x in self._converging() if self._damped else [self._passes(self._lines_of_damping(None))]:
            self.x = x
        assert self.x is not None
        return self.x

    @property
    def _damped(self) -> bool:
        return bool((self.at.D[:, self._joints["torque"]] != 0).any())

    def _converging(self) -> Iterator[Array]:
        """Profiles with better and better lines for viscous damping."""
        x, chords = self.x, 0 if self.x is not None else CHORDS
        if x is None:
            x = self._passes(self._lines_of_damping(None))
            yield x
        torque = max(
            float(size_of(self._lower["torque"], self._upper["torque"])[:, self._joints["torque"]].max()), 1e-300
        )
        for k in range(MOST_PROFILES):
            tangent = k >= chords
            linear = self._lines_of_damping(x, 0.5 if tangent else 1.0)
            try:
                new = self._passes(linear)
            except InputError:
                if not tangent:
                    raise
                chords = MOST_PROFILES  # tangents may forbid to stand still; chords do not
                continue
            off = np.abs(self.at.D * np.sqrt(new)[:, None] - linear[0] * new[:, None] - linear[1]).max()
            x = new
            yield x
            if off <= AGREED * torque:
                return

    def _lines_of_damping(self, x: Array | None, part: float = 1.0) -> tuple[Array, Array]:
        """D sqrt(x) as slope x + constant (N + 1, n), exact at x: chords from 0 (part 1) or tangents (1/2)."""
        if x is None:
            return np.zeros_like(self.at.D), np.zeros_like(self.at.D)
        root = np.sqrt(x)[:, None]
        slope = np.divide(part * self.at.D, root, out=np.zeros_like(self.at.D), where=root > 0)
        return slope, (1 - part) * self.at.D * root

    def _passes(self, damping: tuple[Array, Array]) -> Array:
        at, tables = self.at, []
        zero = np.zeros((len(self.h), 2, at.p1.shape[1]))
        friction = (self.path.friction * self.direction)[:, None]
        parts = {
            "acceleration": (_ends(at.p1), _ends(at.p2), zero),
            "torque": (_ends(at.A), _ends(at.C + damping[0]), _ends(at.G + damping[1]) + friction),
        }
        for word, some in self._joints.items():
            a, b, c = (part[:, :, some] for part in parts[word])
            tables.append(Rows(a, b, c, self._lower[word][:, some], self._upper[word][:, some]))
        try:
            x = fastest_profile(lines_of(tables, self.h, self._ceiling), self.h)
        except NoSpeed as none:
            raise InputError(self._reason(none)) from None
        if (x >= UNLIMITED).any():
            place = self.s[int(np.argmax(x >= UNLIMITED))]
            raise InputError(
                f"{VERB}: at {place:.3g} of the path nothing limits how fast the joints go. Give limits of velocity, or of "
                "the acceleration or torque of the joints that move there."
            )
        stuck = np.flatnonzero((x[:-1] <= 0) & (x[1:] <= 0))
        if len(stuck):
            raise InputError(self._reason(NoSpeed(int(stuck[0]), None, backward=False)))
        return x

    # ---- reasons --------------------------------------------------------------------------------------

    def _reason(self, none: NoSpeed) -> str:
        """Which limits leave no speed, and where."""
        place = f"{VERB}: at {self.s[none.interval]:.3g} of the path"
        bounds = self.path.bounds
        held = (self.at.G[:-1] + self.path.friction * self.direction)[none.interval]
        lower, upper = bounds.lower["torque"], bounds.upper["torque"]
        weak = np.flatnonzero((held > upper) | (held < lower))
        if len(weak):
            k = int(weak[0])
            helps = "no motion along the path helps" if none.backward else "the speed that would help cannot be reached"
            return (
                f"{place} joint {self.path.names[k]!r} needs {held[k]:.4g} to be held, its torque limits are "
                f"{lower[k]:.4g} to {upper[k]:.4g}, and {helps}."
            )
        rows = sorted({self._row(row) for row in none.rows or ()} - {""})
        who = f" ({' and '.join(rows)})" if rows else ""
        what = "brought to rest at its end from any speed" if none.backward else "moved on"
        return f"{place} the limits do not let the arm be {what}{who}. Raise them, or change the path there."

    def _row(self, row: int) -> str:
        """The quantity and the joint of a row; empty for the controllable set."""
        for word, some in self._joints.items():
            if row < 2 * len(some):
                return f"{word} of {self.path.names[some[row % len(some)]]!r}"
            row -= 2 * len(some)
        return ""


def size_of(lower: Array, upper: Array) -> Array:
    """The larger of two limits; 0 where there is none."""
    low, high = (np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper))
    return np.maximum(low, high)


def _ends(values: Array) -> Array:
    """(N, 2, n) values at both ends of every interval, of those at grid points."""
    return np.stack([values[:-1], values[1:]], axis=1)
