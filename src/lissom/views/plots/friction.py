"""Figures of friction: torque over the rate, law by law."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.friction import Friction
from lissom.spatial.rotations import Array
from lissom.views.figures.curves import finish_axes
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 400  # in each direction
NARROW = 8.0  # times the rate of a law, up to which it is drawn
COLUMNS = 4
RATE, TORQUE = "rate [rad/s or m/s]", "friction [N m or N]"


def laws(friction: Friction) -> Figure:
    """Plot friction over the rate: the sum, then each of its laws."""
    parts = friction.laws
    columns = min(1 + len(parts), COLUMNS)
    rows = math.ceil((1 + len(parts)) / columns)
    figure = new_figure(max(2.5 * columns, 4.2), 2.3 * rows + 0.5)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True)
    load, reach = _doubling(friction), _reach(friction)
    panels = [("sum", friction.torque), *((law.title, law.torque) for law in parts)]
    for k, (title, torque) in enumerate(panels):
        ax = grid.flat[k]
        for loaded in (False, True) if friction.load and title in ("sum", "load-dependent") else (False,):
            _draw(ax, torque, load * loaded, reach, curve_colour(int(loaded)))
        ax.set_title(title, loc="left")
        ax.axhline(0.0, color=palette().muted, linewidth=0.8)
        below = k + columns >= len(panels)
        finish_axes(ax, RATE if below else "", TORQUE if k % columns == 0 else "")
        ax.tick_params(labelbottom=below)
    for ax in grid.flat[len(panels) :]:
        ax.set_visible(False)
    under = f"second colour: the gear transmits {load:.3g} N m or N" if friction.load else ""
    set_title(figure, "Friction of a joint", under)
    return figure


def _draw(ax: Any, torque: Any, load: float, reach: float, colour: str) -> None:
    """Both directions, with a gap where the joint rests, and what it has there in the limit."""
    speed = reach * np.linspace(0.0, 1.0, POINTS) ** 2
    for way in (-1.0, 1.0):
        values: Array = np.asarray(torque(way * speed, load, np.full(POINTS, way)), float)
        ax.plot(way * speed, values, color=colour)
        ax.plot([0.0], values[:1], "o", color=colour, markersize=3.0)


def _reach(friction: Friction) -> float:
    """The rate up to which friction is drawn."""
    rates = [NARROW * friction.stribeck_rate] if friction.stribeck_rate else []
    rates += [1.3 * friction.degressive_rate] if friction.degressive_rate else []
    rates += [friction.coulomb / friction.viscous] if friction.viscous and not rates else []
    return max(rates, default=0.0) or 1.0


def _doubling(friction: Friction) -> float:
    """The load under which friction at rest is doubled."""
    return (friction.coulomb + friction.stribeck or 1.0) / friction.load if friction.load else 0.0
