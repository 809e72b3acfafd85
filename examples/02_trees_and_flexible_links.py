"""Trees, passive joints, flexible links
=====================================

A crane with a tapered, flexible boom and a swinging load, described in Python and saved to a file.
"""

import tempfile
from pathlib import Path

import lissom as ls

Z, Y = (0, 0, 1), (0, 1, 0)


def at(x: float, y: float, z: float) -> list[list[float]]:
    """A placement without rotation."""
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


# %%
# The mast turns; the boom is tapered, bends in two planes and twists. `mass` and `inertia` of a flexible link
# are those of the rigid hub at its root.
mast = ls.Link(
    "mast",
    joint=ls.Joint("revolute", axis=Z, armature=40.0),
    mass=800.0,
    com=(0, 0, 3),
    inertia=(900, 900, 60),
)
boom = ls.Link(
    "boom",
    parent="mast",
    joint=ls.Joint("revolute", at(0.5, 0, 6), Y, armature=15.0, limits=ls.Limits(position=(-1.2, 0.1))),
    mass=60.0,
    inertia=(1.0, 1.0, 1.5),
    beam=ls.Beam(
        length=9.0,
        mass_per_length=(14.0, 9.0, 6.0),
        EI=((2.4e6, 1.6e6, 0.9e6), (1.8e6, 1.2e6, 0.7e6)),
        GJ=(6e5, 4e5, 2e5),
        gyration=(0.08, 0.07),
        stations=(0.0, 4.0, 9.0),
        modes=ls.Modes(bending_z=2, bending_y=3, torsion=1),
        damping=0.01,
    ),
)
# %%
# The load swings freely in two directions: two passive joints with a massless link between them.
gimbal = ls.Link("gimbal", parent="boom", joint=ls.Joint("revolute", axis=Y, actuated=False))
hook = ls.Link(
    "hook",
    parent="gimbal",
    joint=ls.Joint("revolute", axis=(1, 0, 0), actuated=False, damping=2.0),
    mass=25.0,
    com=(0, 0, -4.0),
    inertia=(2.0, 2.0, 0.5),
    payload=ls.Payload(500.0, com=(0, 0, -5.0), inertia=(40, 40, 30)),
)
weight = ls.Link(
    "counterweight",
    parent="mast",
    joint=ls.Joint("fixed", placement=at(-2.5, 0, 5.5)),
    mass=1500.0,
    inertia=(200, 300, 300),
)
arm = ls.Arm("crane", [mast, boom, gimbal, hook, weight], source="invented for this example")
print(arm)
print("\ncoordinates:", ", ".join(arm.coordinates))

# %%
# Joint positions are enough: the modal coordinates default to zero, so the boom is undeflected. `equilibrium` finds
# its static deflection under gravity.
pose = [0.4, -0.6, 0.6, 0.0]
straight = ls.pose(arm, pose, "hook", point=(0, 0, -5))[:3, 3]
sagging = ls.pose(arm, ls.equilibrium(arm, pose).q, "hook", point=(0, 0, -5))[:3, 3]
print("load with an undeflected boom at", straight.round(3), "m")
print(f"Conclusion: under gravity the flexible boom lowers the load by {1e3 * (straight - sagging)[2]:.0f} mm.")

# %%
# A figure of the crane.
ls.draw(arm, pose).savefig("crane.png")

# %%
# A saved arm is equal when it is loaded again.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "crane.toml"
    ls.save(arm, path)
    print("\nsaved and loaded again, the arm is equal:", ls.load(path) == arm)
