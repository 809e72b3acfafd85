"""First and second derivatives of torques and accelerations, and the regressor of inertial parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from lissom.errors import InputError
from lissom.kernels.arguments import as_arm, as_numbers
from lissom.kernels.call import call, first, first_into
from lissom.kernels.loads import NO_LOADS, Applied, Loads
from lissom.kernels.results import (
    ForwardGradient as ForwardGradient,
    InverseGradient as InverseGradient,
    TorqueHessian as TorqueHessian,
    TorqueProduct as TorqueProduct,
)
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion
from lissom.spatial.rotations import Array
from lissom.verbs.parameters import documented

PARAMETERS = 10  # of a link
REGRESSOR_GRADIENT = "regressor_gradient"  # the compiled function: its weights are one vector


@documented
def inverse_dynamics_gradient(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    method: str | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: InverseGradient | None = None,
    threads: int | None = None,
) -> InverseGradient:
    """All first derivatives of the joint torques, exact.

    Loads stay constant in the world. The derivative of Coulomb friction is taken as zero.

    Parameters
    ----------
    arm, q, qd, qdd, loads, base, method, dtype : ...
    out : InverseGradient ...
    threads : ...

    Returns
    -------
    InverseGradient
        `.q`, `.qd`, `.qdd`, each (..., dof, dof), rows are torques; `.qdd` is the mass matrix

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> ls.inverse_dynamics_gradient(arm, [0.3, 0.0], [0.0, 0.0], [0.0, 0.0]).qdd.round(3)
    array([[0.4 , 0.16],
           [0.16, 0.12]])
    """
    if loads is NO_LOADS and base is None and method is None and threads is None and dtype is None:
        if out is not None:
            try:
                entry = arm._compiled.into.inverse_dynamics_gradient
            except AttributeError:
                entry = first_into(arm, "inverse_dynamics_gradient")
            entry(q, qd, qdd, out)
            return out
        try:
            entry = arm._compiled.one.inverse_dynamics_gradient
        except AttributeError:
            entry = first(arm, "inverse_dynamics_gradient")
        return entry(q, qd, qdd)
    results = call(arm, "inverse_dynamics_gradient", (q, qd, qdd), Applied(loads, base, method, threads), out, dtype)
    return results if out is None else out


@documented
def inverse_dynamics_product(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    weights: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    *,
    out: TorqueProduct | None = None,
    threads: int | None = None,
) -> TorqueProduct:
    """Gradient of a weighted sum of the joint torques, exact, at a few times the cost of the torques.

    Equal to ``weights @ D`` with D the matrices of `inverse_dynamics_gradient`, which are not formed.
    Loads stay constant in the world.

    Parameters
    ----------
    arm, q, qd, qdd, weights, loads, base : ...
    out : TorqueProduct ...
    threads : ...

    Returns
    -------
    TorqueProduct
        `.q`, `.qd`, `.qdd`, each (..., dof)

    Examples
    --------
    >>> import lissom as ls
    >>> arm, state = ls.load("two_link"), ([0.3, 0.5], [1.0, 2.0], [3.0, 4.0])
    >>> full = ls.inverse_dynamics_gradient(arm, *state)
    >>> product = ls.inverse_dynamics_product(arm, *state, [2.0, -1.0])
    >>> bool(abs(product.q - [2.0, -1.0] @ full.q).max() < 1e-12)
    True
    """
    state = (q, qd, qdd, weights)
    results = call(arm, "inverse_dynamics_product", state, Applied(loads, base, threads=threads), out)
    return results if out is None else out


@documented
def inverse_dynamics_hessian(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    weights: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    *,
    out: TorqueHessian | None = None,
    threads: int | None = None,
) -> TorqueHessian:
    """Second derivatives of a weighted sum of the joint torques, exact.

    Torques are linear in qdd and its coefficients depend on q alone, so four blocks are enough;
    (qd, qdd) and (qdd, qdd) are zero. Loads stay constant in the world.

    Parameters
    ----------
    arm, q, qd, qdd, weights, loads, base : ...
    out : TorqueHessian ...
    threads : ...

    Returns
    -------
    TorqueHessian
        `.q_q`, `.q_qd`, `.q_qdd`, `.qd_qd`, each (..., dof, dof); rows belong to the first name

    Examples
    --------
    >>> import lissom as ls
    >>> arm, state = ls.load("two_link"), ([0.3, 0.5], [1.0, 2.0], [3.0, 4.0])
    >>> ls.inverse_dynamics_hessian(arm, *state, [1.0, 0.0]).qd_qd[1].round(4)
    array([-0.0384, -0.0384])
    """
    state = (q, qd, qdd, weights)
    results = call(arm, "inverse_dynamics_hessian", state, Applied(loads, base, threads=threads), out)
    return results if out is None else out


@documented
def forward_dynamics_gradient(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: ForwardGradient | None = None,
    threads: int | None = None,
) -> ForwardGradient:
    """All first derivatives of the accelerations, exact.

    From those of the torques at the acceleration that `tau` produces: with D the derivative of
    inverse dynamics, ``d qdd = M^-1 (d tau - D)``. With closed loops they hold for changes that keep the loops closed.

    Parameters
    ----------
    arm, q, qd, tau, loads, base, dtype : ...
    out : ForwardGradient ...
    threads : ...

    Returns
    -------
    ForwardGradient
        `.q`, `.qd`, `.tau`, each (..., dof, dof), rows are accelerations

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link")
    >>> d = ls.forward_dynamics_gradient(arm, [0.3, 0.5], [0.1, 0.2], [1.0, 0.5])
    >>> bool(abs(d.tau @ ls.mass_matrix(arm, [0.3, 0.5]) - [[1, 0], [0, 1]]).max() < 1e-12)
    True
    """
    if loads is NO_LOADS and base is None and threads is None and dtype is None:
        if out is not None:
            try:
                entry = arm._compiled.into.forward_dynamics_gradient
            except AttributeError:
                entry = first_into(arm, "forward_dynamics_gradient")
            entry(q, qd, tau, out)
            return out
        try:
            entry = arm._compiled.one.forward_dynamics_gradient
        except AttributeError:
            entry = first(arm, "forward_dynamics_gradient")
        return entry(q, qd, tau)
    results = call(arm, "forward_dynamics_gradient", (q, qd, tau), Applied(loads, base, threads=threads), out, dtype)
    return results if out is None else out


def inertial_parameters(arm: Arm) -> Array:
    """The parameters that `regressor` multiplies, of all links in their order.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    (10 n_links,)
        Per link m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the link frame, payload included [kg, kg m, kg m^2]

    Examples
    --------
    >>> import lissom as ls
    >>> arm, state = ls.load("two_link"), ([0.3, 0.5], [1.0, 2.0], [3.0, 4.0])
    >>> torque = ls.regressor(arm, *state) @ ls.inertial_parameters(arm)
    >>> bool(abs(torque - ls.inverse_dynamics(arm, *state)).max() < 1e-12)
    True
    """
    rows = []
    for link in as_arm(arm, "inertial_parameters").links:
        body, I = link.body, link.body.spatial()
        rows += [body.mass, *(body.mass * body.com), I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    return np.array(rows)


@documented
def regressor(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Torques of the links' inertia as a linear function of their inertial parameters.

    Parameters
    ----------
    arm, q, qd, qdd : ...
    out : (..., dof, 10 n_links) ...
    threads : ...

    Returns
    -------
    Y : (..., dof, 10 n_links)
        ``Y @ parameters`` is the torque of inertia and gravity, without drives, springs, friction and
        loads; the parameters are those of `inertial_parameters`.

    Examples
    --------
    >>> import lissom as ls
    >>> ls.regressor(ls.load("two_link"), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])[1, 10:12].round(4)
    array([3.9225, 9.8062])
    """
    return call(arm, "regressor", (q, qd, qdd), Applied(threads=threads), out)


