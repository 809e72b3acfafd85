"""The path that is given: a function, a table, or poses to reach, as values at any times; constant before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

from lissom.arrays import as_floats
from lissom.errors import InputError, shown
from lissom.motion.task.frame_output import AXES, VERB, WIDTHS, as_axes
from lissom.motion.task.reach import Reach
from lissom.motion.tracking.given_functions import end_of
from lissom.spatial.rotations import Array

EXPECTED = "a function of time, a table (times, values), or (times, [Reach(...), ...])"
AT_REST = 3  # derivatives of the spline through a table that vanish at its ends


@dataclass(frozen=True, eq=False)
class GivenPath:
    """A path over time.

    Attributes
    ----------
    axes : tuple of str       coordinates of the frame that it gives, in the order of its values
    duration : float          [s]
    reference : (3, 3)        rotation from which rotation vectors count
    link : str or None        frame that poses to reach name, and their point
    """

    axes: tuple[str, ...]
    duration: float
    function: Callable[[Array], Array]
    reference: Array
    link: str | None = None
    point: Any = (0.0, 0.0, 0.0)

    def __call__(self, t: Array) -> Array:
        """(N, m) values at times (N,) that rise, those of its ends before and after."""
        return self.function(np.clip(t, 0.0, self.duration))


def as_path(path: Any, axes: Any, duration: float | None) -> GivenPath:
    """Return the path that an argument of `track_motion` means."""
    if callable(path):
        duration = end_of(path) if duration is None else duration
        if duration is None:
            raise InputError(f"{VERB}: duration is None; give the duration of the path [s], which is a function.")
        first = path(0.0)
        if isinstance(first, Reach):
            return _reaching(lambda t: [path(float(one)) for one in t], first, axes, duration)
        return _plain(path, first, axes, duration)
    if not isinstance(path, tuple | list) or len(path) != 2:
        raise InputError(f"{VERB}: path is {shown(path)}; expected {EXPECTED}.")
    times, values = path
    t = _times(times, duration)
    if isinstance(values, Sequence) and values and all(isinstance(one, Reach) for one in values):
        return _through_reaches(t, values, axes)
    return _table(t, values, axes)


# ---- functions -----------------------------------------------------------------------------------------


def _plain(path: Callable[[float], Any], first: Any, axes: Any, duration: float) -> GivenPath:
    """A function of time that gives numbers."""
    words = _axes_for(_row(first, None, 0.0), axes)

    def values(t: Array) -> Array:
        return np.array([_row(path(float(one)), len(words), float(one)) for one in t])

    return GivenPath(words, duration, values, np.eye(3))


def _row(value: Any, width: int | None, t: float) -> Array:
    """One value of a function, or an error that names the time."""
    expected = "finite numbers, one for each axis" if width is None else f"{width} finite numbers, one for each axis"
    try:
        row = np.atleast_1d(as_floats(value))
    except (TypeError, ValueError):
        raise InputError(f"{VERB}: at t = {t:.4g} s the path gives {shown(value)}; expected {expected}.") from None
    if row.ndim != 1 or (width is not None and len(row) != width) or not np.isfinite(row).all():
        raise InputError(f"{VERB}: at t = {t:.4g} s the path gives {shown(value)}; expected {expected}.")
    return row


def _axes_for(row: Array, axes: Any) -> tuple[str, ...]:
    """Return the axes, by default those that fit the number of values."""
    if axes is None and len(row) not in WIDTHS:
        raise InputError(f"{VERB}: the path has {len(row)} values and axes is None; name the axes, such as axes='xz'.")
    words = as_axes(WIDTHS[len(row)] if axes is None else axes)
    if len(words) != len(row):
        raise InputError(
            f"{VERB}: the path has {len(row)} values, but axes names {len(words)} ({', '.join(words)}); expected one "
            "value for each axis."
        )
    return words


# ---- tables --------------------------------------------------------------------------------------------


def _times(times: Any, duration: float | None) -> Array:
    """Times of a table, from zero on."""
    try:
        t = as_floats(times)
    except (TypeError, ValueError):
        raise InputError(f"{VERB}: path is a pair whose first part is {shown(times)}; expected {EXPECTED}.") from None
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise InputError(f"{VERB}: the times of the path are {shown(times)}; expected two or more that rise.")
    t = t - t[0]
    if duration is not None and abs(duration - t[-1]) > 1e-9 * t[-1]:
        raise InputError(
            f"{VERB}: duration is {duration:g} s, but the table of the path lasts {t[-1]:g} s; omit duration, or scale "
            "its times."
        )
    return np.asarray(t)


def _table(t: Array, values: Any, axes: Any) -> GivenPath:
    """A smooth curve through rows of a table, from rest to rest."""
    try:
        rows = as_floats(values)
    except (TypeError, ValueError):
        raise InputError(f"{VERB}: the values of the path are {shown(values)}; expected (times, axes).") from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or len(rows) != len(t):
        raise InputError(f"{VERB}: the values of the path have shape {rows.shape}; expected ({len(t)}, axes).")
    wrong = ~np.isfinite(rows).all(axis=1)
    if wrong.any():
        raise InputError(f"{VERB}: row {int(np.argmax(wrong))} of the path is not finite.")
    return GivenPath(_axes_for(rows[0], axes), float(t[-1]), _smooth(t, rows), np.eye(3))


def _smooth(t: Array, rows: Array) -> Callable[[Array], Array]:
    """The spline of degree 7 through rows that begins and ends at rest."""
    still = [(r, np.zeros(rows.shape[1])) for r in range(1, AT_REST + 1)]
    made = make_interp_spline(t, rows, 2 * AT_REST + 1, bc_type=(still, still))
    return lambda at: np.asarray(made(at))


# ---- poses to reach ------------------------------------------------------------------------------------


def _through_reaches(t: Array, places: Sequence[Reach], axes: Any) -> GivenPath:
    """A smooth curve through poses to reach, from rest to rest."""
    if len(places) != len(t):
        raise InputError(f"{VERB}: the path has {len(t)} times and {len(places)} poses; expected one for each.")
    whole = _reaching(lambda at: places, places[0], axes, float(t[-1]))
    curve = _smooth(t, whole.function(t))
    return GivenPath(whole.axes, whole.duration, curve, whole.reference, whole.link, whole.point)


def _reaching(at: Callable[[Array], Sequence[Any]], first: Reach, axes: Any, duration: float) -> GivenPath:
    """A function of times that gives poses to reach, as positions and rotation vectors from the first orientation."""
    if axes is not None:
        raise InputError(f"{VERB}: axes is given, but poses to reach name their own; omit axes.")
    if first.orientation is not None and len(first.orientation) == 2:
        raise InputError(
            f"{VERB}: a Reach of the path points an axis in a direction; expected a full orientation (3, 3), or none."
        )
    given = [k for k in range(3) if np.isfinite(first.position[k])]
    turned = first.orientation is not None
    words = tuple(AXES[k] for k in given) + (AXES[3:] if turned else ())
    reference = np.array(first.orientation) if turned else np.eye(3)

    def values(t: Array) -> Array:
        rows, before = [], np.zeros(3)
        for place in at(t):
            if not isinstance(place, Reach) or (place.link, place.structure) != (first.link, first.structure):
                raise InputError(f"{VERB}: the path gives {shown(place)}; expected a Reach of the same frame and rows.")
            before = _continued(place.orientation @ reference.T, before) if turned else before
            rows.append(np.concatenate([place.position[given], before] if turned else [place.position[given]]))
        return np.array(rows)

    return GivenPath(words, duration, values, reference, first.link, first.point)


def _continued(R: Array, before: Array) -> Array:
    """The rotation vector of R nearest to another: of turns by more than half the long way round counts too."""
    v = Rotation.from_matrix(R).as_rotvec()
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.asarray(v)
    others = [v, v * (1 - 2 * np.pi / angle), v * (1 + 2 * np.pi / angle)]
    return np.asarray(min(others, key=lambda one: float(np.linalg.norm(one - before))))
