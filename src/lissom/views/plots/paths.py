"""Figures of motions whose frame follows a path: where it should be over time, and how far the plan is off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.motion.task.tracked_path import TrackedPath
from lissom.views.figures.curves import draw_curves, finish_axes, name_ends
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.plots.motion_curves import DenseCurves, title_lines
from lissom.views.plots.needs import check_needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 1e-13  # m or rad: what is below is rounding


def path(motion: Motion) -> Figure:
    """Plot the path over time, the torques of the motors with what they do before and after it, and the error."""
    check_needs("path", motion.arm, motion.compared is not None, motion.tracked is not None)
    followed = motion.tracked
    assert followed is not None
    figure = new_figure(8.5, 8.0)
    wanted, torques, off = figure.subplots(3, 1, sharex=True)
    curves = DenseCurves(motion)
    _wanted(wanted, followed, curves.t)
    driven = np.flatnonzero(motion.arm.actuated)
    draw_curves(torques, curves.t, {motion.arm.coordinates[k]: curves.tau[:, k] for k in driven})
    finish_axes(torques, "", "torque [N m or N]")
    name_ends(torques)
    _off(off, motion)
    for ax in (wanted, torques, off):
        for edge in (followed.shift, followed.shift + followed.duration):
            ax.axvline(edge, color=palette().muted, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2)
    set_title(figure, *title_lines(motion, curves), _dashed(followed, motion.duration))
    return figure


def _dashed(followed: TrackedPath, duration: float) -> str:
    """What dashed lines mean, where there are any."""
    inside = followed.shift > 0 or followed.shift + followed.duration < duration
    return "dashed: the path begins and ends; motors begin before and end after it" if inside else ""


def _wanted(ax: Any, followed: TrackedPath, t: Any) -> None:
    """Draw the path from its beginning, every axis."""
    values = followed.at(t)
    turned = [axis in ("rx", "ry", "rz") for axis in followed.axes]
    draw_curves(ax, t, {axis: values[:, k] - values[0, k] for k, axis in enumerate(followed.axes)})
    unit = "m" if not any(turned) else "rad" if all(turned) else "m, rad"
    finish_axes(ax, "", f"path from its beginning [{unit}]")
    name_ends(ax)


def _off(ax: Any, motion: Motion) -> None:
    """Draw by how much the plan is off, on a logarithmic scale."""
    followed = motion.tracked
    assert followed is not None
    errors = np.maximum(np.abs(motion.path_error()), LEAST)
    for k, axis in enumerate(followed.axes):
        ax.plot(motion.t, errors[:, k], color=curve_colour(k), label=axis, linewidth=0.9)
    ax.set_yscale("log")
    finish_axes(ax, "time [s]", "off the path as planned [m, rad]")
