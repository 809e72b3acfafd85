"""Chains with flexible links for the linear models: revolute, with awkward axes, hubs and payloads, without drives."""

import numpy as np

import lissom as ls
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

I = np.array([[0.02, 0.003, -0.002], [0.003, 0.03, 0.004], [-0.002, 0.004, 0.025]])
DOWN = (1.7, -3.1, -8.3)  # an odd direction


def rotated(axis, angle, p=(0, 0, 0)):
    axis = np.asarray(axis, float)
    return pose(about_axis(axis / np.linalg.norm(axis), angle), np.asarray(p, float))


def planar():
    """Two joints about z, two modes each; what hangs on the tip stands off it."""
    beams = [ls.Beam(0.7, 0.6, EI=3.0, modes=ls.Modes(2)), ls.Beam(0.5, 0.4, EI=1.3, modes=ls.Modes(2))]
    return ls.Arm("planar", [
        ls.Link("upper", mass=0.8, com=(0.02, -0.01, 0), inertia=0.011, beam=beams[0],
                payload=ls.Payload(0.3, (0.03, 0.02, 0), 0.0013)),
        ls.Link("lower", "upper", ls.Joint("revolute", pose(p=np.array([0.01, 0.02, 0.0]))), mass=0.4, inertia=0.003,
                beam=beams[1], payload=ls.Payload(0.35, (0.04, 0.05, 0), 0.0009)),
    ], gravity=(2.3, -7.9, 0.0))  # fmt: skip


def spatial():
    """Three joints, all links flexible: two planes, then two planes and torsion with rotary inertia, then one plane."""
    beam = ls.Beam(0.6, 0.5, EI=(1.2, 0.9), GJ=0.7, gyration=(0.012, 0.017), modes=ls.Modes(1, 1, 1))
    return ls.Arm("spatial", [
        ls.Link("boom", joint=ls.Joint("revolute", rotated((3, 1, 2), 0.8, (0.1, 0.2, 0.3)), (0.2, 1.0, 0.4)), mass=0.3,
                com=(0.02, 0.01, 0), inertia=I / 10, frame=rotated((1, 0, 2), 0.3, (0.02, 0, 0.01)),
                beam=ls.Beam(0.7, 0.8, EI=(2.6, 1.9), modes=ls.Modes(1, 1))),
        ls.Link("fore", "boom", ls.Joint("revolute", rotated((1, 1, 0), 0.5, (0.02, 0, 0.01)), (0, 0.3, 1)), mass=0.2,
                inertia=I / 30, beam=beam, payload=ls.Payload(0.4, (0.03, 0.02, -0.01), I / 20)),
        ls.Link("hand", "fore", ls.Joint("revolute", rotated((1, 0, 1), 0.7), (0, 1, 0.2)), mass=0.3,
                com=(0.05, 0, 0.02), inertia=I / 15, beam=ls.Beam(0.3, 0.4, EI=(0.4, 0.3), modes=ls.Modes(0, 1)),
                payload=ls.Payload(0.2, (0.02, -0.03, 0.01), I / 40)),
    ], gravity=DOWN)  # fmt: skip


def six():
    """Six joints, the second and third link flexible with three modes each, as in the paper's count."""
    rng = np.random.default_rng(23)
    beams = {
        1: ls.Beam(0.6, 0.7, EI=(2.3, 1.7), GJ=1.1, gyration=(0.013, 0.011), modes=ls.Modes(1, 1, 1)),
        2: ls.Beam(0.5, 0.5, EI=(1.1, 0.8), modes=ls.Modes(2, 1)),
    }
    links = []
    for i in range(6):
        start = rotated(rng.normal(size=3), rng.uniform(0.3, 2.0), rng.uniform(-0.2, 0.2, 3))
        links.append(
            ls.Link(f"l{i + 1}", f"l{i}" if i else None, ls.Joint("revolute", start, rng.normal(size=3)),
                    mass=rng.uniform(0.2, 0.8), com=rng.uniform(-0.1, 0.1, 3), inertia=I / rng.uniform(10, 40),
                    beam=beams.get(i))
        )  # fmt: skip
    return ls.Arm("six", links, gravity=DOWN)


CHAINS = {"planar": planar, "spatial": spatial, "six": six}


def states(arm, seed, size=0.06):
    """q, qd, qdd (dof,); amplitudes with slopes of some tenths of a radian."""
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, arm.dof))
    q[arm.mode_index] *= size
    qd[arm.mode_index] *= 5 * size
    return q, qd, qdd


# ---- arms that the paper does not cover ----------------------------------------------------------


