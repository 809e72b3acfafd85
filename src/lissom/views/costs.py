"""Costs of formulations, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom.verbs.timing import FormulationTime

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_times(rows: Sequence[FormulationTime]) -> Figure:
    """Nanoseconds over the number of joints on log axes, with slopes n, n^2 and n^4 for the eye."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    axes = figure.add_subplot()
    markers = "osv^Dd<>ph*XP"
    colours = [*(f"C{k}" for k in range(10)), "black", "gold"]
    for k, method in enumerate(dict.fromkeys(row.method for row in rows)):
        mine = [row for row in rows if row.method == method]
        style = "--" if method in ("nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3") else "-"
        axes.loglog([row.joints for row in mine], [row.nanoseconds for row in mine], style, label=method,
                    marker=markers[k % len(markers)], color=colours[k % len(colours)], markersize=4)  # fmt: skip
    last = max(row.joints for row in rows)
    n = np.geomspace(max(1.0, last / 3), last, 20)
    slowest = max(row.nanoseconds for row in rows)
    for power in (1, 2, 4):  # side by side above the curves
        slope = 2.0 * slowest * (n / n[-1]) ** power
        axes.loglog(n, slope, color="grey", linewidth=0.8)
        axes.annotate("n" if power == 1 else f"$n^{power}$", (n[0], slope[0]), color="grey", ha="right", va="center")
    ticks = sorted({row.joints for row in rows})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(
        xlabel="joints", ylabel="ns per state", title="Formulations as written: one core, four lanes (dashed: forward)"
    )
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    return figure
