"""Costs of rates of torques and contact forces: squared differences of neighbouring samples over the time between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.phased.layout import Indices, Layout, Reflection, beside
from lissom.motion.phased.rows.block import AbstractCostBlock, pairs
from lissom.motion.phased.rows.joins import Join
from lissom.spatial.rotations import Array

ONSET = 0.3  # of the weight: a force that begins or ends does so from or to nothing, half a gap before the first sample


class Difference(NamedTuple):
    """Two neighbouring samples: places of their numbers (k,), -1 for zeros; signs of the first; weights; durations of
    both phases, and what of each lies between."""

    a: Indices
    b: Indices
    sign: Array
    weights: Array
    durations: tuple[int, int]
    gaps: tuple[float, float]


class DifferenceCost(AbstractCostBlock):
    """sum of g_j (b_j - a_j)^2 / (d T_a + e T_b)."""

    def __init__(self, layout: Layout, rows: Sequence[Difference]) -> None:
        k = max((len(row.a) for row in rows), default=0)
        self._k, self.N, self.width = k, len(rows), 2 * k + 2
        a, b = (np.full((len(rows), k), -1) for _ in range(2))
        sign, self._g = np.ones((len(rows), k)), np.zeros((len(rows), k))
        for r, row in enumerate(rows):
            count = len(row.a)
            a[r, :count], b[r, :count], sign[r, :count], self._g[r, :count] = row.a, row.b, row.sign, row.weights
        T = np.array([row.durations for row in rows]).reshape(-1, 2)
        self._gaps = np.array([row.gaps for row in rows]).reshape(-1, 2)
        first = sparse.csr_array(sparse.diags_array(sign.ravel()) @ layout.picked(a))
        self.W = beside([first, layout.picked(b), layout.picked(T)], max(len(rows), 1))
        j, P, Q = np.arange(k), 2 * k, 2 * k + 1
        full = np.arange(2 * k)
        self.hessian = pairs(
            (j, j), (k + j, k + j), (k + j, j), (np.full(2 * k, P), full), (np.full(2 * k, Q), full),
            (np.array([P, Q, Q]), np.array([P, P, Q])),
        )  # fmt: skip

    def _parts(self, w: Array) -> tuple[Array, Array, Array, Array, Array]:
        k = self._k
        e = w[:, k : 2 * k] - w[:, :k]
        d, g = self._gaps.T
        D = d * w[:, -2] + g * w[:, -1]
        return e, d, g, D, (self._g * e * e).sum(axis=1)

    def value(self, w: Array) -> Array:
        """Return the costs (N,)."""
        _, _, _, D, Q = self._parts(w)
        return Q / D

    def first(self, w: Array) -> Array:
        """Return the gradients (N, width)."""
        e, d, g, D, Q = self._parts(w)
        slope = 2 * self._g * e / D[:, None]
        return np.concatenate([-slope, slope, (-d * Q / D**2)[:, None], (-g * Q / D**2)[:, None]], axis=1)

    def second(self, w: Array) -> Array:
        """Return the second derivatives (N, .)."""
        e, d, g, D, Q = self._parts(w)
        both, slope = 2 * self._g / D[:, None], 2 * self._g * e / (D**2)[:, None]
        ends = np.stack([d * d, d * g, g * g], axis=1) * (2 * Q / D**3)[:, None]
        by = [np.concatenate([slope, -slope], axis=1) * x[:, None] for x in (d, g)]
        return np.concatenate([both, both, -both, *by, ends], axis=1)


def torque_differences(
    layout: Layout, joins: Sequence[Join], reflection: Reflection, weights: Array
) -> list[Difference]:
    """Neighbouring samples of torques (motors,), across joins too; weights in units of the variables."""
    out, one = list[Difference](), np.ones(len(layout.motors))
    for p, mesh in enumerate(layout.phases):
        T = int(layout.durations[p])
        out += [
            Difference(layout.torques[p][i], layout.torques[p][i + 1], one, weights, (T, T), (step, 0.0))
            for i, step in enumerate(np.diff(mesh.s))
        ]
    place = {int(k): m for m, k in enumerate(layout.motors)}
    for join in joins:
        a, b, sign = layout.torques[join.before][-1], layout.torques[join.after][0], one
        if join.reflected:
            a = a[[place[int(reflection.order[k])] for k in layout.motors]]
            sign = reflection.sign[layout.motors]
        gaps = (1 - layout.phases[join.before].s[-1], layout.phases[join.after].s[0])
        both = (int(layout.durations[join.before]), int(layout.durations[join.after]))
        out.append(Difference(a, b, sign, weights, both, gaps))
    return out


def force_differences(layout: Layout, reflection: Reflection, weight: float, onset: float = ONSET) -> list[Difference]:
    """Neighbouring samples of contact forces; those that begin or end do so from nothing and to nothing.

    onset : of the weight, for these
    """
    out = list[Difference]()
    for p, mesh in enumerate(layout.phases):
        T = int(layout.durations[p])
        before, after = _beside(layout, reflection, p)
        for i, places in layout.forces[p].items():
            one, none = np.ones(places.shape[1]), np.full(places.shape[1], -1)
            g = weight * one
            out += [Difference(places[k], places[k + 1], one, g, (T, T), (step, 0.0))
                    for k, step in enumerate(np.diff(mesh.s))]  # fmt: skip
            if i not in before:
                out.append(Difference(none, places[0], one, onset * g, (T, T), (float(mesh.s[0]), 0.0)))
            if i not in after:
                out.append(Difference(none, places[-1], one, onset * g, (T, T), (float(1 - mesh.s[-1]), 0.0)))
    return out


def _beside(layout: Layout, reflection: Reflection, p: int) -> tuple[set[int], set[int]]:
    """Contacts that hold before and after a phase; beyond the ends of a motion that is not periodic, the same."""
    last, own = len(layout.phases) - 1, set(layout.phases[p].contacts)

    def image(k: int) -> set[int]:
        if not layout.task.periodic:
            return own
        return {reflection.partner[i] for i in layout.phases[k].contacts}

    before = image(last) if p == 0 else set(layout.phases[p - 1].contacts)
    return before, image(0) if p == last else set(layout.phases[p + 1].contacts)
