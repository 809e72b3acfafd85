"""A walk whose numbers are known in closed form: stiff-legged, feet level, forces of two sines."""

import numpy as np

import lissom as ls
from lissom.gait.samples import GaitSamples

THIGH, SHANK, FOOT = 0.43, 0.41, 0.07  # m
ALPHA, BEND = 0.35, 0.9  # largest angle of the thigh, of the knee in swing [rad]
CYCLE, STANCE = 1.1, 0.62  # s, share of the cycle
FIRST, THIRD = 1.15, 0.28  # of the two sines of the vertical force, of body weight
PUSH, LAST = 0.18, 0.6  # fore-aft force, of body weight; share of stance up to which feet are heavy
MOMENT = 85.0  # N m
LENGTH = THIGH + SHANK
SPEED = 4 * LENGTH * np.sin(ALPHA) / CYCLE
ORDER = ("px", "pz", "pitch", *(f"{joint}_{side}" for side in ("right", "left") for joint in ("hip", "knee", "ankle")))


def link(name, parent, joint, place=(0, 0, 0), mass=0.0, com=(0, 0, 0), **more):
    X = np.eye(4)
    X[:3, 3] = place
    inertia = 0.02 * mass * np.eye(3)
    return ls.Link(name, parent, ls.Joint(placement=X, **joint), mass=mass, com=com, inertia=inertia, **more)


def biped(stiffness=0.0, side_names=("right", "left")):
    """A planar machine with a trunk and two legs."""
    free = {"actuated": False}
    links = [
        link("x", None, {"kind": "prismatic", "axis": (1, 0, 0), "name": "px", **free}),
        link("z", "x", {"kind": "prismatic", "axis": (0, 0, 1), "name": "pz", **free}),
        link("trunk", "z", {"kind": "revolute", "axis": (0, 1, 0), "name": "pitch", **free}, mass=40, com=(0, 0, 0.3)),
    ]
    contacts = []
    for side in side_names:
        ankle = {"axis": (0, -1, 0), "name": f"ankle_{side}", "stiffness": stiffness, "rest": -0.1, "damping": 0.7}
        links += [
            link(f"thigh_{side}", "trunk", {"axis": (0, -1, 0), "name": f"hip_{side}"}, mass=9, com=(0, 0, -0.2)),
            link(f"shank_{side}", f"thigh_{side}", {"axis": (0, 1, 0), "name": f"knee_{side}"}, (0, 0, -THIGH), 4,
                 (0, 0, -0.2)),
            link(f"foot_{side}", f"shank_{side}", ankle, (0, 0, -SHANK), 1, (0.05, 0, -0.04)),
        ]  # fmt: skip
        for word, x in (("heel", 0.0), ("ball", 0.2)):
            contacts.append(ls.Contact(f"{word}_{side}", f"foot_{side}", (x, 0, -FOOT)))
    right, left = side_names
    pairs = {f"{joint}_{right}": f"{joint}_{left}" for joint in ("hip", "knee", "ankle")}
    both = {f"{word}_{right}": f"{word}_{left}" for word in ("heel", "ball")}
    return ls.Arm("biped", links, contacts=contacts, mirror=ls.Mirror(pairs, contacts=both))


def share(t, side):
    """Share of the cycle of a leg at times."""
    return (t / CYCLE + (0.0 if side == "right" else 0.5)) % 1.0


def vertical(u):
    """Vertical force of a foot over body weight at shares u of its cycle."""
    x = np.pi * u / STANCE
    return np.where(u < STANCE, FIRST * np.sin(x) + THIRD * np.sin(3 * x), 0.0)


def fore_aft(u):
    return np.where(u < STANCE, -PUSH * np.sin(2 * np.pi * u / STANCE), 0.0)


def states(t):
    """q, qd (nt, 9) at times (nt,), by hand."""
    w = 2 * np.pi / CYCLE
    q, qd = np.zeros((2, len(t), 9))
    q[:, 0], qd[:, 0], q[:, 1] = SPEED * t, SPEED, 0.9
    for k, side in ((3, "right"), (6, "left")):
        u = share(t, side)
        thigh, rate = ALPHA * np.cos(2 * np.pi * u), -ALPHA * w * np.sin(2 * np.pi * u)
        s = np.pi * (u - STANCE) / (1 - STANCE)
        knee = np.where(u > STANCE, BEND * np.sin(s) ** 2, 0.0)
        knee_rate = np.where(u > STANCE, BEND * np.pi / (1 - STANCE) / CYCLE * np.sin(2 * s), 0.0)
        q[:, k : k + 3] = np.stack([thigh, knee, knee - thigh], axis=1)  # the foot stays level
        qd[:, k : k + 3] = np.stack([rate, knee_rate, knee_rate - rate], axis=1)
    return q, qd


def made_up(span=CYCLE, count=661, mirror=False, stances=True, arm=None, start=0.0):
    """Samples of the walk over `span` seconds from `start`."""
    arm = biped() if arm is None else arm
    t = np.linspace(start, start + span, count)
    inside = t.copy()
    inside[-1] -= 1e-12  # the last sample belongs to the cycle that ends
    q, qd = states(inside)
    tau, forces = np.zeros((count, 9)), np.zeros((count, 4, 3))
    weight = arm.mass * 9.81
    for foot, side in enumerate(("right", "left")):
        u = share(inside, side)
        heavy = np.where(u < LAST * STANCE, 1.0, 0.0)
        for point, part in ((2 * foot, heavy), (2 * foot + 1, 1.0 - heavy)):
            forces[:, point, 2] = part * weight * vertical(u)
            forces[:, point, 0] = part * weight * fore_aft(u)
        tau[:, 5 + 3 * foot] = -MOMENT * np.sin(np.pi * u / STANCE) * (u < STANCE)  # plantar flexion
    return GaitSamples(arm, t, q, qd, tau, forces, mirror=arm.mirror if mirror else None,
                       holds=holds(mirror) if stances else None)  # fmt: skip


def holds(mirror):
    """When contacts hold: heels up to `LAST` of stance, balls all of it."""
    off, last = STANCE * CYCLE, LAST * STANCE * CYCLE
    half, left = CYCLE / 2, (STANCE - 0.5) * CYCLE
    if mirror:
        return {"heel_right": [(0.0, last)], "ball_right": [(0.0, half)], "heel_left": [], "ball_left": [(0.0, left)]}
    return {"heel_right": [(0.0, last)], "ball_right": [(0.0, off)], "heel_left": [(half, half + last)],
            "ball_left": [(0.0, left), (half, CYCLE)]}  # fmt: skip
