"""What is given to a simulation besides the state: numbers, numbers of every run, or functions of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.arrays import as_floats
from lissom.errors import InputError, LissomError, SolveError, shown
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_numbers

KINDS = ("linear", "hold", "cubic")


@dataclass(frozen=True, eq=False)
class Profile:
    """Samples over time as a function of time; the ends are held beyond them.

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
    def jumps(self) -> Array:
        """Times at which the value jumps."""
        return self.t[1:] if self.kind == "hold" else np.zeros(0)

    @property
    def finest(self) -> float:
        """Shortest time between samples; steps longer than that could pass over what happens there."""
        return float(np.diff(self.t).min()) if len(self.t) > 1 else np.inf

    def __call__(self, t: ArrayLike, before: bool = False) -> Array:
        """(..., m) at times (...); at a jump the value after it, or the one before."""
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
    """One vector that a simulation is given.

    value : (size,), (runs, size), or a function of one time, (size,) or (runs, size)
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
        """It is a function of time."""
        return callable(self.value)

    @property
    def runs(self) -> int | None:
        """Of how many runs it tells, None when it is the same for all."""
        now = self.at(0.0) if self.varies else self.value
        return len(now) if now.ndim == 2 else None

    def rows(self, some: slice) -> Signal:
        """The signal of some of the runs."""
        return self._picked(lambda x: x[some] if x.ndim == 2 and len(x) > 1 else x)

    def member(self, run: int) -> Signal:
        """The signal of one run."""
        return self._picked(lambda x: x[min(run, len(x) - 1)] if x.ndim == 2 else x)

    def _picked(self, pick: Callable[[Array], Array]) -> Signal:
        """The signal with something picked from its value at any time."""
        if isinstance(self.value, Steady):  # one for all runs
            return self
        if self.varies:
            return self._replace(value=OverTime(lambda t, before: pick(self.at(t, before))))
        return self._replace(value=pick(self.value))

    def at(self, t: float, before: bool = False) -> Array:
        """Its value at a time."""
        if not self.varies:
            return self.value
        try:
            found = self.value(t, before) if getattr(self.value, "sided", False) else self.value(t)
        except LissomError:
            raise
        except Exception as error:
            raise SolveError(f"{self.name} raised {type(error).__name__} at t = {t:.6g} s: {error}") from error
        return checked(found, self.size, self.name, t)


class OverTime:
    """A function of time that knows where it jumps, and both sides of its jumps: f(t, before).

    finest : time in which nothing happens unnoticed [s]; zero: nothing is known
    source : what the user gave, which `function` calls
    """

    sided = True

    def __init__(
        self, function: Callable[[float, bool], Any], jumps: Any = (), finest: float = 0.0, source: Any = None
    ):
        self._function, self.jumps, self.finest = function, np.asarray(jumps, float), finest
        self.source = function if source is None else source

    def __call__(self, t: float, before: bool = False) -> Any:
        return self._function(t, before)


class Steady:
    """A profile, put into shape."""

    sided = True  # it takes `before`: what is before a jump

    def __init__(self, profile: Profile, shape: Callable[[Array], Array]):
        self.profile, self.shape = profile, shape

    def __call__(self, t: float, before: bool = False) -> Array:
        return self.shape(self.profile(t, before))


def over(signal: Signal, times: Array, before: bool = False) -> Array:
    """A signal that varies, at many times: (nt, size) or (nt, runs, size)."""
    if isinstance(signal.value, Steady):  # a profile: all at once
        return signal.value(times, before)  # type: ignore[arg-type]
    found = [signal.at(float(t), before) for t in times]
    return np.stack(found)


def common_runs(told: Iterable[tuple[str, int | None]]) -> int | None:
    """The number of runs that all of (what, number) tell of; one row serves every run, None tells of no number."""
    counts = [(what, n) for what, n in told if n is not None]
    if len({n for _, n in counts if n != 1}) > 1:
        listed = ", ".join(f"{what} {n}" for what, n in counts)
        raise InputError(f"simulate: numbers of runs do not fit together: {listed}.")
    for what, n in counts:
        if n == 0:
            raise InputError(f"simulate: there are no runs: {what} has no rows.")
    return max((n for _, n in counts), default=None)


def checked(found: Any, size: int, name: str, t: float) -> Array:
    """What a user's function gave, or a sentence with the time."""
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
    """Numbers, numbers of every run, a Profile or a function of time; `shape` makes them (..., size)."""
    if isinstance(value, Profile):
        return Signal(name, size, Steady(value, shape), value.jumps, value.finest)
    if callable(value):
        call = lambda t, _before: shape(as_numbers(value(t), f"{name} at t = {t:.6g} s", "simulate"))  # noqa: E731
        return Signal(name, size, OverTime(call, source=value), finest=0.0)
    numbers = shape(as_numbers(value, name, "simulate"))
    if numbers.ndim > 2 or numbers.shape[-1] != size:
        raise InputError(f"simulate: {name} has shape {numbers.shape}; expected ({size},) or (runs, {size}).")
    return Signal(name, size, numbers)
