"""What every function with derivatives offers.

Arrays of states are (..., n), results (..., *shape). With w one weight per entry of the result y,

    gradient(x)         matrices dy/dx (..., rows, n), one for each state argument
    product(x, w)       d (w . y) / dx, one vector for each state argument
    hessian(x, w)       d2 (w . y) / dx dx, matrices by pairs of state arguments; what is missing is zero
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod

import numpy as np

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

Blocks = dict[tuple[int, int], Array]


class AbstractSmooth(ABC):
    """A function of an arm and its state.

    arm, name : the arm, and the name of the function
    arguments : names of the state arguments
    shape : of the result for one state
    """

    arm: Arm
    name: str
    arguments: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Entries of the result."""
        return prod(self.shape)

    @property
    @abstractmethod
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of state arguments for which `hessian` has matrices."""

    @abstractmethod
    def value(self, *x: Array) -> Array:
        """The result (..., *shape)."""

    @abstractmethod
    def gradient(self, *x: Array) -> Sequence[Array]:
        """First derivatives, rows are entries of the result."""

    @abstractmethod
    def product(self, *x: Array) -> Sequence[Array]:
        """Derivatives of the weighted sum of the result; the weights (..., rows) are the last argument."""

    @abstractmethod
    def hessian(self, *x: Array) -> Blocks:
        """Second derivatives of the weighted sum of the result, by `pairs`; the weights are the last argument."""

    def tangent(self, x: Sequence[Array], v: Sequence[Array]) -> Array:
        """Change of the result (..., rows) along changes v of the states."""
        return np.asarray(sum(_applied(J, change) for J, change in zip(self.gradient(*x), v, strict=True)))

    def hessian_vector_product(self, x: Sequence[Array], w: Array, v: Sequence[Array]) -> list[Array]:
        """Hessian of the weighted sum times v: ``d (sum_a v_a . product_a(x, w)) / dx``, by every state."""
        H = self.hessian(*x, w)
        found = [np.zeros(change.shape) for change in v]
        for (a, b), block in H.items():
            found[a] = found[a] + _applied(block, v[b])
        return found

    def second_tangent(self, x: Sequence[Array], v: Sequence[Array], u: Sequence[Array]) -> Array:
        """Second change of the result (..., rows) along changes v and u of the states."""
        H = self.hessian(*(state[..., None, :] for state in x), np.eye(self.rows))
        terms = [v[a][..., None, :] * _applied(block, u[b][..., None, :]) for (a, b), block in H.items()]
        return np.asarray(sum(term.sum(axis=-1) for term in terms))


def no_third_derivatives(name: str) -> UnsupportedError:
    """The error where a framework asks for more than there is."""
    return UnsupportedError(f"{name}: third derivatives do not exist here; second derivatives are the highest.")


def symmetric(blocks: Blocks) -> Blocks:
    """All blocks, from those of the upper half."""
    return blocks | {(b, a): np.swapaxes(block, -1, -2) for (a, b), block in blocks.items() if a != b}


def _applied(matrix: Array, vector: Array) -> Array:
    """A matrix times a vector, for every state."""
    return (matrix @ vector[..., None])[..., 0]
