"""Closed loops
============

A four-bar, a five-bar, two arms that lift one object, a platform on six legs. A closure joins two links of the tree;
``assemble`` finds positions, rates and accelerations that keep it closed.
"""

# sphinx_gallery_thumbnail_number = 2
import sys
from pathlib import Path

import numpy as np

import lissom as ls

here = Path(sys.argv[0]).parent  # of this script

# %%
# A four-bar falls for two seconds, nothing drives it.
four_bar = ls.load(here / "four_bar.toml")
state = ls.assemble(four_bar, [1.0, -0.5, 1.5], fixed="crank")
run = ls.simulate(four_bar, state.q, until=2.0)
print(f"four-bar: mobility {state.mobility}, {len(state.redundant)} closure rows are redundant")
print(f"  closed within {run.closure_error.max():.0e} m, energy within {run.balance_error:.0e} of the energy exchanged")

ls.plot(run).savefig("four_bar.png")

# %%
# A five-bar: two motors move the point where the forearms meet.
five_bar = ls.load(here / "five_bar.toml")
moves = ls.assemble(
    five_bar, [2.2, -1.2, 0.9, 1.2], fixed=("left", "right"), qd=[1.0, 0, -0.5, 0], qdd=[2.0, 0, 3.0, 0]
)
print("five-bar: torques", ls.inverse_dynamics(five_bar, moves.q, moves.qd, moves.qdd).round(3))

# %%
# Two arms hold one bar: twelve motors, six motions; the torques are the least that hold it.
two_arms = ls.load(here / "two_arms.toml")
side = [0.276, -0.275, 0.056]
hold = ls.assemble(two_arms, [*side, 2.859, 1.36, 0.061, *side, -0.283, -1.36, -3.081])
still = np.zeros(12)
together = ls.inverse_dynamics(two_arms, hold.q, still, still)
alone = ls.inverse_dynamics(two_arms.replace(loops=()), hold.q, still, still)
print(
    f"two arms: {np.linalg.norm(together):.1f} N m together, {np.linalg.norm(alone):.1f} N m if one bears the bar alone"
)
print("  force in the right grip", ls.closure_forces(two_arms, hold.q, still, still).force[0].round(2), "N")

# %%
# A platform on six legs, held by its pistons.
stewart = ls.load(here / "stewart.toml")
guess = np.zeros(21)
guess[stewart.actuated] = 0.9
level = ls.assemble(stewart, guess)
legs = ls.inverse_dynamics(stewart, level.q, np.zeros(21), np.zeros(21))[stewart.actuated]
print("platform: forces of the legs", legs.round(1), "N")
ls.draw(stewart, level.q, labels=False).savefig("platform.png")
