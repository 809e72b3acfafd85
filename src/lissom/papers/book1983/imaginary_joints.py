"""Arms whose beams are cut into rigid pieces on sprung joints: the rigid approximation that section 6 speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Beam
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.spatial.frames import pose

AXES = {"z": (0.0, 0.0, 1.0), "y": (0.0, 1.0, 0.0), "x": (1.0, 0.0, 0.0)}


class Joints(NamedTuple):
    """Numbers of imaginary joints of a beam: about z, about y, about x."""

    z: int
    y: int
    x: int


# of upper arm and forearm
SIX = {"upper": Joints(1, 1, 1), "fore": Joints(1, 1, 1)}
FIFTEEN = {"upper": Joints(3, 3, 2), "fore": Joints(3, 3, 1)}


def with_imaginary_joints(arm: Arm, joints: Mapping[str, Joints]) -> Arm:
    """The arm with the beams of some links as rigid pieces.

    Of k joints about an axis each stands for a k-th of the beam and is in its middle: a spring of k EI / l or k GJ / l.
    """
    links: list[Link] = []
    ends: dict[str | None, tuple[str, float]] = {}  # of cut links: the last piece and its length
    for link in arm.links:
        if link.parent in ends:
            name, length = ends[link.parent]
            place = pose(p=(length, 0.0, 0.0)) @ link.joint.placement
            link = link.replace(parent=name, joint=link.joint.replace(placement=place))
        if link.name not in joints:
            links.append(link)
            continue
        pieces = _pieces(link, joints[link.name])
        links += [link.replace(beam=None), *pieces]
        ends[link.name] = pieces[-1].name, float(2 * pieces[-1].com[0])
    return Arm(f"{arm.name}, imaginary joints", tuple(links), gravity=arm.gravity)


def _pieces(link: Link, joints: Joints) -> list[Link]:
    beam = link.beam
    assert beam is not None
    EI_y, EI_z = beam.EI
    stiff = {"z": float(EI_z), "y": float(EI_y), "x": float(beam.GJ)}
    springs = sorted(
        ((i + 0.5) / k * beam.length, axis, k * stiff[axis] / beam.length)
        for axis, k in joints._asdict().items()
        for i in range(k)
    )
    places = [0.0, *(at for at, _, _ in springs), beam.length]
    out = [Link(f"{link.name}_0", link.name, Joint("fixed"), **_body(beam, places[1]))]
    for k, (at, axis, stiffness) in enumerate(springs):
        joint = Joint("revolute", pose(p=(at - places[k], 0.0, 0.0)), AXES[axis], stiffness=stiffness, actuated=False)
        out.append(Link(f"{link.name}_{k + 1}", out[-1].name, joint, **_body(beam, places[k + 2] - at)))
    return out


def _body(beam: Beam, length: float) -> dict[str, Any]:
    """A rigid piece of a uniform beam along x."""
    mass = float(beam.mass_per_length) * length
    r_y, r_z = (0.0, 0.0) if beam.gyration is None else beam.gyration
    side = mass * length**2 / 12
    inertia = np.diag([mass * (r_y**2 + r_z**2), side + mass * r_y**2, side + mass * r_z**2])
    return {"mass": mass, "com": (length / 2, 0.0, 0.0), "inertia": inertia}
