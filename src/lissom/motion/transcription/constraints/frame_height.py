"""The height of a frame: a tool stays above the table, a cup below the shelf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lissom.errors import about
from lissom.kernels.arguments import as_frame
from lissom.model.arm import Arm
from lissom.model.fields import name, vector
from lissom.motion.task.path_constraint import AbstractPathConstraint, PlaceSum, WeightedPoint
from lissom.motion.transcription.constraints.place_limit import PlaceLimit, bounds_of, limits_of

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class FrameHeight(AbstractPathConstraint):
    """Limits of the height of a frame along a motion, for `Task.constraints`.

    Parameters
    ----------
    link : str              a link's or tool's name
    lower, upper : float or None    limits of the world's z coordinate [m]; give one at least
    point : (3,)            in that frame's axes [m]

    Examples
    --------
    >>> import lissom as ls
    >>> above = ls.FrameHeight("flange", lower=0.1)
    >>> above.lower, above.upper
    (0.1, None)
    """

    kind: ClassVar[str] = "frame_height"

    link: str
    lower: Any = None
    upper: Any = None
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about(f"height of {self.link!r}"):
            self._set(link=name(self.link, "link"), point=vector(self.point, "point"))
            self._set(**limits_of(self.lower, self.upper))

    def on(self, arm: Arm, verb: str) -> PlaceLimit:
        """The constraint on an arm."""
        as_frame(arm, self.link, f"{verb}: constraints")
        return PlaceLimit(arm, self.places())

    def places(self) -> PlaceSum:
        """The height of the point."""
        lower, upper = bounds_of(self.lower, self.upper)
        return PlaceSum("height", self.link, UP, (WeightedPoint(self.link, self.point, 1.0),), lower, upper)
