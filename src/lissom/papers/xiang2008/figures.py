"""Figures 7 to 14, drawn again."""

from __future__ import annotations

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.papers.claims import Drawing
from lissom.papers.xiang2008.sensitivities import both
from lissom.verbs.kinematics import poses
from lissom.views.figures.palette import COLOURS
from lissom.views.figures.panels import Curve, Panel


def motions(k: int, motion: Motion) -> Drawing:
    """Draw figures 7-9 of example 1, 11-13 of example 2."""
    number = {1: (7, 8, 9), 2: (11, 12, 13)}[k]
    curves = {"angle [rad]": motion.q, "torque [N m]": motion.tau}
    panels = [
        Panel(f"Fig. {n}: {word.split()[0]}s", "time [s]", word,
              tuple(Curve(f"joint {j + 1}", motion.t, table[:, j]) for j in range(2)))
        for n, (word, table) in zip(number, curves.items(), strict=False)
    ]  # fmt: skip
    some = np.linspace(0, len(motion.t) - 1, 11).astype(int)
    places = poses(motion.arm, motion.q[some])[..., :2, 3]
    elbow, tip = places[:, 0], places[:, 1]
    shades = [str(round(0.85 * (1 - j / (len(some) - 1)), 3)) for j in range(len(some))]  # from light to black
    sticks = tuple(
        Curve({0: "start", len(some) - 1: "end"}.get(j, ""), [0.0, a[0], b[0]], [0.0, a[1], b[1]], "o-", shades[j])
        for j, (a, b) in enumerate(zip(elbow, tip, strict=True))
    )
    panels.append(Panel(f"Fig. {number[2]}: motion", "x [m]", "y [m]", sticks, equal=True))
    caption = f"Example {k}: T = {motion.duration:.4f} s"
    return Drawing(f"figures_{number[0]}_{number[2]}", caption, tuple(panels), 3)


def history(motion: Motion) -> Drawing:
    """Draw figure 10, and how the search approached the optimum."""
    log = motion.report.iterations
    steps = [step.number for step in log]
    return Drawing("figure_10", "Example 1: iterations", (
        Panel("Fig. 10: cost", "iteration", "T [s]", (Curve("", steps, [step.cost for step in log], "o-"),)),
        Panel("distance from feasible and optimal", "iteration", "violation [N m], optimality [1]", (
            Curve("largest violation", steps, [max(step.violation, 1e-16) for step in log]),
            Curve("optimality", steps, [max(step.optimality, 1e-16) for step in log]),
        ), ("linear", "log")),
    ))  # fmt: skip


def sensitivities(motion: Motion) -> Drawing:
    """Draw figure 14: lines are the closed form, dots the recursion."""
    ours, want = both(motion)
    quantities = {"q": ("angles", "N m/rad"), "qd": ("rates", "N m s/rad"), "qdd": ("accelerations", "N m s^2/rad")}
    pairs = [(i, j) for i in range(2) for j in range(2)]
    panels = []
    for (word, (name, unit)), a, b in zip(quantities.items(), ours, want, strict=True):
        curves = []
        for k, ((i, j), colour) in enumerate(zip(pairs, COLOURS, strict=False)):  # of its line and its dots
            same = i > j and np.allclose(b[:, i, j], b[:, j, i])  # the mass matrix is symmetric: both must be seen
            style, label = "--" if same else "-", f"d tau{i + 1} / d {word}{j + 1}"
            curves.append(Curve(f"{label}, closed form", motion.t, b[:, i, j], style, colour))
            curves.append(Curve(f"{label}, recursion", motion.t[2 * k :: 8], a[2 * k :: 8, i, j], "o", colour))
        panels.append(Panel(f"Fig. 14: by {name}", "time [s]", f"sensitivity of the torques [{unit}]", tuple(curves)))
    return Drawing("figure_14", "Sensitivities of example 2: closed form (lines), recursion (dots)", tuple(panels), 1)
