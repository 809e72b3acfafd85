"""The function on JAX arrays that users call: what it reads, and the derivatives that JAX finds.

    value       y(x)              derivative: slopes times the changes of the states
    slopes      dy/dx             derivative: bends times the changes of the states
    bends       d (dy/dx) / dx    no derivatives

Each is one call of Python. Derivatives are products with these matrices, so that JAX can turn them round by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError
from lissom.export.smooth.base import AbstractSmooth
from lissom.export.smooth.offered import smooth_function
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm

PRECISIONS = ("float64", "float32")
THIRD = "jax_function: third derivatives do not exist here; second derivatives are the highest."


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
        self.smooth, self._place, self._value = smooth, (frame, point), differentiated(smooth)
        self.__name__ = smooth.name  # for messages and profiles of JAX

    def __call__(self, *state: Any) -> jax.Array:
        if len(state) != len(self.arguments):
            raise InputError(f"{self.verb}: got {len(state)} arrays; expected {', '.join(self.arguments)}.")
        arrays = [self._read(x, word) for x, word in zip(state, self.arguments, strict=True)]
        try:
            jnp.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        except ValueError:
            shapes = ", ".join(f"{word} {x.shape}" for word, x in zip(self.arguments, arrays, strict=True))
            raise InputError(f"{self.verb}: the batches do not fit together: {shapes}.") from None
        kind = jnp.result_type(*arrays)
        found: jax.Array = self._value(*(x.astype(kind) for x in arrays))
        return found

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


def differentiated(smooth: AbstractSmooth) -> Callable[..., Any]:
    """The function of traced arrays."""
    n, rows, pairs = smooth.arm.dof, smooth.rows, smooth.pairs

    def compute(*given: Any) -> list[Any]:
        H = smooth.hessian(*(state[..., None, :] for state in given), np.eye(rows))
        return [H[pair] for pair in pairs]

    value = jax.custom_jvp(lambda *x: _called(lambda *given: [smooth.value(*given)], [smooth.shape], x)[0])
    slopes = jax.custom_jvp(lambda *x: _called(smooth.gradient, [(rows, n)] * len(x), x))
    bends = jax.custom_jvp(lambda *x: _called(compute, [(rows, n, n)] * len(pairs), x))

    def along(x: Sequence[Any], dx: Sequence[Any]) -> Any:
        change = sum(jnp.einsum("...ij,...j->...i", J, d) for J, d in zip(slopes(*x), dx, strict=True))
        y = value(*x)
        return y, change.reshape(y.shape)

    def bent(x: Sequence[Any], dx: Sequence[Any]) -> Any:
        J = slopes(*x)
        changes = [jnp.zeros_like(one) for one in J]
        for (a, b), block in zip(pairs, bends(*x), strict=True):
            changes[a] += jnp.einsum("...ijk,...k->...ij", block, dx[b])
        return J, changes

    def refused(x: Sequence[Any], dx: Sequence[Any]) -> Any:
        raise UnsupportedError(THIRD)

    value.defjvp(along)
    slopes.defjvp(bent)
    bends.defjvp(refused)
    return value


def _called(compute: Callable[..., Any], shapes: Sequence[tuple[int, ...]], x: Sequence[Any]) -> list[Any]:
    """Results of a function of arrays of states, computed outside JAX; `vmap` puts its axis before those of states."""
    kind = x[0].dtype
    batch = np.broadcast_shapes(*(state.shape[:-1] for state in x))

    def outside(*given: Any) -> list[Any]:
        arrays = [np.asarray(state, float) for state in given]
        whole = np.broadcast_shapes(*(state.shape[:-1] for state in arrays))
        found = zip(compute(*arrays), shapes, strict=True)
        return [np.broadcast_to(y, (*whole, *shape)).astype(kind, copy=False) for y, shape in found]

    results = [jax.ShapeDtypeStruct((*batch, *shape), kind) for shape in shapes]
    return jax.pure_callback(outside, results, *x, vmap_method="broadcast_all")
