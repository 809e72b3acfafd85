"""The shapes of an arm's links as polygons behind its lines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.spatial.rotations import Array
from lissom.views.arms.skeleton import Skeleton
from lissom.views.arms.stage import Plane
from lissom.views.figures.palette import palette
from lissom.views.scene.scene import primitive
from lissom.views.scene.silhouettes import hull
from lissom.views.scene.solids import Mesh

PALE = 0.55  # of the colour of the ground in that of a body, so that lines in front of it are seen
PLAIN = "#9aa7b0"  # of shapes without a colour
EDGE = 0.8  # brightness of outlines relative to faces
DARKEST = 0.7  # brightness of faces that the light does not reach
LIGHT = np.array([0.35, -0.55, 0.75])  # direction to the light


class Body(NamedTuple):
    """A shape in the world, and its colour (3,)."""

    mesh: Mesh
    colour: Array


def bodies(bones: Skeleton) -> list[Body]:
    """Boxes, cylinders and spheres of the links that are drawn; those of flexible links, and mesh files, are not."""
    from matplotlib.colors import to_rgb

    arm, hidden = bones.arm, bones.hidden
    shapes = [(np.eye(4), shape) for shape in arm.shapes]
    for i, link in enumerate(arm.links):
        if i not in hidden and not link.flexible:
            shapes += [(bones.X[i], shape) for shape in link.shapes]
    ground = np.array(to_rgb(palette().ground))
    return [
        Body(primitive(shape).placed(X), PALE * ground + (1 - PALE) * np.array(to_rgb(shape.colour or PLAIN)))
        for X, shape in shapes
        if shape.kind != "mesh" and shape.role != "collision"
    ]


def put_bodies(ax: Any, found: list[Body], plane: Plane | None) -> None:
    """Draw bodies into axes of a plane or of space, behind lines."""
    if not found:
        return
    if plane is None:
        ax.computed_zorder = False  # else lines inside bodies disappear
        ax.add_collection3d(_in_space(found))
    else:
        ax.add_collection(_in_plane(found, plane), autolim=False)


def _in_plane(found: list[Body], plane: Plane) -> Any:
    """Outlines, those behind first."""
    from matplotlib.collections import PolyCollection

    right, up = np.eye(3)[list(plane)]
    ordered = sorted(found, key=lambda body: float(body.mesh.vertices.mean(axis=0) @ np.cross(right, up)))
    corners = [(hull(body.mesh.vertices[:, list(plane)]), body.colour) for body in ordered]
    seen = [(some, colour) for some, colour in corners if len(some) > 2]
    colours = [colour for _, colour in seen]
    return PolyCollection([some for some, _ in seen], facecolors=colours, edgecolors=[EDGE * one for one in colours],
                          linewidths=0.6, zorder=0.9)  # fmt: skip


def _in_space(found: list[Body]) -> Any:
    """Triangles, lighter where they face the light."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    corners, colours = [], []
    for mesh, colour in found:
        triangles = mesh.vertices[mesh.faces]
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        seen = lengths > 0.0
        facing = normals[seen] @ LIGHT / (lengths[seen] * np.linalg.norm(LIGHT))
        bright = DARKEST + (1 - DARKEST) * (1 + facing) / 2
        corners.append(triangles[seen])
        colours.append(bright[:, None] * colour)
    return Poly3DCollection(np.concatenate(corners), facecolors=np.concatenate(colours), linewidths=0, zorder=0.5)
