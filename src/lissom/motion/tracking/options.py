"""What `track_motion` is asked for beside arm and path, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.model.limits import Limits
from lissom.model.loads import Load
from lissom.motion.task.frame_output import VERB
from lissom.motion.task.task import MOST_SEGMENTS

FEWEST_SEGMENTS = 4


class TrackingOptions(NamedTuple):
    """See `lissom.track_motion`."""

    frame: str | None
    axes: Any
    duration: float | None
    before: float | None
    after: float | None
    segments: int
    start: Any
    point: Any
    limits: Limits | None
    loads: Sequence[Load]
    bending: Any
    tolerance: float
    iterations: int
    progress: Any
    on_failure: str

    def check(self) -> None:
        """Raise an error for an option that is out of range."""
        if self.on_failure not in ("raise", "return"):
            raise InputError(f"{VERB}: on_failure is {shown(self.on_failure)}; expected 'raise' or 'return'.")
        for word, least, most in (("segments", FEWEST_SEGMENTS, MOST_SEGMENTS), ("iterations", 1, 10**6)):
            value = getattr(self, word)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
                raise InputError(f"{VERB}: {word} is {shown(value)}; expected a whole number from {least} to {most}.")
        for word in ("duration", "tolerance"):
            value = getattr(self, word)
            if value is None and word == "duration":
                continue
            good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not good or not 0 < value < np.inf:
                raise InputError(f"{VERB}: {word} is {shown(value)}; expected a number above 0.")