def given():
    """A link given by its integrals, of a few masses that stand off its axis, between a hub and a payload."""
    rng = np.random.default_rng(7)
    x, dm = rng.uniform(-0.05, 0.5, (9, 3)) * (1, 0.2, 0.2), rng.uniform(0.02, 0.1, 9)
    phi = rng.normal(size=(3, 9, 3)) * 0.4
    h, u = np.column_stack([np.ones(9), x]), np.pad(phi, ((0, 0), (0, 0), (1, 0)))
    A = rng.normal(size=(3, 3))
    data = ls.ModalIntegrals(
        C=np.einsum("p,pi,pj->ij", dm, h, h) / 2, Ck=np.einsum("p,pi,kpj->kij", dm, h, u) / 2,
        Ckl=np.einsum("p,kpi,lpj->klij", dm, u, u) / 2, K=A @ A.T + 9 * np.eye(3), D=0.1 * np.eye(3),
        tip=(0.5, 0.02, -0.01), tip_shift=rng.normal(size=(3, 3)) * 0.5, tip_turn=rng.normal(size=(3, 3)),
    )  # fmt: skip
    return ls.Arm("given", [
        ls.Link("turret", joint=ls.Joint("revolute", rotated((1, 2, 3), 0.6), (0.1, 0.2, 1)), mass=0.9, inertia=I),
        ls.Link("boom", "turret", ls.Joint("revolute", rotated((3, 1, 2), 0.8, (0.1, 0.2, 0.3)), (0.2, 1.0, 0.4)),
                mass=0.3, com=(0.02, 0.01, 0), inertia=I / 10, frame=rotated((1, 0, 2), 0.3), modes=data,
                payload=ls.Payload(0.2, (0.02, -0.03, 0.01), I / 40)),
        ls.Link("hand", "boom", ls.Joint("revolute", rotated((1, 0, 1), 0.7), (0, 1, 0)), mass=0.3,
                com=(0.05, 0, 0.02), inertia=I / 15),
    ], gravity=DOWN)  # fmt: skip


def tree():
    """A boom that stretches too, with a plate fixed to its tip, and on that a flexible and a rigid branch."""
    beam = ls.Beam(0.6, 0.5, EI=(1.2, 0.9), EA=300.0, modes=ls.Modes(bending_z=1, bending_y=1, stretch=1))
    return ls.Arm("tree", [
        ls.Link("boom", joint=ls.Joint("revolute", rotated((3, 1, 2), 0.8, (0.1, 0.2, 0.3)), (0.2, 1.0, 0.4)), mass=0.3,
                inertia=I / 10, frame=rotated((1, 0, 2), 0.3), beam=beam),
        ls.Link("plate", "boom", ls.Joint("fixed", rotated((1, 3, 0), 0.4, (0.03, 0.01, 0.02))), mass=0.3,
                com=(0.02, 0, 0.01), inertia=I / 10, payload=ls.Payload(0.1, (0, 0.02, 0), I / 60)),
        ls.Link("fore", "plate", ls.Joint("revolute", rotated((1, 1, 0), 0.5, (0.02, 0, 0.01)), (0, 0.3, 1)), mass=0.2,
                inertia=I / 30, beam=ls.Beam(0.4, 0.3, EI=(0.5, 0.8), modes=ls.Modes(1, 1))),
        ls.Link("prop", "plate", ls.Joint("revolute", rotated((0, 1, 1), -0.6, (0, 0.1, 0)), (1, 0.2, 0)), mass=0.6,
                com=(0.1, 0.05, 0), inertia=I / 5),
        ls.Link("hand", "fore", ls.Joint("revolute", rotated((1, 0, 1), 0.7), (0, 1, 0)), mass=0.3, com=(0.05, 0, 0.02),
                inertia=I / 15),
    ], gravity=DOWN)  # fmt: skip


def sprung():
    """A spring between motor and link of the joint behind a flexible link."""
    arm = planar()
    joint = arm.links[1].joint.replace(armature=0.05, elastic=ls.JointElasticity(30.0, 0.2))
    return arm.replace(name="sprung", links=[arm.links[0], arm.links[1].replace(joint=joint)])


def sliding():
    """Prismatic joints before and behind a flexible link."""
    arm = spatial()
    root = ls.Joint("prismatic", rotated((1, 2, 3), 0.4), (0.3, 0.5, 1.0))
    cart = ls.Link("cart", joint=root, mass=1.5, com=(0.1, 0, 0.05), inertia=I)
    boom, fore, hand = arm.links
    slide = fore.joint.replace(kind="prismatic")
    links = [cart, boom.replace(parent="cart"), fore.replace(joint=slide), hand]
    return arm.replace(name="sliding", links=links)


def driven(arm):
    """With actuator inertia, damping and springs at the joints, and some damping of the beams."""
    links = []
    for i, link in enumerate(arm.links):
        if link.joint.moves and link.joint.elastic is None:
            drive = {"armature": 0.02 + 0.01 * i, "damping": 0.1 * (i % 2), "stiffness": 0.7 * i, "rest": 0.2}
            link = link.replace(joint=link.joint.replace(**drive))
        if link.beam is not None:
            link = link.replace(beam=link.beam.replace(damping=0.01 * i))
        links.append(link)
    return arm.replace(links=links)
