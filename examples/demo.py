"""Demo: optimal motions for three tasks, planned, verified and drawn.

`make demo` runs this file. A PUMA 560 carries two kilograms from one shelf to another (`transfer.toml`), and a two-link
arm lifts a load (`lift.toml`). Each motion is planned, verified by an independent simulation under its torques, and
written to `out/`:

- `transfer.png`: joints, torques within their limits, the arm along its path, and the convergence of the optimiser,
- `transfer.gif`: a film of the motion,
- `transfer.nc`: the complete motion, for `lissom.load_motion`,
- `transfer.csv`: samples for a controller, a thousand per second.

At the end a flexible arm stops without vibration (`still.toml`). The same arm under the optimal plan for rigid
links of the same duration vibrates: `still.png`, and `still.gif` with both.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

import lissom as ls
from lissom.motion.played import play
from lissom.motion.task_file import read_task_file
from lissom.motion.variants import rigid as rigid_arm
from lissom.views import stage
from lissom.views.figures import new_figure
from lissom.views.skeleton import Skeleton

HERE = Path(__file__).parent
FRAMES = 40  # of a film, while the arm moves, and again after it has stopped
SPEEDS = {"transfer": 0.5, "lift": 0.2}  # of the films


def stop_still(folder: Path) -> None:
    """Plan the motion of the flexible arm; write its figure, and a film of both plans that goes on after the stop."""
    asked = read_task_file(HERE / "still.toml")
    motion = ls.predict_motion(asked.arm, asked.task, **asked.options)
    print(f"still.toml:\n{motion.describe()}")
    print(f"simulated under its torques: {motion.verify().describe()}\n")
    ls.plot(motion).savefig(folder / "still.png", dpi=150)
    motion.save(folder / "still.nc")
    rigid = ls.predict_motion(rigid_arm(asked.arm, "demo"), asked.task, degree=5)
    film = Film([("rigid plan", followed(rigid, asked.arm)), ("this plan", followed(motion, asked.arm))])
    film.save(folder / "still.gif", fps=12)


def followed(plan: ls.Motion, arm: ls.Arm) -> np.ndarray:
    """(nt, dof) states of the flexible arm under the torques of a plan, then with its joints held in place."""
    run = play(plan, arm)
    moving = run.at(np.linspace(0.0, plan.duration, FRAMES)).q
    still = np.where(arm.actuated, 0.0, run.qd[-1])
    held = dict.fromkeys((joint.name for joint in arm.joints), 0.0)
    after = ls.simulate(arm, run.q[-1], still, until=plan.duration, prescribed=held, dt=2e-3, method="rk8")
    return np.vstack([moving, after.at(np.linspace(0.0, plan.duration, FRAMES)).q[1:]])


class Film:
    """Arms side by side."""

    def __init__(self, plans: list[tuple[str, np.ndarray]]) -> None:
        arm = ls.load("two_link_flexible")
        self.bones = [Skeleton(arm, q) for _, q in plans]
        self.figure = new_figure(9.0, 4.2)
        self.lines = []
        for k, (name, _) in enumerate(plans):
            points = np.vstack([bones.points for bones in self.bones])
            plane = stage.plane_of(points)
            ax = stage.set_up(self.figure, 121 + k, points, plane)
            ax.set_title(name)
            self.lines.append(stage.Lines(ax, plane))

    def save(self, path: Path, fps: float) -> None:
        from matplotlib import animation

        def draw(k: int) -> list:
            word = "moving" if k < FRAMES else "joints held"
            self.figure.suptitle(word)
            return [part for lines, bones in zip(self.lines, self.bones, strict=True) for part in lines.put(bones, k)]

        count = len(self.bones[0].q)
        animation.FuncAnimation(self.figure, draw, count).save(path, writer="pillow", fps=fps)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, speed in SPEEDS.items():
        asked = read_task_file(HERE / f"{name}.toml")
        clock = time.perf_counter()
        motion = ls.predict_motion(asked.arm, asked.task, **asked.options)
        print(f"{name}.toml, in {time.perf_counter() - clock:.1f} s:\n{motion.describe()}")
        print(f"simulated under its torques: {motion.verify().describe()}\n")
        ls.plot(motion).savefig(folder / f"{name}.png", dpi=150)
        ls.animate(motion, folder / f"{name}.gif", speed=speed, fps=12)
        motion.save(folder / f"{name}.nc")
        motion.to_csv(folder / f"{name}.csv", rate_hz=1000)
    stop_still(folder)
    print(f"in {folder}/: " + ", ".join(sorted(path.name for path in folder.iterdir())))
    print(f"Look at {folder}/still.gif first: a flexible arm vibrates after the plan for rigid links, and stands still "
          "after its own.")  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
