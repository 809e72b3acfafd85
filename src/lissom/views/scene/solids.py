"""Solids as triangles: what a scene is made of, before anyone draws it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.spatial.rotations import Array

AROUND, ALONG = 24, 9  # points of a round surface

Faces = NDArray[np.intp]


class Mesh(NamedTuple):
    """Triangles: vertices (n, 3) [m] and faces (m, 3) that run anticlockwise, seen from outside."""

    vertices: Array
    faces: Faces

    def placed(self, X: Array) -> Mesh:
        """The same in a frame where its own has pose X."""
        return Mesh(self.vertices @ X[:3, :3].T + X[:3, 3], self.faces)

    @property
    def corners(self) -> Array:
        """(8, 3) corners of the box around it."""
        ends = np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)])
        return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def joined(meshes: list[Mesh]) -> Mesh:
    """Several as one."""
    starts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]])
    return Mesh(
        np.vstack([mesh.vertices for mesh in meshes]),
        np.vstack([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def capsule_surface(a: ArrayLike, b: ArrayLike, radius: float, rings: int = 0) -> Array:
    """Points (rows, AROUND, 3) of a capsule from a to b (3,): half a ball, `rings` more along the tube, half a ball.

    The first and the last point of a row are the same.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    axis, across = _along(b - a)
    up = np.linspace(-np.pi / 2, np.pi / 2, 2 * ALONG)
    share = np.where(up < 0, 0.0, 1.0)
    between = np.linspace(0.0, 1.0, rings + 2)[1:-1]
    share = np.concatenate([share[:ALONG], between, share[ALONG:]])
    wide = np.concatenate([np.cos(up[:ALONG]), np.ones(rings), np.cos(up[ALONG:])])
    high = np.concatenate([np.sin(up[:ALONG]), np.zeros(rings), np.sin(up[ALONG:])])
    centre = a + share[:, None] * (b - a)
    return centre[:, None] + radius * (wide[:, None, None] * _ring(across) + high[:, None, None] * axis)


def capsule(a: ArrayLike, b: ArrayLike, radius: float, rings: int = 0) -> Mesh:
    """All points within `radius` of the segment from a to b (3,)."""
    return _woven(capsule_surface(a, b, radius, rings))


def cylinder(a: ArrayLike, b: ArrayLike, radius: float, top: float | None = None) -> Mesh:
    """Return a cylinder from a to b (3,), closed at both ends; a cone where the radius at b, `top`, is another."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    _, across = _along(b - a)
    ends = ((a, 0.0), (a, radius), (b, radius if top is None else top), (b, 0.0))
    # every edge has its rings twice, so that light does not run round it
    rows = [centre + r * _ring(across) for centre, r in (ends[0], ends[1], ends[1], ends[2], ends[2], ends[3])]
    return _woven(np.array(rows))


def ball(centre: ArrayLike, radius: float) -> Mesh:
    """A sphere."""
    return capsule(centre, centre, radius)


def box(size: ArrayLike) -> Mesh:
    """Sides (3,) around the origin."""
    sides = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = np.roll(np.eye(3), axis, axis=1)[1:]
            corners = [sign * np.eye(3)[axis] + x * u + y * v for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            faces = np.array([[0, 1, 2], [0, 2, 3]])
            sides.append(Mesh(np.array(corners) * np.asarray(size, float) / 2, faces if sign > 0 else faces[:, ::-1]))
    return joined(sides)


def divided(mesh: Mesh, along: ArrayLike, step: float) -> Mesh:
    """The same surface with no edge longer than `step` in the direction `along` (3,), so that it can bend."""
    if not step > 0:
        return mesh
    vertices, faces = mesh
    across = np.asarray(along, float) / np.linalg.norm(along)
    done = []
    while len(faces):
        height = vertices[faces] @ across
        spans = np.abs(np.roll(height, -1, axis=1) - height)  # of the edges 0-1, 1-2, 2-0
        longest = spans.argmax(axis=1)
        fine = spans.max(axis=1) <= step
        done.append(faces[fine])
        faces, longest = faces[~fine], longest[~fine]
        a, b, c = (np.take_along_axis(faces, ((longest + k) % 3)[:, None], axis=1)[:, 0] for k in range(3))
        new = len(vertices) + np.arange(len(faces))
        vertices = np.vstack([vertices, (vertices[a] + vertices[b]) / 2])
        faces = np.concatenate([np.stack([a, new, c], axis=1), np.stack([new, b, c], axis=1)])
    return Mesh(vertices, np.concatenate(done) if done else faces)


def _along(way: Array) -> tuple[Array, Array]:
    """Unit vector along a way (up where it has no length), and two (2, 3) across it, right-handed."""
    length = np.linalg.norm(way)
    axis = way / length if length > 0 else np.array([0.0, 0.0, 1.0])
    u = np.linalg.svd(axis[None])[2][1]
    return axis, np.array([u, np.cross(axis, u)])


def _ring(across: Array) -> Array:
    """(AROUND, 3) of radius one, once round."""
    turn = np.linspace(0.0, 2 * np.pi, AROUND)
    return np.cos(turn)[:, None] * across[0] + np.sin(turn)[:, None] * across[1]


def _woven(surface: Array) -> Mesh:
    """Triangles between rows of points (rows, around, 3)."""
    rows, around = surface.shape[:2]
    k = (np.arange(rows - 1)[:, None] * around + np.arange(around - 1)).ravel()
    faces = np.concatenate([np.stack([k, k + 1, k + around + 1], 1), np.stack([k, k + around + 1, k + around], 1)])
    return Mesh(surface.reshape(-1, 3), faces)
