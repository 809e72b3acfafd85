"""Conversion of user input into arrays, and the names that arrays of pandas and xarray have for their entries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = "numbers"
AXIS = "coordinate"  # of the datasets of runs and motions
UNTRACKED = "numbers that need no gradient: give tensor.detach(), or see lissom.torch_function for gradients"
UNTRACED = "numbers: what JAX transforms is made by lissom.jax_function"
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
        raw = np.from_dlpack(value) if _by_dlpack_alone(value) else np.asarray(value)
    except RuntimeError:  # of tensors of PyTorch
        raise TypeError(UNTRACKED) from None
    except (TypeError, ValueError, OverflowError, BufferError):  # ragged lists
        raise TypeError(UNTRACED if type(value).__name__.endswith("Tracer") else NUMBERS) from None
    if raw.dtype.kind not in "iuf":
        raise TypeError(NUMBERS)
    with np.errstate(over="ignore"):  # extended precision may not fit; infinities are refused where they matter
        return raw.astype(float, copy=False)


def _by_dlpack_alone(value: Any) -> bool:
    """Whether an array of another library has the exchange protocol DLPack, and not that of NumPy."""
    return hasattr(value, "__dlpack__") and not hasattr(value, "__array__") and not isinstance(value, np.ndarray)


def labelled(value: Any) -> tuple[list[str] | None, Any]:
    """Names along the last axis of a labelled array, and its values; None and the value itself where it has none.

    Of arrays of xarray the axis "coordinate" counts, as in the datasets of runs and motions, or else the last one.
    Labels that are not text, such as those of a frame that was made without names, are no names.
    """
    labels, values = None, value
    if hasattr(value, "dims") and hasattr(value, "coords"):  # DataArray
        axis = AXIS if AXIS in value.dims else value.dims[-1] if value.dims else None
        if axis is not None and axis in value.coords:
            labels, values = value.coords[axis].values, np.moveaxis(value.values, value.dims.index(axis), -1)
    elif hasattr(value, "iloc"):  # DataFrame or Series
        labels, values = getattr(value, "columns", value.index), value.to_numpy()
    if labels is None or not len(labels) or not all(isinstance(label, str) for label in labels):
        return None, value
    return [str(label) for label in labels], values


def refuse_names(value: Any, what: str, error: type[Exception]) -> None:
    """Raise an error for a labelled array where no arm is known whose order its entries could be put into."""
    names, _ = labelled(value)
    if names is not None:
        listed = ", ".join(names if len(names) <= 8 else [*names[:7], "..."])
        raise error(
            f"{what} has named entries ({listed}), and no arm is known here to put them in order; give plain numbers, "
            "such as series[names].to_numpy() with names in the order of the arm."
        )


def _masked(value: Any) -> bool:
    """Whether a value is an array with masked entries, or a list that contains one."""
    if isinstance(value, np.ma.MaskedArray):
        return bool(np.ma.is_masked(value))
    if isinstance(value, list | tuple):
        return any(_masked(item) for item in value if type(item) is not float)
    return False
