"""The height of a frame: a tool stays above the table, a cup below the shelf.

The height is a row at every sample. Between samples it is looked at on a fine grid, and sampled where it is exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.errors import InputError, ModelError, about
from lissom.model.arm import Arm
from lissom.model.fields import name, number, vector
from lissom.model.limits import exceeded
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.path_constraint import AbstractPathConstraint
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look, Positions
from lissom.motion.transcription.kernels.sample import LANES, Sample, Symbols, stored
from lissom.motion.transcription.kernels.torques import placed
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array
from lissom.verbs.call import library_of
from lissom.verbs.kinematics import pose
from lissom.verbs.library import digest
from lissom.verbs.states import as_frame

SIZE = 0.1  # m that count as much as a whole limit: tolerances are parts of it
SLACK = 1e-9  # m
NEAR, CLOSER = 0.03, 9  # of SIZE, how near to a limit a summit is looked at closer, and at how many places


@dataclass(frozen=True, eq=False)
class FrameHeight(AbstractPathConstraint):
    """Limits of the height of a frame along a motion, for `Task.constraints`.

    Parameters
    ----------
    link : str              a link's or tool's name
    lower, upper : float or None    limits of the world's z coordinate [m]; give one at least
    point : (3,)            in that frame's axes [m]

    Examples
    --------
    >>> import lissom as ls
    >>> above = ls.FrameHeight("flange", lower=0.1)
    >>> above.lower, above.upper
    (0.1, None)
    """

    kind: ClassVar[str] = "frame_height"

    link: str
    lower: Any = None
    upper: Any = None
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about(f"height of {self.link!r}"):
            self._set(link=name(self.link, "link"), point=vector(self.point, "point"))
            for word in ("lower", "upper"):
                if getattr(self, word) is not None:
                    self._set(**{word: number(getattr(self, word), word)})
            if self.lower is None and self.upper is None:
                raise ModelError("nothing is given; give lower or upper.")
            if self.lower is not None and self.upper is not None and not self.lower < self.upper:
                raise ModelError(f"lower is {self.lower:g} m and upper {self.upper:g} m; expected lower < upper.")

    def on(self, arm: Arm, verb: str) -> HeightLimit:
        """The constraint on an arm."""
        as_frame(arm, self.link, f"{verb}: constraints")
        return HeightLimit(arm, self)


class HeightLimit(AbstractConstraint):
    """The height of a frame of an arm between its limits."""

    def __init__(self, arm: Arm, asked: FrameHeight) -> None:
        self._arm, self._asked = arm, asked
        self._lower = -np.inf if asked.lower is None else asked.lower
        self._upper = np.inf if asked.upper is None else asked.upper
        self._samples = np.zeros(0)  # fractions at which rows are needed beside those of the program

    def _heights(self, q: Array) -> Array:
        """(N,) at positions (N, n)."""
        X = pose(self._arm, q, self._asked.link)
        return np.asarray(X[:, 2, 3] + X[:, 2, :3] @ self._asked.point)

    def _use(self, z: Array) -> Array:
        """(N,) 1 at a limit, in parts of `SIZE` more beyond it."""
        return 1 + np.maximum(z - self._upper, self._lower - z) / SIZE

    def _looks(self, at: Positions, s: Array) -> tuple[Array, Array, Array]:
        """Fractions, s and more where the height is nearest to a limit; heights there, and their use."""
        use = self._use(self._heights(at(s)))
        top = (use[1:-1] >= use[:-2]) & (use[1:-1] >= use[2:]) & (use[1:-1] > 1 - NEAR)
        rows = np.flatnonzero(top)
        s = np.union1d(s, np.linspace(s[rows], s[rows + 2], CLOSER).ravel())
        z = self._heights(at(s))
        return s, z, self._use(z)

    def _sample(self) -> Sample:
        bodies, link = library_of(self._arm).bodies, self._asked.link
        key = f"height|{digest(bodies)}|{link}"

        def row(z: Symbols) -> tuple[Any, Any]:
            return ca.SX(placed(bodies, link, z.q, z.data)[1][2]), 0.0

        return stored(self._arm, key, lambda: Sample(key, self._arm.dof, row, 3, 3))

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """One row for every sample."""
        s = np.union1d(s, self._samples)
        s = np.append(s, np.full(max(LANES - len(s), 0), s[-1]))
        N = len(s)
        names = [("height", self._asked.link, float(x)) for x in s]
        lower, upper = np.full(N, self._lower), np.full(N, self._upper)
        combine, data = sparse.csr_array(sparse.eye(N)), np.tile(self._asked.point, (N, 1))
        return [Block(self._sample(), s, np.zeros(N), combine, lower, upper, names, data)]

    def watch(self, at: Positions, s: Array, excess: float) -> bool:
        """Sample where a limit is exceeded most."""
        looks, _, use = self._looks(at, s)
        found = exceeded(use[:, None], looks, excess)
        before = len(self._samples)
        self._samples = np.union1d(self._samples, found)
        return len(self._samples) > before

    def peaks(self, look: Look) -> list[Peak]:
        """Where the height is nearest to a limit, or farthest beyond it."""
        s, z, use = self._looks(look.at, look.grid)
        k = int(np.argmax(use))
        limit = self._upper if z[k] - self._upper > self._lower - z[k] else self._lower
        return [Peak("height", self._asked.link, float(s[k] * look.T), float(z[k]), limit, float(use[k]), "m")]

    def refuse_place(self, word: str, q: Array, s: float, verb: str) -> None:
        """Refuse positions at which the frame is too low or too high."""
        z = float(self._heights(q[None])[0])
        if not self._lower - SLACK <= z <= self._upper + SLACK:
            raise InputError(
                f"{verb}: at the {word} the height of {self._asked.link!r} is {z:.4g} m, outside its limits of "
                f"{self._lower:g} to {self._upper:g} m. Move the {word}, or widen the limits."
            )
