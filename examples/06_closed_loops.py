"""Closed loops
============

A four-bar, a five-bar, two arms that hold one object, a platform on six legs. A loop connects two links of the tree;
``assemble`` finds positions, velocities and accelerations that satisfy it.
"""

# sphinx_gallery_thumbnail_number = 2
import sys
from pathlib import Path

import numpy as np

import lissom as ls

here = Path(sys.argv[0]).parent  # of this script

# %%
# A four-bar falls for two seconds without torques.
four_bar = ls.load(here / "four_bar.toml")
state = ls.assemble(four_bar, [1.0, -0.5, 1.5], fixed="crank")
run = ls.simulate(four_bar, state.q, until=2.0)
print(f"four-bar: mobility {state.mobility}, {len(state.redundant)} redundant closure rows")
print(f"  2 s of simulation: closure error {run.closure_error.max():.0e} m, energy error {run.balance_error:.0e}")

ls.plot(run).savefig("four_bar.png")
ls.animate(run, "four_bar.gif", fps=12)

# %%
# A five-bar: two motors move the point where the forearms meet.
five_bar = ls.load(here / "five_bar.toml")
moves = ls.assemble(
    five_bar, [2.2, -1.2, 0.9, 1.2], fixed=("left", "right"), qd=[1.0, 0, -0.5, 0], qdd=[2.0, 0, 3.0, 0]
)
tau = ls.inverse_dynamics(five_bar, moves.q, moves.qd, moves.qdd)
print("five-bar: torques for the given motion", tau.round(3), "N m (left, left_fore, right, right_fore)")

# %%
# Two arms hold one bar: twelve motors for six degrees of freedom. The torques are the smallest that hold the bar.
two_arms = ls.load(here / "two_arms.toml")
side = [0.276, -0.275, 0.056]
hold = ls.assemble(two_arms, [*side, 2.859, 1.36, 0.061, *side, -0.283, -1.36, -3.081])
still = np.zeros(12)
together = ls.inverse_dynamics(two_arms, hold.q, still, still)
alone = ls.inverse_dynamics(two_arms.replace(loops=()), hold.q, still, still)
print(f"two arms hold a bar: norm of all torques {np.linalg.norm(together):.1f} N m, "
      f"{np.linalg.norm(alone):.1f} N m if the left arm holds it alone")  # fmt: skip
print("  force on the bar in the right grip", ls.closure_forces(two_arms, hold.q, still, still).force[0].round(2), "N")

# %%
# A platform on six legs, held by the forces of its pistons.
stewart = ls.load(here / "stewart.toml")
guess = np.zeros(21)
guess[stewart.actuated] = 0.9
level = ls.assemble(stewart, guess)
legs = ls.inverse_dynamics(stewart, level.q, np.zeros(21), np.zeros(21))[stewart.actuated]
print("platform: forces of the six pistons", legs.round(1), "N")
print("Conclusion: loops keep closed to rounding in simulation, and redundant motors share the load.")
ls.draw(stewart, level.q, labels=False).savefig("platform.png")
