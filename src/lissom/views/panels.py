"""Figures made of panels with curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.views.figures import new_figure
from lissom.views.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.6, 3.1  # of a panel, inches
MOST_IN_COLUMN = 5  # curves in one column of a legend


class Curve(NamedTuple):
    """One curve; an empty label keeps it out of the legend. `style` is matplotlib's: "-", "--", "o"; so is `colour`."""

    label: str
    x: ArrayLike
    y: ArrayLike
    style: str = "-"
    colour: str | None = None


class Panel(NamedTuple):
    """Curves over common axes; `scales` of x and y: "linear" or "log"; `range`: of y, where curves leave it."""

    title: str
    xlabel: str
    ylabel: str
    curves: tuple[Curve, ...]
    scales: tuple[str, str] = ("linear", "linear")
    range: tuple[float, float] | None = None


def draw_panels(panels: Sequence[Panel], title: str = "", columns: int = 2) -> Figure:
    """Draw panels in rows of `columns`."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(WIDTH * columns, HEIGHT * rows + (0.4 if title else 0.0))
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        for k, curve in enumerate(panel.curves):
            label, colour = curve.label or "_nolegend_", curve.colour or COLOURS[k % len(COLOURS)]
            ax.plot(np.asarray(curve.x), np.asarray(curve.y), curve.style, color=colour, label=label, linewidth=1.3,
                    markersize=4)  # fmt: skip
        ax.set(
            title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel, xscale=panel.scales[0], yscale=panel.scales[1]
        )
        if panel.scales[0] == "log":
            ax.xaxis.set_minor_formatter(NullFormatter())  # their labels would overlap
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        ax.title.set_fontsize(10)
        if panel.range is not None:
            ax.set_ylim(*panel.range)
        named = sum(bool(curve.label) for curve in panel.curves)
        if named:
            ax.legend(fontsize=8, ncols=1 if named <= MOST_IN_COLUMN else 2)
        ax.grid(visible=True, alpha=0.25)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure
