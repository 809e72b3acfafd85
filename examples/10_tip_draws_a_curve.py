"""A flexible arm whose tip draws a curve
======================================

Both links bend, and the tip still draws an eight: the joints move so that the deflected tip is on the curve at all
times. Beside it the plan for rigid links, followed by the same controller.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

import lissom as ls

arm = ls.load("two_link_flexible")  # two modes per link
CENTRE, WIDTH, HEIGHT, DURATION = np.array([0.35, 0.65]), 0.16, 0.08, 8.0


def eight(t):
    """Where the tip should be; the turn goes smoothly from rest to rest."""
    x = np.clip(t / DURATION, 0.0, 1.0)
    turn = 2 * np.pi * x**5 * (126 - 420 * x + 540 * x**2 - 315 * x**3 + 70 * x**4)
    return CENTRE + [WIDTH * np.sin(turn), HEIGHT * np.sin(2 * turn)]


# %%
# The motion, from rest to rest. The motors begin a little before the tip does, and end after it.
motion = ls.track_motion(arm, eight, "link2.tip", "xy", DURATION, start=[0.3, 1.4])
print(motion.describe())
ls.plot(motion, "path").savefig("path.png")

# %%
# The same path planned for rigid links; both plans drive the flexible arm with the same gains of the joints.
rigid = arm
for link in arm.links:
    rigid = rigid.with_link(link.name, beam=link.beam.replace(modes=ls.Modes(bending_z=0)))
plan = ls.track_motion(
    rigid, eight, "link2.tip", "xy", DURATION, start=[0.3, 1.4], before=motion.shift, after=motion.shift
)
runs = {}
for name, planned in (("planned for flexible links", motion), ("planned for rigid links", plan)):
    begin = motion.q[0] if planned is motion else arm.expanded(plan.q[0])
    runs[name] = ls.simulate(arm, begin, tau=ls.Follow(planned, kp=2.0, kd=0.4), until=motion.duration, every=0.01)
off = {name: np.linalg.norm(motion.path_error(run), axis=1).max() for name, run in runs.items()}
ours, theirs = off.values()
print(f"\nConclusion: the tip leaves the curve by {1e3 * theirs:.0f} mm with the rigid plan, "
      f"and by {1e3 * ours:.4f} mm with this motion.\n")  # fmt: skip

# %%
# Both as a film, twice as fast as the arm.
figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.6), sharex=True, sharey=True)
curve = np.array([eight(t) for t in np.linspace(0, DURATION, 400)])
lines, trails, tips = [], [], []
for ax, (name, run) in zip(axes, runs.items(), strict=True):
    ax.plot(*curve.T, color="0.75", linewidth=4, solid_capstyle="round", zorder=1)
    lines.append(ax.plot([], [], "-o", markevery=[0, 9], color="C0", linewidth=2.5)[0])
    trails.append(ax.plot([], [], color="C1", linewidth=1.2)[0])
    tips.append(run.path("link2.tip")[:, :2])
    ax.set(title=f"{name}\noff by {1e3 * off[name]:.2g} mm", xlabel="x [m]", aspect="equal")
    ax.set(xlim=(-0.3, 0.75), ylim=(-0.05, 0.85))
axes[0].set_ylabel("y [m]")
figure.tight_layout()
SHAPES = {
    name: np.concatenate([
        np.stack([ls.pose(arm, run.q, link.name, (x, 0, 0))[:, :2, 3] for x in np.linspace(0, link.beam.length, 10)], 1)
        for link in arm.links
    ], axis=1)
    for name, run in runs.items()
}  # fmt: skip


def frame(k):
    """Both arms at one time."""
    for line, trail, tip, shape in zip(lines, trails, tips, SHAPES.values(), strict=True):
        line.set_data(*shape[k].T)
        trail.set_data(*tip[: k + 1].T)


count = len(next(iter(runs.values())).t)
film = FuncAnimation(figure, frame, range(0, count, 16))
film.save("eight.gif", writer="pillow", fps=12.5)
