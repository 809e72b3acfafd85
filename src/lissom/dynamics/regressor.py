"""The regressor: torques as a linear function of every link's ten inertial parameters.

Parameters of a link: m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the link's frame. With w, dw and a the motion of
the link's frame in its own axes, each parameter makes one unit wrench, which acts on every joint that carries the link,
through its screw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import WORLD, base_motion
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.from_arm import placement_of, tree_of
from lissom.engine.run import AbstractRun
from lissom.records import flat, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Placement, Twist, Wrench
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import X_AXIS, Y_AXIS, Z_AXIS, ZERO, Symmetric3

PARAMETERS = 10
NOTHING = Symmetric3(0, 0, 0, 0, 0, 0)
UNITS = (
    RigidInertia(1, ZERO, NOTHING),
    *(RigidInertia(0, axis, NOTHING) for axis in (X_AXIS, Y_AXIS, Z_AXIS)),
    *(RigidInertia(0, ZERO, Symmetric3(*(int(k == j) for j in range(6)))) for k in range(6)),
)


@record
class UnitWrenches:
    """Wrenches that the parameters of a link make, in world axes about the world's origin."""

    wrenches: tuple[Wrench, ...]

    def along(self, screw: Twist) -> Row:
        """The torques of the parameters about a joint."""
        return Row(tuple(screw.dot(wrench) for wrench in self.wrenches))


@record
class Row:
    """Torques of the parameters of a link."""

    entries: Coordinates


def unit_wrenches(motion: Motion, frame: Placement, place: Placement) -> UnitWrenches:
    """Wrenches of a link at a place on a frame; `motion` of the frame in its own axes."""
    a = motion.a + (motion.dw.cross(place.p) + motion.w.cross(motion.w.cross(place.p)))
    own = Motion(place.R.T @ motion.w, place.R.T @ motion.dw, place.R.T @ a)
    R, o = frame.R.then(place.R), frame.p + frame.R @ place.p
    return UnitWrenches(tuple(unit.force(own).turned(R).moved(o) for unit in UNITS))


def program(run: AbstractRun, bodies: Bodies) -> None:
    """Inputs q, qd, qdd; output Y (dof, 10 links), row by row."""
    q, qd, qdd = (run.input(bodies.dof) for _ in range(3))
    coupling, dof = bodies.coupling, bodies.dof
    bodies, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    tree = tree_of(bodies)
    motion: dict[int, Motion] = {BASE: base_motion(run, bodies)}
    frame: dict[int, Placement] = {BASE: run.constant(WORLD)}
    screw: dict[int, Twist] = {}
    x = tree.positions(run, q)
    for i, node in tree.outward():
        motion[i], _ = run.call(node.element.outward, motion[node.parent], x[i], node.part(qd), node.part(qdd))
        placed = run.call(node.articulated.place, frame[node.parent], x[i])
        frame[i], [screw[i]] = placed.frame, placed.screws
    rows: dict[int, dict[int, Any]] = {}
    for link, place in enumerate(bodies.links):
        if place.body != BASE:
            own = run.call(unit_wrenches, motion[place.body], frame[place.body], placement_of(place.row))
            rows[link] = {i: flat(run.call(own.along, screw[i])).entries for i in reversed(tree.path(place.body))}
            if coupling is not None:
                rows[link] = coupling.columns(run, rows[link], PARAMETERS)
    nothing = run.constant(np.zeros(PARAMETERS))
    run.output(*(rows.get(link, {}).get(i, nothing) for i in range(dof) for link in range(len(bodies.links))))
