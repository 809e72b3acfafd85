"""Figures of predicted motions: profiles, torques within their limits, the arm along its way, the search."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.units import UNITS
from lissom.motion.record import Motion
from lissom.spatial.rotations import Array
from lissom.views import stage
from lissom.views.palette import COLOURS, RESTING
from lissom.views.runs import MOST_LINES, draw_curve, finish_axes, joint_groups, names_above, new_figure
from lissom.views.skeleton import Skeleton
from lissom.views.surroundings import draw_surroundings, extent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STICKS = 11  # states of the arm along a motion
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "torque"}
START, END, WAY = COLOURS[2], COLOURS[1], COLOURS[0]


def overview(motion: Motion) -> Figure:
    """Positions and torques on the left; the arm along its way and the search on the right."""
    panels = _panels(motion, ("q", "tau"))
    figure = new_figure(11.5, 7.0 if len(panels) == 2 else 9.0)
    halves = figure.add_gridspec(1, 2, width_ratios=(1.1, 1))
    rows = halves[0].subgridspec(len(panels), 1)
    first: Any = None
    for k, (word, unit, some) in enumerate(panels):
        ax = figure.add_subplot(rows[k], sharex=first)
        first = first or ax
        _profile(ax, motion, word, unit, some, legend=word == "q")
    ax.set_xlabel("time [s]")
    parts = halves[1].subgridspec(2, 1, height_ratios=(2, 1))
    _sticks(figure, parts[0], motion)
    _cost(figure.add_subplot(parts[1]), motion)
    _title(figure, motion)
    return figure


def joints(motion: Motion) -> Figure:
    """Positions, rates and accelerations over time, limits dashed."""
    return _stacked(motion, ("q", "qd", "qdd"))


def torques(motion: Motion) -> Figure:
    """Torques over time, limits dashed."""
    return _stacked(motion, ("tau",))


def sticks(motion: Motion) -> Figure:
    """The arm at moments evenly spaced in time, and the path of its tip."""
    figure = new_figure(7.0, 6.0)
    _sticks(figure, 111, motion)
    _title(figure, motion)
    return figure


def convergence(motion: Motion) -> Figure:
    """Cost, largest violation and distance from optimal over the iterations of the solver."""
    figure = new_figure(7.0, 5.5)
    cost, rest = figure.subplots(2, 1, sharex=True)
    _cost(cost, motion)
    steps = [step.number for step in motion.report.iterations]
    for word, colour in (("violation", COLOURS[1]), ("optimality", COLOURS[2])):
        values = np.array([getattr(step, word) for step in motion.report.iterations], float)
        rest.plot(steps, np.where(values > 0, values, np.nan), ".-", color=colour, label=word, linewidth=1.2)
    rest.set_yscale("log")
    rest.legend(fontsize=8)
    finish_axes(rest, "iteration", "violation, optimality")
    cost.set_xlabel("")
    _title(figure, motion)
    return figure


def _panels(motion: Motion, words: Sequence[str]) -> list[tuple[str, str, list[int]]]:
    """What is drawn over time: quantity, unit of its positions, coordinates."""
    return [(word, unit, some) for unit, some in joint_groups(motion.arm).items() for word in words]


def _stacked(motion: Motion, words: Sequence[str]) -> Figure:
    panels = _panels(motion, words)
    figure = new_figure(8.0, 1.2 + (2.4 if len(panels) > 1 else 3.6) * len(panels))
    axes = list(figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0])
    for ax, (word, unit, some) in zip(axes, panels, strict=True):
        _profile(ax, motion, word, unit, some, legend=word == words[0])
    axes[-1].set_xlabel("time [s]")
    _title(figure, motion)
    return figure


def _profile(ax: Any, motion: Motion, word: str, unit: str, some: list[int], legend: bool) -> None:
    """Curves of some coordinates with their limits."""
    from lissom.motion.bounds import bounds_of

    bounds = bounds_of(motion.arm, motion.task, "plot")
    quantity = QUANTITIES[word]
    values = getattr(motion, word)
    shown = some[:MOST_LINES]
    for k, c in enumerate(shown):
        draw_curve(ax, motion.t, values[:, c], COLOURS[k % len(COLOURS)], motion.arm.coordinates[c])
    limits = [(bounds.lower[quantity][c], bounds.upper[quantity][c]) for c in shown]
    common = len(set(limits)) == 1
    for k, pair in enumerate(limits[:1] if common else limits):
        colour = "#777777" if common else COLOURS[k % len(COLOURS)]
        near = [x for x in pair if np.isfinite(x) and _in_view(x, values[:, shown if common else [shown[k]]], quantity)]
        for x in near:
            ax.axhline(x, color=colour, linewidth=0.9, linestyle="--", alpha=0.8)
    name = "force" if unit == "m" and word == "tau" else {"velocity": "rate"}.get(quantity, quantity)
    finish_axes(ax, "", f"{name} [{UNITS[unit][word]}]")
    if legend:
        names_above(ax, len(some) - MOST_LINES)


def _in_view(limit: float, values: Array, quantity: str) -> bool:
    """Limits of torque are always shown; others where the motion comes near: far ones would flatten the curves."""
    return quantity == "torque" or abs(limit) <= 1.3 * float(np.abs(values).max())


def _sticks(figure: Any, place: Any, motion: Motion) -> None:
    q = motion.at(np.linspace(0.0, motion.duration, STICKS))[0]
    bones = Skeleton(motion.arm, q)
    points = np.vstack([bones.points, motion.tip, np.zeros((1, 3))])
    plane = stage.plane_of(points)
    ax = stage.set_up(figure, place, np.vstack([points, extent(motion, points, plane)]), plane)
    (path,) = ax.plot(*[[]] * (2 if plane else 3), color=RESTING, linewidth=1.2, linestyle="--")
    stage.place(path, motion.tip, plane)
    for k in (*range(1, STICKS - 1), 0, STICKS - 1):
        colour = {0: START, STICKS - 1: END}.get(k, WAY)
        inner = k not in (0, STICKS - 1)
        lines = stage.Lines(ax, plane, colour, 0.25 + 0.35 * k / STICKS if inner else 1.0, 0.45 if inner else 0.8)
        lines.put(bones, k)[0].set_label({0: "start", STICKS - 1: "end"}.get(k, "_nolegend_"))
    draw_surroundings(ax, plane, motion, float(np.ptp(points, axis=0).max()))
    ax.legend(fontsize=8, loc="best")
    ax.set_title(f"{STICKS} moments, {motion.duration / (STICKS - 1):.3g} s apart", fontsize=9)


def _cost(ax: Any, motion: Motion) -> None:
    steps = motion.report.iterations
    ax.plot([step.number for step in steps], [step.cost for step in steps], ".-", color=COLOURS[0], linewidth=1.2)
    finish_axes(ax, "iteration", "cost")


def _title(figure: Any, motion: Motion) -> None:
    state = "" if motion.status == "solved" else "\n" + "\n".join(textwrap.wrap(motion.status, 90)[:3])
    text = f"{motion.arm.name}: {motion.duration:.4g} s, cost {motion.cost:.5g}{state}"
    figure.suptitle(text, fontsize=11, parse_math=False)


KINDS: dict[str, Callable[[Any], Figure]] = {
    "motion": overview,
    "joints": joints,
    "torques": torques,
    "sticks": sticks,
    "convergence": convergence,
}
