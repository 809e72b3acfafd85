"""Rotation matrices, and their conversion from and to angles and quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def skew(v: ArrayLike) -> Array:
    """Matrix of the cross product: ``skew(v) @ w = v x w``; v (..., 3) gives (..., 3, 3)."""
    v = np.asarray(v, float)
    out = np.zeros((*v.shape[:-1], 3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def about_axis(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by `angle` (...) [rad] about a unit `axis` (3,); gives (..., 3, 3)."""
    K = skew(axis)
    angle = np.asarray(angle, float)[..., None, None]
    # 1 - cos written so that small angles keep their digits
    return np.eye(3) + np.sin(angle) * K + 2.0 * np.sin(angle / 2) ** 2 * (K @ K)


def from_rpy(rpy: ArrayLike) -> Array:
    """URDF's fixed-axis roll, pitch, yaw: ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    roll, pitch, yaw = np.asarray(rpy, float)
    (sr, sp, sy), (cr, cp, cy) = np.sin([roll, pitch, yaw]), np.cos([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def to_rpy(R: Array) -> Array:
    """Roll, pitch, yaw of a rotation.

    Pitch and roll are read after the yaw is undone, which keeps all digits where pitch is near
    +-90 degrees and yaw hardly determined.
    """
    yaw = np.arctan2(R[1, 0], R[0, 0])
    s, c = np.sin(yaw), np.cos(yaw)
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return np.array([roll, pitch, yaw])


def from_quaternion(wxyz: ArrayLike) -> Array:
    """Rotation of a quaternion (w, x, y, z) of any non-zero length."""
    w, x, y, z = np.asarray(wxyz, float) / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotation_vector(R: ArrayLike) -> Array:
    """Axis times angle of rotations (..., 3, 3), angle in [0, pi]; gives (..., 3).

    Near a half turn the antisymmetric part vanishes, so beyond a quarter turn the axis is
    taken from the symmetric part.
    """
    R = np.asarray(R, float)
    anti = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1)
    sine = 0.5 * np.linalg.norm(anti, axis=-1)
    cosine = 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(sine, cosine)
    tiny, large = sine < 1e-9, cosine < 0.0
    scale = np.where(tiny, 0.5, angle / np.where(tiny, 1.0, 2.0 * sine))
    vector = scale[..., None] * anti
    if np.any(large):
        vector = np.where(large[..., None], angle[..., None] * _axis_of_large_turn(R, anti, cosine), vector)
    return vector


def _axis_of_large_turn(R: Array, anti: Array, cosine: Array) -> Array:
    """Unit axis a from ``(R + R^T) / 2 - cos 1 = (1 - cos) a a^T``, with the sign of `anti` where it has one."""
    outer = 0.5 * (R + np.swapaxes(R, -1, -2)) - cosine[..., None, None] * np.eye(3)
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    column = np.take_along_axis(outer, best[..., None, None], axis=-1)[..., 0]
    axis = column / np.maximum(np.linalg.norm(column, axis=-1, keepdims=True), 1e-300)
    sign = np.where(np.sum(axis * anti, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return sign * axis


def nearest_rotation(R: Array) -> Array:
    """The rotation closest to a nearly orthonormal matrix."""
    U, _, Vt = np.linalg.svd(R)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
