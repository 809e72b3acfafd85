"""Three-dimensional figure of an arm: links, joint axes, centres of mass, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.spatial.frames import inverse, pose
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm, as_state
from lissom.views.figures import new_figure
from lissom.views.palette import COLOURS, FLEXIBLE, LINK
from lissom.views.skeleton import Skeleton, twigs
from lissom.views.stage import equal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRISMATIC, REVOLUTE, _, MASS, CLOSURE = COLOURS[:5]
TRIAD = (COLOURS[1], COLOURS[2], COLOURS[0])
MOST_LABELS = 24


def draw(arm: Arm, q: ArrayLike | None = None, *, labels: bool = True, ax: Any = None) -> Figure:
    """Draw an arm at one configuration and return the figure.

    Parameters
    ----------
    arm : Arm
    q : (dof,)          positions, default `arm.ready`
    labels : bool       show the names of the links
    ax : Axes3D         draw into existing axes

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import lissom as ls
    >>> figure = ls.draw(ls.load("puma560"), [0, 0.8, -0.6, 0, 0.4, 0])
    >>> figure.savefig("puma.png")  # doctest: +SKIP
    """
    state = as_state(as_arm(arm, "draw"), arm.ready if q is None else q, "q", "draw")
    if state.ndim != 1:
        raise InputError(f"draw: q has shape {state.shape}; expected one state ({arm.dof},).")
    if ax is not None and not hasattr(ax, "get_zlim"):
        raise InputError("draw: ax is not three-dimensional; make it with add_subplot(projection='3d').")
    bones = Skeleton(arm, state)
    ax = _axes() if ax is None else ax
    size = equal(ax, np.vstack([np.zeros(3), bones.points, bones.centres]), 1.15)
    _triad(ax, pose(), 0.12 * size)
    for i, link in enumerate(arm.links):
        _draw_link(ax, bones, i)
        if link.joint.moves:
            _draw_joint(ax, link.joint, bones.X[i], bones.origins[i], link.frame, 0.09 * size)
        for tool in link.tools:
            _triad(ax, bones.tips[i] @ tool.placement, 0.06 * size)
    _closures(ax, bones)
    if labels and len(arm.links) <= MOST_LABELS:
        _labels(ax, arm, bones.origins, 0.02 * size)
    _masses(ax, arm, bones.centres)
    for i in set(range(len(arm.links))) - {int(i) for i in arm.parent_index}:  # the ends of the branches that move
        if _moves(arm, i):
            _triad(ax, bones.tips[i], 0.08 * size)
    if np.any(arm.gravity):
        _gravity(ax, arm.gravity, 0.15 * size)
    _words(ax, arm)
    return ax.figure


def _axes() -> Any:
    return new_figure(7.5, 7).add_subplot(projection="3d")


def _draw_link(ax: Any, bones: Skeleton, i: int) -> None:
    """A line from where the link hangs to its joint, and on to its frame or tip; to its mass at a branch's end."""
    _line(ax, [bones.starts[i], bones.origins[i]], LINK, 3.0)
    _line(ax, [bones.origins[i], bones.X[i, :3, 3]], LINK, 3.0)
    if i in bones.beams:
        _line(ax, bones.beams[i][:, :3, 3], FLEXIBLE, 4.5)
    elif i in twigs(bones.arm):
        _line(ax, [bones.origins[i], bones.centres[i]], LINK, 1.5)


def _closures(ax: Any, bones: Skeleton) -> None:
    """Lines to the ends of loops, and where they are closed."""
    for i, end in bones.closures:
        _line(ax, bones.anchored(i, end), LINK, 3.0 if i >= 0 else 1.0)
        ax.plot(*end[:, None], marker="D", color=CLOSURE, markerfacecolor="white", markersize=6)


def _draw_joint(ax: Any, joint: Any, X: Array, origin: Array, frame: Array, length: float) -> None:
    z = (X @ inverse(frame))[:3, :3] @ joint.axis
    colour = REVOLUTE if joint.kind == "revolute" else PRISMATIC
    marker = {"revolute": "o", "prismatic": "s"}[joint.kind]
    face = colour if joint.actuated else "white"
    ax.plot(*origin[:, None], marker=marker, color=colour, markerfacecolor=face, markersize=7)
    _line(ax, [origin - length * z, origin + length * z], colour, 1.2, ":")


def _labels(ax: Any, arm: Arm, origins: Array, near: float) -> None:
    """Names at the joints; joints that share a place share a label."""
    places: list[tuple[Array, list[str]]] = []
    for link, origin in zip(arm.links, origins, strict=True):
        for place, names in places:
            if np.linalg.norm(place - origin) < near:
                names.append(link.name)
                break
        else:
            places.append((origin, [link.name]))
    for place, names in places:
        ax.text(*place, "   " + ", ".join(names), fontsize=7, color="#333333", parse_math=False)


def _masses(ax: Any, arm: Arm, coms: Array) -> None:
    masses = np.array([link.body.mass for link in arm.links])
    for mass, com in zip(masses, coms, strict=True):
        if mass > 0.0:
            ax.scatter(*com, s=120 * (mass / masses.max()) ** (2 / 3), color=MASS, alpha=0.6, linewidths=0)


def _moves(arm: Arm, i: int) -> bool:
    """Some joint on the way to link i moves."""
    while i >= 0 and not arm.links[i].joint.moves:
        i = int(arm.parent_index[i])
    return i >= 0


def _gravity(ax: Any, gravity: Array, length: float) -> None:
    """An arrow where the base is, along gravity."""
    down = gravity / np.linalg.norm(gravity) * length
    ax.quiver(0, 0, 0, *down, color="#999999", linewidth=1.2, arrow_length_ratio=0.25)
    ax.text(*(1.15 * down), "g", fontsize=8, color="#777777")


def _triad(ax: Any, X: Array, length: float) -> None:
    for column, colour in enumerate(TRIAD):
        _line(ax, [X[:3, 3], X[:3, 3] + length * X[:3, column]], colour, 1.6)


def _line(ax: Any, points: ArrayLike, colour: str, width: float, style: str = "-") -> None:
    ax.plot(*np.transpose(points), style, color=colour, linewidth=width, solid_capstyle="round")


def _words(ax: Any, arm: Arm) -> None:
    from matplotlib.lines import Line2D

    ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    ax.set_title(
        f"{arm.name}: {len(arm.joints)} joints, {arm.dof} coordinates, {arm.mass:.3g} kg", fontsize=11, parse_math=False
    )

    def dot(marker: str, colour: str, label: str) -> Any:
        return Line2D([], [], color=colour, marker=marker, linestyle="", label=label)

    kinds = {link.joint.kind for link in arm.links}
    entries = [dot("o", REVOLUTE, "revolute joint")] if "revolute" in kinds else []
    entries += [dot("s", PRISMATIC, "prismatic joint")] if "prismatic" in kinds else []
    if not all(joint.actuated for joint in arm.joints):
        entries.append(
            Line2D([], [], color="#333333", marker="o", markerfacecolor="white", linestyle="", label="passive")
        )
    if arm.loops:
        entries.append(
            Line2D([], [], color=CLOSURE, marker="D", markerfacecolor="white", linestyle="", label="closed loop")
        )
    entries += [dot("o", MASS, "centre of mass")] if arm.mass else []
    entries += [Line2D([], [], color=FLEXIBLE, linewidth=4, label="flexible link")] if arm.flexible else []
    entries += [Line2D([], [], color=colour, label=f"{axis} axis") for axis, colour in zip("xyz", TRIAD, strict=True)]
    ax.legend(handles=entries, fontsize=8, loc="upper left")
