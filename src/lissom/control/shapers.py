"""Input shapers: a command, repeated a little later and weaker, so that the vibrations of its copies cancel.

One impulse excites a mode of frequency f and damping ratio z. Its damped period is P = 1 / (f sqrt(1 - z^2)), and half
a period leaves the part K = exp(-z pi / sqrt(1 - z^2)) of its amplitude. These impulses leave nothing of it:

    ZV     at 0, P / 2          sizes 1, K           over 1 + K
    ZVD    at 0, P / 2, P       sizes 1, 2 K, K^2    over (1 + K)^2

The second also has no slope there: a frequency that is a little off leaves little. EI leaves a tolerated part V at f,
also without slope, and nothing at one frequency on each side, so that a wider band stays below V. Without damping:

    EI     at 0, P / 2, P       sizes 1 + V, 2 - 2 V, 1 + V    over 4

With damping its times and sizes solve these six equations, starting from the undamped ones. A course is shaped by
convolving it with the impulses; several modes are treated one after the other. It becomes longer by the last time.

N. C. Singer and W. P. Seering, Preshaping command inputs to reduce system vibration, J. Dyn. Syst. Meas. Control 112
(1990) 76-82; W. Singhose, W. Seering and N. Singer, Residual vibration reduction using vector diagrams to generate
shaped inputs, J. Mech. Design 116 (1994) 654-659.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from lissom.errors import InputError, SolveError, shown
from lissom.model.arm import Arm
from lissom.simulation.controllers.planned import is_planned_motion
from lissom.simulation.held_splines import held_spline, is_scipy_spline
from lissom.simulation.signals import Profile
from lissom.spatial.rotations import Array
from lissom.verbs.modes import modes

CLOSE = 12  # digits of a second: breaks nearer than that are one
STRONGLY_DAMPED = 0.01  # of an amplitude: modes of which half a period leaves less need no shaper
LEVEL = 0.05  # of the vibration, that is usually tolerated
SOLVED = 1e-10  # residual of the equations of a damped EI shaper
CONTINUED = 10  # steps in damping
FINENESS = 1000  # frequencies on each side at which the edge of a band is looked for
TOLERANCE = 1e-9  # of the level: rounding where it is just reached


@dataclass(frozen=True, eq=False)
class Shaper:
    """An input shaper: impulses that a command is convolved with, so that a mode of vibration is not excited.

    `Shaper.zv`, `Shaper.zvd` and `Shaper.ei` make one for a frequency, `shaper` for the modes of an arm.

    Parameters
    ----------
    times : (k,)             of the impulses, from 0 on [s]
    sizes : (k,)             of the impulses; their sum is 1
    designed_for : tuple     pairs of frequency [Hz] and damping ratio

    Examples
    --------
    >>> import lissom as ls
    >>> filter = ls.Shaper.zv(2.0)
    >>> filter.times, filter.sizes
    (array([0.  , 0.25]), array([0.5, 0.5]))
    >>> filter.residual(2.0) < 1e-12, round(filter.residual(2.2), 3), round(ls.Shaper.zvd(2.0).residual(2.2), 3)
    (True, 0.156, 0.024)
    """

    times: Array
    sizes: Array
    designed_for: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        times, sizes = np.asarray(self.times, float), np.asarray(self.sizes, float)
        if (
            times.ndim != 1
            or times.shape != sizes.shape
            or not len(times)
            or times[0] != 0
            or (np.diff(times) < 0).any()
        ):
            raise InputError(
                f"Shaper: times are {shown(self.times)} and sizes {shown(self.sizes)}; expected as many of one as of "
                "the other, times increasing from 0."
            )
        if not abs(sizes.sum() - 1) < 1e-9:
            raise InputError(f"Shaper: the sizes sum to {sizes.sum():g}; expected 1, so that commands arrive.")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "sizes", sizes)

    @staticmethod
    def zv(frequency_hz: float, damping: float = 0.0) -> Shaper:
        """Zero vibration: two impulses, half a period apart."""
        half, K = _half_period(frequency_hz, damping)
        return Shaper(np.array([0.0, half]), np.array([1.0, K]) / (1 + K), ((frequency_hz, damping),))

    @staticmethod
    def zvd(frequency_hz: float, damping: float = 0.0) -> Shaper:
        """Zero vibration and derivative: three impulses, with little vibration where the frequency is somewhat off."""
        half, K = _half_period(frequency_hz, damping)
        sizes = np.array([1.0, 2 * K, K * K]) / (1 + K) ** 2
        return Shaper(np.array([0.0, half, 2 * half]), sizes, ((frequency_hz, damping),))

    @staticmethod
    def ei(frequency_hz: float, damping: float = 0.0, level: float = LEVEL) -> Shaper:
        """Extra insensitive: three impulses that leave at most `level` of the vibration over the widest band."""
        half, _ = _half_period(frequency_hz, damping)
        if not 0 < level < 1:
            raise InputError(f"Shaper.ei: level is {shown(level)}; expected a part of the vibration between 0 and 1.")
        sizes = np.array([1 + level, 2 - 2 * level, 1 + level]) / 4
        start = Shaper(np.array([0.0, half, 2 * half]), sizes, ((frequency_hz, damping),))
        return start if damping == 0 else _damped_ei(start, level)

    @property
    def duration(self) -> float:
        """Time by which a shaped motion is longer [s]."""
        return float(self.times[-1])

    def then(self, other: Shaper) -> Shaper:
        """The two shapers one after the other, as one."""
        times = np.add.outer(self.times, other.times).ravel()
        sizes = np.multiply.outer(self.sizes, other.sizes).ravel()
        order = np.argsort(times, kind="stable")
        return Shaper(times[order], sizes[order], (*self.designed_for, *other.designed_for))

    def residual(self, frequency_hz: ArrayLike, damping: float = 0.0) -> Any:
        """Part of a mode's vibration that is left, relative to that after one impulse; for each frequency (...)."""
        omega = 2 * np.pi * np.asarray(frequency_hz, float)[..., None]
        left = np.exp(
            damping * omega * (self.times - self.times[-1]) + 1j * omega * np.sqrt(1 - damping**2) * self.times
        )
        found = np.abs(left @ self.sizes)
        return found if found.ndim else float(found)

    def insensitivity(self, level: float = LEVEL) -> float:
        """Width of the band about the first design frequency with at most `level` of the vibration, relative to it."""
        if not self.designed_for:
            raise InputError(
                "insensitivity: the shaper has no design frequency; expected Shaper(..., designed_for=...)."
            )
        from scipy.optimize import brentq

        frequency, damping = self.designed_for[0]

        def beyond(ratio: float) -> float:
            return self.residual(frequency * ratio, damping) - level * (1 + TOLERANCE)

        edges = []
        for ratios in (np.linspace(1, 0, FINENESS), np.linspace(1, 3, FINENESS)):
            outside = np.flatnonzero(self.residual(frequency * ratios, damping) > level * (1 + TOLERANCE))
            k = int(outside[0]) if len(outside) else len(ratios)
            edges.append(1.0 if k == 0 else ratios[-1] if k == len(ratios) else brentq(beyond, *ratios[k - 1 : k + 1]))
        return float(edges[1] - edges[0])

    def shaped(self, course: Any) -> PPoly:
        """A course over time, shaped; before its start and after its end it counts as constant.

        Parameters
        ----------
        course : Profile, Motion or a SciPy spline     positions over time

        Returns
        -------
        PPoly
            from the start of the course to its end plus `duration`; a reference for `PD`, `ComputedTorque` and others

        Examples
        --------
        >>> import lissom as ls
        >>> ramp = ls.Profile([0.0, 1.0], [0.0, 0.4])
        >>> course = ls.Shaper.zv(2.0).shaped(ramp)
        >>> course([0.0, 0.5, 1.25])[:, 0].round(3)
        array([0.  , 0.15, 0.4 ])
        """
        given = _as_polynomials(course)
        more = max(self.duration, 1.0)
        ends = [np.zeros((len(given.c), 1, *given.c.shape[2:])) for _ in range(2)]
        ends[0][-1, 0], ends[1][-1, 0] = given(given.x[0]), _last(given)
        x = np.concatenate([[given.x[0] - more], given.x, [given.x[-1] + more]])
        whole = self.convolved(PPoly(np.concatenate([ends[0], given.c, ends[1]], axis=1), x))
        inside = (whole.x[:-1] > given.x[0] - 0.5 * 10.0**-CLOSE) & (
            whole.x[1:] < given.x[-1] + self.duration + 10.0**-CLOSE
        )
        first, last = np.flatnonzero(inside)[[0, -1]]
        return PPoly(whole.c[:, first : last + 1], whole.x[first : last + 2], extrapolate=False)

    def convolved(self, course: PPoly) -> PPoly:
        """A course convolved with the impulses; it counts as zero before its first break and after its last."""
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


