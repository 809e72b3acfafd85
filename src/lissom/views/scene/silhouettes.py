"""Outlines of the solids of a scene as they are seen from one side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.gait.legs import side_of
from lissom.spatial.rotations import Array
from lissom.views.scene.scene import Look, Scene

DEPTH = {"left": 0.0, None: 1.0, "right": 2.0}  # of limbs that lie in one plane, seen from the right
SMALLEST = 0.005  # of the arm's size
EDGE, SHADE = 0.9, 0.6  # width of the lines around parts, and their colour relative to that of the parts


class Patch(NamedTuple):
    """A polygon: corners (n, 2), colours of its face and its edge, and the width of its edge."""

    corners: Array
    face: Array
    edge: Array
    width: float


class Silhouette:
    """The parts of an arm as polygons, seen with `across` (3,) to the right and `up` (3,) upwards."""

    def __init__(self, scene: Scene, across: Array, up: Array):
        self.scene, self.view, self.toward = scene, np.stack([across, up]), np.cross(across, up)
        shown = [solid for solid in scene.solids if solid.part_of_arm
                 and np.ptp(solid.mesh.vertices, axis=0).max() > SMALLEST * scene.size]  # fmt: skip
        self.solids = [(solid, _pieces(solid.mesh)) for solid in shown]

    def patches(self, look: Look) -> list[Patch]:
        """Polygons from those behind to those in front: of every solid first what shows around its pieces."""
        found: list[tuple[float, list[Patch]]] = []
        for solid, pieces in self.solids:
            X = look.frames[solid.frame]
            points = [piece @ X[:3, :3].T + X[:3, 3] for piece in pieces]
            side = side_of(self.scene.arm.links[solid.frame % len(self.scene.arm.links)].name)
            depth = float((np.vstack(points) @ self.toward).mean()) + 1e-3 * self.scene.size * DEPTH[side]
            corners = [some for some in (hull(one @ self.view.T) for one in points) if len(some) > 2]
            face = np.array(solid.colour) / 255
            around = [Patch(one, SHADE * face, SHADE * face, EDGE) for one in corners]
            found.append((depth, [*around, *(Patch(one, face, face, 0.0) for one in corners)]))
        return [patch for _, patches in sorted(found, key=lambda one: one[0]) for patch in patches]


def put(collection: Any, patches: Sequence[Patch], shift: Array) -> None:
    """Put polygons into a `PolyCollection`, moved by `shift` (2,)."""
    collection.set_verts([patch.corners + shift for patch in patches])
    collection.set(facecolors=[patch.face for patch in patches], edgecolors=[patch.edge for patch in patches],
                   linewidths=[patch.width for patch in patches])  # fmt: skip


def _pieces(mesh: Any) -> list[Array]:
    """Vertices (n, 3) of the connected pieces of a mesh."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    faces, n = mesh.faces, len(mesh.vertices)
    a, b = faces[:, [0, 1]].ravel(), faces[:, [1, 2]].ravel()
    count, label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)
    return [mesh.vertices[label == k] for k in range(count) if (label == k).sum() > 2]


def hull(points: Array) -> Array:
    """(n, 2) corners around points (m, 2), anticlockwise; fewer than three where they lie on one line."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    lower, upper = _chain(order), _chain(order[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: Array) -> list[Array]:
    """One half of a hull: the points that turn to the left."""
    out: list[Array] = []
    for point in points:
        while len(out) > 1 and _turn(out[-2], out[-1], point) <= 0:
            out.pop()
        out.append(point)
    return out


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def arrow(start: Array, way: Array, width: float) -> Array:
    """(7, 2) corners of an arrow; its head is as long as it can be up to six widths."""
    length = float(np.linalg.norm(way))
    along = way / length
    beside = np.array([-along[1], along[0]])
    head = min(6 * width, 0.6 * length)
    neck = start + (length - head) * along
    half, wing = width / 2 * beside, 2.2 * width * beside
    return np.array([start - half, neck - half, neck - wing, start + way, neck + wing, neck + half, start + half])
