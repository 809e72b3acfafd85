"""Flexible links given by their modal data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import ModelError, about
from lissom.model.fields import array, vector
from lissom.model.loads import Payload
from lissom.model.record import Record
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class ModalIntegrals(Record):
    """A flexible link given by its modal data, in Book's form over ``h = [1 x y z]``.

    Parameters
    ----------
    C : (4, 4)             1/2 int h0 h0^T dm, his (30)
    Ck : (m, 4, 4)         1/2 int h0 phi_k^T dm, his (28)
    Ckl : (m, m, 4, 4)     1/2 int phi_k phi_l^T dm, his (25)
    K, D : (m, m)          modal stiffness, his (42), and damping
    tip : (3,)             undeformed tip in the link frame
    tip_shift, tip_turn : (m, 3)   deflection and rotation of the tip per unit amplitude
    Lam : (3, 4, m, m) or None     geometric stiffening: second-order displacements of the mass, as 1/2 eta Lam eta h
    tip_shift2, tip_turn2 : (m, m, 3) or None   second-order deflection and rotation of the tip, as 1/2 eta . eta

    Without the last three the link has no geometric stiffening.
    """

    C: Any
    Ck: Any
    Ckl: Any
    K: Any
    D: Any
    tip: Any
    tip_shift: Any
    tip_turn: Any
    Lam: Any = None
    tip_shift2: Any = None
    tip_turn2: Any = None

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
            self._clean_second_order(m)
            if m == 0:
                raise ModelError("there are no modes; describe the link as a rigid one.")
            for word in ("C", "K", "D"):
                self._refuse_indefinite(word)
            slack = 1e-9 * float(np.abs(self.Ckl).max())
            if not np.allclose(self.Ckl, np.transpose(self.Ckl, (1, 0, 3, 2)), rtol=0, atol=slack):
                raise ModelError("Ckl[k][l] must be the transpose of Ckl[l][k].")
            if self.mass < 1e-30:
                raise ModelError(f"the mass 2 C[0, 0] is {self.mass:g}; expected more than 0.")

    def _clean_second_order(self, m: int) -> None:
        """Validate the optional second-order tables, which must be symmetric in the two amplitudes."""
        for word, shape, swap in (("Lam", (3, 4, m, m), (0, 1, 3, 2)), ("tip_shift2", (m, m, 3), (1, 0, 2)),
                                  ("tip_turn2", (m, m, 3), (1, 0, 2))):  # fmt: skip
            if getattr(self, word) is None:
                continue
            table = array(getattr(self, word), word, shape)
            if np.abs(table - np.transpose(table, swap)).max() > 1e-9 * np.abs(table).max():
                raise ModelError(f"{word} is not symmetric in its two amplitudes.")
            self._set(**{word: table})

    @classmethod
    def from_matrices(
        cls,
        M: Any,
        K: Any,
        nodes: ArrayLike,
        root: Any,
        tip: Any,
        count: int = 4,
        damping: Any = 0.0,
        carries: Payload | None = None,
        frame: ArrayLike | None = None,
    ) -> Self:
        """A link from finite-element matrices, reduced to a few modes (Craig and Bampton).

        Parameters
        ----------
        M, K : (n, n) array or sparse       mass and stiffness of the free link, without supports; n = 3 N or 6 N,
                                            node by node: x, y, z (and turns about x, y, z)
        nodes : (N, 3)                      where the nodes are [m]
        root, tip : int or list of int      nodes (from 0) that sit on the joint, and that carry the tip frame: its
                                            origin is their middle, its axes are the link's
        count : int                         modes to keep, lowest first
        damping : float or (count,)         damping ratios
        carries : Payload or None           what the tip is assumed to carry when modes are chosen
        frame : (4, 4) or None              pose of the link frame in the axes of the nodes; None: the same

        Notes
        -----
        The basis holds low modes of the clamped link with its tip free, and the static shapes under forces and moments
        at its tip. Integrals are made with M itself. There is no geometric stiffening in M and K.

        Examples
        --------
        A lattice of bars with masses at its nodes:

        >>> nodes = np.array([[x, y, z] for x in (0, 0.2, 0.4) for y in (0, 0.1) for z in (0, 0.11)])
        >>> K = np.zeros((36, 36))
        >>> for i in range(12):
        ...     for j in range(i):
        ...         d = nodes[i] - nodes[j]
        ...         if (length := np.linalg.norm(d)) < 0.3:
        ...             bar = np.zeros((12, 3))
        ...             bar[i], bar[j] = d / length, -d / length
        ...             K += 1e4 / length * np.outer(bar, bar)
        >>> link = ModalIntegrals.from_matrices(0.05 * np.eye(36), K, nodes, root=range(4), tip=range(8, 12), count=2)
        >>> round(link.mass, 6), link.tip.round(6).tolist(), link.frequencies_hz.round(1).tolist()
        (0.6, [0.4, 0.05, 0.055], [26.5, 29.3])
        """
        from lissom.model.reduction import reduced

        with about("from_matrices"):
            return cls(**reduced(M, K, nodes, root, tip, count, damping, carries, frame))

    @property
    def stiffens(self) -> bool:
        """Whether terms of geometric stiffening are given."""
        return any(getattr(self, word) is not None for word in ("Lam", "tip_shift2", "tip_turn2"))

    @property
    def frequencies_hz(self) -> Array:
        """(modes,) natural frequencies of the link alone, clamped at its root, tip free."""
        from scipy.linalg import eigh

        M = 2.0 * np.einsum("klaa->kl", self.Ckl[:, :, 1:, 1:])
        return np.asarray(np.sqrt(np.maximum(eigh(self.K, M, eigvals_only=True), 0.0)) / (2 * np.pi))

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
