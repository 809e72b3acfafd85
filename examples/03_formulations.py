"""The classic formulations side by side
=====================================

The same torques at very different costs: every published formulation of inverse dynamics on one arm, and a
configuration table whose accuracy depends on its grid.
"""

import numpy as np
from matplotlib.figure import Figure

import lissom as ls

arm = ls.load("puma560")
rng = np.random.default_rng(1)
q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 6))
fast = ls.inverse_dynamics(arm, q, qd, qdd)
costs = []

print("Inverse dynamics of one state of the PUMA 560: largest torque difference from lissom's default method; products")
print("and sums as the papers count them; both together when operations with 0 and 1 are removed for this arm.\n")
print(f"{'formulation':<20}{'difference N m':>16}{'products':>10}{'sums':>8}{'simplified':>12}")
for f in ls.formulations():
    if f.direction == "inverse":
        difference = np.abs(ls.inverse_dynamics(arm, q, qd, qdd, method=f.name) - fast).max()
        cost = ls.count_operations(f.name, arm)
        folded = cost.folded.multiplications + cost.folded.additions
        print(f"{f.name:<20}{difference:>16.1e}{cost.multiplications:>10}{cost.additions:>8}{folded:>12}")
        costs.append((f.name, cost.multiplications + cost.additions, folded))

# %%
# Operations as the papers count them, and after simplification for this arm.
operations = {name: dense for name, dense, _ in costs}
ratio = operations["uicker_kahn"] / operations["newton_euler_link"]
print("\nConclusion: all formulations agree to rounding; uicker_kahn needs "
      f"{ratio:.0f} times as many operations as newton_euler_link.\n")  # fmt: skip
names, published, simplified = zip(*costs, strict=True)
figure = Figure(figsize=(7, 4), layout="constrained")
ax = figure.subplots()
at = np.arange(len(names))
ax.barh(at - 0.2, published, 0.38, color="#b3bac2", label="as published")
ax.barh(at + 0.2, simplified, 0.38, color="#0072b2", label="simplified for this arm")
ax.set_yticks(at, names)
ax.invert_yaxis()
ax.set(xscale="log", xlabel="operations for one state of the PUMA 560")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")
figure.savefig("operations.png")

# %%
# A configuration table interpolates in position; its error falls with the number of grid points.
planar = ls.load("two_link")
for points in (9, 17, 33):
    table = ls.ConfigurationTable.build(planar, points)
    error = table.error()
    print(f"configuration table of {points} x {points} points: {table.memory / 1024:.0f} kB, "
          f"largest torque error {100 * error.worst:.2f} %")  # fmt: skip
