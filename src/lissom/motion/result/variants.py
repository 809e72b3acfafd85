"""Arms that differ a little from a given one: rigid links, another payload, other stiffness, more modes."""

from __future__ import annotations

from typing import Any

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.beam import PLANES, Beam, Modes
from lissom.model.link import Link


def rigid(arm: Arm, verb: str) -> Arm:
    """Return the arm with links that do not bend and joints without springs."""
    for link in arm.links:
        if link.modes is not None:
            raise UnsupportedError(
                f"{verb}: link {link.name!r} is given by modal integrals, which cannot be made rigid; use a beam."
            )
    return _each(arm, lambda link: link.replace(
        joint=link.joint.replace(elastic=None),
        beam=None if link.beam is None else link.beam.replace(modes=Modes(bending_z=0), damping=0.0),
    ))  # fmt: skip


def with_payload_error(arm: Arm, error: float) -> Arm | None:
    """Return the arm with payloads heavier by a fraction, masses and inertias; None where nothing is carried."""
    if all(link.payload is None for link in arm.links):
        return None

    def changed(link: Link) -> Link:
        load = link.payload
        if load is None:
            return link
        return link.replace(payload=load.replace(mass=(1 + error) * load.mass, inertia=(1 + error) * load.inertia))

    return _each(arm, changed)


def with_stiffness_error(arm: Arm, error: float) -> Arm | None:
    """Return the arm with links and joint springs stiffer by a fraction; None where nothing has any stiffness."""

    def scaled(value: Any) -> Any:
        return None if value is None else (1 + error) * value

    def changed(link: Link) -> Link:
        joint, beam, modes = link.joint.replace(stiffness=scaled(link.joint.stiffness)), link.beam, link.modes
        if joint.elastic is not None:
            joint = joint.replace(elastic=joint.elastic.replace(stiffness=scaled(joint.elastic.stiffness)))
        if beam is not None:
            beam = beam.replace(EI=tuple(map(scaled, beam.EI)), GJ=scaled(beam.GJ), EA=scaled(beam.EA))
        if modes is not None:
            modes = modes.replace(K=scaled(modes.K))
        return link.replace(joint=joint, beam=beam, modes=modes)

    return _differing(arm, _each(arm, changed))


def with_more_modes(arm: Arm, more: int, verb: str) -> Arm | None:
    """Return the arm with more modes of every kind that its beams bend in; None where none of them has more."""
    for link in arm.links:
        if link.modes is not None:
            raise UnsupportedError(
                f"{verb}: link {link.name!r} is given by modal integrals with a fixed number of modes; only beams can "
                "have more."
            )
    longer = _each(arm, lambda link: link if link.beam is None else link.replace(beam=_longer(link.beam, more)))
    return _differing(arm, longer)


def _longer(beam: Beam, more: int) -> Beam:
    now = {plane: getattr(beam.modes, plane) for plane in PLANES}
    kept = {plane: int(min(count + more, beam.most(plane))) if count else 0 for plane, count in now.items()}
    damping = beam.damping
    if hasattr(damping, "__len__"):  # new modes are damped like the last one of their kind
        at, longer = 0, []
        for plane in PLANES:
            own = list(damping[at : at + getattr(beam.modes, plane)])
            at += len(own)
            longer += own + own[-1:] * (kept[plane] - len(own))
        damping = longer
    return beam.replace(modes=Modes(**kept), damping=damping)


def _differing(arm: Arm, other: Arm) -> Arm | None:
    return None if other == arm else other


def _each(arm: Arm, change: Any) -> Arm:
    return arm.replace(links=tuple(change(link) for link in arm.links))
