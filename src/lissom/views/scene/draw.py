"""Figure of an arm: links, joint axes, centres of mass, frames; flat for planar arms, in space for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.kernels.arguments import as_arm, as_state
from lissom.keywords import check_keywords, without_unknown
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.spatial.frames import inverse, pose
from lissom.spatial.rotations import Array
from lissom.views.arms import stage
from lissom.views.arms.skeleton import Skeleton, moving, twigs
from lissom.views.figures.curves import spread
from lissom.views.figures.figure import new_figure
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.figures.style import figure_style
from lissom.views.scene.bodies import bodies, put_bodies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LABELS = 24
MOST_SHARED, LONGEST = 3, 34  # names of joints at one place, and letters of all of them
CENTRE_LINE = (0, (9, 3, 2, 3))  # dash and dot, as axes are drawn in engineering
BAR, AXIS, BASE_TRIAD, TIP_TRIAD, GRAVITY = 5.0, 0.09, 0.13, 0.07, 0.13  # points; others of the view
Z_PAD = 6  # points between the z axis and its numbers, which are centred there
LABEL_GAP, LABEL_ASIDE = 0.04, 0.07  # between names, and from joints to names, of the view
FLAT = 1e-9  # sine of the angle of an axis to a plane that counts as zero


@without_unknown
def draw(
    arm: Arm,
    q: ArrayLike | None = None,
    *,
    labels: bool = True,
    ax: Any = None,
    theme: str | None = None,
    **unknown: Never,
) -> Figure:
    """Draw an arm at one configuration and return the figure.

    Links are thick lines, the axes of joints thin ones of dashes and dots, frames red, green and blue arrows (x, y, z).
    Boxes, cylinders and spheres of rigid links are drawn behind the lines; mesh files are not (`view` shows them).
    Planar arms are drawn in their plane. Links without mass that only let a body with contacts move freely are omitted.

    Parameters
    ----------
    arm : Arm
    q : (dof,)          positions, default `arm.ready`
    labels : bool       show the names of the links
    ax : Axes3D         draw into existing axes
    theme : "light", "dark" or None    colours, as in `plot`

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import lissom as ls
    >>> figure = ls.draw(ls.load("puma560"), [0, 0.8, -0.6, 0, 0.4, 0])
    >>> figure.savefig("puma.png")  # doctest: +SKIP
    """
    check_keywords(draw, unknown)
    state = as_state(as_arm(arm, "draw"), arm.ready if q is None else q, "q", "draw")
    if state.ndim != 1:
        raise InputError(f"draw: q has shape {state.shape}; expected one state ({arm.dof},).")
    if ax is not None and not hasattr(ax, "get_zlim"):
        raise InputError("draw: ax is not three-dimensional; make it with add_subplot(projection='3d').")
    with figure_style(theme):
        bones = Skeleton(arm, state)
        plane = plane_of_arm(bones) if ax is None else None
        board = _Board(_axes(bones, plane) if ax is None else ax, bones, plane)
        _draw_arm(board, bones)
        if labels and len(arm.links) <= MOST_LABELS:
            (_labels_above if plane else _labels)(board, bones)
        _words(board.ax, bones, plane)
    return board.ax.figure


def plane_of_arm(bones: Skeleton) -> stage.Plane | None:
    """Return the two world axes of the plane in which an arm stays however it moves; None where it leaves it."""
    plane = stage.plane_of(_points(bones))
    if plane is None:
        return None
    (normal,) = {0, 1, 2} - set(plane)
    for i in moving(bones.arm):
        joint, along = bones.arm.links[i].joint, abs(_axis(bones, i)[normal])
        if (joint.rotation and 1.0 - along > FLAT) or (joint.travel and along > FLAT):
            return None
    return plane


def _axis(bones: Skeleton, i: int) -> Array:
    """(3,) direction of the joint of link i."""
    link = bones.arm.links[i]
    return np.asarray((bones.X[i] @ inverse(link.frame))[:3, :3] @ link.joint.axis)


class _Board:
    """Axes of a plane or of space that take points in space."""

    def __init__(self, ax: Any, bones: Skeleton, plane: stage.Plane | None):
        self.ax, self.plane = ax, plane
        self.shown = list(plane or (0, 1, 2))
        found = bodies(bones)
        points = np.vstack([_points(bones), bones.centres, *(body.mesh.vertices for body in found)])
        margin = 1.25 if plane else 1.15
        self.size = stage.equal(ax, points[:, self.shown], margin, tight=True)
        put_bodies(ax, found, plane)

    def line(self, points: ArrayLike, colour: str, width: float, style: Any = "-", **more: Any) -> None:
        """Draw a line through points (n, 3)."""
        data = np.reshape(points, (-1, 3))[:, self.shown].T
        self.ax.plot(*data, linestyle=style, color=colour, linewidth=width, solid_capstyle="round", **more)

    def dot(self, point: Array, marker: str, colour: str, size: float, **more: Any) -> None:
        """Draw a marker at a point (3,)."""
        self.line(point, colour, 0.0, "", marker=marker, markersize=size, **more)

    def arrow(self, start: Array, along: Array, colour: str, label: str = "") -> None:
        """Draw an arrow from a point (3,), unless it is seen from its end, and a letter at its head."""
        way = along[self.shown]
        if np.linalg.norm(way) < 0.05 * np.linalg.norm(along):
            return
        if self.plane:
            self.ax.quiver(*start[self.shown], *way, color=colour, angles="xy", scale_units="xy", scale=1, width=0.004)
        else:
            self.ax.quiver(*start, *way, color=colour, linewidth=1.3, arrow_length_ratio=0.3)
        if label:
            self.ax.text(*(start[self.shown] + 1.18 * way), label, color=colour, fontsize="small", ha="center",
                         va="center")  # fmt: skip

    def triad(self, X: Array, length: float, names: str = "   ") -> None:
        """Draw the axes of a frame as arrows."""
        for k, colour in enumerate(palette().triad):
            self.arrow(X[:3, 3], length * self.size * X[:3, k], colour, names[k].strip())


def _axes(bones: Skeleton, plane: stage.Plane | None) -> Any:
    """New axes, as tall as the arm needs."""
    points = np.vstack([_points(bones), *(body.mesh.vertices for body in bodies(bones))])
    figure = new_figure(7.5, 6.2 * stage.proportion(points, plane) + 1.2 if plane else 7.0)
    return figure.add_subplot(projection=None if plane else "3d")


def _points(bones: Skeleton) -> Array:
    """(points, 3) of all lines, and the origin."""
    return np.vstack([bones.points, np.zeros(3)])


def _draw_arm(board: _Board, bones: Skeleton) -> None:
    """Draw the base, then links, joints, frames, masses and gravity."""
    arm = bones.arm
    _base(board, bones)
    for i, link in enumerate(arm.links):
        if i in bones.hidden:
            continue
        _draw_link(board, bones, i)
        if bones.shows_joint(i):
            _draw_joint(board, bones, i)
        for tool in link.tools:
            board.triad(bones.tips[i] @ tool.placement, TIP_TRIAD)
    _closures(board, bones)
    _masses(board, bones)
    for end in arm.ends:  # those with tools have axes at these
        if not arm.link(end).tools and _moves(arm, arm.index(end)):
            board.triad(bones.tips[arm.index(end)], TIP_TRIAD)
    if np.any(arm.gravity):
        _gravity(board, arm.gravity)


def _base(board: _Board, bones: Skeleton) -> None:
    """The world frame, and lines from it to the first joints: the base does not move, so they are lighter."""
    board.triad(pose(), BASE_TRIAD, "xyz")
    shade = palette().resting
    board.dot(np.zeros(3), "s", shade, 9.0, zorder=1.0)
    for i in set(np.flatnonzero(bones.arm.parent_index < 0)) - bones.hidden:
        board.line(np.array(bones.to_joint(int(i))), shade, BAR)


def _draw_link(board: _Board, bones: Skeleton, i: int) -> None:
    """A line from where the link hangs to its joint, and on to its frame or tip; to its mass at a branch's end."""
    own = palette()
    if bones.arm.parent_index[i] >= 0:
        board.line(np.array(bones.to_joint(int(i))), own.link, BAR)
    board.line([bones.origins[i], bones.X[i, :3, 3]], own.link, BAR)
    if i in bones.beams:
        board.line(bones.beams[i][:, :3, 3], own.flexible, BAR)
    elif i in twigs(bones.arm):
        board.line([bones.origins[i], bones.centres[i]], own.link, 0.6 * BAR)


