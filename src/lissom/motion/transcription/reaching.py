"""Joint positions that bring a frame where a task wants it, and the rows that keep it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import qr

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse_kinematics import search
from lissom.errors import InputError
from lissom.kernels.arguments import as_frame
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.keys import fingerprint
from lissom.model.arm import Arm
from lissom.motion.task.reach import Reach
from lissom.motion.transcription.kernels.sample import LANES, Sample
from lissom.motion.transcription.kernels.torques import placed
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

WAVE, STARTS = 32, 256
SAGS, SAGGED = 40, 6  # turns of sagging and reaching; of how many solutions
TOLERANCE = 1e-9
MISSED = 1e-6  # of a row, at the end
TURNED = 1e-3  # rad that a frame is turned away, by a look that does not use the rows
NEARBY = 0.05  # rad or m: positions around a solution, where rows that always depend on each other show it
DEPENDENT = 1e-8
SINGULAR = 1e-3  # a solution found to TOLERANCE is off its place by the root of that, where rows have no slope


SOFT = 1e-6  # keeps rows of orientation finite at half a turn


def reach_rows(place: Reach, bodies: Bodies, q: Any, data: Any) -> Any:
    """The rows of a place as expressions of positions and its `data`."""
    R, p = placed(bodies, place.link, q, data[0:3])
    given = np.flatnonzero(np.isfinite(place.position)).tolist()
    rows = [(p - data[3:6])[given]] if given else []
    frame = ca.transpose(ca.reshape(data[6:15], 3, 3))
    if place.orientation is not None and len(place.orientation) == 3:
        E = ca.mtimes(ca.transpose(frame), R)
        axial = ca.vertcat(E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1])
        rows.append(axial / ca.sqrt(1 + ca.trace(E) + SOFT))
    elif place.orientation is not None:
        a = ca.mtimes(frame, ca.mtimes(R, data[15:18]))  # in axes of which the third is the direction
        rows.append(a[0:2] / ca.sqrt((1 + a[2]) / 2 + SOFT))
    return ca.vertcat(*rows)


class Range(NamedTuple):
    """Positions that are allowed (n,)."""

    lower: Array
    upper: Array


class Reaching:
    """The rows of one `Reach` on an arm.

    `what` names it in messages: "goal", "via point at 0.5"
    `rest` gives positions (n,) with their elastic entries at rest; None: they are what they are
    """

    def __init__(
        self,
        arm: Arm,
        reach: Reach,
        what: str,
        s: float,
        allowed: Range,
        verb: str,
        rest: Callable[[Array], Array] | None = None,
    ) -> None:
        self.arm, self.reach, self.what, self.s, self._allowed, self._verb = arm, reach, what, s, allowed, verb
        self._rest, self._joints = rest, arm.joint_index
        as_frame(arm, reach.link, f"{verb}: {what}")
        bodies = functions_of(arm).bodies
        key = f"reach|{fingerprint(bodies)}|{reach.structure}"
        rows = lambda z: (reach_rows(reach, bodies, z.q, z.data), 0.0)  # noqa: E731
        self.sample = cache_of(arm).stored("sample", key, lambda: Sample(key, arm.dof, rows, 3, len(reach.data)))

    # ---- numbers ------------------------------------------------------------------------------------

    def _given(self, q: Array) -> list[Array]:
        count = max(len(q), LANES)
        u = np.zeros((count, 3 * self.arm.dof))
        u[: len(q), : self.arm.dof] = q
        return [u, np.ones((count, 1)), np.tile(self.reach.data, (count, 1))]

    def rows(self, q: Array) -> Array:
        """(N, m) at positions (N, n)."""
        return self.sample.value(self._given(q))[0][: len(q)].copy()

    def slopes(self, q: Array) -> Array:
        """(N, m, n) of the rows by positions of the joints."""
        nonzeros = self.sample.first(self._given(q))[0][: len(q)]
        out = np.zeros((len(q), self.sample.m, self.arm.dof))
        out[:, self.sample.jacobian[0], self.sample.jacobian[1]] = nonzeros
        out[:, :, self.arm.mode_index] = 0.0  # elastic coordinates are no means to get somewhere
        return out

    # ---- search -------------------------------------------------------------------------------------

    def solutions(self, near: Array, seed: int = 0) -> Array:
        """(k, n) positions that reach it, within the limits, the nearest to `near` first."""
        lower, upper = self._allowed
        rng = np.random.default_rng(seed)
        span = self.arm.expanded(np.array([joint.half_range() for joint in self.arm.joints]))
        low = np.where(np.isfinite(lower), lower, np.minimum(near, upper) - span)
        high = np.where(np.isfinite(upper), upper, np.maximum(near, lower) + span)
        begin = rng.uniform(low, high, (STARTS, len(near)))
        moved = np.abs(self.slopes(begin[:LANES])).max(axis=(0, 1)) > 0
        begin[:, ~moved] = near[~moved]  # joints that do not matter stay
        begin[0] = near
        best = np.full(self.sample.m, np.inf)
        for wave in range(0, STARTS, WAVE):
            found = search(_Errors(self), begin[wave : wave + WAVE], np.zeros((WAVE, 0)), TOLERANCE, 300)  # type: ignore[arg-type]
            sizes = np.abs(found.error).max(axis=1)
            good = found.q[(sizes <= TOLERANCE) & (self.angles(found.q) < TURNED)]
            good = self._sagged(self._sorted(good, near)) if len(good) else good
            if len(good):
                return good
            if sizes.min() < np.abs(best).max():
                best = found.error[int(np.argmin(sizes))]
        raise InputError(
            f"{self._verb}: the {self.what} is out of reach: within the position limits {self.reach.link!r} comes no "
            f"closer than {self._off(best)} ({STARTS} starts). Move it nearer to the arm, ask for less (a position "
            "without orientation), or widen the position limits."
        )

    def angles(self, q: Array) -> Array:
        """(N,) by how much the frame is turned away at positions (N, n) [rad]: rows vanish at half a turn too."""
        turn = self.reach.orientation
        if turn is None:
            return np.zeros(len(q))
        R = pose(self.arm, q, self.reach.link)[:, :3, :3]
        off = R - turn if len(turn) == 3 else (R @ turn[0] - turn[1])[:, :, None]
        chord = np.linalg.norm(off, axis=(1, 2)) / (np.sqrt(8) if len(turn) == 3 else 2.0)
        return 2 * np.arcsin(np.clip(chord, 0.0, 1.0))

    def _sagged(self, q: Array) -> Array:
        """Solutions with elastic coordinates at rest, found by turns: let them sag, then reach again."""
        if self._rest is None:
            return q
        kept, refused = [], None
        for row in q[:SAGGED]:
            try:
                kept += self._sag(row)
            except InputError as error:  # a link would bend too far there
                refused = error
        if not kept and refused is not None:
            raise refused
        return np.array(kept).reshape(-1, self.arm.dof)

    def _sag(self, q: Array) -> list[Array]:
        assert self._rest is not None
        for _ in range(SAGS):
            q = self._rest(q)
            if np.abs(self.rows(q[None])).max() <= TOLERANCE:
                return [q]
            q = search(_Errors(self), q[None], np.zeros((1, 0)), TOLERANCE / 10, 100).q[0]  # type: ignore[arg-type]
        return []

    def _sorted(self, q: Array, near: Array) -> Array:
        """Nearest first, each once; a joint that can turn all the way round turns the shorter way."""
        for k, joint in zip(self._joints, self.arm.joints, strict=True):
            if joint.period is not None:
                other = q[:, k] - joint.period * np.round((q[:, k] - near[k]) / joint.period)
                fits = (other >= self._allowed.lower[k]) & (other <= self._allowed.upper[k])
                q[:, k] = np.where(fits, other, q[:, k])
        q = q[np.argsort(np.abs(q - near).max(axis=1), kind="stable")]
        kept: list[Array] = []
        for row in q:
            if all(np.abs(row - other).max() > 1e-3 for other in kept):
                kept.append(row)
        return np.array(kept)

    def _off(self, error: Array) -> str:
        """How far off, in words."""
        given = int(np.isfinite(self.reach.position).sum())
        parts = []
        if given:
            parts.append(f"{np.linalg.norm(error[:given]):.4g} m")
        if self.reach.orientation is not None:
            parts.append(f"{2 * np.arcsin(min(float(np.linalg.norm(error[given:])) / 2, 1.0)):.4g} rad")
        return " and ".join(parts)

    # ---- in a program -------------------------------------------------------------------------------

    def independent(self, q: Array) -> NDArray[np.intp]:
        """Rows that do not follow from others, or from how the arm is built, at positions near a solution.

        A planar arm has nothing to say about height. A stretched arm is singular where it is, but not nearby: all its
        rows stay.
        """
        offsets = np.random.default_rng(0).uniform(-NEARBY, NEARBY, (2 * LANES, len(q)))
        ranks = [qr(J.T, mode="r", pivoting=True) for J in self.slopes(q + offsets)]
        sizes = [np.abs(np.diagonal(R)) for R, _ in ranks]
        counts = [int((size > DEPENDENT * max(size[0], 1e-3)).sum()) for size in sizes]
        best = int(np.argmax(counts))
        return np.sort(ranks[best][1][: counts[best]])

    def singular(self, q: Array) -> bool:
        """The rows that are kept depend on each other at a solution: a stretched arm, two axes in line.

        A solver cannot work with such rows; the joints are then held at the solution.
        """
        J = self.slopes(q[None])[0][self.independent(q)]
        sizes = np.linalg.svd(J, compute_uv=False)
        return bool(len(sizes) and sizes[-1] < SINGULAR * max(sizes[0], 1.0))

    def moving(self, q: Array) -> NDArray[np.intp]:
        """Joints that move the frame."""
        return np.flatnonzero(np.abs(self.slopes(q + NEARBY * np.arange(1, LANES + 1)[:, None])).max(axis=(0, 1)) > 0)

    def block(self, q: Array) -> Block:
        """Return the rows as a block of a program; q: a solution."""
        kept = self.independent(q)
        m, count = self.sample.m, len(kept)
        combine = sparse.csr_array((np.ones(count), (np.arange(count), kept)), shape=(count, LANES * m))
        zero, names = (
            np.zeros(count),
            [(self.reach.row_names[k], f"{self.what} of {self.reach.link}", self.s) for k in kept],
        )
        return Block(
            self.sample, np.full(LANES, self.s), np.zeros(LANES), combine, zero, zero, names,
            np.tile(self.reach.data, (LANES, 1)),
        )  # fmt: skip

    def missed(self, q: Array) -> str:
        """Return a sentence if positions (n,) do not bring the frame there; rows that were left out count too."""
        error, angle = self.rows(q[None])[0], float(self.angles(q[None])[0])
        if angle > TURNED:
            return f"the {self.what} is missed by {angle:.4g} rad"
        return "" if np.abs(error).max() < MISSED else f"the {self.what} is missed by {self._off(error)}"


class _Errors:
    """What the search asks of a problem: errors and slopes of positions."""

    def __init__(self, reaching: Reaching) -> None:
        self._reaching = reaching
        self.lower, self.upper = reaching._allowed
        self.weights = np.ones(reaching.sample.m)

    def evaluate(self, q: Array, target: Any) -> tuple[Array, Array]:
        """Errors (N, m) and slopes of what comes off them (N, m, n)."""
        return -self._reaching.rows(q), self._reaching.slopes(q)
