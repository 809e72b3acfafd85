"""Work between the ends of an implicit step.

Work is carried along without choosing the step: where a controller holds an arm to its reference, steps become as long
as the inputs allow, and power changes faster within them than positions and rates do. Radau's polynomial through the
stages of a step follows positions and rates, but not work. Between the ends of a step work is therefore the integral of
the power along the polynomial of the state,

    W(t) = W(t0) + integral of P(q, qd) from t0 to t,

with P as a polynomial through Gauss points, plus a linear share of what is missing to the work at the end of the step.
That is the work of the stages, which is more accurate than either polynomial; where much is missing to it, as with very
stiff controllers, whose torques magnify errors of rates, Radau's polynomial is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import legendre

from lissom.dynamics.plant import POWERS
from lissom.simulation.integrators.system import HUGE, System
from lissom.spatial.rotations import Array

POINTS = 6  # of power in a step: work of degree 6 in time
NODES = legendre.leggauss(POINTS)[0]
CLOSER = 10  # times: how much better the integral must meet the work at the end than it differs from the polynomial
INTEGRAL = legendre.legint(np.linalg.inv(legendre.legvander(NODES, POINTS - 1)), lbnd=-1)  # from values at the nodes


class PathWithWork:
    """The states of a step over time, ``path(t)`` -> (size,) or (size, nt), as a dense output of SciPy gives them."""

    def __init__(self, system: System, dense: Any, t0: float, t1: float):
        self.dense, self.t0, self.half = dense, t0, (t1 - t0) / 2
        times = t0 + self.half * (1 + NODES)
        states = [dense(float(t)) for t in times]
        power = np.array([system.trial(float(t), y)[-POWERS:] for t, y in zip(times, states, strict=True)])
        self.work = self.half * INTEGRAL @ power
        self.before = dense(t0)[-POWERS:]
        self.missing = dense(t1)[-POWERS:] - self.before - legendre.legval(1.0, self.work)
        evaluated = bool((np.abs(power) < HUGE).all())
        gap = np.abs(self._work(NODES) - np.array(states)[:, -POWERS:].T).max()
        self.better = evaluated and bool(CLOSER * np.abs(self.missing).max() < gap)

    def __call__(self, t: Any) -> Array:
        found = np.array(self.dense(t))
        if self.better:
            found[-POWERS:] = self._work((np.asarray(t) - self.t0) / self.half - 1.0)
        return found

    def _work(self, s: Array) -> Array:
        """Return work (POWERS,) or (POWERS, nt) at times from -1 to 1."""
        linear = np.multiply.outer(self.missing, (s + 1.0) / 2)
        return np.asarray((self.before + legendre.legval(s, self.work).T).T + linear)
