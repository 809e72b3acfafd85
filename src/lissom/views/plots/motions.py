"""Figures of predicted motions: positions, torques with their limits, poses of the arm, solver convergence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.motion.result.comparison import Comparison
from lissom.motion.result.motion import Motion
from lissom.verbs.kinematics import pose
from lissom.views.arms import stage
from lissom.views.arms.skeleton import Skeleton
from lissom.views.figures.curves import draw_curves, finish_axes, name_ends, others, shade_beyond, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.followed import followed_frame
from lissom.views.plots.information import information
from lissom.views.plots.motion_curves import REACHED, DenseCurves, limit_text, title_lines
from lissom.views.plots.needs import check_needs
from lissom.views.plots.paths import path
from lissom.views.plots.runs import deflections, joint_groups, quantity_label
from lissom.views.scene.surroundings import draw_surroundings, extent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 1e-9  # m: what is below counts as still
POSES = 11  # states of the arm along a motion
MOST_TORQUES = 12  # panels of torques, each with its own limits
NEAR = 1.3  # times the largest value: limits up to there are shown
WIDE = 20.0  # ratio of costs from which their axis is logarithmic


def overview(motion: Motion) -> Figure:
    """Plot positions, torques and deflections on the left; poses of the arm, and limit utilisation or residual
    vibration, on the right."""
    curves, deflected = DenseCurves(motion), deflections(motion)
    groups = joint_groups(motion.arm)
    count = 2 * len(groups) + bool(deflected)
    figure = new_figure(12.5, 6.8 if count == 2 else 8.6)
    halves = figure.add_gridspec(1, 2, width_ratios=(1.15, 1))
    rows = halves[0].subgridspec(count, 1)
    first: Any = None
    unnamed = []
    for k, (unit, some) in enumerate(groups.items()):
        chosen = curves.notable(some)
        unnamed.append(others(len(some), chosen))
        for row, word in ((2 * k, "q"), (2 * k + 1, "tau")):
            ax = first = figure.add_subplot(rows[row], sharex=first)
            _profile(ax, curves, word, unit, some, chosen, last=row == count - 1)
    if deflected:
        _deflections(figure.add_subplot(rows[-1], sharex=first), motion)
    parts = halves[1].subgridspec(2, 1, height_ratios=(2.2, 1))
    _poses(figure, parts[0], motion)
    _result(figure.add_subplot(parts[1]), motion)
    set_title(figure, *title_lines(motion, curves), *dict.fromkeys(unnamed))
    return figure


def _result(ax: Any, motion: Motion) -> None:
    """Draw residual vibration if plans were compared, limit utilisation if there are limits, or else costs."""
    if motion.compared is not None:
        _residual(ax, motion.compared)
    elif motion.report.peaks:
        _utilisation(ax, motion)
    else:
        _cost(ax, motion)


def joints(motion: Motion) -> Figure:
    """Plot positions, rates and accelerations over time, with the limits that are near."""
    words, groups, curves = ("q", "qd", "qdd"), joint_groups(motion.arm), DenseCurves(motion)
    figure = new_figure(3.0 + 5.0 * len(groups), 0.8 + 2.2 * len(words))
    axes = figure.subplots(len(words), len(groups), sharex=True, squeeze=False)
    unnamed = []
    for column, (unit, some) in zip(axes.T, groups.items(), strict=True):
        chosen = curves.notable(some)
        unnamed.append(others(len(some), chosen))
        for ax, word in zip(column, words, strict=True):
            _profile(ax, curves, word, unit, some, chosen, last=word == words[-1])
    set_title(figure, *title_lines(motion, curves), *dict.fromkeys(unnamed))
    return figure


def torques(motion: Motion) -> Figure:
    """Plot torques over time with their limits; one panel for each joint where their limits differ."""
    groups, curves = joint_groups(motion.arm), DenseCurves(motion)
    limits = {unit: {curves.limits("tau", c) for c in some} for unit, some in groups.items()}
    if any(len(own) > 1 for own in limits.values()):
        return _separate_torques(motion, curves, groups)
    figure = new_figure(8.5, 0.8 + 3.6 * len(groups))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (unit, some) in zip(axes, groups.items(), strict=True):
        _profile(ax, curves, "tau", unit, some, curves.notable(some), last=ax is axes[-1])
    set_title(figure, *title_lines(motion, curves))
    return figure


def _separate_torques(motion: Motion, curves: DenseCurves, groups: dict[str, list[int]]) -> Figure:
    """A panel for the torque of every joint, or of those nearest to their limits."""
    all_of_them = [(unit, c) for unit, some in groups.items() for c in some]
    picked = [all_of_them[k] for k in curves.notable([c for _, c in all_of_them], MOST_TORQUES)]
    columns = 2 if len(picked) <= 8 else 3
    rows = -(-len(picked) // columns)
    figure = new_figure(4.3 * columns, 0.9 + 1.7 * rows)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
    for k, (ax, (unit, c)) in enumerate(zip(axes, picked, strict=False)):
        ax.plot(curves.t, curves.tau[:, c], color=curve_colour(0))
        span(ax, curves.t)
        shade_beyond(ax, *curves.limits("tau", c), words=not k)
        ax.set_title(motion.arm.coordinates[c], loc="left", pad=3, parse_math=False)
        last = k + columns >= len(picked)
        finish_axes(ax, "time [s]" if last else "", quantity_label("tau", unit))
        ax.tick_params(labelbottom=last)
    for ax in axes[len(picked) :]:
        ax.set_visible(False)
    hidden = len(all_of_them) - len(picked)
    more = f"{hidden} joints farther from their limits are not shown" if hidden else ""
    set_title(figure, *title_lines(motion, curves), more)
    return figure


def deflection(motion: Motion) -> Figure:
    """Plot the deflection of the ends of flexible links over time, each relative to its own link."""
    check_needs("deflection", motion.arm, motion.compared is not None)
    figure = new_figure(8.5, 4.2)
    _deflections(figure.add_subplot(), motion)
    set_title(figure, *title_lines(motion))
    return figure


def residual(motion: Motion) -> Figure:
    """Plot the residual vibration after the motion, beside that of the plans it was compared with."""
    check_needs("residual", motion.arm, motion.compared is not None)
    assert motion.compared is not None
    figure = new_figure(9.0, 4.5)
    _residual(figure.add_subplot(), motion.compared)
    set_title(figure, *title_lines(motion))
    return figure


def poses(motion: Motion) -> Figure:
    """Draw the arm at equally spaced times, and the path of its tip."""
    figure = new_figure(7.5, 6.5)
    _poses(figure, 111, motion)
    set_title(figure, *title_lines(motion))
    return figure


def convergence(motion: Motion) -> Figure:
    """Plot cost, largest constraint violation and optimality error over the iterations of the solver."""
    figure = new_figure(8.5, 5.5)
    cost, rest = figure.subplots(2, 1, sharex=True)
    _cost(cost, motion)
    steps = [step.number for step in motion.report.iterations]
    for k, word in ((1, "violation"), (2, "optimality")):
        values = np.array([getattr(step, word) for step in motion.report.iterations], float)
        label = {"violation": "largest constraint violation", "optimality": "optimality error"}[word]
        rest.plot(steps, np.where(values > 0, values, np.nan), ".-", color=curve_colour(k), label=label,
                  linewidth=0.9)  # fmt: skip
    rest.set_yscale("log")
    rest.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2)
    finish_axes(rest, "solver iteration", "scaled error")
    cost.set_xlabel("")
    set_title(figure, *title_lines(motion))
    return figure


def _profile(
    ax: Any, curves: DenseCurves, word: str, unit: str, some: Sequence[int], chosen: Sequence[int], *, last: bool
) -> None:
    """Draw curves of some coordinates, with their limits; torques with different limits as fractions of these."""
    names, values, label = [curves.arm.coordinates[c] for c in some], getattr(curves, word)[:, list(some)], ""
    limits = {curves.limits(word, c) for c in some}
    shares = curves.shares(some) if word == "tau" and len(limits) > 1 else None
    if shares is not None:
        names = [f"{name}, {limit_text(curves, c)}" for name, c in zip(names, some, strict=True)]
        values, limits = shares, {(-100.0, 100.0)}
        label = f"{'force' if unit == 'm' else 'torque'} [% of its limit]"
    draw_curves(ax, curves.t, dict(zip(names, values.T, strict=True)), chosen)
    if len(limits) == 1:
        (pair,) = limits
        near = [x if word == "tau" or abs(x) <= NEAR * np.abs(values).max() else np.inf for x in pair]
        shade_beyond(ax, *near)
    else:
        _mark_reached(ax, curves, word, [some[k] for k in chosen])
    finish_axes(ax, "time [s]" if last else "", label or quantity_label(word, unit))
    ax.tick_params(labelbottom=last)
    name_ends(ax)


def _mark_reached(ax: Any, curves: DenseCurves, word: str, some: Sequence[int]) -> None:
    """Dash the limits that are reached, each in the colour of its curve."""
    for k, c in enumerate(some):
        values, low_high = getattr(curves, word)[:, c], curves.limits(word, c)
        if curves.utilisation(word)[:, c].max() >= REACHED:
            limit = min((x for x in low_high if np.isfinite(x)), key=lambda x: float(np.abs(values - x).min()))
            ax.axhline(limit, color=curve_colour(k), linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2)
            back = {"facecolor": palette().ground, "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
            ax.annotate(f"limit of {curves.arm.coordinates[c]}", (0.65, limit), (0, 3), ("axes fraction", "data"),
                        "offset points", fontsize="x-small", color=curve_colour(k), parse_math=False,
                        bbox=back)  # fmt: skip


def _deflections(ax: Any, motion: Motion) -> None:
    """Draw the deflections of the ends of flexible links."""
    draw_curves(ax, motion.t, deflections(motion))
    finish_axes(ax, "time [s]", "deflection of link ends [mm]")
    name_ends(ax)


def _residual(ax: Any, compared: Comparison) -> None:
    """Draw the distance of the tip from its rest position after the end of every plan, on a logarithmic scale."""
    for k, plan in enumerate(compared.plans):
        if plan.vibration:
            far = np.maximum(np.array(plan.vibration), LEAST)
            ax.plot(compared.times, far, "-" if k < 2 else "--", color=curve_colour(k), label=plan.name)
    ax.set_yscale("log")
    span(ax, np.array(compared.times))
    if any(plan.vibration and min(plan.vibration) < LEAST for plan in compared.plans):
        ax.annotate(f"drawn at {LEAST:g} m: that or less", (0.01, LEAST), (0, 2), ("axes fraction", "data"),
                    "offset points", fontsize="x-small", color=palette().muted)  # fmt: skip
    finish_axes(ax, "time after the end of the motion [s]", "residual tip vibration [m]")
    name_ends(ax)


def _poses(figure: Any, place: Any, motion: Motion) -> None:
    """Draw the arm at equally spaced times: start and goal in colours, the others fainter."""
    q = motion.at(np.linspace(0.0, motion.duration, POSES))[0]
    bones = Skeleton(motion.arm, q)
    trail = pose(motion.arm, DenseCurves(motion).q, followed_frame(motion.arm))[..., :3, 3]
    points = np.vstack([bones.points, trail, np.zeros((1, 3))])
    plane = stage.plane_of(points)
    ax = stage.set_up(figure, place, np.vstack([points, extent(motion, points, plane)]), plane)
    (path,) = ax.plot(*[[]] * (2 if plane else 3), color=palette().ink, linewidth=1.0, linestyle=":",
                      label="path of the tip")  # fmt: skip
    stage.place(path, trail, plane)
    ends = {0: ("start", curve_colour(2)), POSES - 1: ("goal", curve_colour(1))}
    for k in (*range(1, POSES - 1), 0, POSES - 1):
        label, colour = ends.get(k, ("_nolegend_", curve_colour(5)))
        inner = k not in ends
        lines = stage.Lines(ax, plane, colour, 0.35 + 0.4 * k / POSES if inner else 1.0, 0.4 if inner else 0.9)
        lines.put(bones, k)[0].set_label(label)
    draw_surroundings(ax, plane, motion, float(np.ptp(points, axis=0).max()))
    stage.add_legend(ax, plane)
    ax.set_title(f"{POSES} poses of the arm, {motion.duration / (POSES - 1):.3g} s apart")


def _utilisation(ax: Any, motion: Motion) -> None:
    """Draw a bar for the largest utilisation of every limited quantity, with joint and time."""
    peaks = motion.report.peaks[::-1]
    use = [100 * peak.utilisation for peak in peaks]
    ax.barh(range(len(peaks)), use, color=[curve_colour(x >= 100 * REACHED) for x in use], height=0.45)
    ax.axvline(100.0, color=palette().muted, linewidth=0.8)
    for k, (peak, x) in enumerate(zip(peaks, use, strict=True)):
        share = peak.distance() if peak.quantity == "position" else f"{x:.4g} %"
        ax.text(1.0, k + 0.26, f"{peak.joint}, {share} at {peak.time:.3g} s", fontsize="small", va="bottom",
                parse_math=False)  # fmt: skip
    ax.set_yticks(range(len(peaks)), [peak.quantity.replace("_", " ") for peak in peaks], parse_math=False)
    ax.set(xlim=(0.0, max(110.0, 1.05 * max(use))), ylim=(-0.5, len(peaks) - 0.2))
    ax.grid(visible=False, axis="y")
    finish_axes(ax, "largest utilisation of a limit [%]", "")


def _cost(ax: Any, motion: Motion) -> None:
    """Draw the cost over the iterations of the solver."""
    steps = motion.report.iterations
    cost = np.array([step.cost for step in steps], float)
    ax.plot([step.number for step in steps], cost, ".-", color=curve_colour(0), linewidth=0.9)
    if len(cost) and cost.min() > 0 and cost.max() > WIDE * cost.min():
        ax.set_yscale("log")
    finish_axes(ax, "solver iteration", "cost")


KINDS: dict[str, Callable[[Any], Figure]] = {
    "motion": overview,
    "joints": joints,
    "torques": torques,
    "poses": poses,
    "convergence": convergence,
    "deflection": deflection,
    "residual": residual,
    "path": path,
    "information": information,
}
