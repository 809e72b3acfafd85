"""Joint reactions: the force and moment that the parent exerts on each link through its joint.

The inward pass of Newton and Euler (Luh, Walker and Paul 1980; f_i and n_i of Hollerbach 1980), link by link: what a
link and all beyond it need less the loads on them,

    force(i) = I_i a_i + v_i x* I_i v_i - loads(i) + sum of X^T force(j) over the links j that i carries

A body of the recursions consists of all links that are welded together, so each of these is summed on its own, with
its part of the inertia. A flexible link takes at its root what its beam, its tip and the places along it take.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from lissom.dynamics.acting import UPRIGHT, Loaded, Setting, read_acting
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.from_arm import inertia_of, placement_of, tree_of
from lissom.dynamics.rounding import about_origin
from lissom.dynamics.stations import station_of
from lissom.dynamics.tree import Position, Tree
from lissom.elements.base import AbstractArticulated
from lissom.engine.run import AbstractRun
from lissom.records import dense, filled, flat
from lissom.spatial.frames import inverse
from lissom.spatial.inertia import Inertia
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Placement, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.vectors import Vector3

NUMBERS = Vector3(0.0, 0.0, 0.0)
WRENCH = flat(Wrench(NUMBERS, NUMBERS)).structure


class On(NamedTuple):
    """A link, and a body that has a part of it: of a flexible link the root, the tip, or a place along the beam."""

    link: int
    body: int


class Part(NamedTuple):
    """What is rigid of a link on a body, in the axes of the body."""

    on: On
    inertia: Inertia


class State(NamedTuple):
    """Positions, motions and orientations of the elements, forces of the bodies on their frames, forces of beams."""

    x: dict[int, Position]
    motion: dict[int, Motion]
    R: dict[int, Rotation]
    force: dict[int, Wrench]
    field: dict[int, Wrench]


def program(run: AbstractRun, bodies: Bodies, setting: Setting, world: bool) -> None:
    """Inputs q, qd, qdd, then as `read_acting`; output (links, 6) in world axes, or each in the axes of its link."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    assert not setting.own_inputs, "inertias that are inputs belong to bodies, not to links"
    bodies, base, loads = read_acting(run, bodies, setting)
    bodies, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    state = outward(run, tree_of(bodies), q, qd, qdd, base)
    sums = own_forces(run, bodies, state)
    take_loads(run, bodies, state, sums, loads)
    forces = inward(run, bodies, state, sums)
    run.output(*(_reaction(run, bodies, state, k, force, world) for k, force in enumerate(forces)))


def outward(run: AbstractRun, tree: Tree, q: Any, qd: Any, qdd: Any, base: Motion) -> State:
    """The outward pass."""
    state = State(tree.positions(run, q), {BASE: base}, {BASE: run.constant(UPRIGHT)}, {}, {})
    for i, node in enumerate(tree.nodes):
        state.R[i] = run.call(node.element.orientation, state.R[node.parent], state.x[i])
        if node.carries:
            parts = (state.motion[node.parent], state.x[i], node.part(qd), node.part(qdd))
            state.motion[i], state.force[i] = run.call(node.element.outward, *parts)
            field, _ = run.call(node.element.field_force, *parts)
            if field is not None:
                state.field[i] = field
    return state


def own_forces(run: AbstractRun, bodies: Bodies, state: State) -> dict[On, Wrench]:
    """Forces that the rigid parts of links take."""
    parts = parts_of(bodies)
    alone = Counter(part.on.body for part in parts)
    out: dict[On, Wrench] = {}
    for on, inertia in parts:
        if on.body != BASE and alone[on.body] == 1:
            out[on] = state.force[on.body]
        else:
            out[on] = run.call(_force_of, _rigid(inertia), state.motion[on.body])
    return out


