"""Fixed joint: no coordinates."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import Identity
from lissom.spatial.rotations import Array
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import ZERO


@record
class Fixed(AbstractJoint):
    """Links on fixed joints are parts of the body that carries them; no recursion meets one."""

    kind = "fixed"
    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Identity(), ZERO)

    @property
    def S(self) -> tuple[Twist, ...]:
        return ()

    def directions(self, axis: ArrayLike) -> Array:
        return np.zeros((0, 6))

    def transform(self, axis: ArrayLike, q: ArrayLike) -> Array:
        return np.broadcast_to(np.eye(4), (*np.shape(q), 4, 4)).copy()
