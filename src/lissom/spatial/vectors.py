"""Vectors of space, and 3x3 matrices that act on them.

The order of fields is the order in which a step computes its results; another order costs registers.
"""

from __future__ import annotations

from lissom.records import record
from lissom.spatial.scalar import Scalar, add, mul, sub


@record
class Vector3:
    """A vector with entries x, y, z."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Vector3) -> Vector3:
        return Vector3(add(self.x, other.x), add(self.y, other.y), add(self.z, other.z))

    def __sub__(self, other: Vector3) -> Vector3:
        return Vector3(sub(self.x, other.x), sub(self.y, other.y), sub(self.z, other.z))

    def __neg__(self) -> Vector3:
        return Vector3(sub(0, self.x), sub(0, self.y), sub(0, self.z))

    def __mul__(self, k: Scalar) -> Vector3:
        return Vector3(mul(k, self.x), mul(k, self.y), mul(k, self.z))

    def dot(self, other: Vector3) -> Scalar:
        """Scalar product."""
        return add(add(mul(self.x, other.x), mul(self.y, other.y)), mul(self.z, other.z))

    def cross(self, other: Vector3) -> Vector3:
        """Vector product self x other."""
        a, b = self, other
        return Vector3(
            sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)), sub(mul(a.x, b.y), mul(a.y, b.x))
        )


ZERO = Vector3(0, 0, 0)
X_AXIS = Vector3(1, 0, 0)
Y_AXIS = Vector3(0, 1, 0)
Z_AXIS = Vector3(0, 0, 1)


@record
class Matrix3:
    """A 3x3 matrix by its rows."""

    x: Vector3
    y: Vector3
    z: Vector3

    @property
    def rows(self) -> tuple[Vector3, Vector3, Vector3]:
        """The rows."""
        return self.x, self.y, self.z

    @property
    def T(self) -> Matrix3:
        """The transpose."""
        x, y, z = self.rows
        return Matrix3(Vector3(x.x, y.x, z.x), Vector3(x.y, y.y, z.y), Vector3(x.z, y.z, z.z))

    def __add__(self, other: Matrix3) -> Matrix3:
        return Matrix3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Matrix3) -> Matrix3:
        return Matrix3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, k: Scalar) -> Matrix3:
        return Matrix3(self.x * k, self.y * k, self.z * k)

    def apply(self, v: Vector3) -> Vector3:
        """Product with a vector."""
        return Vector3(self.x.dot(v), self.y.dot(v), self.z.dot(v))

    def times(self, other: Matrix3) -> Matrix3:
        """Product with a matrix."""
        x, y, z = other.T.rows
        return Matrix3(*(Vector3(row.dot(x), row.dot(y), row.dot(z)) for row in self.rows))

    @property
    def upper(self) -> Symmetric3:
        """The diagonal and the entries right of it, of a matrix that is symmetric."""
        return Symmetric3(self.x.x, self.x.y, self.x.z, self.y.y, self.y.z, self.z.z)


@record
class Symmetric3:
    """A symmetric 3x3 matrix by its upper triangle."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    @property
    def full(self) -> Matrix3:
        """All nine entries."""
        x, y, z = Vector3(self.xx, self.xy, self.xz), (self.xy, self.yy, self.yz), (self.xz, self.yz, self.zz)
        return Matrix3(x, Vector3(*y), Vector3(*z))

    @property
    def trace(self) -> Scalar:
        """Sum of the diagonal."""
        return add(add(self.xx, self.yy), self.zz)

    def __add__(self, other: Symmetric3) -> Symmetric3:
        a, b = self, other
        diagonal = add(a.xx, b.xx), add(a.yy, b.yy), add(a.zz, b.zz)
        return _symmetric(diagonal, (add(a.xy, b.xy), add(a.xz, b.xz), add(a.yz, b.yz)))

    def __sub__(self, other: Symmetric3) -> Symmetric3:
        a, b = self, other
        diagonal = sub(a.xx, b.xx), sub(a.yy, b.yy), sub(a.zz, b.zz)
        return _symmetric(diagonal, (sub(a.xy, b.xy), sub(a.xz, b.xz), sub(a.yz, b.yz)))

    def plus_diagonal(self, k: Scalar) -> Symmetric3:
        """The sum with k times the identity."""
        return _symmetric((add(self.xx, k), add(self.yy, k), add(self.zz, k)), (self.xy, self.xz, self.yz))

    def apply(self, v: Vector3) -> Vector3:
        """Product with a vector."""
        return self.full.apply(v)


def _symmetric(diagonal: tuple[Scalar, Scalar, Scalar], off: tuple[Scalar, Scalar, Scalar]) -> Symmetric3:
    (xx, yy, zz), (xy, xz, yz) = diagonal, off
    return Symmetric3(xx, xy, xz, yy, yz, zz)


def outer(a: Vector3, b: Vector3) -> Matrix3:
    """a b^T."""
    return Matrix3(*(Vector3(mul(k, b.x), mul(k, b.y), mul(k, b.z)) for k in (a.x, a.y, a.z)))


def skew(v: Vector3) -> Matrix3:
    """[v], so that [v] u = v x u."""
    return Matrix3(Vector3(0, sub(0, v.z), v.y), Vector3(v.z, 0, sub(0, v.x)), Vector3(sub(0, v.y), v.x, 0))
