"""Figures of the deformation along a flexible link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.spatial.rotations import Array
from lissom.verbs.deformation import Deformation
from lissom.views.figures.curves import name_ends, span
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def along_link(bent: Deformation) -> Figure:
    """Plot displacement, angles and internal moments along a link; for many states the range and the largest."""
    panels = [
        ("displacement [mm]", dict(zip("xyz", np.moveaxis(1e3 * bent.displacement, -1, 0), strict=True))),
        ("angle [rad]", dict(zip(("twist", "about y", "about z"), np.moveaxis(bent.angles, -1, 0), strict=True))),
        ("moment [N m]", dict(zip(("torsion", "about y", "about z"), np.moveaxis(bent.moment, -1, 0), strict=True))),
        ("axial force [N]", {"axial": bent.axial_force}),
    ]
    panels = [(label, {k: v for k, v in curves.items() if np.nanmax(np.abs(v)) > 0}) for label, curves in panels]
    panels = [(label, curves) for label, curves in panels if curves] or [("displacement [mm]", {"y": 0 * bent.stretch})]
    figure = new_figure(7.5, 0.8 + 2.1 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (label, curves) in zip(axes, panels, strict=True):
        for k, (name, values) in enumerate(curves.items()):
            _draw(ax, bent.s, values, curve_colour(k), name)
        ax.set_ylabel(label)
        span(ax, bent.s)
        name_ends(ax)
    axes[-1].set_xlabel(f"distance along {bent.link} [m]", parse_math=False)
    count = int(np.prod(bent.stretch.shape[:-1]))
    many = "" if bent.stretch.ndim == 1 else f"band: range over {count} states; line: the state with the largest value"
    largest = 1e3 * float(np.nanmax(np.linalg.norm(bent.displacement, axis=-1)))
    set_title(figure, f"{bent.link}: displaced by up to {largest:.3g} mm", many)
    return figure


def _draw(ax: Any, s: Array, values: Array, colour: str, name: str) -> None:
    """Draw a line; for many states the band they fill, and the state with the largest value."""
    if values.ndim > 1:
        rows = values.reshape(-1, len(s))
        rows = rows[np.isfinite(rows).all(axis=1)]
        ax.fill_between(s, rows.min(axis=0), rows.max(axis=0), color=colour, alpha=0.2, linewidth=0)
        values = rows[np.abs(rows).max(axis=1).argmax()]
    ax.plot(s, values, color=colour, label=name)
