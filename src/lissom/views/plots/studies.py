"""Figures of studies: scatter plots, distributions, maps, sensitivity, Pareto fronts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.spatial.rotations import Array
from lissom.studies.outcome import StudyRowOutcome
from lissom.studies.result import StudyResult
from lissom.studies.statistics import StudySensitivity
from lissom.views.figures.curves import finish_axes
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.plots.needs import refuse_map, refuse_pareto

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 4  # outputs down, parameters across
FEW_DOTS = 200  # drawn larger
MOST_DOTS = 20_000  # drawn; more are thinned evenly
WORST = 10
CELLS = 60  # of a map of samples, across
MAP = "viridis"  # rises in lightness for every kind of colour vision
LARGEST = "#d55e00"  # seen on all of the map


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


def _readable(name: str) -> str:
    """A column's name as words."""
    return name.replace("_", " ").strip() or name


def _label(result: StudyResult, name: str) -> str:
    """The name of a column and its unit; parameters that scale a value are factors."""
    own = result.study.parameters.get(name) if result.study is not None else None
    unit = result.unit(name) or ("factor" if own is not None and own.how == "scale" else "")
    return f"{_readable(name)} [{unit}]" if unit else _readable(name)


def _title(figure: Any, result: StudyResult, *left: str) -> None:
    set_title(figure, result.headline, "; ".join(word for word in left if word))


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
    failed = shown["outcome"] == StudyRowOutcome.FAILED
    size = 7.0 if len(shown) < FEW_DOTS else 3.0
    for i, output in enumerate(outputs):
        for j, parameter in enumerate(parameters):
            ax = grid[i, j]
            x, words = _positions(shown[parameter])
            ax.plot(x, shown[output], ".", color=curve_colour(0), markersize=size, alpha=0.6)
            ax.plot(
                x[failed], np.full(failed.sum(), 0.02), "x", color=curve_colour(1), transform=ax.get_xaxis_transform()
            )
            if words is not None:
                ax.set_xticks(range(len(words)), words, parse_math=False)
            last, first = i == len(outputs) - 1, j == 0
            finish_axes(ax, _label(result, parameter) if last else "", _label(result, output) if first else "")
    more = len(result.outputs) - len(outputs)
    hidden = f"{more} more outputs not shown; select them with StudyResult.only" if more else ""
    _title(figure, result, hidden, "crosses: failed rows" if failed.any() else "")
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
        ax.hist(values, bins=min(60, max(5, int(np.sqrt(len(values))))), color=curve_colour(0), alpha=0.75)
        low, middle, high = np.percentile(values, [5, 50, 95])
        ax.axvspan(low, high, color=curve_colour(0), alpha=0.1, linewidth=0)
        ax.axvline(middle, color=curve_colour(1), linewidth=1.2)
        finish_axes(ax, _label(result, output), "rows")
    for ax in grid[len(outputs) :]:
        ax.set_visible(False)
    _title(figure, result, "line: median; band: 90 % of the rows")
    return figure


def map_(result: StudyResult) -> Figure:
    """Plot outputs over two parameters as colour maps: means in cells, rows with the largest values circled."""
    outputs, parameters = _some(result, 2, 2)
    refuse_map(map(result.__getitem__, parameters))
    figure, empty = new_figure(5.6 * len(outputs), 4.6, aside=0.12), False
    for ax, output in zip(figure.subplots(1, len(outputs), squeeze=False)[0], outputs, strict=True):
        x, y = (result[name].astype(float) for name in parameters)
        drawn = _cells(ax, x, y, result[output])
        empty = empty or bool(np.ma.getmaskarray(drawn.get_array()).any())
        figure.colorbar(drawn, ax=ax, label=_label(result, output))
        worst = result.worst(output, WORST)
        ax.plot(*(worst[name] for name in parameters), "o", markerfacecolor="none", color=LARGEST, markersize=7)
        ax.grid(visible=False)
        finish_axes(ax, *(_label(result, name) for name in parameters))
    others = ", ".join(result.parameters[2:])
    count = min(WORST, len(result))
    _title(figure, result, f"circles: the {count} largest values", f"averaged over {others}" if others else "",
           "grey: no rows" if empty else "")  # fmt: skip
    return figure


