"""Figures of walks: curves over the cycle beside references, and the body over a stride with the forces on its feet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.gait.curves import GRID, KINDS as CURVES, GaitCurves
from lissom.gait.report import GaitReport
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.scene.side_view import SideView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 3
ROW = 1.9  # inches
ROWS = (
    ("hip", "knee", "ankle"),
    ("vertical", "fore_aft", "medial"),
    ("hip_moment", "knee_moment", "ankle_moment"),
    ("hip_power", "knee_power", "ankle_power"),
)
POSES = 11  # of a stride
APART = 0.5  # of the body's height, between poses
DIFFERENT = 0.02  # of a curve's range: legs that differ less are drawn as one


def curves(result: GaitReport | GaitCurves) -> Figure:
    """Plot angles, forces, moments and powers over the cycle, beside those of the references."""
    own, others = (result, ()) if isinstance(result, GaitCurves) else (result.right, result.references)
    known = {name for one in (own, *others) for name in one.curves}
    rows = [row for row in ROWS if known & set(row)]
    figure = new_figure(9.6, 0.9 + ROW * len(rows))
    axes = figure.subplots(len(rows), COLUMNS, squeeze=False, sharex=True)
    for line, row in zip(axes, rows, strict=True):
        for ax, name in zip(line, row, strict=True):
            if name not in known:
                ax.set_visible(False)
                continue
            for k, reference in enumerate(others):
                _reference(ax, reference, name, k)
            _walk(ax, result, name)
            ax.set_title(CURVES[name].title)
            ax.set(xlim=(0.0, 100.0), ylabel=f"[{CURVES[name].unit}]")
    for ax in axes[-1]:
        ax.set_xlabel("part of the cycle [%]")
    _legend(figure, axes)
    set_title(figure, f"{own.name}: the cycle from heel strike to heel strike", _pace(result))
    return figure


def _walk(ax: Any, result: GaitReport | GaitCurves, name: str) -> None:
    """The walk itself: the right leg, and the left where it differs; its stance up to the vertical line."""
    own = result if isinstance(result, GaitCurves) else result.right
    if name not in own.curves:
        return
    y = own[name]
    ax.axvline(own.stance, color=palette().muted, linewidth=0.8, linestyle=":", zorder=1)
    if isinstance(result, GaitReport) and name in result.left.curves:
        other = result.left[name]
        if np.abs(other - y).max() > DIFFERENT * max(float(np.ptp(y)), 1e-9):
            ax.plot(GRID, other, color=curve_colour(0), linewidth=1.2, linestyle="--", label=f"{own.name}, left leg")
    if name in own.spread:
        ax.fill_between(GRID, y - own.spread[name], y + own.spread[name], color=curve_colour(0), alpha=0.2, linewidth=0)
    ax.plot(GRID, y, color=curve_colour(0), linewidth=1.8, label=own.name)


def _reference(ax: Any, one: GaitCurves, name: str, k: int) -> None:
    """A reference: the first in grey, with the spread of its cycles; the next in colours."""
    if name not in one.curves:
        return
    y, colour = one[name], palette().muted if k == 0 else curve_colour(k)
    if name in one.spread:
        low, high = y - one.spread[name], y + one.spread[name]
        ax.fill_between(GRID, low, high, color=colour, alpha=0.25, linewidth=0)
    ax.plot(GRID, y, color=colour, linewidth=1.8 if k == 0 else 1.1, label=one.name, zorder=1.5)


def _legend(figure: Figure, axes: Any) -> None:
    found: dict[str, Any] = {}
    for ax in axes.ravel():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if len(found) > 1:
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(len(found), 5))


def _pace(result: GaitReport | GaitCurves) -> str:
    if isinstance(result, GaitCurves):
        return f"{result.cycles} cycles of {result.duration:.3g} s, stance {result.stance:.3g} %"
    return (
        f"{result['speed']:.3g} m/s, {result['cadence']:.3g} steps per minute, stance {result['stance']:.3g} % "
        "(to the dotted line)"
    )


def stride(result: Any) -> Figure:
    """Plot poses over a stride at equal intervals, moved apart, with the forces on the feet."""
    if not isinstance(result, GaitReport):
        raise InputError("plot: curves of a reference have no poses; kind 'stride' is for a GaitReport.")
    samples = result.samples
    share = np.linspace(0.0, 1.0, POSES)
    _, q, forces = samples.frames(POSES)
    view = SideView(samples, q, forces)
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


KINDS: dict[str, Callable[[Any], Figure]] = {"curves": curves, "stride": stride}
