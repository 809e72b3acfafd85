"""Inputs of a simulation: numbers, numbers for every run, or functions of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.arrays import as_floats, refuse_names
from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_numbers
from lissom.keywords import KnownKeywords
from lissom.simulation.held_splines import HeldSpline, held_spline, is_scipy_spline
from lissom.simulation.loop.callbacks import called, check_arguments
from lissom.spatial.rotations import Array

KINDS = ("linear", "hold", "cubic")


@dataclass(frozen=True, eq=False)
class Profile(KnownKeywords):
    """A function of time from samples; before the first and after the last sample it keeps the end values.

    Parameters
    ----------
    t : (nt,)                     times, increasing [s]
    values : (nt,) or (nt, m)
    kind : "linear", "hold" (each value until the next time) or "cubic" (smooth, through all samples)

    Examples
    --------
    >>> bang = Profile([0.0, 0.5, 1.0], [[0.2], [-0.2], [0.0]], kind="hold")
    >>> float(bang(0.7)[0]), float(bang(0.5)[0]), float(bang(0.5, before=True)[0])
    (-0.2, -0.2, 0.2)
    """

    t: Any
    values: Any
    kind: str = "linear"
    _smooth: Any = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        refuse_names(self.values, "Profile: values", InputError)
        t, values = as_numbers(self.t, "t", "Profile"), as_numbers(self.values, "values", "Profile")
        if t.ndim != 1 or t.size < 1:
            raise InputError(f"Profile: t has shape {t.shape}; expected (nt,), at least one time.")
        if (np.diff(t) <= 0).any():
            k = int(np.argmax(np.diff(t) <= 0))
            raise InputError(f"Profile: t[{k + 1}] is {t[k + 1]:g} after t[{k}] = {t[k]:g}; times must increase.")
        if values.ndim not in (1, 2) or len(values) != len(t):
            raise InputError(f"Profile: values have shape {values.shape}; expected one row for each of {len(t)} times.")
        if self.kind not in KINDS:
            raise InputError(f"Profile: kind is {shown(self.kind)}; expected one of {', '.join(KINDS)}.")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "values", values.reshape(len(t), -1))
        if self.kind == "cubic" and len(t) > 1:
            from scipy.interpolate import CubicSpline

            object.__setattr__(self, "_smooth", CubicSpline(t, self.values))

    @property
    def content(self) -> bytes:
        """Bytes that identify the profile, for fingerprints."""
        return self.t.tobytes() + self.values.tobytes() + self.kind.encode()

    @property
    def jumps(self) -> Array:
        """Times at which the value jumps."""
        return self.t[1:] if self.kind == "hold" else np.zeros(0)

    @property
    def finest(self) -> float:
        """Shortest time between samples [s]; longer steps could skip features of the profile."""
        return float(np.diff(self.t).min()) if len(self.t) > 1 else np.inf

    def __call__(self, t: ArrayLike, before: bool = False) -> Array:
        """Return values (..., m) at times (...); at a jump the value after it, or the one before."""
        times = np.asarray(t, float)
        inside = np.clip(times, self.t[0], self.t[-1])
        if self.kind == "hold":
            at = np.searchsorted(self.t, times, side="left" if before else "right") - 1
            return self.values[np.maximum(at, 0)]
        if self._smooth is not None:
            return self._smooth(inside)
        columns = [np.interp(inside, self.t, column) for column in self.values.T]
        return np.stack(columns, axis=-1)


class Signal(NamedTuple):
    """One input vector of a simulation.

    value : (size,), (runs, size), or a function of one time and a side, see `OverTime`, (size,) or (runs, size)
    jumps : times at which it jumps
    finest : time in which nothing happens unnoticed [s]; zero for functions, of which nothing is known
    """

    name: str
    size: int
    value: Any
    jumps: Array = np.zeros(0)
    finest: float = np.inf

    @property
    def varies(self) -> bool:
        """Whether the signal is a function of time."""
        return callable(self.value)

    @property
    def runs(self) -> int | None:
        """Number of runs that the signal has values for, None if it is the same for all."""
        now = self.at(0.0) if self.varies else self.value
        return len(now) if now.ndim == 2 else None

    def rows(self, some: slice) -> Signal:
        """Return the signal of some of the runs."""
        return self._picked(lambda x: x[..., some, :] if x.ndim > 1 and x.shape[-2] > 1 else x)

    def member(self, run: int) -> Signal:
        """Return the signal of one run."""
        return self._picked(lambda x: x[..., min(run, x.shape[-2] - 1), :] if x.ndim > 1 else x)

    def _picked(self, pick: Callable[[Array], Array]) -> Signal:
        """Return the signal with a selection applied to its value at any time."""
        if isinstance(self.value, Steady):
            steady = self.value
            one = self.runs is None  # for all runs
            return self if one else self._replace(value=Steady(steady.profile, lambda x: pick(steady.shape(x))))
        if self.varies:
            return self._replace(value=OverTime(lambda t, before: pick(self.at(t, before))))
        return self._replace(value=pick(self.value))

    def at(self, t: float, before: bool = False) -> Array:
        """Return the value at a time, checked."""
        if not self.varies:
            return self.value
        return checked(called(self.name, t, self.value, t, before), self.size, self.name, t)


class OverTime:
    """A function of time that knows where it jumps, and both sides of its jumps: f(t, before).

    finest : time in which nothing happens unnoticed [s]; zero: nothing is known
    source : what the user gave, which `function` calls
    """

    def __init__(
        self, function: Callable[[float, bool], Any], jumps: Any = (), finest: float = 0.0, source: Any = None
    ):
        self._function, self.jumps, self.finest = function, np.asarray(jumps, float), finest
        self.source = function if source is None else source

    def __call__(self, t: float, before: bool = False) -> Any:
        return self._function(t, before)


class SharedFunction:
    """A function of time that returns several arrays; one call serves all that ask for the same time.

    jumps : times at which some of them jump
    sided : whether it takes `before` too: what is before a jump
    """

    def __init__(self, source: Any, jumps: Any = (), sided: bool = False):
        self.source, self.jumps, self.sided = source, np.asarray(jumps, float), sided
        self._last: tuple[tuple[float, bool] | None, Any] = (None, None)

    def __call__(self, t: float, before: bool = False) -> Any:
        asked = (t, before and self.sided)
        last = self._last  # as a whole: other threads may ask for other times
        if last[0] != asked:
            last = self._last = asked, self.source(t, before) if self.sided else self.source(t)
        return last[1]


class Part:
    """One of several arrays that a function of time returns together."""

    def __init__(self, function: SharedFunction, place: int):
        self.function, self.place = function, place

    def __call__(self, t: float, before: bool = False) -> Any:
        return self.function(t, before)[self.place]


class Steady:
    """A profile or spline whose values are reshaped for a signal."""

    def __init__(self, profile: Profile | HeldSpline, shape: Callable[[Array], Array]):
        self.profile, self.shape = profile, shape

    def __call__(self, t: float, before: bool = False) -> Array:
        return self.shape(self.profile(t, before))


def sampled(name: str, values: Array, duration: float) -> Signal:
    """Return samples (runs, nt, m), equally spaced over a duration, as a piecewise linear signal; one run: for all."""
    runs, nt, size = values.shape
    profile = Profile(np.linspace(0.0, duration, nt), np.moveaxis(values, 1, 0).reshape(nt, -1))
    shape = (size,) if runs == 1 else (runs, size)
    return Signal(name, size, Steady(profile, lambda x: x.reshape(*x.shape[:-1], *shape)), finest=profile.finest)


def over(signal: Signal, times: Array, before: bool = False) -> Array:
    """Return a varying signal at many times: (nt, size) or (nt, runs, size)."""
    if isinstance(signal.value, Steady):  # a profile: all at once
        return signal.value(times, before)  # type: ignore[arg-type]
    found = [signal.at(float(t), before) for t in times]
    return np.stack(found)


def common_runs(given: Iterable[tuple[str, int | None]]) -> int | None:
    """Return the common number of runs of (what, number) pairs; 1 and None fit any number."""
    counts = [(what, n) for what, n in given if n is not None]
    if len({n for _, n in counts if n != 1}) > 1:
        listed = ", ".join(f"{what} {n}" for what, n in counts)
        raise InputError(f"simulate: the numbers of runs differ: {listed}. Give one row for all runs, or one per run.")
    for what, n in counts:
        if n == 0:
            raise InputError(f"simulate: {what} has no rows; expected at least one run.")
    return max((n for _, n in counts), default=None)


def checked(found: Any, size: int, name: str, t: float) -> Array:
    """Return what a user's function gave as an array; errors name the time."""
    try:
        array = as_floats(found)
    except TypeError as error:
        raise InputError(f"simulate: {name} gave {shown(found)} at t = {t:.6g} s; expected {size} {error}.") from None
    if array.shape != (size,) and not (array.ndim == 2 and array.shape[1] == size):
        if array.size == 1 == size:
            return array.reshape(1)
        raise InputError(f"simulate: {name} gave shape {array.shape} at t = {t:.6g} s; expected ({size},).")
    if not np.isfinite(array).all():
        k = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(
            f"simulate: {name} gave {array[k]} in entry {list(k)} at t = {t:.6g} s; expected finite numbers."
        )
    return array


