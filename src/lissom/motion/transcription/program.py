"""A motion as a nonlinear program: values, gradients, Jacobian and Hessian of the Lagrangian.

Sample k of a block has the rows r_k(u_k, T), u = U x + c. The rows of the program combine them, g = C r.
Jacobian and Hessian are constant sparse matrices times the nonzeros that the compiled samples give,

    J_g  = sum over samples of C (dr/du U + dr/dT e_T),         H = sum over samples of [U; e_T]^T H_k [U; e_T]

with values in the order the solver wants them (columns first, upper triangle).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.motion.splines.curves import Affine, Curves
from lissom.motion.transcription.kernels.tape_sample import TapeSample
from lissom.motion.transcription.rows import Block, Scaled
from lissom.motion.transcription.structure import Structure, structure_of
from lissom.spatial.rotations import Array


class _Placed:
    """A block in a program: its data, and the constant matrices of its structure."""

    def __init__(self, block: Block, curves: Curves, structure: Structure, k: int, first_row: int) -> None:
        matrices, jacobian, hessian = structure.blocks[k], structure.jacobians[k], structure.hessians[k]
        self.block, self.curves, self.points, self._slopes = block, curves, matrices.points, matrices.slopes
        self.N, self.width, self.back = matrices.N, matrices.width, matrices.back
        self.first_row, self.count = first_row, len(block.lower)
        self.u = Affine(matrices.local, matrices.basis @ curves.points.c)
        self.T = np.empty((1, 1))
        self.weights = np.ascontiguousarray(block.weights[:, None])
        self.active = bool(np.any(block.weights))
        # memory for derivatives, of which new one would cost the time of computing them
        self._first_room, self._second_room = np.empty(jacobian.shape[1]), np.empty(hessian.shape[1])

    def first(self, given: list[Array]) -> tuple[Array, Array]:
        """First derivatives of the rows of all samples, flat, in the order of `jacobian_terms`; those of T c."""
        sample = self.block.sample
        if self._slopes is None:
            nonzeros, gradient = sample.first(given)
            return nonzeros.ravel(), gradient
        assert isinstance(sample, TapeSample)
        found = sample.row_slopes(given)
        self._points = self._slopes(found, float(given[1][0, 0]), self._first_room), found.along
        return self._first_room, sample.gradient(given)

    def hessian(self, given: list[Array], lam: Array, w: Array) -> Array:
        """Second derivatives of all samples, flat, in the order of `hessian_terms`."""
        sample = self.block.sample
        if self.points is None:
            return sample.second(given, lam, w).ravel()
        assert isinstance(sample, TapeSample)
        found = sample.curvature(given, lam, w, self.curves.duration is None)
        count, out = self.points.count, self._second_room
        self.points.values(found, *self._points, float(given[1][0, 0]), out[:count])
        if found.last is not None:
            out[count:] = found.last.ravel()
        return out

    def given(self, x: Array) -> list[Array]:
        self.T[0, 0] = self.curves.T(x)
        u = self.u(x).reshape(self.N, self.width)
        T = np.broadcast_to(self.T, (self.N, 1))
        return [u, T, self.block.data] if self.block.sample.data else [u, T]


class Program:
    """min f(x), lower <= g(x) <= upper, low <= x <= high; also what a solver asks of it.

    `typical` and `sizes` say how large costs and rows are, so that a solver's tolerances mean the same for all arms;
    `smooth` whether it is without jumps that are rounded off (Coulomb friction, |power|).
    """

    def __init__(
        self,
        curves: Curves,
        blocks: Sequence[Block],
        scaled: Sequence[Scaled],
        low: Array,
        high: Array,
        typical: float = 1.0,
        smooth: bool = True,
    ) -> None:
        self.curves, self.low, self.high, self.typical, self.smooth = curves, low, high, typical, smooth
        self.size = curves.size
        self.structure = structure = structure_of(curves, blocks, scaled)
        at, self.blocks = 0, []
        for k, block in enumerate(blocks):
            self.blocks.append(_Placed(block, curves, structure, k, at))
            at += len(block.lower)
        self.scaled = list(zip(np.cumsum([at, *(len(rows.c) for rows in scaled)]).tolist(), scaled, strict=False))
        self.count = at + sum(len(rows.c) for rows in scaled)
        parts: list[Any] = [*blocks, *scaled]
        self.lower = np.concatenate([part.lower for part in parts]) if parts else np.zeros(0)
        self.upper = np.concatenate([part.upper for part in parts]) if parts else np.zeros(0)
        self.names = [name for part in parts for name in part.names]
        ones = [np.ones(len(part.lower)) if isinstance(part, Scaled) else part.sizes for part in parts]
        self.sizes = np.concatenate(ones) if parts else np.zeros(0)
        self._free = curves.duration is None
        self.jacobian_pattern, self.hessian_pattern = structure.jacobian_pattern, structure.hessian_pattern
        self._by_T = [
            (places, part) for places, part in zip(structure.by_duration, scaled, strict=True) if places is not None
        ]
        self._x = b""
        self._known: dict[str, Any] = {}

    # ---- values -------------------------------------------------------------------------------------

    def _fresh(self, x: Array) -> dict[str, Any]:
        """What is known at x."""
        name = x.tobytes()
        if name != self._x:
            self._x = name
            self._known = {"given": [placed.given(x) for placed in self.blocks]}
        return self._known

    def _values(self, x: Array) -> list[list[Array]]:
        known = self._fresh(x)
        if "value" not in known:
            known["value"] = [  # copies: blocks may share a sample, and its room
                [part.copy() for part in p.block.sample.value(g)]
                for p, g in zip(self.blocks, known["given"], strict=True)
            ]
            known["f"] = sum(
                float(p.block.weights @ v[1][:, 0]) for p, v in zip(self.blocks, known["value"], strict=True)
            )
            known["g"] = self._rows(x, known["value"])
        return known["value"]

    def _rows(self, x: Array, values: list[list[Array]]) -> Array:
        g, T = np.empty(self.count), self.curves.T(x)
        for placed, (rows, _) in zip(self.blocks, values, strict=True):
            g[placed.first_row : placed.first_row + placed.count] = placed.block.combine @ rows.ravel()
        for at, part in self.scaled:
            g[at : at + len(part.c)] = part.A @ x + part.c - part.limit * T**part.power
        return g

    def f(self, x: Array) -> float:
        """The cost."""
        self._values(x)
        return float(self._known["f"])

    def g(self, x: Array) -> Array:
        """The rows."""
        self._values(x)
        return np.asarray(self._known["g"])

    def _firsts(self, x: Array) -> None:
        known = self._fresh(x)
        if "J" in known:
            return
        made = self.structure
        J, gradient, T = made.constant.copy(), np.zeros(self.size), self.curves.T(x)
        for k, placed in enumerate(self.blocks):
            nonzeros, slope = placed.first(known["given"][k])
            J += made.jacobians[k] @ nonzeros
            if placed.active:
                gradient += made.blocks[k].gradient @ slope.ravel()
        for places, part in self._by_T:
            J[places] -= part.power * part.limit * T ** (part.power - 1)
        known["J"], known["gradient"] = J, gradient

    def gradient(self, x: Array) -> Array:
        """Gradient of the cost (size,)."""
        self._firsts(x)
        return np.asarray(self._known["gradient"])

    def jacobian(self, x: Array) -> Array:
        """Nonzeros, in the order of `jacobian_pattern`."""
        self._firsts(x)
        return np.asarray(self._known["J"])

    def hessian(self, x: Array, sigma: float, lam: Array) -> Array:
        """Nonzeros of the upper triangle of that of sigma f + lam . g, in the order of `hessian_pattern`."""
        self._firsts(x)
        known, T = self._known, self.curves.T(x)
        out = np.zeros(self.hessian_pattern.size)
        for k, placed in enumerate(self.blocks):
            own = lam[placed.first_row : placed.first_row + placed.count]
            inner = np.ascontiguousarray((placed.back @ own).reshape(placed.N, placed.block.sample.m))
            out += self.structure.hessians[k] @ placed.hessian(known["given"][k], inner, sigma * placed.weights)
        if self._free:
            for at, part in self.scaled:
                if part.power > 1:
                    curved = part.power * (part.power - 1) * T ** (part.power - 2)
                    out[-1] -= curved * float(part.limit @ lam[at : at + len(part.c)])
        return out
