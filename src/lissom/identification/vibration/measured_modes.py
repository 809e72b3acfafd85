"""Measured modes: natural frequencies and damping ratios of an arm at a pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.arrays import as_floats
from lissom.errors import InputError, shown
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class MeasuredModes(KnownKeywords):
    """Natural frequencies of a real arm at one pose, for `identify_modes`.

    Parameters
    ----------
    q : (joints,), (dof,) or None    the pose; None: `Arm.home`
    frequencies_hz : (k,)            natural frequencies
    damping : (k,) or None           damping ratios, nan where one was not measured
    order : (k,) of int or None      which modes of the arm they are, the lowest is 1; None: 1, 2, ...
    std_hz, std_damping : (k,), number or None   standard deviations, which the fit raises where errors are larger;
                                     None: it finds them
    payload : Payload or None        what the arm carries in this measurement, in place of its own payload
    link : str or None               link or tool that carries it; None: the end of the arm
    joints : "locked" or "free"      whether the motors hold their joints

    Examples
    --------
    >>> import lissom as ls
    >>> ls.MeasuredModes([0.0, 0.5], [0.44, 1.94], damping=[0.01, 0.012]).order.tolist()
    [1, 2]
    """

    q: Any
    frequencies_hz: Any
    damping: Any = None
    order: Any = None
    std_hz: Any = None
    std_damping: Any = None
    payload: Payload | None = None
    link: str | None = None
    joints: str = "locked"

    def __post_init__(self) -> None:
        f = self._numbers("frequencies_hz", None)
        self._set("frequencies_hz", f)
        if not (f > 0.0).all():
            raise InputError(f"MeasuredModes: frequencies_hz has {f.min():g}; expected frequencies above 0 [Hz].")
        for word in ("damping", "std_hz", "std_damping"):
            if getattr(self, word) is not None:
                self._set(word, self._numbers(word, len(f)))
        for word in ("std_hz", "std_damping"):
            value = getattr(self, word)
            if value is not None and not (value > 0.0).all():
                raise InputError(f"MeasuredModes: {word} has {value.min():g}; expected numbers above 0.")
        if self.damping is not None and not (np.isnan(self.damping) | (np.abs(self.damping) < 1.0)).all():
            raise InputError(
                "MeasuredModes: damping has ratios of 1 or more; expected fractions of critical, such as 0.01."
            )
        self._set("order", self._orders(len(f)))
        if self.joints not in ("locked", "free"):
            raise InputError(f"MeasuredModes: joints is {shown(self.joints)}; expected 'locked' or 'free'.")
        if self.payload is not None and not isinstance(self.payload, Payload):
            raise InputError(f"MeasuredModes: payload is {shown(self.payload)}; expected a Payload or None.")

    def _set(self, word: str, value: Any) -> None:
        object.__setattr__(self, word, value)

    def _numbers(self, word: str, count: int | None) -> Array:
        value = getattr(self, word)
        try:
            numbers = np.atleast_1d(as_floats(value))
        except TypeError as error:
            raise InputError(f"MeasuredModes: {word} is {shown(value)}; expected {error}.") from None
        if count is not None and numbers.size == 1:
            numbers = np.full(count, numbers.item())
        finite = np.isfinite(numbers) | (word == "damping")
        if numbers.ndim != 1 or not numbers.size or not finite.all() or (count is not None and numbers.size != count):
            raise InputError(f"MeasuredModes: {word} is {shown(value)}; expected {count or 'some'} numbers.")
        return numbers

    def _orders(self, count: int) -> NDArray[np.intp]:
        if self.order is None:
            return np.arange(1, count + 1)
        order = np.atleast_1d(np.asarray(self.order))
        if order.dtype.kind not in "iu" or order.shape != (count,) or (order < 1).any() or len(set(order)) < count:
            raise InputError(
                f"MeasuredModes: order is {shown(self.order)}; expected {count} different whole numbers, the lowest "
                "mode is 1."
            )
        return order

    def arm_of(self, arm: Arm) -> Arm:
        """The arm with the payload of this measurement."""
        return arm if self.payload is None else arm.with_payload(self.payload, self.link)


def as_measured(measured: Any) -> tuple[MeasuredModes, ...]:
    """Measurements as a tuple; raises InputError for anything else."""
    some = tuple(measured) if isinstance(measured, list | tuple) else ()
    if not some or not all(isinstance(one, MeasuredModes) for one in some):
        raise InputError(
            f"identify_modes: measured is {shown(measured)}; expected MeasuredModes(q, frequencies_hz, ...) or several."
        )
    return some
