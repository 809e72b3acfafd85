"""The arm with the numbers that were found."""

from __future__ import annotations

from typing import Any

from lissom.identification.columns.model import Model
from lissom.identification.fit.pseudo_inertia import COUNT, body_of
from lissom.identification.result.friction import joint_friction
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array


def identified_arm(model: Model, x: Array, notes: tuple[str, ...]) -> Arm:
    """The arm of a model with parameters x (p,)."""
    arm = model.arm
    bodies = {arm.links[k].name: body_of(x[COUNT * i : COUNT * (i + 1)]) for i, k in enumerate(model.inertias.links)}
    drives = _drives(model, x)
    links = []
    for link in arm.links:
        fields: dict[str, Any] = {}
        if link.name in bodies:
            fields |= _body_fields(bodies[link.name])
        if link.joint.name in drives:
            fields["joint"] = link.joint.replace(**drives[link.joint.name])
        elif link.joint.moves:  # a mimic joint: its drive is counted at the joint that it follows
            fields["joint"] = link.joint.replace(**_nothing(model, link.joint))
        links.append(link.replace(**fields) if fields else link)
    return arm.replace(links=links, notes=(*arm.notes, *notes))


def _body_fields(body: Inertia) -> dict[str, Any]:
    return {"mass": body.mass, "com": body.com, "inertia": body.moment, "as_written": False}


def _drives(model: Model, x: Array) -> dict[str, dict[str, Any]]:
    """Fields of the joints by name."""
    values = dict(zip(model.terms.names, x, strict=True))
    out: dict[str, dict[str, Any]] = {}
    for k, joint in enumerate(model.arm.joints):
        fields: dict[str, Any] = {}
        if model.frictions.law:
            found = {term: values[f"{joint.name}.{term}"] for term in model.frictions.law}
            fields |= joint_friction(found, float(model.frictions.rates[k]))
        if f"{joint.name}.armature" in values:
            fields |= _armature(joint, float(max(values[f"{joint.name}.armature"], 0.0)))
        out[joint.name] = fields
    return out


def _armature(joint: Joint, found: float) -> dict[str, float]:
    """Inertia of the drive at the joint: the rotor as given and the rest as armature, or a lighter rotor."""
    rotor = joint.gear_ratio**2 * joint.rotor_inertia
    if found >= rotor:
        return {"armature": found - rotor}
    return {"armature": 0.0, "rotor_inertia": found / joint.gear_ratio**2}


def _nothing(model: Model, joint: Joint) -> dict[str, float]:
    """Fields of a mimic joint that are counted elsewhere."""
    fields = {"armature": 0.0, "rotor_inertia": 0.0} if model.armatures.driven.any() and joint.actuated else {}
    return fields | ({"damping": 0.0, "friction": 0.0} if model.frictions.law else {})


def unheld(law: tuple[str, ...], model: Model) -> tuple[str, ...]:
    """Terms that were found and that are none of an arm's: zeros of sensors, columns of the user's own."""
    return tuple(term for term in law if term == "offset") + model.extras.terms.names
