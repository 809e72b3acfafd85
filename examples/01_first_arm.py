"""A first arm
===========

From a Denavit-Hartenberg table to a number and a picture: two links of a SCARA-like arm, a lift and a wrist.
"""

import numpy as np

import lissom as ls

# inertias are about the centres of mass
arm = ls.Arm.from_dh(
    [
        ls.DH(a=0.325, d=0.22, mass=9.1, com=(-0.15, 0.0, 0.01), inertia=(0.04, 0.12, 0.13), name="inner"),
        ls.DH(a=0.275, alpha=np.pi, mass=6.4, com=(-0.12, 0.0, 0.02), inertia=(0.02, 0.06, 0.07), name="outer"),
        ls.DH(joint="prismatic", mass=1.2, com=(0.0, 0.0, -0.1), inertia=(0.004, 0.004, 0.001), name="quill",
              limits=ls.Limits(position=(0.0, 0.21), velocity=1.1)),
        ls.DH(d=0.05, mass=0.3, inertia=0.0004, name="wrist", armature=0.01),
    ],
    convention="standard",
    name="scara",
)  # fmt: skip
print(arm)

# %%
# Where its wrist is, and how fast it moves.
q = [0.3, -0.7, 0.1, 0.5]
print("\nwrist at", ls.pose(arm, q, "wrist")[:3, 3].round(4), "m")
print("its velocity at unit rates", ls.velocity(arm, q, np.ones(4), "wrist")[:3].round(4), "m/s")

# %%
# A gripper as payload and tool; the arm itself never changes, a new one is made.
tool = ls.Tool("gripper", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.12], [0, 0, 0, 1]])
loaded = arm.with_payload(ls.Payload(0.8, com=(0, 0, 0.06), inertia=(0.001, 0.001, 0.0005))).with_link(
    "wrist", tools=(tool,)
)
print("gripper at", ls.pose(loaded, q, "gripper")[:3, 3].round(4), "m")

# %%
# A planar target: x, y, z and the turn about z; the other two angles cannot be chosen.
goal = ls.pose(loaded, [0.8, -1.1, 0.15, 0.2], "gripper")
found = ls.inverse_kinematics(loaded, goal, "gripper", match=(1, 1, 1, 0, 0, 1))
print("reached with", found.q.round(4))

# %%
# The arm where it was sent, its joint axes, centres of mass and tool.
ls.draw(loaded, found.q).savefig("scara.png")
