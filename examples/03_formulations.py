"""The classic formulations side by side
=====================================

The same torques, very different costs: every published formulation of inverse dynamics on one arm, and a table of
positions that is only as good as its grid.
"""

import numpy as np
from matplotlib.figure import Figure

import lissom as ls

arm = ls.load("puma560")
rng = np.random.default_rng(1)
q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 6))
fast = ls.inverse_dynamics(arm, q, qd, qdd)
costs = []

print(f"{'inverse dynamics':<20}{'difference':>12}{'products':>10}{'sums':>8}{'folded':>8}")
for f in ls.formulations():
    if f.direction == "inverse":
        difference = np.abs(ls.inverse_dynamics(arm, q, qd, qdd, method=f.name) - fast).max()
        cost = ls.count_operations(f.name, arm)
        folded = cost.folded.multiplications + cost.folded.additions
        print(f"{f.name:<20}{difference:>12.1e}{cost.multiplications:>10}{cost.additions:>8}{folded:>8}")
        costs.append((f.name, cost.multiplications + cost.additions, folded))

# %%
# Products and sums as the papers count them, and what is left on this arm when zeros and ones fold away.
figure = Figure(figsize=(8, 4), layout="constrained")
ax = figure.subplots()
for k, (_, dense, folded) in enumerate(costs):
    ax.barh([k + 0.2, k - 0.2], [dense, folded], 0.4, color=["C7", "C0"])
ax.set_yticks(range(len(costs)), [name for name, _, _ in costs])
ax.invert_yaxis()
ax.set(xscale="log", xlabel="operations for one state of six joints (grey: dense, blue: folded)")
figure.savefig("operations.png")

# %%
# A table of positions: small for two joints, and only as good as its grid.
planar = ls.load("two_link")
for points in (9, 17, 33):
    table = ls.ConfigurationTable.build(planar, points)
    error = table.error()
    print(f"table of {points} x {points}: {table.memory / 1024:.0f} kB, worst torque error {100 * error.worst:.2f} %")
