"""Bar charts of measured ratios, drawn from the files in `benchmarks/results/` when the site is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.views.figures.figure import new_figure
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.figures.style import THEMES, figure_style

FOLDER = "charts"  # in _static of the site
WIDTH = 5.4  # inches; wider charts would have small letters on a phone
Report = dict[str, Any]


class Bars(NamedTuple):
    """A chart of one table: a bar for each row.

    column : str       the column of the ratios
    words : str        what a ratio means, below the axis
    inverse : bool     the table has lissom's time over the other's; the chart shows the other's over lissom's
    """

    column: str
    words: str
    inverse: bool = False


CHARTS = {
    "toolbox": Bars("times faster", "times faster than the Robotics Toolbox"),
    "simulation": Bars("times faster", "times faster than MuJoCo"),
    "flexible": Bars("times faster", "times faster than Exudyn"),
    "motion": Bars("IPOPT / casadi", "times faster than one casadi graph", inverse=True),
    "retiming": Bars("ratio", "times faster than toppra (below 1: slower)", inverse=True),
}
PINOCCHIO, MUJOCO = "times faster than Pinocchio", "times faster than MuJoCo"
MODES = {"batch": "a batch of states", "one state": "one state"}


def column(table: Report, name: str) -> list[Any]:
    """The entries of a column."""
    at = table["columns"].index(name)
    return [row[at] for row in table["rows"]]


def ratios(name: str, report: Report) -> list[float]:
    """How many times faster lissom is, for each row of a benchmark with a simple chart."""
    values = column(report["tables"][0], CHARTS[name].column)
    return [1 / x for x in values] if CHARTS[name].inverse else values


def rigid_ratios(report: Report, other: str, mode: str) -> dict[tuple[str, str], float]:
    """{(arm, function): how many times faster}, for a batch or for one state."""
    table = report["tables"][0]
    rows = zip(column(table, "arm"), column(table, "what"), column(table, other), strict=True)
    return {(arm, what.split(",")[0]): x for arm, what, x in rows if mode in what and x is not None}


# ---- charts --------------------------------------------------------------------------------------


def ratio_axis(ax: Any, words: str) -> None:
    """A logarithmic axis with plain numbers; what is right of 1 is faster."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axvline(1.0, color=palette().ink, linewidth=1.0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(words)
    ax.tick_params(axis="y", length=0)


def short(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2g}"


def simple(name: str, report: Report) -> Any:
    """One bar for each row of a table."""
    values = ratios(name, report)
    names = [row[0] for row in report["tables"][0]["rows"]]
    figure = new_figure(WIDTH, 0.7 + 0.32 * len(values))
    ax = figure.add_subplot()
    colours = [curve_colour(0) if x >= 1 else curve_colour(1) for x in values]
    ax.barh(names, [x - 1 for x in values], left=1.0, height=0.62, color=colours)
    ax.invert_yaxis()
    for k, x in enumerate(values):
        beyond = (4, 0) if x >= 1 else (-4, 0)
        ax.annotate(short(x), (x, k), beyond, textcoords="offset points", va="center", ha="left" if x >= 1 else "right")
    ax.set_xlim(min(0.8, *values) / 1.6, max(1.25, *values) * 2.0)
    ratio_axis(ax, CHARTS[name].words)
    return figure


def rigid(report: Report) -> Any:
    """Groups of bars: arms, and in each group the functions."""
    figure = new_figure(WIDTH, 5.2)
    for ax, (mode, title) in zip(figure.subplots(2, 1), MODES.items(), strict=True):
        found = rigid_ratios(report, PINOCCHIO, mode)
        arms, functions = list(dict.fromkeys(arm for arm, _ in found)), list(dict.fromkeys(what for _, what in found))
        thick = 0.84 / len(functions)
        for k, what in enumerate(functions):
            at = np.arange(len(arms)) + (k - (len(functions) - 1) / 2) * thick
            bars = ax.bar(at, [found[arm, what] for arm in arms], 0.92 * thick, color=curve_colour(k), label=what)
            ax.bar_label(bars, fmt=short, fontsize=6.5, padding=1)
        ax.axhline(1.0, color=palette().ink, linewidth=1.0)
        ax.set_xticks(np.arange(len(arms)), arms)
        ax.grid(visible=False, axis="x")
        ax.tick_params(axis="x", length=0)
        ax.set_title(title, loc="left")
        ax.set_ylabel(PINOCCHIO)
    figure.axes[0].legend(loc="upper right", ncols=2)
    return figure


