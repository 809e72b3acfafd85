"""Poses as 4x4 matrices. `X_AB` is the pose of frame B in frame A: `X_AC = X_AB @ X_BC`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.spatial.rotations import Array, about_axis


def pose(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Array:
    """4x4 pose of a rotation (3, 3) and a position (3,), each optional."""
    X = np.eye(4)
    if R is not None:
        X[:3, :3] = R
    if p is not None:
        X[:3, 3] = p
    return X


def translation(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Pose (4, 4) of a translation."""
    return pose(p=(x, y, z))


def turn(axis: str, angle: float) -> Array:
    """Pose (4, 4) of a rotation about the x, y or z axis."""
    unit = np.eye(3)["xyz".index(axis)]
    R = about_axis(unit, angle)
    # quarter turns are common in robot tables: keep their zeros and ones exact
    exact = np.round(R)
    return pose(exact if np.abs(R - exact).max() < 1e-15 else R)


def inverse(X: ArrayLike) -> Array:
    """Inverse of poses (..., 4, 4)."""
    X = np.asarray(X, float)
    out = np.zeros_like(X)
    Rt = np.swapaxes(X[..., :3, :3], -1, -2)
    out[..., :3, :3] = Rt
    out[..., :3, 3] = -(Rt @ X[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out


def is_identity(X: ArrayLike) -> bool:
    """Whether a pose is exactly the identity."""
    return bool(np.array_equal(X, np.eye(4)))
