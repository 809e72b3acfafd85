"""Links that bend
===============

Modes of a beam and of an arm, a motion with a vibrating tip, and a rigid arm made flexible.
"""

# sphinx_gallery_thumbnail_number = 3
import tempfile
from pathlib import Path

import numpy as np

import lissom as ls

# %%
# One clamped beam, without and with a load at its tip.
beam = ls.Beam(length=0.5, mass_per_length=0.2, EI=1.0)
for word, tip in (("without load", None), ("with 0.1 kg at its tip", ls.Tip(mass=0.1, inertia=0.0005))):
    found = ls.beam_modes(beam, tip, 3).frequencies_hz
    print(f"first three frequencies of the clamped beam {word}: {found.round(2)} Hz")

# %%
# Two of them with motors: De Luca and Siciliano's arm. The kind of shapes decides how many of them are needed.
arm = ls.load("two_link_flexible")
pose = [0.0, 0.5]
exact = ls.mode_convergence(arm, pose, "free", count=4, most=4).frequencies_hz[-1]
print(f"\nfrequencies of the two-link arm with free joints: {exact.round(2)} Hz (four modes per link)")
print("largest relative error of these with other shapes of the first link:")
for shapes, count in (("natural", 2), ("natural", 3), ("natural+static", 3), ("polynomial", 3)):
    kept = beam.replace(modes=ls.Modes(bending_z=count), shapes=shapes)
    found = ls.modes(arm.with_link("link1", beam=kept), pose, "free", count=4).frequencies_hz
    print(f"  {count} {shapes:<15} shapes  {np.abs(found / exact - 1).max():.1%}")

ls.plot(ls.modes(arm, pose, "free", count=3)).savefig("modes.png")

# %%
# Torques that act in one direction, then in the other: the tip lags, overshoots, and continues to vibrate.
torques = ls.Profile([0.0, 0.5, 1.0], [[0.2, 0.2], [-0.2, -0.2], [0.0, 0.0]], "hold")
run = ls.simulate(arm, tau=torques, until=2.0)
deflection = 1e3 * np.linalg.norm(run.tip_deflection, axis=1)
after = deflection[run.t > 1.0].max()
print(f"\nsimulation: {run.status}; relative energy error {run.balance_error:.0e}")
print(f"Conclusion: link 2 deflects by up to {deflection.max():.1f} mm, and by {after:.1f} mm without torques.")
ls.plot(run, "tip").savefig("tip.png")
ls.animate(run, "overshoot.gif", fps=12)

# %%
# The same with tabulated shapes, as if they had been measured at eleven points along the beam.
s = np.linspace(0, 0.5, 11)
measured = ls.ShapeTable(s, bending_z=ls.beam_modes(beam, ls.Tip(1.2, 0.13), 3).shape(s))
tabulated = arm.with_link("link1", beam=beam.replace(shapes=measured, modes=ls.Modes(bending_z=3)))
found = ls.modes(tabulated, pose, "free", count=4).frequencies_hz
print(f"\nfrequencies with shapes from a table: {found.round(2)} Hz")

# %%
# A rigid arm from a file; a side file makes its upper arm (moved by the shoulder) a beam.
side = """
[[links]]
name = "shoulder"
[links.beam]
EI = 9.0e3
modes = { bending_z = 2 }
"""
with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "side.toml").write_text(side, encoding="utf-8")
    soft = ls.load("puma560", flexible=Path(folder) / "side.toml")
print(f"\n{soft.notes[-1]}")
first = ls.modes(soft, joints="locked", count=1).frequencies_hz[0]
print(f"first frequency of the PUMA 560 with this flexible upper arm: {first:.1f} Hz")
