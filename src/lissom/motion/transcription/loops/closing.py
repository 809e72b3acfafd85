"""Motions of arms with closed loops.

All coordinates are on splines, also those that follow from others; phi(q) = 0 holds at the knots. The forces lambda in
the closures are variables of their own at every sample, with

    tau = M qdd + h - G^T lambda          in its limits; nothing at passive joints

so no sample has to solve for them. G^T lambda is the gradient of lambda . phi. Of rows that say the same, those are
kept that are independent along the first guess. Between samples lambda is interpolated, and changed by as little as it
takes that passive joints have no torque: where there are as many motors as freedoms, it is determined by that alone.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.dynamics.bodies import Bodies
from lissom.errors import InputError, SolveError, UnsupportedError
from lissom.kernels.cache import cache_of, closure_of
from lissom.kernels.keys import fingerprint
from lissom.loops.algebra import Forces, independent_rows, least_torques, mul, split
from lissom.loops.closure import residual_program
from lissom.loops.search import followed
from lissom.loops.tolerance import CLOSED
from lissom.loops.words import largest, row_names
from lissom.model.arm import Arm
from lissom.motion.transcription.kernels.sample import LANES, Sample
from lissom.motion.transcription.kernels.torques import Given
from lissom.motion.transcription.loops.closures import Closures
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array
from lissom.verbs.assembly import assemble, within_limits

EXACT = 1e-10  # m or rad left open by positions that follow
WEAK = 1e-6  # of the largest: singular values below it are none
LEAST = 1e-14  # the same, as far as numbers tell
CLOSURE = "closure of"  # begins the names of its rows


class Closing:
    """The loops of an arm in its motions.

    `verb` begins messages.
    """

    def __init__(self, arm: Arm, verb: str) -> None:
        self.arm, self._verb = arm, verb
        self.close = closure_of(arm)
        self.passive = np.flatnonzero(~arm.actuated)
        self.rows: NDArray[np.intp] = np.zeros(0, np.intp)

    @property
    def count(self) -> int:
        """Forces of a sample."""
        return len(self.rows)

    # ---- positions ----------------------------------------------------------------------------------

    def completed(self, q: Array, near: Array, what: str) -> Array:
        """(n,) positions that close all loops from those that are given; others are NaN and follow, near to `near`."""
        given = np.isfinite(q)
        if given.all():
            self.close.refuse_open(q[None], self.close(q[None]), self._verb, f"the {what}")
            return q
        far = self._followed(q, near, given)
        if far is not None:
            return far
        names = [name for name, known in zip(self.arm.coordinates, given, strict=True) if known]
        try:
            return assemble(self.arm, np.where(given, q, near), names).q
        except SolveError as error:
            raise InputError(f"{self._verb}: the {what}: {str(error).removeprefix('assemble: ')}") from None

    def _followed(self, q: Array, near: Array, given: NDArray[np.bool_]) -> Array | None:
        """What follows when given positions are led from those near; None where they are open or it leads nowhere."""
        if np.abs(self.close(near).phi).max() > CLOSED:
            return None
        found = followed(lambda q: self.close(q)[:2], near, np.where(given, q, near), ~given, EXACT)
        return found if found is not None and self.close.faces(found).all() and within_limits(self.arm)(found) else None

    def completed_rates(self, q: Array, rate: Array) -> Array:
        """(n,) rates with those that are NaN following from the others, the least of all, at positions (n,)."""
        free = np.isnan(rate)
        if not free.any() or np.isnan(q).any():
            return rate
        G, out = self.close(q).G, np.where(free, 0.0, rate)
        out[free] = -split(G[:, free]).least_motion(G @ out)
        return out

    def refuse_opening(self, q: Array, rate: Array, what: str) -> None:
        """Rates (n,) at given positions (n,) must keep the loops closed; those that are free will."""
        if np.isfinite(q).all() and np.isfinite(rate).all():
            self.close.refuse_opening(self.close(q[None], rate[None]), rate[None], self._verb, what)

    def closed(self, line: tuple[Array, Array], between: int) -> tuple[Array, Array]:
        """A line between closed positions, with points between that close the loops too, one after the other."""
        s, table = line
        fractions = np.union1d(s, np.linspace(s[0], s[-1], between))
        out = [table[0]]
        for x in fractions[1:]:
            straight = np.array([np.interp(x, s, column) for column in table.T])
            at = np.flatnonzero(s == x)
            out.append(table[at[0]] if len(at) else self._nearest(straight, out[-1]))
        return fractions, np.array(out)

    def _nearest(self, q: Array, before: Array) -> Array:
        """A closed position near q; where there is none, the one before."""
        try:
            return assemble(self.arm, q).q
        except SolveError:
            return before

    def choose(self, q: Array) -> None:
        """Rows that are independent at positions (k, n), and whether motors can move all that the loops leave free."""
        parts = split(self.close(q).G)
        weakest = np.where(parts.kept, parts.s, np.inf).min(axis=-1)
        best = int(np.lexsort((-weakest, -parts.rank))[0])
        G = self.close(q[best]).G
        self.rows = independent_rows(G, int(parts.rank[best]))
        borne = np.linalg.svd(G[np.ix_(self.rows, self.passive)], compute_uv=False)
        if (borne > WEAK * parts.s[best].max()).sum() < len(self.passive):
            freedoms, motors = self.arm.dof - self.count, int(self.arm.actuated.sum())
            raise UnsupportedError(
                f"{self._verb}: arm {self.arm.name!r} with closed loops has {freedoms} degrees of freedom, and its "
                f"{motors} actuators do not control all of them. Make more joints actuated."
            )

    # ---- in a program -------------------------------------------------------------------------------

    def _phi(self, q: Any) -> Any:
        run = Given([q])
        residual_program(run, self.close.bodies)
        return ca.vertcat(*run.outputs[0])[self.rows.tolist()]

    def pull(self, q: Any, force: Any) -> Any:
        """G^T lambda (n,) as an expression."""
        at = ca.SX.sym("q", self.arm.dof)
        return ca.substitute(ca.jtimes(self._phi(at), at, force, True), at, q)

    def key(self, bodies: Bodies) -> str:
        """What decides these expressions."""
        return f"{fingerprint(bodies)}|{self.rows.tolist()}"

    def block(self, s: Array) -> Block:
        """Rows of a program: the loops are closed at fractions s."""
        key = f"closure|{self.key(self.close.bodies)}"
        rows = lambda z: (self._phi(ca.SX(z.q)), 0.0)  # noqa: E731
        sample = cache_of(self.arm).stored("sample", key, lambda: Sample(key, self.arm.dof, rows))
        count, padded = self.count * len(s), np.append(s, np.full(max(LANES - len(s), 0), 0.5))
        combine = sparse.csr_array(sparse.eye(count, self.count * len(padded)))
        words = [row_names(self.arm)[k].split(": ") for k in self.rows]
        names = [(f"{CLOSURE} {who},", what, float(x)) for x in s for who, what in words]
        zero = np.zeros(count)
        nothing = np.zeros((len(padded), 0))
        return Block(sample, padded, np.zeros(len(padded)), combine, zero, zero, names, nothing)

    # ---- torques ------------------------------------------------------------------------------------

    def least(self, q: Array, tau: Array) -> Forces:
        """Return, for positions and torques (N, n), the smallest of motors, and forces of the rows chosen."""
        G = self.close(q).G
        return least_torques(tau, split(G[:, self.rows] if self.count else G), self.arm.actuated)

    def torques(self, q: Array, tau: Array, force: Array) -> Array:
        """(N, n) of motors, from those of the tree and from closure forces nearby (N, count)."""
        G = self.close(q).G[:, self.rows]
        left = tau - mul(G.swapaxes(1, 2), force)
        if len(self.passive):
            # nothing is cut off: next to a singular configuration torques are as large as they are
            carry = np.asarray(np.linalg.pinv(G[:, :, self.passive].swapaxes(1, 2), rcond=LEAST), float)
            left = left - mul(G.swapaxes(1, 2), mul(carry, left[:, self.passive]))
        return np.where(self.arm.actuated, left, 0.0)

    def widest(self, q: Array, s: Array, T: float) -> Peak:
        """Where loops are open most."""
        phi = self.close(q).phi
        row, k = np.unravel_index(int(np.argmax(np.abs(phi))), phi.shape)
        gap, who = abs(float(phi[row, k])), largest(self.arm, phi[row]).split(" by ")[0]
        return Peak(f"{CLOSURE} {who.split(': ')[0]}", who.split(": ")[1], float(s[row] * T), gap, CLOSED, gap / CLOSED)


def torques_of(arm: Arm, closures: Closures, s: Array, q: Array, tau: Array) -> Array:
    """(N, n) torques of a motion at fractions s, from those of the tree."""
    closing = Closing(arm, "motion")
    closing.rows = np.asarray(closures.rows, np.intp)
    force = np.stack([np.interp(s, closures.s, column) for column in closures.forces.T], axis=-1)
    return closing.torques(q, tau, force)
