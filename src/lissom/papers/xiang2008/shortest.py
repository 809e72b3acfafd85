"""Section 6.3: the shortest time of example 1, without splines and with ever finer ones."""

from __future__ import annotations

import numpy as np

from lissom.motion.public import predict_motion
from lissom.motion.result.motion import Motion
from lissom.papers.claims import Claim, Drawing, judged, limited
from lissom.papers.xiang2008.bang_bang import BangBang, read_off, shot
from lissom.papers.xiang2008.closed_form import TORQUE
from lissom.papers.xiang2008.tasks import EXAMPLE_1, PRINTED, WEIGHTLESS, weightless_arm
from lissom.views.figures.panels import Curve, Panel

FINEST = 160
LITERATURE = {"Furukawa 2002": 0.3945, "Wang et al. 2005": 0.394}  # [s], as section 6.3 has them


def bang_bang() -> BangBang:
    """The time-optimal law, its structure read off a motion on a fine mesh."""
    fine = predict_motion(weightless_arm(), EXAMPLE_1, segments=80)
    return shot(WEIGHTLESS, read_off(fine.t, fine.tau), np.array(EXAMPLE_1.start), np.array(EXAMPLE_1.goal))


def finer_and_finer() -> list[Motion]:
    """Example 1 on 10 to 160 segments."""
    arm = weightless_arm()
    return [predict_motion(arm, EXAMPLE_1, segments=k) for k in (10, 20, 40, 80, FINEST)]


def claims(law: BangBang, ladder: list[Motion]) -> list[Claim]:
    """All claims about the shortest time."""
    over = [motion.duration / law.duration - 1 for motion in ladder]
    listed = ", ".join(f"{len(m.breaks) - 1}: {100 * x:.3f} %" for m, x in zip(ladder, over, strict=True))
    at_limit = float(np.mean(np.abs(ladder[-1].tau).max(axis=1) > 0.99 * TORQUE))
    near = 0 <= over[-1] < 3e-4 and bool(np.all(np.diff(over) < 0))
    beside = {name: PRINTED[1] / time - 1 for name, time in LITERATURE.items()}
    return [
        limited(
            "section 6.3",
            "the solution is global: T = 0.3934 s is the minimum of the travel time",
            f"the bang-bang law takes {law.duration:.6f} s, switches at "
            f"{', '.join(f'{x:.4f}' for x in law.times[1:-1])} s; the printed time is "
            f"{100 * (PRINTED[1] / law.duration - 1):.2f} % above",
            PRINTED[1] > law.duration * (1 + 1e-3) and near,
            f"of splines on few segments only: {law.duration:.6f} s is the minimum over all motions, "
            f"{ladder[1].duration:.4f} s on 20 segments, {ladder[2].duration:.4f} s on 40",
            "a smooth spline cannot switch",
        ),
        judged(
            "section 6.3",
            "similar to the times in the literature, 0.3945 s (Furukawa 2002) and 0.394 s (Wang et al. 2005)",
            "the printed 0.3934 s: "
            + ", ".join(f"{100 * x:+.2f} % to {LITERATURE[name]:g} s ({name})" for name, x in beside.items())
            + ". All are above the shortest time: "
            + ", ".join(f"{time:g} s by {100 * (time / law.duration - 1):.2f} %" for time in LITERATURE.values())
            + f"; ours by segments: {listed}; a torque is within 1 % of a limit {100 * at_limit:.0f} % of the time at "
            f"{FINEST}",
            near and max(map(abs, beside.values())) < 3e-3,
            bar="the printed time is within 0.3 % of both, and ours come down to the shortest time within 0.03 %",
        ),
    ]


def drawing(law: BangBang, ladder: list[Motion]) -> Drawing:
    """Torques of the bang-bang law and of splines, and how the time approaches the shortest one."""
    panels = []
    for j in range(2):
        steps = np.repeat(law.times, 2)[1:-1], np.repeat(TORQUE * law.signs[:, j], 2)
        curves = [Curve("bang-bang", *steps, "--")]
        curves += [Curve(f"{len(m.breaks) - 1} segments", m.t, m.tau[:, j]) for m in (ladder[1], ladder[-1])]
        panels.append(Panel(f"torque of joint {j + 1}", "time [s]", "torque [N m]", tuple(curves)))
    sizes = [len(m.breaks) - 1 for m in ladder]
    over = [100 * (m.duration / law.duration - 1) for m in ladder]
    panels.append(Panel("above the bang-bang time", "segments", "duration above the shortest [%]",
                        (Curve("", sizes, over, "o-"),), ("log", "log")))  # fmt: skip
    return Drawing("shortest_time", f"Example 1 and the shortest time, {law.duration:.6f} s", tuple(panels), 3)
