"""Arms for the benchmarks, each with its twins in Pinocchio and MuJoCo."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

import lissom as ls
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.spatial.frames import pose
from lissom.spatial.rotations import about_axis

if TYPE_CHECKING:  # a benchmark of fresh processes has no use for these two
    import mujoco
    import pinocchio as pin

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"


def panda() -> ls.Arm:
    """Panda with its fingers locked: 7 joints."""
    arm = ls.load(ROBOTS / "panda_description/urdf/panda.urdf")
    return bare(arm.lock({"panda_finger_joint1": 0.0}).replace(name="panda"))


def ur10() -> ls.Arm:
    return bare(ls.load(ROBOTS / "ur_description/urdf/ur10_robot.urdf").replace(name="ur10"))


def talos() -> ls.Arm:
    return bare(ls.load(ROBOTS / "talos_data/robots/talos_full_v2.urdf", mimic="free").replace(name="talos"))


def bare(arm: ls.Arm) -> ls.Arm:
    """Without damping, friction and fixed joints: what Pinocchio's algorithms compute."""
    links = [
        link.replace(joint=link.joint.replace(damping=0.0, friction=0.0)) if link.joint.moves else link
        for link in arm.links
    ]
    return arm.replace(links=links).merge_fixed()


def generic(parents: list[int], seed: int, name: str) -> ls.Arm:
    """Revolute joints with generic twists, offsets and full inertias."""
    rng = np.random.default_rng(seed)
    links = []
    for i, parent in enumerate(parents):
        twist = rng.choice([np.pi / 2, -np.pi / 2, 0.0]) + rng.uniform(-0.4, 0.4)
        placement = pose(about_axis((1.0, 0.0, 0.0), twist), rng.uniform(-0.3, 0.3, 3))
        points = rng.normal(size=(6, 3)) * 0.1
        mass = rng.uniform(0.2, 4.0)
        inertia = mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points - points.mean(axis=0))
        above = None if parent < 0 else f"l{parent}"
        joint = ls.Joint("revolute", placement)
        links.append(ls.Link(f"l{i}", above, joint, mass, rng.uniform(-0.1, 0.1, 3), inertia))
    return ls.Arm(name, links)


def chain(n: int) -> ls.Arm:
    return generic(list(range(-1, n - 1)), 1, f"chain {n}")


def tree55() -> ls.Arm:
    """A torso of 3, two arms of 7 with four fingers of 3 each, two legs of 7."""
    parents = [-1, 0, 1]
    for _ in range(2):
        parents += [2] + list(range(len(parents), len(parents) + 6))
        hand = len(parents) - 1
        for _ in range(4):
            parents += [hand] + list(range(len(parents), len(parents) + 2))
    for _ in range(2):
        parents += [0] + list(range(len(parents), len(parents) + 6))
    return generic(parents, 2, f"tree {len(parents)}")


def twin(arm: ls.Arm) -> pin.Model:
    """The same machine in Pinocchio, joint for joint (the arm's links must be in depth-first order)."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = arm.gravity
    joints: list[int] = []
    for body in Bodies(arm).list:
        parent = 0 if body.parent == BASE else joints[body.parent]
        kind = pin.JointModelPZ() if body.prismatic else pin.JointModelRZ()
        joints.append(model.addJoint(parent, kind, pin.SE3(body.R, body.p), body.joint))
        com = body.moment / body.mass if body.mass else np.zeros(3)
        about = body.inertia - body.mass * (com @ com * np.eye(3) - np.outer(com, com))
        model.appendBodyToJoint(joints[-1], pin.Inertia(body.mass, com, about), pin.SE3.Identity())
    return model


def mujoco_twin(arm: ls.Arm, kp: np.ndarray | None = None, kd: np.ndarray | None = None) -> mujoco.MjModel:
    """The same machine in MuJoCo, without contacts, limits or any constraint; with servos where gains are given."""
    import mujoco
    import pinocchio as pin

    bodies = Bodies(arm)
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", boundmass="0", boundinertia="0", autolimits="false")
    option = ElementTree.SubElement(root, "option", gravity=_words(arm.gravity))
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable")
    nodes: list[ElementTree.Element] = []
    world = ElementTree.SubElement(root, "worldbody")
    for body in bodies.list:
        above = world if body.parent == BASE else nodes[body.parent]
        quat = pin.Quaternion(body.R)
        place = {"pos": _words(body.p), "quat": _words([quat.w, quat.x, quat.y, quat.z])}
        node = ElementTree.SubElement(above, "body", name=body.joint, **place)
        kind = "slide" if body.prismatic else "hinge"
        ElementTree.SubElement(node, "joint", name=body.joint, type=kind, axis="0 0 1")
        com = body.moment / body.mass if body.mass else np.zeros(3)
        I = body.inertia - body.mass * (com @ com * np.eye(3) - np.outer(com, com))
        six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        ElementTree.SubElement(node, "inertial", pos=_words(com), mass=repr(body.mass), fullinertia=_words(six))
        nodes.append(node)
    if kp is not None and kd is not None:
        servos = ElementTree.SubElement(root, "actuator")
        for body, p, d in zip(bodies.list, kp, kd, strict=True):
            ElementTree.SubElement(servos, "position", joint=body.joint, kp=repr(float(p)), kv=repr(float(d)))
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def _words(values: object) -> str:
    return " ".join(repr(float(x)) for x in values)
