"""A first guess of a step, from a person who stands, and postures that walking people keep to."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

ROWS = 61  # of a guess
LOWER = 0.03  # m: of the hips, relative to standing
# deg; ranges that walks keep to, narrower than those of the joints. Without those of elbows and shoulders arms in space
# fold up, a local optimum
KEPT = {
    "pelvis_pitch": (-40.0, 40.0), "pelvis_roll": (-40.0, 40.0), "pelvis_yaw": (-40.0, 40.0),
    "shoulder_adduction": (-25.0, 0.0), "elbow_flexion": (5.0, 60.0), "shoulder_rotation": (-60.0, 60.0),
    "ankle_dorsiflexion": (-45.0, 30.0), "toe_extension": (-15.0, 60.0), "subtalar_inversion": (-15.0, 20.0),
    "hip_adduction": (-30.0, 20.0), "hip_rotation": (-30.0, 30.0), "lumbar_flexion": (-20.0, 40.0),
    "spine_flexion": (-12.0, 20.0), "neck_flexion": (-30.0, 30.0), "neck_bend": (-20.0, 20.0),
    "neck_rotation": (-40.0, 40.0), "clavicle_elevation": (-10.0, 20.0), "forearm_pronation": (-60.0, 60.0),
    "wrist_flexion": (-20.0, 20.0), "wrist_deviation": (-20.0, 20.0),
}  # fmt: skip


def standing_height(arm: Arm) -> float:
    """Height of the pelvis above the ground when a person stands upright [m]."""
    lowest = min(pose(arm, np.zeros(arm.dof), one.link, one.point)[2, 3] for one in arm.contacts)
    return float(-lowest)


def leg_length(arm: Arm) -> float:
    """Distance from the hip to the ankle [m]."""
    at = pose(arm, np.zeros(arm.dof), "thigh_r")[:3, 3] - pose(arm, np.zeros(arm.dof), "foot_r")[:3, 3]
    return float(np.linalg.norm(at))


def step_guess(arm: Arm, step: float) -> Array:
    """(ROWS, dof) a step of an upright person with legs like scissors; the right heel strikes at x = 0.

    No measured curve is in it. Pelvis at constant speed, hips linear in time, the knee of the swinging leg flexed.
    """
    s = np.linspace(0.0, 1.0, ROWS)
    q = np.zeros((ROWS, arm.dof))
    swing = np.sin(np.pi * s) ** 2
    amplitude = np.arcsin(min(step / 2 / (leg_length(arm) + 0.07), 0.5))
    heel = min(pose(arm, np.zeros(arm.dof), one.link, one.point)[0, 3] for one in arm.contacts)
    course = {
        "pelvis_x": -heel + step * (s - 0.5),
        "pelvis_z": np.full(ROWS, standing_height(arm) - LOWER),
        "hip_flexion_r": amplitude * (1 - 2 * s),
        "hip_flexion_l": -amplitude * (1 - 2 * s) + 0.25 * swing,
        "knee_flexion_r": np.full(ROWS, 0.15),
        "knee_flexion_l": 0.15 + 0.7 * swing,
        "shoulder_flexion_r": -0.2 * (1 - 2 * s),
        "shoulder_flexion_l": 0.2 * (1 - 2 * s),
        **{f"elbow_flexion_{side}": np.full(ROWS, 0.3) for side in "rl"},
        **{f"shoulder_adduction_{side}": np.full(ROWS, -0.1) for side in "rl"},
    }
    for name, values in course.items():
        if name in arm.coordinates:
            q[:, arm.coordinates.index(name)] = values
    return q


def stride_guess(arm: Arm, step: float) -> Array:
    """(2 ROWS - 1, dof) a step and its mirror image behind it."""
    first = step_guess(arm, step)
    assert arm.mirror is not None
    second = arm.mirror.image(arm.coordinates, [one.name for one in arm.contacts])(first)
    second[:, arm.coordinates.index("pelvis_x")] += step
    return np.concatenate([first, second[1:]])
