"""What loggers do to data, found and repaired: bad rows, repeated rows, outliers, wrapped angles, uneven times.

Every repair becomes a sentence. What cannot be repaired without guessing is an error that says where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.identification.logs.dead import without_dead
from lissom.identification.logs.work import MOST_BAD, Repair, Table, counted
from lissom.spatial.rotations import Array

LARGEST = 1e6  # of any measured value; loggers that crash write 1e293
LONGEST_GAP = 5  # samples that may be interpolated
LONGEST_HOLD = 4  # equal rows in sequence that are one measurement logged again
OUTLIER = 20.0  # times the usual largest step
UNEVEN = 1e-3  # of a sampling period
TURN = 2 * np.pi


def repaired(table: Table, joints: tuple[str, ...], source: str) -> Repair:
    """A table {"t": (nt,), "q": (nt, joints), ...} made clean and uniform in time, and what was done to it."""
    work = Repair(table, joints, source)
    _drop_unknown(work)
    _drop_repeated(work)
    _unwrap(work)
    for word in ("q", "qd", "second"):
        _interpolate_outliers(work, word)
    _refuse_gaps(work)
    without_dead(work)
    _resample(work)
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
        good &= some.all(1)
    if not good.any():
        raise work.refusal(f"no row has a number in every column{_place(fine, work)}; check how the table was read.")
    low, middle, high = np.percentile(t[good], [25, 50, 75])
    with np.errstate(invalid="ignore", over="ignore"):
        good &= np.abs(t - middle) <= 10 * (high - low) + 1.0
    work.keep(good, "values missing, not finite or absurd", place=_place(fine, work))


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


def _drop_repeated(work: Repair) -> None:
    """Remove rows whose time does not increase, and rows that hold the measurement before."""
    t = work.table["t"]
    newest = np.maximum.accumulate(t)
    fresh = np.concatenate([[True], t[1:] > newest[:-1]])
    back = np.concatenate([[False], t[1:] < newest[:-1]])
    if back.sum() > max(MOST_BAD * len(t), 2):
        k = int(np.argmax(back))
        raise work.refusal(
            f"{int(back.sum())} rows have earlier times than a row before, first row {k + 1} (from {t[k - 1]:.6g} to "
            f"{t[k]:.6g} s). Expected one run with increasing times; split the file."
        )
    work.keep(fresh, "times that do not increase", counts=bool(back.any()))
    same = np.concatenate([[False], _equal_rows(work.table)])
    work.keep(np.logical_not(_short_holds(same)), "the measurement before, logged again", counts=False)


def _equal_rows(table: Table) -> Array:
    """Whether each row but the first has the values of the one before, in all channels."""
    parts = [values for word, values in table.items() if word != "t"]
    values = np.nan_to_num(np.concatenate(parts, axis=1))
    return (values[1:] == values[:-1]).all(1)


def _short_holds(same: Array) -> Array:
    """Which of the rows that equal the one before are in short sequences: longer ones are an arm at rest."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    out = np.zeros(len(same), bool)
    for start, end in edges.reshape(-1, 2):
        out[start:end] = end - start < LONGEST_HOLD
    return out


def _unwrap(work: Repair) -> None:
    """Make angles continuous that jump by a turn."""
    for word in ("q", "second"):
        values = work.table.get(word)
        if values is None:
            continue
        step = np.diff(values, axis=0)
        wrapped = np.abs(np.abs(step) - TURN) < 0.1 * TURN
        for k in np.flatnonzero(wrapped.any(0)):
            work.notes.append(f"{word} of joint {work.name(int(k))} unwrapped: it jumped by a turn.")
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
        alone = large & ~bad[1:] & ~bad[:-1]
        if word == "q" and alone.any():
            at = int(np.argmax(alone))
            raise work.refusal(
                f"position of joint {work.name(k)} jumps by {step[at]:.4g} at t = {t[at + 1]:.4g} s and stays there. "
                "Expected a continuous motion; keep the part before or after (encoder reset?)."
            )
        if bad.any():
            x[bad] = np.interp(t[bad], t[~bad], x[~bad])
            work.count(
                int(bad.sum()), f"{counted(bad.sum(), 'outlier')} in {word} of joint {work.name(k)} interpolated."
            )


def _refuse_gaps(work: Repair) -> None:
    """Raise an error where more samples are missing than may be interpolated."""
    t = work.table["t"]
    step = np.diff(t)
    usual = float(np.median(step))
    missing = np.rint(step / usual).astype(int) - 1
    if missing.max() > LONGEST_GAP:
        k = int(np.argmax(missing))
        raise work.refusal(
            f"{missing[k]} samples are missing from t = {t[k]:.6g} to {t[k + 1]:.6g} s; at most {LONGEST_GAP} are "
            "interpolated. Give the parts before and after as two logs."
        )
    if missing.any():
        work.notes.append(
            f"{counted(missing.sum(), 'missing sample')} interpolated, in {counted((missing > 0).sum(), 'place')}."
        )


def _resample(work: Repair) -> None:
    """Interpolate to a uniform grid of times, unless they are uniform already."""
    from scipy.interpolate import make_interp_spline

    t = work.table["t"]
    step = np.diff(t)
    usual = float(np.median(step))
    if np.abs(step - usual).max() <= UNEVEN * usual:
        return
    grid = t[0] + usual * np.arange(int((t[-1] - t[0]) / usual + 1e-9) + 1)
    work.notes.append(
        f"times are uneven ({1e3 * step.min():.4g} to {1e3 * step.max():.4g} ms): resampled at {1 / usual:.4g} Hz."
    )
    for word, values in work.table.items():
        if word in ("q", "qd"):
            work.table[word] = make_interp_spline(t, values, k=3)(grid)
        elif word != "t":  # torques jump; splines would overshoot
            work.table[word] = np.column_stack([np.interp(grid, t, column) for column in values.T])
    work.table["t"] = grid
