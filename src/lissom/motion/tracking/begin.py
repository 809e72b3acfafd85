"""Where a motion begins, and the poses at rest along its path from there; refusals name time and joint."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from lissom.dynamics.inverse_kinematics import search
from lissom.errors import InputError
from lissom.kernels.arguments import as_state
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.frame_output import VERB, FrameOutput
from lissom.motion.tracking.limits.rest import RestLimits
from lissom.motion.tracking.path import GivenPath
from lissom.motion.tracking.rest_poses import RestPoses
from lissom.spatial.rotations import Array

WAVE, STARTS, TOLERANCE, TRIED = 32, 256, 1e-9, 6
APART = 1e-3  # rad or m: nearer solutions are the same
NODES, HALVINGS = 60, 7
POSES = 8  # at which is looked whether joints move an axis at all
SINGULAR = 2e-3  # smallest singular value of the reach, relative to the largest


class Beginnings:
    """Poses from which a path can be followed.

    bounds : Bounds           limits of positions
    limits : RestLimits       what poses at rest must keep
    """

    def __init__(
        self, output: FrameOutput, path: GivenPath, poses: RestPoses, bounds: Bounds, limits: RestLimits
    ) -> None:
        self.arm, self.output, self.path, self.poses, self.limits = output.arm, output, path, poses, limits
        self.lower, self.upper = bounds.lower["position"], bounds.upper["position"]
        self.weights = np.ones(len(output.rows))

    def found(self, start: Any) -> tuple[Array, Array]:
        """(N, n) poses at rest at times (N,) of the path, along the branch that `start` or the home position is on.

        Other branches are tried where this one does not lead to the end of the path, or, without `start`, where joints
        leave their limits on the way.
        """
        self._refuse_fixed()
        near = as_state(self.arm, self.arm.home if start is None else start, "start", VERB)
        if near.ndim != 1:
            raise InputError(f"{VERB}: start has shape {near.shape}; expected one state.")
        problem: InputError | None = None
        beyond: tuple[Array, Array] | None = None
        for q in self._starts(near, start is not None):
            try:
                t, Q = self._along(q)
            except InputError as error:
                problem = problem or error
                continue
            if start is not None or self.limits.keeps_positions(Q):
                return t, Q
            beyond = beyond or (t, Q)
        if beyond is None:
            raise problem or self._out_of_reach(near)
        return beyond

    # ---- the first pose ---------------------------------------------------------------------------------

    def _starts(self, near: Array, given: bool) -> Iterator[Array]:
        """Poses at rest with the frame where the path begins, the nearest first."""
        target = self.path(np.zeros(1))
        if given:
            q, good = self.poses.solved(near[None], target, np.zeros(1))
            if good[0] and self._within(q[0]):
                yield q[0]
        for q in self._solutions(near, target)[:TRIED]:
            rest, good = self.poses.solved(q[None], target, np.zeros(1))
            if good[0]:
                yield rest[0]

    def _refuse_fixed(self) -> None:
        """Refuse axes along or about which no joint moves the frame in any pose."""
        q = np.random.default_rng(2).uniform(-1.0, 1.0, (POSES, self.arm.dof))
        q[:, self.arm.mode_index] = 0.0
        _, J = self.evaluate(q, np.repeat(self.path(np.zeros(1)), POSES, axis=0))
        sizes = np.abs(J).max(axis=(0, 2))
        fixed = [axis for axis, size in zip(self.output.axes, sizes, strict=True) if size <= 1e-9 * sizes.max()]
        if fixed:
            what = "about" if fixed[0].startswith("r") else "along"
            raise InputError(
                f"{VERB}: no joint of arm {self.arm.name!r} moves {self.output.frame!r} {what} {fixed[0]!r}. Leave "
                f"{', '.join(map(repr, fixed))} out of axes; in the position of a Reach, nan leaves a row free."
            )

    def _within(self, q: Array) -> bool:
        return bool(((q >= self.lower) & (q <= self.upper)).all())

    def _solutions(self, near: Array, target: Array) -> Array:
        """(k, n) positions without sag that reach the start of the path, the nearest first, each once."""
        rng = np.random.default_rng(0)
        span = self.arm.expanded(np.array([joint.half_range() for joint in self.arm.joints]))
        low = np.where(np.isfinite(self.lower), self.lower, np.minimum(near, self.upper) - span)
        high = np.where(np.isfinite(self.upper), self.upper, np.maximum(near, self.lower) + span)
        begin = rng.uniform(low, high, (STARTS, self.arm.dof))
        begin[0] = near
        begin[:, self.arm.mode_index] = near[self.arm.mode_index]
        for wave in range(0, STARTS, WAVE):
            q = begin[wave : wave + WAVE]
            found = search(self, q, np.repeat(target, len(q), axis=0), TOLERANCE, 300)  # type: ignore[arg-type]
            good = found.q[np.abs(found.error).max(axis=1) <= TOLERANCE]
            if len(good):
                return self._distinct(good[np.argsort(np.linalg.norm(good - near, axis=1), kind="stable")])
        return np.zeros((0, self.arm.dof))

    def evaluate(self, q: Array, target: Array) -> tuple[Array, Array]:
        """Errors (N, m), and what comes off them by the joints (N, m, n), as the search asks."""
        J = self.output.slopes(q)
        J[:, :, self.arm.mode_index] = 0.0
        return -self.output.errors(q, target), J

    def _distinct(self, q: Array) -> Array:
        kept: list[Array] = []
        for row in q:
            if all(np.abs(row - other).max() > APART for other in kept):
                kept.append(row)
        return np.array(kept)

    def _out_of_reach(self, near: Array) -> InputError:
        """What to say where no pose reaches the beginning."""
        target = self.path(np.zeros(1))
        rng = np.random.default_rng(1)
        begin = near + rng.uniform(-1.0, 1.0, (WAVE, self.arm.dof)) * self.arm.expanded(np.ones(len(self.arm.joints)))
        found = search(self, begin, np.repeat(target, WAVE, axis=0), TOLERANCE, 300)  # type: ignore[arg-type]
        best = found.error[int(np.argmin(np.linalg.norm(found.error, axis=1)))]
        return InputError(
            f"{VERB}: the path begins out of reach: {self.output.frame!r} comes no closer than {self._off(best)} to "
            f"{target[0].round(6).tolist()} ({', '.join(self.output.axes)}). Move the path nearer to the "
            "arm, or follow fewer axes."
        )

    def _off(self, error: Array) -> str:
        distance, angle = (float(part[0]) for part in self.output.sizes(error[None]))
        parts = [f"{distance:.4g} m"] if not self.output.turns.all() else []
        return " and ".join(parts + ([f"{angle:.4g} rad"] if self.output.turns.any() else []))

    # ---- along the path ---------------------------------------------------------------------------------

    def _along(self, q: Array) -> tuple[Array, Array]:
        """Times (N,) and poses (N, n) from a first one, by continuation."""
        self.limits.refuse(q, 0.0)
        nodes = np.linspace(0.0, self.path.duration, NODES + 1)
        rows = [q]
        for begin, end in pairwise(nodes):
            rows.append(self._next(rows[-1], float(begin), float(end)))
        Q = np.array(rows)
        self._refuse_singular(nodes, Q)
        if len(self.output.rows) == self.arm.actuated.sum():  # otherwise the arm may end in other poses
            self.limits.refuse(Q[-1], 1.0)
        return nodes, Q

    def _next(self, q: Array, begin: float, end: float) -> Array:
        """The pose at a later time; by smaller steps where it is far."""
        t, step = begin, end - begin
        while t < end:
            ahead = min(t + step, end)
            found, good = self.poses.solved(q[None], self.path(np.array([ahead])), np.zeros(1))
            if good[0] and np.abs(found[0] - q).max() < 1.0:
                q, t = found[0], ahead
                continue
            step /= 2
            if step < (end - begin) / 2**HALVINGS:
                raise self._lost(q, t)
        return q

    def _lost(self, q: Array, t: float) -> InputError:
        """What to say where the path cannot be followed any farther."""
        joint, left = self._weakest(q)
        why = (
            f"the arm is singular there: no joint, {joint!r} least of all, moves the frame any farther along the path"
            if left < 0.1
            else "no pose at rest was found there"
        )
        return InputError(
            f"{VERB}: from t = {t:.4g} s on the path is out of reach of {self.output.frame!r}; {why}. Move the path "
            "nearer to the arm, or begin in another pose (start=...)."
        )

    def _weakest(self, q: Array) -> tuple[str, float]:
        """The joint of the weakest direction at a pose, and how weak it is beside the strongest."""
        R = self.poses.reach(q[None], np.zeros(1))[0]
        _, sizes, V = np.linalg.svd(R)
        driven = np.flatnonzero(self.arm.actuated)
        at = driven[int(np.argmax(np.abs(V[len(sizes) - 1])))]
        return self.arm.coordinates[at], float(sizes[-1] / max(sizes[0], 1e-300))

    def _refuse_singular(self, t: Array, Q: Array) -> None:
        """Refuse a path on which joints would have to move without bounds."""
        R = self.poses.reach(Q, np.zeros(len(Q)))
        sizes = np.linalg.svd(R, compute_uv=False)
        k = int(np.argmin(sizes[:, -1] / sizes[:, 0]))
        if sizes[k, -1] < SINGULAR * sizes[k, 0]:
            joint, _ = self._weakest(Q[k])
            joints = zip(self.arm.joints, self.arm.joint_index, strict=True)
            where = ", ".join(f"{one.name} {Q[k, at]:.4g}" for one, at in joints)
            raise InputError(
                f"{VERB}: at t = {t[k]:.4g} s the path leads through a singular pose of arm {self.arm.name!r} "
                f"({where}), where joint {joint!r} would have to move without bounds. Move the path, follow fewer "
                "axes, or begin in another pose (start=...)."
            )


def interpolated(t: Array, Q: Array, at: Array) -> Array:
    """(N, n) poses between those known at times t, the first and last before and after."""
    return np.asarray(make_interp_spline(t, Q, 3)(np.clip(at, t[0], t[-1])))
