"""Arms on which the claims of Nasser are tried."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.dh import DH
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.model.loads import Loop
from lissom.spatial.rotations import Array


def shuttle_like_arm() -> Arm:
    """A stand-in for the Shuttle Remote Manipulator System: six joints, two long booms, no gravity.

    The paper prints no data. Lengths and masses here are rounded, of the size of the real arm (booms of
    6.4 m and 7.1 m, some hundred kilograms each), and inertias are those of slender tubes; they are a
    stand-in and no source for the real arm.
    """

    def tube(mass: float, length: float) -> dict[str, Any]:
        side = mass * (length**2 / 12 + 0.02)
        return {"mass": mass, "com": (-length / 2, 0.0, 0.0), "inertia": np.diag([mass * 0.04, side, side])}

    quarter = np.pi / 2
    rows = [
        DH(a=0.0, alpha=quarter, d=0.30, mass=95.0, com=(0.02, -0.1, 0.01), inertia=(2.5, 2.0, 2.6), armature=140.0),
        DH(a=6.4, alpha=0.0, d=0.0, armature=150.0, **tube(138.0, 6.4)),
        DH(a=7.1, alpha=0.0, d=0.0, armature=80.0, **tube(85.0, 7.1)),
        DH(a=0.46, alpha=-quarter, d=0.0, armature=25.0, **tube(8.5, 0.46)),
        DH(a=0.76, alpha=quarter, d=0.0, armature=25.0, **tube(45.0, 0.76)),
        DH(a=0.66, alpha=0.0, d=0.0, armature=25.0, **tube(41.0, 0.66)),
    ]  # fmt: skip
    return Arm.from_dh(rows, convention="standard", gravity=(0.0, 0.0, 0.0), name="shuttle-like")


def at(*place: float) -> Array:
    """A pose that is not turned."""
    X = np.eye(4)
    X[:3, 3] = place
    return X


def planar_arm(l1: float, bodies: dict[str, tuple[float, float, float]], g: float) -> Arm:
    """Two links in a vertical plane, bodies by name: mass, distance of the centre of mass, inertia about it."""
    links = [
        Link(name, None if k == 0 else "shoulder", Joint("revolute", at(0.0 if k == 0 else l1, 0.0, 0.0)), m,
             (r, 0.0, 0.0), I)
        for k, (name, (m, r, I)) in enumerate(bodies.items())
    ]  # fmt: skip
    return Arm("planar", tuple(links), gravity=(0.0, -g, 0.0))


def two_arms(closed: bool = False) -> Arm:
    """Two arms on a column that turns and slides; closed: their hands hold on to each other by a ball."""
    rng = np.random.default_rng(7)
    links = []
    for k, parent in enumerate((None, "0", "1", "2", "3", "1", "5", "6")):
        kind = "prismatic" if k in (1, 4) else "revolute"
        joint = Joint(kind, at(*rng.uniform(-0.4, 0.4, 3)), rng.normal(size=3), armature=0.05 * k)
        links.append(Link(str(k), parent, joint, rng.uniform(1.0, 4.0), rng.uniform(-0.2, 0.2, 3), (0.05, 0.06, 0.07)))
    loops = (Loop(("4", (0.2, -0.1, 0.1)), ("7", (0.1, 0.2, -0.1)), "spherical"),) if closed else ()
    return Arm("two arms", tuple(links), gravity=(1.0, -2.0, -9.0), loops=loops)


def four_bar() -> Arm:
    """A planar crank-rocker of rods, closed by a ball, whose crank is driven."""
    crank, coupler, rocker, ground = 0.31, 0.83, 0.57, 0.91

    def rod(name: str, parent: str | None, place: float, length: float) -> Link:
        mass = 2.0 * length
        side = mass * length**2 / 12
        joint = Joint("revolute", at(place, 0.0, 0.0), actuated=name == "crank")
        return Link(name, parent, joint, mass, (length / 2, 0.0, 0.0), (1e-3 * side, side, side))

    links = (
        rod("crank", None, 0.0, crank),
        rod("coupler", "crank", crank, coupler),
        rod("rocker", None, ground, rocker),
    )
    loop = Loop(("coupler", (coupler, 0.0, 0.0)), ("rocker", (rocker, 0.0, 0.0)), "spherical")
    return Arm("four-bar", links, gravity=(0.0, -9.81, 0.0), loops=(loop,))
