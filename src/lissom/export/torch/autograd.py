"""Functions of an arm that torch differentiates. With w adjoints of the result, and v and u changes of the states x:

    Value(x)                  y                                   adjoints: Product
    Product(w, x)             adjoints of x                       by w: Tangent; by x: HessianProduct
    Tangent(x, v)             change of y along v                 by x: HessianProduct; by v: Product
    HessianProduct(w, x, v)   d (sum_a v_a . Product_a) / dx      by w: SecondTangent; by v: itself
    SecondTangent(x, v, u)    second change of y along v and u    by v and by u: HessianProduct

Those are adjoints, for `backward`. Forwards, by x: Value has Tangent, Product has HessianProduct, Tangent has
SecondTangent; all are linear in w, v and u. Third derivatives, which are those of the last two by x, do not exist.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from lissom.export.smooth.base import AbstractSmooth, no_third_derivatives
from lissom.spatial.rotations import Array

Tensors = Sequence[torch.Tensor]
ANY = inspect.Signature([inspect.Parameter("given", inspect.Parameter.VAR_POSITIONAL)])
transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)  # what torch itself asks
FLOAT = np.dtype(float)  # comparing with it is much quicker than with `float`


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

    @classmethod
    def apply(cls, *given: Any) -> Any:
        """Call the function; arguments are bound to a signature, as torch does, only where transforms need that."""
        return super().apply(*given) if transformed() else super(torch.autograd.Function, cls).apply(*given)

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
        return None, Tangent.apply(ctx.smooth, *x, *v), *HessianProduct.apply(ctx.smooth, w, *x, *v)

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        w, *x = ctx.saved_tensors
        dw, *dx = _filled(changes, ctx.saved_tensors)
        return Sum.apply(
            ctx.smooth, *Product.apply(ctx.smooth, dw, *x), *HessianProduct.apply(ctx.smooth, w, *x, *dx)
        )  # fmt: skip


@batched
class Tangent(Saved):
    """The change of the result along changes of the states."""

    @staticmethod
    def forward(smooth: AbstractSmooth, *given: torch.Tensor) -> torch.Tensor:
        x, v = _parts(_arrays(given), 2)
        return _result(smooth, smooth.tangent(x, v), given[0])

    @staticmethod
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        x, v = _parts(ctx.saved_tensors, 2)
        return None, *HessianProduct.apply(ctx.smooth, w, *x, *v), *Product.apply(ctx.smooth, w, *x)

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        x, v = _parts(ctx.saved_tensors, 2)
        dx, dv = _parts(_filled(changes, ctx.saved_tensors), 2)
        parts = SecondTangent.apply(ctx.smooth, *x, *v, *dx), Tangent.apply(ctx.smooth, *x, *dv)
        return Sum.apply(ctx.smooth, *parts)[0]


class Second(Saved):
    """A second derivative: it is differentiated by all but the states, whose changes are distinguished from zeros."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        Saved.setup_context(ctx, inputs, output)
        ctx.set_materialize_grads(False)


@batched
class HessianProduct(Second):
    """The Hessian of a weighted sum of the result, times changes of the states."""

    @staticmethod
    def forward(smooth: AbstractSmooth, w: torch.Tensor, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, v = _parts(_arrays(given), 2)
        return tuple(_tensor(y, w) for y in smooth.hessian_vector_product(x, _weights(smooth, w), v))

    @staticmethod
    def backward(ctx: Any, *adjoints: torch.Tensor | None) -> Any:
        w, *given = ctx.saved_tensors
        x, v = _parts(given, 2)
        u = _filled(adjoints, x)
        _refuse_third(ctx.needs_input_grad[2 : 2 + len(x)])
        by_w, by_v = SecondTangent.apply(ctx.smooth, *x, *v, *u), HessianProduct.apply(ctx.smooth, w, *x, *u)
        return None, by_w, *(None for _ in x), *by_v

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        w, *given = ctx.saved_tensors
        x, v = _parts(given, 2)
        _refuse_third(dx is not None for dx in changes[1 : 1 + len(x)])
        dw, *moved = _filled(changes, ctx.saved_tensors)
        _, dv = _parts(moved, 2)
        return Sum.apply(
            ctx.smooth, *HessianProduct.apply(ctx.smooth, dw, *x, *v), *HessianProduct.apply(ctx.smooth, w, *x, *dv)
        )


@batched
class SecondTangent(Second):
    """The second change of the result along two changes of the states."""

    @staticmethod
    def forward(smooth: AbstractSmooth, *given: torch.Tensor) -> torch.Tensor:
        return _result(smooth, smooth.second_tangent(*_parts(_arrays(given), 3)), given[0])

    @staticmethod
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        x, v, u = _parts(ctx.saved_tensors, 3)
        _refuse_third(ctx.needs_input_grad[1 : 1 + len(x)])
        by_v, by_u = (HessianProduct.apply(ctx.smooth, w, *x, *other) for other in (u, v))
        return None, *(None for _ in x), *by_v, *by_u

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        x, v, u = _parts(ctx.saved_tensors, 3)
        _refuse_third(dx is not None for dx in changes[: len(x)])
        _, dv, du = _parts(_filled(changes, ctx.saved_tensors), 3)
        parts = SecondTangent.apply(ctx.smooth, *x, *dv, *u), SecondTangent.apply(ctx.smooth, *x, *v, *du)
        return Sum.apply(ctx.smooth, *parts)[0]


@batched
class Sum(Saved):
    """Sums of pairs of tensors. Inside `jvp` torch adds without the forward derivatives of transforms around it."""

    @staticmethod
    def forward(smooth: AbstractSmooth, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(a + b for a, b in zip(*_parts(given, 2), strict=True))

    @staticmethod
    def backward(ctx: Any, *adjoints: torch.Tensor) -> Any:
        return None, *adjoints, *adjoints

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: torch.Tensor | None) -> Any:
        return Sum.apply(ctx.smooth, *_filled(changes, ctx.saved_tensors))


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


def _result(smooth: AbstractSmooth, rows: Array, like: torch.Tensor) -> torch.Tensor:
    """A tensor like the result of the function, from its entries as rows."""
    return _tensor(rows.reshape((*rows.shape[:-1], *smooth.shape)), like)


def _parts(given: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """A number of groups of equal length."""
    size = len(given) // count
    return [given[k * size : (k + 1) * size] for k in range(count)]


def _filled(changes: Sequence[torch.Tensor | None], x: Tensors) -> list[torch.Tensor]:
    """Changes of all tensors, zero where there are none."""
    return [torch.zeros_like(a) if dx is None else dx for dx, a in zip(changes, x, strict=True)]


def _refuse_third(by_states: Iterable[bool]) -> None:
    """Raise an error where second derivatives are differentiated by the states."""
    if any(by_states):
        raise no_third_derivatives("torch_function")
