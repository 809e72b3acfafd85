"""Curves over time: with names at their ends, bands of many runs, and the regions beyond limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lissom.spatial.rotations import Array
from lissom.views.figures.palette import curve_colour, palette

BANDS = ((5, 95, 0.12), (25, 75, 0.25))
MOST_LINES = 7  # named curves in one panel; others are grey
LINE = 0.145  # inches between the names of curves
LEADER = 0.12  # inches from the end of a curve to its name
CLEAR = 0.03  # inches between a leader and its name
ROOM = 0.1  # of the range between limits, that is shown beyond them


def draw_curve(ax: Any, t: Array, y: Array, colour: str, label: str | None = None, width: float = 1.5) -> None:
    """Draw a line, or median and bands of many lines."""
    if y.ndim == 1:
        ax.plot(t, y, color=colour, label=label, linewidth=width)
        return
    for low, high, alpha in BANDS:
        ax.fill_between(t, *np.nanpercentile(y, [low, high], axis=0), color=colour, alpha=alpha, linewidth=0)
    ax.plot(t, np.nanmedian(y, axis=0), color=colour, label=label, linewidth=width)


def notable(score: Array, most: int = MOST_LINES) -> list[int]:
    """Return the indices of the `most` largest scores, in their own order; NaN is the smallest."""
    first = np.argsort(-np.nan_to_num(np.asarray(score, float), nan=-np.inf), kind="stable")[:most]
    return sorted(int(k) for k in first)


def draw_curves(ax: Any, t: Array, curves: Mapping[str, Array], chosen: Sequence[int] | None = None) -> None:
    """Draw curves by name, and name them at their ends.

    chosen : which of them have a colour and a name; None: those with the largest range. The others are grey
    """
    names = list(curves)
    if chosen is None:
        chosen = notable(np.array([_range(curves[name]) for name in names]))
    for name in (name for k, name in enumerate(names) if k not in chosen):
        y = curves[name] if curves[name].ndim == 1 else np.nanmedian(curves[name], axis=0)
        ax.plot(t, y, color=palette().resting, linewidth=0.6, zorder=1.5)
    for k, c in enumerate(chosen):
        draw_curve(ax, t, curves[names[c]], curve_colour(k), names[c])
    span(ax, t)
    if not any(np.nanmax(np.abs(y), initial=0.0) > 0 for y in curves.values()):
        ax.set_ylim(-1.0, 1.0)


def span(ax: Any, t: Array) -> None:
    """Let the horizontal axis end where the curves end."""
    if t[-1] > t[0]:
        ax.set_xlim(t[0], t[-1])


def _range(y: Array) -> float:
    known = y[np.isfinite(y)]
    return float(np.ptp(known)) if known.size else 0.0


def others(count: int, chosen: Sequence[int]) -> str:
    """Return what is to be said about curves without a name; empty where all have one."""
    left = count - len(chosen)
    return f"grey: {left} others" if left > 0 else ""


def name_ends(ax: Any) -> None:
    """Write the label of every line beside its right end, in its colour, clear of the others."""
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    ends = [end for end in map(_end, lines) if end is not None]
    if not ends:
        return
    to_axes = ax.transData + ax.transAxes.inverted()
    box = ax.get_position()
    width, height = box.width * ax.figure.get_figwidth(), box.height * ax.figure.get_figheight()
    heights = to_axes.transform(ends)[:, 1]
    for line, end, y in zip(lines, ends, spread(heights, LINE / height), strict=False):
        ax.annotate(
            line.get_label(),
            end,
            (1 + LEADER / width, y),
            textcoords="axes fraction",
            va="center",
            color=line.get_color(),
            fontsize="small",
            annotation_clip=False,
            parse_math=False,
            arrowprops={"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.6, "relpos": (0.0, 0.5),
                        "patchA": None, "shrinkA": 72 * CLEAR, "shrinkB": 0},
        )  # fmt: skip


def _end(line: Any) -> tuple[float, float] | None:
    """The last point of a line that is a number."""
    x, y = (np.asarray(part, float) for part in line.get_data())
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    return (float(x[known[-1]]), float(y[known[-1]])) if known.size else None


def spread(places: Array, gap: float, low: float = 0.0, high: float = 1.0) -> Array:
    """Return places moved as little as possible (least squares), so that all are `gap` apart, within bounds if room.

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.array([0.5, 0.5, 0.9]), 0.1).round(3).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    if steps[-1] > high - low:  # they do not fit: evenly around the middle
        found = (low + high - steps[-1]) / 2 + 0 * steps
    else:
        found = np.clip(_rising(np.asarray(places)[order] - steps), low, high - steps[-1])
    out = np.empty(len(places))
    out[order] = found + steps
    return out


def _rising(values: Array) -> Array:
    """The nearest numbers that do not fall (least squares): neighbours that do are replaced by their mean."""
    blocks: list[list[float]] = []
    for value in values:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [[(m * a + n * b) / (m + n), m + n]]
    return np.repeat([mean for mean, _ in blocks], [int(count) for _, count in blocks])


def shade_beyond(ax: Any, low: float, high: float, *, words: bool = True) -> None:
    """Shade what is beyond limits, and keep both limits in view; infinite limits are none. `words` say what it is."""
    finite = [x for x in (low, high) if np.isfinite(x)]
    if not finite:
        return
    bottom, top = ax.get_ylim()
    room = ROOM * (max([top, *finite]) - min([bottom, *finite]))
    bottom, top = min([bottom, *[x - room for x in finite]]), max([top, *[x + room for x in finite]])
    own = palette()
    for limit, edge in ((low, bottom), (high, top)):
        if np.isfinite(limit):
            ax.axhspan(limit, edge, color=own.beyond, linewidth=0, zorder=0.4)
            ax.axhline(limit, color=own.muted, linewidth=0.7, zorder=0.5)
    ax.set_ylim(bottom, top)
    if not words:
        return
    ax.annotate("beyond the limit", (0.0, finite[-1]), (4, 1.5 if finite[-1] == high else -1.5),
                xycoords=("axes fraction", "data"), textcoords="offset points", fontsize="x-small", color=own.muted,
                va="bottom" if finite[-1] == high else "top")  # fmt: skip


def finish_axes(ax: Any, xlabel: str, ylabel: str) -> None:
    """Write the names of both axes."""
    ax.set(xlabel=xlabel, ylabel=ylabel)
