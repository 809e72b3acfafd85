"""Residuals of a closure between two frames, as a program of the engine.

A loop joins frame a (axes x, y, z, origin p_a) on one link with frame b on another. With d = p_b - p_a its rows are

    spherical   x.d, y.d, z.d                                      the origins coincide
    revolute    these, and -(y.z_b), x.z_b                         and b only turns about z
    fixed       these, and half of the skew part of R_a^T R_b      and b does not turn
    planar      z.d, -(y.z_b), x.z_b                               b slides and turns in the xy plane of a

all in axes of a. Near closure the last rows are rotations of b about x, y (and z), so that all rows are metres or
radians. The program gives the residual phi(q), its Jacobian G = d phi / dq and the drift (dG/dt) qd, all exact
also where the loop is open, from the velocities and accelerations of both frames:

    (e.d)'   = (w_a x e).d + e.d'              (e.f)'  = (w_b - w_a).(f x e)               e on a, f on b
    (e.d)''  = e''.d + 2 e'.d' + e.d''         (e.f)'' = e''.f + 2 e'.f' + e.f''           e'' = dw x e + w x (w x e)

A closure holds when phi = 0, G qd = 0 and G qdd + drift = 0. Since G is a gradient, the drift is the second
derivative of phi taken twice along qd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE, Place
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.kinematics import VELOCITY, Reach, columns, point_acceleration, point_velocity, reach_place
from lissom.dynamics.stations import along_beam
from lissom.model.arm import Arm
from lissom.model.loads import Loop
from lissom.records import filled, record
from lissom.spatial.frames import pose
from lissom.spatial.motions import Placement, PointVelocity
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import Vector3

VERB = "closed loops"


@record
class Rows:
    """The equations of a closure; all of it is structure.

    along : axes of a along which d vanishes
    about : sums of (sign, i, j): sign times (axis i of a).(axis j of b); halved where a sum has two terms
    """

    along: tuple[int, ...]
    about: tuple[tuple[tuple[int, int, int], ...], ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.along) + len(self.about)

    def _rows(self, shifts: Iterable[Scalar], turn: Callable[[int, int], Scalar]) -> Coordinates:
        """Entries along axes, then the sums of what belongs to pairs of axes."""
        turns: list[Scalar] = []
        for row in self.about:
            total: Scalar = 0
            for sign, i, j in row:
                total = add(total, turn(i, j)) if sign > 0 else sub(total, turn(i, j))
            turns.append(mul(0.5, total) if len(row) > 1 else total)
        return (*shifts, *turns)

    def residual(self, a: Placement, b: Placement) -> Coordinates:
        """phi."""
        d, e, f = b.p - a.p, _axes(a), _axes(b)
        return self._rows((e[i].dot(d) for i in self.along), lambda i, j: e[i].dot(f[j]))

    def rate(self, a: Placement, b: Placement, va: PointVelocity, vb: PointVelocity) -> Coordinates:
        """d phi / dt from the velocities of both frames."""
        d, e, f, dd, w = b.p - a.p, _axes(a), _axes(b), vb.v - va.v, vb.w - va.w
        shifts = (add(va.w.cross(e[i]).dot(d), e[i].dot(dd)) for i in self.along)
        return self._rows(shifts, lambda i, j: w.dot(f[j].cross(e[i])))

    def drift(
        self, a: Placement, b: Placement, va: PointVelocity, vb: PointVelocity, aa: PointVelocity, ab: PointVelocity
    ) -> Coordinates:
        """d2 phi / dt2 from velocities and accelerations of both frames."""
        d, e, f, dd, ddd = b.p - a.p, _axes(a), _axes(b), vb.v - va.v, ab.v - aa.v

        def shift(i: int) -> Scalar:
            both = add(_carried(va, aa, e[i]).dot(d), mul(2, va.w.cross(e[i]).dot(dd)))
            return add(both, e[i].dot(ddd))

        def turn(i: int, j: int) -> Scalar:
            both = mul(2, va.w.cross(e[i]).dot(vb.w.cross(f[j])))
            return add(add(_carried(va, aa, e[i]).dot(f[j]), both), e[i].dot(_carried(vb, ab, f[j])))

        return self._rows(map(shift, self.along), turn)


def _axes(place: Placement) -> tuple[Vector3, ...]:
    return place.R.matrix.T.rows


def _carried(v: PointVelocity, a: PointVelocity, e: Vector3) -> Vector3:
    """Second derivative of an axis that is carried along."""
    return a.w.cross(e) + v.w.cross(v.w.cross(e))


class Kind(NamedTuple):
    """A kind of closure: its equations, and what each row holds, as text."""

    rows: Rows
    words: tuple[str, ...]


TILTS = (((-1, 1, 2),), ((1, 0, 2),))
TURNS = (((1, 2, 1), (-1, 1, 2)), ((1, 0, 2), (-1, 2, 0)), ((1, 1, 0), (-1, 0, 1)))
ALONG = ("shift along x", "shift along y", "shift along z")
ABOUT = ("turn about x", "turn about y", "turn about z")
KINDS = {
    "spherical": Kind(Rows((0, 1, 2), ()), ALONG),
    "revolute": Kind(Rows((0, 1, 2), TILTS), (*ALONG, *ABOUT[:2])),
    "fixed": Kind(Rows((0, 1, 2), TURNS), (*ALONG, *ABOUT)),
    "planar": Kind(Rows((2,), TILTS), (ALONG[2], *ABOUT[:2])),
}

# ---- the program ---------------------------------------------------------------------------------


class End(NamedTuple):
    """One end of a loop: its frame's name (empty: the base), and the closure's frame in it."""

    frame: str
    X: Any


def ends(arm: Arm, loop: Loop) -> tuple[End, End]:
    """Both ends of every loop; on a flexible link the frame is attached to the section at its origin."""
    out = []
    for link, X in (loop.a, loop.b):
        if link is None:
            out.append(End("", X))
            continue
        frame, p = along_beam(arm, link, arm.frame(link), X[:3, 3], VERB)
        out.append(End(frame, pose(X[:3, :3], np.asarray(p, float))))
    return out[0], out[1]


def stations(arm: Arm) -> list[str]:
    """Frames of all ends."""
    return [end.frame for loop in arm.loops for end in ends(arm, loop) if end.frame]


def _place(bodies: Bodies, end: End) -> Place:
    if not end.frame:
        return Place(BASE, end.X)
    at = bodies.place(end.frame)
    return Place(at.body, at.X @ end.X)


def _way(run: Any, bodies: Bodies, end: End, q: Any) -> Reach:
    return reach_place(run, bodies, _place(bodies, end), q, run.constant(np.zeros(3)))


def coordinates(bodies: Bodies, loop: Loop) -> list[int]:
    """Coordinates that move one end of a loop, or both."""
    tree = tree_of(bodies)
    paths = [tree.path(_place(bodies, end).body) for end in ends(bodies.arm, loop)]
    return sorted({c for path in paths for k in path for c in tree.nodes[k].coordinates})


def shapes(bodies: Bodies) -> tuple[tuple[int, ...], ...]:
    """Shapes of phi, of the entries of G that are not always zero (by loop and row), and of the drift."""
    counts = [(KINDS[loop.joint].rows.count, len(coordinates(bodies, loop))) for loop in bodies.arm.loops]
    rows = sum(m for m, _ in counts)
    return (rows,), (sum(m * n for m, n in counts),), (rows,)


def entries(bodies: Bodies) -> tuple[Any, Any]:
    """Rows and columns of the stored entries in G."""
    rows: list[int] = []
    cols: list[int] = []
    first = 0
    for loop in bodies.arm.loops:
        moving = coordinates(bodies, loop)
        for r in range(KINDS[loop.joint].rows.count):
            rows += [first + r] * len(moving)
            cols += moving
        first += KINDS[loop.joint].rows.count
    return np.array(rows, np.intp), np.array(cols, np.intp)


def program(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd; outputs phi, the entries of G, the drift."""
    n = bodies.arm.dof
    q, qd = run.input(n), run.input(n)
    nothing = run.constant(np.zeros(6))
    phi, G, drift = [], [], []
    for loop in bodies.arm.loops:
        rows = KINDS[loop.joint].rows
        a, b = (_way(run, bodies, end, q) for end in ends(bodies.arm, loop))
        phi.append(run.call(rows.residual, a.place, b.place))
        by_a, by_b = columns(run, bodies, a), columns(run, bodies, b)
        own = []
        for k in coordinates(bodies, loop):
            rates = (filled(VELOCITY, by.get(k, nothing)) for by in (by_a, by_b))
            own.append(run.call(rows.rate, a.place, b.place, *rates))
        G += [column[r : r + 1] for r in range(rows.count) for column in own]
        drift.append(_drift(run, bodies, rows, (a, b), qd))
    run.output(*phi)
    run.output(*G)
    run.output(*drift)


