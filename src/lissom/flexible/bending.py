"""Bending of a uniform beam, clamped at the root, with a body at its tip: exact shapes.

    phi = c1 (sin bs - cos bs + e^-bs) + c2 (e^-b(L-s) - e^-bL (sin bs + cos bs))

is clamped at s = 0 and has no growing term, so high modes keep their digits. The tip body has mass M,
inertia J about the tip point, and MD = M times its offset along the beam:

    EI phi'' = w^2 (J phi' + MD phi),   EI phi''' = -w^2 (M phi + MD phi')   at s = L,   w^2 = EI b^4 / mu

Roots cannot be missed: Wittrick and Williams 1971 count how many lie below a wavenumber, as those of the
beam clamped at both ends plus the negative eigenvalues of the tip's dynamic stiffness.
"""

from __future__ import annotations

import numpy as np

from lissom.flexible.quadrature import Panels
from lissom.flexible.shapes import Shapes
from lissom.model.beam import Tip
from lissom.spatial.rotations import Array


def wavenumbers(length: float, mu: float, tip: Tip, count: int) -> Array:
    """The lowest `count` wavenumbers b [1/m]."""
    found: list[float] = []
    for k in range(count):
        found.append(_root(length, mu, tip, k))
    return np.array(found)


def shapes(length: float, mu: float, tip: Tip, b: Array) -> Shapes:
    """Shapes of given wavenumbers; modal mass with the tip is that of the beam, curvature at the root positive."""
    c = np.array([_null(_boundary(x, length, mu, tip)) for x in b]).reshape(len(b), 2)
    raw = Shapes(length, len(b), lambda s, d: _values(b, c, length, s, d))
    panels = Panels(np.linspace(0.0, length, 7 + len(b)))
    y, e, de = raw.at(panels.s), raw.at(length), raw.at(length, 1)
    mass = mu * (panels.w @ y**2) + tip.mass * e**2 + tip.inertia * de**2 + 2 * tip.offset_moment * e * de
    return raw.scaled(np.sqrt(mu * length / mass) * np.sign(raw.at(0.0, 2)))


def _pair(x: Array, length: float, s: Array, d: int) -> tuple[Array, Array]:
    """Two clamped solutions, derivative d over b^d, for wavenumbers x (count,) at positions s (points, 1)."""
    bs, last = x * s, np.exp(-x * length)
    sin, cos, near, far = np.sin(bs), np.cos(bs), np.exp(-bs), np.exp(-x * (length - s))
    return (
        (sin - cos + near, far - last * (sin + cos)),
        (cos + sin - near, far + last * (sin - cos)),
        (cos - sin + near, far + last * (sin + cos)),
        (-cos - sin - near, far + last * (cos - sin)),
    )[d]


def _values(b: Array, c: Array, length: float, s: Array, d: int) -> Array:
    one, two = _pair(b, length, np.asarray(s, float)[:, None], d)
    return b**d * (c[:, 0] * one + c[:, 1] * two)


def _at_tip(b: float, length: float) -> Array:
    """(4, 2) derivatives over b^d of the two solutions at the tip."""
    x, end = np.array([b]), np.array([[length]])
    return np.array([[f[0, 0] for f in _pair(x, length, end, d)] for d in range(4)])


def _boundary(b: float, length: float, mu: float, tip: Tip) -> Array:
    """(2, 2) moment and shear balance at the tip; rows are scaled so that entries stay bounded."""
    f = _at_tip(b, length)
    J, M, MD = tip.inertia / mu, tip.mass / mu, tip.offset_moment / mu
    moment = (f[2] - b**2 * (J * b * f[1] + MD * f[0])) / (1 + J * b**3)
    shear = (f[3] + b * (M * f[0] + MD * b * f[1])) / (1 + M * b)
    return np.array([moment, shear])


def _null(A: Array) -> Array:
    """The vector that a singular 2 x 2 matrix takes to zero."""
    return np.asarray(np.linalg.svd(A)[2][1])


def count_below(b: float, length: float, mu: float, tip: Tip) -> int:
    """How many natural frequencies lie below a wavenumber."""
    x, last = b * length, np.exp(-b * length)
    whole = int(x // np.pi)
    clamped = whole - (1 - (-1) ** whole * np.sign(2 * last - np.cos(x) * (1 + last**2))) / 2
    f = _at_tip(b, length)
    forces = np.array([-(b**3) * f[3], b**2 * f[2]])  # shear and moment that the tip feels, over EI
    stiffness = forces @ np.linalg.inv(np.array([f[0], b * f[1]]))
    body = np.array([[tip.mass, tip.offset_moment], [tip.offset_moment, tip.inertia]]) / mu
    dynamic = stiffness - b**4 * body
    return round(clamped) + int((np.linalg.eigvalsh((dynamic + dynamic.T) / 2) < 0).sum())


def _root(length: float, mu: float, tip: Tip, k: int) -> float:
    """Wavenumber k (from 0): bisection on the count until an interval holds it alone, then Brent's method."""
    from scipy.optimize import brentq

    low, high = 1e-6 / length, (k + 2.1) * np.pi / length
    below, above = count_below(low, length, mu, tip), count_below(high, length, mu, tip)
    while below > 0:  # a tip so heavy that its roots lie lower still
        low /= 10
        below = count_below(low, length, mu, tip)
    while below != k or above != k + 1:
        middle = (low + high) / 2 if high < 4 * low else np.sqrt(low * high)
        count = count_below(middle, length, mu, tip)
        if count <= k:
            low, below = middle, count
        else:
            high, above = middle, count
        if high - low <= 4 * np.spacing(high):
            return float(middle)  # two roots that double precision cannot tell apart

    def determinant(b: float) -> float:
        return float(np.linalg.det(_boundary(b, length, mu, tip)))

    ends = determinant(low), determinant(high)
    if ends[0] * ends[1] > 0:
        return _by_count(length, mu, tip, k, low, high)
    return float(brentq(determinant, low, high, xtol=1e-300, rtol=4 * np.finfo(float).eps))


def _by_count(length: float, mu: float, tip: Tip, k: int, low: float, high: float) -> float:
    """Bisection on the count alone, where the determinant touches zero without changing sign."""
    while high - low > 4 * np.spacing(high):
        middle = (low + high) / 2
        low, high = (middle, high) if count_below(middle, length, mu, tip) <= k else (low, middle)
    return (low + high) / 2
