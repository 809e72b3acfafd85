"""Joint reactions: the force and moment that the parent exerts on each link through its joint.

The inward pass of Newton and Euler (Luh, Walker and Paul 1980; f_i and n_i of Hollerbach 1980), link by link: what a
link and all beyond it need less the loads on them,

    force(i) = I_i a_i + v_i x* I_i v_i - loads(i) + sum of X^T force(j) over the links j that i carries

A body of the recursions consists of all links that are welded together, so each of these is summed on its own, with
its part of the inertia. A flexible link takes at its root what its beam, its tip and the places along it take.

The reaction is conjugate to a rigid motion of the link, and of all beyond it, relative to its parent. Where frames
stretch (`elements.book`), the force Q = [f | P] on a frame [o | F] has the power f.v + axial(P F^T).w on a velocity v
of o and an angular velocity w; so f and axial(P F^T) balance the momentum of all that is beyond the joint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.dynamics.acting import UPRIGHT, Acting, Loaded
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.from_arm import Element, inertia_of, placement_of, tree_of
from lissom.dynamics.merging import Part
from lissom.dynamics.parts import joint_origin, tip_part, with_mass
from lissom.dynamics.stations import station_of
from lissom.dynamics.tree import Position, Tree
from lissom.engine.run import AbstractRun
from lissom.records import dense, filled, flat
from lissom.spatial.motions import Placement, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.vectors import Vector3

POINT = flat(Vector3(0.0, 0.0, 0.0)).structure


class State(NamedTuple):
    """Positions, motions and orientations of the elements, forces of the bodies on their frames, forces of beams."""

    x: dict[int, Position]
    motion: dict[int, Any]
    R: dict[int, Rotation]
    force: dict[int, Any]
    field: dict[int, Any]


def program(run: AbstractRun, bodies: Bodies, acting: Acting, world: bool) -> None:
    """Inputs q, qd, qdd, then as `Acting.read`; output (links, 6) in world axes, or each in the axes of its link."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    assert not acting.payloads, "payloads that are inputs belong to bodies, not to links"
    bodies, base, loads = acting.read(run, bodies)
    bodies, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    state = outward(run, tree_of(bodies), q, qd, qdd, base)
    sums = own_forces(run, bodies, state)
    take_loads(run, bodies, state, sums, loads)
    forces = inward(run, bodies, state, sums)
    run.output(*(_reaction(run, bodies, state, k, force, world) for k, force in enumerate(forces)))


def outward(run: AbstractRun, tree: Tree, q: Any, qd: Any, qdd: Any, base: Any) -> State:
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


def _element(bodies: Bodies, body: int) -> Element:
    """The element of a body; of the base any, for what depends on the kind of frames only."""
    return tree_of(bodies).nodes[max(body, 0)].element


def own_forces(run: AbstractRun, bodies: Bodies, state: State) -> dict[Part, Any]:
    """Forces that the rigid parts of links take."""
    out: dict[Part, Any] = {}
    for body, parts in with_mass(bodies).items():
        element = _element(bodies, body)
        own = tip_part(bodies, body) if element.field_has_body else None
        if len(parts) == 1 and body != BASE and own is None:
            out |= dict.fromkeys(parts, state.force[body])
            continue
        for part, row in parts.items():
            if part != own:
                out[part] = run.call(element.part_force, inertia_of(row), state.motion[body])
                if own is not None:  # what others take is counted with the field of the beam
                    out[own] = run.call(_difference, out.get(own, state.force[body]), out[part])
    return out


def _difference(a: Any, b: Any) -> Any:
    return a - b


def take_loads(run: AbstractRun, bodies: Bodies, state: State, sums: dict[Part, Any], loads: list[Loaded]) -> None:
    """Subtract loads from the forces of the links that they act on."""
    for load in loads:
        on = Part(bodies.arm.frame(station_of(load.frame)[0]).link, load.body)
        minus_load = _element(bodies, on.body).minus_load
        sums[on] = run.call(minus_load, sums.get(on), state.R[on.body], load.values, load.placement)


def inward(run: AbstractRun, bodies: Bodies, state: State, sums: dict[Part, Any]) -> list[Any]:
    """Forces on the links by the inward pass, on the frames of their bodies; None where there is none."""
    tree, arm = tree_of(bodies), bodies.arm
    out: list[Any] = []
    for k in reversed(range(len(arm.links))):
        _gather_beam(run, bodies, state, sums, k)
        joint, body = arm.links[k].joint, bodies.links[k].body
        force = sums.get(Part(k, body))
        out.append(force)
        if arm.parent_index[k] < 0 or force is None:
            continue
        for _ in range(int(joint.moves) + int(joint.elastic is not None)):
            force, body = run.call(tree.nodes[body].element.carried, force, state.x[body]), tree.nodes[body].parent
        _add(run, sums, Part(int(arm.parent_index[k]), body), force)
    return out[::-1]


def _gather_beam(run: AbstractRun, bodies: Bodies, state: State, sums: dict[Part, Any], k: int) -> None:
    """Bring what a beam takes, at its tip, along it and by itself, to the root of its link."""
    tip, root = bodies.tips[k].body, Part(k, bodies.links[k].body)
    if tip == root.body:
        return
    _add(run, sums, root, state.field[tip])
    for i, node in enumerate(tree_of(bodies).nodes):
        if node.owner == tip and Part(k, i) in sums:
            _add(run, sums, root, run.call(node.element.carried, sums[Part(k, i)], state.x[i]))


def _add(run: AbstractRun, sums: dict[Part, Any], on: Part, force: Any) -> None:
    sums[on] = run.call(_sum, sums[on], force) if on in sums else force


def _sum(a: Any, b: Any) -> Any:
    return a + b


def _reaction(run: AbstractRun, bodies: Bodies, state: State, k: int, force: Any, world: bool) -> Any:
    """The force on link k about the origin of its joint."""
    if force is None:
        return run.constant([0.0] * 6)
    place, given = bodies.links[k], bodies.given.get(("weld", k))
    origin = filled(POINT, [*map(float, joint_origin(bodies, k))] if given is None else given)
    R = state.R[place.body]
    found = run.call(_element(bodies, place.body).wrench, force, R, origin)
    return found if world else run.call(_in_link, found, R, placement_of(place.row))


def _in_link(wrench: Wrench, R: Rotation, place: Placement) -> Wrench:
    return dense(wrench.turned(R.then(place.R).T))
