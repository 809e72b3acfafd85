"""Functions of an arm that torch differentiates. With w adjoints of the result, and v vectors like the states x:

    Value(x)           y                                   backward: Product
    Product(w, x)      adjoints of x                       backward: Tangent by w, Bend by x
    Tangent(x, v)      change of y along v                 backward: Bend by x, Product by v
    Bend(w, x, v)      d (sum_a v_a . Product_a) / dx      no derivatives

Forwards, Value has Tangent and Product has Product and Bend.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from lissom.errors import UnsupportedError
from lissom.export.smooth.base import AbstractSmooth
from lissom.spatial.rotations import Array

Tensors = Sequence[torch.Tensor]
ANY = inspect.Signature([inspect.Parameter("given", inspect.Parameter.VAR_POSITIONAL)])
FLOAT = np.dtype(float)  # comparing with it is much quicker than with `float`
THIRD = "torch_function: third derivatives do not exist here; second derivatives are the highest."


def batched(kind: Any) -> Any:
    """A function with a rule for `vmap`: the mapped axis becomes the first one of the batch."""
    kind.forward.__signature__ = ANY  # torch binds arguments to it in every call, and would make it anew

    def vmap(info: Any, in_dims: Any, smooth: AbstractSmooth, *given: torch.Tensor) -> Any:
        moved = [
            x.expand(info.batch_size, *x.shape) if at is None else x.movedim(at, 0)
            for x, at in zip(given, in_dims[1:], strict=True)
        ]
        found = kind.apply(smooth, *moved)
        return found, 0 if isinstance(found, torch.Tensor) else (0,) * len(found)

    kind.vmap = staticmethod(vmap)
    return kind


class Saved(torch.autograd.Function):  # type: ignore[misc]
    """A function of tensors that derivatives need again; the first argument is the function of the arm."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.smooth, *given = inputs
        ctx.save_for_backward(*given)
        ctx.save_for_forward(*given)


@batched
class Value(Saved):
    """The result."""

    @staticmethod
    def forward(smooth: AbstractSmooth, *x: torch.Tensor) -> torch.Tensor:
        return _tensor(smooth.value(*_arrays(x)), x[0])

    @staticmethod
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        again = torch.is_grad_enabled()  # the derivatives are differentiated, or mapped
        return None, *(Product.apply if again else Product.forward)(ctx.smooth, w, *ctx.saved_tensors)

    @staticmethod
    def jvp(ctx: Any, _: Any, *dx: torch.Tensor | None) -> Any:
        return Tangent.apply(ctx.smooth, *ctx.saved_tensors, *_filled(dx, ctx.saved_tensors))


@batched
class Product(Saved):
    """Adjoints of the states from those of the result."""

    @staticmethod
    def forward(smooth: AbstractSmooth, w: torch.Tensor, *x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(_tensor(y, w) for y in smooth.product(*_arrays(x), _weights(smooth, w)))

    @staticmethod
    def backward(ctx: Any, *v: torch.Tensor) -> Any:
        w, *x = ctx.saved_tensors
        return None, Tangent.apply(ctx.smooth, *x, *v), *Bend.apply(ctx.smooth, w, *x, *v)

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        w, *x = ctx.saved_tensors
        dw, *dx = _filled(changes, ctx.saved_tensors)
        parts = Product.apply(ctx.smooth, dw, *x), Bend.apply(ctx.smooth, w, *x, *dx)
        return tuple(a + b for a, b in zip(*parts, strict=True))


@batched
class Tangent(Saved):
    """The change of the result along changes of the states."""

    @staticmethod
    def forward(smooth: AbstractSmooth, *given: torch.Tensor) -> torch.Tensor:
        x, v = _halves(_arrays(given))
        change = smooth.tangent(x, v)
        return _tensor(change.reshape((*change.shape[:-1], *smooth.shape)), given[0])

    @staticmethod
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        x, v = _halves(ctx.saved_tensors)
        return None, *Bend.apply(ctx.smooth, w, *x, *v), *Product.apply(ctx.smooth, w, *x)


@batched
class Bend(Saved):
    """Derivatives of the sum of the adjoints with vectors, by the states."""

    @staticmethod
    def forward(smooth: AbstractSmooth, w: torch.Tensor, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, v = _halves(_arrays(given))
        return tuple(_tensor(y, w) for y in smooth.bend(x, _weights(smooth, w), v))

    @staticmethod
    def backward(ctx: Any, *_: torch.Tensor) -> Any:
        raise UnsupportedError(THIRD)


def _arrays(tensors: Tensors) -> list[Array]:
    """Arrays in double precision, without a copy where that is possible."""
    return [_array(x) for x in tensors]


def _array(x: torch.Tensor) -> Array:
    found: Array = x.numpy(force=True)
    return found if found.dtype == FLOAT else found.astype(float)


def _weights(smooth: AbstractSmooth, w: torch.Tensor) -> Array:
    """Adjoints of the result as rows."""
    found = _array(w)
    return found if len(smooth.shape) == 1 else found.reshape(*w.shape[: w.ndim - len(smooth.shape)], smooth.rows)


def _tensor(y: Array, like: torch.Tensor) -> torch.Tensor:
    if not (y.ndim and y.flags.c_contiguous):
        y = y.copy()
    found = torch.from_numpy(y)
    return found if like.dtype is torch.float64 and like.is_cpu else found.to(dtype=like.dtype, device=like.device)


def _halves(given: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    return given[: len(given) // 2], given[len(given) // 2 :]


def _filled(changes: Sequence[torch.Tensor | None], x: Tensors) -> list[torch.Tensor]:
    """Changes of all tensors, zero where there are none."""
    return [torch.zeros_like(a) if dx is None else dx for dx, a in zip(changes, x, strict=True)]
