"""Poses as positions and quaternions, as browsers take them."""

from __future__ import annotations

import numpy as np

from lissom.spatial.rotations import Array


def quaternions(X: Array) -> Array:
    """(..., 4) w, x, y, z of poses (..., 4, 4); of linear bending the nearest rotation."""
    from scipy.spatial.transform import Rotation

    if not X.size:
        return np.zeros((*X.shape[:-2], 4))
    xyzw = Rotation.from_matrix(X[..., :3, :3].reshape(-1, 3, 3)).as_quat()
    return np.roll(xyzw, 1, axis=-1).reshape(*X.shape[:-2], 4)


def seven(X: Array) -> Array:
    """(..., 7) positions and quaternions of poses (..., 4, 4)."""
    return np.concatenate([X[..., :3, 3], quaternions(X)], axis=-1)
