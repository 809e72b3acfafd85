"""Joints of a person: names, axes, ranges of motion, strengths and passive properties."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.humans.body.build import Build
from lissom.humans.body.tables import table
from lissom.model.joint import Joint
from lissom.model.limits import Limits
from lissom.spatial.frames import pose
from lissom.spatial.rotations import Array

X, Y, Z = np.eye(3)
REFERENCE = Build(1.741, 73.0, "male")  # of the passive properties in the table
SIDES = {"r": -1.0, "l": 1.0}  # right and left, and the sign of their y
# Axes of the joints of the midline and of the right limbs. Those of the left limbs are mirrored: the mirror image of a
# posture has the same positions on the other side.
AXES = {
    "flexion": Y, "bend": X, "rotation": Z,
    "hip_flexion": -Y, "hip_adduction": X, "hip_rotation": Z, "knee_flexion": Y, "ankle_dorsiflexion": -Y,
    "subtalar_inversion": X, "toe_extension": -Y, "clavicle_elevation": -X, "clavicle_protraction": Z,
    "shoulder_adduction": X, "shoulder_flexion": -Y, "shoulder_rotation": Z, "elbow_flexion": -Y,
    "forearm_pronation": Z, "wrist_flexion": X, "wrist_deviation": -Y,
}  # fmt: skip
ROOT = {"x": ("prismatic", X), "y": ("prismatic", Y), "z": ("prismatic", Z),
        "yaw": ("revolute", Z), "roll": ("revolute", X), "pitch": ("revolute", Y)}  # fmt: skip
PLANAR_ROOT = ("x", "z", "pitch")
ODD_ROOT = ("pelvis_y", "pelvis_yaw", "pelvis_roll")  # change sign in a mirror


def root_joint(name: str) -> Joint:
    """One of the six coordinates of the pelvis, without a motor."""
    kind, axis = ROOT[name]
    return Joint(kind, axis=axis, name=f"pelvis_{name}", actuated=False)


def joint(build: Build, kind: str, name: str, at: tuple[float, float, float]) -> Joint:
    """A joint of the table at a place in its parent's frame; `name` ends with the side or the number of a vertebra."""
    row = table("joints")[kind]
    like = build.torque_unit / REFERENCE.torque_unit
    low, high = np.deg2rad(row["range_deg"])
    weak, strong = (float(part * build.torque_unit) for part in _of_sex(row["strength"], build.sex))
    return Joint(
        "revolute", placement=pose(p=at), axis=_axis(kind, name), name=name,
        stiffness=row.get("stiffness", 0.0) * like, rest=row.get("rest", 0.0), damping=row.get("damping", 0.0) * like,
        limits=Limits(position=(float(low), float(high)), torque=(-weak, strong)),
    )  # fmt: skip


def _of_sex(value: Any, sex: str) -> list[float]:
    return value[sex] if isinstance(value, dict) else value


def _axis(kind: str, name: str) -> Array:
    """Axis of a joint; those about x and z are mirrored on the left side."""
    axis = AXES[kind] if kind in AXES else AXES[kind.rpartition("_")[2]]
    return axis * (-1.0 if name.endswith("_l") and axis[1] == 0.0 else 1.0)
