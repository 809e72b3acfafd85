"""`lissom info`: the description of an arm."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import AsJson, out, print_json

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.model.friction import Friction


@takes_arm()
def info(
    arm: ArmOptions,
    as_json: AsJson = False,
) -> None:
    """Show an arm: joints, limits, masses, flexible links, sources."""
    loaded = arm.load()
    if as_json:
        print_json(summary(loaded))
    else:
        out.print(loaded.describe(), markup=False)


def summary(arm: Arm) -> dict[str, Any]:
    """The arm in plain data, payloads and beams counted in; the whole description is `lissom convert ARM arm.toml`."""
    return {
        "name": arm.name,
        "digest": arm.digest,
        "dof": arm.dof,
        "coordinates": arm.coordinates,
        "mass": arm.mass,
        "gravity": arm.gravity,
        "kinematics_only": arm.kinematics_only,
        "flexibility": arm.flexibility,
        "ends": arm.ends,
        "links": [
            {
                "name": link.name,
                "parent": link.parent,
                "mass": link.body.mass,
                "com": link.body.com,
                "inertia": link.body.moment,
                "frame": link.frame,
                "payload": None if link.payload is None else link.payload.mass,
                "modes": link.mode_labels,
                "tools": [tool.name for tool in link.tools],
                "joint": {
                    "name": link.joint.name,
                    "type": link.joint.kind,
                    "placement": link.joint.placement,
                    "axis": link.joint.axis,
                    "actuated": link.joint.actuated,
                    "drive_inertia": link.joint.reflected_inertia,
                    "damping": link.joint.damping,
                    "friction": _friction(link.joint.friction),
                    "stiffness": link.joint.stiffness,
                    "rest": link.joint.rest,
                    "elastic": None if link.joint.elastic is None else link.joint.elastic.stiffness,
                    "mimics": None if link.joint.mimic is None else link.joint.mimic.joint,
                    "position_limits": link.joint.limits.position,
                    "velocity_limits": link.joint.limits.velocity,
                    "torque_limits": link.joint.limits.torque,
                },
            }
            for link in arm.links
        ],
        "loops": [{"a": loop.a[0], "b": loop.b[0], "joint": loop.joint} for loop in arm.loops],
        "source": arm.source,
        "notes": arm.notes,
    }


def _friction(friction: float | Friction) -> float | dict[str, float]:
    """Coulomb friction, or the coefficients of all laws by their names."""
    if isinstance(friction, (int, float)):
        return friction
    return {f.name: getattr(friction, f.name) for f in fields(friction) if getattr(friction, f.name)}
