"""Arms for checking the claims of Book 1983; the paper prints none."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Beam, Modes
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.model.loads import Payload
from lissom.model.modal_integrals import ModalIntegrals
from lissom.papers.book1983.equations import Link as Constants, transform
from lissom.spatial.rotations import Array, about_axis, skew
from lissom.verbs.deformation import deformation

TRUNCATIONS = {"book": "(37), (72), (73)", "book_37": "(37)", "book_72": "(72), (73)"}


def named(word: str) -> str:
    """What a model of flexibility leaves out."""
    return "not truncated" if word == "linear" else f"truncated by {TRUNCATIONS[word]}"


def slopes_of(arm: Arm) -> Array:
    """Rotation of each link's tip per unit amplitude of its modes [rad]."""
    out = []
    for k in arm.mode_index:
        link = arm.coordinates[k].split(".")[0]
        q = np.zeros(arm.dof)
        q[k] = 1e-6
        out.append(np.linalg.norm(deformation(arm, q, link).angles[-1]) / 1e-6)
    return np.array(out)


def _at(x: float = 0.0, z: float = 0.0) -> Array:
    X = np.eye(4)
    X[0, 3], X[2, 3] = x, z
    return X


def _tube(mass: float, length: float) -> dict[str, Any]:
    """A short rigid link along x."""
    side = mass * (length**2 / 12 + 0.001)
    return {"mass": mass, "com": (length / 2, 0.0, 0.0), "inertia": np.diag([mass * 0.002, side, side])}


def _boom(length: float) -> Beam:
    """A thin-walled beam that bends both ways and twists."""
    three = Modes(bending_z=1, bending_y=1, torsion=1)
    return Beam(length, 0.9, EI=(60.0, 45.0), GJ=35.0, gyration=(0.025, 0.02), modes=three)


def six_joint_arm(flexibility: str) -> Arm:
    """Six joints, upper arm and forearm flexible with three modes each, a rigid wrist: twelve coordinates."""
    upright, across, along = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    links = [
        Link("waist", None, Joint("revolute", axis=upright), **_tube(2.0, 0.1)),
        Link("upper", "waist", Joint("revolute", _at(z=0.3), axis=across), mass=0.5, inertia=(0.002, 0.002, 0.002),
             beam=_boom(0.9)),
        Link("fore", "upper", Joint("revolute", axis=across), mass=0.4, inertia=(0.002, 0.002, 0.002), beam=_boom(0.8)),
        Link("roll", "fore", Joint("revolute", axis=along), **_tube(0.4, 0.12)),
        Link("pitch", "roll", Joint("revolute", _at(x=0.12), axis=across), **_tube(0.3, 0.1)),
        Link("tool", "pitch", Joint("revolute", _at(x=0.1), axis=along), **_tube(0.3, 0.15)),
    ]  # fmt: skip
    return Arm("six joints, two flexible links", tuple(links), gravity=(0.0, 0.0, -9.81), flexibility=flexibility)


def three_joint_arm(flexibility: str) -> Arm:
    """A post with two flexible links in space, no gravity."""
    links = [
        Link("post", None, Joint("revolute"), **_tube(1.0, 0.1)),
        Link("upper", "post", Joint("revolute", _at(z=0.3), axis=(0.0, 1.0, 0.0)), mass=0.3,
             inertia=(0.002, 0.002, 0.002), beam=_boom(0.7)),
        Link("fore", "upper", Joint("revolute", axis=(0.0, 0.6, 0.8)), mass=0.2, inertia=(0.001, 0.001, 0.001),
             beam=_boom(0.6), payload=Payload(0.5, (0.03, 0.04, 0.0), np.diag([1e-3, 2e-3, 1.5e-3]))),
    ]  # fmt: skip
    return Arm("three joints in space", tuple(links), gravity=(0.0, 0.0, 0.0), flexibility=flexibility)


