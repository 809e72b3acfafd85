"""Heights of frames, and offsets between two: a tool stays above the table, a hand in front of the knee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lissom.errors import ModelError, about
from lissom.kernels.arguments import as_frame
from lissom.model.arm import Arm
from lissom.model.fields import name, unit_vector, vector
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


@dataclass(frozen=True, eq=False)
class FrameOffset(AbstractPathConstraint):
    """Limits of the distance along a direction from one frame to another, for `Task.constraints`.

    The distance has a sign: it is positive where `link` is further along the direction than `base`.

    Parameters
    ----------
    link, base : str        names of links or tools; the distance is that of `link` from `base`
    direction : (3,)        world axes
    lower, upper : float or None    limits of the distance [m]; give one at least
    point, base_point : (3,)        of each, in its axes [m]

    Examples
    --------
    >>> import lissom as ls
    >>> ahead = ls.FrameOffset("hand", "knee", direction=(1, 0, 0), lower=0.2)
    >>> ahead.lower, ahead.upper
    (0.2, None)
    """

    kind: ClassVar[str] = "frame_offset"

    link: str
    base: str
    direction: Any = (1.0, 0.0, 0.0)
    lower: Any = None
    upper: Any = None
    point: Any = (0.0, 0.0, 0.0)
    base_point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about(f"offset of {self.link!r} from {self.base!r}"):
            self._set(link=name(self.link, "link"), base=name(self.base, "base"))
            self._set(direction=unit_vector(self.direction, "direction"))
            self._set(point=vector(self.point, "point"), base_point=vector(self.base_point, "base_point"))
            self._set(**limits_of(self.lower, self.upper))
            if self.link == self.base:
                raise ModelError("link and base are the same frame, whose points do not move relative to each other.")

    def on(self, arm: Arm, verb: str) -> PlaceLimit:
        """The constraint on an arm."""
        for word in (self.link, self.base):
            as_frame(arm, word, f"{verb}: constraints")
        return PlaceLimit(arm, self.places())

    def places(self) -> PlaceSum:
        """One point less the other."""
        points = WeightedPoint(self.link, self.point, 1.0), WeightedPoint(self.base, self.base_point, -1.0)
        lower, upper = bounds_of(self.lower, self.upper)
        return PlaceSum(f"offset from {self.base!r}", self.link, self.direction, points, lower, upper)
