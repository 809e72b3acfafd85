"""A sum of places of points along a direction, between limits: heights of frames, and offsets between two.

It is a row at every sample. Between samples it is looked at on a fine grid, and sampled where it is exceeded.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.errors import InputError, ModelError
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.keys import fingerprint
from lissom.model.arm import Arm
from lissom.model.fields import number
from lissom.model.limits import exceeded
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.path_constraint import PlaceSum
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look, Positions
from lissom.motion.transcription.kernels.sample import LANES, Sample
from lissom.motion.transcription.kernels.torques import placed
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

SIZE = 0.1  # m that count as much as a whole limit: tolerances are parts of it
SLACK = 1e-9  # m
NEAR, CLOSER = 0.03, 9  # of SIZE, how near to a limit a summit is looked at closer, and at how many places


def limits_of(lower: Any, upper: Any) -> dict[str, float | None]:
    """Return limits as numbers or None; raise an error where none is given, or they do not rise."""
    if lower is None and upper is None:
        raise ModelError("nothing is given; give lower or upper.")
    out = {"lower": None if lower is None else number(lower, "lower"),
           "upper": None if upper is None else number(upper, "upper")}  # fmt: skip
    least, most = bounds_of(**out)
    if not least < most:
        raise ModelError(f"lower is {least:g} m and upper {most:g} m; expected lower < upper.")
    return out


def bounds_of(lower: float | None, upper: float | None) -> tuple[float, float]:
    """Return limits, infinite where there is none."""
    return -np.inf if lower is None else lower, np.inf if upper is None else upper


def place_sum(arm: Arm, asked: PlaceSum, q: Array) -> Array:
    """Return the sum (N,) [m] at positions (N, n)."""
    out = np.zeros(len(q))
    for one in asked.points:
        X = pose(arm, q, one.link)
        out += one.factor * ((X[:, :3, :3] @ one.point + X[:, :3, 3]) @ asked.direction)
    return out


class PlaceLimit(AbstractConstraint):
    """A sum of places of points of an arm along a direction, between its limits."""

    def __init__(self, arm: Arm, asked: PlaceSum) -> None:
        self._arm, self._asked, self._lower, self._upper = arm, asked, asked.lower, asked.upper
        self._samples = np.zeros(0)  # fractions at which rows are needed beside those of the program

    def _values(self, q: Array) -> Array:
        """(N,) at positions (N, n)."""
        return place_sum(self._arm, self._asked, q)

    def _use(self, z: Array) -> Array:
        """(N,) 1 at a limit, in parts of `SIZE` more beyond it."""
        return 1 + np.maximum(z - self._upper, self._lower - z) / SIZE

    def _looks(self, at: Positions, s: Array) -> tuple[Array, Array, Array]:
        """Fractions, s and more where the sum is nearest to a limit; sums there, and their use."""
        use = self._use(self._values(at(s)))
        top = (use[1:-1] >= use[:-2]) & (use[1:-1] >= use[2:]) & (use[1:-1] > 1 - NEAR)
        rows = np.flatnonzero(top)
        s = np.union1d(s, np.linspace(s[rows], s[rows + 2], CLOSER).ravel())
        z = self._values(at(s))
        return s, z, self._use(z)

    def _sample(self) -> Sample:
        """The row; its data are the direction and, of every point, place and factor."""
        bodies, links = functions_of(self._arm).bodies, [one.link for one in self._asked.points]
        key = f"places|{fingerprint(bodies)}|{'|'.join(links)}"

        def row(z: Any) -> tuple[Any, Any]:
            out = 0.0
            for k, link in enumerate(links):
                own = z.data[3 + 4 * k : 7 + 4 * k]
                out = out + own[3] * ca.dot(z.data[:3], placed(bodies, link, z.q, own[:3])[1])
            return ca.SX(out), 0.0

        count = 3 + 4 * len(links)
        return cache_of(self._arm).stored("sample", key, lambda: Sample(key, self._arm.dof, row, 3, count))

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """One row for every sample."""
        s = np.union1d(s, self._samples)
        s = np.append(s, np.full(max(LANES - len(s), 0), s[-1]))
        N = len(s)
        names = [(self._asked.what, self._asked.who, float(x)) for x in s]
        lower, upper = np.full(N, self._lower), np.full(N, self._upper)
        own = [self._asked.direction, *(np.append(one.point, one.factor) for one in self._asked.points)]
        combine, data = sparse.csr_array(sparse.eye(N)), np.tile(np.concatenate(own), (N, 1))
        return [Block(self._sample(), s, np.zeros(N), combine, lower, upper, names, data)]

    def watch(self, at: Positions, s: Array, excess: float) -> bool:
        """Sample where a limit is exceeded most."""
        looks, _, use = self._looks(at, s)
        found = exceeded(use[:, None], looks, excess)
        before = len(self._samples)
        self._samples = np.union1d(self._samples, found)
        return len(self._samples) > before

    def peaks(self, look: Look) -> list[Peak]:
        """Where the sum is nearest to a limit, or farthest beyond it."""
        s, z, use = self._looks(look.at, look.grid)
        k = int(np.argmax(use))
        limit = self._upper if z[k] - self._upper > self._lower - z[k] else self._lower
        what, who = self._asked.what, self._asked.who
        return [Peak(what, who, float(s[k] * look.T), float(z[k]), limit, float(use[k]), "m", True)]

    def refuse_place(self, word: str, q: Array, s: float, verb: str) -> None:
        """Refuse positions at which the sum is too low or too high."""
        z = float(self._values(q[None])[0])
        if not self._lower - SLACK <= z <= self._upper + SLACK:
            what, limits = f"the {self._asked.what} of {self._asked.who!r}", f"{self._lower:g} to {self._upper:g} m"
            raise InputError(
                f"{verb}: at the {word} {what} is {z:.4g} m, outside its limits of {limits}. Move the {word}, "
                "or widen the limits."
            )
