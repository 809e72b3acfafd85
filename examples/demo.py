"""Demo: the best motion for a task, found, verified and drawn.

`make demo` runs this file. A PUMA 560 carries two kilograms from one shelf to another (`transfer.toml`), and a two-link
arm lifts a load (`lift.toml`). Each motion is predicted, its torques are played through an independent simulation, and
`out/` gets for each:

- `transfer.png`: joints, torques within their limits, the arm along its way, and the search,
- `transfer.gif`: the motion as a moving picture,
- `transfer.nc`: all of it, for `lissom.load_motion`,
- `transfer.csv`: samples for a controller, a thousand per second.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import lissom as ls
from lissom.motion.task_file import read_task_file

HERE = Path(__file__).parent
SPEEDS = {"transfer": 0.5, "lift": 0.2}  # of the films


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, speed in SPEEDS.items():
        asked = read_task_file(HERE / f"{name}.toml")
        clock = time.perf_counter()
        motion = ls.predict_motion(asked.arm, asked.task, **asked.options)
        print(f"{name}.toml, in {time.perf_counter() - clock:.1f} s:\n{motion.describe()}")
        print(f"its torques, played: {motion.verify().describe()}\n")
        ls.plot(motion).savefig(folder / f"{name}.png", dpi=150)
        ls.animate(motion, folder / f"{name}.gif", speed=speed, fps=12)
        motion.save(folder / f"{name}.nc")
        motion.to_csv(folder / f"{name}.csv", rate_hz=1000)
    print(f"in {folder}/: " + ", ".join(sorted(path.name for path in folder.iterdir())))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
