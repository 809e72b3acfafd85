"""An arm in the convention of the classic papers: joints about z, link frames at the far ends.

Joint i turns (or slides) about z of frame i-1, which sits on link i-1; frame i sits on link i, on the
axis of joint i+1:

    A_i(q_i) = M(q_i) B_i           M a turn about z or a shift along z, B_i constant

For a Denavit-Hartenberg table B_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha). Nothing here asks
B_i to be so special: every serial arm has this form, whatever its axes. Where a link carries several,
frame i belongs to the first; each other branch k starts from a frame of its own on link i, at the
constant pose O_k in frame i (O = ONE otherwise). A link that carries nothing has its frame on its own
joint, B = 1: what a table says about the far end of the last link moves no inertia. Frame 0 is the axis
of the first joint, at rest in the base; gravity, loads and the base's motion are given in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.formulations.matrices import ONE, Boundary, Matrix, Vector, position, product, rotation, times, transposed
from lissom.spatial.frames import inverse, pose
from lissom.spatial.rotations import Array
from lissom.spatial.scalar import cos, sin


class Member(NamedTuple):
    """Link i and its joint."""

    parent: int  # -1: the base
    prismatic: bool
    O: Matrix | Boundary  # of the joint's frame in the parent's, ONE unless it is a further branch
    B: Matrix  # (4, 4)
    mass: Any
    com: Vector  # r*_i, from origin i, axes of frame i
    moment: Vector  # n_i = m r*_i
    inertia: Matrix  # (3, 3) about the centre of mass, axes of frame i
    second: Matrix  # (3, 3) J_i, the integral of h h^T dm, h from origin i
    pseudo: Matrix  # (4, 4) J_i, the same with h = (x, y, z, 1)
    armature: Any


class Frames(NamedTuple):
    """Transforms at one position, and their derivatives by the joint's own coordinate; each (4, 4).

    reach : ip*_i, from origin i-1 to origin i in axes of frame i; constant for a revolute joint
    """

    A: list[Matrix]
    dA: list[Matrix]
    ddA: list[Matrix]
    reach: list[Vector]


class Push(NamedTuple):
    """A load on a link: force and moment in axes of frame 0, point in frame i."""

    link: int
    force: Vector
    moment: Vector
    point: Vector


class BaseState(NamedTuple):
    """Angular velocity, angular acceleration and acceleration of the base, axes of frame 0."""

    w: Vector
    dw: Vector
    a: Vector


class State(NamedTuple):
    """The input of a formulation of inverse dynamics: one position, velocity and acceleration."""

    members: Sequence[Member]
    frames: Frames
    qd: Sequence[Any]
    qdd: Sequence[Any]
    gravity: Vector  # axes of frame 0
    pushes: Sequence[Push] = ()
    base: BaseState | None = None

    def start(self, member: Member) -> tuple[Matrix, Vector]:
        """Rotation and position of the frame a joint starts from, in the frame its carrier's joint starts from."""
        A = self.frames.A[member.parent]
        return parts(A if member.O is ONE else product(A, member.O))

    def pushes_on(self, link: int) -> list[Push]:
        return [push for push in self.pushes if push.link == link]


