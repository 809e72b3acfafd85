"""The classic formulations side by side: the same torques, very different costs."""

import numpy as np

import lissom as ls

arm = ls.load("puma560")
rng = np.random.default_rng(1)
q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 6))
fast = ls.inverse_dynamics(arm, q, qd, qdd)

print(f"{'inverse dynamics':<20}{'difference':>12}{'products':>10}{'sums':>8}{'folded':>8}")
for f in ls.formulations():
    if f.direction == "inverse":
        difference = np.abs(ls.inverse_dynamics(arm, q, qd, qdd, method=f.name) - fast).max()
        cost = ls.count_operations(f.name, arm)
        folded = cost.folded.multiplications + cost.folded.additions
        print(f"{f.name:<20}{difference:>12.1e}{cost.multiplications:>10}{cost.additions:>8}{folded:>8}")

# a table of positions: small for two joints, and only as good as its grid
planar = ls.load("two_link")
for points in (9, 17, 33):
    table = ls.ConfigurationTable.build(planar, points)
    error = table.error()
    print(f"table of {points} x {points}: {table.memory / 1024:.0f} kB, worst torque error {100 * error.worst:.2f} %")
