"""The contract of constraints: what a program, the search between samples and a verification ask of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lissom.motion.splines.curves import Curves
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Block, Scaled
from lissom.spatial.rotations import Array

Positions = Callable[[Array], Array]  # (N, n) at fractions (N,) of the duration


class Look(NamedTuple):
    """A motion on a fine grid.

    at : Positions            its positions at any fractions
    grid : (N,)               fractions of a regular grid
    s : (M,)                  the same and more, where torques are largest
    T : float                 the duration [s]
    z : positions, rates, accelerations and jerks at s, (M, n) each
    tau : (M, n)              torques
    tau_rate : (M, n) or None    their rates, where these are limited
    """

    at: Positions
    grid: Array
    s: Array
    T: float
    z: Sequence[Array] | Array
    tau: Array
    tau_rate: Array | None

    @property
    def q(self) -> Array:
        """(M, n) positions."""
        return self.z[0]

    @property
    def values(self) -> dict[str, Array]:
        """Every quantity that joints may be limited in."""
        known = {"position": self.z[0], "velocity": self.z[1], "acceleration": self.z[2], "jerk": self.z[3],
                 "torque": self.tau, "power": self.tau * self.z[1]}  # fmt: skip
        return known if self.tau_rate is None else known | {"torque_rate": self.tau_rate}


class AbstractConstraint:
    """One kind of constraint of a motion; a kind that has no use for a method leaves it as it is.

    Rows of a program are either compiled samples (`blocks`) or affine in its variables (`linear`); each says between
    which bounds it has to be. Constraints that hold at samples only are looked at between them (`watch`), and every
    one can say how much of it a motion uses (`peaks`).
    """

    def blocks(self, mesh: Mesh, s: Array) -> Sequence[Block]:
        """Rows of compiled samples; s: fractions of the samples at which torques are limited."""
        return ()

    def linear(self, curves: Curves) -> Sequence[Scaled]:
        """Rows that are affine in the variables."""
        return ()

    def anticipate(self, at: Positions, s: Array) -> None:
        """Prepare rows that the first guess will need, which is at these positions; s: fractions to look at."""

    def watch(self, at: Positions, s: Array, excess: float) -> bool:
        """Look at a motion between samples, and have rows where it exceeds more than `excess`; whether some are new."""
        return False

    def peaks(self, look: Look) -> Sequence[Peak]:
        """The largest utilisation along a motion."""
        return ()

    def refuse_place(self, word: str, q: Array, s: float, verb: str) -> None:
        """Refuse positions (n,) that a task gives and that violate the constraint; word: "start", for messages."""
