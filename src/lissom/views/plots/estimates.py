"""Figure of what an estimator believes beside what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.model.units import units
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.views.figures.curves import draw_curve, finish_axes, name_ends, notable, others, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"rad": "angle", "m": "displacement", "1": "amplitude"}
BENEATH = 4.0  # width of the true curves, on which the estimates lie
LEAST = 1e-12  # of the largest error, below which a logarithmic axis shows nothing


def estimates(run: Run) -> Figure:
    """Plot estimates of a controller over the true positions, by unit, and the largest error of a position."""
    known = estimated(run)
    own = dict(zip(run.arm.coordinates, units(run.arm), strict=True))
    groups = {unit: [name for name in known if own[name] == unit] for unit in dict.fromkeys(own.values())}
    groups = {unit: names for unit, names in groups.items() if names}
    figure = new_figure(8.5, 1.2 + 2.4 * (len(groups) + 1))
    axes = figure.subplots(len(groups) + 1, 1, sharex=True, squeeze=False)[:, 0]
    left = [_beside(ax, run, known, names, unit) for ax, (unit, names) in zip(axes, groups.items(), strict=False)]
    worst = _errors(axes[-1], run, known)
    text = "; ".join(["wide: true", "narrow: estimate", *dict.fromkeys(filter(None, left))])
    set_title(figure, f"{run.arm.name}: largest error of an estimated position {worst:.2g}", text)
    return figure


def estimated(run: Run) -> dict[str, Array]:
    """Return estimated positions (nt,) by the name of the coordinate; an error where there are none."""
    if run.count is not None:
        raise InputError("plot: estimates are drawn for one run; plot run.member(k) of the ensemble.")
    names = run.report.provenance.get("controller_states", ())
    at = {name: k for k, name in enumerate(names)}
    found = {name: at[f"estimate[{name}]"] for name in run.arm.coordinates if f"estimate[{name}]" in at}
    if not found or run.controller_state is None:
        raise InputError("plot: the run has no estimates; its controller is not an OutputFeedback.")
    return {name: run.controller_state[:, k] for name, k in found.items()}


def _beside(ax: Any, run: Run, known: dict[str, Array], names: list[str], unit: str) -> str:
    """Draw true positions and estimates of coordinates with one unit; return what is to be said of others."""
    true = {name: run.q[:, run.arm.coordinates.index(name)] for name in names}
    chosen = notable(np.array([np.ptp(true[name]) for name in names]))
    for colour, k in enumerate(chosen):
        ax.plot(run.t, true[names[k]], color=curve_colour(colour), linewidth=BENEATH, alpha=0.35)
        draw_curve(ax, run.t, known[names[k]], curve_colour(colour), names[k])
    span(ax, run.t)
    finish_axes(ax, "", f"{NAMES.get(unit, 'position')} [{unit}]")
    name_ends(ax)
    return others(len(names), chosen)


def _errors(ax: Any, run: Run, known: dict[str, Array]) -> float:
    """Draw the largest error of the positions at every time, and return the largest of all."""
    own = run.arm.coordinates
    error = np.max([np.abs(known[name] - run.q[:, own.index(name)]) for name in known], axis=0)
    worst = float(error.max())
    draw_curve(ax, run.t, np.maximum(error, LEAST * worst) if worst else error, palette().ink)
    if worst:
        ax.set_yscale("log")
    finish_axes(ax, "time [s]", "largest error [rad or m]")
    return worst
