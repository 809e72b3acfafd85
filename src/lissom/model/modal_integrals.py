"""Flexible links given by their modal data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import ModelError, about
from lissom.model.fields import array, vector
from lissom.model.record import Record
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class ModalIntegrals(Record):
    """A flexible link given by its modal data, in Book's form over ``h = [1 x y z]``.

    Parameters
    ----------
    C : (4, 4)             1/2 int h0 h0^T dm
    Ck : (m, 4, 4)         1/2 int h0 phi_k^T dm
    Ckl : (m, m, 4, 4)     1/2 int phi_k phi_l^T dm
    K, D : (m, m)          modal stiffness and damping
    tip : (3,)             undeformed tip in the link frame
    tip_shift, tip_turn : (m, 3)   deflection and rotation of the tip per unit amplitude
    """

    C: Any
    Ck: Any
    Ckl: Any
    K: Any
    D: Any
    tip: Any
    tip_shift: Any
    tip_turn: Any

    def __post_init__(self) -> None:
        with about("modal integrals"):
            m = len(array(self.K, "K", (None, None)))
            shapes: dict[str, tuple[int, ...]] = {
                "C": (4, 4), "Ck": (m, 4, 4), "Ckl": (m, m, 4, 4), "K": (m, m), "D": (m, m),
                "tip_shift": (m, 3), "tip_turn": (m, 3),
            }  # fmt: skip
            for word, shape in shapes.items():
                self._set(**{word: array(getattr(self, word), word, shape)})
            self._set(tip=vector(self.tip, "tip"))
            if m == 0:
                raise ModelError("there are no modes; describe the link as a rigid one.")
            for word in ("C", "K", "D"):
                self._refuse_indefinite(word)
            slack = 1e-9 * float(np.abs(self.Ckl).max())
            if not np.allclose(self.Ckl, np.transpose(self.Ckl, (1, 0, 3, 2)), rtol=0, atol=slack):
                raise ModelError("Ckl[k][l] must be the transpose of Ckl[l][k].")
            if self.mass < 1e-30:
                raise ModelError(f"the mass 2 C[0, 0] is {self.mass:g}; expected more than 0.")

    def _refuse_indefinite(self, word: str) -> None:
        A = getattr(self, word)
        scale = np.abs(A).max()
        if np.abs(A - A.T).max() > 1e-9 * scale:
            raise ModelError(f"{word} is not symmetric.")
        if np.linalg.eigvalsh((A + A.T) / 2)[0] < -1e-9 * scale:
            raise ModelError(f"{word} has a negative eigenvalue; expected a positive semidefinite matrix.")

    @property
    def end(self) -> Array:
        """Undeformed tip in the link frame (3,) [m]."""
        return np.asarray(self.tip)

    @property
    def count(self) -> int:
        """Number of modal coordinates."""
        return len(self.K)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the modal coordinates."""
        return tuple(f"mode{k + 1}" for k in range(self.count))

    @property
    def mass(self) -> float:
        """Mass of the link without its hub [kg]."""
        return 2.0 * float(self.C[0, 0])

    @property
    def undeformed(self) -> Inertia:
        """The undeformed link as a rigid body in the link frame."""
        com = 2.0 * self.C[1:, 0] / self.mass
        second = 2.0 * self.C[1:, 1:] - self.mass * np.outer(com, com)
        return Inertia(self.mass, com, np.trace(second) * np.eye(3) - second)
