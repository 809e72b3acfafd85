"""Machines with contacts for tests: a planar biped with feet, and first guesses of its steps."""

import numpy as np

import lissom as ls

SPEED, STEP_TIME = 0.8, 0.52
LEG = ("hip", "knee", "ankle")


def _down(length):
    X = np.eye(4)
    X[2, 3] = -length
    return X


def _leg(side):
    def limits(low, high, torque):
        return ls.Limits(position=(low, high), torque=torque)

    hip = ls.Joint("revolute", axis=(0, -1, 0), name=f"hip_{side}", damping=0.5, armature=0.02,
                   limits=limits(-0.8, 1.6, 90))  # fmt: skip
    knee = ls.Joint("revolute", _down(0.37), (0, 1, 0), f"knee_{side}", damping=0.4, armature=0.02,
                    limits=limits(0, 2.2, 90))  # fmt: skip
    ankle = ls.Joint("revolute", _down(0.36), (0, -1, 0), f"ankle_{side}", damping=0.2, stiffness=5.0, armature=0.01,
                     limits=limits(-0.9, 0.6, 60))  # fmt: skip
    return [
        ls.Link(f"thigh_{side}", "trunk", hip, 4.1, (0, 0, -0.16), np.diag([0.05, 0.05, 0.01])),
        ls.Link(f"shank_{side}", f"thigh_{side}", knee, 2.2, (0, 0, -0.15), np.diag([0.03, 0.03, 0.004])),
        ls.Link(f"foot_{side}", f"shank_{side}", ankle, 0.6, (0.04, 0, -0.03), np.diag([0.001, 0.002, 0.002])),
    ]


def biped():
    """Return a planar biped of nine coordinates, three of them of its base: x, z and pitch."""
    rails = [
        ls.Link("rail_x", joint=ls.Joint("prismatic", axis=(1, 0, 0), name="x", actuated=False)),
        ls.Link("rail_z", "rail_x", ls.Joint("prismatic", axis=(0, 0, 1), name="z", actuated=False)),
    ]
    base = ls.Joint("revolute", axis=(0, 1, 0), name="pitch", actuated=False)
    trunk = ls.Link("trunk", "rail_z", base, 21.0, (0.01, 0, 0.19), np.diag([0.6, 0.55, 0.3]))
    feet = [
        ls.Contact(f"{word}_{side}", f"foot_{side}", (x, 0, -0.055))
        for side in ("right", "left")
        for word, x in (("heel", -0.06), ("toe", 0.14))
    ]
    mirror = ls.Mirror(
        {f"{joint}_right": f"{joint}_left" for joint in LEG},
        links={f"{part}_right": f"{part}_left" for part in ("thigh", "shank", "foot")},
        contacts={f"{word}_right": f"{word}_left" for word in ("heel", "toe")},
    )
    return ls.Arm("biped", [*rails, trunk, *_leg("right"), *_leg("left")], contacts=feet, mirror=mirror)


def step(arm, free=False, **changes):
    """Return the task of a step, right heel strike to left heel strike; `free`: durations of phases are."""
    times = [(0.04, 0.2), (0.15, 0.5), (0.06, 0.3)] if free else [0.08, 0.3, 0.14]
    phases = [
        ls.Phase("loading", ["heel_right", "toe_left"], times[0], 2),
        ls.Phase("flat", ["heel_right", "toe_right"], times[1], 5),
        ls.Phase("forefoot", ["toe_right"], times[2], 3),
    ]
    minimise = {
        "effort_normalised": 1.0, "energy": 2 / (arm.mass * 9.81 * SPEED), "torque_rate_normalised": 1e-3,
        "contact_force_rate": 1e-3, "acceleration": 1e-5,
    }  # fmt: skip
    given = {"phases": phases, "mirror": True, "travel": ls.Travel("x", speed=SPEED), "swing_height": 0.015}
    return ls.Task(**given | {"minimise": minimise} | changes)


def scissors(arm, rows=25):
    """Return waypoints (rows, dof) of a step: upright at constant speed, hips linear in time, the swing knee bent."""
    s, names = np.linspace(0, 1, rows), list(arm.coordinates)
    q, length = np.zeros((rows, arm.dof)), SPEED * STEP_TIME
    swing = np.sin(np.pi * s) ** 2
    turn = np.arcsin(length / 2 / 0.78)
    for word, value in {
        "x": length * (s - 0.5), "z": 0.37 + 0.36 + 0.055 - 0.03 + 0 * s, "hip_right": turn * (1 - 2 * s),
        "hip_left": -turn * (1 - 2 * s) + 0.25 * swing, "knee_right": 0.15 + 0 * s, "knee_left": 0.15 + 0.7 * swing,
    }.items():  # fmt: skip
        q[:, names.index(word)] = value
    return q
