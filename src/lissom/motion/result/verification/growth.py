"""Growth of small errors of the state along a motion under its torques alone, from the linearised arm.

With closed loops these are of the independent coordinates; the others follow them.
"""

from __future__ import annotations

import functools

import numpy as np

from lissom.kernels.call import call_few
from lissom.kernels.loads import Applied
from lissom.kernels.verbs import FORWARD_DYNAMICS_GRADIENT
from lissom.motion.result.record import AbstractMotion
from lissom.motion.splines.basis import grid
from lissom.spatial.rotations import Array

STEPS = 400  # along a motion, at least
LOOPED_STEPS = 100  # of closed loops, whose derivatives take longer
MOST = 100.0  # growth in a piece that is replayed from its planned state


class Growth:
    """Small errors of the state along a motion; positions, and rates in units of 1/duration, so that all compare.

    steps : (k, 2m, 2m)         transition matrices, equally many in every segment of its splines
    fastest, decay : (segments,)    largest |pole| and largest decay rate in every segment [1/s]
    lasting : (dof,)            how long an error of a rate moves its coordinate [s]: the whole motion, or, of what
                                swings and has no motor, the time 1/omega in which it is pulled back
    """

    def __init__(self, motion: AbstractMotion) -> None:
        self.breaks = motion.breaks * motion.duration
        segments = len(self.breaks) - 1
        self.each = -(-(LOOPED_STEPS if motion.arm.loops else STEPS) // segments)
        ends = grid(motion.breaks, self.each) * motion.duration
        A = _rates(motion, (ends[1:] + ends[:-1]) / 2)
        self.steps = _transitions(A, np.diff(ends))
        poles = np.linalg.eigvals(A[self.each // 2 :: self.each])
        self.fastest, self.decay = np.abs(poles).max(axis=1), np.maximum(-poles.real.min(axis=1), 0.0)
        m = A.shape[-1] // 2
        back = -np.diagonal(A[:, m:, :m], axis1=1, axis2=2).mean(axis=0) / motion.duration
        self.lasting = np.full(motion.arm.dof, motion.duration)
        if motion.closed is None:
            swings = 1 / np.sqrt(np.maximum(back, motion.duration**-2))
            self.lasting = np.where(motion.arm.actuated, motion.duration, swings)

    @property
    def largest(self) -> float:
        """Largest growth of small errors of the state: from the start to any time, or from any time to the end."""
        since, until = [np.eye(self.steps.shape[1])], [np.eye(self.steps.shape[1])]
        for forth, back in zip(self.steps, self.steps[::-1], strict=True):
            since.append(forth @ since[-1])
            until.append(until[-1] @ back)
        return float(np.linalg.norm(np.stack(since + until), 2, axis=(1, 2)).max())

    def pieces(self) -> list[Array]:
        """Times (k + 1,) of every segment, ends and between, so that errors grow little from one to the next."""
        out = []
        for k, (a, b) in enumerate(zip(self.breaks[:-1], self.breaks[1:], strict=True)):
            own = functools.reduce(lambda x, step: step @ x, self.steps[k * self.each : (k + 1) * self.each])
            count = 1 + int(np.log(max(float(np.linalg.norm(own, 2)), 1.0)) / np.log(MOST))
            out.append(np.linspace(a, b, count + 1))
        return out


def _rates(motion: AbstractMotion, t: Array) -> Array:
    """Return rates of change (k, 2m, 2m) of small errors of the state at times (k,)."""
    q, qd, _ = motion.at(t)
    state, acting = (q, qd, motion.torques(t)), Applied(motion.loads_at(t))
    slopes = call_few(motion.arm, FORWARD_DYNAMICS_GRADIENT, state, acting)
    by_q, by_qd = slopes.q, slopes.qd
    if motion.closed is not None:
        T, W = motion.closed.tangents(q, qd)
        y = motion.closed.independent
        by_q, by_qd = (by_q @ T + by_qd @ W)[:, y], (by_qd @ T)[:, y]
    m = by_q.shape[-1]
    A = np.zeros((len(t), 2 * m, 2 * m))
    A[:, :m, m:] = np.eye(m)
    A[:, m:, :m], A[:, m:, m:] = by_q, by_qd
    scale = np.repeat([1.0, motion.duration], m)
    return A * scale[:, None] / scale


def _transitions(A: Array, h: Array) -> Array:
    """Return exp(h A) for steps h (k,), by Pade's approximant, which is stable."""
    X = h[:, None, None] * A
    one, square = np.eye(A.shape[-1]), X @ X / 12
    return np.asarray(np.linalg.solve(one - X / 2 + square, one + X / 2 + square))
