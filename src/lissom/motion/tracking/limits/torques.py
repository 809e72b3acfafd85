"""Torques of motors at the samples of a motion, as smooth functions of its variables.

Coulomb friction jumps where a joint turns around, and where a joint rests, rounding decides its sign. Joints therefore
keep, sample by sample, the direction that they have in a given motion; one that rests there has no friction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.motion.tracking.samples import Samples
from lissom.spatial.rotations import Array

STILL = 1e-3  # of the fastest rate of all joints: slower ones rest
LEAST = 1e-9  # rad/s or m/s, in the direction that is kept


class TorqueRows:
    """Torques of some coordinates at samples, and their derivatives.

    x : variables of the motion that gives the directions
    """

    def __init__(self, samples: Samples, some: NDArray[np.intp], x: Array) -> None:
        self.samples, self._some = samples, some
        self._rough = samples.arm.joint_index[samples.arm.sticks]
        rates = samples.states(x)[1]
        fastest = np.abs(rates[:, samples.arm.joint_index]).max(initial=0.0)
        rates = rates[:, self._rough]
        self._side = np.where(np.abs(rates) > STILL * fastest, np.sign(rates), 0.0)

    def __call__(self, x: Array) -> tuple[Array, Any]:
        """Torques at all samples, one after the other, and their derivatives."""
        q, qd, qdd = self.samples.states(x)
        side = self._side
        qd[:, self._rough] = side * np.maximum(side * qd[:, self._rough], LEAST)
        return self.samples.forces([q, qd, qdd], self._some)
