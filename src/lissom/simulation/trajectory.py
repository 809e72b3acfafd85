"""Motions sampled in tables: reading, and derivation of missing rates and accelerations."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from lissom.errors import InputError, ModelError, listed, suggest
from lissom.formats.columns.headers import chosen, meanings, time_factor, time_unit, unit_factor
from lissom.formats.files import LARGEST_TABLE, read_bytes
from lissom.formats.kinds import read_instead
from lissom.formats.tables import read_table
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

WORDS = ("q", "qd", "qdd")
NEAR = 5  # samples that share the largest error among them: at a single one it may be small by chance


class Trajectory(NamedTuple):
    """A sampled motion: t (nt,); q, qd, qdd (nt, dof); `derived`: those that come from splines through q.

    stilled : (dof,)    of derived rates, the largest that lay below its own error and was set to zero
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    derived: tuple[str, ...]
    stilled: Array | None = None


def read_trajectory(path: Path, arm: Arm) -> Trajectory:
    """Read a motion from a CSV file or a saved run.

    Columns: ``t``, then ``q[joint]`` (or just the joint's name) for every joint, and, where they are known,
    ``qd[joint]`` and ``qdd[joint]``; other names and units are understood as in logs (`formats.columns`): ``time``,
    ``q1``, ``q_deg[joint]``. Lines that begin with # are passed over. Rates and accelerations that are
    missing are derivatives of cubic (rates: given) splines through the samples. Derived rates that are below their
    own error are zero: their signs, and with them the directions of friction, would be those of the error.
    """
    if path.suffix.lower() in (".nc", ".parquet"):
        from lissom.simulation.files import load_run

        run = load_run(path)
        if run.count is not None or run.arm.coordinates != arm.coordinates:
            raise ModelError(f"it is not a single run of an arm with the joints of {arm.name!r}.", file=str(path))
        return Trajectory(run.t, run.q, run.qd, run.qdd, ())
    t, columns = _columns(path)
    found = {word: _of(columns, arm, word, path) for word in WORDS}
    q, qd, qdd = (found[word] for word in WORDS)
    if q is None:
        raise ModelError(f"there are no positions; {_instead(arm, 'q', columns)}", file=str(path))
    derived = tuple(word for word in WORDS if found[word] is None)
    if derived and len(t) < 4:
        raise ModelError(
            f"{len(t)} samples are too few to find {' and '.join(derived)}; expected at least 4.", file=str(path)
        )
    with np.errstate(all="ignore"):
        rate = _slope(t, q) if qd is None else qd
        qdd = _slope(t, rate) if qdd is None else qdd
    if not (np.isfinite(rate).all() and np.isfinite(qdd).all()):
        raise ModelError("its rates or accelerations are not finite; check times and positions.", file=str(path))
    if qd is not None:
        return Trajectory(t, q, qd, qdd, derived)
    unsure = np.abs(rate) <= slope_error(t, q)
    stilled = np.abs(np.where(unsure, rate, 0.0)).max(axis=0)
    return Trajectory(t, q, np.where(unsure, 0.0, rate), qdd, derived, stilled)


def read_columns(path: Path, arm: Arm, word: str) -> tuple[Array, Array]:
    """Read times and one quantity (nt, dof), columns ``word[joint]``, from a CSV file."""
    t, columns = _columns(path)
    found = _of(columns, arm, word, path)
    if found is None:
        raise ModelError(f"there is no {word}; {_instead(arm, word, columns)}", file=str(path))
    return t, found


def _columns(path: Path) -> tuple[Array, dict[str, Array]]:
    text = read_bytes(path, LARGEST_TABLE).decode("utf-8-sig", errors="replace")
    try:
        columns = read_table(text)
    except ValueError as error:
        instead = "" if path.suffix.lower() == ".csv" else read_instead(path)  # of a table the error says more
        reason = f".{instead}" if instead else f": {str(error).rstrip('.')}."
        raise ModelError(f"it is not a table of numbers{reason}", file=str(path)) from None
    for name, column in columns.items():
        if not np.isfinite(column).all():
            row = int(np.argmin(np.isfinite(column)))
            raise ModelError(f"column {name!r} has no number in row {row + 1} of the data.", file=str(path))
    clock = next((name for name in ("t", *columns) if name in columns and time_factor(name) is not None), None)
    if clock is None:
        raise ModelError(f"there is no column t; it has {listed(columns, 12) or 'none'}.", file=str(path))
    t = columns.pop(clock) * time_unit(clock)
    if len(t) < 1 or (np.diff(t) <= 0).any():
        k = int(np.argmax(np.diff(t) <= 0)) + 1 if len(t) > 1 else 0
        value = f" (t = {t[k]:g})" if len(t) else ""
        raise ModelError(f"times must increase; they do not at row {k + 1} of the data{value}.", file=str(path))
    return t, columns


