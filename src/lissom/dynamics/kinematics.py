"""Kinematics: outward recursions in world axes.

Per element: the placement (R, o) of its frame. A point of a frame is given in the frame's axes; P is where it is in the
world. Column of a coordinate with direction (s.w, s.v) in the Jacobian of P, linear rows first: s.v + s.w x (P - o) and
s.w. The tip of a flexible link moves with its deflection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import MOTION, WORLD, Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE, Place
from lissom.dynamics.from_arm import placement_of, tree_of
from lissom.dynamics.tree import Position
from lissom.engine.run import AbstractRun
from lissom.records import filled, flat
from lissom.spatial.motions import Homogeneous, Motion, Placement, PointVelocity, homogeneous
from lissom.spatial.vectors import Vector3

POINT = flat(Vector3(0.0, 0.0, 0.0)).structure


class Reach(NamedTuple):
    """The elements on the path to a frame: their positions and frames; the frame's placement with its origin at P."""

    x: dict[int, Position]
    frames: dict[int, Placement]
    place: Placement

    @property
    def P(self) -> Vector3:
        """The point."""
        return self.place.p

    def X(self, run: AbstractRun) -> Any:
        """The frame's pose with its origin at P, sixteen entries."""
        return flat(run.call(homogeneous, self.place)).entries


def _frames(
    run: AbstractRun, bodies: Bodies, q: Any, wanted: Iterable[int] | None = None
) -> tuple[dict[int, Position], dict[int, Placement]]:
    """Positions and frames of elements (by default all), and the frame of the base."""
    tree, frames = tree_of(bodies), {BASE: run.constant(WORLD)}
    x = tree.positions(run, q, None if wanted is None else list(wanted))
    for i in x:  # parents first
        frames[i] = run.call(tree.nodes[i].element.frame, frames[tree.nodes[i].parent], x[i])
    return x, frames


def poses(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Input q, then as `Acting.read_bodies`; output (links, 4, 4)."""
    q = run.input(bodies.arm.dof)
    bodies, q = acting.read_bodies(run, bodies).expanded(run, q)
    _, frames = _frames(run, bodies, q)
    run.output(*(run.call(_link_pose, frames[at.body], placement_of(at.row)) for at in bodies.links))


def _link_pose(frame: Placement, place: Placement) -> Homogeneous:
    return homogeneous(frame.times(place))


def reach(run: AbstractRun, bodies: Bodies, frame: str, q: Any, point: Any) -> Reach:
    """The path to a point of a frame."""
    return reach_place(run, bodies, bodies.place(frame), q, point)


def reach_place(run: AbstractRun, bodies: Bodies, place: Place, q: Any, point: Any) -> Reach:
    """The path to a point, three entries, of a frame at a place."""
    bodies, q = bodies.expanded(run, q)
    x, frames = _frames(run, bodies, q, tree_of(bodies).path(place.body))
    parts = (frames[place.body], placement_of(place.row), filled(POINT, point))
    return Reach(x, frames, run.call(_at_point, *parts))


def _at_point(frame: Placement, place: Placement, point: Vector3) -> Placement:
    """Placement of a frame at a place, with its origin moved to a point."""
    at = frame.times(place)
    return Placement(at.R, at.p + at.R @ point)


def columns(run: AbstractRun, bodies: Bodies, way: Reach) -> dict[int, Any]:
    """Columns of the Jacobian of P by coordinate, vectors of six entries."""
    if bodies.coupling is not None:
        return bodies.coupling.columns(run, columns(run, bodies.tree, way), 6)
    out: dict[int, Any] = {}
    for i, x in way.x.items():
        node = tree_of(bodies).nodes[i]
        found = run.call(node.element.point_columns, way.frames[node.parent], way.frames[i], x, way.P)
        out |= {node.first + k: flat(column).entries for k, column in enumerate(found)}
    return out


def point_velocity(run: AbstractRun, bodies: Bodies, way: Reach, qd: Any) -> Any:
    """Velocity of P and angular velocity (6), world axes, base at rest."""
    v: PointVelocity = filled(VELOCITY, run.constant(np.zeros(6)))
    for c, column in columns(run, bodies, way).items():
        v = run.call(v.plus, filled(VELOCITY, column), qd[c])
    return flat(v).entries


VELOCITY = flat(PointVelocity(Vector3(0.0, 0.0, 0.0), Vector3(0.0, 0.0, 0.0))).structure


def _reach(run: AbstractRun, bodies: Bodies, acting: Acting, vectors: int) -> tuple[Bodies, list[Any], Reach]:
    """Inputs: coordinate vectors and the point, then as `Acting.read_bodies`; returns the path to the point."""
    given = [run.input(bodies.arm.dof) for _ in range(vectors)]
    point = run.input(3)
    bodies = acting.read_bodies(run, bodies)
    return bodies, given, reach(run, bodies, str(acting.frame), given[0], point)


def pose(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, point; output (4, 4)."""
    run.output(_reach(run, bodies, acting, 1)[2].X(run))


def jacobian(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, point; output (6, dof)."""
    bodies, _, way = _reach(run, bodies, acting, 1)
    known = columns(run, bodies, way)
    nothing = run.constant(np.zeros(6))
    run.output(*(known.get(k, nothing)[r : r + 1] for r in range(6) for k in range(bodies.arm.dof)))


def velocity(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, point; output (6,), base at rest."""
    bodies, (_, qd), way = _reach(run, bodies, acting, 2)
    run.output(point_velocity(run, bodies, way, qd))


def point_acceleration(run: AbstractRun, bodies: Bodies, way: Reach, qd: Any, qdd: Any) -> Any:
    """Acceleration of P and angular acceleration (6), world axes, base at rest, gravity not counted."""
    if bodies.coupling is not None:
        bodies, qd, qdd = bodies.tree, *bodies.coupling.rates(run, qd, qdd)
    motion: Motion = filled(MOTION, run.constant(np.zeros(9)))
    for i, x in way.x.items():
        node = tree_of(bodies).nodes[i]
        motion, _ = run.call(node.element.outward, motion, x, node.part(qd), node.part(qdd))
    return flat(run.call(motion.seen_at, way.frames[max(way.x, default=BASE)], way.P)).entries


def acceleration(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, point; output (6,)."""
    bodies, (_, qd, qdd), way = _reach(run, bodies, acting, 3)
    run.output(point_acceleration(run, bodies, way, qd, qdd))
