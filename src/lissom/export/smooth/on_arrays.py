"""A function of an arm on the arrays of a framework: what it reads, and how it is copied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.offered import smooth_function
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm


class AbstractOnArrays(ABC):
    """A function of an arm on the arrays of a framework.

    framework, arrays : its name, and what it calls arrays, for messages
    precisions : data types that it computes in, double precision first

    arm : Arm
    verb : name of lissom's function
    arguments : names of the state arguments
    """

    framework: ClassVar[str]
    arrays: ClassVar[str]
    precisions: ClassVar[tuple[Any, ...]]

    def __init__(self, smooth: AbstractSmooth, frame: str | None, point: ArrayLike):
        self.arm, self.verb, self.arguments = smooth.arm, smooth.name, smooth.arguments
        self.smooth, self._place = smooth, (frame, point)

    @classmethod
    def of(cls, arm: Arm, verb: str, frame: str | None, point: ArrayLike) -> Self:
        """The function of a verb; raises an error where there is none."""
        derivatives = f"{cls.framework}'s own derivatives"
        return cls(smooth_function(arm, verb, frame, point, f"{cls.framework}_function", derivatives), frame, point)

    @abstractmethod
    def _array(self, value: Any) -> Any:
        """An array of the framework, from one of its own or of numpy."""

    @abstractmethod
    def _is_own(self, value: Any) -> bool:
        """Whether a value is an array of the framework already."""

    @abstractmethod
    def _with_zeros(self, x: Any) -> Any:
        """An array with one entry per coordinate, from one with an entry per joint."""

    def _states(self, state: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
        """Arrays with one entry per coordinate, and their batch."""
        if len(state) != len(self.arguments):
            raise InputError(f"{self.verb}: got {len(state)} {self.arrays}; expected {', '.join(self.arguments)}.")
        found = [self._read(x, word) for x, word in zip(state, self.arguments, strict=True)]
        try:
            return found, np.broadcast_shapes(*(x.shape[:-1] for x in found))
        except ValueError:
            shapes = ", ".join(f"{word} {tuple(x.shape)}" for word, x in zip(self.arguments, found, strict=True))
            raise InputError(f"{self.verb}: the batches do not fit together: {shapes}.") from None

    def _read(self, value: Any, word: str) -> Any:
        """An array with one entry per coordinate; entries that belong to no joint are zero where they are left out."""
        x = self._array(value if self._is_own(value) else as_state(self.arm, value, word, self.verb))
        if x.dtype not in self.precisions:
            expected = " or ".join(map(str, self.precisions))
            raise InputError(f"{self.verb}: {word} is of {x.dtype}; expected {expected}.")
        joints, dof = len(self.arm.joint_index), self.arm.dof
        if x.ndim and x.shape[-1] == dof:
            return x
        if x.ndim and x.shape[-1] == joints:
            return self._with_zeros(x)
        want = f"{dof}" if dof == joints else f"{dof}, or {joints} for the joints alone"
        raise InputError(f"{self.verb}: {word} has shape {tuple(x.shape)}; expected (..., n) with n = {want}.")

    def __repr__(self) -> str:
        return f"<{self.verb} of arm {self.arm.name!r} for {self.framework}>"

    def __reduce__(self) -> Any:
        return type(self).of, (self.arm, self.verb, *self._place)

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # nothing in it changes
