"""A person walks
==============

Motion, torques and ground forces of a walk are found together, from height, mass, speed and step length: a planar
person of 13 coordinates takes a step whose mirror image is the next one. The report has the numbers and curves of gait
laboratories.
"""

import lissom as ls

# A person of 1.74 m and 73 kg, and the step that costs least effort, work and jerkiness at 1.33 m/s.
person = ls.human(height=1.74, mass=73.0, joints=13)
walk = ls.predict_walk(person, speed=1.33, step=0.69)
print(walk)

# %%
# Numbers and curves over the cycle. With ``reference=("angles.mot", "forces.mot")`` they stand beside a measured walk.
report = ls.gait_report(walk, name="predicted")
print(report)
ls.plot(report).savefig("walk_curves.png")

# %%
# The body over a stride, with the forces of the ground; then half as fast as it is.
ls.plot(report, "stride").savefig("walk_stride.png")
ls.animate(walk, "walk.gif", speed=0.5, fps=20)
peaks = f"{report['first_peak']:.2f} and {report['second_peak']:.2f} body weights"
print(f"\nConclusion: {report['cadence']:.0f} steps per minute, peaks of the vertical force of {peaks}, "
      f"ankle moment {report['ankle_moment']:.2f} N m/kg.")  # fmt: skip
