"""Figures of input shapers: the vibration that is left over frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.control.shapers import LEVEL, Shaper
from lissom.views.figures.curves import finish_axes, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 801
BEYOND = 1.6  # of the highest design frequency, up to which the curve is drawn


def insensitivity(shaper: Shaper) -> Figure:
    """Plot the part of the vibration that is left over the frequency of a mode, beside the impulses."""
    designed = shaper.designed_for or ((1 / max(2 * shaper.duration, 1e-9), 0.0),)
    f = np.linspace(0.0, BEYOND * max(frequency for frequency, _ in designed), POINTS)[1:]
    figure = new_figure(8.4, 3.8)
    curve, impulses = figure.subplots(1, 2, width_ratios=[2.4, 1.0])
    for k, damping in enumerate(sorted({damping for _, damping in designed})):
        left = 100 * np.asarray(shaper.residual(f, damping))
        curve.plot(f, left, color=curve_colour(k), label=f"damping ratio {100 * damping:.3g} %")
    curve.axhline(100 * LEVEL, color=palette().muted, linewidth=1.0, linestyle="--", label=f"{100 * LEVEL:g} %")
    for frequency, _ in shaper.designed_for:
        curve.axvline(frequency, color=palette().muted, linewidth=1.0)
    curve.set_ylim(0, None)
    curve.legend(loc="best")
    span(curve, f)
    finish_axes(curve, "frequency of the mode [Hz]", "vibration left [%]")
    impulses.vlines(shaper.times, 0, shaper.sizes, color=curve_colour(0), linewidth=2.0)
    impulses.plot(shaper.times, shaper.sizes, "o", color=curve_colour(0))
    impulses.axhline(0.0, color=palette().muted, linewidth=1.0)
    finish_axes(impulses, "time [s]", "size of the impulse")
    set_title(figure, f"Input shaper of {len(shaper.times)} impulses, {shaper.duration:.4g} s", _width(shaper))
    return figure


def _width(shaper: Shaper) -> str:
    """Width of the band about the design frequency, of shapers for one mode."""
    if len(shaper.designed_for) != 1:
        return ""
    return f"at most {100 * LEVEL:g} % is left over a band of {100 * shaper.insensitivity():.3g} % of the frequency"