def _closures(board: _Board, bones: Skeleton) -> None:
    """Lines to the ends of loops, and where they are closed."""
    own = palette()
    for i, end in bones.closures:
        board.line(bones.anchored(i, end), own.link if i >= 0 else own.resting, BAR)
        board.dot(end, "D", curve_colour(4), 6.0, markerfacecolor=own.ground)


def _draw_joint(board: _Board, bones: Skeleton, i: int) -> None:
    """A marker by kind, filled where a motor drives it, on a thin line along the axis."""
    joint, origin = bones.arm.links[i].joint, bones.origins[i]
    marker, colour = _joint_look(joint)
    reach = AXIS * board.size * _axis(bones, i)
    board.line([origin - reach, origin + reach], palette().muted, 0.9, CENTRE_LINE)
    face = colour if joint.actuated else palette().ground
    board.dot(origin, marker, colour, 8.0, markerfacecolor=face, markeredgewidth=1.5, zorder=4.0)


def _joint_look(joint: Joint) -> tuple[str, str]:
    """Marker and colour of a joint that rotates, that slides, or both."""
    if not joint.travel:
        return "o", curve_colour(1)
    return ("h", curve_colour(5)) if joint.rotation else ("s", curve_colour(0))


def _masses(board: _Board, bones: Skeleton) -> None:
    """Discs at the centres of mass, larger for larger masses."""
    masses = np.array([link.body.mass for link in bones.arm.links])
    for mass, com in zip(masses, bones.centres, strict=True):
        if mass > 0.0:
            size = 11.0 * (mass / masses.max()) ** (1 / 3)
            board.dot(com, "o", curve_colour(3), size, alpha=0.55, markeredgewidth=0, zorder=3.0)


