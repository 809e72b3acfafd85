"""A flexible arm that stops without vibration
===========================================

The optimal motion for a flexible arm, compared with the plan for rigid links of the same duration, without and with
input shapers.
"""

# sphinx_gallery_thumbnail_number = 3
import lissom as ls

arm = ls.load("two_link_flexible")  # two modes per link, the first at 0.44 Hz
task = ls.Task(
    start=[0.0, 0.0],
    goal=[0.8, 0.8],
    duration=4.0,
    minimise="torque_squared",
    limits=ls.Limits(torque=[0.2, 0.1]),
)
motion = ls.predict_motion(arm, task, compare=True)
print(motion.describe())

# %%
# Residual vibration of the tip after every plan, with the exact payload and with errors of 10 %.
print(motion.compared)
plans = {plan.name: plan for plan in motion.compared.plans}
ours, theirs = plans["this motion"].residual, plans["rigid plan"].residual
print(f"\nConclusion: after the stop the tip vibrates by {1e3 * theirs:.0f} mm with the rigid plan, "
      f"and by {1e3 * ours:.4f} mm with this motion.\n")  # fmt: skip
ls.plot(motion, "residual").savefig("ringing.png")

# %%
# Positions, torques within their limits, the arm along its path; and a film, twice as fast as the arm.
ls.plot(motion).savefig("still.png")
ls.animate(motion, "still.gif", fps=12, speed=2)

# %%
# An independent simulation of the arm under the planned torques.
print(motion.verify().describe())

# %%
# Evenly spaced samples for a controller.
motion.table(rate_hz=500).to_csv("still.csv")
