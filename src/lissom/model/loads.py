"""Loads, payloads, base motion and loop closures."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import ModelError, about, shown
from lissom.model.fields import at_least_zero, choice, frozen, inertia, name, rank, transform, vector, vectors
from lissom.model.record import Record
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia

LOOP_JOINTS = ("spherical", "revolute", "fixed", "planar")


@dataclass(frozen=True, eq=False)
class Payload(Record):
    """A rigid body carried in a link's frame (the tip frame of a flexible link).

    Parameters
    ----------
    mass : float             [kg]
    com : (3,)               centre of mass [m]
    inertia : (3, 3)         about the centre of mass [kg m^2]; a scalar is planar, about z
    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0

    def __post_init__(self) -> None:
        with about("payload"):
            self._check(mass=at_least_zero, com=vector, inertia=inertia)

    @property
    def body(self) -> Inertia:
        """Mass, centre of mass and inertia as one value."""
        return Inertia(self.mass, self.com, self.inertia)

    def in_frame(self, X: ArrayLike) -> Payload:
        """The same payload seen from the frame in which its own frame has pose X (4, 4)."""
        body = self.body.in_frame(X)
        return self._with(com=frozen(body.com), inertia=frozen(body.moment))  # physical in every frame


@dataclass(frozen=True, eq=False)
class Load(Record):
    """A force and a moment, constant in world axes, acting on a link.

    Parameters
    ----------
    link : str                         a link's or tool's name
    force, moment : (3,) or (..., 3)   world axes [N, N m]
    point : (3,) or (..., 3)           where the force acts, in that frame's axes [m]
    """

    link: str
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about(f"load on {self.link!r}"):
            self._check(link=name, force=vectors, moment=vectors, point=vectors)
            _refuse_unlike(force=self.force, moment=self.moment, point=self.point)


@dataclass(frozen=True, eq=False)
class BaseMotion(Record):
    """Prescribed motion of the base, in world axes, at the instant of the call.

    The base frame coincides with the world frame at that instant; gravity comes on top.

    Parameters
    ----------
    angular_velocity, angular_acceleration, linear_acceleration : (3,) or (..., 3)
        [rad/s, rad/s^2, m/s^2]; the last is the classical acceleration of the base's origin.
    """

    angular_velocity: Any = (0.0, 0.0, 0.0)
    angular_acceleration: Any = (0.0, 0.0, 0.0)
    linear_acceleration: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about("base motion"):
            self._check(angular_velocity=vectors, angular_acceleration=vectors, linear_acceleration=vectors)
            _refuse_unlike(**{f.name: getattr(self, f.name) for f in fields(self)})


@dataclass(frozen=True, eq=False)
class Loop(Record):
    """A closure between two links of the tree.

    Parameters
    ----------
    a, b : (link, point or frame)
        A link's or tool's name (None for the base) and a point (3,) or frame (4, 4) in its axes.
        Stored as a frame. "revolute" turns about the frames' z axes, which point the same way; "planar" slides
        and turns in their xy planes, z the same way.
    joint : "spherical", "revolute", "fixed" or "planar"
    """

    a: Any
    b: Any
    joint: str = "spherical"

    def __post_init__(self) -> None:
        with about("loop"):
            self._check(a=_end, b=_end, joint=partial(choice, known=LOOP_JOINTS))


def _refuse_unlike(**arrays: Any) -> None:
    """Raise an error unless the batches of a record broadcast."""
    try:
        np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{word} {x.shape}" for word, x in arrays.items())
        raise ModelError(f"the batches do not fit together: {shapes}.") from None


def _end(value: Any, what: str) -> tuple[str | None, Any]:
    """The end (link, frame) of a loop, from (link, point or frame)."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ModelError(f"{what} is {shown(value)}; expected (link name, point or frame).")
    link, place = value
    link = None if link is None else name(link, f"link of {what}")
    if rank(place) == 1:
        return link, frozen(pose(p=vector(place, f"point of {what}")))
    return link, transform(place, f"frame of {what}")
