"""The function on JAX arrays that users call: what it reads."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.export.jax.primitive import VALUE, bind
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.offered import smooth_function
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm

PRECISIONS = ("float64", "float32")


class JaxFunction:
    """A function of an arm on JAX arrays, see `jax_function`.

    Attributes
    ----------
    arm : Arm
    verb : str                      name of lissom's function
    arguments : tuple of str        names of the state arguments
    """

    def __init__(self, smooth: AbstractSmooth, frame: str | None, point: ArrayLike):
        self.arm, self.verb, self.arguments = smooth.arm, smooth.name, smooth.arguments
        self.smooth, self._place = smooth, (frame, point)
        self.__name__ = smooth.name  # for messages and profiles of JAX

    def __call__(self, *state: Any) -> jax.Array:
        if len(state) != len(self.arguments):
            raise InputError(f"{self.verb}: got {len(state)} arrays; expected {', '.join(self.arguments)}.")
        arrays = [self._read(x, word) for x, word in zip(state, self.arguments, strict=True)]
        try:
            batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        except ValueError:
            shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(self.arguments, arrays, strict=True))
            raise InputError(f"{self.verb}: the batches do not fit together: {shapes}.") from None
        kind = jnp.result_type(*arrays)
        (y,) = bind(VALUE, self.smooth, [jnp.broadcast_to(x.astype(kind), (*batch, self.arm.dof)) for x in arrays])
        return y

    def _read(self, value: Any, word: str) -> jax.Array:
        """An array with one entry per coordinate; entries that belong to no joint are zero where they are left out."""
        x = jnp.asarray(value if isinstance(value, jax.Array) else as_state(self.arm, value, word, self.verb))
        if x.dtype.name not in PRECISIONS:
            raise InputError(f"{self.verb}: {word} is of {x.dtype}; expected float64 or float32.")
        joints, dof = self.arm.joint_index, self.arm.dof
        if x.ndim and x.shape[-1] == dof:
            return x
        if x.ndim and x.shape[-1] == len(joints):
            return jnp.zeros((*x.shape[:-1], dof), x.dtype).at[..., np.array(joints)].set(x)
        want = f"{dof}" if dof == len(joints) else f"{dof}, or {len(joints)} for the joints alone"
        raise InputError(f"{self.verb}: {word} has shape {x.shape}; expected (..., n) with n = {want}.")

    def __repr__(self) -> str:
        return f"<{self.verb} of arm {self.arm.name!r} for jax>"

    def __reduce__(self) -> Any:
        return made, (self.arm, self.verb, *self._place)

    def __deepcopy__(self, memo: Any) -> JaxFunction:
        return self  # nothing in it changes


def made(arm: Arm, verb: str, frame: str | None, point: ArrayLike) -> JaxFunction:
    """The function of a verb; raises an error where there is none."""
    smooth = smooth_function(arm, verb, frame, point, "jax_function", "jax's own derivatives")
    return JaxFunction(smooth, frame, point)
