"""Arms that differ a little from a given one: rigid links, another payload, other stiffness, more modes."""

from __future__ import annotations

from typing import Any

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.beam import PLANES, Beam, Modes
from lissom.model.link import Link


def rigid(arm: Arm, verb: str) -> Arm:
    """The arm with links that do not bend and joints without springs."""
    for link in arm.links:
        if link.modes is not None:
            raise UnsupportedError(
                f"{verb}: link {link.name!r} is given by modal integrals, of which no rigid link is made; give a beam."
            )
    return _each(arm, lambda link: link.replace(
        joint=link.joint.replace(elastic=None),
        beam=None if link.beam is None else link.beam.replace(modes=Modes(bending_z=0), damping=0.0),
    ))  # fmt: skip


def with_payload_error(arm: Arm, error: float) -> Arm | None:
    """With payloads heavier by a fraction, masses and inertias; None where nothing is carried."""
    if all(link.payload is None for link in arm.links):
        return None

    def changed(link: Link) -> Link:
        load = link.payload
        if load is None:
            return link
        return link.replace(payload=load.replace(mass=(1 + error) * load.mass, inertia=(1 + error) * load.inertia))

    return _each(arm, changed)


def with_stiffness_error(arm: Arm, error: float) -> Arm:
    """With links and springs of joints stiffer by a fraction."""

    def scaled(value: Any) -> Any:
        return None if value is None else (1 + error) * value

    def changed(link: Link) -> Link:
        joint, beam, modes = link.joint, link.beam, link.modes
        if joint.elastic is not None:
            joint = joint.replace(elastic=joint.elastic.replace(stiffness=scaled(joint.elastic.stiffness)))
        if beam is not None:
            beam = beam.replace(EI=tuple(map(scaled, beam.EI)), GJ=scaled(beam.GJ), EA=scaled(beam.EA))
        if modes is not None:
            modes = modes.replace(K=scaled(modes.K))
        return link.replace(joint=joint, beam=beam, modes=modes)

    return _each(arm, changed)


def with_more_modes(arm: Arm, more: int, verb: str) -> Arm:
    """With more modes of every kind that its beams bend in."""
    for link in arm.links:
        if link.modes is not None:
            raise UnsupportedError(
                f"{verb}: link {link.name!r} is given by modal integrals, which have the modes that they have; more "
                "are only known of beams."
            )
    return _each(arm, lambda link: link if link.beam is None else link.replace(beam=_longer(link.beam, more)))


def _longer(beam: Beam, more: int) -> Beam:
    kept = {plane: getattr(beam.modes, plane) + more * bool(getattr(beam.modes, plane)) for plane in PLANES}
    if not beam.resists_spin:  # then it has one mode of torsion, of what hangs on its tip
        kept["torsion"] = min(kept["torsion"], 1)
    damping = beam.damping
    if hasattr(damping, "__len__"):  # new modes are damped like the last one of their kind
        at, longer = 0, []
        for plane in PLANES:
            own = list(damping[at : at + getattr(beam.modes, plane)])
            at += len(own)
            longer += own + own[-1:] * (kept[plane] - len(own))
        damping = longer
    return beam.replace(modes=Modes(**kept), damping=damping)


def _each(arm: Arm, change: Any) -> Arm:
    return arm.replace(links=tuple(change(link) for link in arm.links))
