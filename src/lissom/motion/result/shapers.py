"""Input shapers: a command, repeated a little later and weaker, so that the vibrations of its copies cancel.

An impulse leaves a mode of frequency f and damping ratio z ringing. With the damped period P = 1 / (f sqrt(1 - z^2))
and K = exp(-z pi / sqrt(1 - z^2)), how much a half period leaves of the amplitude, these impulses leave nothing:

    ZV     at 0, P / 2          sizes 1, K           over 1 + K
    ZVD    at 0, P / 2, P       sizes 1, 2 K, K^2    over (1 + K)^2

The second also has no slope there: a frequency that is a little off leaves little. A course is shaped by convolving it
with the impulses; several modes are dealt with one after the other. The course becomes longer by the last time.

N. C. Singer and W. P. Seering, Preshaping command inputs to reduce system vibration, J. Dyn. Syst. Meas. Control 112
(1990) 76-82.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.modes import modes

KINDS = ("zv", "zvd")
CLOSE = 12  # digits of a second: breaks nearer than that are one
QUIET = 0.01  # of an amplitude: modes of which half a period leaves less do not ring


@dataclass(frozen=True, eq=False)
class Shaper:
    """Impulses with which a command is convolved.

    times : (k,)        from 0 on [s]
    sizes : (k,)        their sum is 1

    Examples
    --------
    >>> quiet = zv(2.0)
    >>> quiet.times, quiet.sizes
    (array([0.  , 0.25]), array([0.5, 0.5]))
    >>> quiet.leaves(2.0) < 1e-12, round(quiet.leaves(2.2), 3), round(zvd(2.0).leaves(2.2), 3)
    (True, 0.156, 0.024)
    """

    times: Array
    sizes: Array

    @property
    def duration(self) -> float:
        """Time by which a shaped motion is longer [s]."""
        return float(self.times[-1])

    def then(self, other: Shaper) -> Shaper:
        """Return the shaper that convolves with both."""
        times = np.add.outer(self.times, other.times).ravel()
        sizes = np.multiply.outer(self.sizes, other.sizes).ravel()
        order = np.argsort(times, kind="stable")
        return Shaper(times[order], sizes[order])

    def leaves(self, frequency_hz: float, damping: float = 0.0) -> float:
        """Return the part of a mode's vibration that is left, compared with one impulse at the end of the shaper."""
        omega = 2 * np.pi * frequency_hz
        swing = omega * np.sqrt(1 - damping**2)
        grown = self.sizes * np.exp(damping * omega * (self.times - self.times[-1]))
        return float(np.abs(grown @ np.exp(1j * swing * self.times)))

    def shaped(self, course: PPoly) -> PPoly:
        """Return a shaped course over time, zero before its first break and beyond its last (rates, accelerations)."""
        begin, end, degree = course.x[0], course.x[-1], len(course.c) - 1
        breaks = np.unique(np.add.outer(self.times, course.x).round(CLOSE))
        made = np.zeros((degree + 1, len(breaks) - 1, *course.c.shape[2:]))
        middle = (breaks[1:] + breaks[:-1]) / 2
        for time, size in zip(self.times, self.sizes, strict=True):
            on = (middle - time > begin) & (middle - time < end)
            # Taylor's series about the left end of a piece, from the polynomial in force at its middle
            place = np.searchsorted(course.x, middle[on] - time, side="right") - 1
            offset = breaks[:-1][on] - time - course.x[place]
            for k in range(degree + 1):
                made[degree - k, on] += size * _taylor(course.c[:, place], offset, k)
        return PPoly(made, breaks)


def _taylor(c: Array, x: Array, k: int) -> Array:
    """Derivative k over k! at x (pieces,) of polynomials c (degree + 1, pieces, ...), highest powers first."""
    out, degree = np.zeros(c.shape[1:]), len(c) - 1
    wide = x.reshape(-1, *(1 for _ in c.shape[2:]))
    for power in range(k, degree + 1):
        out = out + comb(power, k) * c[degree - power] * wide ** (power - k)
    return out


def zv(frequency_hz: float, damping: float = 0.0) -> Shaper:
    """Two impulses that leave no vibration of a mode."""
    half, K = _half_period(frequency_hz, damping)
    return Shaper(np.array([0.0, half]), np.array([1.0, K]) / (1 + K))


def zvd(frequency_hz: float, damping: float = 0.0) -> Shaper:
    """Three impulses that leave no vibration of a mode, and little where its frequency is somewhat off."""
    half, K = _half_period(frequency_hz, damping)
    return Shaper(np.array([0.0, half, 2 * half]), np.array([1.0, 2 * K, K * K]) / (1 + K) ** 2)


def _half_period(frequency_hz: float, damping: float) -> tuple[float, float]:
    if not frequency_hz > 0 or not 0 <= damping < 1:
        raise InputError(
            f"shaper: frequency {shown(frequency_hz)} Hz, damping {shown(damping)}; expected above 0, and 0 to 1."
        )
    root = np.sqrt(1 - damping**2)
    return float(1 / (2 * frequency_hz * root)), float(np.exp(-damping * np.pi / root))


def ringing_modes(arm: Arm, q: ArrayLike) -> tuple[list[tuple[float, float]], int]:
    """(frequency [Hz], damping ratio) of modes at a pose that ring, and how many are damped too strongly for that."""
    found = modes(arm, q, "locked")
    pairs = [(float(f), float(z)) for f, z in zip(found.frequencies_hz, found.damping, strict=True)]
    ringing = [(f, z) for f, z in pairs if z < 1 and _half_period(f, z)[1] > QUIET]
    return ringing, len(pairs) - len(ringing)


def shaper(arm: Arm, q: ArrayLike, kind: str = "zv", count: int = 2) -> Shaper:
    """Return a shaper for the first modes of an arm at a pose, its motors holding their joints.

    Modes damped so strongly that they do not ring need no shaping, and are passed over.

    Examples
    --------
    >>> import lissom as ls
    >>> round(shaper(ls.load("two_link_flexible"), [0.8, 0.8], "zvd").duration, 3)
    2.758
    """
    if kind not in KINDS:
        raise InputError(f"shaper: kind is {shown(kind)}; expected one of {', '.join(KINDS)}.")
    out = Shaper(np.zeros(1), np.ones(1))
    for f, z in ringing_modes(arm, q)[0][:count]:
        out = out.then((zv if kind == "zv" else zvd)(f, z))
    return out
