"""Equations of motion at samples: what moves the arm is motors and contacts.

    ( tau(q, qd, qdd) - sum J_i^T F_i - S torques ) / scale = 0

tau with all loads, springs, damping; its derivatives come from tapes, with the contact forces F_i among the loads. What
changes with the forces themselves is the Jacobian of the contacts, and how this turns, from `Points`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.kernels.cache import cache_of
from lissom.kernels.loads import as_loads
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT, INVERSE_DYNAMICS_HESSIAN
from lissom.model.loads import Load
from lissom.motion.phased.layout import Layout
from lissom.motion.phased.rows.block import AbstractBlock, pairs
from lissom.motion.phased.units import Units
from lissom.motion.task.loads import load_table
from lissom.motion.transcription.kernels.friction import SLOW, turn
from lissom.motion.transcription.kernels.tape_sample import related
from lissom.spatial.rotations import Array

VERB = "predict_motion"


class DynamicsRows(AbstractBlock):
    """The equations of motion of all coordinates, at all samples.

    Parameters
    ----------
    layout : Layout
    units : Units
    times : list of (N,)      of the samples of every phase, as fractions of the motion: for loads that change
    """

    def __init__(self, layout: Layout, units: Units, times: list[Array]) -> None:
        self.layout, self.units = layout, units
        self._n, self._motors = layout.n, len(layout.motors)
        self._points = [self._n * 3 + self._motors + int(k) for k in np.cumsum([0, *layout.components])]
        self.width, self.m = self._points[-1] + 1, self._n
        self.W = layout.sample_reach
        self.N = sum(len(mesh.s) for mesh in layout.phases)
        self._compile(np.concatenate(times))
        self._rough = layout.arm.expanded(layout.arm.breakaway)
        self._prepare()
        self.lower = self.upper = np.zeros(self.N * self.m)
        at = [k + s for k, mesh in enumerate(layout.phases) for s in mesh.s]
        self.names = [("equation of motion", name, float(s)) for s in at for name in layout.arm.coordinates]
        self._seen: bytes = b""

    def _compile(self, s: Array) -> None:
        layout = self.layout
        arm = layout.arm
        carried = as_loads(arm, layout.task.loads, VERB)
        contacts = as_loads(arm, [Load(c.link, point=c.point) for c in layout.contacts], VERB)
        self._loads = load_table([load for _, load in carried], s, False)
        self._places = [np.tile(load.point, (self.N, 1)) for _, load in contacts]
        acting = Acting(tuple(frame for frame, _ in (*carried, *contacts)))
        functions = cache_of(arm).without_friction
        verbs = (INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT, INVERSE_DYNAMICS_HESSIAN)
        self._tau, self._slopes, self._curvatures = (functions.get(verb, acting, "tape") for verb in verbs)

    def _prepare(self) -> None:
        """Places of derivatives."""
        n, T = self._n, self.width - 1
        R = related(self.layout.arm)
        i, j = np.nonzero(R)
        motors = np.arange(self._motors)
        self._pairs = i, j
        every = np.arange(n)
        parts = [(i, j), (i, n + j), (i, 2 * n + j), (self.layout.motors, 3 * n + motors), (every, np.full(n, T))]
        lower = np.nonzero(np.tril(R))
        self._lower = lower
        second = [lower, (n + i, j), (2 * n + i, j), (n + lower[0], n + lower[1])]
        by_T = np.arange(3 * n)
        second += [(np.full(3 * n, T), by_T), (np.array([T]), np.array([T]))]
        for c, chain in enumerate(self.layout.kinematics.chains):
            for k in range(self.layout.components[c]):
                column = np.full(len(chain), self._points[c] + k)
                parts.append((chain, column))
                second.append((column, chain))
        self.jacobian, self.hessian = pairs(*parts), pairs(*second)

    # ---- values -------------------------------------------------------------------------------------

    def _state(self, w: Array) -> dict[str, Any]:
        """What is known at w."""
        key = w.tobytes()
        if key != self._seen:
            n, T = self._n, w[:, -1:]
            y = np.ascontiguousarray(w[:, : 3 * n].reshape(-1, 3, n).transpose(1, 0, 2))
            y[1] /= T
            y[2] /= T**2
            forces = [self._world(w, c) for c in range(len(self._places))]
            zero = np.zeros((len(w), 3))
            extra = [np.ascontiguousarray(self._loads[:, k : k + 9]) for k in range(0, self._loads.shape[1], 9)]
            extra += [np.concatenate([f, zero, x], axis=1) for f, x in zip(forces, self._places, strict=True)]
            self._seen, self._known = key, {"y": y, "T": T, "extra": extra}
        return self._known

    def _world(self, w: Array, c: int) -> Array:
        """(N, 3) force of a contact in world axes [N]."""
        return np.asarray(self.units.force * w[:, self._points[c] : self._points[c + 1]]
                          @ self.layout.planes[c].directions)  # fmt: skip

    def required(self, w: Array) -> Array:
        """Generalised forces (N, n) of motors and of what has none: zero."""
        z = self._state(w)
        y = z["y"]
        tau = self._tau(*y, *z["extra"], threads=1)
        if self._rough.any():
            tau = tau + self._rough * y[1] / np.sqrt(y[1] ** 2 + SLOW**2)
        return np.asarray(tau)

    def value(self, w: Array) -> Array:
        """Return the rows (N, n)."""
        out = self.required(w)
        at = 3 * self._n
        out[:, self.layout.motors] -= self.units.torque * w[:, at : at + self._motors]
        return out / self.units.rows

    def _slope(self, w: Array) -> Array:
        """(N, 3, n, n) of required forces by positions, rates, accelerations."""
        z = self._state(w)
        if "J" not in z:
            y = z["y"]
            J = np.stack(self._slopes(*y, *z["extra"], threads=1), axis=1)
            if self._rough.any():
                at = np.arange(self._n)
                J[:, 1, at, at] += self._rough * turn(y[1], np.full_like(y[1], SLOW))[0]
            z["J"] = J
        return np.asarray(z["J"])

    def first(self, w: Array) -> Array:
        """Return the nonzeros of first derivatives."""
        z, J = self._state(w), self._slope(w) / self.units.rows[:, None]
        y, T, (i, j) = z["y"], z["T"], self._pairs
        along = -(J[:, 1] @ y[1][:, :, None] + 2 * J[:, 2] @ y[2][:, :, None])[..., 0] / T
        motors = np.broadcast_to(-self.units.torque / self.units.rows[self.layout.motors], (len(w), self._motors))
        parts = [J[:, 0, i, j], J[:, 1, i, j] / T, J[:, 2, i, j] / T**2, motors, along]
        at = self._at(w)
        for c, chain in enumerate(self.layout.kinematics.chains):
            S = at.slopes(c) @ (-self.units.force * self.layout.planes[c].directions.T) / self.units.rows[chain, None]
            parts.append(S.transpose(0, 2, 1).reshape(len(w), -1))
        return np.concatenate(parts, axis=1)

    def _at(self, w: Array) -> Any:
        z = self._state(w)
        if "points" not in z:
            z["points"] = self.layout.kinematics.at(z["y"][0])
        return z["points"]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the nonzeros of second derivatives."""
        z, lam = self._state(w), lam / self.units.rows
        y, T, (i, j), (a, b) = z["y"], z["T"], self._pairs, self._lower
        H = dict(zip(((0, 0), (0, 1), (0, 2), (1, 1)), self._curvatures(*y, lam, *z["extra"], threads=1), strict=True))
        if self._rough.any():
            H[1, 1] = np.array(H[1, 1])
            at = np.arange(self._n)
            H[1, 1][:, at, at] += lam * self._rough * turn(y[1], np.full_like(y[1], SLOW))[1]
        parts = [H[0, 0][:, a, b], H[0, 1][:, j, i] / T, H[0, 2][:, j, i] / T**2, H[1, 1][:, a, b] / T**2]
        parts += self._by_duration(H, y, T, (lam[:, None, None] @ self._slope(w))[:, :, 0].swapaxes(0, 1))
        at = self._at(w)
        for c in range(len(self._places)):
            S = at.turned(c, lam) @ (-self.units.force * self.layout.planes[c].directions.T)
            parts.append(S.transpose(0, 2, 1).reshape(len(w), -1))
        return np.concatenate(parts, axis=1)

    def _by_duration(self, H: dict[tuple[int, int], Array], y: Array, T: Array, L: Array) -> list[Array]:
        """Second derivatives by u and T, and by T; L (3, N, n): first ones by positions, rates, accelerations."""
        way = [-r * y[r] / T for r in range(3)]
        turned = [np.zeros_like(T * y[0]) for _ in range(3)]
        for (r, s), block in H.items():
            turned[r] = turned[r] + (block @ way[s][:, :, None])[..., 0]
            if r != s:
                turned[s] = turned[s] + (way[r][:, None] @ block)[:, 0]
        mixed = [(turned[r] - r / T * L[r]) / T**r for r in range(3)]
        both = sum(((way[r] * (turned[r] - (r + 1) / T * L[r])).sum(axis=1) for r in range(3)), np.zeros(len(T)))
        return [*mixed, both[:, None]]
