"""An arm in time
==============

A reach under control with its energy audited, a thousand uncertain runs, and a push that is felt.
"""

import numpy as np

import lissom as ls

arm = ls.load("puma560")
home = np.array([0.1, -0.6, 0.4, 0.0, 0.5, 0.0])
goal = np.array([0.6, 0.3, -0.5, 0.2, 0.3, 0.1])

# %%
# The same reach by three controllers; what they miss in the end is what friction holds back.
kp, kd = np.array([200, 300, 100, 20, 20, 10]), np.array([40, 50, 20, 3, 3, 2])
controllers = {
    "PD": ls.PD(goal, kp, kd),
    "PD + gravity": ls.PD(goal, kp, kd, gravity=True),
    "computed torque": ls.ComputedTorque(goal, 60.0, 15.0),
}
for name, control in controllers.items():
    run = ls.simulate(arm, home, tau=control, until=2.5)
    miss = np.abs(run.q[-1] - goal).max()
    print(f"{name:<16} {run.status}, misses by {miss:.4f} rad, energy balanced to {run.balance_error:.0e}")
ls.plot(run, "energy").savefig("audit.png")
ls.animate(run, "reach.gif", fps=6)

# %%
# How much a payload that nobody told the controller about spreads the end point.
rng = np.random.default_rng(0)
payloads = [ls.Payload(mass, (0, 0, 0.08)) for mass in rng.uniform(0.0, 2.5, 1000)]
many = ls.simulate(arm, home, tau=controllers["PD + gravity"], until=2.5, dt=2.5e-3, payloads=payloads)
tip = many.tip[:, -1]
print(f"1000 payloads: the tip ends within {1e3 * np.ptp(tip, axis=0).max():.0f} mm")
ls.plot(many, "tip").savefig("payloads.png")

# %%
# A compliant wrist: pushed sideways for half a second, it gives way; friction keeps it from coming back all the way.
tip = ls.pose(arm, goal, "flange")[:3, 3]
soft = ls.Impedance("flange", tip, stiffness=3000.0, damping=300.0)
push = ls.Profile([0.0, 0.5, 1.0], [[0, 0, 0], [0, 150, 0], [0, 0, 0]], "hold")
run = ls.simulate(arm, goal, tau=soft, until=2.5, loads=lambda t: [ls.Load("flange", force=push(t))])
away = np.linalg.norm(run.tip - tip, axis=1)
print(f"pushed: {1e3 * away.max():.0f} mm away, {1e3 * away[-1]:.0f} mm in the end")
run.save("pushed.nc")
print(ls.load_run("pushed.nc"))
