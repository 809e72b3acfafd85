"""Figures of predicted motions: positions, torques with their limits, poses of the arm, solver convergence."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.model.units import UNITS
from lissom.motion.comparison import Comparison
from lissom.motion.record import Motion
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views import stage
from lissom.views.figures import new_figure
from lissom.views.followed import followed_frame
from lissom.views.palette import COLOURS, RESTING
from lissom.views.runs import (
    MOST_LINES,
    deflections,
    draw_curve,
    finish_axes,
    joint_groups,
    names_above,
)
from lissom.views.skeleton import Skeleton
from lissom.views.surroundings import draw_surroundings, extent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 1e-9  # m: what is below counts as still
STICKS = 11  # states of the arm along a motion
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "torque"}
START, END, WAY = COLOURS[2], COLOURS[1], COLOURS[0]


def overview(motion: Motion) -> Figure:
    """Plot positions, torques and deflections on the left; poses of the arm, and convergence or residual vibration, on
    the right."""
    panels, bent = _panels(motion, ("q", "tau")), deflections(motion)
    count = len(panels) + bool(bent)
    figure = new_figure(11.5, 7.0 if count == 2 else 9.0)
    halves = figure.add_gridspec(1, 2, width_ratios=(1.1, 1))
    rows = halves[0].subgridspec(count, 1)
    first: Any = None
    for k, (word, unit, some) in enumerate(panels):
        ax = figure.add_subplot(rows[k], sharex=first)
        first = first or ax
        _profile(ax, motion, word, unit, some, legend=word == "q")
    if bent:
        ax = figure.add_subplot(rows[-1], sharex=first)
        _bent(ax, motion, bent)
    ax.set_xlabel("time [s]")
    parts = halves[1].subgridspec(2, 1, height_ratios=(2, 1))
    _sticks(figure, parts[0], motion)
    below = figure.add_subplot(parts[1])
    _cost(below, motion) if motion.compared is None else _ringing(below, motion.compared)
    _title(figure, motion)
    return figure


def joints(motion: Motion) -> Figure:
    """Plot positions, rates and accelerations over time, limits dashed."""
    return _stacked(motion, ("q", "qd", "qdd"))


def torques(motion: Motion) -> Figure:
    """Plot torques over time, limits dashed."""
    return _stacked(motion, ("tau",))


def deflection(motion: Motion) -> Figure:
    """Plot the tip deflection of flexible links over time."""
    bent = deflections(motion)
    if not bent:
        raise InputError(f"plot: arm {motion.arm.name!r} has no flexible links, so there is no deflection to plot.")
    figure = new_figure(8.0, 4.5)
    ax = figure.add_subplot()
    _bent(ax, motion, bent)
    ax.set_xlabel("time [s]")
    _title(figure, motion)
    return figure


def ringing(motion: Motion) -> Figure:
    """Plot the residual vibration after the motion, beside that of the plans it was compared with."""
    if motion.compared is None:
        raise InputError("plot: kind 'residual' needs a comparison; use predict_motion(..., compare=True).")
    figure = new_figure(8.0, 4.5)
    _ringing(figure.add_subplot(), motion.compared)
    _title(figure, motion)
    return figure


def sticks(motion: Motion) -> Figure:
    """Draw the arm at equally spaced times, and the path of its tip."""
    figure = new_figure(7.0, 6.0)
    _sticks(figure, 111, motion)
    _title(figure, motion)
    return figure


def convergence(motion: Motion) -> Figure:
    """Plot cost, largest constraint violation and optimality error over the iterations of the solver."""
    figure = new_figure(7.0, 5.5)
    cost, rest = figure.subplots(2, 1, sharex=True)
    _cost(cost, motion)
    steps = [step.number for step in motion.report.iterations]
    for word, colour in (("violation", COLOURS[1]), ("optimality", COLOURS[2])):
        values = np.array([getattr(step, word) for step in motion.report.iterations], float)
        label = {"violation": "largest constraint violation", "optimality": "optimality error"}[word]
        rest.plot(steps, np.where(values > 0, values, np.nan), ".-", color=colour, label=label, linewidth=1.2)
    rest.set_yscale("log")
    rest.legend(fontsize=8)
    finish_axes(rest, "solver iteration", "constraint violation, optimality error")
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
    """Draw curves of some coordinates with their limits as dashed lines."""
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


def _bent(ax: Any, motion: Motion, bent: dict[str, Array]) -> None:
    """Draw the tip deflections of flexible links."""
    for k, (name, values) in enumerate(list(bent.items())[:MOST_LINES]):
        draw_curve(ax, motion.t, values, COLOURS[k % len(COLOURS)], name)
    finish_axes(ax, "", "tip deflection [mm]")
    names_above(ax, len(bent) - MOST_LINES)


def _ringing(ax: Any, compared: Comparison) -> None:
    """Draw the distance of the tip from its rest position after the end of every plan, on a logarithmic scale."""
    for k, plan in enumerate(compared.plans):
        if plan.vibration:
            far = np.maximum(np.array(plan.vibration), LEAST)
            style = "-" if k < 2 else "--"
            ax.plot(compared.times, far, style, color=COLOURS[k % len(COLOURS)], label=plan.name, linewidth=1.3)
    ax.set_yscale("log")
    ax.legend(fontsize=7, loc="center right")
    finish_axes(ax, "time after the end of the motion [s]", "residual tip vibration [m]")


def _in_view(limit: float, values: Array, quantity: str) -> bool:
    """Limits of torque are always shown; others where the motion comes near: far ones would flatten the curves."""
    return quantity == "torque" or abs(limit) <= 1.3 * float(np.abs(values).max())


def _sticks(figure: Any, place: Any, motion: Motion) -> None:
    q = motion.at(np.linspace(0.0, motion.duration, STICKS))[0]
    bones = Skeleton(motion.arm, q)
    trail = pose(motion.arm, motion.q, followed_frame(motion.arm))[..., :3, 3]
    points = np.vstack([bones.points, trail, np.zeros((1, 3))])
    plane = stage.plane_of(points)
    ax = stage.set_up(figure, place, np.vstack([points, extent(motion, points, plane)]), plane)
    (path,) = ax.plot(
        *[[]] * (2 if plane else 3), color=RESTING, linewidth=1.2, linestyle="--", label="path of the tip"
    )
    stage.place(path, trail, plane)
    for k in (*range(1, STICKS - 1), 0, STICKS - 1):
        colour = {0: START, STICKS - 1: END}.get(k, WAY)
        inner = k not in (0, STICKS - 1)
        lines = stage.Lines(ax, plane, colour, 0.25 + 0.35 * k / STICKS if inner else 1.0, 0.45 if inner else 0.8)
        lines.put(bones, k)[0].set_label({0: "start", STICKS - 1: "goal"}.get(k, "_nolegend_"))
    draw_surroundings(ax, plane, motion, float(np.ptp(points, axis=0).max()))
    ax.legend(fontsize=8, loc="best")
    ax.set_title(f"{STICKS} poses of the arm, {motion.duration / (STICKS - 1):.3g} s apart", fontsize=9)


def _cost(ax: Any, motion: Motion) -> None:
    steps = motion.report.iterations
    ax.plot([step.number for step in steps], [step.cost for step in steps], ".-", color=COLOURS[0], linewidth=1.2)
    finish_axes(ax, "solver iteration", "cost")


def _title(figure: Any, motion: Motion) -> None:
    state = "" if motion.status == "solved" else "\n" + "\n".join(textwrap.wrap(motion.status, 90)[:3])
    text = f"Motion of {motion.arm.name}: duration {motion.duration:.4g} s, cost {motion.cost:.5g}{state}"
    figure.suptitle(text, fontsize=11, parse_math=False)


KINDS: dict[str, Callable[[Any], Figure]] = {
    "motion": overview,
    "joints": joints,
    "torques": torques,
    "poses": sticks,
    "convergence": convergence,
    "deflection": deflection,
    "residual": ringing,
}
