"""Energies, centre of mass and momentum."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lissom.errors import UnsupportedError
from lissom.kernels.cache import functions_of
from lissom.kernels.call import call
from lissom.kernels.loads import Applied
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.parameters import documented


@documented
def kinetic_energy(arm: Arm, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Array:
    """Kinetic energy of links and drives, ``1/2 qd M qd``.

    Parameters
    ----------
    arm, q, qd, threads : ...

    Returns
    -------
    T : (...)                      [J]

    Examples
    --------
    >>> import lissom as ls
    >>> float(ls.kinetic_energy(ls.load("two_link"), [0.3, 0.0], [1.0, 0.0]).round(6))
    0.2
    """
    return call(arm, "kinetic_energy", (q, qd), Applied(threads=threads))[..., 0][()]


@documented
def potential_energy(arm: Arm, q: ArrayLike, *, threads: int | None = None) -> Array:
    """Potential energy of what moves, under gravity (zero at the world's origin), and of joint springs.

    Parameters
    ----------
    arm, q, threads : ...

    Returns
    -------
    V : (...)                    [J]

    Examples
    --------
    >>> import lissom as ls
    >>> float(ls.potential_energy(ls.load("two_link"), [1.5707963267948966, 0.0]).round(4))
    3.9225
    """
    return call(arm, "potential_energy", (q,), Applied(threads=threads))[..., 0][()]


@documented
def centre_of_mass(arm: Arm, q: ArrayLike, *, threads: int | None = None) -> Array:
    """Centre of mass of everything that moves, in the world.

    Parameters
    ----------
    arm, q, threads : ...

    Returns
    -------
    (..., 3)                     [m]

    Examples
    --------
    >>> import lissom as ls
    >>> ls.centre_of_mass(ls.load("two_link"), [0.0, 0.0]).round(6)
    array([0.4, 0. , 0. ])
    """
    moment = call(arm, "centre_of_mass", (q,), Applied(threads=threads))
    mass = functions_of(arm).bodies.mass
    if mass == 0.0:
        raise UnsupportedError(f"centre_of_mass: the moving links of arm {arm.name!r} have no mass.")
    moment /= mass  # in place: a large batch is not made twice
    return moment


@documented
def momentum(arm: Arm, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Array:
    """Linear momentum, and angular momentum about the world's origin.

    Parameters
    ----------
    arm, q, qd, threads : ...

    Returns
    -------
    (..., 6)                       linear [kg m/s], then angular [kg m^2/s]; world axes

    Examples
    --------
    >>> import lissom as ls
    >>> ls.momentum(ls.load("two_link"), [0.0, 0.0], [1.0, 0.0])[[1, 5]].round(6)
    array([0.4, 0.4])
    """
    return call(arm, "momentum", (q, qd), Applied(threads=threads))
