"""Energies, centre of mass and momentum: one outward pass in world axes.

Per body: orientation R, origin o, angular velocity w, velocity v of the origin. With h its first moment and I its
inertia about the origin, turned to world axes:

    T = 1/2 (w.I w + m v.v) + v.(w x h)          P = m v + w x h        L = I w + h x v + o x P
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import UPRIGHT, Acting
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.tree import Tree
from lissom.elements.results import MovingBody, Totals
from lissom.engine.run import AbstractRun
from lissom.records import filled, flat
from lissom.spatial.inertias import Energies
from lissom.spatial.vectors import Vector3

NUMBERS = Vector3(0.0, 0.0, 0.0)
AT_REST = MovingBody(UPRIGHT, NUMBERS, NUMBERS, NUMBERS)
GRAVITY = flat(NUMBERS).structure


def totals(run: AbstractRun, bodies: Bodies, q: Any, qd: Any) -> Totals:
    """Sum over bodies."""
    bodies, q, qd = bodies.expanded(run, q, qd)
    return tree_totals(run, tree_of(bodies), q, qd)


def tree_totals(run: AbstractRun, tree: Tree, q: Any, qd: Any) -> Totals:
    """Sum over the elements of a tree."""
    state: dict[int, MovingBody] = {BASE: run.constant(AT_REST)}
    total = run.constant(Totals(0.0, NUMBERS, NUMBERS, NUMBERS))
    x = tree.positions(run, q)
    for i, node in tree.outward():
        state[i], own, field = run.call(node.element.moving, state[node.parent], x[i], node.part(qd))
        for part in (field, own):
            if part is not None:
                total = run.call(Totals.__add__, total, part)
    return total


def _energies(run: AbstractRun, bodies: Bodies, q: Any, qd: Any) -> Energies:
    """Energies with the drives' inertia and the joints' springs."""
    bodies, q, qd = bodies.expanded(run, q, qd)
    energies = _of_links(run, bodies, q, qd)
    for _, node in tree_of(bodies).own():
        energies = run.call(node.element.with_strain, energies, node.part(q))
        if node.drive is not None:
            energies = run.call(node.drive.with_energy, energies, q[node.first], qd[node.first])
    return energies


def _of_links(run: AbstractRun, bodies: Bodies, q: Any, qd: Any) -> Energies:
    """Energies of the links, without strain."""
    if bodies.closed_form:
        from lissom.dynamics.planar import programs

        return programs.energies(run, bodies, q, qd)
    return run.call(_with_height, totals(run, bodies, q, qd), filled(GRAVITY, bodies.gravity))


def _with_height(total: Totals, gravity: Vector3) -> Energies:
    return Energies(total.T, -gravity.dot(total.moment))


def kinetic(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, then as `Acting.read_bodies`; output T."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    run.output([_energies(run, acting.read_bodies(run, bodies), q, qd).T])


def potential(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Input q, then as `Acting.read_bodies`; output V."""
    n = bodies.dof
    q, still = run.input(n), run.constant(np.zeros(n))
    run.output([_energies(run, acting.read_bodies(run, bodies), q, still).V])


def both(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, then as `Acting.read_bodies`; output T, V."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    run.output(_energies(run, acting.read_bodies(run, bodies), q, qd))


def first_moment(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Input q, then as `Acting.read_bodies`; output mass times centre of mass (3)."""
    n = bodies.dof
    q, still = run.input(n), run.constant(np.zeros(n))
    run.output(totals(run, acting.read_bodies(run, bodies), q, still).moment)


def momentum(run: AbstractRun, bodies: Bodies, acting: Acting) -> None:
    """Inputs q, qd, then as `Acting.read_bodies`; output P (3), L (3)."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    total = totals(run, acting.read_bodies(run, bodies), q, qd)
    run.output(total.P, total.L)
