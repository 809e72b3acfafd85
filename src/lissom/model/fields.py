"""Validation of model fields: user input becomes frozen numbers, or an error with a message.

Each function takes a value and the words for it, returns the clean value, and
raises `ModelError` with value, expectation and fix.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lissom.arrays import NUMBERS, as_floats
from lissom.errors import CONTROL, ModelError, shown, suggest
from lissom.spatial.inertia import principal_moments
from lissom.spatial.rotations import Array, nearest_rotation

# Rotations written with few digits are accepted and made exact; what is off by more is a mistake.
ROTATION_TOLERANCE = 1e-6
ROTATION_EXACT = 1e-12
# Inertia tensors from CAD are rounded: allow their moments to miss an inequality by this fraction.
INERTIA_TOLERANCE = 1e-6
# kg m^2; a milligram at ten micrometres. Smaller entries are zeros that went through a computer.
NO_INERTIA = 1e-16
NAME_LENGTH = 200
# Nothing in SI units is larger; the cap keeps sums and products of any model finite.
LARGEST = 1e30


def frozen(values: Any) -> Array:
    """Read-only float array; -0.0 becomes 0.0 so that equal numbers have equal bytes."""
    with np.errstate(over="ignore"):  # extended precision may not fit; the cap refuses it
        array = np.array(values, dtype=float) + 0.0
    array.flags.writeable = False
    return array


def number(value: Any, what: str, *, least: float | None = None, above: float | None = None) -> float:
    """A finite float, optionally bounded below."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ModelError(f"{what} is {shown(value)}; expected a number.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not abs(result) <= LARGEST:
        raise ModelError(f"{what} is {result:g}; expected a finite number below {LARGEST:g} in SI units.")
    if least is not None and result < least:
        raise ModelError(f"{what} is {result:g}; expected at least {least:g}. Check its sign.")
    if above is not None and result <= above:
        raise ModelError(f"{what} is {result:g}; expected more than {above:g}.")
    return result + 0.0


at_least_zero = partial(number, least=0.0)
above_zero = partial(number, above=0.0)


def whole(value: Any, what: str, *, most: int = 1000) -> int:
    """A whole number from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ModelError(f"{what} is {shown(value)}; expected a whole number.")
    count = int(value)
    if not 0 <= count <= most:
        raise ModelError(f"{what} is {count}; expected a whole number from 0 to {most}.")
    return count


def flag(value: Any, what: str) -> bool:
    """A validated bool."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} is {shown(value)}; expected true or false.")
    return bool(value)


def text(value: Any, what: str) -> str:
    """A string that can be shown and written to a file; it may have several lines."""
    if not isinstance(value, str):
        raise ModelError(f"{what} is {shown(value)}; expected text.")
    if CONTROL.search(value):
        raise ModelError(f"{what} {shown(value)} has control characters; leave them out.")
    return str.__str__(value)  # a plain string also where a subclass was given


def name(value: Any, what: str) -> str:
    """A name: one line of text, not empty, without surrounding spaces."""
    value = text(value, what)
    if not value or value != value.strip() or not value.isprintable():
        raise ModelError(f"{what} is {value!r}; expected a name on one line without spaces around it.")
    if len(value) > NAME_LENGTH:
        raise ModelError(f"{what} has {len(value)} characters; expected at most {NAME_LENGTH}.")
    return value


def choice(value: Any, what: str, known: tuple[str, ...]) -> str:
    """A word from a list of known ones."""
    if not isinstance(value, str) or value not in known:
        hint = " (a joint without position limits is continuous)" if value == "continuous" else ""
        raise ModelError(f"{what} is {shown(value)}; {suggest(str(value)[:60], known)}{hint}")
    return known[known.index(value)]


def array(value: Any, what: str, shape: tuple[int | None, ...]) -> Array:
    """A frozen array of finite numbers; None in `shape` accepts any length."""
    try:
        raw = as_floats(value)
        if raw.ndim == 0:
            raise TypeError(NUMBERS)
        result = frozen(raw)
    except TypeError as error:
        raise ModelError(f"{what} is {shown(value)}; expected {_shape_words(shape)} of {error}.") from None
    fits = len(shape) == result.ndim and all(
        want is None or want == got for want, got in zip(shape, result.shape, strict=True)
    )
    if not fits:
        raise ModelError(f"{what} has shape {result.shape}; expected {_shape_words(shape)}.")
    good = np.abs(result) <= LARGEST
    if not good.all():
        spot = tuple(int(i) for i in np.argwhere(~good)[0])
        raise ModelError(
            f"{what}{list(spot)} is {result[spot]:g}; expected finite numbers below {LARGEST:g} in SI units."
        )
    return result


def rank(value: Any) -> int:
    """Number of axes of an array-like; -1 for a ragged one (then `array` explains)."""
    try:
        return int(np.ndim(value))
    except ValueError:
        return -1


def vector(value: Any, what: str) -> Array:
    """A frozen vector of three finite numbers."""
    return array(value, what, (3,))


def vectors(value: Any, what: str) -> Array:
    """Three finite numbers, or a batch (..., 3) of them."""
    return array(value, what, (*([None] * (rank(value) - 1)), 3))


