"""Figures of simulated runs.

One run: a curve per joint. Many: the median, and bands that hold half and nine tenths of the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.units import UNITS, amplitudes, units
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.views.arms import stage
from lissom.views.figures.curves import draw_curve, draw_curves, finish_axes, name_ends, notable, others, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.followed import followed_frame
from lissom.views.plots.estimates import estimates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPREAD = 40  # paths of an ensemble that are drawn
MOST_PORTRAITS = 12  # panels of a phase portrait
NOISE = 1e-6  # of the energy exchanged: smaller ranges of work are not magnified
FLOWS = ("work of joint torques", "lost to damping and friction", "work of loads and base motion")


def joint_groups(arm: Arm) -> dict[str, list[int]]:
    """Coordinates of joints that share a unit: turning, then sliding (elastic ones with their joint)."""
    modal, known = amplitudes(arm), units(arm)
    groups = {unit: [k for k, own in enumerate(known) if own == unit and k not in modal] for unit in ("rad", "m")}
    return {unit: some for unit, some in groups.items() if some}


def quantity_label(word: str, unit: str) -> str:
    """Return the axis label of q, qd, qdd or tau of coordinates whose position has this unit."""
    name = {"q": "position", "qd": "rate", "qdd": "acceleration", "tau": "force" if unit == "m" else "torque"}[word]
    return f"{name} [{UNITS[unit][word]}]"


def _title(figure: Any, run: Run, result: str = "", left: str = "", *, banded: bool = True) -> None:
    """Write what was simulated, and the result; for failed runs, why."""
    span = f"{run.t[-1] - run.t[0]:.4g} s"
    many = f"{span} simulated" if run.count is None else f"{run.count} runs of {span}"
    bands = "" if run.count is None or not banded else "line: median; bands: 50 % and 90 % of the runs"
    first = f"{run.arm.name}: {many}{result and f', {result}'}"
    set_title(figure, first, "" if run.ok else run.status, "; ".join(x for x in (bands, left) if x))


def motion(run: Run) -> Figure:
    """Plot positions, rates, torques and deflections of flexible links over time, with events marked."""
    groups, deflected = joint_groups(run.arm), deflections(run)
    rows = 3 + bool(deflected)
    figure = new_figure(3.0 + 5.0 * len(groups), 0.8 + 2.1 * rows)
    grid = figure.add_gridspec(rows, len(groups))
    first: Any = None
    unnamed = []
    for column, (unit, some) in enumerate(groups.items()):
        chosen = notable(np.array([np.ptp(_known(run.q[..., c])) for c in some]))
        unnamed.append(others(len(some), chosen))
        for row, word in enumerate(("q", "qd", "tau")):
            ax = first = figure.add_subplot(grid[row, column], sharex=first)
            curves = {run.arm.coordinates[c]: getattr(run, word)[..., c] for c in some}
            _panel(ax, run, curves, quantity_label(word, unit), chosen, last=row == rows - 1)
    if deflected:
        ax = figure.add_subplot(grid[-1, :], sharex=first)
        _panel(ax, run, deflected, "deflection of link ends [mm]", None, last=True)
    _title(figure, run, left="; ".join(dict.fromkeys(filter(None, [*unnamed, _marked(run)]))))
    return figure


def _marked(run: Run) -> str:
    """What the dotted lines stand for."""
    names = dict.fromkeys(event.name for event in run.events) if run.count is None else {}
    return f"dotted: {', '.join(names)}" if 0 < len(names) <= 3 else ("dotted: events" if names else "")


def _known(values: Array) -> Array:
    """The numbers in it; a zero where there are none."""
    known = values[np.isfinite(values)]
    return known if known.size else np.zeros(1)


def deflections(run: Any) -> dict[str, Array]:
    """Return deflections of the ends of flexible links in a run or motion [mm], by link and axis; those not zero."""
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


def _panel(
    ax: Any, run: Run, curves: dict[str, Array], ylabel: str, chosen: Sequence[int] | None, *, last: bool
) -> None:
    """Draw named curves and the times of events."""
    draw_curves(ax, run.t, curves, chosen)
    finish_axes(ax, "time [s]" if last else "", ylabel)
    ax.tick_params(labelbottom=last)
    if run.count is None:
        for event in run.events:
            ax.axvline(event.t, color=palette().muted, linewidth=0.8, linestyle=":")
    name_ends(ax)


def over_time(
    t: Array, values: Array, names: Sequence[str], ylabel: str, units: Sequence[str] = (), title: str = ""
) -> Figure:
    """Plot named curves (nt, n) over time; `units` of each, for the largest value in the title."""
    from lissom.views.figures.style import figure_style

    with figure_style():
        figure = new_figure(8.0, 4.5)
        ax = figure.subplots()
        chosen = notable(np.abs(values).max(axis=0))
        draw_curves(ax, t, {name: values[:, k] for k, name in enumerate(names)}, chosen)
        name_ends(ax)
        finish_axes(ax, "time [s]", ylabel)
        unnamed = others(len(names), chosen)
        set_title(figure, title, f"largest {ylabel.split(' [')[0]}: {_largest(values, names, units)}", unnamed)
    return figure


def _largest(values: Array, names: Sequence[str], units: Sequence[str]) -> str:
    """The largest value (nt, n) with its unit, and its coordinate."""
    row, column = np.unravel_index(np.nanargmax(np.abs(values)), values.shape)
    unit = f" {units[int(column)]}" if units else ""
    return f"{values[row, column]:.4g}{unit} by {names[int(column)]}"


def tip(run: Run) -> Figure:
    """Plot the path of the tip in space, or in the plane that it stays in, and its position and speed over time."""
    figure = new_figure(10.5, 5.2)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.1, 1))
    frame = followed_frame(run.arm)
    places = run.path(frame)
    plane = stage.plane_of(_finite(places))
    _paths(figure, grid[:, 0], run, places, plane, frame)
    where, speed = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    for k in plane or range(3):
        draw_curve(where, run.t, places[..., k], palette().triad[k], "xyz"[k])
    finish_axes(where, "", "position [m]")
    rate = np.linalg.norm(run.velocity(frame)[..., :3], axis=-1)
    draw_curve(speed, run.t, rate, curve_colour(0))
    finish_axes(speed, "time [s]", "speed [m/s]")
    for ax in (where, speed):
        span(ax, run.t)
    where.tick_params(labelbottom=False)
    name_ends(where)
    _title(figure, run, f"{frame} moves at up to {np.nanmax(rate):.3g} m/s")
    return figure


def _paths(figure: Any, place: Any, run: Run, places: Array, plane: stage.Plane | None, frame: str) -> None:
    """Draw the path of every run, or of some, with both ends."""
    ax = stage.set_up(figure, place, _finite(places), plane)
    paths = places[None] if run.count is None else places[:: max(1, run.count // SPREAD)]
    one, shown = len(paths) == 1, list(plane or (0, 1, 2))
    for path in paths:
        ax.plot(*path[:, shown].T, color=curve_colour(0), linewidth=1.4 if one else 0.6, alpha=1 if one else 0.5)
    ends = np.array([path[np.isfinite(path[:, 0])][-1] for path in paths])
    for points, k, marker, label in ((paths[:, 0], 2, "o", "start"), (ends, 1, "s", "end")):
        ax.plot(*points[:, shown].T, marker, color=curve_colour(k), markersize=5, label=label)
    ax.set_title(f"path of {frame}", parse_math=False)
    ax.legend(loc="upper left")


def _finite(places: Array) -> Array:
    """(n, 3) the points that are numbers."""
    points = places.reshape(-1, 3)
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def energy(run: Run) -> Figure:
    """Plot energies, the work done on the arm, and the error of the energy balance."""
    figure = new_figure(8.5, 7.6)
    stored, flow, left = figure.subplots(3, 1, sharex=True)
    for k, word in enumerate(("kinetic", "potential")):
        draw_curve(stored, run.t, getattr(run, word), curve_colour(k), word)
    draw_curve(stored, run.t, run.energy, curve_colour(6), "total")
    finish_axes(stored, "", "energy [J]")
    for k, label in enumerate(FLOWS):
        draw_curve(flow, run.t, run.work[..., k], curve_colour(k), label)
    draw_curve(flow, run.t, run.energy - run.energy[..., :1], curve_colour(6), "change of total energy")
    finish_axes(flow, "", "work [J]")
    _not_magnified(flow, max(float(np.nanmax(np.abs(x))) for x in (run.kinetic, run.energy - run.energy[..., :1])))
    balance = np.abs(run.balance)
    balance = np.where(balance > 0, balance, np.nan)
    if np.isfinite(balance).any():
        draw_curve(left, run.t[1:], balance[..., 1:], curve_colour(3))
        left.set_yscale("log")
    worst = float(np.max(run.balance_error))
    finish_axes(left, "time [s]", "balance error [J]")
    kept = f"largest error {worst:.2g} of the energy exchanged" if worst else "kept, but for rounding"
    left.set_title(f"energy balance: {kept}")
    span(stored, run.t)
    for ax in (stored, flow):
        name_ends(ax)
    _title(figure, run, f"energy balance error {worst:.2g}" if worst else f"energy balance {kept}")
    return figure


def _not_magnified(ax: Any, size: float) -> None:
    """Keep rounding errors of zero small: the range of y is at least a fraction of `size`."""
    low, high = ax.get_ylim()
    least = NOISE * size
    if high - low < least:
        ax.set_ylim(-least, least)


def phase(run: Run) -> Figure:
    """Plot rate over position, one panel per coordinate; of many coordinates, those that move most."""
    spans = np.array([np.ptp(_known(run.q[..., k])) for k in range(run.arm.dof)])
    chosen = notable(spans, MOST_PORTRAITS)
    names = [run.arm.coordinates[k] for k in chosen]
    columns = min(len(names), 4)
    rows = -(-len(names) // columns)
    figure = new_figure(3.1 * columns + 0.6, 2.7 * rows + 0.6)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    positions, rates = units(run.arm), units(run.arm, "qd")
    picked = slice(None) if run.count is None else slice(None, None, max(1, run.count // SPREAD))
    for ax, k, name in zip(axes, chosen, names, strict=False):
        x, v = (np.atleast_2d(word[..., k])[picked] for word in (run.q, run.qd))
        one = len(x) == 1
        ax.plot(x.T, v.T, color=curve_colour(0), linewidth=1.2 if one else 0.5, alpha=1 if one else 0.5)
        ax.plot(x[:, 0], v[:, 0], "o", color=curve_colour(2))
        finish_axes(ax, f"{name} [{positions[k]}]", f"rate [{rates[k]}]")
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    hidden = run.arm.dof - len(names)
    left = "dot: start" + (f"; {hidden} coordinates that move less are not shown" if hidden else "")
    _title(figure, run, left=left, banded=False)
    return figure


KINDS: dict[str, Callable[[Any], Figure]] = {
    "motion": motion, "tip": tip, "energy": energy, "phase": phase, "estimate": estimates
}  # fmt: skip