def _cells(ax: Any, x: Array, y: Array, z: Array) -> Any:
    """Means of z in cells: those of a grid, or even ones."""
    known = np.isfinite(z)
    edges = [_edges(values) for values in (x, y)]
    total, *_ = np.histogram2d(x[known], y[known], bins=edges, weights=z[known])
    count, *_ = np.histogram2d(x[known], y[known], bins=edges)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
    ax.set_facecolor(palette().resting)
    return ax.pcolormesh(edges[0], edges[1], mean.T, cmap=MAP, shading="flat")


def _edges(values: Array) -> Array:
    """Edges between the values of a grid; equally spaced where there are many."""
    own = np.unique(values)
    if 1 < len(own) <= CELLS:
        middle = (own[1:] + own[:-1]) / 2
        return np.concatenate([[own[0] - (middle[0] - own[0])], middle, [own[-1] + (own[-1] - middle[-1])]])
    span = float(np.ptp(values)) or 1.0
    cells = max(2, min(CELLS, int(np.sqrt(len(values) / 4))))
    return np.linspace(values.min(), values.min() + span * (1 + 1e-12), cells + 1)


def sensitivity(result: StudyResult) -> Figure:
    """Plot the sensitivity of the outputs, a bar for every parameter, the most important at the top."""
    outputs, parameters = _some(result, MOST_PANELS, len(result.parameters))
    figure = new_figure(8.5, 0.9 + len(outputs) * (0.7 + 0.35 * len(parameters)))
    grid = figure.subplots(len(outputs), 1, squeeze=False)[:, 0]
    most = []
    for ax, output in zip(grid, outputs, strict=True):
        found = result.sensitivity(output)
        strength = np.abs(found.first if found.total is None else found.total)
        places = np.empty(len(strength))
        places[np.argsort(np.nan_to_num(strength), kind="stable")] = np.arange(len(strength))
        _bars(ax, found, places)
        ax.axvline(0.0, color=palette().muted, linewidth=0.8)
        ax.set_yticks(places, [_readable(name) for name in found.parameters], parse_math=False)
        ax.set_title(f"{_readable(output)}", loc="left", parse_math=False)
        ax.grid(visible=False, axis="y")
        most += [f"{_readable(output)} depends most on {_readable(found.parameters[int(np.nanargmax(strength))])}"]
    _title(figure, result, *(most[:2] if len(parameters) > 1 else ()))
    return figure


def _bars(ax: Any, found: StudySensitivity, places: Array) -> None:
    """Rank correlations, or Sobol' indices with their confidence intervals."""
    if found.total is None or found.first_interval is None or found.total_interval is None:
        ax.barh(places, found.first, color=[curve_colour(value < 0) for value in found.first], height=0.6)
        ax.set_xlim(-1.05, 1.05)
        finish_axes(ax, "rank correlation of parameter and output", "")
        return
    for shift, values, span, k, label in (
        (0.17, found.first, found.first_interval, 0, "first-order"),
        (-0.17, found.total, found.total_interval, 1, "total"),
    ):
        ax.barh(places + shift, values, color=curve_colour(k), height=0.32, label=label)
        ax.hlines(places + shift, span[:, 0], span[:, 1], color=palette().ink, linewidth=1)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    finish_axes(ax, "Sobol' index, fraction of the variance (lines: 95 % confidence)", "")


def pareto(result: StudyResult) -> Figure:
    """Plot the first two outputs of all rows, and their Pareto front for minimisation."""
    outputs, _ = _some(result, 2, 0)
    refuse_pareto(outputs)
    front = result.pareto(outputs)
    shown = _thinned(result)
    figure = new_figure(6.4, 4.8)
    ax = figure.add_subplot()
    ax.plot(shown[outputs[0]], shown[outputs[1]], ".", color=palette().resting, markersize=3, label="rows")
    order = np.argsort(front[outputs[0]])
    x, y = (front[name][order] for name in outputs)
    ax.step(x, y, where="post", color=curve_colour(1), linewidth=1)
    ax.plot(x, y, "o", color=curve_colour(1), markersize=4, label="Pareto front (both minimised)")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    finish_axes(ax, *(_label(result, name) for name in outputs))
    _title(figure, result, f"{len(front)} rows on the Pareto front")
    return figure


KINDS: dict[str, Callable[[StudyResult], Figure]] = {
    "scatter": scatter, "distribution": distribution, "map": map_, "sensitivity": sensitivity, "pareto": pareto,
}  # fmt: skip
