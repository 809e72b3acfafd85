"""Stiffness and damping of flexible links from a vibration
=========================================================

An arm with flexible links is deflected and let go while its joints are held. The record of the vibration gives
frequencies and damping ratios, and these the bending stiffness and damping of both links.
"""

import numpy as np

import lissom as ls

# The machine: its links are stiffer than the model says, and damped.
model = ls.load("two_link_flexible")
machine = model
for name, EI, damping in (("link1", 1.2, 0.01), ("link2", 0.9, 0.02)):
    machine = machine.with_link(name, beam=model.link(name).beam.replace(EI=EI, damping=damping))

# Release at two poses, each recorded with noise: where the tip is, in the plane.
rng = np.random.default_rng(0)
decays, measured = [], []
for elbow in (0.5, 1.8):
    held = machine.lock({"joint1": 0.0, "joint2": elbow})
    deflected = np.zeros(held.dof)
    deflected[0], deflected[2] = 0.02, -0.01
    run = ls.simulate(held, deflected, until=15.0, every=0.005)
    tip = ls.pose(held, run.q, held.tip_frame)[:, :2, 3]
    decay = ls.free_decay(run.t, tip + 2e-4 * rng.normal(size=tip.shape), modes=3)
    decays.append(decay)
    measured.append(decay.at([0.0, elbow]))
print(decays[0])
ls.plot(decays[0]).savefig("free_decay.png")

# %%
# From frequencies and damping ratios to the links.
found = ls.identify_modes(model, measured)
print(found)
print(f"\nConclusion: EI of link1 {found.table['link1.beam.EI'].value:.2f} N m^2 (model 1.00, machine 1.20), "
      f"of link2 {found.table['link2.beam.EI'].value:.2f} N m^2 (model 1.00, machine 0.90).")  # fmt: skip
