"""Figures of the computing time of formulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom.verbs.timing import FormulationTime
from lissom.views.figures.curves import name_ends
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.figures.style import figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FORWARD = ("nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3")
MARKERS = "osv^Dd<>ph*XP"


def draw_times(rows: Sequence[FormulationTime]) -> Figure:
    """Nanoseconds over the number of joints on log axes, with slopes n, n^2 and n^4 for the eye."""
    with figure_style():
        figure = new_figure(9.5, 6.5)
        axes = figure.add_subplot()
        for k, method in enumerate(dict.fromkeys(row.method for row in rows)):
            mine = [row for row in rows if row.method == method]
            axes.loglog([row.joints for row in mine], [row.nanoseconds for row in mine], label=method,
                        linestyle="--" if method in FORWARD else "-", marker=MARKERS[k % len(MARKERS)],
                        color=curve_colour(k))  # fmt: skip
        _mark_crossing(axes, rows)
        _slopes(axes, rows)
        ticks = sorted({row.joints for row in rows})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set(xlabel="number of joints", ylabel="time per state [ns]", xlim=(ticks[0] * 0.97, ticks[-1] * 1.03))
        name_ends(axes)
        fastest = min((row for row in rows if row.joints == ticks[-1]), key=lambda row: row.nanoseconds)
        set_title(
            figure,
            f"Inverse dynamics of {ticks[-1]} joints: fastest {fastest.method}, {fastest.nanoseconds:.3g} ns per state",
            "by formulation, one core, four SIMD lanes; dashed: forward dynamics",
        )
    return figure


def _slopes(axes: Axes, rows: Sequence[FormulationTime]) -> None:
    """Guides from one point, dotted, behind the curves."""
    last, origin = max(row.joints for row in rows), min(row.nanoseconds for row in rows)
    tallest = max(row.nanoseconds for row in rows)
    quiet = palette().muted
    for power in (1, 2, 4):
        n = np.array([1.0, min(last, 1.6 * (tallest / origin) ** (1 / power))])
        axes.loglog(n, origin * n**power, ":", color=quiet, linewidth=1.0, zorder=0)
        axes.annotate("n" if power == 1 else f"$n^{power}$", (n[-1], origin * n[-1] ** power), (-4, 4),
                      textcoords="offset points", color=quiet, ha="right")  # fmt: skip


def _mark_crossing(axes: Axes, rows: Sequence[FormulationTime]) -> None:
    """Mark where a table of coefficients starts to cost more than computing anew."""
    times = {(row.method, row.joints): row.nanoseconds for row in rows}
    shared = sorted(n for m, n in times if m == "horn_raibert_table" and ("newton_euler_link", n) in times)
    slower = [n for n in shared if times["horn_raibert_table", n] > times["newton_euler_link", n]]
    if slower and slower[0] > shared[0]:
        axes.axvline(slower[0], color=palette().muted, linewidth=0.8, linestyle="--", zorder=0)
        words = f"a table costs more\nthan Newton-Euler\nfrom {slower[0]} joints"
        axes.annotate(words, (slower[0], 0.01), (-4, 0), ("data", "axes fraction"), "offset points", fontsize="small",
                      color=palette().muted, ha="right", va="bottom")  # fmt: skip
