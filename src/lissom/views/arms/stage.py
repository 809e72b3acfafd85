"""Axes for arms: flat where an arm stays in a plane of the world, spatial otherwise; and an arm's lines in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.spatial.rotations import Array
from lissom.views.arms.skeleton import Skeleton
from lissom.views.figures.palette import curve_colour, palette

FLAT = 1e-6  # thickness of what is flat, of its size
LEAST = 0.25  # shortest side of a view, of its longest
ZOOM = 0.84  # of spatial views; more cuts the names of their axes off
TICKS = 4
AXES = "xyz"
Plane = tuple[int, int]


def equal(ax: Any, points: Array, margin: float = 1.1, tight: bool = False) -> float:
    """The same scale on all axes, with all points (n, 2 or 3) in view; returns the longest side [m].

    tight : sides as long as the points need, instead of all of one length
    """
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    size = max(float((high - low).max()), 1e-3) * margin
    sides = _sides(points, margin) if tight else np.full(len(low), size)
    middle = (low + high) / 2
    ax.set(**{f"{axis}lim": (m - side / 2, m + side / 2) for axis, m, side in zip(AXES, middle, sides, strict=False)})
    if len(low) == 2:
        ax.set_aspect("equal")
    else:
        ax.set_box_aspect(sides, zoom=ZOOM if tight else 1.0)
    return size


def _sides(points: Array, margin: float = 1.1) -> Array:
    """Sides of a box around points (n, 2 or 3), none of them much shorter than the longest."""
    spread = np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    longest = max(float(spread.max()), 1e-3)
    return np.maximum(spread, LEAST * longest) + (margin - 1) * longest


def proportion(points: Array, plane: Plane | None) -> float:
    """Height over width of axes that show points (n, 3)."""
    if plane is None:
        return 0.75
    width, height = _sides(points[:, list(plane)])
    return min(float(height / width), 2.0)


def plane_of(points: Array) -> Plane | None:
    """The two world axes that points (n, 3) spread along, when they do not along the third."""
    spread = np.ptp(points, axis=0)
    thin = np.flatnonzero(spread <= FLAT * max(float(spread.max()), 1e-300))
    if not thin.size:
        return None
    first, second = [k for k in range(3) if k != thin[-1]]
    return first, second


def set_up(figure: Any, place: Any, points: Array, plane: Plane | None) -> Any:
    """Axes with names and units that hold all points."""
    ax = figure.add_subplot(place, projection=None if plane else "3d")
    shown = plane or (0, 1, 2)
    equal(ax, points[:, list(shown)], tight=True)
    name_axes(ax, plane)
    return ax


def name_axes(ax: Any, plane: Plane | None) -> None:
    """Write names and units of the axes, in space in red, green and blue; few ticks."""
    for own, k in zip(AXES, plane or (0, 1, 2), strict=False):
        axis = getattr(ax, f"{own}axis")
        axis.set_label_text(f"{AXES[k]} [m]", color=palette().triad[k], fontweight="bold")
    if plane:
        ax.locator_params(nbins=TICKS)
    else:
        _sparse_ticks(ax)
        ax.set_proj_type("ortho")  # lengths can be compared
        ax.tick_params(labelsize="small", pad=0)  # spatial axes put names and numbers into each other's way
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.labelpad = 5


def _sparse_ticks(ax: Any) -> None:
    """Few numbers at the axes of a spatial view, fewer at short ones, where they would overlap."""
    sides = np.array([np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
    for axis, part in zip(AXES, sides / sides.max(), strict=True):
        ax.locator_params(axis=axis, nbins=max(1, round(TICKS * float(part))), min_n_ticks=1)


def add_legend(ax: Any, plane: Plane | None) -> None:
    """Add a legend: below the axes of a plane, in the upper left corner of a spatial view, which is empty."""
    if not ax.get_legend_handles_labels()[0]:
        return
    if plane:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, columnspacing=1.2)
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(-0.1, 1.0))


class Lines:
    """An arm as lines in axes: links, flexible links, ribs, joints."""

    def __init__(self, ax: Any, plane: Plane | None, colour: str | None = None, alpha: float = 1.0, width: float = 1.0):
        """colour : for all of it, None: links and flexible links apart."""
        self.plane = plane
        shades = palette()
        nothing: list[list[float]] = [[]] * (2 if plane else 3)

        def line(own: str, size: float, style: str = "-", **more: Any) -> Any:
            return ax.plot(*nothing, style, color=colour or own, alpha=alpha, linewidth=size * width, **more)[0]

        self.rigid = line(shades.link, 3.0, solid_capstyle="round")
        self.flexible = line(shades.flexible, 3.0, solid_capstyle="round")
        self.ribs = line(shades.flexible, 1.0)
        self.joints = line(shades.link, 0.0, "o", markersize=4.0 + width, markerfacecolor=colour or curve_colour(0))

    def put(self, skeleton: Skeleton, k: tuple[int, ...] | int = ()) -> list[Any]:
        """Show state k of a skeleton."""
        for word in ("rigid", "flexible", "ribs", "joints"):
            place(getattr(self, word), getattr(skeleton, word)[k], self.plane)
        return [self.rigid, self.flexible, self.ribs, self.joints]


def place(line: Any, points: Array, plane: Plane | None) -> None:
    """Move a line of flat or spatial axes to points (n, 3)."""
    if plane is None:
        line.set_data_3d(*points.T)
    else:
        line.set_data(*points[:, list(plane)].T)
