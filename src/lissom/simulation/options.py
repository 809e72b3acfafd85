"""Validated arguments of `simulate`: what is simulated, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_threads
from lissom.model.arm import Arm

STEP_BY_STEP = ("rk45", "dop853", "radau", "bdf")  # adaptive steps of one run, called from Python
ADAPTIVE = (*STEP_BY_STEP, "rodas")
FIXED = ("rk4", "rk8")
METHODS = (*FIXED, *ADAPTIVE)
ONE = (1e-8, 1e-10)  # rtol and atol of a single run
MANY = (1e-6, 1e-8)
SMALLEST_RTOL = 3e-14  # in double precision


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is simulated: the arm, its initial state, and what acts on it; as the arguments of `simulate`."""

    arm: Arm
    q0: Any = None
    qd0: Any = None
    tau: Any = None
    loads: Any = ()
    base: Any = None
    prescribed: Any = None
    payloads: Any = None
    arms: Any = None
    events: Any = ()
    tau0: Any = None


# ---- how -----------------------------------------------------------------------------------------


def _positive(unit: str = "") -> Callable[[str, Any], float | None]:
    def check(word: str, value: Any) -> float | None:
        number = isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < np.inf):
            raise InputError(f"simulate: {word} is {shown(value)}; expected a number above 0{unit}.")
        return None if value is None else float(value)

    return check


def _one_of(*words: str) -> Callable[[str, Any], str]:
    def check(word: str, value: Any) -> str:
        if value not in words:
            raise InputError(f"simulate: {word} is {shown(value)}; expected {' or '.join(map(repr, words))}.")
        return str(value)

    return check


def _method(word: str, value: Any) -> str | None:
    found = None if value is None else str(value).lower()
    if found is not None and found not in METHODS:
        raise InputError(f"simulate: {word} is {shown(value)}; expected None or one of {', '.join(METHODS)}.")
    return found


FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "until": _positive(", in seconds"), "rtol": _positive(), "atol": _positive(), "dt": _positive(", in seconds"),
    "every": _positive(", in seconds"), "audit": _positive(), "method": _method,
    "threads": lambda _, value: as_threads(value, "simulate"), "singular": _one_of("stop", "pass"),
    "on_failure": _one_of("raise", "return"),
}  # fmt: skip
NUMERICAL = ("until", "method", "rtol", "atol", "dt", "every", "audit", "threads", "singular")


@dataclass(frozen=True)
class Options:
    """How it is simulated and stored; see `simulate`. rtol and atol are None until `of_runs` sets their defaults."""

    until: Any  # float
    method: str | None = None
    rtol: Any = None
    atol: Any = None
    dt: float | None = None
    every: float | None = None
    audit: float | None = None
    threads: int | None = None
    singular: str = "stop"
    stop_at_limits: bool = False
    on_failure: str = "raise"
    progress: Any = None
    save: Any = None
    save_every: Any = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.until is None:
            raise InputError("simulate: until is missing; give the end of the simulated time in seconds.")
        for field in fields(self):
            if field.name in FIELDS:
                object.__setattr__(self, field.name, FIELDS[field.name](field.name, getattr(self, field.name)))
        for word in ("dt", "every"):
            length = getattr(self, word)
            if length is not None and length > self.until:
                raise InputError(f"simulate: {word} is {length:g} s, longer than the whole run of {self.until:g} s.")
        if self.rtol is not None and self.rtol < SMALLEST_RTOL:
            raise InputError(f"simulate: rtol is {self.rtol:g}; double precision allows {SMALLEST_RTOL:g} and above.")
        if self.dt is not None and self.method in ADAPTIVE:
            raise InputError(
                f"simulate: dt is the step of methods 'rk4' and 'rk8'; {self.method!r} has adaptive steps. Omit dt, or "
                "set the sample spacing with every=."
            )

    def of_runs(self, single: bool) -> Options:
        """Return the options with default tolerances for one run or many.

        If rtol is smaller than the default of many runs, atol decreases with it, down to that of a single run.
        """
        rtol, atol = ONE if single else MANY
        if self.rtol and not single:
            atol = float(np.clip(self.rtol * MANY[1] / MANY[0], ONE[1], MANY[1]))
        return replace(self, rtol=self.rtol or rtol, atol=self.atol or atol)

    def numerical(self) -> dict[str, Any]:
        """Return the options that results depend on, and the number of threads; those that are given."""
        found = {word: getattr(self, word) for word in NUMERICAL}
        return {word: value for word, value in found.items() if value is not None}