def _moves(arm: Arm, i: int) -> bool:
    """Some joint on the path to link i moves."""
    while i >= 0 and not arm.links[i].joint.moves:
        i = int(arm.parent_index[i])
    return i >= 0


def _gravity(board: _Board, gravity: Array) -> None:
    """An arrow along gravity in a corner of the view, away from the arm."""
    corner = np.zeros(3)
    sides = (("x", 1), ("y", 1)) if board.plane else (("x", 0), ("y", 1), ("z", 1))
    for k, (axis, side) in zip(board.shown, sides, strict=True):
        corner[k] = getattr(board.ax, f"get_{axis}lim")()[side]
    inside = GRAVITY * board.size
    if board.plane:
        corner[board.shown] -= 0.3 * inside
    board.arrow(corner, gravity / np.linalg.norm(gravity) * inside, palette().muted, "g")


def _labels(board: _Board, bones: Skeleton) -> None:
    """Names of links in a column right of the arm, with thin lines to their joints; the z axis is on the left."""
    right, up = _screen(board)
    places = _shared_places(bones, 0.02 * board.size)
    at = np.array([place for place, _ in places])
    across, high, gap = at @ right, at @ up, LABEL_GAP * board.size
    edge = (bones.points @ right).max() + LABEL_ASIDE * board.size
    for k, spot in enumerate(spread(high + gap / 2, gap, -np.inf, np.inf)):
        to = at[k] + (edge - across[k]) * right + (spot - high[k]) * up
        _label(board, at[k], to, places[k][1], "left")
    for move in (board.ax.zaxis.set_ticks_position, board.ax.zaxis.set_label_position):
        move("lower")