def as_signal(value: Any, size: int, name: str, shape: Callable[[Array], Array]) -> Signal:
    """Return numbers, numbers of every run, a Profile or a function of time as a signal.

    `shape` makes values (..., size).

    SciPy splines keep their end values beyond their ends, as a Profile does.
    """
    if is_scipy_spline(value):
        value = held_spline(value)
    if isinstance(value, Profile) or (isinstance(value, HeldSpline) and len(value.shape) == 1):
        return Signal(name, size, Steady(value, shape), value.jumps, value.finest)
    if callable(value):
        return _function_signal(value, size, name, shape)
    refuse_names(value, f"simulate: {name}", InputError)
    numbers = shape(as_numbers(value, name, "simulate"))
    if numbers.ndim > 2 or numbers.shape[-1] != size:
        raise InputError(f"simulate: {name} has shape {numbers.shape}; expected ({size},) or (runs, {size}).")
    return Signal(name, size, numbers)


def _function_signal(value: Any, size: int, name: str, shape: Callable[[Array], Array]) -> Signal:
    """Return a function of time as a signal; those of this package list their jumps."""
    source, jumps, finest = value, np.zeros(0), 0.0
    if isinstance(value, Part):
        source, jumps = value.function.source, value.function.jumps
    if isinstance(value, HeldSpline):
        source, jumps, finest = value.content, value.jumps, value.finest
    sided = isinstance(value, Part | HeldSpline)
    if not sided:
        check_arguments(value, "f(t)", f"simulate: {name}")

    def call(t: float, before: bool) -> Array:
        found = value(t, before) if sided else value(t)
        try:
            return shape(as_numbers(found, name, "simulate"))
        except InputError as error:
            raise InputError(f"{str(error).rstrip('.')} (from the function of time at t = {t:.6g} s).") from None

    return Signal(name, size, OverTime(call, jumps, finest, source), jumps, finest)