def _drift(run: Any, bodies: Bodies, rows: Rows, ways: tuple[Reach, Reach], qd: Any) -> Any:
    """The drift of one closure."""
    still = run.constant(np.zeros(bodies.arm.dof))
    v = [filled(VELOCITY, point_velocity(run, bodies, way, qd)) for way in ways]
    acc = [filled(VELOCITY, point_acceleration(run, bodies, way, qd, still)) for way in ways]
    return run.call(rows.drift, *(way.place for way in ways), *v, *acc)


def residual_program(run: Any, bodies: Bodies) -> None:
    """A program with phi alone, as a function of q."""
    q = run.input(bodies.arm.dof)
    for_all = [(loop, [_way(run, bodies, end, q) for end in ends(bodies.arm, loop)]) for loop in bodies.arm.loops]
    run.output(*(run.call(KINDS[loop.joint].rows.residual, a.place, b.place) for loop, (a, b) in for_all))


def drift_program(run: Any, bodies: Bodies) -> None:
    """A program with the drift alone, to be differentiated."""
    n = bodies.arm.dof
    q, qd = run.input(n), run.input(n)
    found = []
    for loop in bodies.arm.loops:
        a, b = (_way(run, bodies, end, q) for end in ends(bodies.arm, loop))
        found.append(_drift(run, bodies, KINDS[loop.joint].rows, (a, b), qd))
    run.output(*found)
