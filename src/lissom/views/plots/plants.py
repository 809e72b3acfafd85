"""Figures of linear plants: poles and zeros in the plane, and zeros of points along a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control.state_space import StateSpace
from lissom.control.zeros import phase_verdict, sides, zeros_or_reason
from lissom.control.zeros_along import ZerosAlongLink
from lissom.spatial.rotations import Array
from lissom.views.figures.curves import span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.plots.frequency import frequency_response

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUPS = {-1: "left half plane", 0: "imaginary axis", 1: "right half plane"}
LINEAR = 0.02  # of the largest part: smaller ones are drawn on a linear scale
VERDICT = {
    "yes": "minimum phase",
    "marginal": "marginal: zeros on the boundary of stability",
    "no": "non-minimum phase",
}


def poles_and_zeros(plant: StateSpace) -> Figure:
    """Plot poles as crosses and, of a square plant, zeros as circles."""
    figure = new_figure(6.4, 5.4)
    ax = figure.subplots()
    zeros, reason = zeros_or_reason(plant)
    _draw_boundary(ax, plant, plant.poles if zeros is None else np.concatenate([plant.poles, zeros]))
    ax.scatter(plant.poles.real, plant.poles.imag, marker="x", s=50, color=curve_colour(0), label="poles", zorder=3)
    if zeros is not None:
        colour = curve_colour(1)
        ax.scatter(zeros.real, zeros.imag, s=50, facecolors="none", edgecolors=colour, label="zeros", zorder=3)
    ax.set_xlabel("real part [1/s]" if plant.dt is None else "real part")
    ax.set_ylabel("imaginary part [1/s]" if plant.dt is None else "imaginary part")
    ax.legend(loc="best")
    outputs = ", ".join(plant.outputs[:6]) + (", ..." if len(plant.outputs) > 6 else "")
    if zeros is None:
        set_title(figure, "Poles", reason)
    else:
        set_title(figure, "Poles and zeros", f"outputs {outputs}: {VERDICT[phase_verdict(zeros, plant.dt)]}")
    return figure


def zeros_along_link(found: ZerosAlongLink) -> Figure:
    """Plot real parts and frequencies of the zeros over the place of the point, shaded where non-minimum phase."""
    figure = new_figure(6.4, 5.8)
    real, swing = figure.subplots(2, 1, sharex=True)
    s = np.concatenate([np.full(len(z), at) for at, z in zip(found.s, found.zeros, strict=True)])
    zeros = np.concatenate(found.zeros)
    side = np.concatenate([sides(z, None) for z in found.zeros])
    for where, label in GROUPS.items():
        some, colour = side == where, curve_colour(where + 1)
        if not some.any():
            continue
        real.plot(s[some], zeros.real[some], ".", color=colour, label=label)
        up = some & (zeros.imag > 0)
        swing.plot(s[up], zeros.imag[up] / (2 * np.pi), ".", color=colour)
    _scale_both_ways(real.yaxis, zeros.real)
    real.set_ylabel("real part of zeros [1/s]")
    swing.set_ylabel("frequency of zeros [Hz]")
    swing.set_xlabel(f"distance from the root of {found.link} [m]")
    if (zeros.imag > 0).any():
        swing.set_yscale("log")
    for ax in (real, swing):
        _shade_where(ax, found)
        span(ax, found.s)
    real.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)  # zeros are all over the axes
    set_title(figure, f"Zeros of points along {found.link}", found.verdict)
    return figure


def _scale_both_ways(axis: Any, parts: Array) -> None:
    """A logarithmic scale to both sides, linear near zero; ticks at zero and at powers of ten that do not crowd it."""
    from matplotlib.ticker import NullLocator

    largest = float(np.abs(parts).max(initial=0.0))
    linear = max(LINEAR * largest, 1e-3)
    set_scale = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    set_scale("symlog", linthresh=linear, linscale=0.5)
    powers = 10.0 ** np.arange(np.floor(np.log10(linear)) + 1, np.floor(np.log10(max(largest, linear))) + 1)
    powers = powers[powers > 2 * linear]
    axis.set_ticks([*-powers[::-1], 0.0, *powers])
    axis.set_minor_locator(NullLocator())


def _draw_boundary(ax: Any, plant: StateSpace, found: Any) -> None:
    """The imaginary axis with scales that show small and large parts, or the unit circle."""
    colour = palette().muted
    if plant.dt is None:
        ax.axvline(0.0, color=colour, linewidth=1.0)
        _scale_both_ways(ax.xaxis, found.real)
        _scale_both_ways(ax.yaxis, found.imag)
        return
    angle = np.linspace(0, 2 * np.pi, 361)
    ax.plot(np.cos(angle), np.sin(angle), color=colour, linewidth=1.0)
    ax.set_aspect("equal", adjustable="datalim")


def _shade_where(ax: Any, found: ZerosAlongLink) -> None:
    """Shade the places at which the motion of the point is non-minimum phase."""
    bad = np.array([word == "no" for word in found.minimum_phase])
    edges = np.concatenate([found.s[:1], (found.s[1:] + found.s[:-1]) / 2, found.s[-1:]])
    for k in np.flatnonzero(bad):
        ax.axvspan(edges[k], edges[k + 1], color=palette().beyond, linewidth=0, zorder=0)


KINDS: dict[str, Callable[[Any], Figure]] = {"response": frequency_response, "poles": poles_and_zeros}