def shaper(arm: Arm, q: ArrayLike, kind: str = "zv", count: int = 2) -> Shaper:
    """The input shaper for the first modes of an arm at a pose, its motors holding their joints.

    Modes that are damped so strongly that they do not vibrate need no shaping, and are passed over.

    Parameters
    ----------
    arm : Arm
    q : (dof,)           positions; one entry per joint is accepted
    kind : str           "zv", "zvd" or "ei", see `Shaper`
    count : int          how many modes, the lowest first; their shapers follow one another

    Returns
    -------
    Shaper

    Examples
    --------
    >>> import lissom as ls
    >>> round(ls.shaper(ls.load("two_link_flexible"), [0.8, 0.8], "zvd").duration, 3)
    2.758
    """
    if kind not in KINDS:
        raise InputError(f"shaper: kind is {shown(kind)}; expected one of {', '.join(KINDS)}.")
    out = Shaper(np.zeros(1), np.ones(1))
    for f, z in vibrating_modes(arm, q)[0][:count]:
        out = out.then(KINDS[kind](f, z))
    return out


KINDS = {"zv": Shaper.zv, "zvd": Shaper.zvd, "ei": Shaper.ei}


def vibrating_modes(arm: Arm, q: ArrayLike) -> tuple[list[tuple[float, float]], int]:
    """(frequency [Hz], damping ratio) of modes at a pose that vibrate, and how many are damped too strongly."""
    found = modes(arm, q, "locked")
    pairs = [(float(f), float(z)) for f, z in zip(found.frequencies_hz, found.damping, strict=True)]
    vibrating = [(f, z) for f, z in pairs if z < 1 and _half_period(f, z)[1] > STRONGLY_DAMPED]
    return vibrating, len(pairs) - len(vibrating)


