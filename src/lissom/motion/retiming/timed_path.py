"""A path with a speed profile, as polynomials in time, and how much of every limit they use.

Where x is linear in s, s is quadratic in time on every interval of the grid. The positions are quintic there, with the
exact position, rate and acceleration at both ends; rates are continuous, accelerations jump where u does.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import legvander

from lissom.later import cached_property
from lissom.motion.retiming.speed_profile import AFFINE, Excess, SpeedProfile, size_of
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.peaks import peaks_of
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

DEGREE, CONTINUITY = 5, 1
# Chebyshev points of every interval, at which limits are evaluated: what is smooth inside peaks between them hardly
FRACTIONS = (1 - np.cos(np.linspace(0.0, np.pi, 9))) / 2
ROUNDING = 1e-9  # of a limit


class TimedPath:
    """A profile x (N + 1,) along a path.

    Attributes
    ----------
    t : (N + 1,)                times of the grid points [s]
    control_points : (4 N + 2, n)   of a spline of degree 5 that is continuous with its rates
    """

    def __init__(self, profile: SpeedProfile, x: Array) -> None:
        self.path, self.profile, self.x = profile.path, profile, x
        self.u = np.diff(x) / (2 * profile.h)
        root = np.sqrt(x)
        self.dt = 2 * profile.h / (root[:-1] + root[1:])
        self.t = np.append(0.0, np.cumsum(self.dt))

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return float(self.t[-1])

    @cached_property
    def _bezier(self) -> Array:
        """(6, N, n) Bezier points of every interval."""
        at, x, dt = self.profile.at, self.x[:, None], self.dt[:, None]
        q, qd = self.path.derivative(self.profile.s, 0), at.p1 * np.sqrt(x)
        first, last = (at.p1[some] * self.u[:, None] + at.p2[some] * x[some] for some in (slice(-1), slice(1, None)))
        begin = [q[:-1], dt * qd[:-1] / 5, dt**2 * first / 20]
        end = [q[1:], dt * qd[1:] / 5, dt**2 * last / 20]
        return np.stack([
            begin[0], begin[0] + begin[1], begin[0] + 2 * begin[1] + begin[2],
            end[0] - 2 * end[1] + end[2], end[0] - end[1], end[0],
        ])  # fmt: skip

    @property
    def control_points(self) -> Array:
        """Inner Bezier points of all intervals, and both ends: what joins two intervals follows from its neighbours."""
        points = self._bezier
        inner = np.moveaxis(points[1:-1], 0, 1).reshape(-1, points.shape[2])
        return np.concatenate([points[0, :1], inner, points[-1, -1:]])

    # ---- limits ---------------------------------------------------------------------------------------

    @cached_property
    def _states(self) -> list[Array]:
        """Positions and three derivatives (N, K, n) at fractions of every interval."""
        out, points = [], self._bezier
        for r in range(4):
            out.append(np.tensordot(_bernstein(DEGREE - r), points, (1, 0)).swapaxes(0, 1))
            points = (DEGREE - r) * np.diff(points, axis=0) / self.dt[:, None]
        return out

    @cached_property
    def _torques(self) -> Array:
        """(N, K, n); friction has the direction of the path, up to the moment a joint stops or turns."""
        shape = self._states[0].shape
        q, qd, qdd = (values.reshape(-1, shape[2]) for values in self._states[:3])
        tau = inverse_dynamics(self.path.arm, q, qd, qdd, loads=self.path.task.loads).reshape(shape)
        return np.asarray(tau + self.path.friction * (self.profile.direction[:, None] - np.sign(qd).reshape(shape)))

    def excess(self) -> Excess | None:
        """Return by how much limits are exceeded on every interval; None where all hold."""
        bounds, lower, upper, exceeded = self.path.bounds, {}, {}, False
        for word in AFFINE:
            if not bounds.limited(word).any():
                continue
            values = self._states[2] if word == "acceleration" else self._torques
            slack = ROUNDING * size_of(bounds.lower[word], bounds.upper[word])
            lower[word] = bounds.lower[word] - values.min(axis=1)
            upper[word] = values.max(axis=1) - bounds.upper[word]
            exceeded |= bool((np.maximum(lower[word], upper[word]) > slack).any())
        qd = self._states[1]
        limit = np.where(qd > 0, bounds.upper["velocity"], -bounds.lower["velocity"])
        moving = self.profile.direction[:, None] != 0
        ratio = np.divide(np.abs(qd), limit, out=np.zeros_like(qd), where=moving).max(axis=(1, 2))
        exceeded |= bool((ratio > 1 + ROUNDING).any())
        return Excess(lower, upper, ratio) if exceeded else None

    def peaks(self) -> tuple[Peak, ...]:
        """Return the largest utilisation of every limit."""
        n = self._torques.shape[2]
        s = (self.t[:-1, None] + self.dt[:, None] * FRACTIONS).ravel() / self.duration
        z, tau = [values.reshape(-1, n) for values in self._states], self._torques.reshape(-1, n)
        values = dict(zip(("position", "velocity", "acceleration", "jerk"), z, strict=True))
        values |= {"torque": tau, "power": tau * z[1]}
        return tuple(peaks_of(self.path.bounds, self.path.names, s, self.duration, values))

    def cost(self) -> float:
        """Return the integral of what is minimised, by Clenshaw and Curtis's rule on every interval."""
        cost = self.path.cost
        assert cost.tape is not None
        squared = self._torques**2 @ cost.squares
        order = len(FRACTIONS) - 1
        weight = np.linalg.solve(legvander(2 * FRACTIONS - 1, order).T, np.eye(order + 1)[0])
        integral = float((squared @ weight * self.dt).sum())
        return cost.tape["time"] * self.duration + integral


@lru_cache
def _bernstein(degree: int) -> Array:
    """(K, degree + 1) Bernstein polynomials at the fractions."""
    rows = np.ones((len(FRACTIONS), 1))
    for _ in range(degree):
        left, right = rows * (1 - FRACTIONS[:, None]), rows * FRACTIONS[:, None]
        rows = np.pad(left, ((0, 0), (0, 1))) + np.pad(right, ((0, 0), (1, 0)))
    return rows
