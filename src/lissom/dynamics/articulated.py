"""Forward dynamics by articulated bodies, O(n), for the tape (Featherstone 1983; Featherstone 2008, table 7.1).

World axes about each frame's own origin, so that articulated inertias are moved but never turned:

    outward   velocities, velocity terms c, velocity forces p
    inward    U = IA S,  D = S^T U + armature,  u = tau - S^T pA
              IA(parent) += Ia = IA - U D^-1 U^T,  pA(parent) += pA + Ia c + U D^-1 u
    outward   a' = a(parent) + c,  qdd = D^-1 (u - U^T a'),  a = a' + S qdd

The pivot's guard (see `forward`) compares D with the trace of the composite inertia. A coordinate that is held has
1 / D = 0 and its acceleration in c; its effort is U^T a' - u + armature times that acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lissom.dynamics.acting import UPRIGHT, Loaded
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import arm_forces
from lissom.dynamics.gears import NO_GEARS, Additions, Gears, Solution, with_gears
from lissom.dynamics.tree import Position, Tree, add_to
from lissom.elements.elimination import Eliminated
from lissom.elements.link import RigidLink
from lissom.elements.pivots import Guarded, Held, Unguarded
from lissom.elements.results import Body, ModalInertia, MovingFrame, Path
from lissom.engine.run import AbstractRun
from lissom.spatial.inertias import ArticulatedBody
from lissom.spatial.motions import Motion, Twist
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Scalar, add


class Given(NamedTuple):
    """Inputs of forward dynamics: state and torques as vectors of a program, base motion, loads."""

    q: Any
    qd: Any
    tau: Any
    base: Motion
    loads: list[Loaded]


class Moving(NamedTuple):
    """Results of the first outward pass, by element."""

    frame: dict[int, MovingFrame]
    path: dict[int, Path]
    body: dict[int, Body]
    modal: dict[int, ModalInertia | None]


class Drives(NamedTuple):
    """Forces that move the arm, and armatures, by element."""

    forces: dict[int, Any]
    armature: dict[int, Scalar]


def accelerations(
    run: AbstractRun, tree: Tree, given: Given, held: dict[int, Held], guarded: bool = True, gears: Gears = NO_GEARS
) -> Solution:
    """Accelerations by coordinate, and the effort of the coordinates that may be held; vectors of one entry."""
    solve = _solver(run, tree, given, held, guarded)
    return with_gears(run, tree, (given.qd, given.tau), gears, solve, guarded)


def _solver(
    run: AbstractRun, tree: Tree, given: Given, held: dict[int, Held], guarded: bool
) -> Callable[[Additions], Solution]:
    """A function that finds accelerations and efforts with additions to the drives."""
    x, base = tree.positions(run, given.q), given.base
    moving = _velocities(run, tree, x, given.qd, base)
    _take_loads(run, tree, x, given.loads, moving)
    for i, node in tree.outward():
        if node.first in held:
            moving.path[i] = run.call(RigidLink.led, moving.path[i], held[node.first].acceleration)
    own, at_base = arm_forces(run, tree, given.tau, given.q, given.qd), run.call(_base_acceleration, base)

    def solve(additions: Additions) -> Solution:
        modal, forces = dict(moving.modal), dict(own)
        armature = {i: 0.0 if node.drive is None else node.drive.armature for i, node in enumerate(tree.nodes)}
        for i, node in tree.own():
            if node.drive is not None and node.first in additions:
                more = additions[node.first]
                armature[i] = run.call(add, node.drive.armature, more.armature)
                forces[i] = [run.call(add, own[i][0], more.torque)]
        drives = Drives(forces, armature)
        kept = _eliminated(run, tree, moving._replace(modal=modal), drives, held, guarded)
        return _accelerations(run, tree, moving.path, kept, armature, held, at_base)

    return solve


def _velocities(run: AbstractRun, tree: Tree, x: dict[int, Position], qd: Any, base: Motion) -> Moving:
    """The outward pass: all that depends on positions and rates only."""
    out = Moving({BASE: run.call(_base_frame, run.constant(UPRIGHT), base)}, {}, {}, {})
    for i, node in tree.outward():
        found = run.call(node.articulated.velocity, out.frame[node.parent], x[i], node.part(qd))
        out.frame[i], out.path[i], out.body[i], modal = found
        out.modal.setdefault(node.owner, modal)
    return out


def _take_loads(run: AbstractRun, tree: Tree, x: dict[int, Position], loads: list[Loaded], out: Moving) -> None:
    """Subtract loads from the forces of the bodies, or of the beams, that they act on."""
    for load in loads:
        i = load.body
        if i in out.body:
            out.body[i] = run.call(out.body[i].minus_load, out.frame[i].R, load.values, load.placement)
        elif i != BASE:
            from lissom.elements.station import Station

            station, owner = tree.nodes[i].element, tree.nodes[i].owner
            modal = out.modal[owner]
            assert isinstance(station, Station)
            assert modal is not None
            out.modal[owner] = run.call(station.take_load, modal, out.frame[tree.nodes[i].parent], x[i], load.values)


def _eliminated(
    run: AbstractRun, tree: Tree, moving: Moving, drives: Drives, held: dict[int, Held], guarded: bool
) -> dict[int, Eliminated | None]:
    """The inward pass: every coordinate eliminated."""
    kept: dict[int, Eliminated | None] = {}
    beyond: dict[int, ArticulatedBody] = {}
    mass, modal = tree.carried_mass, moving.modal
    for i, node in tree.inward():
        if i in moving.body:
            free = held[node.first].free if node.first in held else None
            parts = (moving.path[i], moving.body[i], modal[node.owner], beyond.get(i), drives.forces[node.owner])
            rule = (Guarded() if guarded else Unguarded(), free, drives.armature[i], mass[i])
            kept[i], modal[node.owner], on_parent = run.call(node.articulated.eliminate, *parts, *rule)
            add_to(run, beyond, node.parent, on_parent)
    return kept


def _accelerations(
    run: AbstractRun, tree: Tree, path: dict[int, Path], kept: dict[int, Eliminated | None],
    armature: dict[int, Scalar], held: dict[int, Held], base: Twist,
) -> tuple[list[Any], dict[int, Any]]:  # fmt: skip
    """The last outward pass."""
    a: dict[int, Twist] = {BASE: base}
    qdd: dict[int, Any] = {}
    effort: dict[int, Any] = {}
    for i, node in tree.outward():
        before, eliminated = a[node.parent], kept[i]
        if node.first in held and eliminated is not None:
            parts = (before, path[i], eliminated, held[node.first], armature[i])
            qdd[i], a[i], needed = run.call(RigidLink.accelerate_held, *parts)
            effort[node.first] = [needed]
        else:
            qdd[node.owner], a[i] = run.call(
                node.articulated.accelerate, before, path[i], eliminated, qdd.get(node.owner)
            )
    return tree.joined(qdd), effort


def _base_frame(R: Rotation, base: Motion) -> MovingFrame:
    return MovingFrame(R, base.w)


def _base_acceleration(base: Motion) -> Twist:
    return Twist(base.dw, base.a)