def _half_period(frequency_hz: float, damping: float) -> tuple[float, float]:
    if not frequency_hz > 0 or not 0 <= damping < 1:
        raise InputError(
            f"shaper: frequency {shown(frequency_hz)} Hz, damping {shown(damping)}; expected above 0, and 0 to 1."
        )
    root = np.sqrt(1 - damping**2)
    return float(1 / (2 * frequency_hz * root)), float(np.exp(-damping * np.pi / root))


def _damped_ei(start: Shaper, level: float) -> Shaper:
    """Solve the six equations of EI by continuation in damping, which keeps the branch."""
    from scipy.optimize import root

    ((frequency, damping),), half = start.designed_for, start.times[1]

    def shape(u: Array) -> tuple[Array, Array]:
        """Times and sizes; u has two sizes, two times in half periods, and the two frequencies without vibration."""
        return half * np.array([0.0, u[2], u[3]]), np.array([u[0], u[1], 1 - u[0] - u[1]])

    def equations(u: Array, z: float) -> Array:
        first, second = (_response(*shape(u), ratio * frequency, z)[0] for ratio in u[4:])
        value, slope = _response(*shape(u), frequency, z)
        flat = frequency * (value.conjugate() * slope).real
        return np.array([first.real, first.imag, second.real, second.imag, abs(value) - level, flat])

    u = np.array([*start.sizes[:2], 1.0, 2.0, *_undamped_zeros(level)])
    for part in np.linspace(0, 1, CONTINUED + 1)[1:]:
        u = root(equations, u, args=(part * damping,), tol=1e-14).x
    if np.abs(equations(u, damping)).max() > SOLVED:
        raise SolveError(f"Shaper.ei: no shaper found for damping {damping:g} and level {level:g}; use Shaper.zvd.")
    return Shaper(*shape(u), start.designed_for)


def _response(times: Array, sizes: Array, frequency_hz: float, damping: float) -> tuple[complex, complex]:
    """Complex vibration after the last impulse, and its derivative by frequency."""
    rate = 2 * np.pi * (damping * (times - times[-1]) + 1j * np.sqrt(1 - damping**2) * times)
    waves = sizes * np.exp(frequency_hz * rate)
    return complex(waves.sum()), complex((rate * waves).sum())


def _undamped_zeros(level: float) -> tuple[float, float]:
    """Frequencies without vibration of an undamped EI shaper: 1 - V + (1 + V) cos(pi f) = 0."""
    angle = float(np.arccos(-(1 - level) / (1 + level)) / np.pi)
    return angle, 2 - angle


def _as_polynomials(course: Any) -> PPoly:
    """A profile, planned motion or spline as a piecewise polynomial."""
    if isinstance(course, Profile):
        return _of_profile(course)
    if is_planned_motion(course):
        polynomials = getattr(course, "polynomials", None)
        if polynomials is None:
            raise InputError("shaped: a motion with closed loops has no polynomials; shape a Profile of its samples.")
        return PPoly(polynomials.c, polynomials.x)
    if is_scipy_spline(course):
        held = held_spline(course)
        return PPoly(held.c, held.x)
    raise InputError(f"shaped: got {shown(course)}; expected a Profile, a Motion or a SciPy spline.")


def _of_profile(profile: Profile) -> PPoly:
    if len(profile.t) < 2:
        raise InputError("shaped: the profile has one sample; expected at least two.")
    if profile.kind == "cubic":
        held = held_spline(profile._smooth)
        return PPoly(held.c, held.x)
    if profile.kind == "hold":  # the last value begins at the last time
        return PPoly(profile.values[None], np.append(profile.t, profile.t[-1] + np.diff(profile.t).min()))
    slopes = np.diff(profile.values, axis=0) / np.diff(profile.t)[:, None]
    return PPoly(np.stack([slopes, profile.values[:-1]]), profile.t)


def _last(course: PPoly) -> Array:
    """The value at the end, of the last piece."""
    return np.polynomial.polynomial.polyval(course.x[-1] - course.x[-2], course.c[::-1, -1])


def _taylor(c: Array, x: Array, k: int) -> Array:
    """Derivative k over k! at x (pieces,) of polynomials c (degree + 1, pieces, ...), highest powers first."""
    out, degree = np.zeros(c.shape[1:]), len(c) - 1
    wide = x.reshape(-1, *(1 for _ in c.shape[2:]))
    for power in range(k, degree + 1):
        out = out + comb(power, k) * c[degree - power] * wide ** (power - k)
    return out
