"""What loggers do to data, found and repaired: bad rows, repeated rows, outliers, wrapped angles, uneven times.

Every repair becomes a sentence. What cannot be repaired without guessing is an error that says where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.identification.logs.dead import without_dead
from lissom.identification.logs.times import drop_repeated, even_out, join_rates, refuse_gaps, resample, sort_rows
from lissom.identification.logs.work import Repair, Table, counted
from lissom.spatial.rotations import Array

LARGEST = 1e6  # of any measured value; loggers that crash write 1e293
OUTLIER = 20.0  # times the usual largest step
SUDDEN = 5.0  # times the steps beside it
TURN = 2 * np.pi
MOST_ROWS = 0.1  # may be removed because one value or another is missing


def repaired(table: Table, joints: tuple[str, ...], source: str) -> Repair:
    """A table {"t": (nt,), "q": (nt, joints), ...} made clean and uniform in time, and what was done to it."""
    work = Repair(table, joints, source)
    join_rates(work)
    _drop_unknown(work)
    sort_rows(work)
    even_out(work)
    drop_repeated(work)
    refuse_gaps(work)
    _unwrap(work)
    for word in ("q", "qd", "second"):
        _interpolate_outliers(work, word)
    without_dead(work)
    resample(work)
    return work


def _drop_unknown(work: Repair) -> None:
    """Remove rows with values that are not finite or absurd, and with times far from all others."""
    t, good = work.table["t"], np.isfinite(work.table["t"])
    if not good.any():
        raise work.refusal(
            "no time is a number; time stamps in words, such as 2024-05-01T12:00:00, are not read. Expected seconds."
        )
    fine = {word: _fine(values, word) for word, values in work.table.items() if word != "t"}
    for word, some in fine.items():
        if not some.any(0).all():
            k = int(np.argmin(some.any(0)))
            raise work.refusal(f"{word} of joint {work.name(k)} has no number in any row; check its column.")
    low, middle, high = np.percentile(t[good], [25, 50, 75])
    with np.errstate(invalid="ignore", over="ignore"):
        good &= np.abs(t - middle) <= 10 * (high - low) + 1.0
    worst = max(int((~some & good[:, None]).sum(0).max()) for some in fine.values())
    worst += int((~good).sum())
    good &= np.all([some.all(1) for some in fine.values()], axis=0)
    place = _place(fine, work)
    if not good.any():
        raise work.refusal(f"no row has a number in every column{place}; check how the table was read.")
    work.keep(good, "values missing, not finite or absurd", bad=worst, place=place)
    if good.sum() < (1 - MOST_ROWS) * len(good):
        raise work.refusal(
            f"{int((~good).sum())} of {len(good)} rows miss some value, more than {100 * MOST_ROWS:g} %{place}. "
            "Expected rows that are complete."
        )


def _fine(values: Array, word: str) -> NDArray[np.bool_]:
    """Which values (nt, joints) can be used; all of a second encoder that is not there."""
    with np.errstate(invalid="ignore"):
        fine = np.isfinite(values) & (np.abs(values) < LARGEST)
    return np.asarray(fine | (~fine.any(0) if word == "second" else np.zeros(values.shape[1], bool)))


def _place(fine: dict[str, NDArray[np.bool_]], work: Repair) -> str:
    """The channel with the most bad values, and from when to when they are."""
    word = max(fine, key=lambda one: int((~fine[one]).sum(0).max()))
    bad = ~fine[word]
    k = int(np.argmax(bad.sum(0)))
    times = work.table["t"][bad[:, k]]
    times = times[np.isfinite(times)]
    if not times.size:
        return ""
    return f"; most in {word} of joint {work.name(k)}, from t = {times.min():.6g} to {times.max():.6g} s"


def _unwrap(work: Repair) -> None:
    """Make angles continuous that jump by a turn."""
    for word in ("q", "second"):
        values = work.table.get(word)
        if values is None:
            continue
        step = np.diff(values, axis=0)
        wrapped = np.abs(np.abs(step) - TURN) < 0.1 * TURN
        jumped = [int(k) for k in np.flatnonzero(wrapped.any(0))]
        if jumped:
            names = ", ".join(map(work.name, jumped))
            work.notes.append(
                f"{word} of {'joint' if len(jumped) == 1 else 'joints'} {names} unwrapped at whole turns."
            )
        for k in jumped:
            turns = np.concatenate([[0.0], np.cumsum(-np.sign(step[:, k]) * wrapped[:, k])])
            values[:, k] += TURN * turns


def _interpolate_outliers(work: Repair, word: str) -> None:
    """Replace single samples far from both neighbours; a position that jumps and stays is an error."""
    values, t = work.table.get(word), work.table["t"]
    for k in range(0 if values is None else values.shape[1]):
        x = values[:, k]  # type: ignore[index]
        step = np.diff(x)
        size = np.abs(step)
        moving = size[size > 0]
        if not moving.size or not np.isfinite(x).all():
            continue
        large = size > OUTLIER * np.quantile(moving, 0.95)
        bad = np.concatenate([[False], large[1:] & large[:-1] & (step[1:] * step[:-1] < 0), [False]])
        if word == "q":
            _refuse_jump(work, k, step, large & _sudden(size) & ~bad[1:] & ~bad[:-1])
        if bad.any():
            x[bad] = np.interp(t[bad], t[~bad], x[~bad])
            work.count(
                int(bad.sum()), f"{counted(bad.sum(), 'outlier')} in {word} of joint {work.name(k)} interpolated."
            )


def _sudden(size: Array) -> NDArray[np.bool_]:
    """Whether steps (nt - 1,) are much larger than those beside them: a joint that moves after a rest speeds up."""
    beside = np.pad(size, 1)
    return np.asarray(size > SUDDEN * np.maximum(beside[:-2], beside[2:]))


def _refuse_jump(work: Repair, k: int, step: Array, jumps: NDArray[np.bool_]) -> None:
    """Raise an error for a position that jumps and stays."""
    if not jumps.any():
        return
    t, at = work.table["t"], int(np.argmax(jumps))
    what = f"position of joint {work.name(k)} jumps by {step[at]:.4g} at t = {t[at + 1]:.4g} s and stays there. "
    if abs(abs(step[at]) - 360.0) < 36.0:
        raise work.refusal(
            f"{what}That is a turn in degrees, expected radians: give scale={{'q': numpy.pi / 180}} to load_log, or "
            "name the columns with their unit (q_deg_1)."
        )
    raise work.refusal(
        f"{what}Expected a continuous motion (encoder reset?); take the part before or after, "
        f"load_log(..., between=({t[0]:.6g}, {t[at]:.6g}))."
    )
