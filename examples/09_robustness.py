"""How robust is a motion without vibration?
=========================================

A flexible arm is planned to stop without vibration, which holds exactly only for the nominal arm. How large is the
residual vibration if payload and stiffness differ? Ten thousand arms with random parameters, the same motion of
the joints on each, and the vibration of the tip afterwards.
"""

import sys

import numpy as np

import lissom as ls

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000

# %%
# The plan for the nominal arm.
arm = ls.load("two_link_flexible")
motion = ls.predict_motion(
    arm, start=[0, 0], goal=[0.8, 0.8], duration=4.0, minimise="torque_squared", limits=ls.Limits(torque=[0.2, 0.1]),
    start_acceleration=[0, 0], goal_acceleration=[0, 0],
)  # fmt: skip
print(motion)

# %%
# Stiff control of the joints is assumed: they follow the plan exactly and are then held for four seconds.
times = np.linspace(0.0, motion.duration, 401)
qdd = motion.at(times)[2][:, arm.joint_index]
moved = {joint.name: ls.Profile(times, x, kind="cubic") for joint, x in zip(arm.joints, qdd.T, strict=True)}
arguments = {
    "q0": motion.q[0], "until": motion.duration + 4.0, "every": 0.02, "dt": 2.5e-3, "method": "rk8",
    "prescribed": moved,
}  # fmt: skip

# %%
# Uncertain parameters: the payload with its inertia by 20 %, and the stiffness of each link by 10 %.
payload = ["arm.links.link2.payload.mass", "arm.links.link2.payload.inertia"]
study = ls.Study(
    "simulate", arm, arguments,
    parameters={
        "payload": ls.StudyParameter(payload, how="scale", uniform=(0.8, 1.2)),
        "stiffness 1": ls.StudyParameter("arm.links.link1.beam.EI", how="scale", uniform=(0.9, 1.1)),
        "stiffness 2": ls.StudyParameter("arm.links.link2.beam.EI", how="scale", uniform=(0.9, 1.1)),
    },
    outputs={"residual vibration": ls.StudyOutput("tip", "range norm", after=motion.duration, unit="m")},
    sampling="sobol", count=COUNT, title="residual vibration of the tip, peak to peak",
)  # fmt: skip
result = study.run(progress=True)
print(result)

# %%
# A map of the result, and its sensitivity to the parameters.
ls.plot(result, "map").savefig("robustness_map.png")
ls.plot(result, "scatter").savefig("robustness_scatter.png")
print(result.sensitivity())

# %%
# The five worst cases, and a figure of the worst one.
worst = result.worst("residual vibration", 5)
for row in range(5):
    factors = ", ".join(f"{name} x {worst[name][row]:.3f}" for name in result.parameters)
    print(f"row {worst['row'][row]}: {1e3 * worst['residual vibration'][row]:.1f} mm peak to peak with {factors}")
median = 1e3 * np.median(result["residual vibration"])
print(f"Conclusion: half of the {COUNT} arms vibrate by less than {median:.1f} mm peak to peak; the worst by "
      f"{1e3 * worst['residual vibration'][0]:.1f} mm.")  # fmt: skip
run = study.record(int(worst["row"][0]))
ls.plot(run, "tip").savefig("robustness_worst.png")
