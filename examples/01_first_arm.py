"""A first arm
===========

From a Denavit-Hartenberg table to numbers and a figure: a SCARA arm with two links, a quill and a wrist.
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
# Position and velocity of the wrist.
q = [0.3, -0.7, 0.1, 0.5]
print("\nposition of the wrist:", ls.pose(arm, q, "wrist")[:3, 3].round(4), "m")
rates = np.ones(4)  # 1 rad/s, the quill 1 m/s
print("its velocity if every joint moves at 1 rad/s or 1 m/s:", ls.velocity(arm, q, rates, "wrist")[:3].round(4), "m/s")

# %%
# A gripper as payload and tool. An arm is immutable; each of these functions returns a new one.
tool = ls.Tool("gripper", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.12], [0, 0, 0, 1]])
loaded = arm.with_payload(ls.Payload(0.8, com=(0, 0, 0.06), inertia=(0.001, 0.001, 0.0005))).with_link(
    "wrist", tools=(tool,)
)
print("position of the gripper:", ls.pose(loaded, q, "gripper")[:3, 3].round(4), "m")
print("torques that hold it against gravity (N m; quill: N):", ls.gravity_forces(loaded, q).round(2) + 0.0)

# %%
# Inverse kinematics for position and rotation about z; this arm cannot choose the other two angles.
goal = ls.pose(loaded, [0.8, -1.1, 0.15, 0.2], "gripper")
found = ls.inverse_kinematics(loaded, goal, "gripper", match=(1, 1, 1, 0, 0, 1))
print("\ninverse kinematics: the gripper reaches its goal with the joints at", found.q.round(4), "(rad; quill: m)")
miss = np.linalg.norm(ls.pose(loaded, found.q, "gripper")[:3, 3] - goal[:3, 3])
print(f"Conclusion: the position error at the goal is {miss:.0e} m; scara.png shows the arm there.")

# %%
# The arm at the goal, with its joint axes, centres of mass and tool.
ls.draw(loaded, found.q).savefig("scara.png")
