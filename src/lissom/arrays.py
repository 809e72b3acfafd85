"""Conversion of user input into arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = "numbers"
UNMASKED = "numbers without a mask: fill masked entries, or leave them out"


def as_floats(value: Any) -> NDArray[np.float64]:
    """A float64 array, `value` itself if it is one; raises `TypeError` with what was expected.

    Text, objects, truth values, times and complex numbers are not turned into numbers, and a mask is not forgotten.

    Examples
    --------
    >>> as_floats([1, 2])
    array([1., 2.])
    >>> as_floats(np.ma.masked_greater([1.0, 2.0], 1.5))
    Traceback (most recent call last):
    ...
    TypeError: numbers without a mask: fill masked entries, or leave them out
    """
    if _masked(value):
        raise TypeError(UNMASKED)
    try:
        raw = np.asarray(value)
    except (TypeError, ValueError, OverflowError):  # ragged lists
        raise TypeError(NUMBERS) from None
    if raw.dtype.kind not in "iuf":
        raise TypeError(NUMBERS)
    with np.errstate(over="ignore"):  # extended precision may not fit; infinities are refused where they matter
        return raw.astype(float, copy=False)


def _masked(value: Any) -> bool:
    """Whether a value is an array with masked entries, or a list that contains one."""
    if isinstance(value, np.ma.MaskedArray):
        return bool(np.ma.is_masked(value))
    if isinstance(value, list | tuple):
        return any(_masked(item) for item in value if type(item) is not float)
    return False