def unit_vector(value: Any, what: str) -> Array:
    """A unit vector; the given direction is normalised if necessary."""
    direction = vector(value, what)
    size = float(np.linalg.norm(direction))
    if size < 1e-9:
        raise ModelError(f"{what} is {shown(value)}, which has no direction; expected a non-zero vector.")
    return direction if abs(size - 1.0) < 1e-14 else frozen(direction / size)


def transform(value: Any, what: str) -> Array:
    """A 4x4 pose with an orthonormal, right-handed rotation.

    A rotation off by rounding of its printed digits is replaced by the nearest
    exact one; anything worse is refused.
    """
    X = array(value, what, (4, 4))
    if not np.array_equal(X[3], [0.0, 0.0, 0.0, 1.0]):
        raise ModelError(f"{what} has last row {X[3].tolist()}; expected [0, 0, 0, 1].")
    R = X[:3, :3]
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if error > ROTATION_TOLERANCE:
        raise ModelError(
            f"{what} has a rotation that is not orthonormal (R^T R differs from 1 by {error:.2g}). Give more digits."
        )
    if np.linalg.det(R) < 0:
        raise ModelError(f"{what} has a left-handed rotation (determinant -1); flip one axis.")
    if error > ROTATION_EXACT:
        X = np.array(X)
        X[:3, :3] = nearest_rotation(R)
        X = frozen(X)
    return X


def inertia(value: Any, what: str = "inertia", physical: bool = True) -> Array:
    """An inertia tensor (3, 3) about the centre of mass, by default only a physical one.

    A scalar is a planar body's inertia about z: the tensor of a flat body,
    ``diag(J/2, J/2, J)``. Three numbers are the diagonal.
    """
    if rank(value) == 0:
        J = number(value, what, least=0.0)
        return frozen(np.diag([J / 2, J / 2, J]))
    if rank(value) > 0 and np.shape(value) not in ((3,), (3, 3)):
        raise ModelError(
            f"{what} has shape {np.shape(value)}; expected one number (planar, about z), three (the diagonal), or 3x3."
        )
    if rank(value) == 1:
        tensor = frozen(np.diag(array(value, what, (3,))))
    else:
        tensor = array(value, what, (3, 3))
    if not np.array_equal(tensor, tensor.T):
        gap = float(np.abs(tensor - tensor.T).max())
        if gap > 1e-9 * np.abs(tensor).max():
            raise ModelError(f"{what} is not symmetric (entries differ by {gap:g} across the diagonal).")
        tensor = frozen((tensor + tensor.T) / 2)
    if physical:
        _refuse_unphysical(tensor, what)
    return tensor


def _refuse_unphysical(tensor: Array, what: str) -> None:
    """Raise an error unless principal moments are >= 0 and none exceeds the sum of the others."""
    low, mid, high = principal_moments(tensor)
    slack = INERTIA_TOLERANCE * max(abs(low), abs(high)) + NO_INERTIA
    if low < -slack:
        raise ModelError(
            f"{what} is not physical (principal moment {low:.6g} is negative). "
            "Check the signs of the off-diagonal entries and the units."
        )
    if low + mid < high - slack:
        raise ModelError(
            f"{what} is not physical (principal moments {_moment(low, high)} + {_moment(mid, high)} < {high:.6g}; the "
            "largest cannot exceed the sum of the others). Check decimal points and units, and that it is "
            "taken about the centre of mass."
        )


def _moment(value: float, largest: float) -> str:
    """A principal moment, with rounding errors near zero removed."""
    return f"{value:.6g}" if abs(value) > INERTIA_TOLERANCE * abs(largest) else "0"


def _shape_words(shape: tuple[int | None, ...]) -> str:
    return "shape (" + ", ".join("any" if n is None else str(n) for n in shape) + ")"


def records(values: Any, what: str, kind: type) -> tuple[Any, ...]:
    """A tuple of records of one type, from any iterable except text."""
    if isinstance(values, (kind, str)) or not isinstance(values, Iterable):
        raise ModelError(f"{what} is {shown(values)}; expected a list of {kind.__name__}(...).")
    values = tuple(values)
    for value in values:
        if not isinstance(value, kind):
            raise ModelError(f"{what} has {shown(value)}; expected {kind.__name__}(...).")
    return values


def list_of(kind: type) -> Callable[[Any, str], tuple[Any, ...]]:
    """Return the check of a tuple of records of one type."""
    return partial(records, kind=kind)


def made_of(kind: type) -> Callable[[Any, str], Any]:
    """Return the check of one record of a type."""

    def check(value: Any, what: str) -> Any:
        if not isinstance(value, kind):
            raise ModelError(f"{what} is {shown(value)}; expected {kind.__name__}(...).")
        return value

    return check


def none_or(check: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Return a check that accepts None too."""
    return lambda value, what: None if value is None else check(value, what)


def joint_positions(value: Any, what: str) -> tuple[tuple[str, float], ...]:
    """Pairs (joint, position), sorted by name, from a mapping or from pairs."""
    try:
        pairs = tuple(value.items() if isinstance(value, Mapping) else ((joint, at) for joint, at in value))
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(value)}; expected a mapping such as {{'elbow': 0.5}}.") from None
    found = {name(joint, f"joint in {what}"): number(at, f"{what} of {joint!r}") for joint, at in pairs}
    return tuple(sorted(found.items()))
