"""Rows of a batch without finite numbers, which are computed again in another way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def non_finite_stretches(arrays: Sequence[NDArray[Any]]) -> list[slice]:
    """Stretches of consecutive rows in which some entry of the arrays (rows, .) is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> non_finite_stretches([np.array([[1.0], [np.nan], [np.inf], [2.0]])])
    [slice(1, 3, None)]
    """
    bad = ~np.all([np.isfinite(x).all(axis=1) for x in arrays], axis=0)
    edges = np.flatnonzero(np.diff(bad, prepend=False, append=False))
    return [slice(start, end) for start, end in edges.reshape(-1, 2).tolist()]