class Linkage:
    """The members of an arm, parents first."""

    def __init__(self, bodies: Bodies):
        self.bodies = bodies
        first: dict[int, int | None] = dict.fromkeys([BASE, *range(len(bodies))])
        first |= {body.parent: k for k, body in reversed(list(enumerate(bodies.list)))}
        # pose of frame i on body i; the base counts as body -1
        self._far = {k: self._placement(child) for k, child in first.items()}
        self.members = [self._member(k, first) for k in range(len(bodies))]
        self.base = self._far[BASE]

    def _placement(self, child: int | None) -> Array:
        return pose() if child is None else pose(self.bodies.list[child].R, self.bodies.list[child].p)

    def _member(self, k: int, first: dict[int, int | None]) -> Member:
        body, far = self.bodies.list[k], self._far[k]
        O: Any = ONE
        if first[body.parent] != k:
            O = (inverse(self._far[body.parent]) @ self._placement(k)).tolist()
        R, p = far[:3, :3], far[:3, 3]
        com = body.moment / body.mass if body.mass else np.zeros(3)
        about = body.inertia - body.mass * (com @ com * np.eye(3) - np.outer(com, com))
        local = R.T @ about @ R
        r, I = R.T @ (com - p), (local + local.T) / 2
        second = 0.5 * np.trace(I) * np.eye(3) - I + body.mass * np.outer(r, r)
        pseudo = np.block([[second, body.mass * r[:, None]], [body.mass * r[None], np.array([[body.mass]])]])
        return Member(
            body.parent, body.prismatic, O, far.tolist(), float(body.mass), r.tolist(), (body.mass * r).tolist(),
            I.tolist(), second.tolist(), pseudo.tolist(), float(body.armature),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.members)

    @property
    def serial(self) -> bool:
        """Whether every link carries at most one other."""
        return all(m.parent == k - 1 for k, m in enumerate(self.members))

    def frames(self, q: Sequence[Any]) -> Frames:
        """A_i and its derivatives."""
        return frames_of(self.members, q)

    def in_frame_0(self, v: Sequence[Any]) -> Vector:
        """A vector's components in frame 0 from those in the world."""
        return _turned_back(self.base.tolist(), v)

    def place(self, frame: str) -> tuple[int, list[list[float]]] | None:
        """The link of a named frame, and the frame's pose in frame i of that link; None when it is on the base."""
        place = self.bodies.place(frame)
        if place.body == BASE:
            return None
        return place.body, (inverse(self._far[place.body]) @ place.X).tolist()

    def push(self, frame: str, nine: Sequence[Any]) -> Push | None:
        """A load (force, moment, point) on a named frame; None when it acts on the base."""
        place = self.place(frame)
        return None if place is None else pushed(place[0], place[1], self.base.tolist(), nine)

    def base_state(self, nine: Sequence[Any]) -> BaseState:
        """(w, dw, a) of the base, a at the origin of frame 0."""
        return base_state_of(self.base.tolist(), nine)


def pushed(link: int, X: Matrix, base: Matrix, nine: Sequence[Any]) -> Push:
    """A load (force, moment, point) at X in frame i of a link; `base` is the pose of frame 0."""
    point = [X[r][0] * nine[6] + X[r][1] * nine[7] + X[r][2] * nine[8] + X[r][3] for r in range(3)]
    return Push(link, _turned_back(base, nine[0:3]), _turned_back(base, nine[3:6]), point)


def base_state_of(base: Matrix, nine: Sequence[Any]) -> BaseState:
    """(w, dw, a) of the base in frame 0, whose pose is `base`, a at its origin."""
    w, dw, a = (_turned_back(base, nine[k : k + 3]) for k in (0, 3, 6))
    r = _turned_back(base, position(base))
    turn = [dw[1] * r[2] - dw[2] * r[1], dw[2] * r[0] - dw[0] * r[2], dw[0] * r[1] - dw[1] * r[0]]
    along = w[0] * r[0] + w[1] * r[1] + w[2] * r[2]
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    return BaseState(w, dw, [a[k] + turn[k] + (along * w[k] - square * r[k]) for k in range(3)])


def _turned_back(X: Matrix, v: Sequence[Any]) -> Vector:
    """A vector in the axes of a frame at pose X."""
    return [X[0][k] * v[0] + X[1][k] * v[1] + X[2][k] * v[2] for k in range(3)]


def frames_of(members: Sequence[Member], q: Sequence[Any]) -> Frames:
    """A_i and its derivatives at q."""
    if not members:
        return Frames([], [], [], [])
    parts_of = [_slide(m.B, x) if m.prismatic else _turn(m.B, x) for m, x in zip(members, q, strict=True)]
    return Frames(*(list(part) for part in zip(*parts_of, strict=True)))


def _turn(B: Matrix, q: Any) -> tuple[Matrix, Matrix, Matrix, Vector]:
    c, s = cos(q), sin(q)
    x = [c * B[0][k] - s * B[1][k] for k in range(4)]
    y = [s * B[0][k] + c * B[1][k] for k in range(4)]
    nothing = [0.0] * 4
    A = [x, y, list(B[2]), list(B[3])]
    dA, ddA = [[-v for v in y], x, nothing, nothing], [[-v for v in x], [-v for v in y], nothing, nothing]
    return A, dA, ddA, times(transposed(rotation(B)), position(B))


def _slide(B: Matrix, q: Any) -> tuple[Matrix, Matrix, Matrix, Vector]:
    A = [list(B[0]), list(B[1]), [*B[2][:3], B[2][3] + q], list(B[3])]
    dA = [[0.0] * 4, [0.0] * 4, [0.0, 0.0, 0.0, 1.0], [0.0] * 4]
    return A, dA, [[0.0] * 4 for _ in range(4)], times(transposed(rotation(B)), position(A))


def parts(A: Matrix) -> tuple[Matrix, Vector]:
    """Rotation and position of a transform."""
    return rotation(A), position(A)
