"""The function on tensors that users call."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.on_arrays import AbstractOnArrays
from lissom.export.torch.autograd import Value


class TorchFunction(AbstractOnArrays):
    """A function of an arm on tensors, see `torch_function`.

    Attributes
    ----------
    arm : Arm
    verb : str                      name of lissom's function
    arguments : tuple of str        names of the state arguments
    """

    framework, arrays, precisions = "torch", "tensors", (torch.float64, torch.float32)

    def __init__(self, smooth: AbstractSmooth, frame: str | None, point: ArrayLike):
        super().__init__(smooth, frame, point)
        self._joints = torch.as_tensor(np.array(smooth.arm.joint_index))

    def __call__(self, *state: Any) -> torch.Tensor:
        if self._plain(state):  # nothing to convert, in a tenth of the time
            return Value.apply(self.smooth, *state)
        tensors, batch = self._states(state)
        kind = torch.float64 if any(x.dtype == torch.float64 for x in tensors) else torch.float32
        return Value.apply(self.smooth, *(x.to(kind).expand(*batch, -1) for x in tensors))

    def _plain(self, state: tuple[Any, ...]) -> bool:
        """Whether all are tensors of one shape in double precision, with one entry per coordinate."""
        if len(state) != len(self.arguments):
            return False
        shape: Any = getattr(state[0], "shape", ())
        same = all(type(x) is torch.Tensor and x.dtype is torch.float64 and x.shape == shape for x in state)
        return same and len(shape) > 0 and shape[-1] == self.arm.dof

    def _array(self, value: Any) -> torch.Tensor:
        return torch.as_tensor(value)

    def _is_own(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def _with_zeros(self, x: torch.Tensor) -> torch.Tensor:
        zeros = x.new_zeros(*x.shape[:-1], self.arm.dof)
        return zeros.index_copy(-1, self._joints.to(x.device), x)
