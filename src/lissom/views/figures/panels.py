"""Figures made of panels with curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, themed
from lissom.views.figures.style import figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.6, 3.1  # of a panel, inches
LEGEND = 2.4  # width of a legend beside the axes, inches
MOST_INSIDE = 5  # entries of a legend that stands among the curves


class Curve(NamedTuple):
    """One curve; an empty label keeps it out of the legend. `style` is matplotlib's: "-", "--", "o"; so is `colour`."""

    label: str
    x: ArrayLike
    y: ArrayLike
    style: str = "-"
    colour: str | None = None


class Panel(NamedTuple):
    """Curves over common axes; `scales` of x and y: "linear" or "log"; `range`: of y, where curves leave it.

    A panel that cannot show all values says which there are, under its x axis. `beside`: the legend stands beside the
    axes even if it is short; `equal`: x and y have the same scale.
    """

    title: str
    xlabel: str
    ylabel: str
    curves: tuple[Curve, ...]
    scales: tuple[str, str] = ("linear", "linear")
    range: tuple[float, float] | None = None
    beside: bool = False
    equal: bool = False


def draw_panels(panels: Sequence[Panel], title: str = "", columns: int = 2) -> Figure:
    """Draw panels in rows of `columns`."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with figure_style():
        width = WIDTH + (LEGEND if any(_aside(panel) for panel in panels) else 0.0)
        figure = new_figure(width * columns, HEIGHT * rows + (0.4 if title else 0.0))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, panel in zip(axes, panels, strict=False):
            _draw_panel(ax, panel)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        if title:
            set_title(figure, title)
    return figure


def _draw_panel(ax: Any, panel: Panel) -> None:
    """Draw curves, names of axes and legend; a long legend stands beside the axes."""
    for k, curve in enumerate(panel.curves):
        colour = curve_colour(k) if curve.colour is None else themed(curve.colour)
        ax.plot(np.asarray(curve.x), np.asarray(curve.y), curve.style, color=colour, label=curve.label or "_nolegend_")
    ax.set(title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel, xscale=panel.scales[0], yscale=panel.scales[1])
    if panel.scales[0] == "log":
        _sparse_ticks(ax.xaxis)
    if panel.range is not None:
        ax.set_ylim(*panel.range)
    if panel.equal:
        ax.set_aspect("equal", adjustable="datalim")
    if clipped := _clipped(panel, ax.get_ylim()):
        ax.set_xlabel(f"{panel.xlabel}\n{clipped}")  # no curve crosses it there
    if _aside(panel):
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif _named(panel):
        ax.legend(frameon=True, framealpha=0.8)


def _named(panel: Panel) -> int:
    """Number of entries of the legend."""
    return sum(bool(curve.label) for curve in panel.curves)


def _aside(panel: Panel) -> bool:
    """Whether the legend stands beside the axes."""
    return _named(panel) > MOST_INSIDE or (_named(panel) > 0 and panel.beside)


def _clipped(panel: Panel, shown: tuple[float, float]) -> str:
    """A note of the values that lie outside the limits of y, and of those that are not finite; "" without any."""
    y = np.concatenate([np.asarray(curve.y, float).ravel() for curve in panel.curves])
    finite = y[np.isfinite(y)]
    notes = [f"values from {finite.min():.3g} to {finite.max():.3g}"] if _outside(finite, shown) else []
    notes += ["not finite everywhere"] if len(finite) < len(y) else []
    return "; ".join(notes)


def _outside(y: np.ndarray, shown: tuple[float, float]) -> bool:
    margin = 1e-9 * abs(shown[1] - shown[0])
    return len(y) > 0 and bool(y.min() < shown[0] - margin or y.max() > shown[1] + margin)


def _sparse_ticks(axis: Any) -> None:
    """Number a logarithmic axis at 1 and 3 of every decade: labels of minor ticks would overlap."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_minor_formatter(NullFormatter())
    axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
