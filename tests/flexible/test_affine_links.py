"""Links and beams on frames that may stretch, with every kind of joint before and behind them."""

import numpy as np
import pytest
from tests.flexible.linear_arms import rotated
from tests.joints.test_new_kind import BASE, PITCH, TREE, Screw

import lissom as ls
from lissom.dynamics import energy, inverse, mass
from lissom.dynamics.acting import MOTION, Acting, standing_frames
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.tree import Tree
from lissom.elements.book.link import AffineLink
from lissom.engine.program import Plain
from lissom.records import filled

STATE = np.random.default_rng(4).normal(size=(3, 6, 5))


def changed(node, element):
    return type(node)(*(element if name == "element" else getattr(node, name) for name in type(node).__annotations__))


AFFINE = Tree(
    tuple(
        changed(node, AffineLink(node.element.placement, node.element.inertia, node.element.joint, 1))
        for node in TREE.nodes
    )
)


def on_numpy(program, *given):
    run = Plain([x.copy() for x in given])
    program(run)
    return np.stack(np.broadcast_arrays(*run.outputs[0]), axis=-1)


def test_affine_links_are_rigid_links_where_nothing_stretches():
    """Revolute, prismatic and screw joints: the matrices of Book 1983 against Newton and Euler, composites likewise."""
    found = []
    for tree in (TREE, AFFINE):

        def torques(run, tree=tree):
            q, qd, qdd = (run.input(5) for _ in range(3))
            run.output(*inverse.tree_torques(run, tree, q, qd, qdd, filled(MOTION, run.constant(BASE)), []))

        def inertia(run, tree=tree):
            entries = mass.in_body_axes(run, tree, run.input(5))
            run.output([entries[key] for key in sorted(entries)])

        def totals(run, tree=tree):
            total = energy.tree_totals(run, tree, run.input(5), run.input(5))
            run.output([total.T], total.moment, total.P, total.L)

        found.append([on_numpy(torques, *STATE), on_numpy(inertia, STATE[0]), on_numpy(totals, *STATE[:2])])
    for want, have in zip(*found, strict=True):
        assert np.abs(have - want).max() < 1e-13 * np.abs(want).max()


def chain(kinds, model, loads=()):
    """A boom on a joint, and a hand on a joint behind it; a screw is a slide that carries a massless turn."""
    axes, links, parent = ((0.2, 1.0, 0.4), (0, 0.3, 1)), [], None
    beams = (ls.Beam(0.7, 0.8, EI=(2.6, 1.9), modes=ls.Modes(1, 1)), None)
    for k, (kind, axis, beam) in enumerate(zip(kinds, axes, beams, strict=True)):
        placement = rotated((3, 1, 2 + k), 0.8, (0.1, 0.2, 0.3))
        if kind == "tied":
            links.append(ls.Link(f"slide{k}", parent, ls.Joint("prismatic", placement, axis)))
            parent, placement, kind = f"slide{k}", np.eye(4), "revolute"
        links.append(
            ls.Link(f"l{k}", parent, ls.Joint(kind, placement, axis), 0.4, (0.02, 0.01, 0.05), 0.01, beam=beam)
        )
        parent = f"l{k}"
    return ls.Arm("chain", links, gravity=(1.7, -3.1, -8.3), flexibility=model, loads=loads)


@pytest.mark.parametrize("at", [0.0, 0.31])
def test_screws_before_and_behind_a_flexible_link(at):
    """A joint that only this file's neighbour knows, against a slide and a turn that are tied together."""
    loads = [ls.Load("l0", (1.0, -2.0, 0.7), (0.3, 0.2, -0.4), (at, 0.01, 0.03)), ls.Load("l1", (0.4, 0.3, -1.1))]
    tied, turning = chain(("tied", "tied"), "linear", loads), chain(("revolute", "revolute"), "linear", loads)
    bodies = Bodies(turning).with_stations(standing_frames(turning))
    tree = tree_of(bodies)
    screws = tuple(
        changed(node, AffineLink(node.element.placement, node.element.inertia, Screw(PITCH), 0))
        if isinstance(node.element, AffineLink)
        else node
        for node in tree.nodes
    )
    bodies.elements = Tree(screws)
    q, qd, qdd = np.random.default_rng(7).normal(size=(3, 4, 4)) * (1.0, 0.05, 0.05, 1.0)
    G = np.zeros((6, 4))  # slide, turn, two modes, slide, turn
    for row, column, factor in ((0, 0, PITCH), (1, 0, 1), (2, 1, 1), (3, 2, 1), (4, 3, PITCH), (5, 3, 1)):
        G[row, column] = factor
    have = on_numpy(lambda run: inverse.program(run, bodies, Acting()), q, qd, qdd)
    want = ls.inverse_dynamics(tied, q @ G.T, qd @ G.T, qdd @ G.T) @ G
    assert np.abs(have - want).max() < 1e-12 * np.abs(want).max()
