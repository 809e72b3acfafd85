"""Large batches in blocks of rows, so that temporary memory stays within `ROOM`.

What can be computed in place, plain arrays into plain results, needs no blocks. What must be converted, repeated,
put together or computed by way of other results is done so block by block. Rows do not know each other, so the bits do
not depend on the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROOM = 16 * 2**20  # bytes of temporary arrays at once
LEAST = 64  # rows, however large one is


def rows_in_room(row_bytes: int) -> int:
    """Number of rows per block, from the size of the temporaries of one row."""
    return max(LEAST, ROOM // max(row_bytes, 1) // 4 * 4)


@dataclass(frozen=True)
class Box:
    """A block of states of a batch: index into arrays (*batch, ...), number of the first state, and count."""

    index: tuple[int | slice, ...]
    first: int
    rows: int


def boxes(batch: tuple[int, ...], most: int) -> Iterator[Box]:
    """Yield blocks of a batch in order, of at most a number of states; each block is a view of the arrays."""
    axis, inner = len(batch), 1
    while axis and inner * batch[axis - 1] <= most:
        axis -= 1
        inner *= batch[axis]
    if axis == 0:
        yield Box((), 0, inner)
        return
    axis, step, first = axis - 1, max(1, most // inner), 0
    for outer in np.ndindex(*batch[:axis]):
        for start in range(0, batch[axis], step):
            rows = min(step, batch[axis] - start) * inner
            yield Box((*outer, slice(start, start + step)), first, rows)
            first += rows


class Joined:
    """Vectors (..., n) to be concatenated, block by block, when they are used."""

    def __init__(self, parts: Sequence[Array]):
        self.parts = parts
        self.shape = (*np.broadcast_shapes(*(x.shape[:-1] for x in parts)), sum(x.shape[-1] for x in parts))

    @property
    def nbytes(self) -> int:
        """Size in bytes when concatenated."""
        return 8 * math.prod(self.shape)

    def whole(self) -> Array:
        """The whole concatenated array."""
        return self.taken(self.shape[:-1], Box((), 0, math.prod(self.shape[:-1])))

    def taken(self, batch: tuple[int, ...], box: Box) -> Array:
        """The states of a box."""
        return np.concatenate([_spread(x, batch)[box.index] for x in self.parts], axis=-1)


def taken(x: Array | Joined, batch: tuple[int, ...], box: Box) -> Array:
    """The states of a box; one state (n,) serves all of them."""
    if isinstance(x, Joined):
        return x.taken(batch, box)
    return x if x.ndim == 1 else _spread(x, batch)[box.index]


def _spread(x: Array, batch: tuple[int, ...]) -> Array:
    return np.broadcast_to(x, (*batch, x.shape[-1]))
