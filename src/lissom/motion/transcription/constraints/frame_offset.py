"""The place of a frame relative to another along a direction: a hand stays in front of the knee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from lissom.errors import ModelError, about
from lissom.kernels.arguments import as_frame
from lissom.model.arm import Arm
from lissom.model.fields import name, unit_vector, vector
from lissom.motion.task.path_constraint import AbstractPathConstraint, PlaceSum, WeightedPoint
from lissom.motion.transcription.constraints.place_limit import PlaceLimit, bounds_of, limits_of


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
