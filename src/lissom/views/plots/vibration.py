"""Figures of vibration: mode shapes of beams and arms, and their convergence with the number of modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.spatial.frames import inverse
from lissom.spatial.rotations import Array, rotation_vector
from lissom.verbs.modes import ArmModes, BeamModes, ModeConvergence
from lissom.views.arms import stage
from lissom.views.arms.skeleton import Skeleton
from lissom.views.figures.curves import name_ends, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 9
MOST_SHAPES = 8
READABLE = 0.15  # largest displacement, of the arm's size
STEEPEST = 0.5  # largest slope and twist of a beam, and turn of a link [rad]
POINTS = 201
MEANING = {"bending_z": "deflection along y", "bending_y": "deflection along z", "torsion": "twist",
           "stretch": "stretch"}  # fmt: skip


def swing(found: ArmModes, k: int) -> Array:
    """(dof,) coordinates of mode k at full swing: large enough to be seen, and no beam steeper than `STEEPEST`."""
    shape = found.shapes[:, k]
    step = 1e-5 / max(float(np.abs(shape).max()), 1e-300)
    here = Skeleton(found.arm, found.q)
    there, back = (Skeleton(found.arm, found.q + side * shape) for side in (step, -step))
    moved = float(np.linalg.norm(there.points - back.points, axis=-1).max()) / (2 * step)
    turned = max(_turned(a, b) for a, b in zip(_frames(there), _frames(back), strict=True)) / (2 * step)
    limits = [limit / rate for limit, rate in ((READABLE * here.size, moved), (STEEPEST, turned)) if rate > 0]
    return shape * min(limits, default=0.0)


def _frames(bones: Skeleton) -> list[Array]:
    """Links in the world, and sections of beams against their roots."""
    return [bones.X, *(inverse(sections[:1]) @ sections for sections in bones.beams.values())]


def _turned(a: Array, b: Array) -> float:
    """Largest angle between frames (n, 4, 4)."""
    between = np.swapaxes(a[:, :3, :3], -1, -2) @ b[:, :3, :3]
    return float(np.linalg.norm(rotation_vector(between), axis=-1).max())


def mode_title(found: ArmModes, k: int) -> str:
    """Return number, frequency and damping ratio of mode k as text; without vibration its longest time constant."""
    z = found.damping[k]
    if z >= 1:
        return f"mode {k + 1}: overdamped, time constant {found.time_constants[k, 0]:.3g} s"
    ratio = f", damping ratio {100 * z:.2g} %" if z else ""
    return f"mode {k + 1}: {found.frequencies_hz[k]:.4g} Hz{ratio}"


def _modes_title(found: ArmModes) -> str:
    """Return the number of modes, how many of them vibrate, and their frequencies."""
    hz = found.frequencies_hz[found.damping < 1]
    slow = len(found.damping) - len(hz)
    if not len(hz):
        return f"no vibration; {slow} overdamped mode{'s' * (slow > 1)}" if slow else "no vibration modes"
    between = f"modes from {hz[0]:.4g} to {hz[-1]:.4g} Hz" if len(hz) > 1 else f"mode at {hz[0]:.4g} Hz"
    return f"vibration {between}" + (f"; {slow} overdamped" if slow else "")


def arm_modes(found: ArmModes) -> Figure:
    """Plot a panel for each mode: the arm moved to both sides, over the arm at rest."""
    count = min(len(found.frequencies_hz), MOST_PANELS)
    rest = Skeleton(found.arm, found.q)
    swings = [swing(found, k) for k in range(count)]
    ends = [[Skeleton(found.arm, found.q + side * full) for side in (-1, 1)] for full in swings]
    points = np.vstack([rest.points, np.zeros((1, 3)), *(bones.points for pair in ends for bones in pair)])
    plane = stage.plane_of(points)
    figure, places = _panels(count, points, plane)
    for k, pair in enumerate(ends):
        ax = stage.set_up(figure, places[k], points, plane)
        stage.Lines(ax, plane, palette().resting, width=0.5).put(rest)
        for bones, alpha in zip(pair, (0.3, 1.0), strict=True):
            stage.Lines(ax, plane, alpha=alpha).put(bones)
        ax.set_title(mode_title(found, k))
    hidden = len(found.frequencies_hz) - count
    more = f" ({hidden} more not shown)" if hidden else ""
    scale = "each mode to both sides of the arm at rest (grey); amplitudes are not to scale" if count else ""
    set_title(figure, f"{found.arm.name}, joints {found.joints}: {_modes_title(found)}{more}", scale)
    return figure


def _panels(count: int, points: Array, plane: stage.Plane | None) -> tuple[Figure, list[Any]]:
    """A figure and the places of its panels, as wide or tall as what they show."""
    shape = stage.proportion(points, plane)
    columns = min(count, 2 if shape < 0.6 or count == 4 else 3) or 1
    rows = -(-count // columns) or 1
    width = 4.6 if columns < 3 else 3.7
    figure = new_figure(width * columns, rows * ((width - 0.9) * shape + 0.9) + 0.4)
    grid = figure.add_gridspec(rows, columns)
    return figure, [grid[k // columns, k % columns] for k in range(count)]


def beam_modes(found: BeamModes) -> Figure:
    """Plot a panel for each mode: the shape along the beam."""
    count = min(len(found.frequencies_hz), MOST_SHAPES)
    x = np.linspace(0.0, found.shapes.length, POINTS)
    y = found.shape(x)
    figure = new_figure(7.0, 1.25 * count + 1.3)
    axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for k, ax in enumerate(axes):
        ax.axhline(0.0, color=palette().resting, linewidth=1.0)
        ax.plot(x, y[:, k], color=curve_colour(k), linewidth=2.0)
        ax.set_title(f"mode {k + 1}: {found.frequencies_hz[k]:.4g} Hz", loc="left")
        span(ax, x)
    axes[-1].set_xlabel("distance from the root [m]")
    figure.supylabel(f"mode shape: {MEANING[found.plane]} at unit amplitude", fontsize=9)
    hidden = len(found.frequencies_hz) - count
    hz, more = found.frequencies_hz, f" ({hidden} more not shown)" if hidden else ""
    set_title(figure, f"Beam, {found.plane}: {len(hz)} modes from {hz[0]:.4g} to {hz[-1]:.4g} Hz{more}")
    return figure


def convergence(found: ModeConvergence) -> Figure:
    """Plot frequencies over the number of modes, and their change with each further mode."""
    figure = new_figure(10.5, 4.2)
    values, changes = figure.subplots(1, 2)
    for k, f in enumerate(found.frequencies_hz.T):
        style = {"color": curve_colour(k), "marker": "o"}
        values.plot(found.modes, f, label=f"f{k + 1}: {f[-1]:.4g} Hz", **style)
        change = np.where(found.change[:, k] > 0, found.change[:, k], np.nan)
        changes.plot(found.modes[1:], change, label=f"f{k + 1}", **style)
    values.set(ylabel="frequency [Hz]", yscale="log")
    changes.set(ylabel="relative change by the last added mode")
    if np.any(found.change > 0):
        changes.set_yscale("log")
    for ax in (values, changes):
        ax.set(xlabel="number of modes of each kind", xticks=found.modes)
        name_ends(ax)
    last = found.change[-1] if len(found.change) else np.array([np.nan])
    result = f": last change at most {np.nanmax(last):.1g}" if np.isfinite(last).any() else ""
    set_title(figure, f"{found.arm.name}, joints {found.joints}: convergence of frequencies{result}")
    return figure
