"""The moving picture of the README: python tools/readme_film.py [docs/stopping.gif]

Two copies of the flexible arm `two_link_flexible` make the same move in the same time. Their joints follow two plans
exactly: the optimal one for rigid links, and the optimal one for the flexible arm. Then the joints are held.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

from matplotlib import animation

import lissom as ls
from lissom.motion.result.replay import Course, lead, rest_of
from lissom.motion.result.variants import rigid
from lissom.views.arms import stage
from lissom.views.arms.skeleton import Skeleton
from lissom.views.figures.figure import new_figure
from lissom.views.figures.palette import COLOURS, palette
from lissom.views.figures.style import figure_style
from lissom.views.films.gif import GifWriter
from lissom.views.followed import followed_frame

GOAL, DURATION, AFTER = [0.8, 0.8], 4.0, 4.8
FPS, SPEED = 12, 1.5
PLANS = {"planned for rigid links": COLOURS[1], "planned by lissom for the flexible arm": COLOURS[0]}


def plans(arm: ls.Arm) -> list[ls.Motion]:
    """The motions with the smallest integral of squared torques, for rigid links and for the flexible arm: the task of
    `make demo`."""
    rest = [0.0, 0.0]
    task = ls.Task(start=rest, goal=GOAL, duration=DURATION, minimise="torque_squared",
                   limits=ls.Limits(torque=[0.2, 0.1]), start_acceleration=rest, goal_acceleration=rest)  # fmt: skip
    return [ls.predict_motion(one, task, degree=5, starts=1) for one in (rigid(arm, "readme"), arm)]


class Followed:
    """The flexible arm while its joints follow a plan exactly, and for `AFTER` seconds with its joints held."""

    def __init__(self, arm: ls.Arm, plan: ls.Motion):
        self.moving = lead(arm, rest_of(arm, plan.q[0], []), Course(plan).accelerations, [])
        q, qd = self.moving.q[-1], np.where(arm.actuated, 0.0, self.moving.qd[-1])
        held = dict.fromkeys((joint.name for joint in arm.joints), 0.0)
        self.held = ls.simulate(arm, q, qd, until=AFTER, prescribed=held, dt=2e-3)
        tip = ls.pose(arm, self.held.q, followed_frame(arm))[..., :3, 3]
        self.swing = np.linalg.norm(tip - tip.mean(axis=0), axis=1).max()  # m, as on the page of `make demo`

    def states(self, t: np.ndarray) -> np.ndarray:
        """(nt, dof) states at increasing times."""
        stopped = t > DURATION
        return np.vstack([self.moving.at(t[~stopped]).q, self.held.at(t[stopped] - DURATION).q])


class SideBySide:
    """The arms, and below them the deflection of their tips from the positions with rigid links."""

    def __init__(self, arm: ls.Arm, runs: list[Followed]):
        self.t = np.arange(0.0, DURATION + AFTER, SPEED / FPS)
        states = [run.states(self.t) for run in runs]
        self.bones = [Skeleton(arm, q) for q in states]
        self.deflections = [1e3 * tip_deflection(arm, q) for q in states]
        self.fine = np.linspace(0.0, self.t[-1], 400)
        self.curves = [1e3 * tip_deflection(arm, run.states(self.fine)) for run in runs]
        self.figure = new_figure(9.0, 5.4)
        grid = self.figure.add_gridspec(2, 2, height_ratios=(2.1, 1.0))
        points = np.vstack([bones.points for bones in self.bones])
        plane = stage.plane_of(points)
        self.lines, self.words, self.trails = [], [], []
        self.tips = [ls.pose(arm, run.states(self.fine), followed_frame(arm))[..., :3, 3] for run in runs]
        goal = Skeleton(arm, arm.expanded(np.array(GOAL)))
        for k, (name, colour) in enumerate(PLANS.items()):
            ax = stage.set_up(self.figure, grid[0, k], points, plane)
            ax.set_title(name, color=colour, fontsize=12, fontweight="bold")
            stage.Lines(ax, plane, palette().resting, width=0.5).put(goal)
            self.trails.append(ax.plot([], [], color=colour, linewidth=1.2)[0])
            self.lines.append(stage.Lines(ax, plane))
            ax.set_xlabel("")
            at = {"transform": ax.transAxes, "va": "top", "ha": "right", "family": "monospace", "fontsize": 13}
            self.words.append(ax.text(0.97, 0.97, "", **at))
            ax.text(0.31, 0.6, "goal", color=palette().muted, ha="right", va="center", fontsize=11)
        self.plane = plane
        self._curves(grid[1, :])
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")

    def _curves(self, place) -> None:
        ax = self.figure.add_subplot(place)
        for x, colour in zip(self.curves, PLANS.values(), strict=True):
            ax.plot(self.fine, x, color=colour, alpha=0.25)
        self.passed = [ax.plot([], [], color=colour, linewidth=2)[0] for colour in PLANS.values()]
        quiet = palette().muted
        ax.axvline(DURATION, color=quiet, linewidth=1, linestyle=":")
        ax.set_title(f"joints stop at {DURATION:g} s", color=quiet, loc="center", pad=3)
        ax.set(xlabel="t [s]", ylabel="deflection of\nthe arm's tip [mm]", xlim=(0.0, self.t[-1]))

    def show(self, k: int) -> list:
        """Frame k."""
        for n, bones in enumerate(self.bones):
            self.lines[n].put(bones, k)
            self.words[n].set_text(f"t = {self.t[k]:3.1f} s\ntip {round(self.deflections[n][k], 1) + 0.0:+6.1f} mm")
            passed = self.fine <= self.t[k]
            self.passed[n].set_data(self.fine[passed], self.curves[n][passed])
            stage.place(self.trails[n], self.tips[n][passed], self.plane)
        return []

    def save(self, path: Path) -> None:
        film = animation.FuncAnimation(self.figure, self.show, frames=len(self.t), blit=False)
        film.save(path, writer=GifWriter(fps=FPS), dpi=80)


def tip_deflection(arm: ls.Arm, q: np.ndarray) -> np.ndarray:
    """(nt,) distance of the tip from where the undeflected arm would have it [m], positive ahead of the motion."""
    straight = q.copy()
    straight[:, arm.mode_index] = 0.0
    tips = [ls.pose(arm, state, followed_frame(arm))[..., :3, 3] for state in (q, straight)]
    ahead = np.cross([0.0, 0.0, 1.0], tips[1])
    return np.einsum("ti,ti->t", tips[0] - tips[1], ahead / np.linalg.norm(ahead, axis=1, keepdims=True))


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/stopping.gif")
    arm = ls.load("two_link_flexible")
    runs = [Followed(arm, plan) for plan in plans(arm)]
    with figure_style("light"):
        SideBySide(arm, runs).save(path)
    for name, run in zip(PLANS, runs, strict=True):
        print(f"{name}: after the joints have stopped, the tip swings by up to {1e3 * run.swing:.2g} mm")
    print(f"wrote {path}, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
