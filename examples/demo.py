"""Demo: a shipped arm described, posed, reached and drawn.

`make demo` runs this file. It prints the description of a PUMA 560, checks it, finds the joint
positions that bring its flange to a point in front of it, and leaves in `out/`:

- `puma560.png`: the arm at those positions,
- `two_link_flexible.png` and `tree_demo.png`: a flexible and a branched arm,
- `puma560.toml`, `puma560.urdf`: the same arm in the native format and as URDF,
- `reach.csv`: a straight line of the flange and the joint positions along it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np

import lissom as ls

LINE_POINTS = 41


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    arm = ls.load("puma560")
    print(arm, end="\n\n")
    warnings = [finding for finding in arm.check() if finding.level == "warning"]
    print(f"{len(warnings)} warnings about its plausibility")

    # a pose in front of the arm, flange pointing down
    goal = np.eye(4)
    goal[:3, :3] = np.diag([1.0, -1.0, -1.0])
    goal[:3, 3] = (0.45, 0.15, -0.2)
    found = ls.inverse_kinematics(arm, goal, "flange")
    print(f"\nflange at {goal[:3, 3]} m, pointing down:")
    for joint, value in zip(arm.joints, found.q, strict=True):
        print(f"  {joint.name:<11}{np.degrees(value):9.3f} deg")
    print(f"  {found.starts_solved} of {found.starts} starts found a way; error {found.position_error:.1e} m")

    # a straight line, all its points solved as one batch
    line = np.tile(goal, (LINE_POINTS, 1, 1))
    line[:, 1, 3] = np.linspace(-0.25, 0.25, LINE_POINTS)
    along = ls.inverse_kinematics(arm, line, "flange", q0=found.q)
    J = ls.jacobian(arm, along.q, "flange")
    closest = np.abs(np.linalg.det(J)).min()
    print(f"straight line of {LINE_POINTS} points: solved {along.solved.sum()}, smallest |det J| {closest:.3f}")
    header = "x_m,y_m,z_m," + ",".join(f"{joint.name}_rad" for joint in arm.joints)
    np.savetxt(folder / "reach.csv", np.hstack([line[:, :3, 3], along.q]), delimiter=",", header=header, comments="")

    ls.save(arm, folder / "puma560.toml")
    ls.save(arm, folder / "puma560.urdf", lossy=True)  # URDF has no drive inertia
    ls.draw(arm, found.q).savefig(folder / "puma560.png", dpi=150)
    ls.draw(ls.load("two_link_flexible"), [0.4, 0.7]).savefig(folder / "two_link_flexible.png", dpi=150)
    ls.draw(ls.load("tree_demo"), [0.5, 0.2, 0.4, 0.9, 0.02, -0.6, 0.3]).savefig(folder / "tree_demo.png", dpi=150)
    print(f"\nin {folder}/: " + ", ".join(sorted(path.name for path in folder.iterdir())))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
