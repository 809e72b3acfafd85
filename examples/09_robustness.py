"""How robust is a motion without vibration?
=========================================

A flexible arm moves so that nothing rings at the end: that is true of the arm as it was described. What is left where
payload and stiffness are not exactly what was thought? Ten thousand arms that might be the real one, the same motion of
the joints on each, and how far the tip swings afterwards.
"""

import sys

import numpy as np

import lissom as ls

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000

# %%
# The plan, for the arm as described.
arm = ls.load("two_link_flexible")
motion = ls.predict_motion(
    arm, start=[0, 0], goal=[0.8, 0.8], duration=4.0, minimise="torque_squared", limits=ls.Limits(torque=[0.2, 0.1]),
    start_acceleration=[0, 0], goal_acceleration=[0, 0],
)  # fmt: skip
print(motion)

# %%
# Control of the joints is taken to be stiff: they follow the plan, and stand still afterwards for four seconds.
times = np.linspace(0.0, motion.duration, 401)
qdd = motion.at(times)[2][:, arm.joint_index]
leads = {joint.name: ls.Profile(times, x, kind="cubic") for joint, x in zip(arm.joints, qdd.T, strict=True)}
arguments = {
    "q0": motion.q[0], "until": motion.duration + 4.0, "every": 0.02, "dt": 2.5e-3, "method": "rk8",
    "prescribed": leads,
}  # fmt: skip

# %%
# What is uncertain: the payload by twenty percent, its inertia with it, and the stiffness of each link by ten.
payload = ["arm.links.link2.payload.mass", "arm.links.link2.payload.inertia"]
study = ls.Study(
    "simulate", arm, arguments,
    parameters={
        "payload": ls.StudyParameter(payload, how="scale", uniform=(0.8, 1.2)),
        "stiffness 1": ls.StudyParameter("arm.links.link1.beam.EI", how="scale", uniform=(0.9, 1.1)),
        "stiffness 2": ls.StudyParameter("arm.links.link2.beam.EI", how="scale", uniform=(0.9, 1.1)),
    },
    outputs={"ringing": ls.StudyOutput("tip", "range norm", after=motion.duration, unit="m")},
    sampling="sobol", count=COUNT, title="ringing of the tip, peak to peak",
)  # fmt: skip
result = study.run(progress=True)
print(result)

# %%
# The map, and what drives it.
ls.plot(result, "map").savefig("robustness_map.png")
ls.plot(result, "scatter").savefig("robustness_scatter.png")
print(result.sensitivity())

# %%
# The worst cases, and the worst of all in full.
worst = result.worst("ringing", 5)
for row in range(5):
    told = ", ".join(f"{name} {worst[name][row]:.3f}" for name in result.parameters)
    print(f"row {worst['row'][row]}: {1e3 * worst['ringing'][row]:.1f} mm with {told}")
run = study.record(int(worst["row"][0]))
ls.plot(run, "tip").savefig("robustness_worst.png")
