"""A flexible arm that stops without vibration
===========================================

The quickest way to be there is not the quickest way to be still. The motion that is best for the flexible arm itself,
beside the plan for rigid links of the same duration and what input shapers make of it.
"""

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
# What every plan leaves ringing at the tip, with the payload known and ten percent off.
print(motion.compared)
ls.plot(motion, "residual").savefig("ringing.png")

# %%
# Positions, torques within their limits, the arm along its way.
ls.plot(motion).savefig("still.png")

# %%
# The torques alone, played through an independent simulation.
print(motion.verify().describe())

# %%
# For a controller: evenly spaced samples.
motion.table(rate_hz=500).to_csv("still.csv")