def _labels_above(board: _Board, bones: Skeleton) -> None:
    """Names of links above and below their joints in turn: planar arms often lie along a line."""
    places = _shared_places(bones, 0.02 * board.size)
    _, up = _screen(board)
    for k, (place, names) in enumerate(places):
        _label(board, place, place + (1 if k % 2 else -1) * LABEL_ASIDE * board.size * up, names, "center")


def _label(board: _Board, place: Array, to: Array, names: list[str], align: str) -> None:
    """Write names at `to` (3,), with a thin line from a joint."""
    board.line([place, to], palette().muted, 0.5, ":", zorder=5.0)
    words = _joined(names)
    back = {"facecolor": palette().ground, "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
    board.ax.text(*to[board.shown], f" {words} ", fontsize="small", ha=align, va="center", parse_math=False,
                  zorder=6.0, bbox=back)  # fmt: skip


def _joined(names: list[str]) -> str:
    """Return the names of joints at one place, as many as there is room for."""
    shown = names[:MOST_SHARED]
    while len(shown) > 1 and len(", ".join(shown)) > LONGEST:
        shown.pop()
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _screen(board: _Board) -> tuple[Array, Array]:
    """Unit vectors in the world that point right and up in the picture."""
    if board.plane:
        right, up = np.eye(3)[board.shown]
        return right, up
    elevation, azimuth = np.radians([board.ax.elev, board.ax.azim])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    up = np.array([-np.sin(elevation) * np.cos(azimuth), -np.sin(elevation) * np.sin(azimuth), np.cos(elevation)])
    return right, up


def _shared_places(bones: Skeleton, near: float) -> list[tuple[Array, list[str]]]:
    """Return the places of joints, and the links behind them."""
    places: list[tuple[Array, list[str]]] = []
    for i, (link, origin) in enumerate(zip(bones.arm.links, bones.origins, strict=True)):
        if i in bones.hidden:
            continue
        for place, names in places:
            if np.linalg.norm(place - origin) < near:
                names.append(link.name)
                break
        else:
            places.append((origin, [link.name]))
    return places


def _words(ax: Any, bones: Skeleton, plane: stage.Plane | None) -> None:
    """Names of axes, title, and a legend: below a plane, in the empty corner of a spatial view."""
    from matplotlib.lines import Line2D

    arm = bones.arm
    stage.name_axes(ax, plane)
    if plane is None:
        ax.tick_params(axis="z", pad=Z_PAD)
    ax.set_title(f"{arm.name}: {len(arm.joints)} joints, {arm.dof} coordinates, {arm.mass:.3g} kg", parse_math=False,
                 fontsize=11)  # fmt: skip
    own, shown = palette(), [link.joint for i, link in enumerate(arm.links) if bones.shows_joint(i)]
    kinds = {joint.kind: joint for joint in shown}

    def dot(marker: str, colour: str, label: str, **more: Any) -> Any:
        return Line2D([], [], color=colour, marker=marker, markersize=6, linestyle="", label=label, **more)

    entries = [dot(*_joint_look(kinds[kind]), f"{kind} joint") for kind in sorted(kinds, reverse=True)]
    entries.append(Line2D([], [], color=own.muted, linewidth=0.9, linestyle=CENTRE_LINE, label="joint axis"))
    if not all(joint.actuated for joint in shown):
        entries.append(dot("o", own.ink, "passive", markerfacecolor=own.ground))
    if arm.loops:
        entries.append(dot("D", curve_colour(4), "closed loop", markerfacecolor=own.ground))
    entries += [dot("o", curve_colour(3), "centre of mass", alpha=0.55, markeredgewidth=0)] if arm.mass else []
    entries += [Line2D([], [], color=own.flexible, linewidth=4, label="flexible link")] if arm.flexible else []
    if plane is None:
        ax.legend(handles=entries, loc="upper left", handlelength=2.2)
    else:
        ax.figure.legend(handles=entries, loc="outside lower center", ncols=4, columnspacing=1.2, handlelength=2.2)
