"""Whether the splines of a motion that follows a path are fine enough for its equations of motion.

A frame that is near its path does not show it: coordinates without a motor may differ from what the torques lead to.
Segments that are replayed from their planned states do, as in `verify`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.motion.result.verification.defects import defects, deviation
from lissom.motion.result.verification.growth import Growth
from lissom.motion.task.task import MOST_SEGMENTS
from lissom.motion.tracking.followed import acting

TOLERANCE, RTOL = 1e-4, 1e-9  # those of `verify` by default
NEAR = 1e-6  # m or rad: splines that keep the frame so near, also between samples, are fine enough
REFINEMENTS = 3  # at most
LEAST = 1.5  # times: finer splines that lessen the defects by less are not worth their time


class Resolved(NamedTuple):
    """A motion, and what the defects of its segments add up to [rad or m]."""

    motion: Motion
    defects: float


def refined(motion: Motion, solved: Callable[[int], Motion]) -> Motion:
    """Return the motion on splines on which its segments, replayed, end where they are planned to end.

    solved : returns the motion on so many segments. Where limits act a search takes long: the status says it alone
    """
    found = Resolved(motion, total_defects(motion))
    for _ in range(REFINEMENTS):
        segments = 2 * found.motion.basis.segments
        if found.defects <= TOLERANCE or segments > MOST_SEGMENTS or acting(found.motion):
            break
        finer = solved(segments)
        now = Resolved(finer, total_defects(finer))
        if not finer.ok or not now.defects < found.defects / LEAST:
            break
        found = now
    return found.motion if found.defects <= TOLERANCE else _noted(found)


def total_defects(motion: Motion) -> float:
    """What defects of all segments add up to [rad or m], as in `verify`; 0 where nothing can differ."""
    path = motion.tracked
    if not motion.ok or motion.arm.actuated.all() or path is None or max(path.error, path.angle) <= NEAR:
        return 0.0
    growth = Growth(motion)
    found = defects(motion, growth, RTOL)
    return float(deviation(found, growth).max()) if not any(part.failure for part in found) else np.inf


def _noted(found: Resolved) -> Motion:
    """The motion, whose status says how far its segments are off."""
    motion, more = found.motion, 2 * found.motion.basis.segments
    advice = f"segments={more} or more" if more <= MOST_SEGMENTS else "a longer duration, or a smoother path"
    return motion.with_verdict(
        status=f"{motion.status}; its segments, replayed, differ from the plan by {found.defects:.2g} rad or m in sum, "
        f"more than {TOLERANCE:g}: use {advice}"
    )
