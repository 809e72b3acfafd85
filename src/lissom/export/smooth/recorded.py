"""Any function whose program the engine differentiates (`kernels/differentiated.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.export.smooth.base import AbstractSmooth, Blocks, symmetric
from lissom.kernels.cache import functions_of
from lissom.kernels.differentiated import curvature_of, pairs, product_of, slopes_of
from lissom.kernels.verb import Verb
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class Recorded(AbstractSmooth):
    """A function of the registry and its derivatives, each compiled when it is first needed.

    frame, point : what kinematics is about
    """

    def __init__(self, arm: Arm, verb: Verb, frame: str, point: Sequence[float]):
        self.arm, self.name, self.arguments = arm, verb.name, verb.arguments
        self._verb, self._frame, self._point = verb, frame, np.array(point)
        self._functions = functions_of(arm)
        self._value = self._function(verb)
        self._product = self._function(product_of(self.name))  # refused here, not when derivatives are asked for
        shape = verb.shapes(self._functions.bodies)[0]
        self.shape = () if verb.scalar else shape

    def _function(self, verb: Verb) -> Callable[..., Any]:
        if not verb.frame:
            return self._functions.get(verb).one
        function, place = self._functions.at_point(verb, self._frame, self._point)
        return lambda *x: function.one(*x, place)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        upper = pairs(self._verb)
        return (*upper, *((b, a) for a, b in upper if a != b))

    def value(self, *x: Array) -> Array:
        return np.asarray(self._verb.returned(self._value(*x)))

    def gradient(self, *x: Array) -> Sequence[Array]:
        return self._all(self._slopes(*x))

    def product(self, *x: Array) -> Sequence[Array]:
        return self._all(self._product(*x))

    def hessian(self, *x: Array) -> Blocks:
        found = self._curvature(*x)
        upper = pairs(self._verb)
        return symmetric(dict(zip(upper, found if len(upper) > 1 else (found,), strict=True)))

    def _all(self, found: Any) -> Sequence[Array]:
        """Results of a function as a sequence, also where it is one."""
        return found if len(self.arguments) > 1 else (found,)

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        return self._function(slopes_of(self.name))

    @cached_property
    def _curvature(self) -> Callable[..., Any]:
        return self._function(curvature_of(self.name))
