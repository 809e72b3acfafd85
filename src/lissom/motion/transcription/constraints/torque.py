"""Limits of torque, of its rate and of power: in samples, and where a look between these finds them exceeded.

The samples carry the rate of cost too. At those of the mesh the equations of motion of unactuated coordinates hold:
their generalized forces vanish (see `mesh`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from lissom.model.limits import used
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.criteria.criterion import Course
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look
from lissom.motion.transcription.kernels.expressions import Expressions
from lissom.motion.transcription.kernels.sample import LANES
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.peaks import Excess, excesses_of, peaks_of
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array

SAMPLED = ("torque", "power", "torque_rate")
SLACK = 0.7  # of a limit: where a solution on a coarse mesh uses less of it, finer meshes have no rows for it at first
SMALL = 1e-3  # of the largest torque: rows of coordinates that hardly feel one count as large as this

Only = Mapping[float, set[tuple[str, str]]]  # quantities and coordinates by fraction


class TorqueLimits(AbstractConstraint):
    """How much of the limits a motion uses, from its torques alone."""

    def __init__(self, bounds: Bounds, names: Sequence[str]) -> None:
        self._bounds, self._names = bounds, names

    def _values(self, look: Look) -> dict[str, Array]:
        return {word: look.values[word] for word in SAMPLED if word in look.values}

    def peaks(self, look: Look) -> list[Peak]:
        """Return the peaks of torque, power and torque rate."""
        return peaks_of(self._bounds, self._names, look.s, look.T, self._values(look))

    def exceeded(self, look: Look) -> list[Excess]:
        """Where samples are missing."""
        return excesses_of(self._bounds, self._names, look.s, self._values(look))


class Samples:
    """The samples of a program: their limits, equations of motion, and the rate of cost.

    left_out : set       limits without rows, as quantity and coordinate
    margins : dict       fractions by which limits are tightened, by quantity: what closing the loops adds to torques
    """

    def __init__(self, expressions: Expressions, guess: Course) -> None:
        self._expressions, self._guess, self._spec = expressions, guess, expressions.spec
        self.left_out: set[tuple[str, str]] = set()
        self.margins: dict[str, Array] = {}

    def block(self, mesh: Mesh, more: Array, soft: float, only: Only) -> Block:
        """Limits at the samples of a mesh and at `more` fractions, at some `only` those named.

        soft : how many times wider |power| is rounded off
        """
        spec, made = self._spec, self._expressions
        s, weights = mesh.samples(made.orders, spec.cost.kinks)
        points = len(s)
        lower, upper, words = made.row_limits(self.margins)
        limited = np.isfinite(lower) | np.isfinite(upper)
        limited &= [word not in self.left_out for word in words]
        first, count = points, len(more)  # of the samples that `only` is about
        if limited.any() and (mesh.unactuated is not None or mesh.actuated.continuity < 2):
            more = np.append(mesh.corners, more)
            first += len(mesh.corners)
        more = np.append(more, np.full(max(LANES - points - len(more), 0), 0.5))
        s, weights = np.append(s, more), np.append(weights, np.zeros(len(more)))
        N, m = len(s), len(lower)
        chosen = np.tile(limited, (N, 1))
        for which, at in zip(chosen[first:], s[first : first + count].tolist(), strict=False):
            if at in only:
                which &= [word in only[at] for word in words]
        passive = np.flatnonzero(~spec.arm.actuated)
        chosen[: points if spec.closing is None else N, passive] = True
        at, row = np.nonzero(chosen)
        combine = sparse.csr_array((np.ones(len(row)), (np.arange(len(row)), at * m + row)), shape=(len(row), N * m))
        lower[passive] = upper[passive] = 0.0
        for k in passive:
            words[k] = ("equation of motion", spec.names[k])
        names = [(*words[k], x) for k, x in zip(row.tolist(), s[at].tolist(), strict=True)]
        size = self._sizes(lower, upper)[row]
        data = np.concatenate([spec.load_data(s, made.rates), np.tile(made.width_data(soft), (N, 1))], axis=1)
        return Block(made.sample(), s, weights, combine, lower[row], upper[row], names, data, size)

    def _sizes(self, lower: Array, upper: Array) -> Array:
        """(m,) of the rows of a sample: their limits; torques that have none, as large as those of the first guess."""
        tau = np.abs(self._guess.tau).max(axis=0)
        out = np.append(np.maximum(tau, SMALL * tau.max()), np.ones(len(lower) - len(tau)))
        limit = np.max(np.where(np.isfinite([lower, upper]), np.abs([lower, upper]), 0.0), axis=0)
        out = np.where(limit > 0, limit, out)
        return np.where(np.isfinite(out) & (out > 0), out, 1.0)

    def leave_out_slack(self, program: Program, rows: Array) -> bool:
        """Leave out the rows of limits of which a solution uses little; whether there are some.

        Most of a solver's time goes into rows. `restore` has them back where a later look finds one exceeded.
        """
        most: dict[tuple[str, str], float] = {}
        use = used(rows[:, None], program.lower[:, None], program.upper[:, None])[:, 0]
        for (what, who, _), x in zip(program.names, use, strict=True):
            if what in SAMPLED:
                most[what, who] = max(most.get((what, who), 0.0), float(x))
        self.left_out |= {key for key, x in most.items() if x < SLACK}
        return bool(self.left_out)

    def restore(self, which: set[tuple[str, str]] | None = None) -> bool:
        """Have rows again for some limits that were left out, default: all; whether there are such."""
        some = self.left_out if which is None else self.left_out & which
        self.left_out = self.left_out - some
        return bool(some)
