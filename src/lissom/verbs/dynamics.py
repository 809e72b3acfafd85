"""Dynamics for one state or a batch.

Every function takes ``threads=None`` (all cores for large batches) or a number, and ``out=`` where
that saves a copy. One state and a batch give the same numbers, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, UnsupportedError, shown
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion, Load
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm

if TYPE_CHECKING:
    from lissom.verbs.library import Library

Loads = Sequence[Load]


def inverse_dynamics(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = (),
    base: BaseMotion | None = None,
    method: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Joint torques that produce given accelerations.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : (dof,) or (..., dof)   positions, rates, accelerations; one entry per joint is accepted
    loads : sequence of Load            acting on top of the arm's own
    base : BaseMotion or None           prescribed motion of the base
    method : None                       the fast path
    out : (..., dof)                    result, written in place
    threads : int or None               None: all cores for large batches

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
    if type(loads) is tuple and not loads and base is None and method is None and out is None and threads is None:
        try:
            entry = arm._one_inverse_dynamics  # type: ignore[attr-defined]
        except AttributeError:
            entry = _first(arm, "inverse_dynamics")
        return entry(q, qd, qdd)
    return _general(arm, "inverse_dynamics", (q, qd, qdd), loads, base, method, out, threads)


def forward_dynamics(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    loads: Loads = (),
    base: BaseMotion | None = None,
    method: str | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Accelerations that given joint torques produce.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : (dof,) or (..., dof)   positions, rates, torques; one entry per joint is accepted
    loads : sequence of Load            acting on top of the arm's own
    base : BaseMotion or None           prescribed motion of the base
    method : None                       the fast path
    out : (..., dof)                    result, written in place
    threads : int or None               None: all cores for large batches

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
    if type(loads) is tuple and not loads and base is None and method is None and out is None and threads is None:
        try:
            entry = arm._one_forward_dynamics  # type: ignore[attr-defined]
        except AttributeError:
            entry = _first(arm, "forward_dynamics")
        return entry(q, qd, tau)
    return _general(arm, "forward_dynamics", (q, qd, tau), loads, base, method, out, threads)


def mass_matrix(
    arm: Arm, q: ArrayLike, method: str | None = None, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Joint-space inertia, drive inertia included.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions
    method : None                the fast path
    out : (..., dof, dof)        result, written in place
    threads : int or None        None: all cores for large batches

    Returns
    -------
    M : (..., dof, dof)          symmetric, positive definite

    Examples
    --------
    >>> import lissom as ls
    >>> ls.mass_matrix(ls.load("two_link"), [0.3, 0.0]).round(3)
    array([[0.4 , 0.16],
           [0.16, 0.12]])
    """
    if method is None and out is None and threads is None:
        try:
            entry = arm._one_mass_matrix  # type: ignore[attr-defined]
        except AttributeError:
            entry = _first(arm, "mass_matrix")
        return entry(q)
    return _general(arm, "mass_matrix", (q,), (), None, method, out, threads)


class InverseGradient(NamedTuple):
    """Derivatives of `inverse_dynamics`; rows are torques, columns coordinates."""

    q: Array
    qd: Array
    qdd: Array


class ForwardGradient(NamedTuple):
    """Derivatives of `forward_dynamics`; rows are accelerations, columns coordinates."""

    q: Array
    qd: Array
    tau: Array


