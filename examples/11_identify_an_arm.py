"""The numbers of a real arm
=========================

URDF files have guessed masses and no friction. From half a minute of motion and torques the arm is identified: its
inertias with honest standard deviations, its friction law, and the delay of its torque sensors. A simulated arm stands
for the machine here, so that the result can be compared with the truth.
"""

import numpy as np
from scipy.signal import lfilter

import lissom as ls

# %%
# What is known, and the machine: other masses, friction, drive inertia.
known = ls.load("ur10")
machine = known
for k, joint in enumerate(known.joints):
    machine = machine.with_joint(joint.name, armature=0.8, damping=12.0 / (k + 1), friction=10.0 / (k + 1))
for k, link in enumerate(known.links):
    machine = machine.with_link(link.name, mass=link.mass * (1.15 if k % 2 else 0.9))


# %%
# A log: motions of eight harmonics, torques with noise that is not white, logged 8 ms late.
def recorded(seed):
    """A log of 30 s."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, 30.0, 0.01)[:, None]
    q, qd, qdd = np.array([0, -1.2, 0.8, -0.6, 0.5, 0]) + 0 * t, 0 * t, 0 * t
    for k in range(1, 9):
        w, a, p = 2 * np.pi * k / 10, rng.normal(size=6) * 0.5 / k, rng.uniform(0, 6, 6)
        q, qd, qdd = q + a * np.sin(w * t + p), qd + a * w * np.cos(w * t + p), qdd - a * w**2 * np.sin(w * t + p)
    tau = ls.inverse_dynamics(machine, q, qd, qdd)
    tau = np.column_stack([np.interp(t[:, 0] - 0.008, t[:, 0], column) for column in tau.T])
    noise = lfilter([1], [1, -0.9], rng.normal(size=tau.shape), axis=0) * (0.6, 0.8, 0.5, 0.1, 0.1, 0.1)
    return ls.Log(t=t[:, 0], q=q + 1e-5 * rng.normal(size=q.shape), tau=tau + noise)


# %%
# The arm with its numbers, and how well it predicts a motion that it has not seen.
found = ls.identify(known, recorded(0))
print(found)
print(found.table)
check = found.check(recorded(1))
print(check)

# %%
# Measured and predicted torques, and the spectra of what is left.
ls.plot(check).savefig("identified_torques.png")
ls.plot(check, "spectrum").savefig("identified_spectrum.png")
found.save("identified_ur10.toml")
late = ", ".join(f"{1e3 * x:.1f}" for x in found.skew)
worst = 100 * np.max(check.rmse / check.rmse_before)
print(f"Conclusion: the torque errors of every joint fall to {worst:.0f} % or less of those before; "
      f"the sensors are late by {late} ms.")  # fmt: skip
