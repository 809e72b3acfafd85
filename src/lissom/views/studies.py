"""Figures of studies: scatter plots, distributions, maps, sensitivity, Pareto fronts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.spatial.rotations import Array
from lissom.studies.block import FAILED
from lissom.studies.result import StudyResult
from lissom.views.figures import new_figure
from lissom.views.palette import COLOURS, RESTING
from lissom.views.runs import finish_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 4  # outputs down, parameters across
MOST_DOTS = 20_000  # drawn; more are thinned evenly
WORST = 10
CELLS = 60  # of a map of samples, across
MAP = "viridis"


def _some(result: StudyResult, outputs: int, parameters: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The outputs and parameters that are drawn, the first ones."""
    if not result.outputs or not len(result):
        raise InputError("plot: the study has no outputs to plot; all rows failed, or none is evaluated yet.")
    kept = tuple(name for name in result.outputs if np.isfinite(result[name]).any())
    if not kept:
        raise InputError("plot: no output of the study is a number in any row.")
    return kept[:outputs], result.parameters[:parameters]


def _thinned(result: StudyResult) -> StudyResult:
    step = -(-len(result) // MOST_DOTS)
    return result.where(np.arange(0, len(result), step)) if step > 1 else result


def _title(figure: Any, result: StudyResult, left: str = "") -> None:
    figure.suptitle(result.headline + (f"\n{left}" if left else ""), fontsize=10, parse_math=False)


def _positions(values: Any) -> tuple[Array, list[str] | None]:
    """Numbers to draw at, and the words that stand there."""
    if values.dtype.kind in "if":
        return values.astype(float), None
    words, places = np.unique(values.astype(str), return_inverse=True)
    return places.astype(float), words.tolist()


def scatter(result: StudyResult) -> Figure:
    """Plot every output over every parameter; failed rows are marked at the bottom."""
    outputs, parameters = _some(result, MOST_PANELS, MOST_PANELS)
    if not parameters:
        raise InputError("plot: this result has no parameters to plot outputs over; use kind='distribution'.")
    shown = _thinned(result)
    figure = new_figure(3.2 * len(parameters) + 0.8, 2.5 * len(outputs) + 0.7)
    grid = figure.subplots(len(outputs), len(parameters), squeeze=False, sharex="col", sharey="row")
    failed = shown["status"] == FAILED
    for i, output in enumerate(outputs):
        for j, parameter in enumerate(parameters):
            ax = grid[i, j]
            x, words = _positions(shown[parameter])
            ax.plot(x, shown[output], ".", color=COLOURS[i % len(COLOURS)], markersize=3, alpha=0.5)
            ax.plot(x[failed], np.full(failed.sum(), 0.02), "x", color=COLOURS[1], transform=ax.get_xaxis_transform())
            if words is not None:
                ax.set_xticks(range(len(words)), words, parse_math=False)
            last, first = i == len(outputs) - 1, j == 0
            finish_axes(ax, result.labelled(parameter) if last else "", result.labelled(output) if first else "")
    more = len(result.outputs) - len(outputs)
    _title(figure, result, f"{more} more outputs not shown; select them with StudyResult.only" if more else "")
    return figure


def distribution(result: StudyResult) -> Figure:
    """Plot the distribution of each output, with its median and the range of 90 % of the rows."""
    outputs, _ = _some(result, 2 * MOST_PANELS, 0)
    across = min(2, len(outputs))
    down = -(-len(outputs) // across)
    figure = new_figure(4.2 * across + 0.4, 2.6 * down + 0.7)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for ax, output in zip(grid, outputs, strict=False):
        values = result[output][np.isfinite(result[output])]
        ax.hist(values, bins=min(60, max(5, int(np.sqrt(len(values))))), color=COLOURS[0], alpha=0.75)
        low, middle, high = np.percentile(values, [5, 50, 95])
        ax.axvspan(low, high, color=COLOURS[0], alpha=0.1, linewidth=0)
        ax.axvline(middle, color=COLOURS[1], linewidth=1.2)
        finish_axes(ax, result.labelled(output), "rows")
    for ax in grid[len(outputs) :]:
        ax.set_visible(False)
    _title(figure, result, "line: median; band: 90 % of the rows")
    return figure


def map_(result: StudyResult) -> Figure:
    """Plot outputs over two parameters as colour maps: means in cells, rows with the largest values circled."""
    outputs, parameters = _some(result, 2, 2)
    if len(parameters) < 2 or any(result[name].dtype.kind not in "if" for name in parameters):
        raise InputError("plot: a map needs two numeric parameters; choose another kind.")
    figure = new_figure(6.0 * len(outputs), 4.8)
    for ax, output in zip(figure.subplots(1, len(outputs), squeeze=False)[0], outputs, strict=True):
        x, y = (result[name].astype(float) for name in parameters)
        drawn = _cells(ax, x, y, result[output])
        figure.colorbar(drawn, ax=ax, label=result.labelled(output))
        worst = result.worst(output, WORST)
        ax.plot(worst[parameters[0]], worst[parameters[1]], "o", markerfacecolor="none", color=COLOURS[1], markersize=7)
        finish_axes(ax, *(result.labelled(name) for name in parameters))
    others = ", ".join(result.parameters[2:])
    _title(figure, result, f"circles: the {WORST} largest values" + (f"; averaged over {others}" if others else ""))
    return figure


def _cells(ax: Any, x: Array, y: Array, z: Array) -> Any:
    """Means of z in cells: those of a grid, or even ones."""
    known = np.isfinite(z)
    edges = [_edges(values) for values in (x, y)]
    total, *_ = np.histogram2d(x[known], y[known], bins=edges, weights=z[known])
    count, *_ = np.histogram2d(x[known], y[known], bins=edges)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
    ax.set_facecolor(RESTING)
    return ax.pcolormesh(edges[0], edges[1], mean.T, cmap=MAP, shading="flat")


def _edges(values: Array) -> Array:
    """Between the values of a grid; even where there are many."""
    own = np.unique(values)
    if 1 < len(own) <= CELLS:
        middle = (own[1:] + own[:-1]) / 2
        return np.concatenate([[own[0] - (middle[0] - own[0])], middle, [own[-1] + (own[-1] - middle[-1])]])
    span = float(np.ptp(values)) or 1.0
    cells = max(2, min(CELLS, int(np.sqrt(len(values) / 4))))
    return np.linspace(values.min(), values.min() + span * (1 + 1e-12), cells + 1)


def sensitivity(result: StudyResult) -> Figure:
    """Plot the sensitivity of the outputs, a bar for every parameter."""
    outputs, parameters = _some(result, MOST_PANELS, len(result.parameters))
    figure = new_figure(8.0, 0.9 + len(outputs) * (0.6 + 0.35 * len(parameters)))
    grid = figure.subplots(len(outputs), 1, squeeze=False)[:, 0]
    for ax, output in zip(grid, outputs, strict=True):
        found = result.sensitivity(output)
        places = np.arange(len(found.parameters))[::-1]
        if found.total is None or found.first_interval is None or found.total_interval is None:
            ax.barh(places, found.first, color=COLOURS[0], height=0.6)
            finish_axes(ax, "rank correlation", "")
        else:
            for shift, values, span, colour, label in (
                (0.17, found.first, found.first_interval, COLOURS[0], "first-order"),
                (-0.17, found.total, found.total_interval, COLOURS[1], "total"),
            ):
                ax.barh(places + shift, values, color=colour, height=0.32, label=label)
                ax.hlines(places + shift, span[:, 0], span[:, 1], color="black", linewidth=1)
            ax.legend(fontsize=8)
            finish_axes(ax, "Sobol' index, fraction of the variance (lines: 95 % confidence)", "")
        ax.set_yticks(places, found.parameters, parse_math=False)
        ax.set_title(output, fontsize=9, loc="left", parse_math=False)
    _title(figure, result)
    return figure


def pareto(result: StudyResult) -> Figure:
    """Plot the first two outputs of all rows, and their Pareto front for minimisation."""
    outputs, _ = _some(result, 2, 0)
    if len(outputs) < 2:
        raise InputError("plot: a Pareto front needs two outputs; this study has one.")
    front = result.pareto(outputs)
    shown = _thinned(result)
    figure = new_figure(6.4, 4.8)
    ax = figure.add_subplot()
    ax.plot(shown[outputs[0]], shown[outputs[1]], ".", color=RESTING, markersize=3, label="rows")
    order = np.argsort(front[outputs[0]])
    x, y = (front[name][order] for name in outputs)
    ax.step(x, y, where="post", color=COLOURS[1], linewidth=1)
    ax.plot(x, y, "o", color=COLOURS[1], markersize=4, label="Pareto front (both minimised)")
    ax.legend(fontsize=8)
    finish_axes(ax, *(result.labelled(name) for name in outputs))
    _title(figure, result)
    return figure


KINDS: dict[str, Callable[[StudyResult], Figure]] = {
    "scatter": scatter, "distribution": distribution, "map": map_, "sensitivity": sensitivity, "pareto": pareto,
}  # fmt: skip
