"""Mechanisms with closed loops for the tests: plane ones, and spatial ones with odd axes."""

import numpy as np
from tests.arms import random_inertia

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis


def turned(rng):
    axis = rng.normal(size=3)
    return about_axis(axis / np.linalg.norm(axis), rng.uniform(-3, 3))


def frame(rng, size=0.3):
    return pose(turned(rng), size * rng.normal(size=3))


def rod(name, parent, place, length, mass, **joint):
    """A uniform rod along x that turns about z."""
    return ls.Link(
        name,
        parent=parent,
        joint=ls.Joint("revolute", placement=pose(p=np.array(place, float)), **joint),
        mass=mass,
        com=(length / 2, 0, 0),
        inertia=mass * length**2 / 12 * np.diag([1e-3, 1.0, 1.0]),
    )


FOUR = {"crank": 0.31, "coupler": 0.83, "rocker": 0.57, "ground": 0.91}


def four_bar(kind="revolute", actuated=True, gravity=(0.0, -9.81, 0.0), sizes=FOUR, **fields):
    """A crank-rocker of rods of 2 kg/m in the xy plane, driven at the crank."""
    a, b, c, d = sizes.values()
    links = [
        rod("crank", None, (0, 0, 0), a, 2 * a, actuated=actuated),
        rod("coupler", "crank", (a, 0, 0), b, 2 * b, actuated=False),
        rod("rocker", None, (d, 0, 0), c, 2 * c, actuated=False),
    ]
    loops = [ls.Loop(("coupler", (b, 0, 0)), ("rocker", (c, 0, 0)), kind)]
    return ls.Arm("four_bar", links, gravity=gravity, loops=loops, **fields)


def slider_crank():
    """A crank of 0.3 m, a rod of 0.9 m, a slider along x."""
    slider = ls.Link("slider", joint=ls.Joint("prismatic", axis=(1, 0, 0), actuated=False), mass=1.7)
    links = [
        rod("crank", None, (0, 0, 0), 0.3, 0.8),
        rod("rod", "crank", (0.3, 0, 0), 0.9, 1.1, actuated=False),
        slider,
    ]
    loops = [ls.Loop(("rod", (0.9, 0, 0)), ("slider", (0, 0, 0)), "revolute")]
    return ls.Arm("slider_crank", links, gravity=(0, -9.81, 0), loops=loops)


def body(rng, name, parent, kind="revolute", **joint):
    axis = rng.normal(size=3)
    mass = rng.uniform(0.5, 2.0)
    return ls.Link(
        name,
        parent=parent,
        joint=ls.Joint(kind, placement=frame(rng), axis=axis / np.linalg.norm(axis), **joint),
        mass=mass,
        com=0.1 * rng.normal(size=3),
        inertia=random_inertia(rng, mass),
    )


def spatial(kinds=("spherical",), seed=0, closed_at=None, **fields):
    """A tree of nine joints with odd axes, one of them prismatic, whose branches are joined by closures.

    Frames of the loops are put where they fit at a random position, so that closures of any kind can hold there;
    that position is the second result.
    """
    rng = np.random.default_rng(seed)
    links = [
        body(rng, "a1", None), body(rng, "a2", "a1", damping=0.3), body(rng, "a3", "a2", "prismatic"),
        body(rng, "a4", "a3", armature=0.1), body(rng, "b1", "a1"), body(rng, "b2", "b1"), body(rng, "b3", "b2"),
        body(rng, "c1", None), body(rng, "c2", "c1", "prismatic", stiffness=40.0, rest=0.1),
    ]  # fmt: skip
    gravity = (2.0, -3.0, -8.0)
    tree = ls.Arm("spatial", links, gravity=gravity, **fields)
    q = 0.6 * rng.normal(size=tree.dof) if closed_at is None else closed_at
    pairs = [("a4", "b3"), ("b2", "c2"), ("a2", None)]
    loops = []
    for kind, (a, b) in zip(kinds, pairs, strict=False):
        Fa = frame(rng)
        there = ls.pose(tree, q, a, Fa[:3, 3])
        there[:3, :3] = there[:3, :3] @ Fa[:3, :3]
        if kind == "planar":  # somewhere else in the plane
            there = there @ pose(about_axis(np.array([0.0, 0, 1]), 0.7), np.array([0.05, -0.08, 0.0]))
        loops.append(ls.Loop((a, Fa), (b, there if b is None else np.linalg.inv(ls.pose(tree, q, b)) @ there), kind))
    return tree.replace(loops=loops), q


def moving(arm, q, seed=1):
    """A consistent state with rates and accelerations."""
    rng = np.random.default_rng(seed)
    return ls.assemble(arm, q, qd=rng.normal(size=arm.dof), qdd=3 * rng.normal(size=arm.dof))


BEAM = ls.Beam(length=0.83, mass_per_length=2.0, EI=(80.0, 60.0), modes=ls.Modes(bending_z=2))


def flexible_four_bar(EI=60.0):
    """The four-bar with a coupler that bends, closed at its tip by a spherical joint."""
    rigid = four_bar("spherical")
    beam = BEAM.replace(EI=(80.0, EI))
    coupler = ls.Link("coupler", parent="crank", joint=rigid.links[1].joint, beam=beam)
    links = [rigid.links[0], coupler, rigid.links[2]]
    return rigid.replace(links=links, loops=[ls.Loop(("coupler.tip", (0, 0, 0)), ("rocker", (0.57, 0, 0)))])
