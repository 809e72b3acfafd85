"""Dynamics for one state or a batch.

Every function takes ``threads=None`` (all cores for large batches) or a number, and ``out=`` where
that saves a copy; after an error `out` holds nothing of use. One state and a batch give the same
numbers, bit for bit.

Of an arm with closed loops, `inverse_dynamics` and `forward_dynamics` are those of the closed arm; `mass_matrix`,
`bias_forces` and `gravity_forces` those of the tree that is left when the closures are cut.
"""

from __future__ import annotations

from numpy.typing import ArrayLike, DTypeLike

from lissom.errors import InputError
from lissom.kernels.call import call, first, first_into
from lissom.kernels.loads import NO_LOADS, Applied, Loads
from lissom.kernels.positive_definiteness import warn_of_indefinite
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion
from lissom.spatial.rotations import Array
from lissom.verbs.parameters import documented


@documented
def inverse_dynamics(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    method: str | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Joint torques that produce given accelerations.

    With closed loops the motion must keep them closed (see `assemble`), and the torques are zero at passive joints;
    where there are more motors than degrees of freedom, those with the least sum of squares (see `closure_forces`).

    Parameters
    ----------
    arm, q, qd, qdd, loads, base, method, dtype : ...
    out : (..., dof) ...
    threads : ...

    Returns
    -------
    tau : (..., dof)                    [N m or N], ``M qdd + h + g - J^T f``, with drive inertia,
                                        damping, friction and springs

    Examples
    --------
    >>> import lissom as ls
    >>> ls.inverse_dynamics(ls.load("two_link"), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(4)
    array([3.9225, 0.9806])
    """
    if loads is NO_LOADS and base is None and method is None and threads is None and dtype is None:
        if out is not None:
            try:
                entry = arm._compiled.into.inverse_dynamics
            except AttributeError:
                entry = first_into(arm, "inverse_dynamics")
            entry(q, qd, qdd, out)
            return out
        try:
            entry = arm._compiled.one.inverse_dynamics
        except AttributeError:
            entry = first(arm, "inverse_dynamics")
        return entry(q, qd, qdd)
    return call(arm, "inverse_dynamics", (q, qd, qdd), Applied(loads, base, method, threads), out, dtype)


@documented
def forward_dynamics(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    loads: Loads = NO_LOADS,
    base: BaseMotion | None = None,
    method: str | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Accelerations that result from given joint torques; closed loops stay closed.

    Parameters
    ----------
    arm, q, qd, tau, loads, base, method, dtype : ...
    out : (..., dof) ...
    threads : ...

    Returns
    -------
    qdd : (..., dof)

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("puma560")
    >>> q, qd, qdd = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.1] * 6, [1.0, -1.0, 2.0, -2.0, 3.0, -3.0]
    >>> ls.forward_dynamics(arm, q, qd, ls.inverse_dynamics(arm, q, qd, qdd)).round(9)
    array([ 1., -1.,  2., -2.,  3., -3.])
    """
    if loads is NO_LOADS and base is None and method is None and threads is None and dtype is None:
        if out is not None:
            try:
                entry = arm._compiled.into.forward_dynamics
            except AttributeError:
                entry = first_into(arm, "forward_dynamics")
            entry(q, qd, tau, out)
            return out
        try:
            entry = arm._compiled.one.forward_dynamics
        except AttributeError:
            entry = first(arm, "forward_dynamics")
        return entry(q, qd, tau)
    return call(arm, "forward_dynamics", (q, qd, tau), Applied(loads, base, method, threads), out, dtype)


@documented
def mass_matrix(
    arm: Arm,
    q: ArrayLike,
    method: str | None = None,
    dtype: DTypeLike | None = None,
    *,
    packed: bool = False,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Joint-space inertia, drive inertia included.

    Parameters
    ----------
    arm, q, method, dtype : ...
    packed : bool                       only the upper triangle, row by row: half the bytes for large arms
    out : (..., dof, dof)               result, written in place; in the packed shape when `packed`
    threads : ...

    Returns
    -------
    M : (..., dof, dof)          symmetric, positive definite; a formulation that is truncated in the deflections
        may lose this at large ones, and then warns with `IndefiniteInertia`
        When packed (..., dof (dof + 1) / 2), in the order of ``numpy.triu_indices(dof)``

    Examples
    --------
    >>> import lissom as ls
    >>> ls.mass_matrix(ls.load("two_link"), [0.3, 0.0]).round(3)
    array([[0.4 , 0.16],
           [0.16, 0.12]])
    >>> ls.mass_matrix(ls.load("two_link"), [0.3, 0.0], packed=True).round(3)
    array([0.4 , 0.16, 0.12])
    """
    if packed is False and method is None and threads is None and dtype is None:
        if out is not None:
            try:
                entry = arm._compiled.into.mass_matrix
            except AttributeError:
                entry = first_into(arm, "mass_matrix")
            entry(q, out)
            return out
        try:
            entry = arm._compiled.one.mass_matrix
        except AttributeError:
            entry = first(arm, "mass_matrix")
        return entry(q)
    if not isinstance(packed, bool):
        raise InputError(f"mass_matrix: packed is {packed!r}; expected True or False.")
    if packed and method is not None:
        raise InputError("mass_matrix: packed results come from the fast path only; leave out method or packed.")
    if packed and dtype is not None:
        raise InputError("mass_matrix: packed results are float64; leave out dtype or packed.")
    name = "packed_mass_matrix" if packed else "mass_matrix"
    M = call(arm, name, (q,), Applied(method=method, threads=threads), out, dtype)
    if method is not None and arm.flexible:
        warn_of_indefinite(arm, M, "mass_matrix", method=method)
    return M


@documented
def bias_forces(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Torques at zero acceleration: velocity forces, gravity, springs, damping and friction.

    Parameters
    ----------
    arm, q, qd, dtype : ...
    out : (..., dof) ...
    threads : ...

    Returns
    -------
    h : (..., dof)                 equal to `inverse_dynamics` at qdd = 0

    Examples
    --------
    >>> import lissom as ls
    >>> ls.bias_forces(ls.load("two_link").with_gravity((0, 0, 0)), [0.0, 1.0], [2.0, 1.0]).round(4)
    array([-0.1683,  0.1346])
    """
    return call(arm, "bias_forces", (q, qd), Applied(threads=threads), out, dtype)


@documented
def coriolis_matrix(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Coriolis matrix by Christoffel symbols of the mass matrix.

    ``C qd`` are the forces of velocities alone: `bias_forces` without gravity, loads, springs, damping and friction.
    ``dM/dt - 2 C`` is skew, which makes it the factorisation for adaptive and passivity-based control.

    With ``flexibility="book"`` the equations of motion are truncated: ``C qd`` are their velocity forces and C is half
    the derivative of these with respect to qd, but ``dM/dt - 2 C`` is skew only up to the truncated terms.

    Parameters
    ----------
    arm, q, qd, dtype : ...
    out : (..., dof, dof) ...
    threads : ...

    Returns
    -------
    C : (..., dof, dof)            of the open tree, where the arm has closed loops

    Examples
    --------
    >>> import lissom as ls
    >>> ls.coriolis_matrix(ls.load("two_link"), [0.0, 1.0], [2.0, 1.0]).round(4)
    array([[-0.0337, -0.101 ],
           [ 0.0673,  0.    ]])
    """
    return call(arm, "coriolis_matrix", (q, qd), Applied(threads=threads), out, dtype)


@documented
def gravity_forces(
    arm: Arm, q: ArrayLike, dtype: DTypeLike | None = None, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Torques that hold the arm at rest, its springs and standing loads included.

    Parameters
    ----------
    arm, q, dtype : ...
    out : (..., dof) ...
    threads : ...

    Returns
    -------
    g : (..., dof)

    Examples
    --------
    >>> import lissom as ls
    >>> ls.gravity_forces(ls.load("two_link"), [0.0, 0.0]).round(4)
    array([3.9225, 0.9806])
    """
    return call(arm, "gravity_forces", (q,), Applied(threads=threads), out, dtype)