def parts_of(bodies: Bodies) -> list[Part]:
    """The rigid parts of links with mass."""
    found: list[Part] = []
    for k, (link, place, tip) in enumerate(zip(bodies.arm.links, bodies.links, bodies.tips, strict=True)):
        if tip.body == place.body:
            found.append(Part(On(k, place.body), link.body.in_frame(place.X)))
            continue
        hub = link.hub
        found.append(Part(On(k, place.body), hub.in_frame(place.X)))
        if link.payload is not None:
            found.append(Part(On(k, tip.body), link.payload.body))
    return [part for part in found if part.inertia.mass or part.inertia.moment.any()]


def _rigid(inertia: Inertia) -> RigidInertia:
    about = about_origin(inertia)
    I = about["inertia"]
    six = [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    return inertia_of([*map(float, (about["mass"], *about["moment"], *six))])


def _force_of(inertia: RigidInertia, motion: Motion) -> Wrench:
    return inertia.force(motion)


def take_loads(run: AbstractRun, bodies: Bodies, state: State, sums: dict[On, Wrench], loads: list[Loaded]) -> None:
    """Subtract loads from the forces of the links that they act on."""
    for load in loads:
        on = On(bodies.arm.frame(station_of(load.frame)[0]).link, load.body)
        R, minus_load = state.R[on.body], AbstractArticulated.minus_load
        sums[on] = run.call(minus_load, sums.get(on), R, load.values, load.placement)


def inward(run: AbstractRun, bodies: Bodies, state: State, sums: dict[On, Wrench]) -> list[Wrench]:
    """Forces on the links by the inward pass, in the axes of their bodies and about the origins of these."""
    tree, arm = tree_of(bodies), bodies.arm
    out: list[Wrench] = []
    for k in reversed(range(len(arm.links))):
        _gather_beam(run, bodies, state, sums, k)
        joint, body = arm.links[k].joint, bodies.links[k].body
        force = sums.get(On(k, body), filled(WRENCH, run.constant([0.0] * 6)))
        out.append(force)
        if arm.parent_index[k] < 0:
            continue
        for _ in range(int(joint.moves) + int(joint.elastic is not None)):
            force, body = run.call(tree.nodes[body].element.carried, force, state.x[body]), tree.nodes[body].parent
        _add(run, sums, On(int(arm.parent_index[k]), body), force)
    return out[::-1]


def _gather_beam(run: AbstractRun, bodies: Bodies, state: State, sums: dict[On, Wrench], k: int) -> None:
    """Bring what a beam takes, at its tip, along it and by itself, to the root of its link."""
    tip, root = bodies.tips[k].body, On(k, bodies.links[k].body)
    if tip == root.body:
        return
    _add(run, sums, root, state.field[tip])
    for i, node in enumerate(tree_of(bodies).nodes):
        if node.owner == tip and On(k, i) in sums:
            _add(run, sums, root, run.call(node.element.carried, sums[On(k, i)], state.x[i]))


def _add(run: AbstractRun, sums: dict[On, Wrench], on: On, force: Wrench) -> None:
    sums[on] = run.call(_sum, sums[on], force) if on in sums else force


def _sum(a: Wrench, b: Wrench) -> Wrench:
    return a + b


def _reaction(run: AbstractRun, bodies: Bodies, state: State, k: int, force: Wrench, world: bool) -> Wrench:
    """The force on link k about the origin of its joint, which is that of the body unless it is a weld."""
    place = bodies.links[k]
    joint = place.X @ inverse(bodies.arm.links[k].frame)
    axes = placement_of([*map(float, (*place.X[:3, :3].ravel(), *joint[:3, 3]))])
    return run.call(_in_world, force, axes, state.R[place.body]) if world else run.call(_in_link, force, axes)


def _in_world(force: Wrench, axes: Placement, R: Rotation) -> Wrench:
    return dense(force.moved(-axes.p).turned(R))


def _in_link(force: Wrench, axes: Placement) -> Wrench:
    return dense(force.moved(-axes.p).turned(axes.R.T))