def inverse_dynamics_gradient(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    loads: Loads = (),
    base: BaseMotion | None = None,
    method: str | None = None,
    *,
    out: InverseGradient | None = None,
    threads: int | None = None,
) -> InverseGradient:
    """All first derivatives of the joint torques, exact.

    Loads stay constant in the world. The derivative of Coulomb friction is taken as zero.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : (dof,) or (..., dof)   positions, rates, accelerations
    loads : sequence of Load            acting on top of the arm's own
    base : BaseMotion or None           prescribed motion of the base
    method : None                       the fast path
    out : InverseGradient               result, written in place
    threads : int or None               None: all cores for large batches

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
    if type(loads) is tuple and not loads and base is None and method is None and out is None and threads is None:
        try:
            entry = arm._one_inverse_dynamics_gradient  # type: ignore[attr-defined]
        except AttributeError:
            entry = _first(arm, "inverse_dynamics_gradient")
        return InverseGradient(*entry(q, qd, qdd))
    results = _general(arm, "inverse_dynamics_gradient", (q, qd, qdd), loads, base, method, out, threads)
    return InverseGradient(*results) if out is None else out


def forward_dynamics_gradient(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    loads: Loads = (),
    base: BaseMotion | None = None,
    *,
    threads: int | None = None,
) -> ForwardGradient:
    """All first derivatives of the accelerations, exact.

    From those of the torques at the acceleration that `tau` produces: with D the derivative of
    inverse dynamics, ``d qdd = M^-1 (d tau - D)``.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : (dof,) or (..., dof)   positions, rates, torques
    loads : sequence of Load            acting on top of the arm's own
    base : BaseMotion or None           prescribed motion of the base
    threads : int or None               None: all cores for large batches

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
    qdd = _general(arm, "forward_dynamics", (q, qd, tau), loads, base, None, None, threads)
    D = _general(arm, "inverse_dynamics_gradient", (q, qd, qdd), loads, base, None, None, threads)
    inverse = np.linalg.inv(D[2])
    return ForwardGradient(-inverse @ D[0], -inverse @ D[1], inverse)


def regressor(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Torques of the links' inertia as a linear function of their inertial parameters.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : (dof,) or (..., dof)   positions, rates, accelerations
    out : (..., dof, 10 n_links)        result, written in place
    threads : int or None               None: all cores for large batches

    Returns
    -------
    Y : (..., dof, 10 n_links)
        ``Y @ parameters`` is the torque of inertia and gravity, without drives, springs, friction and
        loads. Parameters of each link: m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the link frame.

    Examples
    --------
    >>> import lissom as ls
    >>> ls.regressor(ls.load("two_link"), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])[1, 10:12].round(4)
    array([3.9225, 9.8062])
    """
    return _general(arm, "regressor", (q, qd, qdd), (), None, None, out, threads)


def bias_forces(
    arm: Arm, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Torques at zero acceleration: velocity forces, gravity, springs, damping and friction.

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,) or (..., dof)   positions and rates
    out : (..., dof)               result, written in place
    threads : int or None          None: all cores for large batches

    Returns
    -------
    h : (..., dof)                 equal to `inverse_dynamics` at qdd = 0

    Examples
    --------
    >>> import lissom as ls
    >>> ls.bias_forces(ls.load("two_link").with_gravity((0, 0, 0)), [0.0, 1.0], [2.0, 1.0]).round(4)
    array([-0.1683,  0.1346])
    """
    return _general(arm, "bias_forces", (q, qd), (), None, None, out, threads)


