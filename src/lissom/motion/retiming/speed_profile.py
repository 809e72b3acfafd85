"""Speed profiles of a given path: the fastest one within limits of velocity, acceleration and torque.

Limits of acceleration and torque are affine in (u, x), see `given_path`, but for viscous damping, which grows with
sqrt(x). It is replaced by a line through its value at the last profile, and the profile found again until the two
agree: first by chords from 0, which never make standing still impossible and halve the error of log x each time, then
by tangents, which converge quadratically.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, NoSpeed
from lissom.motion.retiming.given_path import VERB, GivenPath
from lissom.motion.retiming.reachability import UNLIMITED, Rows, fastest_profile, lines_of
from lissom.spatial.rotations import Array

AFFINE = ("acceleration", "torque")
MARGIN = 5e-6  # of a limit, that passes stay below it
TIGHTENED = 1.5  # times the excess: profiles change when limits do, and neighbours exceed theirs
CHORDS = 4  # of the first profiles with viscous damping
MOST_PROFILES = 40
AGREED = 1e-8  # of the largest torque limit: error of the lines that replace viscous damping


class Excess(NamedTuple):
    """Excess over limits on every interval: (N, n) for each word that is limited, at most 0 where they
    hold; and the largest ratio of velocities to their limits (N,)."""

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
        # a joint with friction that turns around at a grid point: rounding decides its direction there, so limits hold
        # for both, where that is possible
        turning = np.pad(self.direction[:-1] * self.direction[1:] < 0, ((1, 1), (0, 0))) & (path.friction > 0)
        self._turning = _ends(turning)
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
        """Lower every limit that was exceeded by a little more than its excess."""
        for word in excess.lower:
            extra = MARGIN * size_of(self.path.bounds.lower[word], self.path.bounds.upper[word])
            self._lower[word] += np.where(excess.lower[word] > 0, TIGHTENED * excess.lower[word] + extra, 0.0)
            self._upper[word] -= np.where(excess.upper[word] > 0, TIGHTENED * excess.upper[word] + extra, 0.0)
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
        some = self._joints["torque"]
        allowed = AGREED * size_of(self._lower["torque"], self._upper["torque"])[:, some].max()
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
            off = self.at.D * np.sqrt(new)[:, None] - linear[0] * new[:, None] - linear[1]
            x = new
            yield x
            if np.abs(off[:, some]).max() <= allowed:
                return

    def _lines_of_damping(self, x: Array | None, part: float = 1.0) -> tuple[Array, Array]:
        """D sqrt(x) as slope x + constant (N + 1, n), exact at x: chords from 0 (part 1) or tangents (1/2)."""
        if x is None:
            return np.zeros_like(self.at.D), np.zeros_like(self.at.D)
        root = np.sqrt(x)[:, None]
        slope = np.divide(part * self.at.D, root, out=np.zeros_like(self.at.D), where=root > 0)
        return slope, (1 - part) * self.at.D * root

    def _passes(self, damping: tuple[Array, Array]) -> Array:
        try:
            x = fastest_profile(lines_of(self._tables(damping), self.h, self._ceiling), self.h)
        except NoSpeed as none:
            if not self._turning.any():
                raise InputError(self._reason(none.point)) from None
            self._turning[:] = False
            return self._passes(damping)
        if (x >= UNLIMITED).any():
            place = self.s[int(np.argmax(x >= UNLIMITED))]
            raise InputError(
                f"{VERB}: at {place:.3g} of the path the speed is not limited. Give velocity limits, or acceleration "
                "or torque limits of the joints that move there."
            )
        stuck = np.flatnonzero((x[:-1] <= 0) & (x[1:] <= 0))
        if len(stuck):
            raise InputError(
                f"{VERB}: at {self.s[stuck[0]]:.3g} of the path the limits allow the arm to stand still, but not to "
                "continue. Raise them, or change the path there."
            )
        return x

    def _tables(self, damping: tuple[Array, Array]) -> list[Rows]:
        """Limits of acceleration and torque as rows."""
        at, friction = self.at, self.path.friction
        sliding = friction * np.where(self._turning, 0.0, self.direction[:, None])
        either = friction * self._turning
        still = _ends(at.G + damping[1]) + sliding
        parts = {
            "acceleration": (_ends(at.p1), _ends(at.p2), np.zeros_like(still), np.zeros_like(still)),
            "torque": (_ends(at.A), _ends(at.C + damping[0]), still + either, still - either),
        }
        tables = []
        for word, some in self._joints.items():
            a, b, most, least = (part[:, :, some] for part in parts[word])
            lower, upper = (side[word][:, None, some] for side in (self._lower, self._upper))
            tables.append(Rows(a, b, lower - least, upper - most))
        return tables

    def _reason(self, point: int) -> str:
        """Name a joint that cannot be held, and where: if one could stand still from a point on, 0 would be a speed."""
        lower, upper = (side["torque"] for side in (self.path.bounds.lower, self.path.bounds.upper))
        held = _ends(self.at.G) + (self.path.friction * self.direction)[:, None]
        short = np.maximum(held - upper, lower - held)[point:]
        i, end, k = (int(part) for part in np.unravel_index(int(np.argmax(short)), short.shape))
        i += point
        counted = " with its friction" if self.path.friction[k] * self.direction[i, k] else ""
        return (
            f"{VERB}: at {self.s[i + end]:.3g} of the path joint {self.path.names[k]!r} needs {held[i, end, k]:.4g} to "
            f"be held{counted}, its torque limits are {lower[k]:.4g} to {upper[k]:.4g}, and no speed within the limits "
            "carries it past this point."
        )


def size_of(lower: Array, upper: Array) -> Array:
    """The larger of two limits; 0 where there is none."""
    low, high = (np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper))
    return np.maximum(low, high)


def _ends(values: NDArray[Any]) -> NDArray[Any]:
    """(N, 2, n) values at both ends of every interval, of those at grid points."""
    return np.stack([values[:-1], values[1:]], axis=1)
