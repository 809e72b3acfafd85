"""Figure of what a motion says about the parameters of its arm, beside random motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.motion.result.information import Information
from lissom.motion.result.motion import Motion
from lissom.views.figures.curves import draw_curves, finish_axes, name_ends
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.plots.motion_curves import DenseCurves, title_lines
from lissom.views.plots.needs import check_needs
from lissom.views.plots.runs import joint_groups, quantity_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 40  # parameters; more are left out, those that are known best relative to random motions


def information(motion: Motion) -> Figure:
    """Plot the positions, and the standard deviation of every base parameter beside that of random motions."""
    check_needs("information", motion.arm, motion.compared is not None, excites=motion.information is not None)
    found, curves, groups = motion.information, DenseCurves(motion), joint_groups(motion.arm)
    assert found is not None
    count = min(len(found.parameters), MOST)
    figure = new_figure(12.5, max(4.6, 1.4 + 0.19 * count))
    halves = figure.add_gridspec(1, 2, width_ratios=(1, 1.05))
    rows = halves[0].subgridspec(len(groups), 1)
    for k, (unit, some) in enumerate(groups.items()):
        ax = figure.add_subplot(rows[k])
        names = [motion.arm.coordinates[c] for c in some]
        draw_curves(ax, curves.t, dict(zip(names, curves.q[:, list(some)].T, strict=True)))
        finish_axes(ax, "time [s]" if k == len(groups) - 1 else "", quantity_label("q", unit))
        name_ends(ax)
    _deviations(figure.add_subplot(halves[1]), found, count)
    set_title(figure, *title_lines(motion, curves))
    return figure


def _deviations(ax: Axes, found: Information, count: int) -> None:
    """Draw a line from the standard deviation of random motions to that of this one for each parameter."""
    std, other = np.array(found.std), np.array(found.random_std)
    kept = np.sort(np.argsort(std / other, kind="stable")[::-1][:count])[::-1]
    rows = np.arange(len(kept))
    ax.hlines(rows, std[kept], other[kept], color=palette().resting, linewidth=1.0, zorder=1.5)
    ax.plot(other[kept], rows, "o", color=palette().muted, markersize=4,
            label=f"median of {found.random_motions} random motions")  # fmt: skip
    ax.plot(std[kept], rows, "o", color=curve_colour(0), markersize=5, label="this motion")
    ax.set_xscale("log")
    ax.set_yticks(rows, [found.short_names[k] for k in kept], fontsize="x-small", parse_math=False)
    ax.set_ylim(-0.8, len(kept) - 0.2)
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2)
    hidden = len(found.parameters) - count
    more = f"; {hidden} better known ones are not shown" if hidden else ""
    finish_axes(ax, f"standard deviation [kg, kg m, kg m²], {found.gain:.3g} times smaller on average{more}", "")
