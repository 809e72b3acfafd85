"""The closures of an arm as functions of its state, and checks that a state satisfies them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.stations import along_beam
from lissom.engine import kernel
from lissom.engine.function import Function
from lissom.errors import InputError, UnsupportedError
from lissom.kernels.functions import Functions, compiler_present
from lissom.kernels.keys import fingerprint, sources
from lissom.kernels.verbs import CLOSURE, POSE
from lissom.later import cached_property
from lissom.loops import closure
from lissom.loops.algebra import mul, split
from lissom.loops.closure import KINDS
from lissom.loops.tolerance import CLOSED
from lissom.loops.words import largest, loop_names, loop_of_row
from lissom.spatial.rotations import Array

USE = {
    "q": "ls.assemble(arm, q).q is a position nearby that closes all loops",
    "qd": "ls.assemble(arm, q, qd=qd).qd are the nearest rates that keep all loops closed",
    "qdd": "ls.assemble(arm, q, qd=qd, qdd=qdd).qdd are the nearest accelerations that keep all loops closed",
}
Spot = Callable[[int], str]  # which of many states, as text


def _nowhere(_: int) -> str:
    return ""


class Gaps(NamedTuple):
    """Residuals phi (..., m) of all closures, their Jacobian G (..., m, dof), and (dG/dt) qd (..., m)."""

    phi: Array
    G: Array
    drift: Array


class Closure:
    """All closures of an arm."""

    def __init__(self, functions: Functions):
        arm, self.arm = functions.arm, functions.arm
        self.functions, self.function = functions, functions.get(CLOSURE)
        self.bodies = functions.plan(CLOSURE).bodies
        self._rows, self._cols = closure.entries(self.bodies)
        self.loop_of = loop_of_row(arm)

    @property
    def rows(self) -> int:
        """Number of closure rows."""
        return len(self.loop_of)

    def __call__(self, q: Array, qd: Array | None = None) -> Gaps:
        """Evaluate the closures at states (..., dof); qd None: at rest."""
        given = q, np.zeros_like(q) if qd is None else qd
        phi, entries, drift = self.function.one(*given) if q.ndim == 1 else self.function(*given)
        G = np.zeros((*phi.shape[:-1], self.rows, self.arm.dof))
        G[..., self._rows, self._cols] = entries
        return Gaps(phi, G, drift)

    def nearly_closed(self, q: Array) -> Array:
        """Positions (..., dof) corrected to satisfy the independent closures, also near a singular configuration."""
        for _ in range(2):
            gaps = self(q)
            q = q - split(gaps.G).least_motion(gaps.phi)
        return q

    def second_derivative(self, q: Array, u: Array, v: Array) -> Array:
        """(..., m) second derivative of phi along u and v, exact: the drift is that along qd twice."""
        return np.asarray(0.25 * (self(q, u + v).drift - self(q, u - v).drift))

    @cached_property
    def drift_slope(self) -> Function:
        """(q, qd) -> (m, dof), derivative of the drift with respect to q."""
        n, m = self.arm.dof, self.rows
        program = functools.partial(closure.drift_program, bodies=self.bodies)
        code = None
        if compiler_present():
            key = f"drift_slope|{fingerprint(self.bodies)}|{sources()}"
            code = kernel.straight_kernel(key, [n, n], [m * n, m * n], lambda: kernel.slopes_of(program, 2))
        return Function(CLOSURE.name, ["q", "qd"], [n, n], [(m, n), (m, n)], _no_numpy, code, _overflow)

    # ---- frames and forces -----------------------------------------------------------------------

    def frames(self, q: Array) -> list[tuple[Array, Array]]:
        """Poses (..., 4, 4) of both ends of every loop, in the world."""
        return [(self._frame(loop.a, q), self._frame(loop.b, q)) for loop in self.arm.loops]

    def _frame(self, end: Any, q: Array) -> Array:
        link, X = end
        if link is None:
            return np.broadcast_to(X, (*q.shape[:-1], 4, 4))
        function, point = self.functions.at_point(POSE, link, X[:3, 3])
        at = function.one(q, point).copy()
        at[..., :3, :3] = at[..., :3, :3] @ X[:3, :3]
        return at

    def faces(self, q: Array) -> NDArray[np.bool_]:
        """(...) whether axes that the rows keep parallel also point the same way, at positions (..., dof)."""
        good = np.ones((*q.shape[:-1], len(self.arm.loops)), bool)
        for i, loop in enumerate(self.arm.loops):
            needed = {"fixed": [0, 1, 2], "spherical": []}.get(loop.joint, [2])
            if needed:
                A, B = (self._frame(end, q)[..., :3, needed] for end in (loop.a, loop.b))
                good[..., i] = (np.einsum("...ij,...ij->...j", A, B) >= 0).all(axis=-1)
        return good

    def wrenches(self, q: Array, force: Array) -> tuple[Array, Array]:
        """Force and moment (..., loops, 3) on b at its point, world axes, of row forces (..., m)."""
        forces, moments = [], []
        at = 0
        for loop, (A, B) in zip(self.arm.loops, self.frames(q), strict=True):
            kind = KINDS[loop.joint].rows
            own = force[..., at : at + kind.count]
            F, N = np.zeros((*q.shape[:-1], 3)), np.zeros((*q.shape[:-1], 3))
            for r, i in enumerate(kind.along):
                F += own[..., r, None] * A[..., :3, i]
            for r, row in enumerate(kind.about, len(kind.along)):
                for sign, i, j in row:
                    N += sign / len(row) * own[..., r, None] * np.cross(B[..., :3, j], A[..., :3, i])
            forces.append(F)
            moments.append(N)
            at += kind.count
        return np.stack(forces, axis=-2), np.stack(moments, axis=-2)

    def loads(self, q: Array, force: Array) -> list[tuple[str, Array]]:
        """(frame, nine entries) of the loads that row forces (..., m) are to the links: force, moment, point.

        The force on a acts at the point of b: where frames may slide along each other, they have no point in common.
        """
        out: list[tuple[str, Array]] = []
        F, N = self.wrenches(q, force)
        for i, (loop, (A, B)) in enumerate(zip(self.arm.loops, self.frames(q), strict=True)):
            for (link, X), at, sign in ((loop.a, A, -1.0), (loop.b, B, 1.0)):
                if link is not None:
                    frame, point = along_beam(self.arm, link, self.arm.frame(link), X[:3, 3], CLOSURE.name)
                    axes = at[..., :3, :3] @ X[:3, :3].T
                    apart = np.einsum("...ji,...j->...i", axes, B[..., :3, 3] - at[..., :3, 3])
                    out.append((frame, np.concatenate([sign * F[..., i, :], sign * N[..., i, :], point + apart], -1)))
        return out

    # ---- refusals --------------------------------------------------------------------------------

    def refuse_open(self, q: Array, gaps: Gaps, verb: str, word: str = "q", spot: Spot = _nowhere) -> None:
        """Raise an error unless q (rows, dof) closes all loops, with axes that point the same way."""
        self._refuse(gaps.phi, np.full(len(gaps.phi), CLOSED), f"{verb}: {word}", "leaves open", "", USE["q"], spot)
        wrong = np.argwhere(~self.faces(q))
        if len(wrong):
            k, i = wrong[0]
            raise InputError(
                f"{verb}: {word}{spot(int(k))} closes {loop_names(self.arm)[i]} with an axis reversed: z of both "
                f"frames must point the same way. Turn one of the loop's frames by 180 degrees; else {USE['q']}."
            )

    def refuse_opening(self, gaps: Gaps, qd: Array, verb: str, word: str = "qd", spot: Spot = _nowhere) -> None:
        """Raise an error unless qd (rows, dof) keeps the loops closed."""
        rate, allowed = mul(gaps.G, qd), CLOSED * (1.0 + np.abs(qd).max(axis=-1))
        self._refuse(rate, allowed, f"{verb}: {word}", "opens", "/s", USE["qd"], spot)

    def refuse_parting(self, gaps: Gaps, qd: Array, qdd: Array, verb: str, spot: Spot = _nowhere) -> None:
        """Raise an error unless qdd (rows, dof) keeps the loops closed."""
        gain = mul(gaps.G, qdd) + gaps.drift
        allowed = CLOSED * (1.0 + np.abs(qdd).max(axis=-1) + (qd**2).max(axis=-1))
        self._refuse(gain, allowed, f"{verb}: qdd", "parts", "/s^2", USE["qdd"], spot)

    def _refuse(self, rows: Array, allowed: Array, who: str, does: str, per: str, use: str, spot: Spot) -> None:
        off = np.abs(rows).max(axis=-1) - allowed
        if (off > 0).any():
            k = int(np.argmax(off))
            raise InputError(f"{who}{spot(k)} {does} {largest(self.arm, rows[k], per)}; {use}.")


def _no_numpy(_run: Any) -> None:
    raise UnsupportedError("derivatives of moving closed loops need casadi and llvmlite, which are not installed.")


def _overflow(*_: object) -> None:
    raise OverflowError("the derivatives of the closures are not finite")
