"""One page about a run
====================

A report is one HTML file that needs nothing beside it: the arm, its modes, the motion, the audit of energy, figures,
and how to make it again. At the terminal ``lissom report`` does the same for files.
"""

import lissom as ls

# %%
# A flexible arm is pushed to and fro, and rings.
arm = ls.load("two_link_flexible")
push = ls.Profile([0.0, 0.5, 1.0], [[0.2, 0.2], [-0.2, -0.2], [0.0, 0.0]], "hold")
run = ls.simulate(arm, tau=push, until=2.0)
print(run)
ls.plot(run).savefig("run.png")

# %%
# The page.
page = ls.write_report(run, "pushed.html")
print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, nothing beside it")
