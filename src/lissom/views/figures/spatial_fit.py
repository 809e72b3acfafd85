"""The zoom of spatial axes: as large as their place in the figure allows, with all names and numbers inside it.

Matplotlib leaves the names of spatial axes out of its layout, so they are cut off at the edge of a figure or lie over
the panel beside. Here they are measured in a draft, and the view is zoomed until they fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lissom.spatial.rotations import Array

PASSES = 2  # of measuring: distances of names from their axes do not grow with the zoom, so one is not exact
GAP = 3.0  # points between names and what is beside them
LEAST, MOST = 0.3, 2.0  # factors of one pass


def fit_spatial_axes(figure: Any) -> None:
    """Zoom all spatial axes of a figure; others are left alone."""
    axes = [ax for ax in figure.axes if hasattr(ax, "get_zlim") and ax.get_visible()]
    for _ in range(PASSES) if axes else ():
        figure.draw_without_rendering()
        factors = [_factor(figure, ax) for ax in axes]
        for ax, factor in zip(axes, factors, strict=True):
            ax._box_aspect = ax._box_aspect * factor  # set_box_aspect normalises sides, so it cannot tell the zoom


def _factor(figure: Any, ax: Any) -> float:
    """How much larger the content of axes may be."""
    square, place = _corners(ax.bbox), _place(figure, ax)
    middle = square.mean(axis=0)
    inside = np.array([np.maximum(square[0], place[0]), np.minimum(square[1], place[1])])
    parts = [_room(middle, corner, np.zeros((2, 2)), inside) for corner in _box(ax)]
    parts += [_room(middle, anchor, around, place) for anchor, around in _words(ax)]
    return float(np.clip(min(parts), LEAST, MOST))


def _room(middle: Array, anchor: Array, around: Array, place: Array) -> float:
    """Largest factor of the distance of an anchor (2,) from the middle, with what stands around it in its place."""
    way = anchor - middle
    ends = np.where(way > 0, place[1] - around[1], place[0] - around[0]) - middle
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmin(np.where(np.abs(way) > 1.0, np.maximum(ends / way, 0.0), np.inf)))


def _corners(box: Any) -> Array:
    """(2, 2) lower left and upper right corner of a box [pixels]."""
    return np.array([[box.x0, box.y0], [box.x1, box.y1]])


def _on_screen(ax: Any, point: Any) -> Array:
    """(2,) a point of spatial axes in the picture [pixels]."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    x, y, _ = proj_transform(*point, ax.get_proj())
    return np.asarray(ax.transData.transform((float(x), float(y))))


def _box(ax: Any) -> list[Array]:
    """The corners of the box of spatial axes in the picture."""
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    return [_on_screen(ax, limits[[0, 1, 2], [i, j, k]]) for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def _words(ax: Any) -> Iterator[tuple[Array, Array]]:
    """Anchor (2,) of every word in spatial axes, and its box (2, 2) about that."""
    words = list(ax.texts)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        low, high = sorted(axis.get_view_interval())
        words += [axis.label, *(tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)]
    for text in words:
        if not text.get_visible() or not text.get_text().strip():
            continue
        drawn = text.get_transform().transform(text.get_unitless_position())
        around = _corners(text.get_window_extent()) - drawn
        spatial = hasattr(text, "get_position_3d")
        yield (_on_screen(ax, text.get_position_3d()) if spatial else drawn), around


def _place(figure: Any, ax: Any) -> Array:
    """(2, 2) corners of the part of a figure that axes may fill: up to its title and to the axes beside them."""
    own = _corners(ax.bbox)
    place = _corners(figure.bbox)
    if ax.get_title():
        place[1, 1] = ax.title.get_window_extent().y0
    for other in figure.axes:
        if other is ax or not other.get_visible():
            continue
        spatial = hasattr(other, "get_zlim")
        beside = _corners(other.bbox if spatial else other.get_tightbbox())
        if spatial and other.get_title():
            beside[1, 1] = other.title.get_window_extent().y1
        _keep_apart(place, own, beside, shared=spatial)
    gap = GAP * figure.dpi / 72
    return place + np.array([[gap, gap], [-gap, -gap]])


def _keep_apart(place: Array, own: Array, other: Array, *, shared: bool) -> None:
    """Shrink a place to what another box leaves of it; half of what is between two spatial axes is for each."""
    for k in (0, 1):
        between = 1 - k
        if other[0, between] >= place[1, between] or other[1, between] <= place[0, between]:
            continue
        if other[0, k] >= own[:, k].mean() and other[1, k] > own[1, k]:
            edge = (own[1, k] + other[0, k]) / 2 if shared else other[0, k]
            place[1, k] = min(place[1, k], edge)
            return
        if other[1, k] <= own[:, k].mean() and other[0, k] < own[0, k]:
            edge = (own[0, k] + other[1, k]) / 2 if shared else other[1, k]
            place[0, k] = max(place[0, k], edge)
            return