def _of(columns: dict[str, Array], arm: Arm, word: str, path: Path) -> Array | None:
    """(nt, dof) of one quantity, None when no column names it; elastic coordinates that are missing are zero."""
    columns = {**_understood(columns, arm, word, path), **columns}
    out, missing, seen = [], [], 0
    length = len(next(iter(columns.values()))) if columns else 0
    for k, name in enumerate(arm.coordinates):
        column = columns.get(f"{word}[{name}]", columns.get(name) if word == "q" else None)
        seen += column is not None
        if column is None and k in arm.joint_index:
            missing.append(name)
        out.append(np.zeros(length) if column is None else column)
    if not seen:
        return None
    if missing:
        raise ModelError(
            f"{word} of joint {missing[0]!r} is missing; {suggest(missing[0], columns)} If the joint does not "
            f"move, fix it: arm.lock({{{missing[0]!r}: position}}).",
            file=str(path),
        )
    return np.stack(out, axis=-1)


def _understood(columns: dict[str, Array], arm: Arm, word: str, path: Path) -> dict[str, Array]:
    """Return columns of one quantity that have other names or units, under the names of this format and in SI."""
    joints = [joint.name for joint in arm.joints]
    exact = {f"{one}[{name}]" for one in (*WORDS, "tau") for name in arm.coordinates} | {*arm.coordinates}
    found = {name: at for name, at in meanings(list(columns), joints).items() if name not in exact and at.word == word}
    try:
        picked = chosen(found)
    except InputError as error:
        raise ModelError(str(error), file=str(path)) from None
    return {f"{word}[{joints[k]}]": columns[name] * unit_factor(name, joints, word) for (_, k), name in picked.items()}


def _instead(arm: Arm, word: str, columns: dict[str, Array]) -> str:
    """Return which columns are expected, and which ones a table has."""
    return f"expected columns {_wanted(arm, word)}; it has {listed(columns, 12) or 'none'} beside the times."


def _wanted(arm: Arm, word: str) -> str:
    return ", ".join(f"{word}[{joint.name}]" for joint in arm.joints[:3]) + (", ..." if len(arm.joints) > 3 else "")


def _slope(t: Array, x: Array, at: Array | None = None) -> Array:
    """Return the derivatives of cubic splines through samples x (nt, ...), at these times or others."""
    from scipy.interpolate import CubicSpline

    at = t if at is None else at
    try:
        return CubicSpline(t, x)(at, 1)
    except ValueError:  # numbers so large, or times so close, that there is none
        return np.full((len(at), *x.shape[1:]), np.nan)


def slope_error(t: Array, x: Array) -> Array:
    """Return the error (nt, n) that derivatives of splines through samples x (nt, n) may have.

    It is the difference from splines through every second sample, once counted from the start and once from the end,
    the largest among `NEAR` neighbours. Errors of cubic splines fall with at least the third power of the step, so
    that this is a multiple of the error of all samples; errors of rounded positions are in both, independently.

    Examples
    --------
    >>> t = np.linspace(0, 1, 41)
    >>> error = slope_error(t, (t**3 * (10 - 15 * t + 6 * t**2))[:, None])  # at rest at both ends
    >>> bool(abs(_slope(t, t**3 * (10 - 15 * t + 6 * t**2))[0]) < error[0, 0] < 0.01)
    True
    """
    from scipy.ndimage import maximum_filter1d

    slope, last = _slope(t, x), len(t) - 1
    found = np.zeros_like(x)
    for first in (0, last % 2):
        kept = np.unique([0, *range(first, last + 1, 2), last])
        with np.errstate(all="ignore"):
            coarse = _slope(t[kept], x[kept], t)
        found = np.maximum(found, np.nan_to_num(np.abs(slope - coarse)))
    return np.asarray(maximum_filter1d(found, NEAR, axis=0))
