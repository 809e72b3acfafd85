"""Variables of a motion with contacts, and where they are.

    control points P_p (K + 3, n) of each phase p, whose cubic splines of s = t / T_p have K segments
    torques (N, motors) of the samples of each phase, in units of `torque`
    forces (N, components) of its contacts there, normal first, in units of `force`
    durations T_p, distances of travels, anchors: where contacts hold, along the tangents of their planes

Samples are at two points of Gauss in every segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.contact import Contact, Mirror
from lissom.motion.phased.points import Points
from lissom.motion.splines.basis import Basis, uniform_basis
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array

Indices = NDArray[np.intp]
DEGREE = 3
POSTURES = 4  # random ones at which contacts are seen to move
STILL = 1e-9  # of the largest motion: a direction in which no contact moves
NODES = np.array([0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)])  # of a segment


class Plane(NamedTuple):
    """Directions of a contact's plane in world axes, as rows: its normal, then the tangents in which it can move."""

    directions: Array
    height: float
    friction: float

    @property
    def along(self) -> float:
        """Largest part of the normal force along each tangent, so that the pyramid is inside the cone."""
        return self.friction / np.sqrt(max(len(self.directions) - 1, 1))


class PhaseMesh(NamedTuple):
    """The mesh of a phase: its basis, contacts by their numbers, fractions and weights of its samples."""

    name: str
    basis: Basis
    contacts: tuple[int, ...]
    s: Array
    weights: Array


class Layout:
    """Places of the variables of a motion.

    Attributes
    ----------
    contacts, planes : of all contacts that count
    phases : list of PhaseMesh
    points : list of (K + 3, n)    places of control points
    torques : list of (N, motors)
    forces : list of {contact: (N, components)}
    durations, travels : (phases,), (travels,)
    anchors : int                  number of anchors; their places are the last
    """

    def __init__(self, arm: Arm, task: Task, contacts: Sequence[Contact], segments: Sequence[int]) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.contacts, self.motors = tuple(contacts), np.flatnonzero(arm.actuated)
        self.names = [contact.name for contact in contacts]
        self.kinematics = Points(arm, contacts)
        self.planes = planes_of(self.kinematics)
        self.phases = [
            _mesh(phase.name, K, tuple(self.names.index(word) for word in phase.contacts))
            for phase, K in zip(task.phases, segments, strict=True)
        ]
        self._place()
        self.anchors = 0

    def _place(self) -> None:
        at = 0

        def take(*shape: int) -> Indices:
            nonlocal at
            count = int(np.prod(shape))
            at += count
            return np.arange(at - count, at).reshape(shape)

        self.points, self.torques, self.forces = [], [], list[dict[int, Indices]]()
        for mesh in self.phases:
            N = len(mesh.s)
            self.points.append(take(mesh.basis.count, self.n))
            self.torques.append(take(N, len(self.motors)))
            self.forces.append({i: take(N, len(self.planes[i].directions)) for i in mesh.contacts})
        self.durations, self.travels = take(len(self.phases)), take(len(self.task.travel))
        self.first_anchor = at

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.first_anchor + self.anchors

    @property
    def components(self) -> list[int]:
        """Number of force components of every contact."""
        return [len(plane.directions) for plane in self.planes]

    # ---- matrices -----------------------------------------------------------------------------------

    def curve(self, phase: int, s: Array, order: int, some: Indices | None = None) -> sparse.csr_array:
        """(N n, size) derivative of some coordinates by s, from the variables; default: of all."""
        mesh, places = self.phases[phase], self.points[phase]
        at, values = mesh.basis.local(np.asarray(s, float), order + 1)
        some = np.arange(self.n) if some is None else some
        columns = places[at][:, :, some].transpose(0, 2, 1)  # (N, n, degree + 1)
        entries = np.broadcast_to(values[:, order][:, None], columns.shape)
        rows = np.broadcast_to(np.arange(columns.shape[0] * len(some)).reshape(-1, len(some), 1), columns.shape)
        keep = entries != 0
        found = (entries[keep], (rows[keep], columns[keep]))
        return sparse.csr_array(sparse.coo_array(found, shape=(len(at) * len(some), self.size)))

    def values(self, x: Array, phase: int, s: Array, orders: int = 3) -> list[Array]:
        """Positions and their derivatives by time (N, n) at fractions of a phase."""
        T, P, basis = x[self.durations[phase]], x[self.points[phase]], self.phases[phase].basis
        return [basis.rows(np.asarray(s, float), r) @ P / T**r for r in range(orders)]

    def picked(self, places: Indices) -> sparse.csr_array:
        """Matrix that picks variables, row by row; -1: none."""
        flat = np.asarray(places).ravel()
        rows = np.flatnonzero(flat >= 0)
        entries = (np.ones(len(rows)), (rows, flat[rows]))
        return sparse.csr_array(sparse.coo_array(entries, shape=(len(flat), self.size)))

    @cached_property
    def sample_reach(self) -> sparse.csr_array:
        """What all samples see of the variables, once the anchors are known.

        Positions, their first and second derivatives by the fraction of the phase, torques, forces of contacts (zero
        of those that do not hold), and the duration of the phase.
        """
        blocks = []
        for p, mesh in enumerate(self.phases):
            N = len(mesh.s)
            force = [self.forces[p].get(i, np.full((N, k), -1)) for i, k in enumerate(self.components)]
            places = [self.torques[p], *force, np.full((N, 1), self.durations[p])]
            curves = [self.curve(p, mesh.s, order) for order in range(3)]
            blocks.append(beside([*curves, *(self.picked(place) for place in places)], N))
        return sparse.csr_array(sparse.vstack(blocks))


