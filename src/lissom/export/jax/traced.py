"""The function on JAX arrays that users call."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from lissom.export.jax.primitive import VALUE, bind
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.on_arrays import AbstractOnArrays


class JaxFunction(AbstractOnArrays):
    """A function of an arm on JAX arrays, see `jax_function`.

    Attributes
    ----------
    arm : Arm
    verb : str                      name of lissom's function
    arguments : tuple of str        names of the state arguments
    """

    framework, arrays, precisions = "jax", "arrays", (np.dtype("float64"), np.dtype("float32"))

    def __init__(self, smooth: AbstractSmooth, frame: str | None, point: ArrayLike):
        super().__init__(smooth, frame, point)
        self.__name__ = smooth.name  # for messages and profiles of JAX

    def __call__(self, *state: Any) -> jax.Array:
        arrays, batch = self._states(state)
        kind = jnp.result_type(*arrays)
        (y,) = bind(VALUE, self.smooth, [jnp.broadcast_to(x.astype(kind), (*batch, self.arm.dof)) for x in arrays])
        return y

    def _array(self, value: Any) -> jax.Array:
        return jnp.asarray(value)

    def _is_own(self, value: Any) -> bool:
        return isinstance(value, jax.Array)

    def _with_zeros(self, x: jax.Array) -> jax.Array:
        return jnp.zeros((*x.shape[:-1], self.arm.dof), x.dtype).at[..., np.array(self.arm.joint_index)].set(x)
