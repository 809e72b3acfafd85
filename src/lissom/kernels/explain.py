"""Why a result is not finite, and what can still be found then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics import forward, inverse, mass
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.elements.pivots import NEGLIGIBLE
from lissom.engine.function import Function
from lissom.engine.program import Plain
from lissom.errors import SolveError
from lissom.kernels.plan import Plan
from lissom.kernels.positive_definiteness import message
from lissom.kernels.singular_inertia import directions_without_inertia, sentence, taking_part
from lissom.kernels.verb import Verb
from lissom.spatial.rotations import Array


class Explanation(NamedTuple):
    """The error for a state whose result is not finite although its inputs are.

    bodies : of the arm, without places along beams
    inertia : the mass matrix of the same formulation
    """

    verb: Verb
    plan: Plan
    bodies: Bodies
    inertia: Callable[[], Function]

    def error(self, where: str, *inputs: Array) -> None:
        """Raise the error; `where` is text such as `` of state [3]``."""
        label, acting = self.verb.label, self.plan.acting
        if self.verb.inverts_inertia:
            own = inputs[len(inputs) - acting.own_inputs :]
            _refuse_singular(label, where, self.bodies, acting.of_bodies, inputs[0], *own)
            if self.plan.method is not None and self.bodies.flexible:
                self._refuse_indefinite(where, inputs[0])
        raise SolveError(f"{label}: the result{where} is not finite although all inputs are; the numbers overflow.")

    def _refuse_indefinite(self, where: str, q: Array) -> None:
        """Raise the error for a truncated inertia that is no longer positive definite."""
        M = self.inertia()(q)
        if np.isfinite(M).all():
            least = float(np.linalg.eigvalsh(M)[0])
            raise SolveError(f"{self.verb.label}{where}: {message(self.bodies.arm, least, method=self.plan.method)}")


def _refuse_singular(label: str, where: str, bodies: Bodies, acting: Acting, *given: Array) -> None:
    """Raise an error that names the joint whose pivot vanishes."""
    arm, n = bodies.arm, bodies.dof
    run = Plain([x[None] for x in given])
    mass.program(run, bodies, acting, tape=True)
    M = np.array([float(np.asarray(x).ravel()[0]) for x in run.outputs[0]]).reshape(n, n)
    locked, whole = np.diag(M).copy(), M.copy()
    for k in range(n - 1, -1, -1):
        if not M[k, k] > NEGLIGIBLE * locked[k]:
            joint = arm.coordinates[k]
            written = [link.name for link in arm.links if link.as_written]
            if written and M[k, k] < 0:
                raise SolveError(
                    f"{label}: the mass matrix{where} is not positive definite at joint {joint!r}: the "
                    f"inertia of link {written[0]!r} is unphysical and taken as written"
                    f"{f' (so are {len(written) - 1} others)' if len(written) > 1 else ''}. Correct it, or load "
                    "the arm with repair=True."
                )
            found = directions_without_inertia(whole[None]) if np.isfinite(whole).all() else np.zeros((n, 0))
            raise SolveError(
                f"{label}: the inertia is singular at this position{where}: "
                f"{sentence(arm, taking_part(arm, found) or [joint])}"
            )
        M[:k, :k] -= np.outer(M[:k, k], M[k, :k]) / M[k, k]


def rescued(bodies: Bodies, acting: Acting, rows: list[Array]) -> list[Array]:
    """Accelerations found without the guard, NaN where inverse dynamics does not give torques back.

    Other torques are tried as well: those given may happen to suit a singular inertia.
    """
    q, qd, tau, *extra = rows
    still = _on_numpy(inverse.program, bodies, acting, [q, qd, np.zeros_like(q), *extra])
    scale = np.abs(tau).max(axis=-1, keepdims=True) + np.abs(still).max(axis=-1, keepdims=True)
    other = tau + scale * np.random.default_rng(0).uniform(-1.0, 1.0, tau.shape)
    good, found = np.ones(len(q), bool), tau
    for torques in (other, tau):
        found = _on_numpy(forward.program_unguarded, bodies, acting, [q, qd, torques, *extra])
        again = _on_numpy(inverse.program, bodies, acting, [q, qd, found, *extra])
        good &= (np.abs(again - torques) <= forward.RETURNED * scale).all(axis=-1)
    return [np.where(good[:, None], found, np.nan)]


def _on_numpy(program: Callable[..., None], bodies: Bodies, acting: Acting, rows: list[Array]) -> Array:
    """Run a program with one result on NumPy arrays."""
    run: Any = Plain(rows)
    with np.errstate(all="ignore"):
        program(run, bodies, acting)
        return np.stack([np.broadcast_to(x, len(rows[0])) for x in run.outputs[0]], axis=-1)
