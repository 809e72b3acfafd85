"""Figures of simulated runs.

One run: a curve per joint. Many: the median, and bands that hold half and nine tenths of the runs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.units import UNITS, amplitudes, units
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.views.figures import new_figure
from lissom.views.followed import followed_frame
from lissom.views.palette import COLOURS
from lissom.views.stage import equal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BANDS = ((5, 95, 0.12), (25, 75, 0.25))
MOST_LINES = 8  # coordinates in one panel
SPREAD = 40  # paths of an ensemble that are drawn
FLOWS = {
    "work of joint torques": COLOURS[0],
    "lost to damping and friction": COLOURS[1],
    "work of loads and base motion": COLOURS[2],
}


def joint_groups(arm: Arm) -> dict[str, list[int]]:
    """Coordinates of joints that share a unit: turning, then sliding (elastic ones with their joint)."""
    modal, known = amplitudes(arm), units(arm)
    groups = {unit: [k for k, own in enumerate(known) if own == unit and k not in modal] for unit in ("rad", "m")}
    return {unit: some for unit, some in groups.items() if some}


def draw_curve(ax: Any, t: Array, y: Array, colour: str, label: str | None = None) -> None:
    """Draw a line, or median and bands of many lines."""
    if y.ndim == 1:
        ax.plot(t, y, color=colour, label=label, linewidth=1.4)
        return
    for low, high, alpha in BANDS:
        ax.fill_between(t, *np.nanpercentile(y, [low, high], axis=0), color=colour, alpha=alpha, linewidth=0)
    ax.plot(t, np.nanmedian(y, axis=0), color=colour, label=label, linewidth=1.4)


def finish_axes(ax: Any, xlabel: str, ylabel: str) -> None:
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(visible=True, alpha=0.25)


def _title(figure: Any, run: Run) -> None:
    many = "" if run.count is None else f", {run.count} runs (line: median, bands: 50 % and 90 % of the runs)"
    state = "" if run.ok else "\n" + "\n".join(textwrap.wrap(run.status, 90)[:3])
    figure.suptitle(f"Simulation of {run.arm.name}{many}{state}", fontsize=11, parse_math=False)


def motion(run: Run) -> Figure:
    """Plot positions, rates, torques and deflections of flexible links over time, with events marked."""
    groups, bent = joint_groups(run.arm), deflections(run)
    rows = 3 * len(groups) + bool(bent)
    figure = new_figure(8.0, 1.0 + (2.2 if rows > 3 else 2.4) * rows)
    axes = list(figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0])
    left = iter(axes)
    for unit, some in groups.items():
        for k, (word, name) in enumerate((("q", "position"), ("qd", "rate"), ("tau", "torque"))):
            curves = {run.arm.coordinates[c]: getattr(run, word)[..., c] for c in some}
            name = "force" if unit == "m" and word == "tau" else name
            _panel(next(left), run, curves, f"{name} [{UNITS[unit][word]}]", legend=k == 0)
    if bent:
        _panel(next(left), run, bent, "tip deflection [mm]", legend=True)
    axes[-1].set_xlabel("time [s]")
    _title(figure, run)
    return figure


def deflections(run: Any) -> dict[str, Array]:
    """Return tip deflections of flexible links in a run or motion [mm], by link and axis; those not zero."""
    out: dict[str, Array] = {}
    for link in run.arm.links:
        if link.mode_labels:
            moved = 1e3 * run.deflection(link.name)
            out |= {
                f"{link.name} {axis}": moved[..., k]
                for k, axis in enumerate("xyz")
                if np.nanmax(abs(moved[..., k])) > 0
            }
    return out


def _panel(ax: Any, run: Run, curves: dict[str, Array], ylabel: str, legend: bool) -> None:
    """Draw curves by name, as many as can be distinguished, with a legend above."""
    for k, (name, values) in enumerate(list(curves.items())[:MOST_LINES]):
        draw_curve(ax, run.t, values, COLOURS[k % len(COLOURS)], name)
    finish_axes(ax, "", ylabel)
    if run.count is None:
        for event in run.events:
            ax.axvline(event.t, color="#999999", linewidth=0.8, linestyle=":")
    if legend:
        names_above(ax, len(curves) - MOST_LINES)


def names_above(ax: Any, hidden: int) -> None:
    title = f"{hidden} more not shown" if hidden > 0 else None
    ax.legend(fontsize=8, ncols=4, title=title, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)


def over_time(t: Array, values: Array, names: Sequence[str], ylabel: str) -> Figure:
    """Plot named curves (nt, n) over time."""
    figure = new_figure(8.0, 4.5)
    ax = figure.subplots()
    for k, name in enumerate(names[:MOST_LINES]):
        draw_curve(ax, t, values[:, k], COLOURS[k % len(COLOURS)], name)
    names_above(ax, len(names) - MOST_LINES)
    finish_axes(ax, "time [s]", ylabel)
    return figure


def tip(run: Run) -> Figure:
    """Plot the path of the tip in space, and its position and speed over time."""
    figure = new_figure(10.0, 5.5)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.1, 1))
    space = figure.add_subplot(grid[:, 0], projection="3d")
    frame = followed_frame(run.arm)
    places = run.path(frame)
    paths = places[None] if run.count is None else places[:: max(1, run.count // SPREAD)]
    for path in paths:
        space.plot(
            *path.T, color=COLOURS[0], linewidth=1.4 if len(paths) == 1 else 0.6, alpha=1 if len(paths) == 1 else 0.5
        )
    space.scatter(*paths[:, 0].T, color=COLOURS[2], s=22, label="start")
    ends = np.array([path[np.isfinite(path[:, 0])][-1] for path in paths])
    space.scatter(*ends.T, color=COLOURS[1], s=22, label="end")
    space.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title=f"path of {frame}")
    space.legend(fontsize=8)
    equal(space, paths.reshape(-1, 3))
    where, speed = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    for k, axis in enumerate("xyz"):
        draw_curve(where, run.t, places[..., k], COLOURS[k], axis)
    where.legend(fontsize=8)
    finish_axes(where, "", "position [m]")
    draw_curve(speed, run.t, np.linalg.norm(run.velocity(frame)[..., :3], axis=-1), COLOURS[0])
    finish_axes(speed, "time [s]", "speed [m/s]")
    _title(figure, run)
    return figure


def energy(run: Run) -> Figure:
    """Plot energies, the work done on the arm, and the error of the energy balance."""
    figure = new_figure(8.0, 8.0)
    stored, flow, left = figure.subplots(3, 1, sharex=True)
    start = run.energy[..., :1]
    for word, colour, label in (("kinetic", COLOURS[0], "kinetic"), ("potential", COLOURS[1], "potential")):
        draw_curve(stored, run.t, getattr(run, word), colour, label)
    draw_curve(stored, run.t, run.energy, COLOURS[6], "total")
    finish_axes(stored, "", "energy [J]")
    stored.legend(fontsize=8)
    for k, (label, colour) in enumerate(FLOWS.items()):
        draw_curve(flow, run.t, run.work[..., k], colour, label)
    draw_curve(flow, run.t, run.energy - start, COLOURS[6], "change of total energy")
    finish_axes(flow, "", "work [J]")
    flow.legend(fontsize=8)
    balance = np.abs(run.balance)
    balance = np.where(balance > 0, balance, np.nan)
    if np.isfinite(balance).any():
        draw_curve(left, run.t[1:], balance[..., 1:], COLOURS[3])
        left.set_yscale("log")
    worst = float(np.max(run.balance_error))
    finish_axes(left, "time [s]", "balance error [J]")
    left.set_title(f"largest energy balance error: {worst:.2g} of the energy exchanged", fontsize=9)
    _title(figure, run)
    return figure


def phase(run: Run) -> Figure:
    """Plot rate over position, one panel per coordinate."""
    names = run.arm.coordinates
    columns = min(len(names), 4)
    rows = -(-len(names) // columns)
    figure = new_figure(3.1 * columns + 0.6, 2.7 * rows + 0.6)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    places, rates = units(run.arm), units(run.arm, "qd")
    picked = slice(None) if run.count is None else slice(None, None, max(1, run.count // SPREAD))
    for k, name in enumerate(names):
        x, v = run.q[..., k], run.qd[..., k]
        x, v = (x[None], v[None]) if run.count is None else (x[picked], v[picked])
        axes[k].plot(x.T, v.T, color=COLOURS[0], linewidth=1.2 if len(x) == 1 else 0.5, alpha=1 if len(x) == 1 else 0.5)
        axes[k].plot(x[:, 0], v[:, 0], "o", color=COLOURS[2], markersize=4)
        finish_axes(axes[k], f"{name} [{places[k]}]", f"rate [{rates[k]}]")
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    _title(figure, run)
    return figure


KINDS: dict[str, Callable[[Any], Figure]] = {"motion": motion, "tip": tip, "energy": energy, "phase": phase}
