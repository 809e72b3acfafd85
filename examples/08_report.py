"""One page about a run
====================

A report is one self-contained HTML file: the arm, its modes, the motion, the energy balance, figures,
and the commands that reproduce it. At the terminal ``lissom report`` does the same for files.
"""

import lissom as ls

# %%
# A flexible arm vibrates after its torques have ended.
arm = ls.load("two_link_flexible")
torques = ls.Profile([0.0, 0.5, 1.0], [[0.2, 0.2], [-0.2, -0.2], [0.0, 0.0]], "hold")
run = ls.simulate(arm, tau=torques, until=2.0)
print(run)
ls.plot(run).savefig("run.png")

# %%
# The report.
page = ls.write_report(run, "pushed.html")
size = page.stat().st_size / 1e6
print(f"Conclusion: open {page.name} in a browser; it is one file of {size:.1f} MB and needs no network.")
