"""Figures of the computing time of formulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom.verbs.timing import FormulationTime
from lissom.views.figures import new_figure
from lissom.views.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_times(rows: Sequence[FormulationTime]) -> Figure:
    """Nanoseconds over the number of joints on log axes, with slopes n, n^2 and n^4 for the eye."""
    figure = new_figure(9, 6.5)
    axes = figure.add_subplot()
    markers = "osv^Dd<>ph*XP"
    for k, method in enumerate(dict.fromkeys(row.method for row in rows)):
        mine = [row for row in rows if row.method == method]
        style = "--" if method in ("nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3") else "-"
        axes.loglog([row.joints for row in mine], [row.nanoseconds for row in mine], style, label=method,
                    marker=markers[k % len(markers)], color=COLOURS[k % len(COLOURS)], markersize=4)  # fmt: skip
    _mark_crossing(axes, rows)
    last = max(row.joints for row in rows)
    origin = min(row.nanoseconds for row in rows)
    for power in (1, 2, 4):  # guides from one point, dotted, behind the curves
        n = np.array([1.0, min(last, 1.6 * (max(row.nanoseconds for row in rows) / origin) ** (1 / power))])
        axes.loglog(n, origin * n**power, ":", color="grey", linewidth=1.0, zorder=0)
        label = "n" if power == 1 else f"$n^{power}$"
        axes.annotate(label, (n[-1], origin * n[-1] ** power), xytext=(4, 0), textcoords="offset points", color="grey")
    ticks = sorted({row.joints for row in rows})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(
        xlabel="number of joints",
        ylabel="time per state [ns]",
        title="Inverse dynamics (dashed: forward dynamics) by formulation, one core, four SIMD lanes",
    )
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    return figure


def _mark_crossing(axes: Axes, rows: Sequence[FormulationTime]) -> None:
    """Where a table of coefficients starts to cost more than computing anew."""
    times = {(row.method, row.joints): row.nanoseconds for row in rows}
    shared = sorted(n for m, n in times if m == "horn_raibert_table" and ("newton_euler_link", n) in times)
    slower = [n for n in shared if times["horn_raibert_table", n] > times["newton_euler_link", n]]
    if slower and slower[0] > shared[0]:
        axes.axvline(slower[0], color="grey", linewidth=0.8, linestyle="--", zorder=0)
        words = f"a table costs more\nthan Newton-Euler\nfrom {slower[0]} joints"
        axes.text(slower[0], axes.get_ylim()[0] * 1.15, words, fontsize=8, color="grey", ha="left", va="bottom")
