"""Links that bend
===============

Modes of a beam and of an arm, a motion in which the tip swings, a rigid arm made flexible.
"""

import tempfile
from pathlib import Path

import numpy as np

import lissom as ls

# %%
# One beam, clamped: bare, and with a load at its tip.
beam = ls.Beam(length=0.5, mass_per_length=0.2, EI=1.0)
for word, tip in (("bare", None), ("with 0.1 kg at its tip", ls.Tip(mass=0.1, inertia=0.0005))):
    print(f"the beam {word}: {ls.beam_modes(beam, tip, 3).frequencies_hz.round(2)} Hz")

# %%
# Two of them with motors: De Luca and Siciliano's arm. Which shapes a link keeps decides how few are enough.
arm = ls.load("two_link_flexible")
pose = [0.0, 0.5]
exact = ls.mode_convergence(arm, pose, "free", count=4, most=4).frequencies_hz[-1]
print(f"\nthe arm, joints free: {exact.round(2)} Hz; of these the first link misses, with")
for shapes, count in (("natural", 2), ("natural", 3), ("natural+static", 3), ("polynomial", 3)):
    kept = beam.replace(modes=ls.Modes(bending_z=count), shapes=shapes)
    found = ls.modes(arm.with_link("link1", beam=kept), pose, "free", count=4).frequencies_hz
    print(f"  {count} {shapes:<15} shapes  {np.abs(found / exact - 1).max():.1%}")

ls.plot(ls.modes(arm, pose, "free", count=3)).savefig("modes.png")

# %%
# Torques that would turn both joints to and fro: the tip lags, overshoots, and goes on swinging.
push = ls.Profile([0.0, 0.5, 1.0], [[0.2, 0.2], [-0.2, -0.2], [0.0, 0.0]], "hold")
run = ls.simulate(arm, tau=push, until=2.0)
bent = np.linalg.norm(run.tip_deflection, axis=1)
print(
    f"\n{run.status}: link 2 bends by {1e3 * bent.max():.1f} mm, {1e3 * bent[run.t > 1.0].max():.1f} mm after the push;"
)
print(f"energy is balanced to {run.balance_error:.0e}")
ls.plot(run, "tip").savefig("tip.png")

# %%
# The same from a table of shapes: as if they had been measured at eleven places along the beam.
s = np.linspace(0, 0.5, 11)
measured = ls.ShapeTable(s, bending_z=ls.beam_modes(beam, ls.Tip(1.2, 0.13), 3).shape(s))
tabulated = arm.with_link("link1", beam=beam.replace(shapes=measured, modes=ls.Modes(bending_z=3)))
print(f"\nfrom a table: {ls.modes(tabulated, pose, 'free', count=4).frequencies_hz.round(2)} Hz")

# %%
# A rigid arm from a file, its upper arm (which the shoulder turns) made a beam by another.
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
print(f"its first frequency: {ls.modes(soft, joints='locked', count=1).frequencies_hz[0]:.1f} Hz")
