"""A motion whose tip follows a path beside the plan for rigid links."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lissom.kernels.arguments import as_arm
from lissom.motion.compare import ONE, TriedPlan, compared, noted, open_loop_plan, refuse_comparison, tracked_plan
from lissom.motion.result.comparison import Comparison
from lissom.motion.result.motion import Motion
from lissom.motion.result.variants import rigid
from lissom.motion.task.frame_output import VERB
from lissom.motion.task.task import Task
from lissom.motion.tracking.options import TrackingOptions
from lissom.motion.tracking.track import track_motion


def refuse_no_comparison(arm: Any) -> None:
    """Refuse arms of which there is no rigid plan."""
    rest = np.zeros(len(as_arm(arm, VERB).joints))
    refuse_comparison(arm, Task(rest, rest), VERB)


def tracking_comparison(motion: Motion, path: Any, options: TrackingOptions) -> Comparison:
    """The motion and the plan for rigid links that follows the same path, simulated with errors of the payload too."""
    notes = [
        "off the path: of the simulated frame, at most; residual: how far the tip can get from its rest afterwards.",
        "joints tracked: ideal joint control follows the planned joint motion; otherwise its torques act open loop.",
    ]
    tried = [open_loop_plan("this motion", motion), tracked_plan("this motion, joints tracked", motion, motion, ONE)]
    tried += noted("rigid plan", partial(_rigid, motion, path, options), [], notes)
    return compared(tried, motion, notes)


def _rigid(motion: Motion, path: Any, options: TrackingOptions) -> list[TriedPlan]:
    """The plan for rigid links over the same window."""
    followed = motion.tracked
    assert followed is not None
    after = motion.duration - followed.shift - followed.duration
    start = motion.q[0][motion.arm.joint_index]
    given = options._replace(start=start, before=followed.shift, after=after, bending=(), on_failure="return")
    plan = track_motion(rigid(motion.arm, VERB), path, given)
    return [open_loop_plan("rigid plan", plan), tracked_plan("rigid plan, joints tracked", motion, plan, ONE)]