def beside(parts: Sequence[sparse.csr_array], N: int) -> sparse.csr_array:
    """Rows of N samples, each part with equally many for every sample, one after the other."""
    widths = [part.shape[0] // N for part in parts]
    firsts = np.cumsum([0, *widths])
    whole = sparse.vstack(parts).tocsr()
    starts = np.cumsum([0, *(part.shape[0] for part in parts)])
    order = np.empty(whole.shape[0], np.intp)
    for start, first, width in zip(starts[:-1], firsts[:-1], widths, strict=True):
        to = (np.arange(N)[:, None] * firsts[-1] + first + np.arange(width)).ravel()
        order[to] = start + np.arange(N * width)
    return sparse.csr_array(whole[order])


def _mesh(name: str, segments: int, contacts: tuple[int, ...]) -> PhaseMesh:
    s = ((np.arange(segments)[:, None] + NODES) / segments).ravel()
    return PhaseMesh(name, uniform_basis(segments, DEGREE), contacts, s, np.full(len(s), 0.5 / segments))


def planes_of(points: Points) -> list[Plane]:
    """Return the planes of contacts, without the tangents in which no contact of the arm can move."""
    q = np.random.default_rng(0).normal(size=(POSTURES, points.arm.dof))
    at = points.at(q)
    moved = np.concatenate([np.zeros((1, 3)), *[at.slopes(i).reshape(-1, 3) for i in range(len(points.contacts))]])
    spread = moved.T @ moved
    out = []
    for contact in points.contacts:
        n = contact.normal
        first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        tangents = np.array([first, np.cross(n, first)]) / np.linalg.norm(first)
        x = np.array([1.0, 0.0, 0.0]) - n[0] * n
        if np.linalg.norm(x) > 0.1:  # along the world's x axis, where that is in the plane
            x /= np.linalg.norm(x)
            tangents = np.array([x, np.cross(n, x)])
        size, axes = np.linalg.eigh(tangents @ spread @ tangents.T)
        if size[0] <= STILL * max(float(np.trace(spread)), 1e-300):
            tangents = axes.T[size > STILL * max(float(np.trace(spread)), 1e-300)] @ tangents
            tangents = tangents * np.where(tangents[:, [0]] < 0, -1.0, 1.0)
        out.append(Plane(np.vstack([n, tangents]), contact.height, contact.friction))
    return out


class Reflection:
    """The image of a motion's end at its beginning: reflected by a mirror, or the end itself where there is none."""

    def __init__(self, layout: Layout, mirror: Mirror | None) -> None:
        if mirror is None:
            self.order, self.sign = np.arange(layout.n), np.ones(layout.n)
            self.partner, self.S = list(range(len(layout.names))), np.eye(3)
            return
        self.order, self.sign, self.partner, self.S = mirror.image(layout.arm.coordinates, layout.names)

    def __call__(self, q: Array) -> Array:
        """Mirror images (N, n) of postures, or of rates."""
        return np.asarray(self.sign * q[..., self.order])
