"""Rotations: by a matrix, about z, or none; each acts in the cheapest way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import overload

from lissom.records import record
from lissom.spatial.scalar import Scalar, add, mul, sub
from lissom.spatial.vectors import Matrix3, Symmetric3, Vector3


class AbstractRotation(ABC):
    """A rotation: ``R @ v`` is R v, ``R @ I`` of a symmetric matrix is R I R^T, ``R.T`` is the inverse."""

    @property
    @abstractmethod
    def T(self) -> AbstractRotation:
        """The inverse."""

    @abstractmethod
    def of_vector(self, v: Vector3) -> Vector3:
        """R v."""

    @abstractmethod
    def of_symmetric(self, I: Symmetric3) -> Symmetric3:
        """R I R^T."""

    @abstractmethod
    def right_of(self, A: Matrix3) -> Matrix3:
        """A R."""

    @overload
    def __matmul__(self, other: Vector3) -> Vector3: ...
    @overload
    def __matmul__(self, other: Symmetric3) -> Symmetric3: ...
    def __matmul__(self, other: Vector3 | Symmetric3) -> Vector3 | Symmetric3:
        return self.of_vector(other) if isinstance(other, Vector3) else self.of_symmetric(other)


@record
class Rotation(AbstractRotation):
    """A rotation by its matrix."""

    matrix: Matrix3

    @property
    def T(self) -> Rotation:
        return Rotation(self.matrix.T)

    def of_vector(self, v: Vector3) -> Vector3:
        return self.matrix.apply(v)

    def of_symmetric(self, I: Symmetric3) -> Symmetric3:
        A, R = self.matrix.times(I.full), self.matrix
        return Symmetric3(A.x.dot(R.x), A.x.dot(R.y), A.x.dot(R.z), A.y.dot(R.y), A.y.dot(R.z), A.z.dot(R.z))

    def right_of(self, A: Matrix3) -> Matrix3:
        return A.times(self.matrix)

    def then(self, other: AbstractRotation) -> Rotation:
        """The product of this rotation and another one."""
        return Rotation(other.right_of(self.matrix))

    @property
    def z(self) -> Vector3:
        """The third column: the z axis after the rotation."""
        return Vector3(self.matrix.x.z, self.matrix.y.z, self.matrix.z.z)


@record
class RotationZ(AbstractRotation):
    """A rotation about z by an angle of which cosine and sine are given."""

    c: Scalar
    s: Scalar

    @property
    def T(self) -> InverseRotationZ:
        return InverseRotationZ(self.c, self.s)

    def of_vector(self, v: Vector3) -> Vector3:
        c, s = self.c, self.s
        return Vector3(sub(mul(c, v.x), mul(s, v.y)), add(mul(s, v.x), mul(c, v.y)), v.z)

    def of_symmetric(self, I: Symmetric3) -> Symmetric3:
        c, s = self.c, self.s
        t = add(mul(s, sub(I.xx, I.yy)), mul(2, mul(c, I.xy)))
        k = mul(s, t)
        xz, yz = sub(mul(c, I.xz), mul(s, I.yz)), add(mul(s, I.xz), mul(c, I.yz))
        return Symmetric3(sub(I.xx, k), sub(mul(c, t), I.xy), xz, add(I.yy, k), yz, I.zz)

    def right_of(self, A: Matrix3) -> Matrix3:
        c, s = self.c, self.s
        return Matrix3(*(Vector3(add(mul(r.x, c), mul(r.y, s)), sub(mul(r.y, c), mul(r.x, s)), r.z) for r in A.rows))


@record
class InverseRotationZ(AbstractRotation):
    """The inverse of a rotation about z."""

    c: Scalar
    s: Scalar

    @property
    def T(self) -> RotationZ:
        return RotationZ(self.c, self.s)

    def of_vector(self, v: Vector3) -> Vector3:
        c, s = self.c, self.s
        return Vector3(add(mul(c, v.x), mul(s, v.y)), sub(mul(c, v.y), mul(s, v.x)), v.z)

    def of_symmetric(self, I: Symmetric3) -> Symmetric3:
        return RotationZ(self.c, sub(0, self.s)).of_symmetric(I)

    def right_of(self, A: Matrix3) -> Matrix3:
        return RotationZ(self.c, sub(0, self.s)).right_of(A)


@record
class Identity(AbstractRotation):
    """No rotation."""

    @property
    def T(self) -> Identity:
        return self

    def of_vector(self, v: Vector3) -> Vector3:
        return v

    def of_symmetric(self, I: Symmetric3) -> Symmetric3:
        return I

    def right_of(self, A: Matrix3) -> Matrix3:
        return A
