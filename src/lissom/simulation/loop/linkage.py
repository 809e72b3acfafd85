"""The closed loop of an arm whose links form closed loops: index reduction, and the projection that stabilises it.

The tree that is left when the closures are cut accelerates by a = M^-1 (tau - h); closures add M^-1 G^T lambda so
that G qdd + drift = 0 (index one). What closures hold exactly in acceleration drifts in position and rate with
the error of the integrator, so every step ends with a projection onto phi = 0 and G qd = 0, by the smallest change
measured by M. The rank of G is that of the start: redundant rows are left out through the singular vectors that belong
to them, also at stages of a step where a loop is a little open and these rows would contradict the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import DivergedError, SolveError
from lissom.kernels.cache import closure_of, functions_of
from lissom.kernels.verbs import MASS_MATRIX
from lissom.loops.algebra import Bordered, Split, bordered_once, independent_rows, mul, split
from lissom.loops.words import held_less, weakest_loop
from lissom.model.arm import Arm
from lissom.simulation.loop.closed_loop import ClosedLoop, Rates, States
from lissom.simulation.loop.linkage_start import refuse_controller, refuse_friction, refuse_prescribed, refuse_singular
from lissom.spatial.rotations import Array

ROUNDS = 3  # of Newton's method in a projection
CLOSED = 1e-13  # m or rad
LOST = 1e-9  # singular value beside the largest below which nothing can be told
NEAR = 3e-2  # the same, where closures that are to be passed give way by SOFT, so that their forces stay finite
SOFT = 1e-8
POOR = 0.1  # of rows chosen from those of orthonormal columns, where others are looked for


class Drift(NamedTuple):
    """Largest closure error and rate that projections had to remove [m or rad, per second]."""

    error: float = 0.0
    rate: float = 0.0


class Linkage(ClosedLoop):
    """The closed loop of an arm with kinematic loops; see `ClosedLoop`."""

    looped = True

    def __init__(self, arm: Arm, *parts: Any, **named: Any):
        super().__init__(arm, *parts, **named)
        refuse_controller(self)
        self.close = closure_of(arm)
        self.rank = 0
        self._chosen: Any = None  # rows that one run goes by
        self.pass_singular = False  # singular configurations are passed
        self._soft = 0.0  # closures give way a little next to one
        self._drift = [Drift()]  # shared by the loops of all runs
        self.free = np.array([k not in self.prescribed for k in range(arm.dof)])

    @property
    def compiled(self) -> bool:
        """False: steps run in Python; only the tree and the closures are compiled."""
        return False

    @property
    def drift(self) -> Drift:
        """Largest drift of the closures that was removed so far."""
        return self._drift[0]

    # ---- the start -------------------------------------------------------------------------------

    def begun(self, states: Array, pass_singular: bool) -> Array:
        """Return initial states (runs, size), checked and projected; the rank of the closures is determined there."""
        self.pass_singular = pass_singular
        q, qd, _ = self.split(states)
        gaps = self.close(q, qd)
        spot = (lambda _: "") if len(q) == 1 else (lambda k: str([k]))
        self.close.refuse_open(q, gaps, "simulate", "q0", spot)
        self.close.refuse_opening(gaps, qd, "simulate", "qd0", spot)
        parts = split(gaps.G)
        self.rank = int(parts.rank.max())
        refuse_prescribed(self, gaps.G, self.free, self.rank)
        refuse_friction(self, gaps.G, self.free, self.rank)
        refuse_singular(self.close, q, parts)
        begin = self.projected(states)
        self._drift[0] = Drift()
        return begin

    # ---- motion ----------------------------------------------------------------------------------

    def rates(
        self, state: States, way: Array, given: Array, tau: Array | None = None, threads: int | None = None
    ) -> Rates:
        """Return the outputs at one state or a batch, with closure forces; NaN for states that are not finite."""
        q, qd, _ = state
        if q.ndim == 1:
            tree = super().rates(state, way, given, tau, threads)
            return self._closed(q, qd, given, tree, self._moving(way == 0.0))
        out = self.unknown_rates(len(q))
        for rows, f in self._groups(q, qd, way == 0.0):
            *own, ways, inputs = (np.ascontiguousarray(x[rows]) for x in (*state, way, given))
            some = States(*own)
            tree = super().rates(some, ways, inputs, tau if tau is None else tau[rows], threads)
            for whole, part in zip(out, self._closed(some.q, some.qd, inputs, tree, f), strict=True):
                whole[rows] = part
        return out

    def _moving(self, sticks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the coordinates (dof,) that are neither prescribed nor stuck."""
        if not self.sliding:
            return self.free
        f = self.free.copy()
        f[np.array(self.sliding, int)[sticks]] = False
        return f

    def _groups(self, q: Array, qd: Array, sticks: NDArray[np.bool_]) -> Iterator[tuple[Any, NDArray[np.bool_]]]:
        """Yield rows of states that are finite and in which the same joints stick, with the coordinates that move."""
        good = np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)
        if not self.sliding:
            if good.any():
                yield good, self.free
            return
        for pattern in np.unique(sticks[good], axis=0):
            yield good & (sticks == pattern).all(axis=1), self._moving(pattern)

    def _closed(self, q: Array, qd: Array, given: Array, tree: Rates, f: NDArray[np.bool_]) -> Rates:
        """Return the rates of the tree with the forces of the closures; f: coordinates that move."""
        gaps = self.close(q, qd)
        M = self.inertia(q, self.own(given))
        if f.all():
            return tree._replace(qdd=tree.qdd + self._added(M, gaps.G, tree.qdd, -gaps.drift, f)[0])
        held = mul(gaps.G[..., ~f], tree.qdd[..., ~f])
        change, bears = self._added(M, gaps.G, tree.qdd[..., f], -gaps.drift - held, f)
        qdd, tau, effort, power, z = (x.copy() for x in tree)
        qdd[..., f] += change
        reaction = mul(M[..., ~f, :][..., f], change) - bears[..., ~f]
        for i, k in enumerate(np.flatnonzero(~f).tolist()):
            effort[..., self.held.index(k)] += reaction[..., i]
            if k in self.prescribed:
                tau[..., k] += reaction[..., i]
                power[..., 0] += reaction[..., i] * qd[..., k]
        for k, drive in self.drives_of(given).items():
            at = self.held.index(k)
            strain: Any = drive.strain(effort[..., at], tau[..., k])
            effort[..., at] = strain
        return Rates(qdd, tau, effort, power, z)

    def _added(self, M: Array, G: Array, free: Array, b: Array, f: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return what closures add to accelerations (or rates) `free` of f so that G x = b, and G^T lambda.

        One state takes independent rows, chosen where the last step ended, and one solution; many the singular vectors.
        """
        Mf, Gf = (M, G) if f.all() else (M[..., f, :][..., f], G[..., f])
        if G.ndim == 2:
            if self._chosen is None:
                self._choose(Gf)
            R = Gf[self._chosen]
            try:
                change, push = bordered_once(Mf, R, np.zeros(len(Mf)), b[self._chosen] - R @ free, self._soft)
            except np.linalg.LinAlgError:
                raise SolveError(self.singular_words(G)) from None
            return change, push @ G[self._chosen]
        change, push = self._bordered(Mf, Gf).corrected(free, b)
        return change, mul(G.swapaxes(-1, -2), push)

    def _choose(self, G: Array) -> None:
        """Choose independent closure rows at a state; again where the present ones became ill-conditioned."""
        try:
            U, s, _ = np.linalg.svd(G, full_matrices=False)
        except np.linalg.LinAlgError:
            raise DivergedError("the motion diverged and the loops opened") from None
        r = self.rank
        if r == 0:
            self._chosen = np.zeros(0, np.intp)
            return
        self._soft = SOFT if self.pass_singular and s[r - 1] < NEAR * s[0] else 0.0
        if self._chosen is not None and s[r - 1] < LOST * s[0]:
            return  # at a singular configuration nothing can be told
        if self._chosen is None or np.linalg.svd(U[self._chosen, :r], compute_uv=False)[-1] < POOR:
            self._chosen = independent_rows(U[:, :r], r)

    def _bordered(self, M: Array, G: Array) -> Bordered:
        """Return the linear system of many states, with the rank of the start."""
        U, s, Vt = np.linalg.svd(G, full_matrices=False)
        r = self.rank
        kept = s[..., :r] > LOST * s[..., :1]
        U, V = (np.where(kept[..., None, :], x, 0.0) for x in (U[..., :r], Vt[..., :r, :].swapaxes(-1, -2)))
        return Bordered(M, Split(U, np.where(kept, s[..., :r], 1.0), V, kept))

    def singular_words(self, G: Array) -> str:
        """Describe the singular configuration: the loop whose closure row is lost, at the worst of several states."""
        flat = G.reshape(-1, *G.shape[-2:])
        s = np.linalg.svd(flat, compute_uv=False)
        k = int(np.argmin(s[:, self.rank - 1] / s[:, 0]))
        lost = held_less(weakest_loop(self.arm, flat[k], self.rank))
        return f"the closed loops are at a singular configuration, where {lost}"

    def conditions(self, q: Array) -> Array:
        """(...) smallest relevant singular value relative to the largest; zero at a singular configuration."""
        if self.rank == 0:
            return np.ones(q.shape[:-1])
        s = np.linalg.svd(self.close(q).G[..., self.free], compute_uv=False)
        return np.asarray(s[..., self.rank - 1] / s[..., 0])

    # ---- projection ------------------------------------------------------------------------------

    def projected(self, states: Array) -> Array:
        """Return states (..., q, qd, ...) projected onto the closures; states that are not finite are unchanged."""
        n = self.dof
        if states.ndim == 1:
            q, qd = states[:n], states[n : 2 * n]
            return np.concatenate([*self._projected(q, qd, self._moving(self._resting(qd))), states[2 * n :]])
        flat = states.reshape(-1, states.shape[-1])
        out = flat.copy()
        q, qd = (np.ascontiguousarray(flat[:, k : k + n]) for k in (0, n))
        for rows, f in self._groups(q, qd, self._resting(qd)):
            out[rows, : 2 * n] = np.concatenate(self._projected(q[rows], qd[rows], f), axis=1)
        return out.reshape(states.shape)

    def _resting(self, qd: Array) -> NDArray[np.bool_]:
        """(..., sliding) whether joints with friction are at rest; projections do not move them."""
        return np.asarray(qd[..., np.array(self.sliding, int)] == 0.0)

    def _projected(self, q: Array, qd: Array, f: NDArray[np.bool_], noted: bool = True) -> tuple[Array, Array]:
        """Return q, qd (..., dof), projected by moving the coordinates f; the correction is recorded as drift."""
        q, qd = q.copy(), qd.copy()
        M = functions_of(self.arm).get(MASS_MATRIX)(q)
        gaps, still = self.close(q), np.zeros_like(q[..., f])
        if noted:
            if q.ndim == 1:
                self._choose(gaps.G[:, f])
            worst, rate = float(np.abs(gaps.phi).max()), float(np.abs(mul(gaps.G, qd)).max())
            self._drift[0] = Drift(max(self.drift.error, worst), max(self.drift.rate, rate))
        for _ in range(ROUNDS):
            if float(np.abs(gaps.phi).max()) <= CLOSED:
                break
            q[..., f] += self._added(M, gaps.G, still, -gaps.phi, f)[0]
            gaps = self.close(q)
        qd[..., f] += self._added(M, gaps.G, still, -mul(gaps.G, qd), f)[0]
        return q, qd

    def followed(self, q: Array, qd: Array) -> Array:
        """Return rates (runs, dof) that keep the loops closed, with unchanged rates of joints with friction."""
        out = qd.copy()
        for rows, f in self._groups(q, qd, np.ones((len(q), len(self.sliding)), bool)):
            G, M = self.close(q[rows]).G, functions_of(self.arm).get(MASS_MATRIX)(np.ascontiguousarray(q[rows]))
            change = self._added(M, G, np.zeros_like(q[rows][:, f]), -mul(G, qd[rows]), f)[0]
            out[np.ix_(np.flatnonzero(rows), np.flatnonzero(f))] += change
        return out

    def outside(self, t: float, q: Array, qd: Array) -> Array | None:
        """Return the torques of a user's function, called with states projected onto the closures."""
        if self.feedback is not None and q.ndim == 1 and np.isfinite(q).all() and np.isfinite(qd).all():
            q, qd = self._projected(q, qd, self._moving(self._resting(qd)), noted=False)
        return super().outside(t, q, qd)
