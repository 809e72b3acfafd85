"""Bending of a uniform beam, clamped at the root, with a body at its tip: exact shapes.

    phi = c1 (sin bs - cos bs + e^-bs) + c2 (e^-b(L-s) - e^-bL (sin bs + cos bs))

is clamped at s = 0 and has no growing term, so high modes keep their digits. The tip body has mass M,
inertia J about the tip point, and MD = M times its offset along the beam:

    EI phi'' = w^2 (J phi' + MD phi),   EI phi''' = -w^2 (M phi + MD phi')   at s = L,   w^2 = EI b^4 / mu

In De Luca and Siciliano 1991 this is the beam (14) with the root (15) and the tip (16), by (17) and (18); phi is their
(19) with (20), the two conditions at the tip are (21), and (22) is their determinant for MD = 0.

Roots cannot be missed: Wittrick and Williams 1971 count how many lie below a wavenumber, as those of the
beam clamped at both ends plus the negative eigenvalues of the tip's dynamic stiffness.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from lissom.flexible.quadrature import Panels
from lissom.flexible.shapes import Shapes
from lissom.model.beam import Tip
from lissom.spatial.rotations import Array

KEPT = 256  # sets of shapes that are remembered


def wavenumbers(length: float, mu: float, tip: Tip, count: int) -> Array:
    """The lowest `count` wavenumbers b [1/m]."""
    return np.array([_root(length, mu, tip, k) for k in range(count)])


@functools.lru_cache(maxsize=KEPT)
def natural(length: float, mu: float, tip: Tip, count: int) -> tuple[Array, Shapes]:
    """Wavenumbers and shapes of the lowest modes; they do not depend on the stiffness."""
    b = wavenumbers(length, mu, tip, count)
    return b, shapes(length, mu, tip, b)


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
    if d == 0:
        return sin - cos + near, far - last * (sin + cos)
    if d == 1:
        return cos + sin - near, far + last * (sin - cos)
    if d == 2:
        return cos - sin + near, far + last * (sin + cos)
    return -cos - sin - near, far + last * (cos - sin)


def _values(b: Array, c: Array, length: float, s: Array, d: int) -> Array:
    one, two = _pair(b, length, np.asarray(s, float)[:, None], d)
    return b**d * (c[:, 0] * one + c[:, 1] * two)


Two = tuple[float, float]  # of the two solutions


def _at_tip(b: float, length: float) -> tuple[Two, Two, Two, Two]:
    """Derivatives over b^d of the two solutions at the tip, d = 0 to 3."""
    x = b * length
    sin, cos, near = math.sin(x), math.cos(x), math.exp(-x)
    return (
        (sin - cos + near, 1.0 - near * (sin + cos)),
        (cos + sin - near, 1.0 + near * (sin - cos)),
        (cos - sin + near, 1.0 + near * (sin + cos)),
        (-cos - sin - near, 1.0 + near * (cos - sin)),
    )


def _boundary(b: float, length: float, mu: float, tip: Tip) -> tuple[Two, Two]:
    """(2, 2) moment and shear balance at the tip, F of (21); rows are scaled so that entries stay bounded."""
    f = _at_tip(b, length)
    J, M, MD = tip.inertia / mu, tip.mass / mu, tip.offset_moment / mu
    moment = [(f[2][i] - b**2 * (J * b * f[1][i] + MD * f[0][i])) / (1 + J * b**3) for i in (0, 1)]
    shear = [(f[3][i] + b * (M * f[0][i] + MD * b * f[1][i])) / (1 + M * b) for i in (0, 1)]
    return (moment[0], moment[1]), (shear[0], shear[1])


def _null(A: tuple[Two, Two]) -> Array:
    """The vector that a singular 2 x 2 matrix takes to zero."""
    return np.asarray(np.linalg.svd(np.array(A))[2][1])


def count_below(b: float, length: float, mu: float, tip: Tip) -> int:
    """Number of natural frequencies below a wavenumber."""
    x, last = b * length, math.exp(-b * length)
    whole = int(x // math.pi)
    beyond = (-1) ** whole * (2 * last - math.cos(x) * (1 + last**2))
    clamped = whole - (1 - (beyond > 0) + (beyond < 0)) / 2
    f = _at_tip(b, length)
    (a, c), (d, e) = f[0], (b * f[1][0], b * f[1][1])  # deflection and slope there; f[3], f[2] shear and moment over EI
    det = a * e - c * d
    forces = ((-(b**3) * f[3][0], -(b**3) * f[3][1]), (b**2 * f[2][0], b**2 * f[2][1]))
    K = [((p * e - q * d) / det, (q * a - p * c) / det) for p, q in forces]
    body = b**4 / mu
    first, last_ = K[0][0] - body * tip.mass, K[1][1] - body * tip.inertia
    across = (K[0][1] + K[1][0]) / 2 - body * tip.offset_moment
    return round(clamped) + _negative(first, across, last_)


def _negative(a: float, b: float, c: float) -> int:
    """Number of negative eigenvalues of [[a, b], [b, c]]."""
    det = a * c - b * b
    if det < 0:
        return 1
    return (2 if det > 0 else 1) if a + c < 0 else 0


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
        (p, q), (r, s) = _boundary(b, length, mu, tip)
        return p * s - q * r

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
