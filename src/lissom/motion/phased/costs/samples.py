"""Costs at samples: torques, powers, accelerations, posture, and a trace of the contact forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.phased.layout import Layout
from lissom.motion.phased.rows.block import AbstractCostBlock, pairs
from lissom.motion.phased.units import Units
from lissom.motion.task.criteria.criterion import Parts
from lissom.spatial.rotations import Array

ROUND = 0.007  # m/s: powers are rounded off within the weight times this
SOFT = 1e-2  # of the unit of torque: pulls and pushes change over within it
TRACE = 1e-4  # of squared forces in units of the weight: forces of closed chains are not unique without


class SampleCost(AbstractCostBlock):
    """weight T c(q, qd, qdd, torques, forces) at all samples; c is a sum over coordinates."""

    def __init__(self, layout: Layout, units: Units, parts: Parts, home: Array) -> None:
        n, motors = layout.n, layout.motors
        count, F = len(motors), sum(layout.components)
        self._n, self._count, self._motors, self._home = n, count, motors, home
        self.width = 3 * n + count + F + 1
        self.W = layout.sample_reach
        self._weights = np.concatenate([mesh.weights for mesh in layout.phases])
        self.N = len(self._weights)
        squared = parts.effort[:, motors] * units.torque**2
        self._push, self._more = squared[1], squared[0] - squared[1]
        self._power, self._unit, self._width = parts.power, units.torque, ROUND * units.force
        self._acceleration, self._posture = parts.acceleration, parts.posture
        every, t, f, T = np.arange(n), 3 * n + np.arange(count), 3 * n + count + np.arange(F), self.width - 1
        self._forces = slice(3 * n + count, T)
        every_one = np.arange(T)
        self.hessian = pairs(
            (every, every), (n + every, n + every), (2 * n + every, 2 * n + every), (t, t), (f, f),
            (t, n + motors), (np.full(T, T), every_one), (np.array([T]), np.array([T])),
        )  # fmt: skip

    def _state(self, w: Array) -> tuple[Array, ...]:
        n, T = self._n, w[:, -1:]
        return (w[:, :n] - self._home, w[:, n : 2 * n] / T, w[:, 2 * n : 3 * n] / T**2,
                w[:, 3 * n : 3 * n + self._count], w[:, self._forces], T)  # fmt: skip

    def _slopes(self, w: Array) -> dict[str, Any]:
        """The rate of cost, with first and second derivatives by q, v, a, torques t and forces f."""
        q, v, a, t, f, _ = self._state(w)
        root = np.sqrt(t * t + SOFT**2)
        pos, steep = (t + root) / 2, (1 + t / root) / 2
        bend = SOFT**2 / root**3 / 2
        c = (self._push * t * t + self._more * pos * pos).sum(axis=1)
        by_t = 2 * self._push * t + 2 * self._more * pos * steep
        tt = 2 * self._push + 2 * self._more * (steep**2 + pos * bend)
        by_v, vv, tv = np.zeros_like(v), np.zeros_like(v), np.zeros_like(t)
        if self._power:
            U, vm = self._unit, v[:, self._motors]
            p = U * t * vm
            size = np.sqrt(p * p + self._width**2)
            c = c + self._power * (size - self._width).sum(axis=1)
            slope, curve = self._power * p / size, self._power * self._width**2 / size**3
            by_t, tt = by_t + slope * U * vm, tt + curve * (U * vm) ** 2
            by_v[:, self._motors], vv[:, self._motors] = slope * U * t, curve * (U * t) ** 2
            tv = slope * U + curve * p * U
        c = c + a**2 @ self._acceleration + q**2 @ self._posture + TRACE * (f * f).sum(axis=1)
        return {"c": c, "t": by_t, "tt": tt, "v": by_v, "vv": vv, "tv": tv, "a": 2 * self._acceleration * a,
                "q": 2 * self._posture * q, "f": 2 * TRACE * f}  # fmt: skip

    def value(self, w: Array) -> Array:
        """Return the costs (N,)."""
        return np.asarray(self._weights * w[:, -1] * self._slopes(w)["c"])

    def first(self, w: Array) -> Array:
        """Return the gradients (N, width)."""
        z, (_, v, a, _, _, T) = self._slopes(w), self._state(w)
        by_T = z["c"] - (v * z["v"]).sum(axis=1) - 2 * (a * z["a"]).sum(axis=1)
        found = [T * z["q"], z["v"], z["a"] / T, T * z["t"], T * z["f"], by_T[:, None]]
        return np.asarray(self._weights[:, None] * np.concatenate(found, axis=1))

    def second(self, w: Array) -> Array:
        """Return the second derivatives (N, .)."""
        z, (_, v, a, _, f, T) = self._slopes(w), self._state(w)
        one = np.ones_like(v)
        vm = v[:, self._motors]
        aa = 2 * self._acceleration * one
        by_T = [z["q"], -z["vv"] * v / T, -(z["a"] + 2 * a * aa) / T**2, z["t"] - vm * z["tv"], z["f"]]
        both = (2 * a * z["a"] + v * v * z["vv"] + 4 * a * a * aa).sum(axis=1, keepdims=True) / T
        found = [T * 2 * self._posture * one, z["vv"] / T, aa / T**3, T * z["tt"], 2 * TRACE * T * np.ones_like(f),
                 z["tv"], *by_T, both]  # fmt: skip
        return np.asarray(self._weights[:, None] * np.concatenate(found, axis=1))
