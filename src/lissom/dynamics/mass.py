"""Mass matrix by composite bodies (Walker and Orin 1982, method 3; Featherstone 2008, table 6.2).

The composite of an element is itself and all that it carries, as one rigid body. Column j of M is the force of a unit
acceleration of coordinate j on its composite, along the directions of the coordinates that carry it.

    in world axes   an entry is one product of six numbers: for the tape
    in body axes    the force is carried inwards, zeros of the placements fold away: for straight-line code
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from lissom.dynamics.acting import WORLD, Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import with_armature
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.tree import Node, Position, Tree
from lissom.elements.results import ModalInertia, Placed
from lissom.engine.run import AbstractRun, Pairs
from lissom.records import flat
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Placement, Twist, Wrench
from lissom.spatial.scalar import Scalar
from lissom.spatial.vectors import Vector3

Entries = dict[tuple[int, int], Any]  # vectors of one entry by row and column


def in_world_axes(run: AbstractRun, tree: Tree, q: Any) -> Pairs[Scalar]:
    """Entries (i, j), i carrying j or equal, from screws and columns about the world's origin."""
    x = tree.positions(run, q)
    frame: dict[int, Placement] = {BASE: run.constant(WORLD)}
    placed: dict[int, Placed] = {}
    for i, node in tree.outward():
        placed[i] = run.call(node.articulated.place, frame[node.parent], x[i])
        frame[i] = placed[i].frame
    composite = _composites(run, tree, placed)
    modal: dict[int, ModalInertia | None] = {i: place.modal for i, place in placed.items()}
    columns: dict[int, Wrench] = {}
    among: Pairs[Scalar] = {}
    for i, node in tree.inward():
        if i in placed:
            parts = (placed[i].directions, modal[node.owner], composite[i], frame[i].p)
            forces, entries, modal[node.owner] = run.call(node.articulated.columns, *parts)
            columns |= dict(enumerate(forces, node.first))
            own = range(node.first, node.first + len(forces))
            among |= dict(zip(combinations_with_replacement(own, 2), entries, strict=False))
    screws = {node.first + k: s for i, node in tree.own() for k, s in enumerate(placed[i].screws)}
    numbers = range(tree.dof)
    M = run.call_pairs(Twist.dot, tree.chain, [screws[k] for k in numbers], [columns[k] for k in numbers])
    return {**M, **among, **_beyond(run, tree, placed, columns)}


def _composites(run: AbstractRun, tree: Tree, placed: dict[int, Placed]) -> dict[int, RigidInertia]:
    """The composite of every element."""
    out = {i: place.inertia for i, place in placed.items()}
    for i, node in tree.inward():
        if i in placed and node.parent != BASE:
            parts = (out[node.parent], out[i], placed[i].r, placed[i].on_parent)
            out[node.parent] = run.call(_composed, *parts)
    return out


def _composed(
    parent: RigidInertia, composite: RigidInertia, r: Vector3, on_parent: RigidInertia | None
) -> RigidInertia:
    total = parent + composite.moved(r)
    return total if on_parent is None else total + on_parent


def _beyond(run: AbstractRun, tree: Tree, placed: dict[int, Placed], columns: dict[int, Wrench]) -> Pairs[Scalar]:
    """Entries of modes and of elements that hang along their beam, which move with the screws of their place."""
    out: Pairs[Scalar] = {}
    for _, node in tree.own():
        for k in tree.path(node.parent):
            if tree.nodes[k].owner != k:
                for c, screw in enumerate(placed[k].screws, tree.nodes[k].first):
                    numbers = range(node.first, node.first + node.width)
                    out |= {(c, j): run.call(screw.dot, columns[j]) for j in numbers}
    return out


def in_body_axes(run: AbstractRun, tree: Tree, q: Any) -> Pairs[Scalar]:
    """The same entries; forces of unit accelerations are carried inwards."""
    x = tree.positions(run, q)
    composite = {i: run.call(node.composite.own_composite, _values(run, node)) for i, node in tree.own()}
    M: Pairs[Scalar] = {}
    for i, node in reversed(list(tree.own())):
        forces, among = run.call(node.composite.unit_forces, composite[i], x[i])
        M |= dict(zip(combinations_with_replacement(node.coordinates, 2), among or (), strict=False))
        for c, force in zip(node.coordinates, forces, strict=True):
            M |= _column(run, tree, x, i if among is None else node.parent, c, force)
        if node.parent != BASE:
            composite[node.parent] = run.call(node.composite.composed, composite[node.parent], composite[i], x[i])
    return M


def _values(run: AbstractRun, node: Node) -> RigidInertia:
    """The inertia of an element as values of the run."""
    inertia = node.composite.inertia
    return run.constant(inertia) if flat(inertia).argument.numbers else inertia


def _column(run: AbstractRun, tree: Tree, x: dict[int, Position], i: int, c: int, force: Any) -> Pairs[Scalar]:
    """Entries of column c, on the diagonal and above it, of a force on element i and on those that carry it."""
    M: Pairs[Scalar] = {}
    for k in reversed(tree.path(i)):
        node = tree.nodes[k]
        entries = run.call(node.composite.project, force, x[k])
        M |= {(own, c): entry for own, entry in zip(node.coordinates, entries, strict=True) if own <= c}
        if node.parent != BASE:
            force = run.call(node.element.carried, force, x[k])
    return M


def matrix(run: AbstractRun, bodies: Bodies, q: Any, tape: bool) -> Entries:
    """The mass matrix, in body or world axes, whichever is faster for the arm and the code; vectors of one entry."""
    if bodies.coupling is not None:
        free, q = bodies.expanded(run, q)
        found = bodies.coupling.matrix(run, matrix(run, free, q, tape), symmetric=True)
        filled = dict.fromkeys((i, k) for k, above in enumerate(bodies.carriers) for i in above)
        return {**dict.fromkeys(filled, run.constant([0.0])), **found}
    if bodies.closed_form:
        from lissom.dynamics.planar import programs

        return programs.matrix(run, bodies, q)
    tree = tree_of(bodies)
    in_body = tree.stretches or (tree.has_composites and not tape)
    M = (in_body_axes if in_body else in_world_axes)(run, tree, q)
    return with_armature(run, tree, {key: [entry] for key, entry in M.items()})


def dense(run: AbstractRun, n: int, M: Entries) -> list[Any]:
    """The dense mass matrix row by row, zero where two coordinates do not couple."""
    zero = run.constant([0.0])
    return [M.get((min(i, j), max(i, j)), zero) for i in range(n) for j in range(n)]


def program(run: AbstractRun, bodies: Bodies, acting: Acting, tape: bool, packed: bool = False) -> None:
    """Input q, then as `Acting.read_bodies`; output M, row by row; packed: its upper triangle, row by row."""
    n = bodies.dof
    q = run.input(n)
    bodies = acting.read_bodies(run, bodies)
    entries = dense(run, n, matrix(run, bodies, q, tape))
    run.output(*(entries[n * i + j] for i in range(n) for j in range(i if packed else 0, n)))
