"""The body over a stride, from the side, with the forces on its feet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.gait.report import GaitReport
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import palette
from lissom.views.scene.side_view import SideView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSES = 11
APART = 0.5  # of the body's height, between poses


def stride(result: Any) -> Figure:
    """Plot poses over a stride at equal intervals, moved apart, with the forces on the feet."""
    if not isinstance(result, GaitReport):
        raise InputError("plot: curves of a reference have no poses; kind 'stride' is for a GaitReport.")
    samples = result.samples
    share = np.linspace(0.0, 1.0, POSES)
    view = SideView(samples, *samples.at(samples.t[0] + share * samples.duration))
    apart = APART * view.height
    figure = new_figure(9.6, 3.0)
    ax = figure.subplots()
    for k in range(POSES):
        shift = np.array([k * apart - view.middle[k] @ view.axes.forward, -view.ground])
        view.put(k, *view.collections(ax), shift)
        ax.text(k * apart, -0.05 * view.height, f"{100 * share[k]:.0f} %", ha="center", va="top", fontsize="small",
                color=palette().muted)  # fmt: skip
    ax.axhline(0.0, color=palette().muted, linewidth=0.8, zorder=0.5)
    ax.set(xlim=(-apart, POSES * apart), ylim=(-0.15 * view.height, 1.03 * view.height))
    ax.set_aspect("equal")
    ax.set_axis_off()
    set_title(figure, f"{result.name}: one stride, {100 / (POSES - 1):.0f} % of the cycle between poses",
              "forces of the ground on each contact: right foot blue, left foot orange")  # fmt: skip
    return figure
