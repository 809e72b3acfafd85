"""What JAX knows of a function of an arm: one primitive, and how it is differentiated, transposed and mapped.

With x the states, v and u changes of them, w adjoints of the result y:

    value            x          y                                derivative: tangent
    tangent          x, v       change of y along v              derivative by x: second_tangent; transposed: product
    product          x, w       adjoints of x                    derivative by x: hessian_product; transposed: tangent
    hessian_product  x, v, w    d (sum_a v_a . product_a) / dx   transposed by v: itself; by w: second_tangent
    second_tangent   x, v, u    second change of y               transposed by v and by u: hessian_product

All but `value` are linear in their arguments after x, and are differentiated by these as linear functions. Arrays have
their batch in front, the same one in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from lissom.export.smooth.base import AbstractSmooth, no_third_derivatives

VALUE, TANGENT, PRODUCT = "value", "tangent", "product"
HESSIAN_PRODUCT, SECOND_TANGENT = "hessian_product", "second_tangent"
STATES, RESULT = "states", "result"  # what an argument or a result is like
LINEAR: dict[str, tuple[str, ...]] = {  # what the arguments after the states are like
    VALUE: (), TANGENT: (STATES,), PRODUCT: (RESULT,), HESSIAN_PRODUCT: (STATES, RESULT),
    SECOND_TANGENT: (STATES, STATES),
}  # fmt: skip
GIVES = {VALUE: RESULT, TANGENT: RESULT, PRODUCT: STATES, HESSIAN_PRODUCT: STATES, SECOND_TANGENT: RESULT}

FUNCTION = Primitive("lissom_function")
FUNCTION.multiple_results = True


def bind(kind: str, smooth: AbstractSmooth, *groups: Sequence[Any]) -> list[Any]:
    """Results of a kind; the states and each of its other arguments are sequences of arrays."""
    found: list[Any] = FUNCTION.bind(*(x for group in groups for x in group), kind=kind, smooth=smooth)
    return found


def _grouped(args: Sequence[Any], kind: str, smooth: AbstractSmooth) -> list[list[Any]]:
    """Arguments as the states and those in which the function is linear."""
    groups, at = [], 0
    for like in (STATES, *LINEAR[kind]):
        size = len(smooth.arguments) if like == STATES else 1
        groups.append(list(args[at : at + size]))
        at += size
    return groups


def _shapes(like: str, smooth: AbstractSmooth) -> list[tuple[int, ...]]:
    """Shapes of arrays like the states or the result, without their batch."""
    return [(smooth.arm.dof,)] * len(smooth.arguments) if like == STATES else [smooth.shape]


# ---- values --------------------------------------------------------------------------------------


def _outside(kind: str, smooth: AbstractSmooth, *arrays: Any) -> list[Any]:
    """Compute outside JAX."""
    type_, groups = arrays[0].dtype, _grouped([np.asarray(array, float) for array in arrays], kind, smooth)
    x, *linear = groups
    batch = x[0].shape[:-1]
    rows = [array.reshape((*batch, smooth.rows)) for array in linear[-1]] if RESULT in LINEAR[kind] else []
    found: Any
    match kind:
        case "value":
            found = [smooth.value(*x)]
        case "tangent":
            found = [smooth.tangent(x, linear[0])]
        case "product":
            found = smooth.product(*x, *rows)
        case "hessian_product":
            found = smooth.hessian_vector_product(x, rows[0], linear[0])
        case _:
            found = [smooth.second_tangent(x, *linear)]
    shapes = _shapes(GIVES[kind], smooth)
    return [y.reshape((*batch, *shape)).astype(type_, copy=False) for y, shape in zip(found, shapes, strict=True)]


def _abstract(*avals: Any, kind: str, smooth: AbstractSmooth) -> list[Any]:
    batch, shapes = avals[0].shape[:-1], _shapes(GIVES[kind], smooth)
    return [jax.core.ShapedArray((*batch, *shape), avals[0].dtype) for shape in shapes]


def _called(*args: Any, kind: str, smooth: AbstractSmooth) -> Any:
    results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in _abstract(*args, kind=kind, smooth=smooth)]
    return jax.pure_callback(lambda *arrays: _outside(kind, smooth, *arrays), results, *args)


# ---- transforms ----------------------------------------------------------------------------------


def _differentiated(primals: Sequence[Any], tangents: Sequence[Any], *, kind: str, smooth: AbstractSmooth) -> Any:
    groups, changes = _grouped(primals, kind, smooth), _grouped(tangents, kind, smooth)
    terms = []
    for k, change in enumerate(changes):
        if all(type(one) is ad.Zero for one in change):
            continue
        moved = [ad.instantiate_zeros(one) for one in change]
        terms.append(_along(kind, smooth, groups, k, moved))
    return bind(kind, smooth, *groups), [sum(parts) for parts in zip(*terms, strict=True)]


def _along(kind: str, smooth: AbstractSmooth, groups: list[list[Any]], k: int, moved: list[Any]) -> list[Any]:
    """The change of the results where one group of arguments changes."""
    if k:
        return bind(kind, smooth, *groups[:k], moved, *groups[k + 1 :])
    x, *linear = groups
    if kind == VALUE:
        return bind(TANGENT, smooth, x, moved)
    if kind == TANGENT:
        return bind(SECOND_TANGENT, smooth, x, *linear, moved)
    if kind == PRODUCT:
        return bind(HESSIAN_PRODUCT, smooth, x, moved, *linear)
    raise no_third_derivatives("jax_function")


def _transposed(adjoints: Sequence[Any], *args: Any, kind: str, smooth: AbstractSmooth) -> list[Any]:
    x, *linear = _grouped(args, kind, smooth)
    c = [ad.instantiate_zeros(one) for one in adjoints]
    unknown = [any(ad.is_undefined_primal(one) for one in group) for group in linear].index(True)
    other = linear[1 - unknown] if len(linear) == 2 else []
    if kind == TANGENT:
        found = bind(PRODUCT, smooth, x, c)
    elif kind == PRODUCT:
        found = bind(TANGENT, smooth, x, c)
    elif kind == SECOND_TANGENT:
        found = bind(HESSIAN_PRODUCT, smooth, x, other, c)
    elif unknown == 0:
        found = bind(HESSIAN_PRODUCT, smooth, x, c, other)
    else:
        found = bind(SECOND_TANGENT, smooth, x, other, c)
    results: list[Any] = [None] * len(x)
    for k, group in enumerate(linear):
        results += found if k == unknown else [None] * len(group)
    return [y if ad.is_undefined_primal(given) else None for y, given in zip(results, args, strict=True)]


def _mapped(args: Sequence[Any], axes: Sequence[Any], *, kind: str, smooth: AbstractSmooth) -> Any:
    """The mapped axis becomes the first one of the batch."""
    size = next(x.shape[axis] for x, axis in zip(args, axes, strict=True) if axis is not None)
    moved = [
        jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(args, axes, strict=True)
    ]
    found = FUNCTION.bind(*moved, kind=kind, smooth=smooth)
    return found, [0] * len(found)


FUNCTION.def_impl(_called)
FUNCTION.def_abstract_eval(_abstract)
mlir.register_lowering(FUNCTION, mlir.lower_fun(_called, multiple_results=True))
ad.primitive_jvps[FUNCTION] = _differentiated
ad.primitive_transposes[FUNCTION] = _transposed
batching.primitive_batchers[FUNCTION] = _mapped