def two_link_arm(flexibility: str) -> Arm:
    """Two light links in a plane with two modes each, and a payload twice as heavy as a link."""
    beam = Beam(1.0, 0.5, EI=20.0, modes=Modes(bending_z=2))
    links = [
        Link("first", None, Joint("revolute"), beam=beam),
        Link("second", "first", Joint("revolute"), beam=beam, payload=Payload(1.0, inertia=1e-3)),
    ]
    return Arm("two light links", tuple(links), gravity=(0.0, 0.0, 0.0), flexibility=flexibility)


def general_arm(flexibility: str) -> Arm:
    """The same kind of arm with general axes, and modal tables in which nothing is zero."""
    rigid = general_rigid_arm(6)
    rng = np.random.default_rng(11)
    links = [link.replace(modes=_general_modes(rng)) if k in (0, 1) else link for k, link in enumerate(rigid.links)]
    return rigid.replace(links=tuple(links), flexibility=flexibility)


def general_rigid_arm(n: int) -> Arm:
    """Joints about general axes at general places, general inertias."""
    rng = np.random.default_rng(5)
    links = []
    for k in range(n):
        X, A = np.eye(4), rng.normal(size=(3, 3))
        X[:3, :3], X[:3, 3] = about_axis(_unit(rng), rng.uniform(0.3, 1.2)), rng.uniform(0.1, 0.5, 3)
        joint = Joint("revolute", X, _unit(rng))
        second = A @ A.T
        links.append(Link(f"link{k}", f"link{k - 1}" if k else None, joint, 1.0, rng.uniform(-0.2, 0.2, 3),
                          np.trace(second) * np.eye(3) - second))  # fmt: skip
    return Arm(f"{n} general joints", tuple(links))


def _unit(rng: Any) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _general_modes(rng: Any) -> ModalIntegrals:
    """Three modes of a cloud of mass points: every table is full."""
    h, phi = np.ones((20, 4)), np.zeros((3, 20, 4))
    h[:, 1:], phi[:, :, 1:] = rng.uniform(0.0, 1.0, (20, 3)), rng.uniform(-0.3, 0.3, (3, 20, 3))
    C, Ck = 0.5 * 0.05 * h.T @ h, 0.5 * 0.05 * np.einsum("pi,kpj->kij", h, phi)
    Ckl = 0.5 * 0.05 * np.einsum("kpi,lpj->klij", phi, phi)
    K = 50.0 * (np.eye(3) + 0.1)
    return ModalIntegrals(C, Ck, Ckl, K, 0 * K, rng.uniform(0.3, 1.0, 3), *rng.uniform(-0.3, 0.3, (2, 3, 3)))


def slender_links(n: int, flexible: int, m: int, general: bool) -> list[Constants]:
    """Constants for counting: n joints, the first links slender and flexible with full modal tables of m modes.

    general : joints about general axes at general places; else about z and y in turn, links along x
    """
    rng, out = np.random.default_rng(0), []
    for k in range(n):
        count = m if k < flexible else 0
        h, phi = np.zeros((20, 4)), np.zeros((count, 20, 4))
        h[:, 0], h[:, 1] = 1.0, rng.uniform(0.0, 1.0, 20)
        phi[:, :, 1:] = rng.uniform(-0.3, 0.3, (count, 20, 3))
        C, Ck = 0.025 * h.T @ h, 0.025 * np.einsum("pi,kpj->kij", h, phi)
        Ckl, H = 0.025 * np.einsum("kpi,lpj->klij", phi, phi), np.eye(4)
        H[1, 0] = 0.7
        M = np.array([transform(*_skewed(rng)) for _ in range(count)]).reshape(count, 4, 4)
        before, axis = np.eye(4), np.eye(3)[2 - k % 2]
        if general:
            before[:3, :3], before[:3, 3] = about_axis(_unit(rng), 0.7), rng.uniform(0.1, 0.3, 3)
            axis = _unit(rng)
        out.append(Constants(before, axis, np.eye(4), C, Ck, Ckl, H, M, 50.0 * np.ones((count, count))))
    return out


def _skewed(rng: Any) -> tuple[Array, Array]:
    """Displacement and rotation of a tip per unit amplitude."""
    return rng.uniform(0.1, 0.3, 3), skew(rng.uniform(0.1, 0.3, 3))
