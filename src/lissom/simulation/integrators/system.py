"""A closed loop as y' = f(t, y) for SciPy's solvers, y = (q, qd, z, work).

Trial states that cannot be evaluated are refused: their slopes make the solver reject the step and cut it.
"""

from __future__ import annotations

import numpy as np

from lissom.dynamics.plant import POWERS
from lissom.errors import LissomError
from lissom.simulation.loop.closed_loop import FASTEST, ClosedLoop
from lissom.simulation.loop.slopes import slopes
from lissom.spatial.rotations import Array

BEYOND = 1e3 * FASTEST  # rad or m, and per second, at which trial states are no longer evaluated
HUGE = 1e100  # slope of a refused state where the solver takes no NaN


class System:
    """The right-hand side of one run.

    way : (sliding,)    how friction acts, see `friction`
    start : float       of the current smooth stretch; from there on signals are taken before their jumps
    trouble : the error of the last trial state that could not be evaluated
    """

    def __init__(self, loop: ClosedLoop, implicit: bool):
        self.loop = loop
        self.way = np.zeros(len(loop.sliding))
        self.start = 0.0
        self.evaluations = 0
        self.trouble: LissomError | None = None
        self.implicit = implicit  # such solvers factorise slopes, which must be finite then
        self._place = [loop.held.index(k) for k in loop.sliding]

    @property
    def size(self) -> int:
        """Number of entries of y."""
        return self.loop.size + POWERS

    def slope(self, t: float, y: Array) -> Array:
        """Return y' at an accepted state; errors are raised."""
        n = self.loop.dof
        self.evaluations += 1
        rates = self.loop.slope(t, y, self.way, t > self.start)
        return np.concatenate([y[n : 2 * n], rates.qdd, rates.z, rates.power])

    def trial(self, t: float, y: Array) -> Array:
        """Return y' at a trial state; NaN, so that the solver rejects the step, where it cannot be evaluated."""
        if (np.abs(y[: 2 * self.loop.dof]) < BEYOND).all():
            try:
                return self.slope(t, y)
            except LissomError as error:
                self.trouble = error
        return np.full(len(y), HUGE if self.implicit else np.nan)

    def jacobian(self, t: float, y: Array) -> Array:
        """(y, y) derivatives of y' by y; nothing depends on work."""
        n = self.loop.size
        J = np.zeros((len(y), len(y)))
        J[:n, :n] = slopes(self.loop, t, y, self.way, t > self.start)
        return J

    def efforts(self, t: float, y: Array) -> Array:
        """(sliding,) torques that hold the joints with friction."""
        return self.loop.slope(t, y, self.way, t > self.start).effort[self._place]
