"""Inverse dynamics: recursive Newton-Euler in body axes (Luh, Walker and Paul 1980; Featherstone 2008, table 5.1).

    outward   motion = X motion(parent) + S qdd + c        force = I a + v x* I v
    inward    tau = S^T force                              force(parent) += X^T force

Gravity enters as an acceleration of the base. A beam also acts on its parent, and a force acts on each of its modes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import (
    Acting,
    Loaded,
    take_loads,
)
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import motor_forces
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.tree import Tree, add_to
from lissom.engine.run import AbstractRun
from lissom.spatial.motions import Motion, Wrench


def joint_torques(
    run: AbstractRun, bodies: Bodies, q: Any, qd: Any, qdd: Any, base: Motion, loads: list[Loaded]
) -> list[Any]:
    """Joint torques by the recursion; one vector of length one per coordinate."""
    if bodies.coupling is not None:
        tree, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
        return bodies.coupling.force(run, joint_torques(run, tree, q, qd, qdd, base, loads))
    if bodies.closed_form:
        from lissom.dynamics.planar import programs

        return programs.joint_torques(run, bodies, q, qd, qdd, loads)
    return tree_torques(run, tree_of(bodies), q, qd, qdd, base, loads)


def tree_torques(
    run: AbstractRun, tree: Tree, q: Any, qd: Any, qdd: Any, base: Motion, loads: list[Loaded]
) -> list[Any]:
    """Torques of a tree with one coordinate per joint."""
    x = tree.positions(run, q)
    motion: dict[int, Motion] = {BASE: base}
    force: dict[int, Wrench] = {}
    tau: dict[int, Any] = {}
    for i, node in tree.outward():
        state = (motion[node.parent], x[i], node.part(qd), node.part(qdd))
        motion[i], force[i] = run.call(node.element.outward, *state)
        on_parent, modal = run.call(node.element.field_force, *state)
        add_to(run, force, node.parent, on_parent)
        tau.setdefault(node.owner, modal)
    take_loads(run, tree, x, loads, force)
    for i, node in tree.inward():
        if i in force:
            parts = (force.get(node.parent), force[i], tau[node.owner], x[i])
            on_parent, tau[node.owner] = run.call(node.element.inward, *parts)
            if on_parent is not None:
                force[node.parent] = on_parent
    return motor_forces(run, tree, tree.joined(tau), q, qd, qdd)


def program(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, qdd, then as `Acting.read`; output tau."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    bodies, base, loads = acting.read(run, bodies)
    run.output(*joint_torques(run, bodies, q, qd, qdd, base, loads))


def program_at_rest(run: AbstractRun, bodies: Bodies, acting: Acting, rates: bool) -> None:
    """Input q, and qd when `rates`, then as `Acting.read`; output tau at zero acceleration."""
    n = bodies.dof
    q = run.input(n)
    nothing = run.constant(np.zeros(n))
    qd = run.input(n) if rates else nothing
    bodies, base, loads = acting.read(run, bodies)
    run.output(*joint_torques(run, bodies, q, qd, nothing, base, loads))
