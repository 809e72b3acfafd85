"""Integrals over the links of a planar chain, (24), of rigid bodies and beams, in the axes of a link (see `chain`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.body import Body
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.planar.complex_numbers import clean, dot, number
from lissom.elements.tables import Tables
from lissom.spatial.rotations import Array

Axes = NDArray[np.complex128]


class Integrals(NamedTuple):
    """The inertial constants of a link; complex numbers but for mass and J."""

    mass: Any
    moment: Any  # S
    inertia: Any  # J
    v: Sequence[Any]
    w: Sequence[Any]
    z: Sequence[Sequence[Any]]


class Spot(NamedTuple):
    """A place on a link: at x + sum shift_k delta_k, turned by sum turn_k delta_k.

    axes : a vector u in the axes of the place is the complex number axes . u in the link's, undeformed
    """

    link: int
    x: Any
    shift: Sequence[Any]
    turn: Sequence[Any]
    axes: Axes


def nothing(m: int) -> Integrals:
    """The integrals of a link of m modes without mass."""
    return Integrals(0.0, 0j, 0.0, [0j] * m, [0j] * m, [[0j] * m for _ in range(m)])


def joined(a: Integrals, b: Integrals) -> Integrals:
    """Integrals of a link that consists of two parts."""

    def both(x: Any, y: Any) -> list[complex]:
        return [p + q for p, q in zip(x, y, strict=True)]

    z = [both(x, y) for x, y in zip(a.z, b.z, strict=True)]
    return Integrals(a.mass + b.mass, a.moment + b.moment, a.inertia + b.inertia, both(a.v, b.v), both(a.w, b.w), z)


def rigid(body: Body, at: Spot, normal: Array) -> Integrals:
    """A rigid body fixed at a place of the link: phi_k = shift_k + i turn_k x_p for its points x + x_p."""
    mass, *moment_and_inertia = constants_of(body)[12:22]
    xx, xy, xz, yy, yz, zz = moment_and_inertia[3:]
    m, [S] = number(mass), clean([dot(at.axes, moment_and_inertia[:3])])
    J = number(dot(np.outer(normal, normal), [xx, xy, xz, xy, yy, yz, xz, yz, zz]).real)
    x, modes = at.x, range(len(at.shift))
    s, t = at.shift, [1j * turn for turn in at.turn]
    v = [m * s[k] + t[k] * S for k in modes]
    w = [x.conjugate() * v[k] + S.conjugate() * s[k] + t[k] * J for k in modes]
    z = [
        [s[k].conjugate() * (m * s[l] + t[l] * S) + t[k].conjugate() * (S.conjugate() * s[l] + t[l] * J) for l in modes]
        for k in modes
    ]
    return Integrals(m, m * x + S, m * _square(x) + 2 * _real(x.conjugate() * S) + J, v, w, z)


def of_beam(t: Tables, at: Any, axes: Axes) -> Integrals:
    """A beam whose root is at a place of the link."""
    m, S, modes = number(t.C[0, 0]), dot(axes, t.C[0, 1:]), range(len(t.D))
    J = number(dot(np.outer(axes, axes.conj()), t.C[1:, 1:].ravel()).real)
    v = [dot(axes, t.D[k, :, 0]) for k in modes]
    about = [dot(np.outer(axes, axes.conj()), t.D[k, :, 1:].ravel()) for k in modes]
    w = [at.conjugate() * own + x for own, x in zip(v, about, strict=True)]
    z = clean([dot(np.outer(axes.conj(), axes), t.Y[k, l].ravel()) for k in modes for l in modes])
    [moment] = clean([m * at + S])
    inertia = m * _square(at) + 2 * _real(at.conjugate() * S) + J
    n = len(modes)
    return Integrals(m, moment, inertia, clean(v), clean(w), [z[k * n : k * n + n] for k in modes])


def _real(x: Any) -> Any:
    """The real part, as a number that can be multiplied by complex ones."""
    return number(x.real)


def _square(x: Any) -> Any:
    """The square of the absolute value."""
    return _real(x.conjugate() * x)