def gravity_forces(arm: Arm, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """Torques that hold the arm at rest, its springs and own loads included.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions
    out : (..., dof)             result, written in place
    threads : int or None        None: all cores for large batches

    Returns
    -------
    g : (..., dof)

    Examples
    --------
    >>> import lissom as ls
    >>> ls.gravity_forces(ls.load("two_link"), [0.0, 0.0]).round(4)
    array([3.9225, 0.9806])
    """
    return _general(arm, "gravity_forces", (q,), (), None, None, out, threads)


def kinetic_energy(arm: Arm, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Array:
    """Kinetic energy of links and drives, ``1/2 qd M qd``.

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,) or (..., dof)   positions and rates
    threads : int or None          None: all cores for large batches

    Returns
    -------
    T : (...)                      [J]

    Examples
    --------
    >>> import lissom as ls
    >>> float(ls.kinetic_energy(ls.load("two_link"), [0.3, 0.0], [1.0, 0.0]).round(6))
    0.2
    """
    return _general(arm, "energies", (q, qd), (), None, None, None, threads)[0][..., 0]


def potential_energy(arm: Arm, q: ArrayLike, *, threads: int | None = None) -> Array:
    """Potential energy of what moves, under gravity (zero at the world's origin), and of joint springs.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions
    threads : int or None        None: all cores for large batches

    Returns
    -------
    V : (...)                    [J]

    Examples
    --------
    >>> import lissom as ls
    >>> float(ls.potential_energy(ls.load("two_link"), [1.5707963267948966, 0.0]).round(4))
    3.9225
    """
    return _general(arm, "energies", (q, np.zeros(as_arm(arm, "energies").dof)), (), None, None, None, threads)[0][
        ..., 1
    ]


def centre_of_mass(arm: Arm, q: ArrayLike, *, threads: int | None = None) -> Array:
    """Centre of mass of everything that moves, in the world.

    Parameters
    ----------
    arm : Arm
    q : (dof,) or (..., dof)     positions
    threads : int or None        None: all cores for large batches

    Returns
    -------
    (..., 3)                     [m]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.centre_of_mass(ls.load("two_link"), [0.0, 0.0]).round(6)
    array([0.4, 0. , 0. ])
    """
    rest = np.zeros(as_arm(arm, "centre_of_mass").dof)
    moment = _general(arm, "energies", (q, rest), (), None, None, None, threads)[1]
    mass = sum(body.mass for body in _library(arm).bodies.list)
    if mass == 0.0:
        raise UnsupportedError(f"centre_of_mass: nothing that moves on arm {arm.name!r} has mass.")
    return moment / mass


def momentum(arm: Arm, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Array:
    """Linear momentum, and angular momentum about the world's origin.

    Parameters
    ----------
    arm : Arm
    q, qd : (dof,) or (..., dof)   positions and rates
    threads : int or None          None: all cores for large batches

    Returns
    -------
    (..., 6)                       linear [kg m/s], then angular [kg m^2/s]; world axes

    Examples
    --------
    >>> import lissom as ls
    >>> ls.momentum(ls.load("two_link"), [0.0, 0.0], [1.0, 0.0])[[1, 5]].round(6)
    array([0.4, 0.4])
    """
    return _general(arm, "energies", (q, qd), (), None, None, None, threads)[2]


def _library(arm: Arm) -> Library:
    """The arm's compiled functions; the engine is loaded when the first is asked for."""
    made: Library | None = arm.__dict__.get("_library")
    if made is None:
        from lissom.verbs.library import library

        made = library(arm)
    return made


def _first(arm: Any, name: str) -> Any:
    """Compile, and keep the one-state entry where the next call finds it."""
    entry = _library(as_arm(arm, name)).get(name).one
    arm.__dict__[f"_one_{name}"] = entry
    return entry


def _general(
    arm: Any, name: str, state: Sequence[ArrayLike], loads: Loads, base: Any, method: Any, out: Any, threads: Any
) -> Any:
    """Any combination of loads, base motion, `out` and `threads`."""
    known = _library(as_arm(arm, name))
    if method is not None:
        raise InputError(f"{name}: method is {method!r}; expected None, the fast path (no formulations are here yet).")
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise InputError(f"{name}: threads is {threads!r}; expected None or a whole number of at least 1.")
    extra: list[Array] = []
    if base is not None:
        if not isinstance(base, BaseMotion):
            raise InputError(f"{name}: base is {shown(base)}; expected BaseMotion(...).")
        extra.append(_joined(base.angular_velocity, base.angular_acceleration, base.linear_acceleration))
    frames = []
    for load in _checked(loads, name):
        arm.frame(load.link)
        frames.append(load.link)
        extra.append(_joined(load.force, load.moment, load.point))
    function = known.get(name, known.setting(frames, base is not None)) if extra else known.get(name)
    return function(*state, *extra, out=out, threads=threads)


def _checked(loads: Any, name: str) -> list[Load]:
    """A list of loads, or a sentence."""
    if isinstance(loads, Load | str) or not isinstance(loads, Iterable):
        raise InputError(f"{name}: loads is {shown(loads)}; expected a list of Load(link, force=..., ...).")
    loads = list(loads)
    for load in loads:
        if not isinstance(load, Load):
            raise InputError(f"{name}: loads has {shown(load)}; expected Load(link, force=..., ...).")
    return loads


def _joined(*parts: Array) -> Array:
    """Vectors (..., 3) side by side, batches broadcast."""
    return np.concatenate(np.broadcast_arrays(*parts), axis=-1)
