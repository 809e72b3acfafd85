"""The body over a stride, from the side, with the forces on its feet and the places where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.gait.axes import Axes
from lissom.gait.legs import side_of
from lissom.gait.report import GaitReport
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.arms.skeleton import Skeleton, twigs
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSES = 11
APART = 0.42  # of the body's height, between poses
FORCE = 0.45  # length of a force of one body weight, of the body's height
LEAST = 0.02  # shortest force that is drawn, of body weight


def stride(result: Any) -> Figure:
    """Plot poses over a stride at equal intervals, moved apart, with the force on each foot."""
    if not isinstance(result, GaitReport):
        raise InputError("plot: curves of a reference have no poses; kind 'stride' is for a GaitReport.")
    samples, arm = result.samples, result.samples.arm
    travel = samples.q[-1] - samples.q[0]
    chosen = np.unique(np.linspace(0, len(samples.t) - 1, POSES).round().astype(int))
    q = samples.q[chosen]
    skeleton = Skeleton(arm, q)
    axes = Axes.of(skeleton.X[-1, -1, :3, 3] - skeleton.X[0, -1, :3, 3] if np.abs(travel).any() else np.eye(3)[0],
                   -arm.gravity)  # fmt: skip
    view = np.stack([axes.forward, axes.up])
    places = _points(arm, q, samples.contacts)
    ground = float((places @ axes.up).min())
    height = float((skeleton.rigid @ axes.up)[np.isfinite(skeleton.rigid[..., 0])].max() - ground)
    middle = np.mean(skeleton.origins @ axes.forward, axis=1)
    figure = new_figure(9.6, 3.6)
    ax = figure.subplots()
    for k in range(len(q)):
        shift = np.array([k * APART * height - middle[k], -ground])
        _body(ax, skeleton, k, view, shift)
        _feet(ax, places[k], samples.forces[chosen[k]], result, view, shift, height)
        share = 100 * (samples.t[chosen[k]] - samples.t[0]) / (samples.t[-1] - samples.t[0])
        ax.text(k * APART * height, -0.06 * height, f"{share:.0f} %", ha="center", va="top", fontsize="small",
                color=palette().muted)  # fmt: skip
    ax.axhline(0.0, color=palette().muted, linewidth=0.8, zorder=0.5)
    ax.set_aspect("equal")
    ax.set_axis_off()
    _legend(ax)
    set_title(figure, f"{result.name}: one stride, {100 / (len(q) - 1):.0f} % of the cycle between poses")
    return figure


def _colour(side: str | None) -> str:
    return palette().link if side is None else curve_colour(0 if side == "right" else 1)


def _points(arm: Arm, q: Array, contacts: Any) -> Array:
    """(poses, contacts, 3) places of the contacts."""
    return np.stack([pose(arm, q, one.link, one.point)[..., :3, 3] for one in contacts], axis=-2)


def _body(ax: Any, skeleton: Skeleton, k: int, view: Array, shift: Array) -> None:
    """The links of one pose; the legs and arms of either side in their colours, the left behind."""
    arm = skeleton.arm
    for i, link in enumerate(arm.links):
        if int(arm.parent_index[i]) < 0 or not arm.links[int(arm.parent_index[i])].body.mass:
            if not any(int(parent) == i for parent in arm.parent_index):
                continue
        side = side_of(link.name, link.joint.name)
        above = side_of(arm.links[int(arm.parent_index[i])].name) if arm.parent_index[i] >= 0 else None
        points = [skeleton.starts[k, i], skeleton.origins[k, i]]
        if int(arm.parent_index[i]) >= 0 and arm.links[int(arm.parent_index[i])].body.mass:
            _line(ax, np.array(points), above, view, shift)
        if i in twigs(arm):
            _line(ax, np.array([skeleton.origins[k, i], skeleton.centres[k, i]]), side, view, shift)


def _line(ax: Any, points: Array, side: str | None, view: Array, shift: Array) -> None:
    x, y = view @ points.T + shift[:, None]
    order = {"right": 3.0, None: 2.5, "left": 2.0}[side]
    ax.plot(x, y, color=_colour(side), linewidth=2.2, solid_capstyle="round", zorder=order)
