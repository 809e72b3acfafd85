"""Validated integration options of `simulate`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_threads

ADAPTIVE = ("rk45", "dop853", "radau", "bdf", "rodas")
FIXED = ("rk4", "rk8")
METHODS = (*FIXED, *ADAPTIVE)
ONE = (1e-8, 1e-10)  # rtol and atol of a single run
MANY = (1e-6, 1e-8)


class Options(NamedTuple):
    """Integration options; rtol and atol are 0 until `of_runs` sets their defaults."""

    until: float
    method: str | None
    rtol: float
    atol: float
    dt: float | None
    every: float | None
    audit: float | None
    threads: int | None
    singular: str = "stop"

    def of_runs(self, single: bool) -> Options:
        """Return the options with default tolerances for one run or many.

        If rtol is smaller than the default of many runs, atol decreases with it, down to that of a single run.
        """
        rtol, atol = ONE if single else MANY
        if self.rtol and not single:
            atol = float(np.clip(self.rtol * MANY[1] / MANY[0], ONE[1], MANY[1]))
        return self._replace(rtol=self.rtol or rtol, atol=self.atol or atol)


SINGULAR = ("stop", "pass")


def as_options(
    until: Any, method: Any, rtol: Any, atol: Any, dt: Any, every: Any, audit: Any, threads: Any, singular: Any
) -> Options:
    """Return validated options from the arguments of `simulate`."""
    if until is None:
        raise InputError("simulate: until is missing; give the end of the simulated time in seconds.")
    named = {"until": until, "rtol": rtol, "atol": atol, "dt": dt, "every": every, "audit": audit}
    for word, value in named.items():
        number = isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < np.inf):
            unit = ", in seconds" if word in ("until", "dt", "every") else ""
            raise InputError(f"simulate: {word} is {shown(value)}; expected a number above 0{unit}.")
    for word in ("dt", "every"):
        if named[word] is not None and named[word] > until:
            raise InputError(f"simulate: {word} is {named[word]:g} s, longer than the whole run of {until:g} s.")
    if rtol is not None and rtol < 3e-14:
        raise InputError(f"simulate: rtol is {rtol:g}; double precision allows 3e-14 and above.")
    known = _method(method)
    if dt is not None and known in ADAPTIVE:
        raise InputError(
            f"simulate: dt is the step of methods 'rk4' and 'rk8'; {known!r} has adaptive steps. Omit dt, or set the "
            "sample spacing with every=."
        )
    plain = {word: None if value is None else float(value) for word, value in named.items()}
    plain |= {word: plain[word] or 0.0 for word in ("rtol", "atol")}
    if singular not in SINGULAR:
        raise InputError(f"simulate: singular is {shown(singular)}; expected 'stop' or 'pass'.")
    return Options(method=known, threads=as_threads(threads, "simulate"), singular=singular, **plain)  # type: ignore[arg-type]


def _method(method: object) -> str | None:
    if method is None:
        return None
    word = str(method).lower()
    if word not in METHODS:
        raise InputError(f"simulate: method is {shown(method)}; expected None or one of {', '.join(METHODS)}.")
    return word
