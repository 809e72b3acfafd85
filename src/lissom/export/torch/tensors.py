"""The function on tensors that users call: what it reads, and how it is copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.offered import smooth_function
from lissom.export.torch.autograd import Value
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm

PRECISIONS = (torch.float64, torch.float32)


class TorchFunction:
    """A function of an arm on tensors, see `torch_function`.

    Attributes
    ----------
    arm : Arm
    verb : str                      name of lissom's function
    arguments : tuple of str        names of the state arguments
    """

    def __init__(self, smooth: AbstractSmooth, frame: str | None, point: ArrayLike):
        self.arm, self.verb, self.arguments = smooth.arm, smooth.name, smooth.arguments
        self._smooth, self._place = smooth, (frame, point)
        self._joints = torch.as_tensor(np.array(smooth.arm.joint_index))

    def __call__(self, *state: Any) -> torch.Tensor:
        if len(state) != len(self.arguments):
            raise InputError(f"{self.verb}: got {len(state)} tensors; expected {', '.join(self.arguments)}.")
        if self._plain(state):  # nothing to convert, in a tenth of the time
            return Value.apply(self._smooth, *state)
        tensors = [self._read(x, word) for x, word in zip(state, self.arguments, strict=True)]
        try:
            batch = torch.broadcast_shapes(*(x.shape[:-1] for x in tensors))
        except RuntimeError:
            shapes = ", ".join(f"{word} {tuple(x.shape)}" for word, x in zip(self.arguments, tensors, strict=True))
            raise InputError(f"{self.verb}: the batches do not fit together: {shapes}.") from None
        kind = torch.float64 if any(x.dtype == torch.float64 for x in tensors) else torch.float32
        return Value.apply(self._smooth, *(x.to(kind).expand(*batch, -1) for x in tensors))

    def _plain(self, state: tuple[Any, ...]) -> bool:
        """Whether all are tensors of one shape in double precision, with one entry per coordinate."""
        shape: Any = getattr(state[0], "shape", ())
        same = all(type(x) is torch.Tensor and x.dtype is torch.float64 and x.shape == shape for x in state)
        return same and len(shape) > 0 and shape[-1] == self.arm.dof

    def _read(self, value: Any, word: str) -> torch.Tensor:
        """A tensor with one entry per coordinate; entries that belong to no joint are zero where they are left out."""
        x = value if isinstance(value, torch.Tensor) else torch.as_tensor(as_state(self.arm, value, word, self.verb))
        if x.dtype not in PRECISIONS:
            raise InputError(f"{self.verb}: {word} is of {x.dtype}; expected torch.float64 or torch.float32.")
        joints, dof = len(self._joints), self.arm.dof
        if x.ndim and x.shape[-1] == dof:
            return x
        if x.ndim and x.shape[-1] == joints:
            return x.new_zeros(*x.shape[:-1], dof).index_copy(-1, self._joints.to(x.device), x)
        want = f"{dof}" if dof == joints else f"{dof}, or {joints} for the joints alone"
        raise InputError(f"{self.verb}: {word} has shape {tuple(x.shape)}; expected (..., n) with n = {want}.")

    def __repr__(self) -> str:
        return f"<{self.verb} of arm {self.arm.name!r} for torch>"

    def __reduce__(self) -> Any:
        return made, (self.arm, self.verb, *self._place)

    def __deepcopy__(self, memo: Any) -> TorchFunction:
        return self  # nothing in it changes


def made(arm: Arm, verb: str, frame: str | None, point: ArrayLike) -> TorchFunction:
    """The function of a verb; raises an error where there is none."""
    smooth = smooth_function(arm, verb, frame, point, "torch_function", "torch's own derivatives")
    return TorchFunction(smooth, frame, point)