def ranges(found: dict[str, Report]) -> dict[str, list[float]]:
    """{library and task: how many times faster lissom is, in each row of its table}."""
    made = {}
    for other in (PINOCCHIO, MUJOCO):
        for mode, title in MODES.items():
            label = f"{other.removeprefix('times faster than ')}, {title}"
            made[label] = list(rigid_ratios(found["rigid"], other, mode).values())
    others = {"simulation": "MuJoCo, simulation", "toolbox": "Robotics Toolbox", "flexible": "Exudyn, flexible links",
              "motion": "casadi, optimal motions", "retiming": "toppra, retiming"}  # fmt: skip
    return made | {label: ratios(name, found[name]) for name, label in others.items() if name in found}


def overview(found: dict[str, Report]) -> Any:
    """The range and the median of all ratios to each other library."""
    shown = ranges(found)
    figure = new_figure(WIDTH, 0.8 + 0.34 * len(shown))
    ax = figure.add_subplot()
    for k, values in enumerate(shown.values()):
        low, middle, high = min(values), float(np.median(values)), max(values)
        colour = curve_colour(0) if middle >= 1 else curve_colour(1)
        ax.plot([low, high], [k, k], color=colour, linewidth=7, alpha=0.4, solid_capstyle="round")
        ax.plot(middle, k, "o", color=colour, markersize=8)
        at = max(high, 1.0)  # right of the line at 1
        ax.annotate(short(middle), (at, k), (8, 0), textcoords="offset points", va="center", ha="left")
    ax.set_yticks(range(len(shown)), list(shown))
    ax.invert_yaxis()
    everything = [x for values in shown.values() for x in values]
    ax.set_xlim(min(everything) / 3.0, max(everything) * 4.0)
    ratio_axis(ax, "times faster: range, and median as a number")
    return figure


def gauntlet(report: Report) -> Any:
    """How the trials of all robots ended."""
    table = report["tables"][0]
    names = [f"{a}: {b}" if a != b else a for a, b in zip(column(table, ""), column(table, "trial"), strict=True)]
    figure = new_figure(WIDTH, 0.8 + 0.24 * len(names))
    ax = figure.add_subplot()
    left = np.zeros(len(names))
    for word, colour in zip(("succeeded", "missed", "refused", "faults"), (2, 4, 1, 3), strict=True):
        count = np.array(column(table, word), dtype=float)
        ax.barh(names, count, left=left, height=0.7, color=curve_colour(colour), label=f"{word}: {count.sum():.0f}")
        left += count
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("robots")
    figure.legend(loc="outside upper center", ncols=4)
    return figure


# ---- pages ---------------------------------------------------------------------------------------


def drawn(found: dict[str, Report]) -> dict[str, Callable[[], Any]]:
    """{name: function that draws the chart}, for the results that are stored."""
    made: dict[str, Callable[[], Any]] = {
        name: lambda name=name: simple(name, found[name]) for name in CHARTS if name in found
    }
    if "rigid" in found:
        made |= {"rigid": lambda: rigid(found["rigid"]), "overview": lambda: overview(found)}
    if "gauntlet" in found:
        made["gauntlet"] = lambda: gauntlet(found["gauntlet"])
    return made


def shown(name: str, words: str) -> str:
    """HTML of a chart, in light and dark."""
    image = '<img class="chart only-{0}" src="_static/{1}/{2}-{0}.svg" alt="{3}" loading="lazy">'
    return "\n".join(image.format(theme, FOLDER, name, words) for theme in THEMES)


def write(found: dict[str, Report], folder: Path) -> None:
    """Draw all charts, each in light and dark, without dates and random names: the same results give the same files."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in drawn(found).items():
        for theme in THEMES:
            with figure_style(theme), rc_context({"svg.hashsalt": name}):
                draw().savefig(folder / f"{name}-{theme}.svg", metadata={"Date": None}, transparent=True)