@documented
def regressor_product(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    weights: ArrayLike,
    *,
    out: TorqueProduct | None = None,
    threads: int | None = None,
) -> TorqueProduct:
    """Gradient of a weighted sum of the entries of the regressor, exact, at a few times its cost.

    With Y the result of `regressor`, it is the gradient of ``sum(weights * Y)`` by positions, rates and accelerations.
    Any function f of Y has the gradient that belongs to ``weights = df/dY``: the information of an experiment, for
    example. ``weights = outer(w, parameters)`` gives that of ``w @ Y @ parameters``, a weighted sum of torques.

    Parameters
    ----------
    arm, q, qd, qdd : ...
    weights : (dof, 10 n_links) or (..., dof, 10 n_links)    one per entry of the regressor
    out : TorqueProduct ...
    threads : ...

    Returns
    -------
    TorqueProduct
        `.q`, `.qd`, `.qdd`, each (..., dof)

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> arm, state = ls.load("two_link"), ([0.3, 0.5], [1.0, 2.0], [3.0, 4.0])
    >>> product = ls.regressor_product(arm, *state, np.outer([2.0, -1.0], ls.inertial_parameters(arm)))
    >>> known = ls.inverse_dynamics_product(arm, *state, [2.0, -1.0])
    >>> bool(abs(product.q - known.q).max() < 1e-12)
    True
    """
    name = "regressor_product"
    shape = (as_arm(arm, name).dof, PARAMETERS * len(arm.links))
    given = as_numbers(weights, "weights", name)
    if given.shape[-2:] != shape:
        raise InputError(
            f"{name}: weights has shape {given.shape}; expected {shape} or (..., {shape[0]}, {shape[1]}), one per "
            "entry of the regressor."
        )
    state = (q, qd, qdd, given.reshape(*given.shape[:-2], shape[0] * shape[1]))
    results = call(arm, REGRESSOR_GRADIENT, state, Applied(threads=threads), out)
    return results if out is None else out
