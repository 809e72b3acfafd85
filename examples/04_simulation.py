"""An arm in time
==============

Three controllers and their energy balance, a thousand payloads, and a compliant arm under an external force.
"""

# sphinx_gallery_thumbnail_number = 2
import numpy as np

import lissom as ls

arm = ls.load("puma560")
home = np.array([0.1, -0.6, 0.4, 0.0, 0.5, 0.0])
goal = np.array([0.6, 0.3, -0.5, 0.2, 0.3, 0.1])

# %%
# The same motion with three controllers. The remaining error is due to Coulomb friction.
kp, kd = np.array([200, 300, 100, 20, 20, 10]), np.array([40, 50, 20, 3, 3, 2])
controllers = {
    "PD": ls.PD(goal, kp, kd),
    "PD + gravity": ls.PD(goal, kp, kd, gravity=True),
    "computed torque": ls.ComputedTorque(goal, 60.0, 15.0),
}
for name, control in controllers.items():
    run = ls.simulate(arm, home, tau=control, until=2.5)
    miss = np.abs(run.q[-1] - goal).max()
    print(f"{name:<16} {run.status}; largest joint error after 2.5 s: {miss:.4f} rad; "
          f"relative energy error: {run.balance_error:.0e}")  # fmt: skip
ls.plot(run, "energy").savefig("audit.png")
ls.animate(run, "reach.gif", fps=8)

# %%
# The spread of the final position for payloads that the controller does not know.
rng = np.random.default_rng(0)
payloads = [ls.Payload(mass, (0, 0, 0.08)) for mass in rng.uniform(0.0, 2.5, 1000)]
many = ls.simulate(arm, home, tau=controllers["PD + gravity"], until=2.5, dt=2.5e-3, payloads=payloads)
spread = 1e3 * np.ptp(many.tip[:, -1], axis=0).max()
print(f"\n1000 runs with payloads from 0 to 2.5 kg: final tip positions differ by up to {spread:.0f} mm")
ls.plot(many, "tip").savefig("payloads.png")

# %%
# An impedance controller: a force of 150 N acts sideways for half a second. Friction keeps the arm from returning
# completely.
tip = ls.pose(arm, goal, "flange")[:3, 3]
soft = ls.Impedance("flange", tip, stiffness=3000.0, damping=300.0)
force = ls.Profile([0.0, 0.5, 1.0], [[0, 0, 0], [0, 150, 0], [0, 0, 0]], "hold")
run = ls.simulate(arm, goal, tau=soft, until=2.5, loads=lambda t: [ls.Load("flange", force=force(t))])
away = 1e3 * np.linalg.norm(run.tip - tip, axis=1)
print(f"\nimpedance control under 150 N: the tip moves by up to {away.max():.0f} mm and ends {away[-1]:.0f} mm away")
run.save("pushed.nc")
print("saved and loaded again:", ls.load_run("pushed.nc"))
print("Conclusion: with these gains all three controllers stop where joint friction balances their torques.")
