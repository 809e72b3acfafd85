"""Rows of a program: compiled samples, or rows that are affine in its variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.transcription.kernels.sample import Sample
from lissom.motion.transcription.kernels.tape_sample import TapeSample
from lissom.spatial.rotations import Array


class Block(NamedTuple):
    """Samples of one kind.

    s (N,) where they are; weights (N,) of the rate of cost; data (N, d)
    combine (rows, N m)   which combinations of the samples' rows the program has
    lower, upper (rows,)
    names                 of the rows, for messages: what, coordinate, s
    size (rows,)          how large they are; None: about 1
    """

    sample: Sample | TapeSample
    s: Array
    weights: Array
    combine: sparse.csr_array
    lower: Array
    upper: Array
    names: Sequence[tuple[str, str, float]]
    data: Array
    size: Array | None = None

    @property
    def sizes(self) -> Array:
        """(rows,) how large each is."""
        return np.ones(len(self.lower)) if self.size is None else self.size


class Scaled(NamedTuple):
    """Rows A x + c - limit T^power, between lower and upper: limits on control points of a derivative."""

    A: sparse.csr_array
    c: Array
    limit: Array
    power: int
    lower: Array
    upper: Array
    names: Sequence[tuple[str, str, float]]
