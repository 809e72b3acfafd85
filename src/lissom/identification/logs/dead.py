"""Channels that are dead: a sensor that shows the same number while its joint moves."""

from __future__ import annotations

import numpy as np

from lissom.identification.logs.work import Repair
from lissom.spatial.rotations import Array

LEAST_TIME = 0.2  # s
LEAST_TRAVEL = 0.01  # of the joint's range in the log: less is rest
LONG = 0.5  # s: fits leave longer times out; shorter ones may be the resolution of the sensor
MOST = 0.5  # of the log may be left out
WHOLE = 0.9  # of the log: a channel that is constant for that long is not connected
SENSORS = ("qd", "tau", "current", "second")


def without_dead(work: Repair) -> None:
    """Cut rows at the ends where a sensor is dead; raise an error for sensors that are dead throughout."""
    first, last = 0, len(work.table["t"])
    for word in SENSORS:
        values = work.table.get(word)
        for k in range(0 if values is None else values.shape[1]):
            start, end = _alive(work, word, k)
            first, last = max(first, start), min(last, end)
    _report_left_out(work)
    _report_resting(work)
    rows = np.zeros(len(work.table["t"]), bool)
    rows[first:last] = True
    if rows.sum() < len(rows) // 10:
        raise work.refusal("sensors are dead in nine tenths of the rows; check the logger.")
    work.keep(rows, "at an end, where a sensor shows the same number while its joint moves")


def _alive(work: Repair, word: str, k: int) -> tuple[int, int]:
    """Rows between which a sensor is alive."""
    x, q, t = work.table[word][:, k], work.table["q"][:, k], work.table["t"]
    whole = (0, len(t))
    if not np.isfinite(x).all() or np.ptp(q) == 0.0:
        return whole
    runs = [run for run in _constant(x) if _dead(run, q, t)]
    if not runs:
        return whole
    if sum(end - start for start, end in runs) >= WHOLE * len(t):
        return _not_connected(work, word, k, whole)
    start = runs[0][1] if runs[0][0] == 0 else 0
    end = runs[-1][0] + 1 if runs[-1][1] == len(t) else len(t)
    inside = [(a, b) for a, b in runs if a >= start and b <= end and a > 0 and b < len(t)]
    if inside:
        a, b = inside[0]
        work.notes.append(
            f"{word} of joint {work.name(k)} stays at {x[a]:.4g} from t = {t[a]:.4g} to {t[b - 1]:.4g} s while the "
            f"joint moves{_more(inside)}: saturated, or a sensor that stops."
        )
        ends = [(float(t[a]), float(t[b - 1])) for a, b in inside if word != "second"]
        work.dead += [(a, b) for a, b in ends if b - a > LONG]
    return start, end


def _not_connected(work: Repair, word: str, k: int, whole: tuple[int, int]) -> tuple[int, int]:
    """A second encoder that shows nothing is absent, torques of passive joints are zero; others are needed."""
    if word == "second":
        work.table[word][:, k] = np.nan
        work.notes.append(f"joint {work.name(k)} has no second encoder: its column is constant.")
        return whole
    if word == "tau" and not work.table[word][:, k].any():
        work.notes.append(f"tau of joint {work.name(k)} is zero throughout.")
        return whole
    raise work.refusal(
        f"{word} of joint {work.name(k)} is constant ({work.table[word][0, k]:.4g}) while the joint moves. Expected "
        f"measurements; check the sensor{', or leave qd out' if word == 'qd' else ''}."
    )


def _constant(x: Array) -> list[tuple[int, int]]:
    """Sequences [start, end) of equal numbers, two at least."""
    same = np.concatenate([[0], (x[1:] == x[:-1]).astype(int), [0]])
    edges = np.flatnonzero(np.diff(same)).reshape(-1, 2)
    return [(int(a), int(b) + 1) for a, b in edges]


def _dead(run: tuple[int, int], q: Array, t: Array) -> bool:
    """Whether the joint moves so far in a sequence of equal numbers, and for so long, that a sensor must show it."""
    a, b = run
    return bool(t[b - 1] - t[a] > LEAST_TIME and np.ptp(q[a:b]) > LEAST_TRAVEL * np.ptp(q))


def _more(runs: list[tuple[int, int]]) -> str:
    return f", and {len(runs) - 1} times more" if len(runs) > 1 else ""


def _report_left_out(work: Repair) -> None:
    """Say how much is left out; sensors that stop for most of the time are coarse, or all that there is."""
    total, t = sum(b - a for a, b in work.dead), work.table["t"]
    if total > MOST * (t[-1] - t[0]):
        work.dead.clear()
    elif work.dead:
        work.notes.append(f"fits of torques leave out {total:.3g} s in which a sensor stays while its joint moves.")


def _report_resting(work: Repair) -> None:
    still = [work.name(k) for k in range(work.table["q"].shape[1]) if np.ptp(work.table["q"][:, k]) == 0.0]
    if still:
        word = "joint" if len(still) == 1 else "joints"
        work.notes.append(f"{word} {', '.join(still)} {'does' if len(still) == 1 else 'do'} not move in this log.")
